"""Ordered labels against statsmodels, cvxpy and enumeration, and the checks of scikit-learn."""

import warnings
from itertools import combinations

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import proxdist
from proxdist import Ball, ConstrainedOrdinal, L1Ball, NonNegative, Sparsity


@parametrize_with_checks([ConstrainedOrdinal(ridge=0.1), ConstrainedOrdinal(Sparsity(1), ridge=0.1)])
def test_every_check_of_scikit_learn_passes(estimator, check):
    check(estimator)


def drawn(seed, n=200, p=6, decades=5, labels=4):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, p)) + 0.6 * generator.normal(size=(n, 1))
    scales = 10.0 ** np.linspace(-decades / 2, decades / 2, p)
    latent = X[:, 0] - 0.7 * X[:, 2] + 0.4 * X[:, -1] + generator.logistic(size=n)
    y = np.digitize(latent, np.linspace(-1.5, 1.5, labels - 1))
    return X * scales, y


def test_estimates_are_those_of_statsmodels():
    ordinal = pytest.importorskip("statsmodels.miscmodels.ordinal_model")
    X, y = drawn(1, decades=1)
    peer_model = ordinal.OrderedModel(y, X, distr="logit")
    # Its line search may stop where only rounding is left and say so.
    warnings.filterwarnings("ignore", "Maximum Likelihood optimization failed")
    peer = peer_model.fit(method="bfgs", maxiter=1000, gtol=1e-10, disp=False)
    model = ConstrainedOrdinal().fit(X, y)
    np.testing.assert_allclose(model.coef_, peer.params[:6], rtol=1e-6, atol=1e-8)
    cuts = peer_model.transform_threshold_params(peer.params[6:])[1:-1]
    np.testing.assert_allclose(model.thresholds_, cuts, rtol=1e-6, atol=1e-8)
    assert model.objective_ * len(y) == pytest.approx(-peer.llf, rel=1e-9)
    np.testing.assert_allclose(model.predict_proba(X), peer_model.predict(peer.params, exog=X), atol=1e-8)


def test_two_labels_are_logistic_regression():
    linear = pytest.importorskip("sklearn.linear_model")
    X, y = drawn(2, decades=0, labels=2)
    weights = np.random.default_rng(0).random(len(y))
    peer = linear.LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000).fit(X, y, weights)
    model = ConstrainedOrdinal().fit(X, y, weights)
    np.testing.assert_allclose(model.coef_, peer.coef_[0], rtol=1e-5)
    np.testing.assert_allclose(model.decision_function(X), peer.decision_function(X), atol=1e-4)


