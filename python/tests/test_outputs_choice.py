"""The choice of a number of shared features or of a rank for several outputs, offsets, and matrices of classes."""

import pickle
import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold

from proxdist import (
    Ball,
    ConstrainedClassifier,
    ConstrainedClassifierCV,
    ConstrainedRegressor,
    ConstrainedRegressorCV,
    MatrixClassifier,
    MatrixRegressor,
    NonNegative,
    Rank,
    Rows,
    SparsePath,
    Sparsity,
    load,
)


def classes(seed=0, rows=240, features=6, count=3):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(rows, features))
    truth = np.zeros((features, count))
    truth[:2] = 2.0 * generator.normal(size=(2, count))
    scores = X @ truth + generator.gumbel(size=(rows, count))
    return X * 10.0 ** np.arange(-2, features - 2), np.array(["ash", "elm", "oak", "fir"])[scores.argmax(axis=1)]


def responses(seed=0, rows=200, features=7, outputs=4, rank=2):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(rows, features))
    truth = generator.normal(size=(features, rank)) @ generator.normal(size=(rank, outputs))
    return X, X @ truth + generator.normal(size=(rows, outputs))


def test_a_search_has_the_scores_of_a_loop_of_fits():
    X, y = classes()
    splits = list(StratifiedKFold(4, shuffle=True, random_state=1).split(X, y))
    grid = {"rows": [1, 2, 4], "ridge": [1e-3, 1e-1]}
    search = ConstrainedClassifierCV(grid=grid, cv=splits).fit(X, y)
    assert search.coef_.shape == (3, 6) and search.constraint_.spec == "rows:2"
    for place, point in enumerate(search.cv_results_["params"]):
        for fold, (train, test) in enumerate(splits):
            model = ConstrainedClassifier(constraint=Rows(point["rows"]), ridge=point["ridge"]).fit(X[train], y[train])
            expected = log_loss(y[test], model.predict_proba(X[test]), labels=search.classes_)
            assert abs(-search.cv_results_[f"split{fold}_test_score"][place] - expected) < 2e-3
    chosen = search.best_params_
    assert chosen["rows"] == 2 and len(search.support_) == 2
    assert np.array_equal(search.coef_, clone(search).fit(X, y).coef_)
    same = pickle.loads(pickle.dumps(search))
    assert np.array_equal(same.predict_proba(X), search.predict_proba(X))


def test_scores_by_name_and_of_ones_own_agree():
    X, y = classes(1)
    found = {}
    own = {
        "accuracy": lambda model, A, b: model.score(A, b),
        "auc": "roc_auc_ovr",
        "loss": lambda model, A, b: -log_loss(b, model.predict_proba(A), labels=model.classes_),
    }
    for name, other in own.items():
        for scoring in (name, other):
            search = ConstrainedClassifierCV(grid={"rows": "1-3"}, cv=5, scoring=scoring, ridge=0.01).fit(X, y)
            found.setdefault(name, []).append(search.cv_results_["mean_test_score"])
        assert np.allclose(*found[name], atol=1e-9), name
    R, Y = responses()
    first = ConstrainedRegressorCV(grid={"rows": "1-3"}, scoring="mse", ridge=0.0).fit(R, Y)
    second = ConstrainedRegressorCV(grid={"sparsity": "1-3"}, scoring="neg_mean_squared_error", ridge=0.0).fit(R, Y)
    assert np.allclose(first.cv_results_["mean_test_score"], second.cv_results_["mean_test_score"])
    third = ConstrainedRegressorCV(grid={"rows": "1-3"}, scoring=None, ridge=0.0).fit(R, Y)
    assert (third.cv_results_["mean_test_score"] < 1).all() and third.best_params_.keys() == {"rows"}
    with pytest.raises(ValueError, match="not there for several outputs"):
        ConstrainedRegressorCV(grid={"rows": "1-3"}, scoring="auc").fit(R, Y)


def test_defaults_are_ten_folds_and_one_standard_error():
    X, y = classes(2)
    search = ConstrainedClassifierCV().fit(X, y)
    table = search.cv_results_
    assert search.n_splits_ == 10 and len(table["params"]) == 6 * 5
    best = table["mean_test_score"].argmax()
    limit = table["mean_test_score"][best] - table["standard_error"][best]
    assert search.best_params_["rows"] == min(
        point["rows"] for point, mean in zip(table["params"], table["mean_test_score"], strict=True) if mean >= limit
    )
    ranks = ConstrainedRegressorCV(constraint=Rank(3), choice="best").fit(*responses())
    assert [point["rank"] for point in ranks.cv_results_["params"]] == [1, 2, 3, 4]
    assert ranks.best_params_ == {"rank": 2} and np.linalg.matrix_rank(ranks.coef_) == 2


