"""Standard errors are those of statsmodels on given supports, prices those of cvxpy, and repetitions what they say."""

import json
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT
from scipy import stats

from proxdist import ConstrainedClassifier, ConstrainedRegressor

sys.path.insert(0, str(ROOT / "python"))
from intervals import coverage

sm = pytest.importorskip("statsmodels.api")


def drawn(seed, rows=240, columns=6):
    """Features in raw units, spread over five decades and away from zero, with weights and an offset."""
    rng = np.random.default_rng(seed)
    scales = 10.0 ** rng.uniform(-2, 3, columns)
    X = (rng.normal(size=(rows, columns)) + rng.uniform(-3, 3, columns)) * scales
    beta = rng.normal(size=columns) / scales * 0.4
    beta[columns // 2 :] = 0.0
    eta = (X - X.mean(axis=0)) @ beta + 0.3
    return rng, X, eta, rng.uniform(0.2, 3.0, rows), rng.normal(size=rows) * 0.3


LOSSES = {
    "squared": lambda rng, eta: eta + rng.normal(size=len(eta)),
    "logistic": lambda rng, eta: (rng.uniform(size=len(eta)) < 1 / (1 + np.exp(-eta))).astype(float),
    "poisson": lambda rng, eta: rng.poisson(np.exp(eta)).astype(float),
    "gamma": lambda rng, eta: rng.gamma(2.0, np.exp(eta) / 2.0),
    "tweedie:1.4": lambda rng, eta: rng.poisson(np.exp(eta)) * rng.gamma(1.0, 1.0, len(eta)),
    "negative_binomial:0.7": lambda rng, eta: rng.negative_binomial(1 / 0.7, 1 / (1 + 0.7 * np.exp(eta))).astype(float),
}


def family(loss):
    log = sm.families.links.Log()
    return {
        "squared": sm.families.Gaussian(),
        "logistic": sm.families.Binomial(),
        "poisson": sm.families.Poisson(),
        "gamma": sm.families.Gamma(log),
        "tweedie:1.4": sm.families.Tweedie(log, var_power=1.4),
        "negative_binomial:0.7": sm.families.NegativeBinomial(log, alpha=0.7),
    }[loss]


def fitted(loss, X, y, **options):
    kind = ConstrainedClassifier if loss == "logistic" else ConstrainedRegressor
    return kind(loss, fit_intercept=options.pop("intercept", True), **options)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("with_intercept", [True, False])
def test_errors_on_given_features_are_those_of_statsmodels(loss, with_intercept):
    for seed in range(3):
        rng, X, eta, weights, offset = drawn(seed)
        if not with_intercept:
            X = X - X.mean(axis=0)
        y = LOSSES[loss](rng, eta + offset)
        model = fitted(loss, X, y, constraint="none", intercept=with_intercept).fit(X, y, weights, offset)
        design = sm.add_constant(X) if with_intercept else X
        glm = sm.GLM(y, design, family=family(loss), var_weights=weights, offset=offset)
        for covariance, kind in (("model", "nonrobust"), ("hc0", "HC0"), ("hc1", "HC1")):
            found = model.summary(X, y, weights, offset, covariance=covariance)
            table = found.coefficients
            known = glm.fit(cov_type=kind, tol=1e-14, maxiter=500)
            at = np.asarray(model.coef_).ravel()
            at = np.r_[model.intercept_, at] if with_intercept else at
            np.testing.assert_allclose(table["value"], at.astype(float))
            np.testing.assert_allclose(known.params, at.astype(float), rtol=1e-6, atol=1e-9)
            if loss.startswith("squared"):
                known = sm.WLS(y - offset, design, weights).fit(cov_type=kind, use_t=True)
            # Beyond least squares statsmodels leaves the factor of HC1 out.
            n, k = design.shape
            factor = np.sqrt(n / (n - k)) if covariance == "hc1" and loss != "squared" else 1.0
            np.testing.assert_allclose(table["error"], known.bse * factor, rtol=1e-6)
            np.testing.assert_allclose(table["statistic"], known.tvalues / factor, rtol=1e-5, atol=1e-6)
            if factor == 1.0:
                np.testing.assert_allclose(table["p_value"], known.pvalues, rtol=1e-4, atol=1e-12)
                np.testing.assert_allclose(table[["low", "high"]], known.conf_int(), rtol=1e-5, atol=1e-8)
            if found.dispersion is not None and covariance == "model":
                np.testing.assert_allclose(found.dispersion, known.scale, rtol=1e-6)
            assert found.pull < 1e-4


def test_plain_models_are_those_of_statsmodels_too():
    """OLS, Logit and Poisson by their own classes."""
    for seed in range(3):
        rng, X, eta, _, _ = drawn(seed, rows=150, columns=4)
        design = sm.add_constant(X)
        cases = {"squared": sm.OLS, "logistic": sm.Logit, "poisson": sm.Poisson}
        for loss, kind in cases.items():
            y = LOSSES[loss](rng, eta)
            known = kind(y, design).fit(
                **({} if loss == "squared" else {"disp": 0, "method": "newton", "tol": 1e-12, "maxiter": 200})
            )
            table = fitted(loss, X, y, constraint="none").fit(X, y).summary(X, y).coefficients
            np.testing.assert_allclose(table["error"], known.bse, rtol=1e-6)
            np.testing.assert_allclose(table["p_value"], known.pvalues, rtol=1e-4, atol=1e-12)


def test_the_sandwich_of_huber_is_the_one_by_hand():
    for seed in range(3):
        rng, X, eta, weights, _ = drawn(seed)
        y = eta + rng.standard_t(2, size=len(eta))
        model = ConstrainedRegressor("huber:1.2", constraint="none").fit(X, y, weights)
        found = model.summary(X, y, weights)
        assert found.covariance == "hc1"
        assert "normal" not in found.facts["loss"]
        Z = sm.add_constant(X)
        rest = model.predict(X) - y
        slope, curvature = np.clip(rest, -1.2, 1.2), (np.abs(rest) <= 1.2).astype(float)
        bread = np.linalg.inv((Z * (weights * curvature)[:, None]).T @ Z)
        meat = (Z * ((weights * slope) ** 2)[:, None]).T @ Z
        n, k = Z.shape
        errors = np.sqrt(np.diag(bread @ meat @ bread) * n / (n - k))
        np.testing.assert_allclose(found.coefficients["error"], errors, rtol=1e-6)
        with pytest.raises(ValueError, match="no likelihood"):
            model.summary(X, y, weights, covariance="model")


def test_a_ridge_has_the_spread_of_its_estimates():
    """By hand: (E + R)^-1 E (E + R)^-1, with the ridge on standardised effects."""
    rng, X, eta, _, _ = drawn(5)
    y = eta + rng.normal(size=len(eta))
    for constraint in ("none", "ball:1e9"):
        model = ConstrainedRegressor(constraint=constraint, ridge=0.3).fit(X, y)
        found = model.summary(X, y)
        Z = sm.add_constant(X)
        n, k = Z.shape
        information = Z.T @ Z
        penalised = information + n * 0.3 * np.diag(np.r_[0.0, X.var(axis=0)])
        dispersion = ((y - model.predict(X)) ** 2).sum() / (n - k)
        inverse = np.linalg.inv(penalised)
        errors = np.sqrt(np.diag(dispersion * inverse @ information @ inverse))
        np.testing.assert_allclose(found.coefficients["error"], errors, rtol=1e-6)
        assert found.pull < 1e-4
        assert any("shrinks" in note for note in found.notes)


def test_chosen_features_are_taken_as_given_and_the_sentence_says_so():
    rng, X, eta, _, _ = drawn(1)
    y = eta + rng.normal(size=len(eta))
    model = ConstrainedRegressor(constraint="sparsity:2").fit(X, y)
    found = model.summary(X, y)
    known = sm.OLS(y, sm.add_constant(X[:, model.support_])).fit()
    np.testing.assert_allclose(found.coefficients["error"], known.bse, rtol=1e-6)
    assert list(found.coefficients["feature"].dropna().astype(int)) == list(model.support_)
    assert any("as if they had been given beforehand" in note for note in found.notes)
    assert "as if they had been given beforehand" in " ".join(str(found).split())
    whole = ConstrainedRegressor(constraint="none").fit(X, y).summary(X, y)
    assert not any("beforehand" in note for note in whole.notes)


def test_dependent_columns_are_named():
    rng, X, eta, _, _ = drawn(2)
    X = np.c_[X, X[:, 0] * 2 - X[:, 1]]
    y = eta + rng.normal(size=len(eta))
    model = ConstrainedRegressor(constraint="none").fit(X, y)
    with pytest.raises(ValueError, match="not determined by these rows") as caught:
        model.summary(X, y)
    assert all(name in str(caught.value) for name in ("x0", "x1", "x6"))
    assert "x3" not in str(caught.value)
    # The bootstrap can be asked for all the same.
    found = model.summary(X, y, bootstrap=5)
    assert found.coefficients is None
    assert found.bootstrap is not None
    assert "no standard errors" in found.notes[0]


def test_too_few_rows_separated_classes_and_wrong_words_are_errors():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5, 4))
    model = ConstrainedRegressor(constraint="none").fit(X, X[:, 0])
    with pytest.raises(ValueError, match="not enough"):
        model.summary(X, X[:, 0])
    labels = np.array([0, 0, 1, 1, 1])
    with pytest.warns(UserWarning, match="separates"):
        separated = ConstrainedClassifier(constraint="none").fit(X[:, :1] * 0 + labels[:, None], labels)
    with pytest.raises(ValueError, match="separates"):
        separated.summary(X[:, :1] * 0 + labels[:, None], labels)
    for options, words in [
        ({"covariance": "hc9"}, "covariance must be"),
        ({"level": 1.0}, "level must be"),
        ({"bootstrap": 0}, "bootstrap"),
        ({"bootstrap": 1.5}, "bootstrap"),
        ({"stability": 3, "threshold": 0.4}, "threshold must be"),
    ]:
        with pytest.raises((ValueError, TypeError), match=words):
            model.summary(np.r_[X, X], np.r_[X, X][:, 0] + 0.1, **options)


