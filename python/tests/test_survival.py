"""Cox regression against statsmodels, cvxpy and enumeration, and as an estimator of scikit-learn."""

import warnings
from itertools import combinations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import proxdist
from proxdist import Ball, ConstrainedCox, L1Ball, NonNegative, Sparsity


def drawn(seed, n=160, p=6, decades=5):
    """Correlated columns over five decades, times with ties, censoring, entries and strata."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, p)) + 0.7 * generator.normal(size=(n, 1))
    scales = 10.0 ** np.linspace(-decades / 2, decades / 2, p)
    eta = X[:, 0] - 0.8 * X[:, 1] + 0.4 * X[:, -1]
    died = generator.exponential(size=n) * np.exp(-eta)
    left = generator.uniform(0.1, 3.0, size=n)
    time = np.ceil(10 * np.minimum(died, left)) / 10
    event = (died <= left).astype(float)
    # Between the times: who enters at the time of an event is at risk there for some programs and not for others.
    entry = np.floor(10 * time * generator.uniform(0, 0.9, size=n)) / 10 + 0.05
    entry = np.where(generator.random(n) < 0.5, entry, 0.0)
    strata = generator.integers(0, 3, size=n)
    return X * scales, time, event, np.minimum(entry, time - 0.05), strata


@pytest.mark.parametrize("ties", ["breslow", "efron"])
@pytest.mark.parametrize("with_entry", [False, True])
@pytest.mark.parametrize("with_strata", [False, True])
def test_estimates_are_those_of_statsmodels(ties, with_entry, with_strata):
    duration = pytest.importorskip("statsmodels.duration.hazard_regression")
    X, time, event, entry, strata = drawn(1, decades=2)
    entry, strata = entry if with_entry else None, strata if with_strata else None
    peer = duration.PHReg(time, X, status=event, ties=ties, entry=entry, strata=strata).fit(method="newton", tol=1e-12)
    model = ConstrainedCox(ties=ties).fit(X, time, event, entry=entry, strata=strata)
    np.testing.assert_allclose(model.coef_, peer.params, rtol=1e-6, atol=1e-9)
    assert model.certificate_["gap"] < 1e-9
    # F is the negative log partial likelihood of each row.
    assert model.objective_ * len(time) == pytest.approx(-peer.llf, rel=1e-9)


def log_likelihood(theta, X, time, event, weights):
    """The negative log partial likelihood with Breslow ties, divided by the weights, with its gradient and Hessian."""
    kept = weights > 0
    X, time, event, weights = X[kept], time[kept], event[kept], weights[kept]
    eta = X @ theta
    value, gradient, hessian = 0.0, np.zeros(X.shape[1]), np.zeros((X.shape[1], X.shape[1]))
    for now in np.unique(time[event == 1]):
        at_risk, dying = time >= now, (time == now) & (event == 1)
        share = weights[at_risk] * np.exp(eta[at_risk])
        total, mass = share.sum(), weights[dying].sum()
        mean = share @ X[at_risk] / total
        value += mass * np.log(total / (mass / dying.sum())) - weights[dying] @ eta[dying]
        gradient += mass * mean - weights[dying] @ X[dying]
        hessian += mass * ((X[at_risk] * share[:, None]).T @ X[at_risk] / total - np.outer(mean, mean))
    return value / weights.sum(), gradient / weights.sum(), hessian / weights.sum()


def newton(X, time, event, weights, ridge):
    theta = np.zeros(X.shape[1])
    for _ in range(60):
        value, gradient, hessian = log_likelihood(theta, X, time, event, weights)
        value, gradient = value + ridge / 2 * theta @ theta, gradient + ridge * theta
        step = np.linalg.solve(hessian + ridge * np.eye(len(theta)), gradient)
        if abs(gradient @ step) < 1e-20:
            break
        length = 1.0
        while True:
            moved = theta - length * step
            if log_likelihood(moved, X, time, event, weights)[0] + ridge / 2 * moved @ moved <= value or length < 1e-8:
                break
            length /= 2
        theta = theta - length * step
    return value, theta


@pytest.mark.parametrize("ridge", [0.0, 0.05])
def test_sparse_models_are_the_best_of_all(ridge):
    X, time, event, _, _ = drawn(3, n=80, p=7, decades=0)
    weights = np.random.default_rng(0).integers(0, 3, size=80).astype(float)
    best, theta, chosen = min(
        (*newton(X[:, list(chosen)], time, event, weights, ridge), chosen) for chosen in combinations(range(7), 2)
    )
    model = ConstrainedCox(Sparsity(2), ties="breslow", ridge=ridge, standardize=False)
    model.fit(X, time, event, sample_weight=weights)
    assert tuple(model.support_) == chosen
    np.testing.assert_allclose(model.coef_[model.support_], theta, rtol=1e-7)
    assert model.objective_ == pytest.approx(best, rel=1e-12)
    assert model.certificate_["exchanges"] == "every-choice"


@pytest.mark.parametrize("constraint", [Ball(0.5), L1Ball(0.8), NonNegative()])
def test_convex_sets_agree_with_cvxpy(constraint):
    cvxpy = pytest.importorskip("cvxpy")
    X, time, event, _, _ = drawn(4, n=60, p=5, decades=0)
    theta = cvxpy.Variable(5)
    terms = []
    for now in np.unique(time[event == 1]):
        dying = (time == now) & (event == 1)
        terms.append(dying.sum() * cvxpy.log_sum_exp(X[time >= now] @ theta) - cvxpy.sum(X[dying] @ theta))
    held = {
        "ball:0.5": cvxpy.norm(theta) <= 0.5,
        "l1:0.8": cvxpy.norm1(theta) <= 0.8,
        "nonneg": theta >= 0,
    }[constraint.spec]
    problem = cvxpy.Problem(cvxpy.Minimize(sum(terms) / len(time)), [held])
    with warnings.catch_warnings():
        # It cannot tell whether it has all of the digits that it is asked for.
        warnings.filterwarnings("ignore", "Solution may be inaccurate")
        problem.solve(solver=cvxpy.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    model = ConstrainedCox(constraint, ties="breslow").fit(X, time, event)
    assert model.objective_ <= problem.value + 1e-8
    np.testing.assert_allclose(model.coef_, theta.value, atol=2e-5)
    assert model.certificate_["gap"] < 1e-9


def test_survival_is_that_of_the_baseline_hazard():
    """Without effects Breslow's estimate of the hazard is that of Nelson and Aalen."""
    _, time, event, _, _ = drawn(5)
    model = ConstrainedCox(Ball(1e-9), ties="breslow").fit(np.random.default_rng(0).normal(size=(160, 1)), time, event)
    times, hazard = model.baseline_[""]
    aalen = np.cumsum([event[time == now].sum() / (time >= now).sum() for now in times])
    np.testing.assert_allclose(hazard, aalen, rtol=1e-6)
    at = np.array([0.0, times[0], 0.5 * (times[1] + times[2]), times[-1], 1e9])
    found = model.predict_survival_function(np.zeros((1, 1)), at)[0]
    expected = np.exp(-np.array([0.0, aalen[0], aalen[1], aalen[-1], aalen[-1]]))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_strata_have_hazards_of_their_own():
    X, time, event, _, strata = drawn(6)
    labels = np.array(["north", "south", "west"])[strata]
    model = ConstrainedCox(Sparsity(2)).fit(X, time, event, strata=labels)
    assert list(model.baseline_) == ["north", "south", "west"]
    with pytest.raises(ValueError, match="strata are needed: the model has 3"):
        model.predict_survival_function(X[:2], [1.0])
    with pytest.raises(ValueError, match='no stratum "east" in the model'):
        model.predict_survival_function(X[:1], [1.0], strata=["east"])
    found = model.predict_survival_function(X, [0.5, 1.0], strata=labels)
    assert found.shape == (160, 2)
    assert ((found > 0) & (found <= 1)).all()
    assert (found[:, 1] <= found[:, 0]).all()


