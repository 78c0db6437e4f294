"""A progress line on standard error, in terminals and notebooks alike: one line that is written over."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, ClassVar


class Progress:
    """Called by a run now and then; use as a context so that the line ends when the run does."""

    WIDTH = 24
    #: Characters of the line that is written over, whoever wrote it.
    length: ClassVar[int] = 0

    def __init__(self, max_steps: int) -> None:
        self.max_steps = max_steps
        self.started = time.monotonic()

    def __call__(self, kind: str, *what: Any) -> None:
        if kind == "run":
            step, objective, distance, nonzeros = what
            share = step / self.max_steps
            text = f"step {step}  F {objective:.6g}  distance {distance:.2g}  nonzero {nonzeros}"
        elif kind == "reading":
            number, rows, total = what
            share = rows / total if total else 0.0
            text = f"reading {number}: {rows} of {total} rows" if total else f"reading {number}: {rows} rows"
        else:
            done, total, label, score = what
            share = done / total
            text = f"{done} of {total} fits  {label}: {score:.6g}"
        self._bar(share, text)

    def _bar(self, share: float, text: str) -> None:
        filled = round(self.WIDTH * min(share, 1.0))
        bar = "█" * filled + "░" * (self.WIDTH - filled)
        self.write(f"{bar}  {text}  {time.monotonic() - self.started:.1f} s")

    def partitions(self, done: int, total: int) -> None:
        """Tells how many partitions have answered."""
        self._bar(done / total, f"{done} of {total} partitions")

    def write(self, line: str) -> None:
        """Writes over the line before."""
        sys.stderr.write("\r" + line.ljust(Progress.length))
        sys.stderr.flush()
        Progress.length = len(line)

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if Progress.length:
            sys.stderr.write("\n")
            sys.stderr.flush()
            Progress.length = 0
