"""Counts by family, with the worst case of each by its number, and the verdict on all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .judge import INSIDE, OPTIMAL, REPORTED
from .problems import LOW_RANK, SELECTING

#: Of sets that choose features, this share may end above the best choice, if nothing false is claimed.
MAY_BE_ABOVE = 0.005


@dataclass
class Count:
    """One line."""

    problems: int = 0
    above: int = 0
    outside: int = 0
    false: int = 0
    refused: int = 0
    accepted: int = 0
    misreported: int = 0
    not_finished: int = 0
    no_truth: int = 0
    beaten: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    worst: tuple[float, str] = field(default=(0.0, ""))

    def add(self, verdict: dict[str, Any]) -> None:
        """Counts one verdict."""
        self.problems += 1
        self.above += verdict.get("above", 0.0) > 0
        self.outside += verdict.get("outside", 0.0) > INSIDE
        self.false += bool(verdict.get("false_claims"))
        self.refused += bool(verdict.get("refused"))
        self.accepted += bool(verdict.get("accepted_empty"))
        self.misreported += verdict.get("misreported", 0.0) > REPORTED
        self.not_finished += bool(verdict.get("not_finished"))
        self.no_truth += bool(verdict.get("no_truth"))
        self.beaten += verdict.get("beaten", 0.0) > OPTIMAL
        self.seconds += verdict.get("fit_seconds", 0.0)
        self.slowest = max(self.slowest, verdict.get("fit_seconds", 0.0))
        bad = bool(verdict.get("false_claims") or verdict.get("refused") or verdict.get("accepted_empty"))
        outside = verdict.get("outside", 0.0)
        badness = 1e3 * bad + verdict.get("above", 0.0) + (outside if outside > INSIDE else 0.0)
        self.worst = max(self.worst, (badness, str(verdict["name"])))

    def faults(self, family: str) -> int:
        """How many times a law is broken."""
        above = self.above
        if family in LOW_RANK or (family in SELECTING and above <= MAY_BE_ABOVE * self.problems):
            above = 0
        return above + self.outside + self.false + self.refused + self.accepted + self.misreported


HEADS = {
    "problems": "problems",
    "above": "above",
    "outside": "outside",
    "false": "false claims",
    "refused": "refused",
    "accepted": "empty accepted",
    "misreported": "F wrong",
    "not_finished": "not finished",
    "no_truth": "no truth",
    "beaten": "truth beaten",
}


def counted(verdicts: Iterable[dict[str, Any]]) -> dict[str, Count]:
    """Counts by family, in order of appearance."""
    counts: dict[str, Count] = {}
    for verdict in verdicts:
        counts.setdefault(str(verdict["family"]), Count()).add(verdict)
    return counts


def written(counts: dict[str, Count]) -> str:
    """The table, as Markdown."""
    total = Count()
    for count in counts.values():
        for key in [*HEADS, "seconds"]:
            setattr(total, key, getattr(total, key) + getattr(count, key))
        total.slowest = max(total.slowest, count.slowest)
        total.worst = max(total.worst, count.worst)
    lines = [["family", *HEADS.values(), "ms a fit", "slowest", "worst"]]
    for family, count in [*counts.items(), ("all", total)]:
        numbers = [str(getattr(count, key)) for key in HEADS]
        milliseconds = f"{1e3 * count.seconds / max(count.problems, 1):.1f}"
        lines.append(
            [family, *numbers, milliseconds, f"{1e3 * count.slowest:.0f}", count.worst[1] if count.worst[0] > 0 else ""]
        )
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]

    def row(line: list[str]) -> str:
        cells = [
            line[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)),
        ]
        return f"| {' | '.join(cells)} |"

    rule = f"|{'|'.join(['-' * (widths[0] + 2), *('-' * (width + 1) + ':' for width in widths[1:])])}|"
    return "\n".join([row(lines[0]), rule, *map(row, lines[1:])])


def faults(counts: dict[str, Count]) -> dict[str, int]:
    """Families that break a law, and how often."""
    found = {family: count.faults(family) for family, count in counts.items()}
    return {family: number for family, number in found.items() if number}