def solved(X, y, weights, ridge, held=lambda cvxpy, theta: []):
    """The minimum by cvxpy, whose thresholds are variables like the coefficients."""
    cvxpy = pytest.importorskip("cvxpy")
    count, labels = X.shape[1], y.max() + 1
    theta, cuts = cvxpy.Variable(count), cvxpy.Variable(labels - 1)
    eta, total = X @ theta, weights.sum()
    terms, rules = [ridge / 2 * cvxpy.sum_squares(theta)], held(cvxpy, theta)
    for label in range(labels):
        rows, w = y == label, weights[y == label]
        if label < labels - 1:
            terms.append(w @ cvxpy.logistic(eta[rows] - cuts[label]) / total)
        if label > 0:
            terms.append(w @ cvxpy.logistic(cuts[label - 1] - eta[rows]) / total)
        if 0 < label < labels - 1:
            # -log(1 - exp(-gap)), for which there is no atom: s is not below it if exp(-gap) + exp(-s) <= 1.
            gap, least = cuts[label] - cuts[label - 1], cvxpy.Variable()
            terms.append(w.sum() * least / total)
            rules.append(cvxpy.log_sum_exp(cvxpy.hstack([-gap, -least])) <= 0)
    problem = cvxpy.Problem(cvxpy.Minimize(sum(terms)), rules)
    with warnings.catch_warnings():
        # It cannot tell whether it has all of the digits that it is asked for.
        warnings.filterwarnings("ignore", "Solution may be inaccurate")
        problem.solve(solver=cvxpy.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    return problem.value, theta.value, cuts.value


@pytest.mark.parametrize(
    ("constraint", "held"),
    [
        (None, lambda cvxpy, theta: []),
        (NonNegative(), lambda cvxpy, theta: [theta >= 0]),
        (Ball(0.6), lambda cvxpy, theta: [cvxpy.norm(theta) <= 0.6]),
        (L1Ball(0.9), lambda cvxpy, theta: [cvxpy.norm1(theta) <= 0.9]),
    ],
    ids=["none", "nonneg", "ball", "l1"],
)
def test_convex_sets_agree_with_cvxpy(constraint, held):
    X, y = drawn(3, n=80, decades=0)
    weights = np.random.default_rng(1).random(80)
    value, theta, cuts = solved(X, y, weights, 0.01, held)
    model = ConstrainedOrdinal(constraint, ridge=0.01, standardize=False).fit(X, y, weights)
    assert model.objective_ <= value + 1e-8
    np.testing.assert_allclose(model.coef_, theta, atol=2e-5)
    np.testing.assert_allclose(model.thresholds_, cuts, atol=2e-5)
    assert model.certificate_["gap"] < 1e-9


def test_sparse_models_are_the_best_of_all():
    X, y = drawn(4, n=90, p=5, decades=0)
    values = {chosen: solved(X[:, list(chosen)], y, np.ones(90), 0.0)[0] for chosen in combinations(range(5), 2)}
    best = min(values, key=values.get)
    model = ConstrainedOrdinal(Sparsity(2)).fit(X, y)
    assert tuple(model.support_) == best
    assert model.objective_ == pytest.approx(values[best], abs=1e-7)
    assert model.certificate_["exchanges"] == "every-choice"


def test_labels_have_the_order_that_is_told(tmp_path):
    X, y = drawn(5, labels=3)
    names = np.array(["low", "mid", "high"])[y]
    told = ConstrainedOrdinal(Sparsity(3), categories=["low", "mid", "high"]).fit(X, names)
    numbers = ConstrainedOrdinal(Sparsity(3)).fit(X, y)
    np.testing.assert_array_equal(told.coef_, numbers.coef_)
    np.testing.assert_array_equal(told.predict(X), np.array(["low", "mid", "high"])[numbers.predict(X)])
    np.testing.assert_allclose(told.predict_proba(X).sum(axis=1), 1.0)
    told.save(tmp_path / "model.json")
    again = proxdist.load(tmp_path / "model.json")
    assert isinstance(again, ConstrainedOrdinal)
    np.testing.assert_array_equal(again.predict(X), told.predict(X))
    np.testing.assert_array_equal(again.predict_proba(X), told.predict_proba(X))


def test_extreme_predictors_have_chances():
    X, y = drawn(6, decades=0)
    model = ConstrainedOrdinal().fit(X, y)
    far = model.predict_proba(np.vstack([X[0] * 1e4, -X[0] * 1e4]))
    assert np.isfinite(far).all()
    assert np.allclose(far.sum(axis=1), 1.0)


def test_what_cannot_be_fitted_is_refused():
    X, y = drawn(7, labels=3)
    with pytest.raises(ValueError, match='no row with a positive weight has the label "4"'):
        ConstrainedOrdinal(categories=[0, 1, 2, 4]).fit(X, y)
    with pytest.raises(ValueError, match="y has the label 2, which is not among the categories"):
        ConstrainedOrdinal(categories=[0, 1]).fit(X, y)
    with pytest.raises(ValueError, match='no row with a positive weight has the label "1"'):
        ConstrainedOrdinal().fit(X, y, np.where(y == 1, 0.0, 1.0))
    with pytest.raises(ValueError, match="only 1 class"):
        ConstrainedOrdinal().fit(X, np.zeros(len(X)))
