"""The tutorial, the cookbook and the types do what they say."""

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT


def blocks(path):
    """The blocks of a page that can be run, each with its language and the output that follows it."""
    text = path.read_text(encoding="utf-8")
    found = re.findall(r"```(python|sh)\n(.*?)```\n(?:\n```text\n(.*?)```)?", text, re.DOTALL)
    assert found
    return found


def printed(code, name, space):
    """What Python code prints."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code, name, "exec"), space)
    return said.getvalue().strip()


def test_the_tutorial_runs_and_prints_what_it_shows(data_folder, tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROXDIST_DATA", str(data_folder))
    space = {"__name__": "tutorial"}
    for number, (language, code, shown) in enumerate(blocks(ROOT / "docs" / "tutorial.md")):
        assert language == "python"
        assert printed(code, f"tutorial, block {number + 1}", space) == shown.strip(), f"block {number + 1}"
    assert (tmp_path / "report.html").stat().st_size > 10_000


def assert_shows(shown, said):
    """Lines of a program's answer are shown in their order; some may be left out, and `…` stands for any text."""
    rest = iter(said.splitlines())
    for line in shown.splitlines():
        pattern = ".*".join(map(re.escape, line.split("…")))
        assert any(re.fullmatch(pattern, other) for other in rest), f"{line}\n\n{said}"


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
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "proxdist").symlink_to(program_file)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    space = {"__name__": page}
    for number, (language, code, shown) in enumerate(blocks(ROOT / "docs" / f"{page}.md")):
        name = f"{page}, block {number + 1}"
        if language == "python":
            assert printed(code, name, space) == shown.strip(), name
            continue
        assert shown.strip(), f"{name} has no answer"
        done = subprocess.run(["sh", "-c", code], capture_output=True, text=True, check=False)
        assert (done.returncode != 0) == shown.startswith("error:"), f"{name}: {done.stderr}"
        assert_shows(shown, done.stderr if done.returncode else done.stdout)


def test_the_page_about_many_machines_runs_and_prints_what_it_shows():
    pytest.importorskip("distributed")
    shown = [
        (code, answer) for language, code, answer in blocks(ROOT / "docs" / "distributed.md") if language == "python"
    ]
    assert len(shown) == 2
    for number, (code, answer) in enumerate(shown):
        name = f"distributed, block {number + 1}"
        assert printed(code, name, {"__name__": "__main__"}) == answer.strip(), name


def test_the_first_fit_of_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)[1]
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})


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
