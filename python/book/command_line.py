"""The reference of the command line, read off the manual pages that the program makes from its own definition."""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from .markdown import escaped

#: The signs that manual pages write in another way.
_SIGNS = {r"\-": "-", r"\*(Aq": "'", r"\(aq": "'", r"\(bu": "*", r"\&": "", r"\\": "\\", r"\e": "\\"}


@dataclass
class Option:
    """An option or argument as it is typed, what it does, and its values where they can be listed."""

    typed: str
    default: str = ""
    help: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)


@dataclass
class Command:
    """A command of the program."""

    name: str
    about: str
    usage: str
    sections: dict[str, list[Option]]
    extra: str


def pages(program: Path) -> dict[str, str]:
    """The pages by their places: an overview, and one for each command."""
    commands = read(program)
    rows = [
        f"| [`proxdist {command.name}`](command-line/{command.name}.md) | {escaped(command.about)} |"
        for command in commands
    ]
    overview = [
        "# Command line",
        "",
        "Made from the definition that the program itself reads: `proxdist COMMAND --help` prints the same, `proxdist man --dir DIR`",
        "writes it as manual pages, and `proxdist completions SHELL` as a completion script.",
        "",
        "| command | |",
        "|---|---|",
        *rows,
        "",
    ]
    return {
        "command-line.md": "\n".join(overview),
        **{f"command-line/{command.name}.md": page(command) for command in commands},
    }


def read(program: Path) -> list[Command]:
    """All commands, in the order in which the program lists them."""
    with tempfile.TemporaryDirectory() as folder:
        _said(program, "man", "--dir", folder)
        names = re.findall(
            r"^  ([a-z]+) ", _said(program, "-h").split("Commands:")[1].split("Options:")[0], re.MULTILINE
        )
        manuals = {
            name: Path(folder, f"proxdist-{name}.1").read_text(encoding="utf-8") for name in names if name != "help"
        }
    return [_command(name, manual, _said(program, name, "--help")) for name, manual in manuals.items()]


def page(command: Command) -> str:
    """A command as Markdown."""
    lines = [f"# proxdist {command.name}", "", escaped(command.about), "", "```text", command.usage, "```", ""]
    for section, options in command.sections.items():
        lines += [f"## {section}", ""]
        for option in options:
            default = f", default `{option.default}`" if option.default else ""
            first, *more = [escaped(words) for words in option.help] or ["–"]
            lines += [f"`{option.typed}`{default}", f": {first}", *(f"\n  {words}" for words in more)]
            lines += [*([""] if option.values else []), *(f"  - {_value(value)}" for value in option.values)]
            lines.append("")
    examples, _, words = command.extra.partition("\n\n")
    if examples.startswith("Examples:"):
        lines += [
            "## Examples",
            "",
            "```sh",
            *(line.strip() for line in examples.splitlines()[1:]),
            "```",
            "",
            escaped(words),
            "",
        ]
    else:
        lines += [escaped(command.extra), ""]
    return "\n".join(lines)


def _value(value: str) -> str:
    name, _, words = value.partition(": ")
    return f"`{name}`: {escaped(words)}" if words else f"`{name}`"


def _said(program: Path, *words: str) -> str:
    return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout


def _command(name: str, manual: str, help_text: str) -> Command:
    parts = dict(re.findall(r"^\.SH ([^\n]+)\n(.*?)(?=^\.SH |\Z)", manual, re.MULTILINE | re.DOTALL))
    apart = {"NAME", "SYNOPSIS", "DESCRIPTION", "EXTRA", "VERSION", "AUTHORS"}
    sections = {
        title.strip('"').capitalize(): _options(text) for title, text in parts.items() if title.strip('"') not in apart
    }
    options = sections.pop("Options", [])
    arguments = {"Arguments": [option for option in options if not option.typed.startswith("-")]}
    sections = arguments | sections | {"Options": [option for option in options if option.typed.startswith("-")]}
    sections = {title: options for title, options in sections.items() if options}
    # Manual pages leave out the words of arguments that may be repeated.
    for option in [option for options in sections.values() for option in options if not option.help]:
        words = re.search(rf"^  {re.escape(option.typed)}(?:\.\.\.)?((?:\n? {{2,}}\S.*)+)", help_text, re.MULTILINE)
        option.help = [" ".join(words[1].split())] if words else []
    usage = re.search(r"^Usage: (.+(?:\n {2,}.+)*)", help_text, re.MULTILINE)
    assert usage, help_text
    return Command(
        name,
        _plain(parts["DESCRIPTION"]).strip(),
        " ".join(usage[1].split()),
        sections,
        _plain(parts.get("EXTRA", "")).strip(),
    )


def _options(text: str) -> list[Option]:
    found = []
    for entry in re.split(r"^\.TP\n", text, flags=re.MULTILINE)[1:]:
        head, _, body = entry.partition("\n")
        typed, default = re.fullmatch(r"(.*?)(?: \[default: (.*)\])?", _plain(head).strip()).groups("")  # type: ignore[union-attr]
        words, _, values = body.partition(r"\fIPossible values:\fR")
        help_lines = [line for line in _plain(words).splitlines() if line and not line.startswith(".")]
        listed = [_plain(value).strip() for value in re.findall(r"^\.IP \S+ 2\n(.+)$", values, re.MULTILINE)]
        if typed not in ("-h, --help", "-V, --version"):
            found.append(Option(typed, default, help_lines, listed))
    return found


def _plain(text: str) -> str:
    text = re.sub(r"\\f[BIR]", "", text)
    return re.sub(r"\\(?:\*\(Aq|\(aq|\(bu|.)", lambda sign: _SIGNS.get(sign[0], sign[0]), text)