PROBLEMS = {
    "box:-0.02,0.02": lambda cp, b: [b >= -0.02, b <= 0.02],
    "nonneg": lambda cp, b: [b >= 0],
    "ball:0.3": lambda cp, b: [cp.norm(b) <= 0.3],
    "l1:0.4": lambda cp, b: [cp.norm(b, 1) <= 0.4],
    "simplex:0.5": lambda cp, b: [b >= 0, cp.sum(b) == 0.5],
    "monotone": lambda cp, b: [b[:-1] - b[1:] <= 0],
}


@pytest.mark.parametrize("constraint", PROBLEMS)
def test_prices_are_the_duals_of_cvxpy(constraint):
    cp = pytest.importorskip("cvxpy")
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(80, 5))
        y = X @ np.array([0.8, -0.5, 0.3, 0.0, 0.1]) + 0.2 + 0.3 * rng.normal(size=80)
        model = ConstrainedRegressor(constraint=constraint).fit(X, y)
        found = model.summary(X, y)
        b, c = cp.Variable(5), cp.Variable()
        rows = PROBLEMS[constraint](cp, b)
        problem = cp.Problem(cp.Minimize(cp.sum_squares(X @ b + c - y) / (2 * len(y))), rows)
        problem.solve(solver="CLARABEL", tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
        duals = np.abs(np.concatenate([np.atleast_1d(row.dual_value) for row in rows]))
        expected = np.sort(duals[duals > 1e-7])
        prices = np.sort(np.abs(found.prices["price"].to_numpy(dtype=float))) if len(found.prices) else np.array([])
        np.testing.assert_allclose(prices[prices > 1e-7], expected, rtol=1e-4, atol=1e-8)
        assert found.facts["prices"]["rest"] < 1e-6


def test_a_price_is_what_a_wider_set_is_worth():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 4)) * [1.0, 100.0, 0.01, 5.0]
    y = X @ np.array([0.8, -0.005, 30.0, 0.0]) + 0.3 * rng.normal(size=60)
    model = ConstrainedRegressor(constraint="l1:2").fit(X, y)
    table = model.summary(X, y).prices
    assert list(table.index) == ["|x0| + |x1| + |x2| + |x3| <= 2"]
    wider = ConstrainedRegressor(constraint="l1:2.0001").fit(X, y)
    slope = (model.objective_ - wider.objective_) / 1e-4
    np.testing.assert_allclose(table["price"].iloc[0], slope, rtol=1e-3)


