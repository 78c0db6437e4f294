"""F of a choice of features: the same refit for everybody, by Newton's method in plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

RIDGE = 1e-4


def objective(X: Any, y: Any, loss: str, support: Any) -> float:
    """The least mean loss plus half the ridge times the squares of the coefficients, with an intercept."""
    columns = X[:, np.sort(np.asarray(support, dtype=int))]
    columns = columns.toarray() if sparse.issparse(columns) else np.asarray(columns)
    design = np.column_stack([np.ones(len(y)), columns])
    penalty = np.full(design.shape[1], RIDGE)
    penalty[0] = 0.0
    if loss == "squared":
        theta = np.linalg.solve(design.T @ design / len(y) + np.diag(penalty), design.T @ y / len(y))
        return float(0.5 * np.mean((y - design @ theta) ** 2) + 0.5 * penalty @ theta**2)
    return _logistic(design, y, penalty)


def _logistic(design: Any, y: Any, penalty: Any) -> float:
    def value(theta: Any) -> float:
        eta = design @ theta
        return float(np.mean(np.logaddexp(0.0, eta) - y * eta) + 0.5 * penalty @ theta**2)

    theta = np.zeros(design.shape[1])
    share = y.mean()
    theta[0] = np.log(share / (1 - share))
    best = value(theta)
    for _ in range(200):
        chance = 1 / (1 + np.exp(-np.clip(design @ theta, -500, 500)))
        slope = design.T @ (chance - y) / len(y) + penalty * theta
        curvature = (design.T * (chance * (1 - chance))) @ design / len(y) + np.diag(penalty)
        step = np.linalg.lstsq(curvature, slope, rcond=None)[0]
        length = 1.0
        while length > 1e-10 and not value(theta - length * step) <= best - 1e-4 * length * (slope @ step):
            length /= 2
        lower = value(theta - length * step)
        if not lower < best:
            break
        theta, fall, best = theta - length * step, best - lower, lower
        if fall <= 1e-14 * best:
            break
    return best
