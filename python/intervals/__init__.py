"""How often 95 % intervals hold the truth: for given features, after a choice on the same rows, and by a split.

The truth has one weak feature among many, the case in which a choice does most harm: what is chosen beside it is chosen
because it happens to fit. Intervals are about the coefficients of the chosen features; all features are independent, so
these are the true coefficients whatever else is chosen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from proxdist import ConstrainedClassifier, ConstrainedRegressor

ROWS, FEATURES, CHOSEN, EFFECT = 200, 20, 3, 0.15


def drawn(loss: str, seed: int) -> tuple[Any, Any, Any]:
    """Features, response and true coefficients."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, FEATURES))
    truth = np.zeros(FEATURES)
    truth[0] = EFFECT
    eta = X @ truth
    if loss == "logistic":
        return X, (rng.uniform(size=ROWS) < 1 / (1 + np.exp(-eta))).astype(int), truth
    if loss == "poisson":
        return X, rng.poisson(np.exp(eta)).astype(float), truth
    # Errors whose spread depends on the first feature, for the robust ones.
    spread = np.sqrt(0.2 + X[:, 0] ** 2) if loss == "uneven" else 1.0
    return X, eta + spread * rng.normal(size=ROWS), truth


def estimator(loss: str, constraint: str) -> Any:
    """An estimator of a loss; uneven errors are for least squares."""
    if loss == "logistic":
        return ConstrainedClassifier(constraint=constraint)
    return ConstrainedRegressor("squared" if loss == "uneven" else loss, constraint=constraint)


def coverage(loss: str, repeats: int, first: int = 0) -> dict[str, tuple[float, int]]:
    """For each kind of interval the share that holds the truth, and how many there were."""
    held: dict[str, list[bool]] = {"given": [], "given, robust": [], "chosen": [], "split": []}
    for seed in range(first, first + repeats):
        X, y, truth = drawn(loss, seed)
        model = estimator(loss, "none").fit(X[:, :CHOSEN], y)
        tables = {
            "given": model.summary(X[:, :CHOSEN], y).coefficients,
            "given, robust": model.summary(X[:, :CHOSEN], y, covariance="hc1").coefficients,
        }
        found = estimator(loss, f"sparsity:{CHOSEN}").fit(X, y).summary(X, y, split=True, seed=seed)
        tables |= {"chosen": found.coefficients, "split": found.split}
        for name, table in tables.items():
            rows = table[table["feature"].notna()]
            at = truth[rows["feature"].astype(int)]
            held[name].extend(((rows["low"] <= at) & (at <= rows["high"])).tolist())
    return {name: (float(np.mean(all_held)), len(all_held)) for name, all_held in held.items()}
