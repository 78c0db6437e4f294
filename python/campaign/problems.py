"""Problems, each a pure function of a seed and a number: data in raw units, a loss, a set, options."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from . import draw_sets
from .objective import Loss, Objective
from .parts import Vector
from .sets import Set

Generator = np.random.Generator

#: Convex sets and intersections: family, and the names of the parts.
CONVEX: dict[str, list[str]] = {
    "none": ["none"],
    "ball": ["ball"],
    "ball with centre": ["ball-at"],
    "l1": ["l1"],
    "linf": ["linf"],
    "box": ["box"],
    "box of each": ["box-each"],
    "nonneg": ["nonneg"],
    "simplex": ["simplex"],
    "monotone": ["monotone"],
    "decreasing": ["decreasing"],
    "affine": ["affine"],
    "halfspace": ["halfspace"],
    "box & halfspace": ["box", "halfspace"],
    "monotone & nonneg": ["monotone", "nonneg"],
    "monotone & ball": ["monotone", "ball"],
    "decreasing & box": ["decreasing", "box"],
    "simplex & box": ["simplex", "box-from-0"],
    "simplex & halfspace": ["simplex", "halfspace"],
    "simplex & affine": ["simplex", "affine"],
    "affine & nonneg": ["affine", "nonneg"],
    "affine & ball with centre": ["affine", "ball-at"],
    "l1 & nonneg": ["l1", "nonneg"],
    "l1 & ball": ["l1", "ball"],
    "l1 & halfspace": ["l1", "halfspace"],
    "linf & affine": ["linf", "affine"],
    "ball & nonneg": ["ball", "nonneg"],
    "ball & halfspace": ["ball", "halfspace"],
    "ball & ball with centre": ["ball", "ball-at"],
    "ball with centre & box": ["ball-at", "box-each"],
    "two halfspaces": ["halfspace", "halfspace"],
    "ball & box & affine": ["ball", "box", "affine"],
    "nonneg & l1 & monotone": ["nonneg", "l1", "monotone"],
    "simplex & monotone & ball": ["simplex", "monotone", "ball"],
    "halfspace & nonneg & ball": ["halfspace", "nonneg", "ball"],
    "three halfspaces": ["halfspace", "halfspace", "halfspace"],
}
#: Sparsity and what is beside it.
SPARSE: dict[str, list[str]] = {
    "sparsity": [],
    "sparsity & nonneg": ["nonneg"],
    "sparsity & box": ["box-from-0"],
    "sparsity & linf": ["linf"],
    "sparsity & ball": ["ball"],
    "sparsity & simplex": ["simplex"],
    "sparsity & l1": ["l1"],
    "sparsity & nonneg & l1": ["nonneg", "l1"],
    "sparsity & nonneg & ball": ["nonneg", "ball"],
}
OTHERS = [
    "sharp angle",
    "barely meeting",
    "one common point",
    "blocks",
    "blocks with sparse parts",
    "group-sparsity",
    "group-sparsity & ball",
    "rank",
    "rank & ball",
    "empty",
]
FAMILIES = [*CONVEX, *SPARSE, *OTHERS]
SELECTING = [*SPARSE, "blocks with sparse parts", "group-sparsity", "group-sparsity & ball"]
LOW_RANK = ["rank", "rank & ball"]

LOSSES = ["squared", "squared", "logistic", "huber", "poisson", "squared-hinge"]


@dataclass
class Problem:
    """Everything a fit is asked."""

    name: str
    family: str
    X: NDArray[np.float64]
    y: Vector
    weights: Vector | None
    offset: Vector | None
    loss: Loss
    set: Set
    ridge: float
    intercept: bool
    standardize: bool | None
    shape: tuple[int, int] | None = None

    @property
    def is_scaled(self) -> bool:
        """Whether columns are scaled for the fit, by the documented rule."""
        return self.set.is_scale_free if self.standardize is None else self.standardize

    @cached_property
    def objective(self) -> Objective:
        """F, by its definition."""
        n, p = self.X.shape
        weights = np.ones(n) if self.weights is None else self.weights
        ridge = np.full(p, self.ridge)
        if self.standardize is not False and self.ridge > 0:
            ridge = ridge * deviations(self.X, weights) ** 2
        offset = np.zeros(n) if self.offset is None else self.offset
        return Objective(self.X, self.y, weights, offset, self.loss, ridge, self.intercept)

    def __str__(self) -> str:
        n, p = self.X.shape
        extras = [
            f"ridge {self.ridge:g}" if self.ridge else "",
            "intercept" if self.intercept else "no intercept",
            "weights" if self.weights is not None else "",
            "offset" if self.offset is not None else "",
            "" if self.standardize is None else f"standardize={self.standardize}",
        ]
        options = ", ".join(filter(None, extras))
        return f"{self.name} [{self.family}] {self.loss.name}, {n} x {p}, {options}: {self.set.spec}"


def deviations(X: NDArray[np.float64], weights: Vector) -> Vector:
    """Standard deviations of columns; 1 for constant ones, which are not scaled."""
    share = weights / weights.sum()
    centred = X - X[0]
    square = share @ centred**2
    variance = square - (share @ centred) ** 2
    constant = variance <= 1e-13 * square
    exact = share @ (X - share @ X) ** 2
    return np.where(constant, 1.0, np.sqrt(np.where(constant, 1.0, exact)))


def problem(seed: int, number: int) -> Problem:
    """The problem of a number; families take turns."""
    generator = np.random.default_rng([seed, number])
    family = FAMILIES[number % len(FAMILIES)]
    loss = str(generator.choice(LOSSES))
    shape = (int(generator.integers(2, 6)), int(generator.integers(2, 5))) if family in LOW_RANK else None
    X, truth = columns(generator, family, shape, loss)
    n = len(X)
    y, truth, loss = response(generator, X, truth, loss)
    size = 10 ** generator.uniform(-1, 0.3)
    margin = 10 ** generator.uniform(*{"barely meeting": (-7, -4), "empty": (-3, 0)}.get(family, (-2, 0.5)))
    chosen = draw_set(generator, family, truth * size, margin, shape)
    weights = offset = None
    if generator.random() < 0.3:
        weights = generator.exponential(size=n) * (generator.random(n) < 0.8)
        weights[: min(n, 2)] = 1.0
    if generator.random() < 0.2:
        unit = float(np.abs(y).mean()) if loss.startswith(("squared", "huber")) and loss != "squared-hinge" else 0.5
        offset = generator.normal(size=n) * unit
    ridge = 0.0 if generator.random() < 0.6 else float(10 ** generator.uniform(-4, 0))
    if Loss(loss).needs_bound and not chosen.is_bounded and ridge == 0:
        ridge = bounded_from_below(generator, X, y, weights, loss)
    standardize: bool | None = None
    if generator.random() < 0.2:
        standardize = bool(generator.integers(2)) if chosen.is_scale_free else False
    intercept = bool(generator.random() < 0.6)
    name = f"{seed}:{number}"
    return Problem(name, family, X, y, weights, offset, Loss(loss), chosen, ridge, intercept, standardize, shape)


def columns(
    generator: Generator, family: str, shape: tuple[int, int] | None, loss: str
) -> tuple[NDArray[np.float64], Vector]:
    """A design in raw units, and coefficients that give every column its share."""
    if shape is not None:
        p = shape[0] * shape[1]
    elif family == "one common point":
        p = 4
    elif family in SELECTING or family == "blocks":
        p = int(generator.integers(3 if "blocks" in family else 2, 9))
    else:
        p = int(generator.integers(1, 9)) if generator.random() < 0.8 else int(generator.integers(9, 31))
    n = int(10 ** generator.uniform(np.log10(5), np.log10(200)))
    X = generator.normal(size=(n, p))
    kind = generator.random()
    if kind < 0.2:
        X = 0.3 * X + generator.normal(size=(n, 1))
    elif kind < 0.3:
        X[:, generator.integers(p)] = X[:, generator.integers(p)]
    elif kind < 0.4:
        X[:, generator.integers(p)] = generator.choice([0.0, 1.0, 3.0])
    elif kind < 0.5:
        X[:, -1] = X[:, :-1].sum(axis=1) if p > 1 else X[:, -1]
    elif kind < 0.6:
        X = np.round(2 * X)
    if generator.random() < 0.3:
        X = X + generator.normal(size=p) * generator.choice([1.0, 10.0])
    spread = 0.5 if loss == "poisson" else 2.5
    scales = 10 ** generator.uniform(-spread, spread, p) if generator.random() < 0.6 else np.ones(p)
    if shape is not None and generator.random() < 0.5:
        scales = np.ones(p)
    truth = generator.normal(size=p) * (generator.random(p) < 0.8)
    if not truth.any():
        truth[0] = 1.0
    return X * scales, truth / scales


def response(generator: Generator, X: NDArray[np.float64], truth: Vector, loss: str) -> tuple[Vector, Vector, str]:
    """Responses of a linear model with the given coefficients, which are brought to the units of the response."""
    n = len(X)
    signal = X @ truth
    spread, most = float(np.std(signal)), float(np.abs(signal).max())
    if spread <= 1e-9 * most or most == 0:
        spread = most or 1.0
    if loss in ("squared", "huber"):
        noise = spread * generator.choice([0.01, 0.3, 1.0, 3.0])
        unit = 10 ** generator.uniform(0, 6) if loss == "squared" and generator.random() < 0.4 else 1.0
        y = unit * (signal + noise * generator.normal(size=n))
        if loss == "huber":
            loss = f"huber:{spread * 10 ** generator.uniform(-1, 1)!r}"
        return y, truth * unit, loss
    signal = (signal - signal.mean()) / spread
    if loss == "poisson":
        return generator.poisson(np.exp(np.clip(0.7 * signal, -3, 3))).astype(float), truth * 0.7 / spread, loss
    y = (generator.random(n) < 1 / (1 + np.exp(-1.5 * signal))).astype(float)
    y[0], y[1] = 0.0, 1.0
    return y, truth * 1.5 / spread, loss


def bounded_from_below(
    generator: Generator, X: NDArray[np.float64], y: Vector, weights: Vector | None, loss: str
) -> float:
    """Changes data, or returns a ridge, so that F has a least value on an unbounded set."""
    n, p = X.shape
    if loss == "poisson":
        # A count of zero lets its predictor fall for ever; p + 1 rows with positive counts hold every direction.
        held = slice(0, p + 1)
        y[held] = np.maximum(y[held], 1.0)
    elif n >= 2 * (p + 1):
        # Rows that occur with both labels hold every direction.
        held = slice(0, 2 * (p + 1))
        X[p + 1 : 2 * (p + 1)] = X[: p + 1]
        y[p + 1 : 2 * (p + 1)] = 1 - y[: p + 1]
    else:
        return float(10 ** generator.uniform(-4, 0))
    if n < p + 1:
        return float(10 ** generator.uniform(-4, 0))
    if weights is not None:
        weights[held] = np.maximum(weights[held], 0.1)
    return 0.0


def draw_set(generator: Generator, family: str, q: Vector, margin: float, shape: tuple[int, int] | None) -> Set:
    """A set of the family around a point."""
    if family in CONVEX:
        return draw_sets.intersection(generator, q, CONVEX[family], margin)
    if family in SPARSE:
        return draw_sets.sparse(generator, q, SPARSE[family], margin)
    size = float(np.linalg.norm(q)) or 1.0
    match family:
        case "sharp angle":
            return draw_sets.wedge(generator, q, margin)
        case "barely meeting":
            return draw_sets.nearly(generator, len(q), size, -margin)
        case "one common point":
            return draw_sets.single_point(generator, size)
        case "blocks" | "blocks with sparse parts":
            return draw_sets.blocks_of(generator, q, margin, has_selection=family != "blocks")
        case "group-sparsity" | "group-sparsity & ball":
            return draw_sets.grouped(generator, q, family.endswith("ball"), margin)
        case "rank" | "rank & ball" if shape is not None:
            return draw_sets.low_rank(generator, q, shape, family.endswith("ball"), margin)
    return draw_sets.nearly(generator, len(q), size, margin)
