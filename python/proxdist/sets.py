"""The sets a parameter can be held to, as small objects.

A set is its specification, the text that the command line and model files use too: ``Sparsity(20)`` is
``"sparsity:20"``. Sets are compared and hashed by it, print as they are written, and combine with ``&``. Most take
``on=``, the features they hold for: ``NonNegative(on=["age", "income"])``. A set of your own is a :class:`Projection`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _proxdist
from ._coordinates import On, chosen, numbered, place, places, quoted, row
from ._coordinates import groups as listed_groups
from ._parameters import Parameters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Vector = NDArray[np.float64]


def _number(value: float | None, missing: float = 0.0) -> str:
    return repr(float(missing if value is None else value))


def _numbers(values: Iterable[float]) -> str:
    return ",".join(_number(value) for value in values)


class ConstraintSet(Parameters):
    """A set with a name. ``spec`` is its specification; ``a & b`` is the intersection.

    ``on`` says which coordinates form the vector that has to be in the set, all others being free: a feature's name, a
    pattern such as ``"asset_*"``, a range of names ``"dose_1..dose_9"``, a position (from 0), a list of these in the
    order that is meant, or a function that says of each name whether it belongs. Names are those of the columns of
    ``X``.
    """

    def __init__(self, spec: str, *arguments: Any, on: On = None) -> None:
        self._arguments, self._on = arguments, on
        self._whole = _proxdist.canonical_set(spec)
        if on is None:
            self._spec: str | None = self._whole
        else:
            self._spec = None if callable(on) else _proxdist.canonical_set(f"{spec}[{places(on)}]")

    @property
    def spec(self) -> str:
        """The set in the grammar shared with the command line and model files."""
        if self._spec is None:
            raise ValueError("the set has a function for on, so that it has a specification only for given names")
        return self._spec

    def spec_for(self, names: Sequence[str]) -> str:
        """The specification for features of these names."""
        if self._spec is not None:
            return self._spec
        return _proxdist.canonical_set(f"{self._whole}[{chosen(self._on, names)}]")

    def project(self, x: ArrayLike, names: Sequence[str] | None = None) -> Vector:
        """The nearest point of the set; ``names`` are those of the entries of ``x``, ``V1``, ``V2``, … if left out."""
        return project(self, x, names)

    def _key(self) -> Any:
        return (self._whole, self._on) if self._spec is None else self._spec

    def __and__(self, other: ConstraintSet | str) -> ConstraintSet:
        if isinstance(other, (Projection, Entries)) or not isinstance(other, (ConstraintSet, str)):
            return NotImplemented
        right = parse(other)
        if self._spec is None or right._spec is None:
            return _Together(self, right)
        return _Parsed(f"{self.spec} & {right.spec}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConstraintSet) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        on = [] if self._on is None else [f"on={self._on!r}"]
        return f"{type(self).__name__}({', '.join([*map(repr, self._arguments), *on])})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), self._arguments, self._on)


def _made(kind: Any, arguments: tuple[Any, ...], on: On) -> Any:
    return kind(*arguments) if on is None else kind(*arguments, on=on)


class _Parsed(ConstraintSet):
    """A set given by its text."""

    def __init__(self, spec: str) -> None:
        super().__init__(spec, spec)

    def __repr__(self) -> str:
        return f"parse({self.spec!r})"


class _Together(ConstraintSet):
    """Two sets at once, known for given names only."""

    def __init__(self, left: ConstraintSet, right: ConstraintSet) -> None:
        self._arguments, self._on, self._spec = (left, right), None, None

    def spec_for(self, names: Sequence[str]) -> str:
        return " & ".join(part.spec_for(names) for part in self._arguments)

    def _key(self) -> Any:
        return tuple(part._key() for part in self._arguments)

    def __repr__(self) -> str:
        return " & ".join(map(repr, self._arguments))


class WholeSpace(ConstraintSet):
    """Every vector: no constraint."""

    def __init__(self, on: On = None) -> None:
        super().__init__("none", on=on)


class Sparsity(ConstraintSet):
    """Vectors with at most ``keep`` nonzero entries; for a model of several outputs, at most so many features that they
    share."""

    def __init__(self, keep: int, on: On = None) -> None:
        super().__init__(f"sparsity:{keep}", keep, on=on)


class Rows(ConstraintSet):
    """Matrices with at most ``keep`` nonzero rows: at most so many features for all outputs of a model together."""

    def __init__(self, keep: int) -> None:
        super().__init__(f"rows:{keep}", keep)


class Entries(ConstraintSet):
    """At most ``keep`` nonzero coefficients in all, where ``Sparsity`` would count features shared by several outputs."""

    def __init__(self, keep: int) -> None:
        super().__init__(f"sparsity:{keep}", keep)

    def __and__(self, other: Any) -> ConstraintSet:
        raise TypeError("Entries cannot be intersected with other sets; Rows and Sparsity can")


class Ball(ConstraintSet):
    """Vectors within distance ``radius`` of the origin or of ``center``."""

    def __init__(self, radius: float, center: Iterable[float] | None = None, on: On = None) -> None:
        where = "" if center is None else f";center={_numbers(center)}"
        super().__init__(f"ball:{_number(radius)}{where}", radius, *(() if center is None else (center,)), on=on)


class Rank(ConstraintSet):
    """Matrices of rank at most ``rank``."""

    def __init__(self, rank: int) -> None:
        super().__init__(f"rank:{rank}", rank)


class Box(ConstraintSet):
    """Entries between ``lower`` and ``upper``: one number for all, or one each. ``None`` is no limit."""

    def __init__(
        self,
        lower: float | Iterable[float] | None = None,
        upper: float | Iterable[float] | None = None,
        on: On = None,
    ) -> None:
        each = [limit for limit in (lower, upper) if isinstance(limit, Iterable)]
        if each:
            count = len(list(each[0]))
            below = list(lower) if isinstance(lower, Iterable) else [float("-inf") if lower is None else lower] * count
            above = list(upper) if isinstance(upper, Iterable) else [float("inf") if upper is None else upper] * count
            spec = f"box;lower={_numbers(below)};upper={_numbers(above)}"
        else:
            spec = f"box:{_number(lower, float('-inf'))},{_number(upper, float('inf'))}"  # type: ignore[arg-type]
        super().__init__(spec, lower, upper, on=on)


class NonNegative(ConstraintSet):
    """No negative entry."""

    def __init__(self, on: On = None) -> None:
        super().__init__("nonneg", on=on)


class L1Ball(ConstraintSet):
    """Magnitudes that sum to at most ``radius``."""

    def __init__(self, radius: float, on: On = None) -> None:
        super().__init__(f"l1:{_number(radius)}", radius, on=on)


class LinfBall(ConstraintSet):
    """No magnitude above ``radius``."""

    def __init__(self, radius: float, on: On = None) -> None:
        super().__init__(f"linf:{_number(radius)}", radius, on=on)


class Simplex(ConstraintSet):
    """No negative entry, and a sum of exactly ``total``."""

    def __init__(self, total: float = 1.0, on: On = None) -> None:
        super().__init__(f"simplex:{_number(total)}", *(() if total == 1.0 else (total,)), on=on)


class Affine(ConstraintSet):
    """Solutions of the linear equations ``a @ x = b``."""

    def __init__(self, a: Iterable[Iterable[float]], b: Iterable[float], on: On = None) -> None:
        rows = [list(row) for row in a]
        right = list(b)
        super().__init__(f"affine;a={'|'.join(map(_numbers, rows))};b={_numbers(right)}", rows, right, on=on)


class HalfSpace(ConstraintSet):
    """Vectors with ``a @ x <= b``."""

    def __init__(self, a: Iterable[float], b: float, on: On = None) -> None:
        normal = list(a)
        super().__init__(f"halfspace;a={_numbers(normal)};b={_number(b)}", normal, b, on=on)


class Linear(ConstraintSet):
    """A linear row: in words, ``Linear("age + 2*income <= 3")``, or as factors of features with limits on their sum,
    ``Linear({"age": 1, "asset_*": 2}, upper=3)``; equal limits are an equation.
    """

    def __init__(
        self, terms: str | Mapping[Any, float], lower: float | None = None, upper: float | None = None
    ) -> None:
        if isinstance(terms, str):
            if lower is not None or upper is not None:
                raise ValueError("a row in words has its limits in it, as in Linear('age + 2*income <= 3')")
            super().__init__(terms, terms)
            return
        super().__init__(row(terms, lower, upper), dict(terms), lower, upper)


class Monotone(ConstraintSet):
    """Entries in increasing (or decreasing) order."""

    def __init__(self, decreasing: bool = False, on: On = None) -> None:
        text = "monotone:decreasing" if decreasing else "monotone"
        super().__init__(text, *((True,) if decreasing else ()), on=on)


class Polyhedron(ConstraintSet):
    """Linear inequalities ``a @ x <= b`` and equations ``e @ x = f``; either may be left out."""

    def __init__(
        self,
        a: Iterable[Iterable[float]] | None = None,
        b: Iterable[float] | None = None,
        e: Iterable[Iterable[float]] | None = None,
        f: Iterable[float] | None = None,
        on: On = None,
    ) -> None:
        text, arguments = "polyhedron", []
        for left, rows, right, numbers in (("a", a, "b", b), ("e", e, "f", f)):
            if (rows is None) != (numbers is None):
                raise ValueError(f"Polyhedron needs {left} and {right} together")
            lists = None if rows is None else [list(row) for row in rows]
            sides = None if numbers is None else list(numbers)
            arguments += [lists, sides]
            if lists and sides is not None:
                text += f";{left}={'|'.join(map(_numbers, lists))};{right}={_numbers(sides)}"
        super().__init__(text, *arguments, on=on)


class Cone(ConstraintSet):
    """The second-order cone: the length of all entries but the first is at most ``slope`` times the first."""

    def __init__(self, slope: float = 1.0, on: On = None) -> None:
        super().__init__(f"cone:{_number(slope)}", *(() if slope == 1.0 else (slope,)), on=on)


class _Curve(ConstraintSet):
    """Entries at places: equally spaced, or ``at``."""

    def __init__(self, name: str, arguments: tuple[Any, ...], at: Iterable[float] | None, on: On) -> None:
        known = None if at is None else [float(place) for place in at]
        option = "" if known is None else f";at={_numbers(known)}"
        super().__init__(name + option, *arguments, *(() if known is None else (known,)), on=on)


class Convex(_Curve):
    """Slopes from entry to entry never fall; the entries are equally spaced, or at the places ``at``."""

    def __init__(self, at: Iterable[float] | None = None, on: On = None) -> None:
        super().__init__("convex", (), at, on)


class Concave(_Curve):
    """Slopes from entry to entry never rise."""

    def __init__(self, at: Iterable[float] | None = None, on: On = None) -> None:
        super().__init__("concave", (), at, on)


class Jumps(ConstraintSet):
    """Piecewise constant with at most ``most`` jumps."""

    def __init__(self, most: int, on: On = None) -> None:
        super().__init__(f"jumps:{most}", most, on=on)


class Kinks(_Curve):
    """Piecewise linear and continuous with at most ``most`` changes of slope."""

    def __init__(self, most: int, at: Iterable[float] | None = None, on: On = None) -> None:
        super().__init__(f"kinks:{most}", (most,), at, on)


class Fused(ConstraintSet):
    """Magnitudes of the differences between neighbours that sum to at most ``radius``: little total variation.

    ``order=2`` takes differences of these differences, so that slopes change little, and so on; ``matrix`` takes the
    entries of ``matrix @ x``.
    """

    def __init__(
        self, radius: float, order: int = 1, matrix: Iterable[Iterable[float]] | None = None, on: On = None
    ) -> None:
        if matrix is not None and order != 1:
            raise ValueError("give an order or a matrix, not both")
        options = "" if order == 1 else f";order={order}"
        rows = None if matrix is None else [list(row) for row in matrix]
        if rows is not None:
            options = f";d={'|'.join(map(_numbers, rows))}"
        super().__init__(f"fused:{_number(radius)}{options}", radius, order, rows, on=on)

    def __repr__(self) -> str:
        radius, order, matrix = self._arguments
        parts = [repr(radius)] + ([f"order={order}"] if order != 1 else [])
        parts += [] if matrix is None else [f"matrix={matrix!r}"]
        parts += [] if self._on is None else [f"on={self._on!r}"]
        return f"Fused({', '.join(parts)})"


class GroupSparsity(ConstraintSet):
    """At most ``keep`` groups with a nonzero entry.

    ``groups`` are lists of names, patterns or positions, a dictionary of such lists, or the path of a table with the
    columns feature and group; ``size`` makes groups of so many neighbours; ``by="prefix"`` puts features together whose
    names begin alike up to ``separator``.
    """

    def __init__(
        self,
        keep: int,
        groups: Mapping[str, On] | Iterable[On] | str | None = None,
        size: int | None = None,
        by: str | None = None,
        separator: str = "_",
        on: On = None,
    ) -> None:
        if sum(given is not None for given in (groups, size, by)) != 1:
            raise ValueError("GroupSparsity needs either groups or size or by")
        given: Any
        if isinstance(groups, str):
            how, given = f"file={quoted(groups)}", groups
        elif groups is not None:
            given = dict(groups) if isinstance(groups, Mapping) else [_kept(group) for group in groups]
            how = f"groups={listed_groups(given)}"
        else:
            given, how = None, f"size={size}" if by is None else f"by={by}"
            how += "" if separator == "_" else f";separator={quoted(separator)}"
        arguments: tuple[Any, ...] = (keep, given, size, by, separator)
        while len(arguments) > 1 and arguments[-1] in (None, "_"):
            arguments = arguments[:-1]
        super().__init__(f"group-sparsity:{keep};{how}", *arguments, on=on)


class Selection(ConstraintSet):
    """At most ``most`` features, chosen by rules.

    ``keep`` are features that are always in (they count towards ``most``), ``drop`` those that are never in. ``quotas``
    are pairs ``(limit, groups)``: at most so many of each of these groups, which are given as in :class:`GroupSparsity`,
    or by ``"prefix"``, and need not hold every feature. With ``groups`` these are chosen as one, and all limits count
    groups. ``products`` maps features to the two features they are the product of: they come only with both of them
    (``heredity="strong"``) or with one at least (``"weak"``).
    """

    def __init__(
        self,
        most: int,
        keep: On = None,
        drop: On = None,
        quotas: Iterable[tuple[int, Any]] | None = None,
        groups: Mapping[str, On] | Iterable[On] | str | None = None,
        products: Mapping[Any, tuple[Any, Any]] | None = None,
        heredity: str = "strong",
        on: On = None,
    ) -> None:
        spec = f"sparsity:{most}" if groups is None else GroupSparsity(most, groups).spec
        for key, features in (("keep", keep), ("drop", drop)):
            spec += "" if features is None else f";{key}={places(features)}"
        limits = None if quotas is None else [(limit, _kept(families)) for limit, families in quotas]
        if limits:
            spec += ";most=" + "|".join(f"{limit} per {_families(families)}" for limit, families in limits)
        if products:
            pairs = [f"{place(own)}={place(first)}*{place(second)}" for own, (first, second) in products.items()]
            spec += f";heredity={heredity};products={','.join(pairs)}"
        arguments: tuple[Any, ...] = (most, _kept(keep), _kept(drop), limits, _kept(groups), products, heredity)
        while len(arguments) > 1 and arguments[-1] in (None, "strong"):
            arguments = arguments[:-1]
        super().__init__(spec, *arguments, on=on)


def _families(families: Any) -> str:
    """Groups with a limit as text."""
    if isinstance(families, str):
        return families if families in ("prefix", "source") else f"file {quoted(families)}"
    return listed_groups(families)


def _kept(group: On) -> On:
    """A group that can be read again."""
    return list(group) if isinstance(group, Iterable) and not isinstance(group, (str, Mapping)) else group


class Blocks(ConstraintSet):
    """A set for each list of coordinates, all others being free.

    Keys are ranges of positions, ends included, names or patterns, or tuples of names:
    ``Blocks({(0, 9): Simplex(), "asset_*": Box(0, 1), ("age", "income"): NonNegative()})``.
    """

    def __init__(self, blocks: Mapping[Any, ConstraintSet | str]) -> None:
        parts = [f"[{_block(key)}: {parse(inside).spec}]" for key, inside in blocks.items()]
        super().__init__("blocks" + "".join(parts), dict(blocks))


def _block(key: Any) -> str:
    is_range = isinstance(key, tuple) and len(key) == 2 and not any(isinstance(end, str) for end in key)
    return f"{place(key[0])}-{place(key[1])}" if is_range else places(key)


class SupportRule:
    """Which coefficients of a set of your own may be nonzero together.

    At most ``keep`` units are: single coefficients, or ``groups`` of positions (from 0) that move as one. Those of
    ``always`` may be nonzero in any case. Coefficients that are in neither are always zero only if your projection
    makes them so; give every one a place. ``on_support`` is the convex set that remains for the chosen coefficients,
    the others being zero: a set, its text, or a function from the list of their positions to one of these, or to
    ``None`` where there is no such point; without it they are free. With a rule a fit is finished by exchanges, and
    bounds on the global optimum apply.
    """

    def __init__(
        self,
        keep: int,
        groups: Iterable[Iterable[int]] | None = None,
        always: Iterable[int] = (),
        on_support: ConstraintSet | str | Callable[[list[int]], ConstraintSet | str | None] | None = None,
    ) -> None:
        self.keep = int(keep)
        self.groups = None if groups is None else [[int(j) for j in group] for group in groups]
        self.always = [int(j) for j in always]
        named = [*self.always, *(j for group in self.groups or () for j in group)]
        if self.keep < 0 or any(j < 0 for j in named):
            raise ValueError("keep and positions must not be negative")
        if len(set(named)) != len(named):
            raise ValueError("a position stands twice in the rule")
        self._remaining = on_support

    def on_support(self, support: list[int]) -> str | None:
        """The text of the set that remains on these positions, or ``None`` where there is none."""
        remaining = self._remaining
        if callable(remaining) and not isinstance(remaining, ConstraintSet):
            remaining = remaining(support)
            return None if remaining is None else parse(remaining).spec
        return parse(remaining).spec


class Projection(ConstraintSet):
    """A set of your own, given by its projection.

    ``function`` takes a vector (a matrix, for :class:`MatrixRegressor`) and returns the nearest point of the set. What
    you say of the set is taken at its word:

    ``is_convex``: the projection does not expand distances, and a lower bound on the objective can be trusted.
    ``is_scale_free``: the set is unchanged when each coefficient is multiplied by a positive number of its own, as
    signs and zeros are: then columns are scaled for the fit, which is quicker in raw units.
    ``is_exact``: the function finds the nearest point, not just a point of the set: bounds on the global optimum rest
    on it.
    ``support``: which coefficients may be nonzero together, a :class:`SupportRule`: then exchanges are tried.
    """

    def __init__(
        self,
        function: Callable[[Any], Any],
        is_convex: bool = False,
        *,
        is_scale_free: bool = False,
        is_exact: bool = False,
        support: SupportRule | None = None,
    ) -> None:
        if not callable(function):
            raise TypeError(f"a projection must be callable, got {function!r}")
        if support is not None and not isinstance(support, SupportRule):
            raise TypeError(f"support is a SupportRule, got {support!r}")
        self.function = function
        self.is_convex = bool(is_convex)
        self.is_scale_free = bool(is_scale_free)
        self.is_exact = bool(is_exact)
        self.support = support
        self._spec = self._whole = "custom"
        self._arguments, self._on = (function, is_convex), None

    def _said(self) -> tuple[Any, ...]:
        return self.function, self.is_convex, self.is_scale_free, self.is_exact, self.support

    def __reduce__(self) -> tuple[Any, ...]:
        return _projection, self._said()

    def project(self, x: ArrayLike, names: Sequence[str] | None = None) -> Vector:
        """What the function returns, as an array."""
        import numpy as np

        return np.asarray(self.function(np.asarray(x, dtype=np.float64)), dtype=np.float64)

    def __and__(self, other: object) -> ConstraintSet:
        return NotImplemented

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Projection) and self._said() == other._said()

    def __hash__(self) -> int:
        return hash(self._said())


def _projection(function: Any, is_convex: bool, is_scale_free: bool, is_exact: bool, support: Any) -> Projection:
    return Projection(function, is_convex, is_scale_free=is_scale_free, is_exact=is_exact, support=support)


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


def project(
    constraint: ConstraintSet | str | Callable[[Any], Any], x: ArrayLike, names: Sequence[str] | None = None
) -> Vector:
    """The point of a set nearest to ``x``. Sets of matrices, such as ``Rank(2)``, take a two-dimensional ``x``; sets
    that speak of features by name take the ``names`` of the entries, which are ``V1``, ``V2``, … if left out.

    >>> project("sparsity:1", [3.0, -4.0])
    array([ 0., -4.])
    """
    import numpy as np

    wanted = parse(constraint)
    point = np.ascontiguousarray(x, dtype=np.float64)
    if isinstance(wanted, Projection):
        return wanted.project(point)
    if point.ndim not in (1, 2):
        raise ValueError(f"x must be a vector or a matrix, got {point.ndim} dimensions")
    shape = point.shape if point.ndim == 2 else None
    known = None if names is None else [str(name) for name in names]
    spec = wanted.spec_for(known or numbered(point.size))
    return _proxdist.project(spec, point.ravel(), shape, known).reshape(point.shape)
