"""Sizes of Cox and ordinal models and of losses with a kink: criteria and held-out scores against loops of single fits."""

import itertools
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import QuantileRegressor
from sklearn.model_selection import KFold

from proxdist import (
    ConstrainedCox,
    ConstrainedCoxCV,
    ConstrainedOrdinal,
    ConstrainedOrdinalCV,
    ConstrainedRegressorCV,
    SparsePath,
    Sparsity,
)


def survival(seed, rows=90, features=5):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(rows, features)) * 10.0 ** np.arange(-2, features - 2)
    eta = 120.0 * X[:, 0] - 0.8 * X[:, 2]
    died, left = generator.exponential(size=rows) * np.exp(-eta), generator.uniform(0.3, 3.0, size=rows)
    labels = np.digitize(eta + generator.logistic(size=rows), [-0.8, 0.9])
    labels[:9] = np.arange(9) % 3
    return X, np.ceil(20 * np.minimum(died, left)) / 20, (died <= left).astype(float), labels


def test_criteria_count_events_and_choose_the_least():
    X, time, event, _ = survival(0)
    model = ConstrainedCoxCV({"sparsity": range(1, 5)}, choice="bic").fit(X, time, event)
    path = model.path_
    assert path["count"] == int(event.sum())
    for at, size in enumerate(range(1, 5)):
        alone = ConstrainedCox(Sparsity(size)).fit(X, time, event)
        assert path["objective"][at] == pytest.approx(alone.objective_, rel=1e-10)
        assert path["bic"][at] == pytest.approx(2 * len(X) * alone.objective_ + size * np.log(event.sum()), rel=1e-9)
        assert np.allclose(path["coefs"][at], alone.coef_, rtol=1e-6, atol=1e-9)
    chosen = int(np.argmin(path["bic"]))
    assert model.best_index_ == chosen and len(model.support_) == chosen + 1
    assert model.constraint_ == Sparsity(chosen + 1) and model.ridge_ == 0.0


@pytest.mark.parametrize("scoring", ["loss", "concordance"])
def test_held_out_scores_are_those_of_single_fits(scoring):
    X, time, event, _ = survival(1)
    splits = list(KFold(3, shuffle=True, random_state=0).split(X))
    grid = {"ridge": [0.0, 0.1], "sparsity": [1, 2]}
    model = ConstrainedCoxCV(grid, cv=splits, scoring=scoring, choice="best", ties="breslow").fit(X, time, event)
    for at, params in enumerate(model.cv_results_["params"]):
        for fold, (train, test) in enumerate(splits):
            alone = ConstrainedCox(Sparsity(params["sparsity"]), ridge=params["ridge"], ties="breslow")
            alone.fit(X[train], time[train], event[train])
            found = model.cv_results_[f"split{fold}_test_score"][at]
            if scoring == "concordance":
                assert found == pytest.approx(alone.score(X[test], time[test], event[test]), abs=1e-9)
                continue
            both = np.concatenate([train, test])

            def log_likelihood(rows, coef=alone.coef_):
                eta = X[rows] @ coef
                at_risk = time[rows][None, :] >= time[rows][:, None]
                return float(np.sum(event[rows] * (eta - np.log(at_risk @ np.exp(eta)))))

            expected = 2 * (log_likelihood(both) - log_likelihood(train)) / len(test)
            assert found == pytest.approx(expected, rel=1e-7)
    assert model.best_score_ == model.cv_results_["mean_test_score"].max()


def test_ordered_labels_are_chosen_alike_and_estimators_are_cloned():
    X, _, _, labels = survival(2)
    names = np.array(["low", "mid", "high"])[labels]
    asked = ConstrainedOrdinalCV({"sparsity": "1-3"}, cv=4, categories=["low", "mid", "high"], ridge=0.01)
    model = clone(asked).fit(X, names)
    again = clone(asked).fit(X, names)
    assert np.array_equal(model.cv_results_["mean_test_score"], again.cv_results_["mean_test_score"])
    size = model.best_params_["sparsity"]
    alone = ConstrainedOrdinal(Sparsity(size), categories=["low", "mid", "high"], ridge=0.01).fit(X, names)
    assert np.allclose(model.coef_, alone.coef_, rtol=1e-6, atol=1e-9)
    assert model.predict_proba(X[:2]).shape == (2, 3)
    assert asked.get_params()["scoring"] == "loss"
    with pytest.raises(ValueError, match="scoring must be one of loss, accuracy"):
        ConstrainedOrdinalCV(scoring="auc").fit(X, labels)
    with pytest.raises(ValueError, match="folds need a row of it each"):
        ConstrainedOrdinalCV(cv=40).fit(X, labels)


def test_a_likelihood_without_a_maximum_warns_and_claims_nothing():
    generator = np.random.default_rng(3)
    time = np.arange(1.0, 41.0)
    first = generator.normal(size=40)
    # Neither column orders the deaths, their sum does.
    X = np.column_stack([first, -0.2 * time - first, generator.normal(size=40)])
    with pytest.warns(UserWarning, match="F has no minimum.*ridge"):
        model = ConstrainedCox(Sparsity(2)).fit(X, time, np.arange(40) % 3 > 0)
    assert model.certificate_["gap"] is None and model.certificate_["exchanges"] == "cut-short"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ConstrainedCox(Sparsity(2), ridge=1e-2).fit(X, time, np.arange(40) % 3 > 0)
        ConstrainedCox(Sparsity(1)).fit(X, time, np.arange(40) % 3 > 0)


@pytest.mark.parametrize("level", [0.5, 0.8])
def test_paths_of_quantiles_are_the_best_of_every_choice(level):
    generator = np.random.default_rng(4)
    X = generator.normal(size=(50, 4))
    y = X[:, 0] - 0.5 * X[:, 2] + generator.standard_t(3, size=50)
    path = SparsePath(f"quantile:{level}", 3, cv=None).fit(X, y)
    assert path.aic_ is None
    for size in (1, 2, 3):
        best = min(
            _pinball(X[:, list(columns)], y, level) for columns in itertools.combinations(range(4), size)
        )
        at = int(np.flatnonzero(path.sizes_ == size)[0])
        assert path.objective_[at] == pytest.approx(best, rel=1e-7)
    chosen = ConstrainedRegressorCV(f"quantile:{level}", {"sparsity": [1, 2, 3]}, cv=4, ridge=0.0).fit(X, y)
    assert 1 <= chosen.best_params_["sparsity"] <= 3


def _pinball(X, y, level):
    model = QuantileRegressor(quantile=level, alpha=0.0, solver="highs").fit(X, y)
    residual = y - model.predict(X)
    return float(np.mean(np.maximum(level * residual, (level - 1) * residual)))