def loop(X, y, constraint, draws):
    """The same fits, one after the other."""
    rows = []
    for draw in draws:
        rows.append(ConstrainedRegressor(constraint=constraint).fit(X[draw], y[draw]).coef_)
    return np.array(rows)


def test_the_bootstrap_is_the_whole_fit_again_at_any_number_of_threads():
    rng, X, eta, _, _ = drawn(3, rows=60, columns=5)
    y = eta + rng.normal(size=len(eta))
    found = {}
    for threads in (1, 2):
        model = ConstrainedRegressor(constraint="sparsity:2", n_jobs=threads).fit(X, y)
        found[threads] = model.summary(X, y, bootstrap=12, seed=5).facts["bootstrap"]
        assert found[threads] != model.summary(X, y, bootstrap=12, seed=6).facts["bootstrap"]
    assert found[1] == found[2]
    assert (found[1]["done"], found[1]["failed"]) == (12, 0)
    chosen = [row for row in found[1]["varied"] if row["feature"] is not None]
    # Every repetition chose two features.
    np.testing.assert_allclose(sum(row["frequency"] for row in chosen), 2.0)
    # More repetitions begin with the same ones, and the spread is about that of theory.
    many = model.summary(X, y, bootstrap=200, seed=5)
    whole = ConstrainedRegressor(constraint="none").fit(X, y)
    spread = whole.summary(X, y, bootstrap=200).bootstrap["error"]
    np.testing.assert_allclose(spread, whole.summary(X, y).coefficients["error"], rtol=0.3)
    assert (many.bootstrap["low"] <= many.bootstrap["high"]).all()


