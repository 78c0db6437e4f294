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
    Z, ridge = X / units, objective.ridge / units**2
    masks = supports
    if objective.has_intercept:
        Z, ridge = np.column_stack([Z, np.ones(len(Z))]), np.append(ridge, 0.0)
        masks = np.column_stack([supports, np.ones(len(supports), dtype=bool)])
    x = np.zeros(masks.shape)

    def values(x: Array) -> Array:
        with np.errstate(over="ignore"):
            return objective.loss.value(x @ Z.T + offset, y) @ weights + x**2 @ ridge / 2

    value = values(x)
    free = masks[:, :, None] & masks[:, None, :]
    for _ in range(60):
        eta = x @ Z.T + offset
        gradient = ((weights * objective.loss.slope(eta, y)) @ Z + x * ridge) * masks
        curved = np.einsum("sn,np,nq->spq", weights * objective.loss.curvature(eta, y), Z, Z, optimize=True)
        curved = np.where(free, curved + np.diag(ridge), 0.0)
        step = -np.einsum("spq,sq->sp", np.linalg.pinv(curved, rcond=1e-13, hermitian=True), gradient)
        # Where there is no curvature the gradient itself is followed.
        flat = gradient + np.einsum("spq,sq->sp", curved, step)
        step = (step - flat) * masks
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
    # What is left to gain by a step along the model, twice, for the bound to be one.
    return value - 2 * np.maximum(-fall, 0.0) - 1e-12 * np.abs(value)