def test_times_and_events_come_in_one_array_too():
    X, time, event, _, _ = drawn(7)
    model = ConstrainedCox(Sparsity(3)).fit(X, time, event)
    structured = np.array(list(zip(event == 1, time, strict=True)), dtype=[("died", bool), ("days", float)])
    for y in (np.column_stack([time, event]), structured):
        np.testing.assert_array_equal(clone(model).fit(X, y).coef_, model.coef_)
    assert model.score(X, structured) == model.score(X, time, event) > 0.6
    # Pairs, one by one.
    risk = model.predict(X)
    pairs = [(i, j) for i in range(160) for j in range(160) if event[i] and (time[j], event[j] == 0) > (time[i], False)]
    agree = np.mean([(risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j]) for i, j in pairs])
    assert model.score(X, time, event) == pytest.approx(agree, rel=1e-12)


def test_the_tools_of_scikit_learn_work():
    X, time, event, _, _ = drawn(8)
    y = np.column_stack([time, event])
    assert cross_val_score(ConstrainedCox(Sparsity(2)), X, y, cv=3).min() > 0.55
    search = GridSearchCV(
        make_pipeline(StandardScaler(), ConstrainedCox()),
        {"constrainedcox__constraint": [Sparsity(1), Sparsity(3)]},
        cv=3,
    )
    assert search.fit(X, y).best_params_["constrainedcox__constraint"] == Sparsity(3)
    measured = search.best_estimator_[-1].measures(search.best_estimator_[:-1].transform(X), y)
    assert 0 < measured["deviance_explained"] < 1
    assert measured["deviance"] > 0


