"""What is needed of Markdown: prose apart from code, links, the anchors of headings, formulas."""

from __future__ import annotations

import html
import re
import string
from collections import Counter
from collections.abc import Callable

#: A fenced block, a comment, or code within a line; whatever is in them is not prose.
_CODE = re.compile(
    r"^(?P<fence> *```+)[^\n]*\n.*?^(?P=fence)[ ]*$|<!--.*?-->|(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)",
    re.DOTALL | re.MULTILINE,
)

#: The target of a Markdown link or image, and of the attributes of HTML that have one.
_LINK = re.compile(r"(?P<before>\]\()(?P<target>[^()\s]+)(?P<after>(?: \"[^\"]*\")?\))")
_ATTRIBUTE = re.compile(r"(?P<before>\b(?:href|src|srcset)=\")(?P<target>[^\"]+)(?P<after>\")")

#: The same picture for light and dark pages, as code hosts want it.
_PICTURE = re.compile(
    r"<picture>\s*<source media=\"\(prefers-color-scheme: dark\)\" srcset=\"([^\"]+)\"\s*/?>\s*<img ([^>]*?)src=\"([^\"]+)\"([^>]*?)/?>\s*</picture>"
)

_DISPLAY = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
_INLINE = re.compile(r"(?<![\\\w$])\$(?=\S)([^$]+?)(?<=\S)\$(?![\w$])")


def prose_changed(text: str, change: Callable[[str], str]) -> str:
    """The text with everything that is not code changed."""
    pieces, end = [], 0
    for code in _CODE.finditer(text):
        pieces += [change(text[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*pieces, change(text[end:])])


def links(text: str) -> list[str]:
    """The targets of all links and images."""
    found: list[str] = []
    links_changed(text, lambda target: found.append(target) or target)  # type: ignore[func-returns-value]
    return found


def links_changed(text: str, change: Callable[[str], str]) -> str:
    """The text with the target of every link and image changed.

    The words of a link may be code, so that code within a line is hidden while links are looked for.
    """
    hidden: list[str] = []

    def hide(code: re.Match[str]) -> str:
        hidden.append(code[0])
        return f"\x00{len(hidden) - 1}\x00"

    def put(link: re.Match[str]) -> str:
        return link["before"] + change(link["target"]) + link["after"]

    changed = _ATTRIBUTE.sub(put, _LINK.sub(put, _CODE.sub(hide, text)))
    return re.sub(r"\x00(\d+)\x00", lambda place: hidden[int(place[1])], changed)


def headings(text: str) -> list[str]:
    """The headings of a page, in order."""
    outside = _CODE.sub(lambda code: code[0] if "\n" not in code[0] else "", text)
    return [line.rstrip("# ").strip() for line in re.findall(r"^#{1,6} +(.+)$", outside, re.MULTILINE)]


def title(text: str) -> str:
    """The first heading."""
    return headings(text)[0]


def anchors(text: str) -> set[str]:
    """What a link to a place of the page may name, by the rule of code hosts, which is mdBook's too."""
    seen: Counter[str] = Counter()
    names = set(re.findall(r"\b(?:id|name)=\"([^\"]+)\"", text))
    for heading in headings(text):
        words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)|<[^>]+>", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        names.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return names


def with_formulas(text: str) -> str:
    """Formulas between dollars as spans that `maths.js` draws; no sign of theirs is left to Markdown."""

    def span(kind: str) -> Callable[[re.Match[str]], str]:
        return lambda formula: f'<span class="math {kind}">{_hidden(formula[1].strip())}</span>'

    return prose_changed(text, lambda prose: _INLINE.sub(span("inline"), _DISPLAY.sub(span("display"), prose)))


def with_themed_pictures(text: str) -> str:
    """Pictures in a light and a dark version as two images, of which the theme of the book shows one."""
    two = r'<img class="only-light" \2src="\3"\4><img class="only-dark" \2src="\1"\4>'
    return prose_changed(text, lambda prose: _PICTURE.sub(two, prose))


def with_breaks(text: str) -> str:
    """Long code in tables, with places at which a narrow column may break it."""

    def breakable(code: re.Match[str]) -> str:
        if len(code[1]) <= 24:
            return code[0]
        pieces = re.split(r"(?<=[(=])(?=.)|(?=[.]\D)", code[1].replace(r"\|", "|"))
        return f"<code>{'<wbr>'.join(map(_hidden, pieces))}</code>"

    lines = text.split("\n")
    is_table = [line.startswith("|") and not _within_fence(lines, number) for number, line in enumerate(lines)]
    rows = [
        re.sub(r"(?<!`)`([^`\n]+)`(?!`)", breakable, line) if row else line
        for line, row in zip(lines, is_table, strict=True)
    ]
    return "\n".join(rows)


def _within_fence(lines: list[str], number: int) -> bool:
    return sum(line.lstrip().startswith("```") for line in lines[:number]) % 2 == 1


def escaped(text: str) -> str:
    """Plain text as Markdown that shows it; code between backticks stays code."""
    return prose_changed(text, lambda prose: re.sub(r"([\\*_\[\]#|$~])", r"\\\1", html.escape(prose, quote=False)))


def _hidden(formula: str) -> str:
    return "".join(f"&#{ord(sign)};" if sign in string.punctuation else sign for sign in formula.replace("\n", " "))
