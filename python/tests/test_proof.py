"""What certificates say about the global optimum."""

import itertools
import warnings

import numpy as np
import pytest

from proxdist import Ball, ConstrainedRegressor, Sparsity


def simulated(seed, rows=60, columns=22):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(rows, columns)) + 0.7 * generator.normal(size=(rows, 1))
    y = X[:, :6] @ [1, -1, 1, -1, 0.5, 0.3] + generator.normal(size=rows)
    return X * 10 ** generator.uniform(-2, 2, size=columns), y


def least(X, y, size):
    """F of the best subset."""
    X, y = X - X.mean(0), y - y.mean()
    gram, slope = X.T @ X, X.T @ y
    best = np.inf
    for support in itertools.combinations(range(X.shape[1]), size):
        at = np.ix_(support, support)
        best = min(best, y @ y - slope[list(support)] @ np.linalg.solve(gram[at], slope[list(support)]))
    return best / (2 * len(y))


@pytest.mark.parametrize("seed", [0, 1])
def test_a_proof_is_about_the_best_of_all_subsets(seed):
    X, y = simulated(seed)
    model = ConstrainedRegressor(constraint=Sparsity(6), prove=60.0).fit(X, y)
    assert model.certificate_["proven"] == "globally optimal, proven"
    assert model.objective_ <= least(X, y, 6) * (1 + 1.01e-6)
    assert model.certificate_["gap"] <= 1.01e-6 * model.objective_


def test_a_proof_that_is_short_of_time_says_how_far_it_got():
    X, y = simulated(2, rows=100, columns=60)
    model = ConstrainedRegressor(constraint=Sparsity(12), prove=0.02).fit(X, y)
    assert model.certificate_["proven"] is None or model.certificate_["proven"].startswith(("proven", "globally"))
    assert np.isfinite(model.trace_["bound"]).any()


def test_proofs_that_cannot_be_are_named():
    X, y = simulated(3)
    with pytest.warns(UserWarning, match="prove had no effect"):
        ConstrainedRegressor(constraint=Ball(1.0), prove=1.0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ConstrainedRegressor(constraint=Ball(1.0)).fit(X, y)
    with pytest.raises(ValueError, match="gap"):
        ConstrainedRegressor(constraint=Sparsity(2), gap=2.0).fit(X, y)
