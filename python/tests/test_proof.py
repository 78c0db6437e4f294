"""What certificates say about the global optimum."""

import itertools
import warnings

import numpy as np
import pytest
from conftest import planted_classes

from proxdist import Ball, ConstrainedClassifier, ConstrainedRegressor, ConstrainedRegressorCV, Sparsity


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


def test_a_fitted_model_can_be_certified_later():
    X, y = simulated(0)
    model = ConstrainedRegressor(constraint=Sparsity(6)).fit(X, y)
    asked = ConstrainedRegressor(constraint=Sparsity(6), prove=60.0).fit(X, y)
    before, phases = model.objective_, list(model.trace_["phase"])
    assert model.certify(X, y, time_limit=60) is model
    assert model.certificate_["proven"] == "globally optimal, proven"
    assert model.certificate_["proven_text"].startswith("This is the global optimum")
    assert model.objective_ <= before * (1 + 1e-12)
    np.testing.assert_array_equal(model.support_, asked.support_)
    np.testing.assert_allclose(model.coef_, asked.coef_, rtol=1e-9)
    assert list(model.trace_["phase"])[: len(phases)] == phases
    assert (np.diff(model.trace_["seconds"]) >= 0).all()
    # What is known is not forgotten for want of time.
    proven = model.certificate_["gap"]
    assert model.certify(X, y, time_limit=1e-6).certificate_["gap"] <= proven
    assert model.get_params()["prove"] is None


def test_a_wrong_choice_is_replaced_and_never_claimed():
    X, y = simulated(1)
    model = ConstrainedRegressor(constraint=Sparsity(6)).fit(X, y)
    best = least(X, y, 6)
    wrong = np.zeros(X.shape[1])
    wrong[-6:] = np.linalg.lstsq(X[:, -6:] - X[:, -6:].mean(0), y - y.mean(), rcond=None)[0]
    residual = y - y.mean() - (X - X.mean(0)) @ wrong
    model._results[0] |= {
        "coef": wrong,
        "intercept": y.mean() - X.mean(0) @ wrong,
        "objective": 0.5 * np.mean(residual**2),
        "certificate": None,
    }
    hasty = model.certify(X, y, time_limit=1e-6)
    gap = hasty.certificate_["gap"]
    assert hasty.objective_ - (np.inf if gap is None else gap) <= best * (1 + 1e-9)
    model.certify(X, y, time_limit=60)
    assert model.objective_ <= best * (1 + 1.01e-6)
    assert model.certificate_["proven"] == "globally optimal, proven"
    np.testing.assert_array_equal(np.flatnonzero(model.coef_), model.support_)


def test_searches_and_several_classes_can_be_certified():
    X, y = simulated(2, rows=80, columns=10)
    search = ConstrainedRegressorCV(grid={"sparsity": [2, 3]}, ridge=0.01, cv=3).fit(X, y)
    search.certify(X, y, time_limit=20)
    assert search.certificate_["proven"] == "globally optimal, proven"
    assert len(search.support_) <= search.best_params_["sparsity"]
    features, classes, _ = planted_classes()
    three = np.where(features[:, 0] > 1, 2, classes)
    several = ConstrainedClassifier(constraint=Sparsity(1), ridge=0.1, multi_class="ovr").fit(features, three)
    several.certify(features, three, time_limit=5)
    assert [found["proven"] is not None for found in several.certificate_] == [True] * 3
    with pytest.raises(ValueError, match="not among the classes"):
        several.certify(features, three + 5)


def test_a_report_says_what_was_proven_and_shows_how_it_closed(tmp_path):
    X, y = simulated(0)
    model = ConstrainedRegressor(constraint=Sparsity(6), prove=60.0).fit(X, y)
    model.report(tmp_path / "page.html", X, y)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<h2>What is certain</h2>" in page
    assert "This is the global optimum" in page


def test_memory_is_bytes_or_text_and_changes_no_choice():
    X, y = simulated(0)
    fits = [ConstrainedRegressor(constraint=Sparsity(6), prove=60.0, memory=memory).fit(X, y) for memory in ("2G", 1)]
    for model in fits:
        assert model.certificate_["proven"] == "globally optimal, proven"
    np.testing.assert_array_equal(fits[0].coef_, fits[1].coef_)
    with pytest.raises(ValueError, match="memory must be an amount of memory"):
        ConstrainedRegressor(constraint=Sparsity(2), memory="lots").fit(X, y)


def test_proofs_that_cannot_be_are_named():
    X, y = simulated(3)
    with pytest.warns(UserWarning, match="prove had no effect"):
        ConstrainedRegressor(constraint=Ball(1.0), prove=1.0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ball = ConstrainedRegressor(constraint=Ball(1.0)).fit(X, y)
    with pytest.warns(UserWarning, match="certify had no effect"):
        ball.certify(X, y, time_limit=1.0)
    with pytest.raises(ValueError, match="gap"):
        ConstrainedRegressor(constraint=Sparsity(2), gap=2.0).fit(X, y)
