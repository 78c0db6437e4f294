"""The sets a parameter can be held to, as small objects.

A set is its specification, the text that the command line and model files use too: ``Sparsity(20)`` is
``"sparsity:20"``. Sets are compared and hashed by it, print as they are written, and combine with ``&``. A set of
your own is a :class:`Projection`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from . import _proxdist

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Vector = NDArray[np.float64]


def _number(value: float | None, missing: float = 0.0) -> str:
    return repr(float(missing if value is None else value))


def _numbers(values: Iterable[float]) -> str:
    return ",".join(_number(value) for value in values)


class ConstraintSet:
    """A set with a name. ``spec`` is its specification; ``a & b`` is the intersection."""

    def __init__(self, spec: str, *arguments: Any) -> None:
        self._spec = _proxdist.canonical_set(spec)
        self._arguments = arguments

    @property
    def spec(self) -> str:
        """The set in the grammar shared with the command line and model files."""
        return self._spec

    def project(self, x: ArrayLike) -> Vector:
        """The nearest point of the set."""
        return project(self, x)

    def __and__(self, other: ConstraintSet | str) -> ConstraintSet:
        if isinstance(other, Projection) or not isinstance(other, (ConstraintSet, str)):
            return NotImplemented
        return _Parsed(f"{self.spec} & {parse(other).spec}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConstraintSet) and self.spec == other.spec

    def __hash__(self) -> int:
        return hash(self.spec)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._arguments))})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._arguments


class _Parsed(ConstraintSet):
    """A set given by its text."""

    def __init__(self, spec: str) -> None:
        super().__init__(spec, spec)

    def __repr__(self) -> str:
        return f"parse({self.spec!r})"


class WholeSpace(ConstraintSet):
    """Every vector: no constraint."""

    def __init__(self) -> None:
        super().__init__("none")


class Sparsity(ConstraintSet):
    """Vectors with at most ``keep`` nonzero entries."""

    def __init__(self, keep: int) -> None:
        super().__init__(f"sparsity:{keep}", keep)


class Ball(ConstraintSet):
    """Vectors within distance ``radius`` of the origin or of ``center``."""

    def __init__(self, radius: float, center: Iterable[float] | None = None) -> None:
        where = "" if center is None else f";center={_numbers(center)}"
        super().__init__(f"ball:{_number(radius)}{where}", radius, *(() if center is None else (center,)))


class Rank(ConstraintSet):
    """Matrices of rank at most ``rank``."""

    def __init__(self, rank: int) -> None:
        super().__init__(f"rank:{rank}", rank)


class Box(ConstraintSet):
    """Entries between ``lower`` and ``upper``: one number for all, or one each. ``None`` is no limit."""

    def __init__(
        self, lower: float | Iterable[float] | None = None, upper: float | Iterable[float] | None = None
    ) -> None:
        each = [limit for limit in (lower, upper) if isinstance(limit, Iterable)]
        if each:
            count = len(list(each[0]))
            below = list(lower) if isinstance(lower, Iterable) else [float("-inf") if lower is None else lower] * count
            above = list(upper) if isinstance(upper, Iterable) else [float("inf") if upper is None else upper] * count
            spec = f"box;lower={_numbers(below)};upper={_numbers(above)}"
        else:
            spec = f"box:{_number(lower, float('-inf'))},{_number(upper, float('inf'))}"  # type: ignore[arg-type]
        super().__init__(spec, lower, upper)


class NonNegative(ConstraintSet):
    """No negative entry."""

    def __init__(self) -> None:
        super().__init__("nonneg")


class L1Ball(ConstraintSet):
    """Magnitudes that sum to at most ``radius``."""

    def __init__(self, radius: float) -> None:
        super().__init__(f"l1:{_number(radius)}", radius)


class LinfBall(ConstraintSet):
    """No magnitude above ``radius``."""

    def __init__(self, radius: float) -> None:
        super().__init__(f"linf:{_number(radius)}", radius)


class Simplex(ConstraintSet):
    """No negative entry, and a sum of exactly ``total``."""

    def __init__(self, total: float = 1.0) -> None:
        super().__init__(f"simplex:{_number(total)}", *(() if total == 1.0 else (total,)))


class Affine(ConstraintSet):
    """Solutions of the linear equations ``a @ x = b``."""

    def __init__(self, a: Iterable[Iterable[float]], b: Iterable[float]) -> None:
        rows = [list(row) for row in a]
        right = list(b)
        super().__init__(f"affine;a={'|'.join(map(_numbers, rows))};b={_numbers(right)}", rows, right)


class HalfSpace(ConstraintSet):
    """Vectors with ``a @ x <= b``."""

    def __init__(self, a: Iterable[float], b: float) -> None:
        normal = list(a)
        super().__init__(f"halfspace;a={_numbers(normal)};b={_number(b)}", normal, b)


class Monotone(ConstraintSet):
    """Entries in increasing (or decreasing) order."""

    def __init__(self, decreasing: bool = False) -> None:
        super().__init__("monotone:decreasing" if decreasing else "monotone", *((True,) if decreasing else ()))


class GroupSparsity(ConstraintSet):
    """At most ``keep`` groups with a nonzero entry; groups are lists of indices, or neighbours of a given ``size``."""

    def __init__(self, keep: int, groups: Iterable[Iterable[int]] | None = None, size: int | None = None) -> None:
        if (groups is None) == (size is None):
            raise ValueError("GroupSparsity needs either groups or size")
        lists = None if groups is None else [list(group) for group in groups]
        how = f"size={size}" if lists is None else f"groups={','.join('+'.join(map(str, g)) for g in lists)}"
        super().__init__(f"group-sparsity:{keep};{how}", keep, lists, size)


class Blocks(ConstraintSet):
    """A set for each range of indices, ends included: ``Blocks({(0, 9): Simplex(), (10, 19): Box(0, 1)})``."""

    def __init__(self, blocks: Mapping[tuple[int, int], ConstraintSet | str]) -> None:
        parts = [f"[{first}-{last}: {parse(inside).spec}]" for (first, last), inside in blocks.items()]
        super().__init__("blocks" + "".join(parts), dict(blocks))


class Projection(ConstraintSet):
    """A set of your own, given by its projection.

    ``function`` takes a vector (a matrix, for :class:`MatrixRegressor`) and returns the nearest point of the set. Say
    whether the set is convex: then the projection does not expand distances, and a lower bound on the objective can
    be trusted.
    """

    def __init__(self, function: Callable[[Any], Any], is_convex: bool = False) -> None:
        if not callable(function):
            raise TypeError(f"a projection must be callable, got {function!r}")
        self.function = function
        self.is_convex = bool(is_convex)
        self._spec = "custom"
        self._arguments = (function, is_convex)

    def project(self, x: ArrayLike) -> Vector:
        """What the function returns, as an array."""
        import numpy as np

        return np.asarray(self.function(np.asarray(x, dtype=np.float64)), dtype=np.float64)

    def __and__(self, other: object) -> ConstraintSet:
        return NotImplemented

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Projection) and (self.function, self.is_convex) == (other.function, other.is_convex)

    def __hash__(self) -> int:
        return hash((self.function, self.is_convex))


def parse(constraint: ConstraintSet | str | Callable[[Any], Any] | None) -> ConstraintSet:
    """A set from whatever may be given for one: a set, its text, a projection, or ``None`` for no constraint."""
    if constraint is None:
        return WholeSpace()
    if isinstance(constraint, ConstraintSet):
        return constraint
    if isinstance(constraint, str):
        return _Parsed(constraint)
    if callable(constraint) and not isinstance(constraint, type):
        return Projection(constraint)
    raise TypeError(
        f"a constraint is a set such as Sparsity(20), text such as 'sparsity:20' or a function, got {constraint!r}"
    )


def project(constraint: ConstraintSet | str | Callable[[Any], Any], x: ArrayLike) -> Vector:
    """The point of a set nearest to ``x``. Sets of matrices, such as ``Rank(2)``, take a two-dimensional ``x``.

    >>> project("sparsity:1", [3.0, -4.0])
    array([ 0., -4.])
    """
    import numpy as np

    chosen = parse(constraint)
    point = np.ascontiguousarray(x, dtype=np.float64)
    if isinstance(chosen, Projection):
        return chosen.project(point)
    if point.ndim not in (1, 2):
        raise ValueError(f"x must be a vector or a matrix, got {point.ndim} dimensions")
    shape = point.shape if point.ndim == 2 else None
    return _proxdist.project(chosen.spec, point.ravel(), shape).reshape(point.shape)
