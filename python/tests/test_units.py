"""A ridge weight means the same whatever the set: on standardised effects, or on raw coefficients with ``standardize=False``."""

import numpy as np
import pytest
from conftest import planted

from proxdist import ConstrainedRegressor, ConstrainedRegressorCV

UNITS = np.array([1.0, 1e-3, 10.0, 0.1, 100.0, 1e-2])
PAIRS = [("nonneg", "box:0,1e9"), ("none", "ball:1e9"), ("none", "l1:1e9"), ("sparsity:3", "sparsity:3 & ball:1e9")]


def stretched():
    """Columns over five decades, away from zero."""
    X, y, _ = planted(columns=6)
    return (X + 2) * UNITS, y


@pytest.mark.parametrize(("free", "bound"), PAIRS)
@pytest.mark.parametrize("standardize", ["auto", False])
def test_one_ridge_gives_one_model_whatever_the_set(free, bound, standardize):
    X, y = stretched()
    one, other = (
        ConstrainedRegressor(constraint=constraint, ridge=1.0, standardize=standardize).fit(X, y)
        for constraint in (free, bound)
    )
    np.testing.assert_allclose(one.coef_ * UNITS, other.coef_ * UNITS, rtol=0, atol=1e-7)
    assert one.standardized_ == (standardize == "auto") and not other.standardized_


@pytest.mark.parametrize("constraint", ["none", "ball:1e9"])
@pytest.mark.parametrize("standardize", ["auto", False])
def test_the_ridge_is_that_of_its_definition(constraint, standardize):
    X, y = stretched()
    model = ConstrainedRegressor(constraint=constraint, ridge=0.7, standardize=standardize).fit(X, y)
    weights = 0.7 * (np.ones(6) if standardize is False else X.var(axis=0))
    centred, n = X - X.mean(axis=0), len(y)
    exact = np.linalg.solve(centred.T @ centred / n + np.diag(weights), centred.T @ (y - y.mean()) / n)
    np.testing.assert_allclose(model.coef_ * UNITS, exact * UNITS, rtol=0, atol=1e-8)


def test_a_search_scores_equal_sets_equally():
    X, y = stretched()
    one, other = (
        ConstrainedRegressorCV(constraint=constraint, grid={"ridge": [0.1, 1.0]}, cv=4).fit(X, y)
        for constraint in ("nonneg", "box:0,1e9")
    )
    np.testing.assert_allclose(one.coef_ * UNITS, other.coef_ * UNITS, rtol=0, atol=1e-7)
