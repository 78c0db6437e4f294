"""Pages whose code is run: a block of Python or of the shell, and the block of text after it with what it prints."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"```(python|sh)\n(.*?)```\n(?:\n```text\n(.*?)```)?", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """Code of a page, the answer shown after it, and where both stand in the text."""

    language: str
    code: str
    shown: str
    start: int
    end: int


def blocks(path: Path) -> list[Block]:
    """The blocks of a page that can be run."""
    found = [
        Block(match[1], match[2], match[3] or "", match.start(), match.end())
        for match in BLOCK.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found, f"{path} has no code"
    return found


def printed(code: str, name: str, space: dict[str, Any]) -> str:
    """What Python code prints."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code, name, "exec"), space)
    return said.getvalue().strip()


def answered(code: str) -> tuple[bool, str]:
    """Whether a command of the shell succeeds, and what it says: its result, or its error."""
    done = subprocess.run(["sh", "-c", code], capture_output=True, text=True, check=False)
    return done.returncode == 0, (done.stderr if done.returncode else done.stdout)


def assert_shows(shown: str, said: str) -> None:
    """Lines of a program's answer are shown in their order; some may be left out, and `…` stands for any text."""
    rest = iter(said.splitlines())
    for line in shown.splitlines():
        pattern = ".*".join(map(re.escape, line.split("…")))
        assert any(re.fullmatch(pattern, other) for other in rest), f"{line}\n\n{said}"


def assert_runs(block: Block, name: str, space: dict[str, Any]) -> None:
    """A block runs and prints what is shown after it."""
    if block.language == "python":
        said = printed(block.code, name, space)
        assert said == block.shown.strip(), f"{name} prints\n{said}\n\nand shows\n{block.shown}"
        return
    assert block.shown.strip(), f"{name} has no answer"
    succeeded, said = answered(block.code)
    assert succeeded != block.shown.startswith("error:"), f"{name}: {said}"
    assert_shows(block.shown, said)


def offer(program: Path, folder: Path) -> str:
    """A search path on which the shell finds the program as `proxdist`."""
    (folder / "bin").mkdir()
    (folder / "bin" / "proxdist").symlink_to(program)
    return f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
