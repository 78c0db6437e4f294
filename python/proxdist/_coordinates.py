"""Which coordinates a set speaks of, from Python values to the text of the library.

In Python positions count from 0, as indices do; in text they count from 1, as on the command line and in model files.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

# A name or pattern, a position, several of them, or a function that says of a name whether it is meant.
On = Any


def place(value: Any) -> str:
    """One name, pattern, range of names or position.

    ``asset_*`` and ``x?`` are patterns, ``dose_1..dose_9`` is a range, ``!id_*`` leaves out. Any other text is a name,
    and text in backquotes is one whatever it holds.
    """
    if isinstance(value, str):
        if len(value) > 1 and value[0] == value[-1] == "`":
            return value
        if value.startswith("!"):
            return "!" + place(value[1:])
        first, dots, last = value.partition("..")
        if dots and first and last:
            return f"{quoted(first)}..{quoted(last)}"
        if "*" in value or "?" in value:
            return "".join(part if bare else quoted(part) for bare, part in _runs(value))
        return quoted(value)
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        raise TypeError("on takes names or positions, not a mask; numpy.flatnonzero(mask) gives the positions")
    try:
        position = operator.index(value)
    except TypeError:
        raise TypeError(f"a name, a pattern or a position is expected, got {value!r}") from None
    if position < 0:
        raise ValueError(f"positions count from 0, got {position}")
    return str(position + 1)


def _runs(pattern: str) -> Iterable[tuple[bool, str]]:
    """A pattern in pieces: those that the grammar takes as they are, and those that need backquotes."""
    return ((bare, "".join(run)) for bare, run in itertools.groupby(pattern, lambda c: c.isalnum() or c in "*?_-="))


def quoted(name: str) -> str:
    """A name that the grammar takes as it is."""
    return "`" + name.replace("`", "``") + "`"


def places(on: On, separator: str = ",") -> str:
    """A list of coordinates as text."""
    if isinstance(on, str) or not isinstance(on, Iterable):
        return place(on)
    listed = [place(value) for value in on]
    if not listed:
        raise ValueError("on is empty: name at least one coordinate")
    return separator.join(listed)


def chosen(on: Callable[[str], Any], names: Sequence[str]) -> str:
    """The features of which a function says yes, as text: by name, or by position where names repeat."""
    indices = [j for j, name in enumerate(names) if on(name)]
    if not indices:
        raise ValueError(f"on chooses none of the {len(names)} features")
    unique = len(set(names)) == len(names)
    return places([quoted(names[j]) if unique else j for j in indices])


def numbered(count: int) -> list[str]:
    """What coordinates without names are called."""
    return [f"V{j + 1}" for j in range(count)]


def groups(values: Any) -> str:
    """Groups as text: lists of coordinates, alone or as the values of a dictionary, whose keys are for readers."""
    lists = list(values.values() if isinstance(values, Mapping) else values)
    if not lists:
        raise ValueError("there is no group")
    return ",".join(places(group, "+") for group in lists)


def row(terms: Mapping[Any, float], lower: float | None, upper: float | None) -> str:
    """A linear row as text."""
    ends = [
        None if limit is None or limit in (float("-inf"), float("inf")) else float(limit) for limit in (lower, upper)
    ]
    if not terms or ends == [None, None]:
        raise ValueError("a row needs features with their factors, and a finite limit")
    total = " + ".join(f"{float(factor)!r}*sum({places(on)})" for on, factor in terms.items()).replace("+ -", "- ")
    if ends[0] == ends[1]:
        return f"{total} = {ends[0]!r}"
    if ends[1] is None:
        return f"{total} >= {ends[0]!r}"
    return f"{total} <= {ends[1]!r}" if ends[0] is None else f"{ends[0]!r} <= {total} <= {ends[1]!r}"
