"""Puts the pages, the generated ones and the files of the book into one folder, as mdBook wants them."""

from __future__ import annotations

import shutil
from pathlib import Path

from . import command_line, markdown, pages, python_names


def write(folder: Path, program: Path, root: Path = pages.ROOT) -> None:
    """Writes `folder` anew: book.toml, the theme, and all pages and files under `src`."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(root / "book", folder, ignore=shutil.ignore_patterns("SUMMARY.md", "katex"))
    shutil.copytree(root / "book" / "katex", folder / "src" / "katex", ignore=shutil.ignore_patterns("*.md"))

    commands, names = command_line.pages(program), python_names.pages()
    places = pages.sources(root)
    moved = pages.Moved(places, root)
    texts = {str(place): moved.text(path) for path, place in places.items()}
    worked = pages.gallery(places)
    if worked and "gallery.md" not in texts:
        texts["gallery.md"] = "\n".join(
            ["# Gallery", "", *(f"- [{markdown.escaped(title)}]({place})" for title, place in worked), ""]
        )
    generated = {"command-line": _titles(commands), "python": _titles(names)}
    written = (root / "book" / "SUMMARY.md").read_text(encoding="utf-8")
    texts["SUMMARY.md"] = pages.summary(written, worked, generated)

    for place, text in {**texts, **commands, **names}.items():
        path = folder / "src" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for source, to in moved.files.items():
        path = folder / "src" / to
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, path)


def _titles(written: dict[str, str]) -> list[tuple[str, str]]:
    """The pages below an overview, by their titles."""
    return [(markdown.title(text), place) for place, text in written.items() if "/" in place]
