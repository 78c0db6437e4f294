"""Losses against independent implementations: statsmodels and scikit-learn."""

import itertools

import numpy as np
import pytest
from sklearn.metrics import d2_tweedie_score

from proxdist import ConstrainedRegressor, ConstrainedRegressorCV, SparsePath

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