def test_model_files_come_back(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, time, event, _, strata = drawn(9)
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    model = ConstrainedCox(Sparsity(2), ridge=0.01).fit(frame, time, event, strata=strata)
    model.save(tmp_path / "model.json")
    again = proxdist.load(tmp_path / "model.json")
    assert isinstance(again, ConstrainedCox)
    assert again.ties == "efron"
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    at = [0.2, 1.0]
    np.testing.assert_array_equal(
        again.predict_survival_function(frame, at, strata=strata),
        model.predict_survival_function(frame, at, strata=strata),
    )


def test_offsets_are_known_parts_of_the_predictor():
    X, time, event, _, _ = drawn(10, decades=0)
    whole = ConstrainedCox().fit(X, time, event)
    rest = ConstrainedCox().fit(X[:, 1:], time, event, offset=whole.coef_[0] * X[:, 0])
    np.testing.assert_allclose(rest.coef_, whole.coef_[1:], rtol=1e-6)
    np.testing.assert_allclose(rest.predict(X[:, 1:], whole.coef_[0] * X[:, 0]), whole.predict(X), rtol=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"event": np.zeros(160)}, "all 160 rows are censored"),
        ({"event": np.full(160, 2.0)}, "event at row 0 is 2: an event is 1"),
        ({"y": np.full(160, np.nan)}, "time at row 0 is NaN: times must be zero or positive"),
        ({"y": np.full(160, -1.0)}, "time at row 0 is -1"),
        ({"entry": np.full(160, 1e9)}, "entry at row 0 is 1000000000, not before its time"),
        ({"event": np.ones(3)}, r"event has shape \(3,\), expected \(160,\)"),
        ({"strata": np.ones(3)}, r"strata has shape \(3,\)"),
        ({"event": None, "y": np.ones(160)}, "y must have two columns, time and event"),
        ({"sample_weight": np.zeros(160)}, "weights"),
    ],
)
def test_what_cannot_be_fitted_is_refused(change, message):
    X, time, event, _, _ = drawn(11)
    with pytest.raises(ValueError, match=message):
        ConstrainedCox().fit(X, **({"y": time, "event": event} | change))
    with pytest.raises(ValueError, match="ties must be 'efron' or 'breslow', got 'exact'"):
        ConstrainedCox(ties="exact").fit(X, time, event)
