"""Blocks of rows that are seen once, and fits that go on from the one before."""

import copy
import pickle

import numpy as np
import pytest
from conftest import planted, planted_classes
from scipy import sparse

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


def test_a_warm_start_ends_where_a_cold_one_does():
    X, y, _ = planted()
    warm = ConstrainedRegressor(constraint=Sparsity(5), warm_start=True).fit(X, y)
    warm.set_params(constraint=Sparsity(3)).fit(X, y)
    assert np.allclose(warm.coef_, ConstrainedRegressor(constraint=Sparsity(3)).fit(X, y).coef_, atol=1e-8)


def in_blocks(model, X, y, size=500, **rows):
    for start in range(0, len(y), size):
        part = slice(start, start + size)
        model.partial_fit(X[part], y[part], **{name: values[part] for name, values in rows.items()})
    return model


def test_a_stream_in_raw_units_is_scaled_as_it_goes():
    X, y, theta = planted(rows=8000, seed=4)
    units = 10.0 ** (np.arange(30) % 6 - 2)
    for standardize in ("auto", True):
        model = in_blocks(ConstrainedRegressor(constraint=Sparsity(3), standardize=standardize), 5 * units + X * units, y)
        assert model.standardized_
        assert set(model.support_) == set(np.flatnonzero(theta))
        assert np.abs(model.coef_ * units - theta).max() < 0.1
    with pytest.raises(ValueError, match="where the set depends on the units"):
        ConstrainedRegressor(constraint="ball:1", standardize=True).partial_fit(X, y)
    assert not in_blocks(ConstrainedRegressor(constraint="ball:1"), X, y).standardized_


def test_a_half_life_follows_a_drift():
    before, y_before, _ = planted(rows=12_000, seed=5)
    after, y_after, theta = planted(rows=6000, seed=6)
    for half_life in (500, None):
        model = in_blocks(ConstrainedRegressor(constraint=Sparsity(3), rho1=1.0, half_life=half_life), before, y_before)
        in_blocks(model, after, y_after)
        is_followed = set(model.support_) == set(np.flatnonzero(theta))
        assert is_followed == (half_life is not None)
    with pytest.raises(ValueError, match="half_life must be positive"):
        ConstrainedRegressor(half_life=-1).partial_fit(after, y_after)


def test_scores_are_of_rows_before_they_are_learned():
    X, y, _ = planted(rows=3000, seed=7)
    weights = np.random.default_rng(1).uniform(0, 2, size=3000)
    model = in_blocks(ConstrainedRegressor(constraint=Sparsity(3)), X[:2500], y[:2500], sample_weight=weights[:2500])
    held_out, errors = weights[2500:], model.predict(X[2500:]) - y[2500:]
    model.partial_fit(X[2500:], y[2500:], sample_weight=held_out)
    block = model.stream_["block"]
    assert np.isclose(block["loss"], 0.5 * np.average(errors**2, weights=held_out), rtol=1e-12)
    spread = np.average((y[2500:] - np.average(y[2500:], weights=held_out)) ** 2, weights=held_out)
    assert np.isclose(block["r_squared"], 1 - np.average(errors**2, weights=held_out) / spread, rtol=1e-12)
    assert model.stream_["rows"] == 3000
    assert model.stream_["running"]["accuracy"] is None
    labels = in_blocks(ConstrainedClassifier(constraint=Sparsity(3)).partial_fit(X, y > 0, classes=[False, True]), X, y > 0)
    assert labels.stream_["block"]["accuracy"] > 0.9
    three = ConstrainedClassifier(constraint=Sparsity(3)).partial_fit(X, np.digitize(y, [-1, 1]), classes=[0, 1, 2])
    assert [stream["rows"] for stream in three.stream_] == [3000] * 3


