"""Losses against independent implementations: statsmodels and scikit-learn."""

import itertools

import numpy as np
import pytest
from sklearn.metrics import d2_tweedie_score

from proxdist import Ball, ConstrainedClassifier, ConstrainedRegressor, ConstrainedRegressorCV, SparsePath

GENERATOR = np.random.default_rng(7)
X = GENERATOR.normal(size=(300, 4))
ETA = X @ np.array([0.4, -0.3, 0.2, 0.0]) + 0.5
AMOUNTS = np.exp(ETA) * GENERATOR.gamma(2.0, 0.5, size=300)
COUNTS = GENERATOR.poisson(np.exp(ETA) * GENERATOR.gamma(1.5, 1 / 1.5, size=300)).astype(float)
CLAIMS = np.array([GENERATOR.gamma(2.0, 0.4, size=k).sum() for k in GENERATOR.poisson(np.exp(ETA))])
WEIGHTS = GENERATOR.uniform(0.2, 2.0, size=300)
EXPOSURE = GENERATOR.uniform(0.1, 3.0, size=300)
NUMBERS = X @ np.array([1.0, -2.0, 0.5, 0.0]) + GENERATOR.standard_t(3, size=300)


def family(name):
    sm = pytest.importorskip("statsmodels.api")
    link = sm.families.links.Log()
    return {
        "gamma": (sm.families.Gamma(link), AMOUNTS),
        "tweedie:1.3": (sm.families.Tweedie(link, var_power=1.3), CLAIMS),
        "tweedie:1.8": (sm.families.Tweedie(link, var_power=1.8), CLAIMS),
        "negative_binomial:0.7": (sm.families.NegativeBinomial(link, alpha=0.7), COUNTS),
        "poisson": (sm.families.Poisson(link), COUNTS),
    }[name]


@pytest.mark.parametrize("name", ["gamma", "tweedie:1.3", "tweedie:1.8", "negative_binomial:0.7"])
def test_without_a_set_estimates_and_deviance_are_those_of_statsmodels(name):
    sm = pytest.importorskip("statsmodels.api")
    distribution, y = family(name)
    model = ConstrainedRegressor(name).fit(X, y, sample_weight=WEIGHTS, exposure=EXPOSURE)
    design = sm.add_constant(X)
    peer = sm.GLM(y, design, family=distribution, var_weights=WEIGHTS, offset=np.log(EXPOSURE))
    peer = peer.fit(tol=1e-12, maxiter=200)
    assert np.allclose(np.r_[model.intercept_, model.coef_], peer.params, atol=1e-6)
    assert 2 * model.objective_ * WEIGHTS.sum() == pytest.approx(peer.deviance, rel=1e-8)
    assert np.allclose(model.predict(X, exposure=EXPOSURE), peer.predict(design, offset=np.log(EXPOSURE)), rtol=1e-6)
    assert np.allclose(model.predict(X, exposure=EXPOSURE), model.predict(X, offset=np.log(EXPOSURE)))


@pytest.mark.parametrize(("name", "power"), [("gamma", 2), ("tweedie:1.3", 1.3), ("poisson", 1)])
def test_scores_are_the_share_of_the_deviance(name, power):
    y = family(name)[1]
    model = ConstrainedRegressor(name, "sparsity:2").fit(X, y)
    assert model.score(X, y) == pytest.approx(d2_tweedie_score(y, model.predict(X), power=power))
    weighted = d2_tweedie_score(y, model.predict(X), sample_weight=WEIGHTS, power=power)
    assert model.score(X, y, WEIGHTS) == pytest.approx(weighted)
    search = ConstrainedRegressorCV(name, {"sparsity": [1, 3]}, cv=3, scoring="d2").fit(X, y)
    assert np.all(search.cv_results_["mean_test_score"] < 1)
    assert search.cv_results_["mean_test_score"][1] == pytest.approx(search.score(X, y), abs=0.2)
    deviance = ConstrainedRegressorCV(name, {"sparsity": [1, 3]}, cv=3, scoring="deviance").fit(X, y)
    assert np.all(deviance.cv_results_["mean_test_score"] < 0)


def test_sparse_models_are_the_best_of_all_supports():
    for name, y in [("gamma", AMOUNTS), ("tweedie:1.5", CLAIMS), ("negative_binomial:0.7", COUNTS)]:
        model = ConstrainedRegressor(name, "sparsity:2").fit(X, y)
        fits = [
            ConstrainedRegressor(name).fit(X[:, pair], y).objective_ for pair in itertools.combinations(range(4), 2)
        ]
        assert model.objective_ == pytest.approx(min(fits), rel=1e-9)


