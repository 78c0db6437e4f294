"""The sets of the catalogue by their definitions: how they are written, how far a point is outside, their conic form.

Nothing here calls the library. A part is a set on a range of coordinates; ``sets.py`` puts parts together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
#: A miss of the set and the size it is compared with.
Miss = tuple[float, float]


def text_of(values: Vector) -> str:
    """Numbers as the grammar of sets reads them, to the last bit."""
    return ",".join(repr(float(value)) for value in values)


def _norm(values: Vector) -> float:
    return float(np.linalg.norm(values))


class Part:
    """A set of vectors. ``miss`` bounds the distance of a point to the set from below, within a factor of √p."""

    name = ""
    is_scale_free = False
    is_bounded = False

    def text(self) -> str:
        """The specification."""
        return self.name

    def miss(self, v: Vector) -> Miss:
        """How far `v` is outside at least, and the size of point and set that this is relative to."""
        raise NotImplementedError

    def conic(self, cone: Cone) -> None:
        """Adds the rows that say the same to `cone`; none for sets that only choose coordinates."""


class Cone:
    """Rows `A θ = b`, `A θ ≤ b`, `‖M θ − c‖ ≤ r` and `Σ|θ_j| ≤ r`, for a range of coordinates."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.equal: list[tuple[Vector, float]] = []
        self.below: list[tuple[Vector, float]] = []
        self.balls: list[tuple[Vector, Vector, float]] = []
        self.sums: list[tuple[Vector, float]] = []
        self.range = slice(0, size)

    def _wide(self, row: Vector) -> Vector:
        wide = np.zeros(self.size)
        wide[self.range] = row
        return wide

    def add_equal(self, row: Vector, right: float) -> None:
        """`row·θ = right`."""
        self.equal.append((self._wide(row), right))

    def add_below(self, row: Vector, right: float) -> None:
        """`row·θ ≤ right`; an infinite limit is none."""
        if np.isfinite(right):
            self.below.append((self._wide(row), right))

    def add_limits(self, lower: Vector, upper: Vector) -> None:
        """`lower ≤ θ ≤ upper`."""
        for row, low, high in zip(np.eye(len(lower)), lower, upper, strict=True):
            self.add_below(-row, -low)
            self.add_below(row, high)

    def add_ball(self, center: Vector, radius: float) -> None:
        """`‖θ − center‖ ≤ radius`, on the range only."""
        self.balls.append((self._wide(np.ones(len(center))), self._wide(center), radius))

    def add_sum(self, length: int, radius: float) -> None:
        """`Σ|θ_j| ≤ radius`, on the range only."""
        self.sums.append((self._wide(np.ones(length)), radius))


@dataclass
class Free(Part):
    """Every vector."""

    name = "none"
    is_scale_free = True

    def miss(self, v: Vector) -> Miss:
        return 0.0, 1.0


@dataclass
class Ball(Part):
    """Within a distance of a centre."""

    radius: float
    center: Vector | None = None
    is_bounded = True

    def text(self) -> str:
        return f"ball:{self.radius!r}" + ("" if self.center is None else f";center={text_of(self.center)}")

    def miss(self, v: Vector) -> Miss:
        length = _norm(v if self.center is None else v - self.center)
        return max(0.0, length - self.radius), max(self.radius, _norm(v))

    def conic(self, cone: Cone) -> None:
        size = cone.range.stop - cone.range.start
        cone.add_ball(np.zeros(size) if self.center is None else self.center, self.radius)


@dataclass
class L1(Part):
    """Magnitudes that sum to at most a radius."""

    radius: float
    is_bounded = True

    def text(self) -> str:
        return f"l1:{self.radius!r}"

    def miss(self, v: Vector) -> Miss:
        return max(0.0, float(np.abs(v).sum()) - self.radius) / np.sqrt(len(v)), self.radius

    def conic(self, cone: Cone) -> None:
        cone.add_sum(cone.range.stop - cone.range.start, self.radius)


@dataclass
class Box(Part):
    """Every entry between limits of its own; ``written`` is how it is specified."""

    lower: Vector
    upper: Vector
    written: str

    def __post_init__(self) -> None:
        limits = np.concatenate([self.lower, self.upper])
        self.is_scale_free = bool(np.all((limits == 0) | np.isinf(limits)))
        self.is_bounded = bool(np.all(np.isfinite(limits)))

    def text(self) -> str:
        return self.written

    def miss(self, v: Vector) -> Miss:
        out = np.maximum(np.maximum(self.lower - v, v - self.upper), 0.0)
        return _norm(out), max(_norm(v), _norm(v + out), np.finfo(float).tiny)

    def conic(self, cone: Cone) -> None:
        cone.add_limits(self.lower, self.upper)