def test_sparse_rows_are_a_stream_too():
    X, y, theta = planted(rows=6000, seed=8)
    X = X * (np.random.default_rng(2).random(X.shape) < 0.3)
    y = X @ theta + 0.1 * np.random.default_rng(3).normal(size=6000)
    model = in_blocks(ConstrainedRegressor(constraint=Sparsity(3)), sparse.csr_matrix(X), y)
    assert set(model.support_) == set(np.flatnonzero(theta))
    with pytest.raises(ValueError, match="dense or sparse as the first block was"):
        model.partial_fit(X, y)
    # The stream is as it was, and goes on.
    assert in_blocks(model, sparse.csr_matrix(X), y).stream_["rows"] == 12_000


def test_the_finish_is_that_of_the_sample(tmp_path):
    X, y, theta = planted(rows=2000, seed=9)
    model = in_blocks(ConstrainedRegressor(constraint=Sparsity(3), reservoir=2000), X, y)
    streamed = model.coef_.copy()
    assert model.stream_["sample_rows"] == 2000
    with pytest.raises(ValueError, match="finish_stream"):
        model.save(tmp_path / "model.json")
    model.finish_stream()
    whole = ConstrainedRegressor(constraint=Sparsity(3)).fit(X, y)
    assert np.allclose(model.coef_, whole.coef_, rtol=1e-9)
    assert (model.certificate_["measured_on"], model.certificate_["measured_rows"]) == ("sample", 2000)
    model.save(tmp_path / "model.json")
    assert '"measured_on": "sample"' in (tmp_path / "model.json").read_text()
    # The stream itself has stayed where it was.
    twin = in_blocks(ConstrainedRegressor(constraint=Sparsity(3), reservoir=2000), X, y)
    assert np.array_equal(twin.coef_, streamed)
    assert np.array_equal(model.partial_fit(X, y).coef_, twin.partial_fit(X, y).coef_)
    with pytest.raises(ValueError, match="reservoir must be a sample of at least one row"):
        ConstrainedRegressor(constraint=Sparsity(3)).partial_fit(X, y).finish_stream()
    with pytest.raises(ValueError, match="call partial_fit first"):
        whole.finish_stream()


@pytest.mark.parametrize("copied", [lambda model: pickle.loads(pickle.dumps(model)), copy.deepcopy], ids=["pickle", "copy"])
def test_a_stream_goes_on_with_the_same_bits_elsewhere(copied):
    X, y, _ = planted(rows=2000, seed=10)
    model = in_blocks(ConstrainedRegressor(constraint=Sparsity(3), reservoir=50, half_life=800), X[:1000], y[:1000])
    other = copied(model)
    for stream in (model, other):
        in_blocks(stream, X[1000:], y[1000:])
    assert np.array_equal(model.coef_, other.coef_)
    assert np.array_equal(model.finish_stream().coef_, other.finish_stream().coef_)


def test_a_stream_is_held_to_its_parameters_and_a_fit_ends_it():
    X, y, _ = planted(rows=1000)
    model = ConstrainedRegressor(constraint=Sparsity(3)).partial_fit(X, y)
    with pytest.raises(ValueError, match="half_life none, not 10"):
        model.set_params(half_life=10).partial_fit(X, y)
    model.set_params(half_life=None).partial_fit(X, y)
    assert model.stream_["rows"] == 2000
    assert not hasattr(model.fit(X, y), "stream_")
    assert model.partial_fit(X, y).stream_["rows"] == 1000


def test_a_warm_start_with_no_steps_to_take_stays_where_it_is():
    X, y, _ = planted()
    model = ConstrainedRegressor(constraint="ball:1", polish=False, warm_start=True, rho1=1e6, max_steps=1)
    cold = ConstrainedRegressor(constraint="ball:1").fit(X, y)
    model.fit(X, y)
    model._results[0] |= {"coef": cold.coef_, "intercept": cold.intercept_}
    assert np.allclose(model.fit(X, y).coef_, cold.coef_, atol=1e-4)
