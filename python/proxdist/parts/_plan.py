"""What all partitions have in common: features by name, levels of text columns, classes.

A text column with levels ``a < b < …`` becomes indicator columns, as on the command line: one for the second of two
levels, one for each of more, none for a single level; they are called ``column=level``. Levels that all read as
numbers are in the order of those numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._look import TEXT, Seen

#: Fewer rows than this cannot show that a text column is an identifier.
FEW_ROWS = 20


@dataclass(frozen=True)
class Plan:
    """How every partition is read."""

    #: Columns of ``X``, and their names if it is a frame.
    columns: int
    names: tuple[Any, ...] | None
    #: All levels of each text column, by its position.
    levels: dict[int, tuple[str, ...]]
    is_sparse: bool
    rows: int
    bytes: int
    #: The classes, in order, where ``y`` holds labels.
    classes: Any = None
    #: Rows and columns of each observation, where those are matrices.
    shape: tuple[int, int] | None = None
    has_offset: bool = False

    @classmethod
    def of(cls, seen: list[Seen]) -> Plan:
        """What the partitions share; partitions that do not go together are an error."""
        for part in seen:
            if part.fault is not None:
                raise part.fault
        filled = [number for number, part in enumerate(seen) if part.rows]
        if not filled:
            raise ValueError(f"there are no rows: {len(seen)} partitions, all of them empty")
        first = filled[0]
        for number in filled[1:]:
            _check_alike((first, seen[first]), (number, seen[number]))
        model, parts = seen[first], [seen[number] for number in filled]
        rows = sum(part.rows for part in parts)
        levels = {}
        for at, kind in enumerate(model.kinds or []):
            if kind == TEXT:
                levels[at] = _ordered(set().union(*(part.texts[at] for part in parts)))
                if len(levels[at]) == rows >= FEW_ROWS:
                    name = (model.names or [])[at]
                    raise ValueError(f"column {name!r} has another text in each of {rows} rows: leave it out")
        labels = [part.labels for part in parts if part.labels is not None]
        return cls(
            columns=model.columns,
            names=None if model.names is None else tuple(model.names),
            levels=levels,
            is_sparse=model.is_sparse,
            rows=rows,
            bytes=sum(part.bytes for part in parts),
            classes=_classes(labels) if labels else None,
            shape=model.shape,
            has_offset=model.has_offset,
        )

    @property
    def features(self) -> int:
        """The number of features."""
        return sum(self.width(at) for at in range(self.columns))

    def width(self, at: int) -> int:
        """The number of features that a column becomes."""
        return len(self.coded(at)) if at in self.levels else 1

    def coded(self, at: int) -> tuple[str, ...]:
        """The levels of a text column that have an indicator column."""
        levels = self.levels[at]
        return levels if len(levels) > 2 else levels[1:]

    @property
    def feature_names(self) -> Any:
        """The names of the features if all columns have names that are texts, as scikit-learn has it; else ``None``."""
        if self.names is None or not all(isinstance(name, str) for name in self.names):
            if self.names is not None and any(isinstance(name, str) for name in self.names):
                raise TypeError(f"names of columns must all be texts, or none of them, got {list(self.names)!r}")
            return None
        names: list[str] = []
        for at, name in enumerate(self.names):
            names += [f"{name}={level}" for level in self.coded(at)] if at in self.levels else [name]
        if len(set(names)) < len(names):
            again = next(name for at, name in enumerate(names) if name in names[:at])
            raise ValueError(f"two features have the name {again!r}")
        return np.array(names, dtype=object)


def _check_alike(expected: tuple[int, Seen], found: tuple[int, Seen]) -> None:
    (first, model), (number, part) = expected, found
    here, there = f"partition {number}", f"partition {first}"
    if part.columns != model.columns:
        raise ValueError(f"{here} has {part.columns} columns, {there} has {model.columns}")
    if part.shape != model.shape:
        raise ValueError(f"{here} holds observations of shape {part.shape}, {there} of shape {model.shape}")
    if part.names != model.names:
        if part.names is None or model.names is None:
            raise ValueError(f"of {here} and {there}, only one has names of columns")
        at = next(at for at in range(model.columns) if part.names[at] != model.names[at])
        raise ValueError(f"column {at} is called {part.names[at]!r} in {here} and {model.names[at]!r} in {there}")
    for name, kind, usual in zip(part.names or [], part.kinds or [], model.kinds or [], strict=True):
        if kind != usual:
            raise ValueError(f"column {name!r} holds {kind} in {here} and {usual} in {there}")
    for what, ours, theirs in (
        ("sparse", part.is_sparse, model.is_sparse),
        ("weighted by sample_weight", part.has_weights, model.has_weights),
        ("given an offset", part.has_offset, model.has_offset),
    ):
        if ours != theirs:
            yes, no = (here, there) if ours else (there, here)
            raise ValueError(f"{yes} is {what}, {no} is not")


def _ordered(levels: set[str]) -> tuple[str, ...]:
    try:
        return tuple(sorted(levels, key=lambda level: (float(level), level)))
    except ValueError:
        return tuple(sorted(levels))


def _classes(labels: list[Any]) -> Any:
    kinds = {part.dtype.kind in "OUS" for part in labels}
    if len(kinds) > 1:
        raise ValueError("y has text for labels in some partitions and numbers in others")
    return np.unique(np.concatenate(labels))