@dataclass
class Simplex(Part):
    """No negative entry, and a given sum."""

    total: float
    is_bounded = True

    def text(self) -> str:
        return f"simplex:{self.total!r}"

    def miss(self, v: Vector) -> Miss:
        off = abs(float(v.sum()) - self.total) / np.sqrt(len(v))
        return max(off, _norm(np.minimum(v, 0.0))), self.total

    def conic(self, cone: Cone) -> None:
        size = cone.range.stop - cone.range.start
        cone.add_equal(np.ones(size), self.total)
        cone.add_limits(np.zeros(size), np.full(size, np.inf))


@dataclass
class Affine(Part):
    """Solutions of equations."""

    rows: NDArray[np.float64]
    right: Vector

    def text(self) -> str:
        return f"affine;a={'|'.join(text_of(row) for row in self.rows)};b={text_of(self.right)}"

    def miss(self, v: Vector) -> Miss:
        lengths = np.linalg.norm(self.rows, axis=1)
        off = np.abs(self.rows @ v - self.right) / lengths
        return float(off.max()), max(_norm(v), float(np.abs(self.right / lengths).max()), np.finfo(float).tiny)

    def conic(self, cone: Cone) -> None:
        for row, right in zip(self.rows, self.right, strict=True):
            cone.add_equal(row, float(right))


@dataclass
class HalfSpace(Part):
    """One side of a hyperplane."""

    normal: Vector
    offset: float

    def text(self) -> str:
        return f"halfspace;a={text_of(self.normal)};b={self.offset!r}"

    def miss(self, v: Vector) -> Miss:
        length = _norm(self.normal)
        over = max(0.0, float(self.normal @ v) - self.offset) / length
        return over, max(_norm(v), abs(self.offset) / length, np.finfo(float).tiny)

    def conic(self, cone: Cone) -> None:
        cone.add_below(self.normal, self.offset)


@dataclass
class Monotone(Part):
    """Entries in order."""

    is_increasing: bool

    def text(self) -> str:
        return "monotone" if self.is_increasing else "monotone:decreasing"

    def miss(self, v: Vector) -> Miss:
        steps = np.diff(v) if self.is_increasing else -np.diff(v)
        worst = max(0.0, float(-steps.min())) if len(steps) else 0.0
        return worst / np.sqrt(2.0), max(_norm(v), np.finfo(float).tiny)

    def conic(self, cone: Cone) -> None:
        sign = 1.0 if self.is_increasing else -1.0
        for j in range(cone.range.stop - cone.range.start - 1):
            row = np.zeros(cone.range.stop - cone.range.start)
            row[j], row[j + 1] = sign, -sign
            cone.add_below(row, 0.0)


@dataclass
class Selection(Part):
    """At most ``keep`` of the units (coordinates or groups) with a nonzero entry."""

    keep: int
    units: list[list[int]]
    written: str
    is_scale_free = True

    def text(self) -> str:
        return self.written

    def used(self, v: Vector) -> list[int]:
        """Numbers of the units with a nonzero entry."""
        return [k for k, unit in enumerate(self.units) if np.any(v[unit] != 0)]

    def miss(self, v: Vector) -> Miss:
        sizes = sorted((_norm(v[unit]) for unit in self.units), reverse=True)
        return float(np.sqrt(sum(s * s for s in sizes[self.keep :]))), max(_norm(v), np.finfo(float).tiny)


@dataclass
class Rank(Part):
    """Matrices of a rank at most."""

    rank: int
    shape: tuple[int, int]

    def text(self) -> str:
        return f"rank:{self.rank}"

    def miss(self, v: Vector) -> Miss:
        values = np.linalg.svd(v.reshape(self.shape), compute_uv=False)
        return _norm(values[self.rank :]), max(_norm(values), np.finfo(float).tiny)


def nonneg(size: int) -> Box:
    """No negative entry."""
    return Box(np.zeros(size), np.full(size, np.inf), "nonneg")


def shared_box(low: float, high: float, size: int) -> Box:
    """The same limits for every entry."""
    return Box(np.full(size, low), np.full(size, high), f"box:{low!r},{high!r}")


def box_of_each(lower: Vector, upper: Vector) -> Box:
    """Limits for each entry."""
    return Box(lower, upper, f"box;lower={text_of(lower)};upper={text_of(upper)}")


def linf(radius: float, size: int) -> Box:
    """Every magnitude at most a radius."""
    return Box(np.full(size, -radius), np.full(size, radius), f"linf:{radius!r}")


def sparsity(keep: int, size: int) -> Selection:
    """At most ``keep`` nonzero entries."""
    return Selection(keep, [[j] for j in range(size)], f"sparsity:{keep}")
