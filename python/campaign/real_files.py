"""Real files in the units they come in, with the sets that users would put on them: a fixed list of cases."""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .objective import Loss
from .problems import Problem
from .parts import L1, Affine, Ball, HalfSpace, Monotone, Part, Simplex, linf, nonneg, shared_box, sparsity
from .sets import whole

Parts = Callable[[int], list[Part]]

ROOT = Path(__file__).resolve().parents[2]


def folder() -> Path:
    """`$PROXDIST_DATA`, or the shared collection beside the repository."""
    return Path(os.environ.get("PROXDIST_DATA", ROOT.parent / "shared" / "data")) / "classic"


def _sides(p: int) -> list[Part]:
    """θ₁ ≤ θ₂ and θ₃ ≤ θ₄."""
    first, second = np.zeros(p), np.zeros(p)
    first[:2], second[2:4] = (1, -1), (1, -1)
    return [HalfSpace(first, 0.0), HalfSpace(second, 0.0)]


SETS: dict[str, Parts] = {
    "none": lambda p: [shared_box(float("-inf"), float("inf"), p)],
    "nonneg": lambda p: [nonneg(p)],
    "ball:1": lambda _: [Ball(1.0)],
    "l1:5": lambda _: [L1(5.0)],
    "monotone & ball:1": lambda _: [Monotone(True), Ball(1.0)],
    "monotone & nonneg": lambda p: [Monotone(True), nonneg(p)],
    "two orders": _sides,
    "box & halfspace": lambda p: [shared_box(-1.0, 1.0, p), HalfSpace(np.arange(1.0, p + 1), 1.0)],
    "simplex & box": lambda p: [Simplex(1.0), shared_box(0.0, 0.4, p)],
    "affine & nonneg": lambda p: [Affine(np.ones((1, p)), np.array([1.0])), nonneg(p)],
    "l1 & nonneg": lambda p: [L1(5.0), nonneg(p)],
    "linf & zero sum": lambda p: [linf(0.5, p), Affine(np.ones((1, p)), np.array([0.0]))],
    "ball & halfspace": lambda p: [Ball(2.0), HalfSpace(-np.ones(p), -1.0)],
    "sparsity:3": lambda p: [sparsity(3, p)],
    "simplex & sparsity:3": lambda p: [Simplex(1.0), sparsity(3, p)],
    "nonneg & sparsity:3": lambda p: [nonneg(p), sparsity(3, p)],
}
CONVEX = list(SETS)[:13]
#: File, loss, whether there is an intercept, sets.
CASES: list[tuple[str, str, bool, list[str]]] = [
    ("hitters", "squared", True, CONVEX),
    ("diabetes", "squared", True, [*CONVEX, "sparsity:3", "nonneg & sparsity:3"]),
    ("bodyfat-siri", "squared", True, CONVEX),
    ("bodyfat-brozek", "squared", True, ["monotone & nonneg", "box & halfspace", "sparsity:3"]),
    ("prostate", "squared", True, [*CONVEX, "sparsity:3", "nonneg & sparsity:3"]),
    ("prostate", "huber:0.5", True, ["monotone & ball:1", "two orders", "affine & nonneg"]),
    ("gasoline", "logistic", True, ["nonneg"]),
    ("gasoline-thinned", "logistic", True, ["nonneg"]),
    ("smoking", "squared", False, ["simplex & box", "simplex & sparsity:3"]),
]


def names() -> list[str]:
    """All cases, if the files are there."""
    if not folder().is_dir():
        return []
    return [f"{file}/{loss}/{chosen}" for file, loss, _, sets in CASES for chosen in sets]


def case(name: str) -> Problem:
    """The problem of a name."""
    for file, loss, intercept, sets in CASES:
        for chosen in sets:
            if name == f"{file}/{loss}/{chosen}":
                X, y = _data(file)
                return Problem(
                    name=name,
                    family="real files",
                    X=X.copy(),
                    y=y.copy(),
                    weights=None,
                    offset=None,
                    loss=Loss(loss),
                    set=whole(X.shape[1], *SETS[chosen](X.shape[1])),
                    ridge=0.0,
                    intercept=intercept,
                    standardize=None,
                )
    raise KeyError(f"no such case: {name}")


def _table(file: str) -> tuple[list[str], list[list[str]]]:
    path = folder() / file
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        rows = list(csv.reader(lines))
    return rows[0], rows[1:]


def _numbers(file: str, target: str, ignored: tuple[str, ...]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    head, rows = _table(file)
    kept = [k for k, name in enumerate(head) if name not in (target, *ignored)]
    rows = [row for row in rows if row[head.index(target)]]
    X = np.array([[float(row[k]) for k in kept] for row in rows])
    return X, np.array([float(row[head.index(target)]) for row in rows])


@cache
def _data(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Features and response."""
    match name:
        case "hitters":
            return _numbers("hitters.csv", "Salary", ("player", "League", "Division", "NewLeague"))
        case "diabetes":
            return _numbers("diabetes.csv", "y", ())
        case "bodyfat-siri":
            return _numbers("bodyfat.csv", "siri", ("brozek", "density", "free"))
        case "bodyfat-brozek":
            return _numbers("bodyfat.csv", "brozek", ("siri", "density", "free"))
        case "prostate":
            return _numbers("prostate.csv", "lpsa", ("train",))
        case "gasoline":
            X, octane = _numbers("gasoline.csv.gz", "octane", ())
            return X, (octane > np.median(octane)).astype(float)
        case "gasoline-thinned":
            X, y = _data("gasoline")
            return X[:, ::4], y
    return _smoking()


def _smoking() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sales before 1989: California by the other states, a row a year."""
    head, rows = _table("smoking_prop99.csv")
    state, year, sales = (head.index(name) for name in ("state", "year", "cigsale"))
    rows = [row for row in rows if float(row[year]) < 1989]
    states = sorted({row[state] for row in rows})
    years = sorted({float(row[year]) for row in rows})
    values = np.zeros((len(years), len(states)))
    for row in rows:
        values[years.index(float(row[year])), states.index(row[state])] = float(row[sales])
    own = states.index("California")
    return np.delete(values, own, axis=1), values[:, own].copy()
