"""Weights of classes are weights of rows; D² is the share of the deviance that is explained."""

import numpy as np
import pytest
from conftest import planted, planted_classes
from sklearn.metrics import d2_log_loss_score, d2_pinball_score, d2_tweedie_score
from sklearn.utils.class_weight import compute_sample_weight

from proxdist import (
    ConstrainedClassifier,
    ConstrainedClassifierCV,
    ConstrainedOrdinal,
    ConstrainedRegressor,
    MatrixClassifier,
    Sparsity,
)


def classes(count):
    X, y, _ = planted_classes(rows=300, columns=6)
    return X, y if count == 2 else np.where(X[:, 1] > 0.8, 2, y)


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("weights", ["balanced", {0: 3.0, 1: 0.5}], ids=str)
@pytest.mark.parametrize(
    "estimator",
    [
        ConstrainedClassifier(constraint=Sparsity(3), ridge=1e-3),
        ConstrainedClassifier(constraint=Sparsity(3), ridge=1e-3, multi_class="ovr"),
        ConstrainedClassifier("squared_hinge", Sparsity(3), ridge=1e-3),
        ConstrainedClassifierCV(grid={"sparsity": [1, 3]}, cv=3, ridge=1e-3),
        ConstrainedOrdinal(Sparsity(3), ridge=1e-3),
        MatrixClassifier(ridge=1e-2),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_they_are_the_same_weights_of_rows(estimator, weights, count):
    X, y = classes(count)
    each = compute_sample_weight(weights, y)
    usual = np.linspace(0.5, 2, len(y))
    for own in (None, usual):
        weighed = estimator.set_params(class_weight=weights).fit(X, y, sample_weight=own).coef_
        expected = estimator.set_params(class_weight=None).fit(X, y, sample_weight=each if own is None else each * own)
        assert np.array_equal(weighed, expected.coef_)
    assert not np.array_equal(weighed, estimator.fit(X, y, sample_weight=usual).coef_)


def test_streams_proofs_and_summaries_weigh_as_the_fit():
    X, y = classes(2)
    weights = {0: 1.0, 1: 2.0}
    each = compute_sample_weight(weights, y)
    one = ConstrainedClassifier(constraint=Sparsity(2), ridge=1e-3, class_weight=weights).fit(X, y)
    other = ConstrainedClassifier(constraint=Sparsity(2), ridge=1e-3).fit(X, y, sample_weight=each)
    assert one.summary(X, y).facts["wald"] == other.summary(X, y, sample_weight=each).facts["wald"]
    assert one.certify(X, y, 1.0).objective_ == pytest.approx(other.objective_, rel=1e-9)
    # A score counts rows as they are.
    assert one.score(X, y) == np.mean(one.predict(X) == y)
    stream = ConstrainedClassifier(rho1=0.1, class_weight=weights).partial_fit(X, y, classes=[0, 1])
    plain = ConstrainedClassifier(rho1=0.1).partial_fit(X, y, classes=[0, 1], sample_weight=each)
    assert np.array_equal(stream.coef_, plain.coef_)
    with pytest.raises(ValueError, match="needs all rows at once"):
        ConstrainedClassifier(class_weight="balanced").partial_fit(X, y, classes=[0, 1])


def test_what_is_no_weight_is_refused():
    X, y = classes(2)
    for weights in ("fair", [1, 2]):
        with pytest.raises((ValueError, TypeError)):
            ConstrainedClassifier(class_weight=weights).fit(X, y)


def test_d2_is_that_of_scikit_learn():
    X, y = classes(2)
    weights = np.linspace(0.5, 2, len(y))
    model = ConstrainedClassifier(ridge=1e-3).fit(X, y)
    expected = d2_log_loss_score(y, model.predict_proba(X), sample_weight=weights)
    assert model.d2_score(X, y, sample_weight=weights) == pytest.approx(expected)
    X, y = classes(3)
    for kind in ("multinomial", "ovr"):
        model = ConstrainedClassifier(ridge=1e-3, multi_class=kind).fit(X, y)
        assert model.d2_score(X, y) == pytest.approx(d2_log_loss_score(y, model.predict_proba(X)))
    assert not hasattr(ConstrainedClassifier("squared_hinge"), "d2_score")
    X, eta, _ = planted(columns=5)
    counts = np.random.default_rng(1).poisson(np.exp(eta / 4)).astype(float)
    model = ConstrainedRegressor("poisson").fit(X, counts)
    assert model.d2_score(X, counts) == pytest.approx(d2_tweedie_score(counts, model.predict(X), power=1))
    model = ConstrainedRegressor("quantile:0.3").fit(X, eta)
    assert model.d2_score(X, eta) == pytest.approx(d2_pinball_score(eta, model.predict(X), alpha=0.3))
    model = ConstrainedRegressor(constraint=Sparsity(2)).fit(X, eta)
    assert model.d2_score(X, eta) == pytest.approx(model.score(X, eta))
