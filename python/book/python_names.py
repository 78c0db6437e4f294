"""The reference of the Python package, read off its signatures and docstrings."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from .markdown import escaped

#: Pages by place: title, what is said first, and the modules whose public names they hold.
_PAGES = {
    "python/estimators.md": (
        "Estimators",
        "Models with the manners of scikit-learn. `from proxdist import NAME`.",
        ("proxdist",),
    ),
    "python/sets.md": ("Sets", "Sets as small objects, joined by `&`; `from proxdist import NAME`.", ("proxdist",)),
    "python/functions.md": ("Functions", "`from proxdist import NAME`.", ("proxdist",)),
    "python/partitions.md": (
        "Partitions and Dask",
        "Fits on many machines; [Many machines](../distributed.md) shows how.",
        ("proxdist.parts", "proxdist.dask"),
    ),
}


def pages() -> dict[str, str]:
    """The pages by their places; every public name is on one of them."""
    import proxdist

    words = _prose(inspect.getdoc(proxdist) or "")
    lines = [
        "# Python",
        "",
        "Made from the signatures and docstrings of the package; `help(NAME)` prints the same.",
        "",
        words,
        "",
    ]
    written = {}
    for place, (title, start, modules) in _PAGES.items():
        names = [(module, name) for module in modules for name in public(module) if _page_of(module, name) == place]
        lines += [f"## {title}", "", "| | |", "|---|---|"]
        for module, name in names:
            about = (
                _prose(first_sentence(inspect.getdoc(_value(module, name)) or ""))
                .replace("\n", " ")
                .replace("|", r"\|")
            )
            lines.append(f"| [`{name}`]({place}#{anchor(module, name)}) | {about} |")
        lines.append("")
        written[place] = "\n".join([f"# {title}", "", start, "", *_entries(modules, names)])
    return {"python.md": "\n".join(lines), **written}


def _entries(modules: tuple[str, ...], names: list[tuple[str, str]]) -> Iterator[str]:
    """What the modules say of themselves, where a page has more than one, and their names."""
    for module in modules:
        if len(modules) > 1:
            yield _prose(inspect.getdoc(importlib.import_module(module)) or "") + "\n"
        yield from (entry(owner, name) for owner, name in names if owner == module)


def public(module: str) -> list[str]:
    """The public names of a module that stand for something with a documentation of its own."""
    return [
        name
        for name in importlib.import_module(module).__all__
        if not name.startswith("__") and not isinstance(_value(module, name), ModuleType)
    ]


def anchor(module: str, name: str) -> str:
    """The place of a name on its page: apart where two modules have the same name."""
    return f"{module}.{name}"


def entry(module: str, name: str) -> str:
    """A class or function: how it is called, what it says, and the public methods and properties of a class."""
    value = _value(module, name)
    lines = [
        f"## {name} {{#{anchor(module, name)}}}",
        "",
        "```python",
        f"{module}.{name}{signature(value)}",
        "```",
        "",
        _prose(inspect.getdoc(value) or ""),
        "",
    ]
    if inspect.isclass(value):
        for member, of in members(value):
            called = f"{member}{signature(of)}" if callable(of) else member
            lines += [f"**`{called}`**", "", _prose(inspect.getdoc(of) or ""), ""]
    return "\n".join(lines)


def members(value: type) -> list[tuple[str, Any]]:
    """Public methods and properties that this package has written; those of scikit-learn are described there."""
    found = {}
    for owner in reversed(value.__mro__):
        if not owner.__module__.startswith("proxdist"):
            continue
        for name, of in vars(owner).items():
            # What scikit-learn wraps for methods that some settings do not have holds the method as `fn`.
            plain = of.__func__ if isinstance(of, (staticmethod, classmethod)) else getattr(of, "fn", of)
            is_shown = inspect.isfunction(plain) or isinstance(plain, property)
            if is_shown and not name.startswith("_"):
                found[name] = plain
    return sorted(found.items())


def signature(value: Any) -> str:
    """How something is called, without annotations; one line, or one line for each parameter of a long one."""
    if inspect.isdatadescriptor(value):
        return ""
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        return "(...)"
    words, star = [], False
    for parameter in parameters:
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            words.append("*")
        star = star or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        words.append(str(parameter.replace(annotation=parameter.empty)))
    line = f"({', '.join(words)})"
    return line if len(line) < 90 else "(\n    " + ",\n    ".join(words) + ",\n)"


def first_sentence(text: str) -> str:
    """The first sentence of a docstring."""
    paragraph = text.split("\n\n")[0].replace("\n", " ")
    return re.split(r"(?<=[^.][.]) ", paragraph)[0]


def _page_of(module: str, name: str) -> str:
    value = _value(module, name)
    if module != "proxdist":
        return "python/partitions.md"
    if inspect.isclass(value):
        return "python/estimators.md" if hasattr(value, "fit") else "python/sets.md"
    return "python/functions.md"


def _value(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


def _prose(text: str) -> str:
    """A docstring as Markdown: double backticks and roles as code, indented blocks as blocks of code."""
    text = re.sub(r":\w+:`~?\.?([^`]+)`", r"`\1`", text).replace("``", "`")
    blocks = []
    for block in re.split(r"\n\s*\n", text):
        lines = block.split("\n")
        if len(lines) > 2 and re.fullmatch("-{3,}", lines[1]):
            is_list = lines[0] in ("Parameters", "Attributes")
            blocks.append(
                _listed(lines[0], lines[2:]) if is_list else f"**{lines[0]}**\n\n" + escaped("\n".join(lines[2:]))
            )
        elif block.startswith(("    ", ">>> ")):
            code = re.sub(r"\s*# doctest:.*$", "", re.sub(r"^ {4}", "", block, flags=re.MULTILINE), flags=re.MULTILINE)
            blocks.append(f"```python\n{code}\n```")
        else:
            blocks.append(escaped(block))
    return "\n\n".join(blocks)


def _listed(section: str, lines: list[str]) -> str:
    """The parameters or attributes of a docstring: `name : type` with the words indented below, or right behind the colon."""
    entries: list[list[str]] = []
    for line in lines:
        if line.startswith(" ") and entries:
            entries[-1].append(line.strip())
        else:
            name, _, rest = line.partition(" :")
            names = ", ".join(f"`{word}`" for word in name.split(", "))
            is_type = section == "Parameters" and rest.strip()
            entries.append([f"{names} – {escaped(rest.strip())}" if is_type else names])
            if not is_type and rest.strip():
                entries[-1].append(rest.strip())
    listed = [f"{head}\n: {escaped(' '.join(words)) or '–'}" for head, *words in entries]
    return "\n\n".join([f"**{section}**", *listed])
