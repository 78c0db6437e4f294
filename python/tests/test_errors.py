"""Mistakes get an exception in the library's words, of the kind that Python people expect; never a panic."""

import warnings

import numpy as np
import pytest
from conftest import planted, planted_classes
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GroupKFold

from proxdist import (
    ConstrainedClassifier,
    ConstrainedClassifierCV,
    ConstrainedRegressor,
    ConstrainedRegressorCV,
    MatrixRegressor,
    Rank,
    Sparsity,
)

X, Y, _ = planted(rows=60, columns=5)


@pytest.mark.parametrize(
    ("parameters", "kind", "message"),
    [
        ({"constraint": "sparsity:99"}, ValueError, "constraint sparsity:99: "),
        ({"constraint": "rank:1"}, ValueError, "rank needs a matrix"),
        ({"constraint": "nonsense"}, ValueError, "cannot read"),
        ({"constraint": 7}, TypeError, "a constraint is"),
        ({"loss": "logistic"}, ValueError, "loss must be one of"),
        ({"loss": "huber:-1"}, ValueError, "huber delta must be positive"),
        ({"ridge": -1.0}, ValueError, "ridge must be from 0 to 1e70"),
        ({"ridge": float("nan")}, ValueError, "ridge must be"),
        ({"rho1": 0.0}, ValueError, "rho1 must be"),
        ({"rho1": "fast"}, ValueError, "rho1 must be positive and finite, or auto, got fast"),
        ({"gamma": -1.0}, ValueError, "gamma must be"),
        ({"batch_size": 0}, ValueError, "batch_size must be at least 1"),
        ({"batch_size": 1000}, ValueError, "batch_size must be from 1 to the number of rows, 60"),
        ({"batch_size": 2.5}, TypeError, "batch_size must be a whole number"),
        ({"max_steps": 0}, ValueError, "max_steps must be at least 1"),
        ({"max_passes": 0.0}, ValueError, "max_passes must be positive"),
        ({"time_limit": -1.0}, ValueError, "time_limit must be a positive"),
        ({"time_limit": float("nan")}, ValueError, "time_limit must be a positive"),
        ({"tol": 0.0}, ValueError, "tol must be positive"),
        ({"stop": "never"}, ValueError, "stop must be one of"),
        ({"sampling": "lucky"}, ValueError, "sampling must be one of"),
        ({"standardize": "yes"}, ValueError, "standardize must be"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be from 1 to 1024"),
        ({"random_state": -1}, ValueError, "random_state must be a whole number from 0"),
        ({"random_state": "dice"}, ValueError, "cannot be used to seed"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_bad_parameter_is_named(parameters, kind, message):
    with pytest.raises(kind, match=message):
        ConstrainedRegressor(**parameters).fit(X, Y)


def test_bad_data_are_named():
    with pytest.raises(ValueError, match="NaN"):
        ConstrainedRegressor().fit(np.where(X > 1, np.nan, X), Y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        ConstrainedRegressor().fit(X, Y[:-1])
    with pytest.raises(ValueError, match="offset has shape"):
        ConstrainedRegressor().fit(X, Y, offset=Y[:-1])
    with pytest.raises(ValueError, match="offset contains NaN"):
        ConstrainedRegressor().fit(X, Y, offset=Y * np.nan)
    with pytest.raises(ValueError, match="at least one non-zero"):
        ConstrainedRegressor().fit(X, Y, sample_weight=np.zeros(60))
    with pytest.raises(ValueError, match="the poisson loss needs counts or rates"):
        ConstrainedRegressor("poisson").fit(X, -np.abs(Y))
    with pytest.raises(ValueError, match="only 1 class"):
        ConstrainedClassifier().fit(X, np.ones(60))
    with pytest.raises(ValueError, match="does not fit 5 features"):
        MatrixRegressor((2, 3)).fit(X, Y)
    with pytest.raises(ValueError, match="2x3 matrices, but shape is"):
        MatrixRegressor((3, 2)).fit(np.zeros((60, 2, 3)), Y)
    with pytest.raises(ValueError, match="rank at most"):
        MatrixRegressor(constraint=Rank(9)).fit(np.zeros((60, 2, 3)), Y)


def test_a_loss_that_overflows_says_so():
    with pytest.raises((OverflowError, RuntimeError)):
        ConstrainedRegressor("poisson", constraint="box:1,2", standardize=False).fit(X * 1e6, np.abs(Y))


def test_a_bad_search_is_named():
    for grid, message in [
        ({"nonsense": [1]}, "no such axis"),
        ({"sparsity": [1.5]}, "whole numbers"),
        ({"sparsity": [99]}, "sparsity:99"),
    ]:
        with pytest.raises(ValueError, match=message):
            ConstrainedRegressorCV(grid=grid).fit(X, Y)
    with pytest.raises(TypeError, match="grid is a dictionary"):
        ConstrainedRegressorCV(grid=["sparsity:5"]).fit(X, Y)
    with pytest.raises(ValueError, match="folds need a row each, but n_samples = 60"):
        ConstrainedRegressorCV(cv=99).fit(X, Y)
    with pytest.raises(ValueError, match="row 1 on both sides"):
        ConstrainedRegressorCV(cv=[([0, 1, 2], [1, 5])]).fit(X, Y)
    with pytest.raises(ValueError, match="whole numbers from 0"):
        ConstrainedRegressorCV(cv=[([0, 1, 2], [-1])]).fit(X, Y)
    with pytest.raises(ValueError, match="no splits"):
        ConstrainedRegressorCV(cv=[]).fit(X, Y)
    with pytest.raises(ValueError, match="groups has 3 entries, expected 60"):
        ConstrainedRegressorCV(cv=GroupKFold(2)).fit(X, Y, groups=[1, 2, 3])
    with pytest.raises(ValueError, match="choice must be"):
        ConstrainedRegressorCV(choice="worst").fit(X, Y)
    with pytest.raises(ValueError, match="no such score"):
        ConstrainedClassifierCV(scoring="luck").fit(*planted_classes()[:2])
    with pytest.raises(TypeError, match="a set with a name"):
        ConstrainedRegressorCV(constraint=lambda x: x).fit(X, Y)


def test_an_estimator_that_is_not_fitted_says_so():
    for call in (
        lambda m: m.predict(X),
        lambda m: m.save("nowhere.json"),
        lambda m: m.trace_,
        lambda m: m.plot_coefficients(),
    ):
        with pytest.raises(NotFittedError):
            call(ConstrainedRegressor())


def test_not_having_converged_is_a_warning():
    with pytest.warns(ConvergenceWarning, match="max-steps"):
        model = ConstrainedRegressor(constraint="ball:1", polish=False, max_steps=3).fit(X, Y)
    assert model.stop_reason_ == "max-steps"
    assert model.n_iter_ == 3


def test_probabilities_of_a_loss_without_them_are_an_attribute_error():
    model = ConstrainedClassifier("squared_hinge").fit(*planted_classes()[:2])
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="predict_proba"):
        model.predict_proba(X)


def test_a_loss_for_another_task_is_refused_with_those_that_fit():
    with pytest.raises(ValueError, match="loss must be one of logistic, squared_hinge, hinge, or"):
        ConstrainedClassifier("huber:2").fit(*planted_classes()[:2])
    known = "squared, huber, poisson, gamma, tweedie, negative_binomial, quantile, absolute"
    with pytest.raises(ValueError, match=f"loss must be one of {known}, or"):
        ConstrainedRegressor("squared_hinge").fit(X, Y)
    for model in (ConstrainedClassifier("logit"), ConstrainedRegressor("logit")):
        assert not hasattr(model, "predict_proba")
        with pytest.raises(ValueError, match=r"no such loss; did you mean logistic\? the losses are squared"):
            model.fit(X, Y > 0)


def test_counts_are_known_to_be_positive_whatever_the_loss_is_called():
    losses = ("poisson", "huber:2", "nonsense", "squared + poisson", "gamma", "tweedie")
    tags = [ConstrainedRegressor(loss).__sklearn_tags__().target_tags.positive_only for loss in losses]
    assert tags == [True, False, False, True, True, True]


def test_threads_beyond_reason_are_refused():
    X, y, _ = planted(columns=4)
    with pytest.raises(ValueError, match="n_jobs must be from 1 to 1024"):
        ConstrainedRegressor(n_jobs=100_000).fit(X, y)


def test_classes_that_a_model_separates_are_warned_of():
    X = np.linspace(-1.0, 1.0, 40)[:, None] + np.array([0.0, 0.01, -0.02])
    y = (X[:, 0] > 0).astype(int)
    with pytest.warns(UserWarning, match="separates the classes of all rows.*ridge > 0"):
        ConstrainedClassifier(constraint=Sparsity(1)).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ConstrainedClassifier(constraint=Sparsity(1), ridge=0.1).fit(X, y)
        ConstrainedRegressor(constraint=Sparsity(1)).fit(X, X[:, 0])
