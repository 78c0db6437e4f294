"""The tutorial and the types do what they say."""

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT


def blocks(path):
    """The Python blocks of a page, each with the output that follows it."""
    text = path.read_text(encoding="utf-8")
    found = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", text, re.DOTALL)
    assert found
    return found


def test_the_tutorial_runs_and_prints_what_it_shows(data_folder, tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROXDIST_DATA", str(data_folder))
    space = {"__name__": "tutorial"}
    for number, (code, shown) in enumerate(blocks(ROOT / "docs" / "tutorial.md")):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(code, f"tutorial, block {number + 1}", "exec"), space)
        assert said.getvalue().strip() == shown.strip(), f"block {number + 1}"
    assert (tmp_path / "report.html").stat().st_size > 10_000


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
