"""The tutorial, the cookbook and the types do what they say."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "python"))

from gallery.pages import assert_runs, blocks, offer


def test_the_tutorial_runs_and_prints_what_it_shows(data_folder, tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROXDIST_DATA", str(data_folder))
    space = {"__name__": "tutorial"}
    for number, block in enumerate(blocks(ROOT / "docs" / "tutorial.md")):
        assert block.language == "python"
        assert_runs(block, f"tutorial, block {number + 1}", space)
    assert (tmp_path / "report.html").stat().st_size > 10_000


PAGES = [
    "cookbook",
    "streams",
    "losses",
    "several-outputs",
    "survival-and-ordinal",
    "inference",
    "exporting",
    "data-frames",
    "scorecards",
    "report",
]


@pytest.mark.parametrize("page", PAGES)
def test_the_page_runs_and_prints_what_it_shows(page, program_file, tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", offer(program_file, tmp_path))
    space = {"__name__": page}
    for number, block in enumerate(blocks(ROOT / "docs" / f"{page}.md")):
        assert_runs(block, f"{page}, block {number + 1}", space)


def test_the_page_about_many_machines_runs_and_prints_what_it_shows():
    pytest.importorskip("distributed")
    shown = [block for block in blocks(ROOT / "docs" / "distributed.md") if block.language == "python"]
    assert len(shown) == 2
    for number, block in enumerate(shown):
        assert_runs(block, f"distributed, block {number + 1}", {"__name__": "__main__"})


def test_the_fits_of_the_readme_run_and_print_what_is_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = [block for block in blocks(ROOT / "README.md") if block.language == "python"]
    assert len(shown) == 2 and shown[0].shown
    assert_runs(shown[0], "README, first block", {"__name__": "readme"})
    exec(compile(shown[1].code, "README.md", "exec"), {"__name__": "readme"})


@pytest.mark.parametrize(
    "command", [["mypy", "--no-incremental"], ["mypy.stubtest", "proxdist._proxdist"]], ids=["mypy", "stubs"]
)
def test_types_hold(command):
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_says_that_it_is_typed():
    import proxdist

    assert (Path(proxdist.__file__).parent / "py.typed").exists()
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", proxdist.__version__)