def test_exposure_is_for_log_links_and_above_zero():
    with pytest.raises(ValueError, match="exposure needs a loss with a log link"):
        ConstrainedRegressor("squared").fit(X, NUMBERS, exposure=EXPOSURE)
    with pytest.raises(ValueError, match="exposure must be above zero"):
        ConstrainedRegressor("poisson").fit(X, COUNTS, exposure=EXPOSURE - 0.5)
    path = SparsePath("poisson", cv=None).fit(X, COUNTS, exposure=EXPOSURE)
    direct = ConstrainedRegressor("poisson").fit(X, COUNTS, offset=np.log(EXPOSURE))
    assert path.objective_[-1] == pytest.approx(direct.objective_, rel=1e-9)
    both = ConstrainedRegressor("poisson").fit(X, COUNTS, offset=np.full(300, 0.3), exposure=EXPOSURE / np.exp(0.3))
    assert np.allclose(both.coef_, direct.coef_, atol=1e-7)


def test_bad_responses_and_parameters_are_named():
    with pytest.raises(ValueError, match="gamma loss needs amounts above zero"):
        ConstrainedRegressor("gamma").fit(X, np.r_[0.0, AMOUNTS[1:]])
    with pytest.raises(ValueError, match="above 1 and below 2"):
        ConstrainedRegressor("tweedie:2").fit(X, CLAIMS)
    with pytest.raises(ValueError, match="negative-binomial alpha must be positive"):
        ConstrainedRegressor("negative_binomial:0").fit(X, COUNTS)


LABELS = (NUMBERS + GENERATOR.normal(size=300) > 0).astype(int)
OFFSET = GENERATOR.normal(scale=0.3, size=300)
#: Columns in units from hundredths to hundreds.
RAW = X * np.array([1e-2, 1.0, 30.0, 1e2])


def pinball(y, prediction, level, weights=None):
    residual = y - prediction
    return np.average(np.maximum(level * residual, (level - 1) * residual), weights=weights)


def program(A, y, level, weights=None, offset=0.0):
    """The least mean pinball loss of a linear function, by a linear program (HiGHS)."""
    from scipy.optimize import linprog

    n, p = A.shape
    weights = np.ones(n) if weights is None else weights
    cost = np.r_[np.zeros(p), level * weights, (1 - level) * weights] / weights.sum()
    found = linprog(
        cost,
        A_eq=np.c_[A, np.eye(n), -np.eye(n)],
        b_eq=y - offset,
        bounds=[(None, None)] * p + [(0, None)] * (2 * n),
        method="highs",
    )
    assert found.success
    return found.fun


@pytest.mark.parametrize("level", [0.1, 0.5, 0.9])
def test_quantiles_are_those_of_a_linear_program(level):
    model = ConstrainedRegressor(f"quantile:{level}").fit(RAW, NUMBERS, sample_weight=WEIGHTS, offset=OFFSET)
    least = program(np.c_[RAW, np.ones(300)], NUMBERS, level, WEIGHTS, OFFSET)
    assert model.objective_ == pytest.approx(least, rel=1e-8)
    prediction = model.predict(RAW, OFFSET)
    assert pinball(NUMBERS, prediction, level, WEIGHTS) == pytest.approx(least, rel=1e-8)
    assert model.certificate_["gap"] <= 1e-9 * least
    best = min(pinball(NUMBERS, value, level, WEIGHTS) for value in NUMBERS)
    d2 = 1 - pinball(NUMBERS, prediction, level, WEIGHTS) / best
    assert model.score(RAW, NUMBERS, WEIGHTS, OFFSET) == pytest.approx(d2)


def test_absolute_is_twice_the_median_and_agrees_with_scikit_learn():
    from sklearn.linear_model import QuantileRegressor

    absolute = ConstrainedRegressor("absolute").fit(X, NUMBERS)
    median = ConstrainedRegressor("quantile:0.5").fit(X, NUMBERS)
    assert absolute.objective_ == pytest.approx(2 * median.objective_, rel=1e-10)
    assert absolute.objective_ == pytest.approx(np.abs(NUMBERS - absolute.predict(X)).mean())
    peer = QuantileRegressor(quantile=0.5, alpha=0.0).fit(X, NUMBERS)
    assert np.allclose(absolute.coef_, peer.coef_, atol=1e-6) and absolute.intercept_ == pytest.approx(peer.intercept_)


