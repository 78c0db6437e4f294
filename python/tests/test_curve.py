"""Curves of one feature, against pool-adjacent-violators, scikit-learn and dynamic programming."""

import itertools
import json

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from proxdist import Convex, CurveRegressor, Jumps


@pytest.fixture
def both_columns(data_folder):
    def read(name):
        return np.loadtxt(data_folder / f"classic/{name}.csv", delimiter=",", skiprows=1, unpack=True)

    return read


@pytest.mark.parametrize("name", ["pituitary", "mendota", "global_temperature"])
def test_isotonic_regression_is_that_of_scikit_learn(both_columns, name):
    x, y = both_columns(name)
    for weights in (None, np.linspace(1.0, 3.0, len(y))):
        for increasing in (True, False):
            ours = CurveRegressor("increasing" if increasing else "decreasing").fit(x, y, sample_weight=weights)
            theirs = IsotonicRegression(increasing=increasing, out_of_bounds="clip").fit(x, y, sample_weight=weights)
            at = np.linspace(x.min() - 1, x.max() + 1, 77)
            np.testing.assert_allclose(ours.predict(x), theirs.predict(x), atol=1e-10)
            np.testing.assert_allclose(ours.predict(at), theirs.predict(at), atol=1e-10)
            assert ours.certificate_["gap"] <= 1e-10 * ours.objective_


def test_the_known_solutions_are_found(data_folder, both_columns):
    known = json.loads((data_folder / "classic/reference_solutions.json").read_text())
    for name in ["pituitary", "mendota", "global_temperature"]:
        x, y = both_columns(name)
        np.testing.assert_allclose(CurveRegressor().fit(x, y).values_, known[name]["fit"], atol=1e-9)


def changepoints(y, k):
    """The least sum of squares with k jumps: over all last pieces, each summed up afresh."""
    n = len(y)
    cost = {(i, j): ((y[i:j] - y[i:j].mean()) ** 2).sum() for i in range(n) for j in range(i + 1, n + 1)}
    best = {j: (cost[0, j], []) for j in range(1, n + 1)}
    for _ in range(k):
        best = {
            j: min([best[j], *((best[i][0] + cost[i, j], [*best[i][1], i]) for i in range(1, j))], key=lambda b: b[0])
            for j in range(1, n + 1)
        }
    return best[n]


@pytest.mark.parametrize("name", ["mendota", "global_temperature"])
def test_changepoints_are_those_of_dynamic_programming(both_columns, name):
    x, y = both_columns(name)
    for k in (1, 3):
        model = CurveRegressor(Jumps(k)).fit(x[:, None], y)
        squares, at = changepoints(y, k)
        assert list(model.breaks_) == [x[j] for j in at]
        assert np.isclose(2 * len(y) * model.objective_, squares, rtol=1e-10)
        assert model.certificate_["exchanges"] == "every-choice"
        assert model.predict([x[at[0]] - 1e-9])[0] == model.predict([x[at[0] - 1]])[0]


def test_kinks_are_the_best_of_all_and_places_count():
    rng = np.random.default_rng(3)
    x = np.sort(rng.uniform(0, 10, 15))
    y = np.abs(x - 4) + 0.2 * rng.normal(size=15)
    model = CurveRegressor("kinks:2").fit(x, y)
    best = min(
        np.linalg.lstsq(np.column_stack([np.ones(15), x, *(np.maximum(x - x[j], 0) for j in kinks)]), y)[1][0]
        for kinks in itertools.combinations(range(1, 14), 2)
    )
    assert np.isclose(2 * 15 * model.objective_, best, rtol=1e-9)
    assert len(model.breaks_) <= 2


def test_shapes_combine():
    x = np.linspace(0, 1, 30) ** 2
    y = np.exp(2 * x) + 0.3 * np.sin(40 * x)
    curve = CurveRegressor("increasing convex").fit(x, y)
    slopes = np.diff(curve.values_) / np.diff(curve.levels_)
    assert (slopes >= -1e-9).all() and (np.diff(slopes) >= -1e-7).all()
    assert curve.certificate_["gap"] <= 1e-8 * curve.objective_
    assert CurveRegressor(Convex()).fit(x, y).objective_ <= curve.objective_ + 1e-12
    with pytest.raises(ValueError, match="one feature"):
        CurveRegressor().fit(np.ones((3, 2)), [1, 2, 3])