def test_stability_counts_halves_and_states_its_bound():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 10))
    y = 2 * X[:, 3] - 2 * X[:, 7] + rng.normal(size=100)
    model = ConstrainedRegressor(constraint="sparsity:3").fit(X, y)
    found = model.summary(X, y, stability=20, threshold=0.8)
    facts = found.facts["stability"]
    assert (facts["pairs"], facts["chosen"], facts["features"]) == (20, 3.0, 10)
    np.testing.assert_allclose(found.bound, 9 / (0.6 * 10))
    np.testing.assert_allclose(found.stability["frequency"].sum(), 3.0)
    stable = found.stability[found.stability["is_stable"]]
    assert {"x3", "x7"} <= set(stable.index)
    assert (stable["frequency"] >= 0.8).all()


def test_a_split_estimates_what_the_other_half_chose():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 8)) * 10.0 ** np.arange(-2, 6)
    y = X[:, 0] * 200 - X[:, 4] / 100 + 5.0 + rng.normal(size=90)
    model = ConstrainedRegressor(constraint="sparsity:2").fit(X, y)
    found = model.summary(X, y, split=True, seed=3)
    facts = found.facts["split"]
    assert (facts["choosing"], facts["estimating"]) == (45, 45)
    features = found.split["feature"].dropna().astype(int).tolist()
    # The estimates are those of least squares on 45 rows: the residual variance is that of some half.
    assert facts["degrees"] == 45 - 3
    assert features == sorted(features)
    again = model.summary(X, y, split=True, seed=3).facts["split"]
    assert again == facts
    assert model.summary(X, y, split=True, seed=4).facts["split"] != facts


def test_intervals_of_given_and_split_features_hold_the_truth_and_those_of_chosen_ones_do_not():
    """A slice of `make coverage`; three standard deviations of a share of 75 intervals are 7.5 %."""
    found = coverage("squared", 25)
    assert found["given"][1] == 75
    assert min(found["given"][0], found["split"][0]) > 0.875, found
    assert found["chosen"][0] < 0.8, found


def test_the_program_says_the_same(program_file, tmp_path):
    rng, X, eta, weights, _ = drawn(6, rows=80, columns=4)
    y = eta + rng.normal(size=len(eta))
    names = ["a", "b", "c", "d"]
    table = np.c_[X, y, weights]
    lines = [",".join([*names, "y", "w"]), *(",".join(map(repr, map(float, row))) for row in table)]
    (tmp_path / "data.csv").write_text("\n".join(lines) + "\n")

    def run(*words):
        return subprocess.run([program_file, *words], cwd=tmp_path, capture_output=True, text=True, check=True)

    run("fit", "data.csv", "--target", "y", "--weights", "w", "-c", "sparsity:2", "--out", "model.json", "-q")
    said = json.loads(run("summary", "model.json", "data.csv", "--bootstrap", "8", "--split", "--json", "-q").stdout)
    import pandas

    model = ConstrainedRegressor(constraint="sparsity:2").fit(pandas.DataFrame(X, columns=names), y, weights)
    found = model.summary(pandas.DataFrame(X, columns=names), y, weights, bootstrap=8, split=True)
    assert said["summary"]["wald"] == found.facts["wald"]
    assert said["summary"]["bootstrap"] == found.facts["bootstrap"]
    assert said["summary"]["split"] == found.facts["split"]


def test_p_values_are_those_of_scipy():
    rng, X, eta, _, _ = drawn(7, rows=12, columns=2)
    y = eta + 0.01 * rng.normal(size=len(eta))
    table = ConstrainedRegressor(constraint="none").fit(X, y).summary(X, y).coefficients
    np.testing.assert_allclose(table["p_value"], 2 * stats.t.sf(np.abs(table["statistic"]), 9), rtol=1e-10)