@pytest.mark.parametrize("ridge", [0.0, 0.1])
def test_quantiles_over_sets_are_those_of_cvxpy(ridge):
    cp = pytest.importorskip("cvxpy")
    for text, sets in [
        ("ball:1", lambda b: [cp.norm(b) <= 1]),
        ("nonneg", lambda b: [b >= 0]),
        ("box:-0.3,0.8", lambda b: [b >= -0.3, b <= 0.8]),
        ("l1:1.2", lambda b: [cp.norm1(b) <= 1.2]),
    ]:
        b, free = cp.Variable(4), cp.Variable()
        residual = NUMBERS - X @ b - free - OFFSET
        terms = cp.multiply(WEIGHTS / WEIGHTS.sum(), cp.maximum(0.8 * residual, -0.2 * residual))
        # A ridge is on standardised effects.
        spread = np.sqrt(np.average((X - np.average(X, axis=0, weights=WEIGHTS)) ** 2, axis=0, weights=WEIGHTS))
        shrunk = ridge / 2 * cp.sum_squares(cp.multiply(spread, b))
        problem = cp.Problem(cp.Minimize(cp.sum(terms) + shrunk), sets(b))
        least = problem.solve(solver="CLARABEL")
        model = ConstrainedRegressor("quantile:0.8", text, ridge=ridge)
        model.fit(X, NUMBERS, sample_weight=WEIGHTS, offset=OFFSET)
        assert model.objective_ == pytest.approx(least, rel=1e-6), text
        assert model.certificate_["gap"] <= 1e-9 * least, text


def test_hinge_is_the_support_vector_classifier():
    from sklearn.svm import SVC

    # A ridge is on standardised effects.
    ridge, Z = 0.05, (X - X.mean(axis=0)) / X.std(axis=0)
    model = ConstrainedClassifier("hinge", ridge=ridge).fit(Z, LABELS)
    peer = SVC(kernel="linear", C=1 / (300 * ridge), tol=1e-9).fit(Z, LABELS)

    def value(coef, intercept):
        margin = (2 * LABELS - 1) * (Z @ coef + intercept)
        return np.maximum(0, 1 - margin).mean() + ridge / 2 * coef @ coef

    assert model.objective_ == pytest.approx(value(model.coef_.ravel(), model.intercept_.item()), rel=1e-10)
    assert model.objective_ <= value(peer.coef_.ravel(), peer.intercept_.item()) + 1e-10
    assert model.objective_ == pytest.approx(value(peer.coef_.ravel(), peer.intercept_.item()), rel=1e-6)
    assert np.allclose(model.decision_function(Z), peer.decision_function(Z), atol=1e-3)
    assert not hasattr(model, "predict_proba")
    inside = ConstrainedClassifier("hinge", Ball(0.5)).fit(X, LABELS)
    assert np.linalg.norm(inside.coef_) <= 0.5 + 1e-12


def test_sparse_quantiles_are_the_best_of_all_supports():
    for level in (0.5, 0.9):
        model = ConstrainedRegressor(f"quantile:{level}", "sparsity:2").fit(X, NUMBERS)
        fits = [
            program(np.c_[X[:, pair], np.ones(300)], NUMBERS, level) for pair in itertools.combinations(range(4), 2)
        ]
        assert model.objective_ == pytest.approx(min(fits), rel=1e-8)
        assert model.certificate_["exchanges"] == "every-choice"
    search = ConstrainedRegressorCV("quantile:0.9", {"sparsity": [1, 2, 4]}, cv=3, scoring="d2").fit(X, NUMBERS)
    assert np.all(search.cv_results_["mean_test_score"] < 1)


def test_losses_with_a_kink_are_refused_where_second_derivatives_are_needed():
    with pytest.raises(ValueError, match="quantile tau must be between 0 and 1"):
        ConstrainedRegressor("quantile:1").fit(X, NUMBERS)
    with pytest.raises(ValueError, match="hinge loss has a kink: streams"):
        ConstrainedClassifier("hinge").partial_fit(X, LABELS, classes=[0, 1])
    rough = ConstrainedRegressor("absolute", "ball:1", polish=False, max_steps=400).fit(X, NUMBERS)
    exact = ConstrainedRegressor("absolute", "ball:1").fit(X, NUMBERS)
    assert exact.objective_ <= rough.objective_ <= 1.2 * exact.objective_


def test_paths_of_a_loss_with_a_kink_have_the_best_choice_of_every_size():
    path = SparsePath("absolute", 3, cv=None, ridges=[0.0]).fit(X, NUMBERS)
    found = dict(zip(path.sizes_, np.ravel(path.objective_), strict=True))
    for size in (1, 2, 3):
        choices = itertools.combinations(range(X.shape[1]), size)
        best = min(ConstrainedRegressor("absolute").fit(X[:, list(chosen)], NUMBERS).objective_ for chosen in choices)
        assert found[size] == pytest.approx(best, rel=1e-8)
