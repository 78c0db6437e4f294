"""Whether every link leads somewhere: in the pages as a code host shows them, and in the site that mdBook has built."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from . import markdown


def broken_in_sources(pages: list[Path], root: Path) -> list[str]:
    """Links of Markdown pages to files or headings that are not there."""
    wrong = []
    for page in pages:
        for target in markdown.links(page.read_text(encoding="utf-8")):
            parts = urlsplit(target)
            if parts.scheme in ("http", "https", "mailto"):
                continue
            path = Path(os.path.normpath(page.parent / unquote(parts.path))) if parts.path else page
            where = f"{page.relative_to(root)}: {target}"
            if not path.exists():
                wrong.append(f"{where}: no such file")
            elif not path.is_relative_to(root):
                wrong.append(f"{where}: not in the repository")
            elif (
                parts.fragment
                and path.suffix == ".md"
                and parts.fragment not in markdown.anchors(path.read_text(encoding="utf-8"))
            ):
                wrong.append(f"{where}: no such heading")
    return wrong


def broken_in_site(folder: Path) -> list[str]:
    """Links of the pages of a site to files or places that are not there, and what would be fetched from elsewhere."""
    found = {path: _read(path) for path in sorted(folder.rglob("*.html"))}
    wrong = []
    for page, content in found.items():
        for target, is_fetched in content.targets:
            parts = urlsplit(target)
            where = f"{page.relative_to(folder)}: {target}"
            if parts.scheme or parts.netloc:
                if is_fetched and parts.scheme != "data":
                    wrong.append(f"{where}: fetched from elsewhere")
                continue
            path = Path(os.path.normpath(page.parent / unquote(parts.path))) if parts.path else page
            path = path / "index.html" if path.is_dir() else path
            if not path.is_file():
                wrong.append(f"{where}: no such file")
            elif parts.fragment and path in found and unquote(parts.fragment) not in found[path].places:
                wrong.append(f"{where}: no such place")
    for style in sorted(folder.rglob("*.css")):
        for target in re.findall(r"url\([\"']?([^\"')]+)", style.read_text(encoding="utf-8")):
            if not target.startswith("data:") and not (style.parent / target.split("?")[0].split("#")[0]).is_file():
                wrong.append(f"{style.relative_to(folder)}: {target}: no such file")
    return wrong


@dataclass
class _Content:
    """What a page links to, with whether a browser fetches it by itself, and the places in it."""

    targets: list[tuple[str, bool]] = field(default_factory=list)
    places: set[str] = field(default_factory=set)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.content = _Content()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes the links and the names of an element."""
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.content.places.add(value)
            elif name in ("href", "src", "srcset"):
                self.content.targets.append((value, tag != "a"))


def _read(path: Path) -> _Content:
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader.content