def test_rare_and_absent_classes_have_one_outcome_each():
    X, y = classes(3, rows=60)
    y = y.astype(object)
    y[0] = "rare"
    with pytest.raises(ValueError, match='class "rare" has 1 of the rows, and 10 folds need a row of it each'):
        ConstrainedClassifierCV().fit(X, y)
    order = np.argsort(y, kind="stable")
    with pytest.raises(ValueError, match="no row with a positive weight is of the class"):
        ConstrainedClassifierCV(cv=KFold(3), ridge=0.1).fit(X[order], y[order])
    with pytest.raises(ValueError, match="has 1 of the rows"):
        ConstrainedClassifierCV(cv=2).fit(X[:5], np.arange(5))
    with pytest.raises(ValueError, match="needs a grid"):
        ConstrainedClassifierCV(constraint=NonNegative(), cv=3).fit(X[1:], y[1:])
    with pytest.raises(ValueError, match="ConstrainedClassifierCV chooses a number of features for more"):
        SparsePath("logistic").fit(X[1:], y[1:])
    with pytest.raises(ValueError, match="ConstrainedRegressorCV chooses a number of features for several"):
        SparsePath().fit(*responses())


def test_one_against_the_rest_still_chooses_for_each_class():
    X, y = classes(4)
    search = ConstrainedClassifierCV(grid={"sparsity": "1-3"}, ridge=0.01, cv=3, multi_class="ovr").fit(X, y)
    assert isinstance(search.best_params_, list) and len(search.best_params_) == 3


def test_an_offset_has_a_number_for_each_row_and_output():
    X, Y = responses()
    offset = np.random.default_rng(3).normal(size=Y.shape)
    model = ConstrainedRegressor(constraint=Sparsity(3)).fit(X, Y, offset=offset)
    other = ConstrainedRegressor(constraint=Sparsity(3)).fit(X, Y - offset)
    assert np.allclose(model.coef_, other.coef_) and np.allclose(model.predict(X, offset), other.predict(X) + offset)
    A, y = load_iris(return_X_y=True)
    known = np.random.default_rng(4).normal(size=(150, 3))
    fitted = ConstrainedClassifier(ridge=0.05, standardize=False).fit(A, y, offset=known)

    def value(theta):
        coef, intercept = theta[:12].reshape(3, 4), theta[12:]
        eta = A @ coef.T + intercept + known
        top = eta.max(axis=1, keepdims=True)
        log_sum = (top + np.log(np.exp(eta - top).sum(axis=1, keepdims=True)))[:, 0]
        return (log_sum - eta[np.arange(150), y]).mean() + 0.025 * (coef**2).sum()

    found = minimize(value, np.zeros(15), method="BFGS", options={"gtol": 1e-8})
    assert abs(found.fun - fitted.objective_) < 1e-7
    assert np.allclose(fitted.decision_function(A, known) - fitted.decision_function(A, 0), known)
    with pytest.raises(ValueError, match=r"expected \(150, 3\): one number for each row and output"):
        ConstrainedClassifier().fit(A, y, offset=known[:, 0])
    search = ConstrainedClassifierCV(
        grid={"rows": [2]}, ridge=0.05, cv=3, scoring=lambda m, P, q: -log_loss(q, m.predict_proba(P))
    )
    by_name = ConstrainedClassifierCV(grid={"rows": [2]}, ridge=0.05, cv=3)
    means = [one.fit(A, y, offset=known).cv_results_["mean_test_score"] for one in (search, by_name)]
    assert np.allclose(*means)


def test_digits_without_a_ridge_are_separable_and_said_so():
    X, y = load_digits(return_X_y=True)
    rows = np.arange(0, len(y), 3)
    with pytest.warns(UserWarning, match="separates the classes of all rows.*as in ridge=1e-3"):
        model = ConstrainedClassifier().fit(X[rows], y[rows])
    assert model.score(X[rows], y[rows]) == 1.0 and model.objective_ < 1e-6
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ConstrainedClassifier(ridge=1e-2).fit(X[rows], y[rows])


def matrices(seed=0, rows=300, shape=(4, 3)):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(rows, *shape))
    truth = np.outer(generator.normal(size=shape[0]), generator.normal(size=shape[1]))
    return X, (X * truth).sum(axis=(1, 2))


