"""Whole sets: intersections of the parts of ``parts.py``, each on a range of coordinates.

At most one part for each range limits how many coordinates (or groups) are used; what it leaves to choose is listed here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from .parts import Cone, Miss, Part, Selection, Vector


@dataclass
class Placed:
    """A part and the coordinates it is about."""

    part: Part
    first: int
    size: int

    @property
    def range(self) -> slice:
        """Its coordinates."""
        return slice(self.first, self.first + self.size)


@dataclass
class Choice:
    """Units used of each selection."""

    chosen: tuple[tuple[int, ...], ...]


@dataclass
class Set:
    """The intersection of parts, as written in ``spec``."""

    size: int
    spec: str
    parts: list[Placed] = field(default_factory=list)

    @property
    def is_scale_free(self) -> bool:
        """Whether stretching coordinates leaves the set what it is."""
        return all(placed.part.is_scale_free for placed in self.parts)

    @property
    def is_bounded(self) -> bool:
        """Whether every coordinate is in a part that is bounded."""
        covered = np.zeros(self.size, dtype=bool)
        for placed in self.parts:
            covered[placed.range] |= placed.part.is_bounded
        return bool(covered.all())

    def misses(self, v: Vector) -> Iterator[Miss]:
        """How far `v` is outside each part."""
        for placed in self.parts:
            yield placed.part.miss(v[placed.range])

    def cone(self) -> Cone:
        """The conic form of all convex parts."""
        cone = Cone(self.size)
        for placed in self.parts:
            cone.range = placed.range
            placed.part.conic(cone)
        return cone

    @property
    def selections(self) -> list[Placed]:
        """The parts that choose coordinates."""
        return [placed for placed in self.parts if isinstance(placed.part, Selection)]

    def choices(self) -> Iterator[Choice]:
        """All largest choices of units; smaller ones are contained in them."""
        options = []
        for placed in self.selections:
            units = len(placed.part.units)
            options.append(list(combinations(range(units), min(placed.part.keep, units))))
        for chosen in product(*options):
            yield Choice(chosen)

    def choices_around(self, v: Vector) -> Iterator[Choice]:
        """The choices one exchange away from what `v` uses: a unit for another, or one more where there is room."""
        used = [tuple(placed.part.used(v[placed.range])) for placed in self.selections]
        for k, placed in enumerate(self.selections):
            others = [unit for unit in range(len(placed.part.units)) if unit not in used[k]]
            bases = [tuple(unit for unit in used[k] if unit != out) for out in used[k]]
            if len(used[k]) < placed.part.keep:
                bases.append(used[k])
            for base, unit in product(bases, others):
                yield Choice((*used[:k], (*base, unit), *used[k + 1 :]))

    def own_choice(self, v: Vector) -> Choice:
        """The units that `v` uses."""
        return Choice(tuple(tuple(placed.part.used(v[placed.range])) for placed in self.selections))

    def support(self, choice: Choice) -> NDArray[np.bool_]:
        """The coordinates that may be nonzero under a choice."""
        free = np.ones(self.size, dtype=bool)
        for placed, chosen in zip(self.selections, choice.chosen, strict=True):
            allowed = np.zeros(placed.size, dtype=bool)
            for unit in chosen:
                allowed[placed.part.units[unit]] = True
            free[placed.range] &= allowed
        return free


def whole(size: int, *parts: Part) -> Set:
    """The intersection of sets of the whole vector."""
    return Set(size, " & ".join(part.text() for part in parts), [Placed(part, 0, size) for part in parts])


def blocks(size: int, ranges: list[tuple[int, int, list[Part]]], *around: Part) -> Set:
    """Sets for ranges of coordinates, intersected with sets of the whole vector."""
    # Text counts positions from 1.
    texts = [(first + 1, last + 1, " & ".join(part.text() for part in parts)) for first, last, parts in ranges]
    inside = "".join(f"[{first}-{last}: {text}]" for first, last, text in texts)
    spec = " & ".join([f"blocks{inside}", *(part.text() for part in around)])
    placed = [Placed(part, first, last - first + 1) for first, last, parts in ranges for part in parts]
    return Set(size, spec, placed + [Placed(part, 0, size) for part in around])
