"""One page of the gallery: its code is run in a folder of its own, its figure drawn from the variables it leaves."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import drawing, figures
from .pages import answered, assert_runs, blocks, offer, printed

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "gallery"
FIGURES = PAGES / "figures"
#: A page that is not run: the list of the others.
INDEX = "README"


def names() -> list[str]:
    """All pages, by the names of their files."""
    return sorted(path.stem for path in PAGES.glob("*.md") if path.stem != INDEX)


@contextlib.contextmanager
def workshop(program: Path, data: Path) -> Iterator[None]:
    """A new folder to work in, in which the program and the data are found."""
    before, variables = Path.cwd(), dict(os.environ)
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"PATH": offer(program, Path(folder)), "PROXDIST_DATA": str(data)}
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
            os.environ.clear()
            os.environ |= variables


def check(page: str, figure_folder: Path) -> None:
    """Runs a page, compares what it prints with what it shows, and draws its figure."""
    space = {"__name__": "__main__"}
    for number, block in enumerate(blocks(PAGES / f"{page}.md")):
        assert_runs(block, f"{page}, block {number + 1}", space)
    draw(page, space, figure_folder)


def write(page: str) -> None:
    """Runs a page and puts what it prints in the place of what it shows; of the shell only where nothing is shown."""
    path, space = PAGES / f"{page}.md", {"__name__": "__main__"}
    text = path.read_text(encoding="utf-8")
    shift = 0
    for number, block in enumerate(blocks(path)):
        said = block.shown
        if block.language == "python":
            said = printed(block.code, f"{page}, block {number + 1}", space)
        elif not said:
            said = answered(block.code)[1]
        answer = f"\n```text\n{said.strip()}\n```" if said.strip() else ""
        # Without an answer on the page, the block ends with the end of its line.
        new = f"```{block.language}\n{block.code}```\n{answer}" + ("\n" if answer and not block.shown else "")
        text = text[: block.start + shift] + new + text[block.end + shift :]
        shift += len(new) - (block.end - block.start)
    path.write_text(text, encoding="utf-8")
    draw(page, space, FIGURES)


def draw(page: str, space: dict[str, Any], folder: Path) -> Path:
    """Draws the figure of a page that was run."""
    figure = getattr(figures, page.replace("-", "_"))
    return drawing.drawn(lambda: figure(space), folder / f"{page}.svg")
