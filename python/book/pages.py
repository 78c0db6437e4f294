"""Which pages the book has, and where: those of docs/ under their own names, the documents of the root beside them."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

from . import markdown

ROOT = Path(__file__).resolve().parents[2]

#: Documents of the root, and their names in the book.
_OF_THE_ROOT = {
    "README": "introduction",
    "CONTRIBUTING": "contributing",
    "ARCHITECTURE": "architecture",
    "CHANGELOG": "changelog",
}

#: Other files that are part of the book where a page links to them; all else is looked at in the repository.
_SHOWN = {".svg", ".png", ".jpg", ".webp", ".html", ".csv"}

_REPOSITORY = re.search(r'^repository = "(.+)"$', (ROOT / "Cargo.toml").read_text(encoding="utf-8"), re.MULTILINE)


def sources(root: Path = ROOT) -> dict[Path, PurePosixPath]:
    """Every page that somebody has written, and its place in the book.

    `docs/reproduction/README.md` becomes `reproduction.md`, which leaves `reproduction/index.html` to the page of that name.
    """
    places = {root / f"{name}.md": PurePosixPath(f"{place}.md") for name, place in _OF_THE_ROOT.items()}
    for path in sorted((root / "docs").rglob("*.md")):
        place = PurePosixPath(path.relative_to(root / "docs").as_posix())
        places[path] = place.parent.with_suffix(".md") if place.name == "README.md" else place
    return places


class Moved:
    """Links of pages at their places in the book; remembers the files that have to be there, too."""

    def __init__(self, places: dict[Path, PurePosixPath], root: Path = ROOT) -> None:
        self._places, self._root = places, root
        self.files: dict[Path, PurePosixPath] = {}

    def text(self, page: Path) -> str:
        """A page with its links as they are in the book."""
        here = self._places[page].parent

        def moved(target: str) -> str:
            if re.match(r"[a-z]+:|#", target):
                return target
            path, _, anchor = target.partition("#")
            to = Path(os.path.normpath(page.parent / path))
            place = self._place(to)
            if place is None:
                assert _REPOSITORY is not None
                return f"{_REPOSITORY[1]}/blob/main/{to.relative_to(self._root).as_posix()}"
            away = PurePosixPath(os.path.relpath(place, here))
            return f"{away}#{anchor}" if anchor else str(away)

        text = markdown.with_themed_pictures(page.read_text(encoding="utf-8"))
        return markdown.with_breaks(markdown.with_formulas(markdown.links_changed(text, moved)))

    def _place(self, path: Path) -> PurePosixPath | None:
        """Where a file of the repository is in the book, if it is there."""
        readme = path / "README.md"
        if path in self._places or readme in self._places:
            return self._places.get(path) or self._places[readme]
        if path.suffix not in _SHOWN or not path.is_relative_to(self._root / "docs"):
            return None
        self.files[path] = PurePosixPath(path.relative_to(self._root / "docs").as_posix())
        return self.files[path]


def gallery(places: dict[Path, PurePosixPath]) -> list[tuple[str, PurePosixPath]]:
    """The titles and places of the worked pages, in the order of their own table of contents, the others by title."""
    found = {
        place: path.read_text(encoding="utf-8") for path, place in places.items() if place.parent.name == "gallery"
    }
    overview = [path.read_text(encoding="utf-8") for path, place in places.items() if str(place) == "gallery.md"]
    listed = markdown.links(overview[0]) if overview else []

    def order(place: PurePosixPath) -> tuple[int, str]:
        return listed.index(place.name) if place.name in listed else len(listed), markdown.title(found[place])

    return [(markdown.title(found[place]), place) for place in sorted(found, key=order)]


def summary(text: str, worked: list[tuple[str, PurePosixPath]], generated: dict[str, list[tuple[str, str]]]) -> str:
    """The table of contents: a line `<!-- NAME -->` is replaced by the pages that go by this name."""
    chapters = {"gallery": [(title, str(place)) for title, place in worked], **generated}
    for name, pages in chapters.items():
        lines = [f"  - [{markdown.escaped(title)}]({place})" for title, place in pages]
        text = text.replace(f"<!-- {name} -->", "\n".join(lines))
    if not worked:
        text = re.sub(r"^- \[Gallery\].*\n", "", text, flags=re.MULTILINE)
    return text
