"""A second opinion on the truth: the same problem written for cvxpy, part by part, and given to other solvers.

Slower than `conic` and less exact; it only has to agree to a few digits. It shares the definitions of `sets` (names
and numbers), but neither conic rows, nor scaling of rows, nor the Newton method.
"""

from __future__ import annotations

import warnings

import cvxpy as cp
import numpy as np

from .problems import Problem
from .parts import L1, Affine, Ball, Box, HalfSpace, Monotone, Part, Simplex

#: Tried in order until one is sure: ECOS is not of Clarabel's family of code.
SOLVERS = ("ECOS", "CLARABEL")


def value(problem: Problem) -> tuple[float, str] | None:
    """The least value of F over a convex set and who found it; none if no solver is sure."""
    objective = problem.objective
    used = objective.weights > 0
    X, y, weights = objective.X[used], objective.y[used], objective.weights[used]
    units = np.sqrt((weights @ X**2) / weights.sum())
    units[units == 0] = 1.0
    # The response gives the unit of F where the loss has none of its own.
    unit = float(np.abs(y - objective.offset[used]).max() or 1.0) if problem.loss.name == "squared" else 1.0
    scaled = cp.Variable(X.shape[1])
    theta = cp.multiply(scaled, unit / units)
    intercept = cp.Variable() if objective.has_intercept else 0.0
    eta = (X / units) @ scaled * unit + intercept * unit + objective.offset[used]
    losses = _losses(problem, eta, y, unit)
    ridge = cp.sum_squares(cp.multiply(np.sqrt(objective.ridge / 2) / units, scaled))
    share = weights / weights.sum()
    limits = [limit for placed in problem.set.parts for limit in _limits(placed.part, theta[placed.range], unit)]
    program = cp.Problem(cp.Minimize(share @ losses + ridge), limits)
    for solver in SOLVERS:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                program.solve(solver=solver)
        except (cp.SolverError, ValueError):
            continue
        if program.status == cp.OPTIMAL:
            return float(program.value) * unit**2, solver
    return None


def _losses(problem: Problem, eta: cp.Expression, y: np.ndarray, unit: float) -> cp.Expression:
    """One loss for each row, in units of `unit²`."""
    match problem.loss.name:
        case "squared":
            return cp.square((y - eta) / unit) / 2
        case "logistic":
            return cp.logistic(eta) - cp.multiply(y, eta)
        case "poisson":
            return cp.exp(eta) - cp.multiply(y, eta)
        case "squared-hinge":
            return cp.square(cp.pos(1 - cp.multiply(2 * y - 1, eta))) / 2
    return cp.huber(y - eta, problem.loss.delta) / 2


def _limits(part: Part, v: cp.Expression, unit: float) -> list[cp.Constraint]:
    """What it means to lie in a part."""
    match part:
        case Ball(radius, center):
            return [cp.norm((v if center is None else v - center) / radius) <= 1]
        case L1(radius):
            return [cp.norm1(v / radius) <= 1]
        case Box(lower, upper):
            low, high = np.isfinite(lower), np.isfinite(upper)
            below = [v[low] / unit >= lower[low] / unit] if low.any() else []
            return below + ([v[high] / unit <= upper[high] / unit] if high.any() else [])
        case Simplex(total):
            return [v >= 0, cp.sum(v) / total == 1]
        case Affine(rows, right):
            return [(rows @ v - right) / unit == 0]
        case HalfSpace(normal, offset):
            return [(normal @ v - offset) / unit <= 0]
        case Monotone(is_increasing):
            steps = cp.diff(v) if v.size > 1 else None
            return [] if steps is None else [steps >= 0 if is_increasing else steps <= 0]
    return []