def test_matrices_of_two_classes_are_the_best_of_their_rank():
    X, eta = matrices()
    y = np.where(eta + np.random.default_rng(1).logistic(size=300) > 0, "yes", "no")
    model = MatrixClassifier(constraint=Rank(1), ridge=0.01, standardize=False).fit(X, y)
    assert model.coef_.shape == (1, 4, 3) and np.linalg.matrix_rank(model.coef_[0]) == 1
    sign = np.where(y == "yes", 1.0, -1.0)

    def value(theta):
        matrix = np.outer(theta[:4], theta[4:7])
        predictor = (X * matrix).sum(axis=(1, 2)) + theta[7]
        return np.logaddexp(0.0, -sign * predictor).mean() + 0.005 * (matrix**2).sum()

    # Many starts of an independent method on the factors.
    generator = np.random.default_rng(2)
    least = min(minimize(value, generator.normal(size=8), method="BFGS").fun for _ in range(8))
    assert model.objective_ <= least + 1e-7
    free = MatrixClassifier(constraint=Rank(3), ridge=0.01, standardize=False).fit(X, y)
    peer = LogisticRegression(C=1.0 / (0.01 * 300), tol=1e-12, max_iter=10_000).fit(X.reshape(300, -1), y)
    assert np.allclose(free.coef_.ravel(), peer.coef_.ravel(), atol=1e-5)
    assert np.allclose(free.predict_proba(X), peer.predict_proba(X.reshape(300, -1)), atol=1e-5)
    flat = MatrixClassifier((4, 3), Rank(1), ridge=0.01, standardize=False).fit(X.reshape(300, -1), y)
    assert np.array_equal(flat.coef_, model.coef_)


def test_matrices_of_more_classes_and_their_files(tmp_path):
    X, eta = matrices(1)
    y = np.digitize(eta, [-1.0, 1.0])
    model = MatrixClassifier(constraint="rank:1", ridge=0.05).fit(X, y)
    assert model.coef_.shape == (3, 4, 3) and model.predict_proba(X).shape == (300, 3)
    assert model.score(X, y) > 0.5
    same = pickle.loads(pickle.dumps(model))
    assert np.array_equal(same.predict(X), model.predict(X))
    two = MatrixClassifier(constraint="rank:1", ridge=0.05).fit(X, y > 1)
    two.save(tmp_path / "m.json")
    again = load(tmp_path / "m.json")
    assert isinstance(again, MatrixClassifier) and again.coef_.shape == (1, 4, 3)
    assert np.array_equal(again.decision_function(X), two.decision_function(X))
    stream = MatrixClassifier(constraint="rank:1")
    for block in np.array_split(np.arange(300), 3):
        stream.partial_fit(X[block], y[block] > 1, classes=[False, True])
    assert stream.coef_.shape == (1, 4, 3)
    with pytest.raises(ValueError, match="does not fit 12 features"):
        MatrixClassifier((5, 3)).fit(X.reshape(300, -1), y)
    with pytest.raises(ValueError, match="X holds 4x3 matrices"):
        MatrixClassifier((3, 4)).fit(X, y)


@pytest.mark.parametrize("loss", ["huber", "poisson"])
def test_matrices_with_other_losses(loss, tmp_path):
    X, eta = matrices(2)
    generator = np.random.default_rng(3)
    if loss == "poisson":
        y = generator.poisson(np.exp(0.3 * eta)).astype(float)
    else:
        y = eta + generator.standard_t(2, size=300)
    model = MatrixRegressor(constraint=Rank(1), loss=loss, ridge=0.01, standardize=False).fit(X, y)

    def value(theta):
        matrix = np.outer(theta[:4], theta[4:7])
        predictor = (X * matrix).sum(axis=(1, 2)) + theta[7]
        if loss == "poisson":
            losses = np.exp(predictor) - y * predictor
        else:
            away = np.abs(predictor - y)
            delta = 1.345
            losses = np.where(away <= delta, 0.5 * away**2, delta * (away - 0.5 * delta))
        return losses.mean() + 0.005 * (matrix**2).sum()

    own = np.concatenate([np.linalg.svd(model.coef_)[0][:, 0], model.coef_.T @ np.linalg.svd(model.coef_)[0][:, 0]])
    at = value(np.append(own, model.intercept_))
    generator = np.random.default_rng(2)
    least = min(minimize(value, 0.3 * generator.normal(size=8), method="BFGS").fun for _ in range(8))
    assert at <= least + 1e-6 * abs(least)
    assert np.linalg.matrix_rank(model.coef_) == 1
    model.save(tmp_path / "m.json")
    assert np.array_equal(load(tmp_path / "m.json").coef_, model.coef_)
    assert clone(model).fit(X, y).score(X, y) == model.score(X, y)


def test_a_ball_of_matrices_holds():
    X, eta = matrices(5)
    model = MatrixClassifier(constraint=Rank(1) & Ball(0.3)).fit(X, eta > 0)
    assert np.linalg.norm(model.coef_) <= 0.3 + 1e-9
