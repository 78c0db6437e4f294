"""Blocks of rows that are seen once, and fits that go on from the one before."""

import numpy as np
import pytest
from conftest import planted, planted_classes

from proxdist import ConstrainedClassifier, ConstrainedRegressor, Sparsity


def test_a_stream_of_blocks_finds_the_planted_support():
    X, y, theta = planted(rows=6000, seed=2)
    model = ConstrainedRegressor(constraint=Sparsity(3))
    steps = []
    for start in range(0, 6000, 500):
        model.partial_fit(X[start : start + 500], y[start : start + 500])
        steps.append(model.n_iter_)
        assert np.count_nonzero(model.coef_) <= 3
    assert set(model.support_) == set(np.flatnonzero(theta))
    assert np.abs(model.coef_ - theta).max() < 0.1
    assert np.array_equal(np.diff(steps), [8] * 11)
    assert (model.stop_reason_, model.certificate_) == ("partial", None)


def test_one_block_and_seed_give_the_same_stream():
    X, y, _ = planted(rows=1000)
    first, second = (ConstrainedRegressor(constraint=Sparsity(3)) for _ in range(2))
    for start in (0, 300, 700):
        for model in (first, second):
            model.partial_fit(X[start : start + 300], y[start : start + 300])
    assert np.array_equal(first.coef_, second.coef_)


def test_a_stream_goes_on_from_a_fit():
    X, y, _ = planted(rows=1000)
    # A penalty of its own, or the stream would begin with a race for one.
    model = ConstrainedRegressor(constraint=Sparsity(3), rho1=0.1).fit(X[:500], y[:500])
    steps, before = model.n_iter_, model.coef_.copy()
    model.partial_fit(X[500:], y[500:])
    assert model.n_iter_ == steps + 8
    assert np.abs(model.coef_ - before).max() < 0.2


def test_a_stream_of_labels_needs_to_know_them():
    X, y, theta = planted_classes(rows=4000, seed=3)
    model = ConstrainedClassifier(constraint=Sparsity(3))
    with pytest.raises(ValueError, match="classes must be passed"):
        model.partial_fit(X, y)
    for start in range(0, 4000, 400):
        model.partial_fit(X[start : start + 400], y[start : start + 400], classes=[0, 1])
    assert set(model.support_) == set(np.flatnonzero(theta))
    with pytest.raises(ValueError, match="label 7"):
        model.partial_fit(X[:2], [7, 0])


def test_a_warm_start_ends_where_a_cold_one_does_and_a_stream_cannot_be_scaled():
    X, y, _ = planted()
    warm = ConstrainedRegressor(constraint=Sparsity(5), warm_start=True).fit(X, y)
    warm.set_params(constraint=Sparsity(3)).fit(X, y)
    assert np.allclose(warm.coef_, ConstrainedRegressor(constraint=Sparsity(3)).fit(X, y).coef_, atol=1e-8)
    with pytest.raises(ValueError, match="all rows at once"):
        ConstrainedRegressor(standardize=True).partial_fit(X, y)


def test_a_warm_start_with_no_steps_to_take_stays_where_it_is():
    X, y, _ = planted()
    model = ConstrainedRegressor(constraint="ball:1", polish=False, warm_start=True, rho1=1e6, max_steps=1)
    cold = ConstrainedRegressor(constraint="ball:1").fit(X, y)
    model.fit(X, y)
    model._results[0] |= {"coef": cold.coef_, "intercept": cold.intercept_}
    assert np.allclose(model.fit(X, y).coef_, cold.coef_, atol=1e-4)
