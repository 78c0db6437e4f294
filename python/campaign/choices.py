"""The best choice of features, by enumeration.

All choices are first fitted without the convex parts of the set, many at a time: a bound below each. Only those whose
bound is under the value to beat are fitted with the convex parts, best bound first, so a right result costs little to
confirm.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from .conic import Optimum, Program, Unsolved
from .objective import Objective
from .sets import Choice, Set

Array = NDArray[np.float64]

#: More conic programs than this are not solved for one problem.
MOST_PROGRAMS = 100
#: Relative distance up to which the solver's point counts as inside.
INSIDE = 1e-6


def best(
    objective: Objective, chosen: Set, options: Iterable[Choice], to_beat: float, first: bool = False
) -> tuple[Optimum | None, bool]:
    """The best of the choices that are below `to_beat`, if any is, and whether all of them were looked at.

    With `first` the search ends at the first choice below.
    """
    supports = np.array([chosen.support(choice) for choice in options])
    if not len(supports):
        return None, True
    supports = np.unique(supports, axis=0)
    bounds = bounds_below(objective, supports)
    cone = chosen.cone()
    found: Optimum | None = None
    complete = True
    solved = 0
    for k in np.argsort(bounds):
        if bounds[k] >= (to_beat if found is None else found.value):
            break
        if solved == MOST_PROGRAMS:
            complete = False
            break
        solved += 1
        try:
            optimum = Program(objective, cone, supports[k]).solve()
        except Unsolved:
            # A choice may leave no point of the set, as on a simplex without a coordinate.
            complete = complete and not supports[k].any()
            continue
        if any(miss > INSIDE * size for miss, size in chosen.misses(optimum.theta)):
            # A point outside the set shows nothing, whatever its F.
            complete = False
            continue
        if optimum.value < (to_beat if found is None else found.value):
            found = optimum
            if first:
                break
    return found, complete


def bounds_below(objective: Objective, supports: NDArray[np.bool_]) -> Array:
    """The least values of F on each support without further constraints, by Newton's method on all of them at once."""
    used = objective.weights > 0
    weights = objective.weights[used] / objective.weights[used].sum()
    X, y, offset = objective.X[used], objective.y[used], objective.offset[used]
    size = np.sqrt(weights @ X**2)
    units = np.where(size > 0, size, 1.0)
    # The columns of each support side by side, with columns of zeros where it has fewer than others.
    most = max(int(supports.sum(axis=1).max()), 1)
    places = np.argsort(~supports, axis=1, kind="stable")[:, :most]
    is_used = np.take_along_axis(supports, places, axis=1)
    Z = np.moveaxis((X / units)[:, places], 0, 1) * is_used[:, None, :]
    ridge = (objective.ridge / units**2)[places] * is_used
    if objective.has_intercept:
        Z = np.concatenate([Z, np.ones((*Z.shape[:2], 1))], axis=2)
        ridge = np.column_stack([ridge, np.zeros(len(ridge))])
    x = np.zeros(ridge.shape)

    def predictors(x: Array) -> Array:
        return np.einsum("snk,sk->sn", Z, x) + offset

    def values(x: Array) -> Array:
        with np.errstate(over="ignore"):
            return objective.loss.value(predictors(x), y) @ weights + (x**2 * ridge).sum(axis=1) / 2

    value = values(x)
    for _ in range(60):
        eta = predictors(x)
        gradient = np.einsum("snk,sn->sk", Z, weights * objective.loss.slope(eta, y)) + x * ridge
        bent = Z * np.sqrt(weights * objective.loss.curvature(eta, y))[:, :, None]
        curved = np.swapaxes(bent, 1, 2) @ bent + ridge[:, :, None] * np.eye(ridge.shape[1])
        step = -np.einsum("skl,sl->sk", np.linalg.pinv(curved, rcond=1e-13, hermitian=True), gradient)
        # Where there is no curvature the gradient itself is followed.
        step -= gradient + np.einsum("skl,sl->sk", curved, step)
        fall = (gradient * step).sum(axis=1)
        length = np.ones(len(x))
        trial = values(x + step)
        for _ in range(40):
            bad = ~(trial <= value + 1e-4 * length * fall) & (fall < 0)
            if not bad.any():
                break
            length = np.where(bad, length / 2, length)
            trial = values(x + length[:, None] * step)
        better = trial <= value
        x = np.where(better[:, None], x + length[:, None] * step, x)
        value = np.where(better, trial, value)
        if np.all(-fall <= 1e-13 * np.maximum(np.abs(value), np.finfo(float).tiny)):
            break
    # Twice what a step along the model may still gain is taken off, for the bound to be one.
    return value - 2 * np.maximum(-fall, 0.0) - 1e-12 * np.abs(value)
