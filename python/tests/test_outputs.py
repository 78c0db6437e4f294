"""Several outputs in one fit: classes by softmax, responses side by side."""

import itertools
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_val_score

from proxdist import (
    Ball,
    ConstrainedClassifier,
    ConstrainedRegressor,
    Entries,
    NonNegative,
    Projection,
    Rank,
    Rows,
    Sparsity,
    load,
)


def iris():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


def log_loss(model, X, y):
    chances = model.predict_proba(X)
    return -np.log(chances[np.arange(len(y)), np.searchsorted(model.classes_, y)]).mean()


def responses(seed=0, rows=200, features=8, outputs=3):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(rows, features)) * np.arange(1, features + 1) + 5.0
    truth = np.zeros((features, outputs))
    truth[[1, 4]] = generator.normal(size=(2, outputs))
    return X, X @ truth + generator.normal(size=(rows, outputs))


def test_the_multinomial_model_is_that_of_scikit_learn():
    X, y = iris()
    ridge = 0.01
    model = ConstrainedClassifier(ridge=ridge, standardize=False).fit(X, y)
    # The same objective: C is one over the rows times the ridge.
    peer = LogisticRegression(C=1.0 / (ridge * len(y)), tol=1e-12, max_iter=10_000).fit(X, y)
    assert model.coef_.shape == (3, 4) and model.intercept_.shape == (3,)
    assert np.allclose(model.coef_, peer.coef_, atol=1e-5)
    assert np.allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-6)
    assert np.abs(model.coef_.sum(axis=0)).max() < 1e-9
    assert (model.predict(X) == peer.predict(X)).all()
    assert model.certificate_["is_stationary"]


def test_sparsity_is_shared_by_all_classes_and_the_best_choice():
    X, y = iris()
    model = ConstrainedClassifier(constraint=Sparsity(2), ridge=1e-2).fit(X, y)
    assert len(model.support_) == 2
    assert (model.coef_ != 0).any(axis=0).sum() == 2
    assert model.certificate_["exchanges"] == "every-choice"
    # Every other pair of features, fitted alone, has a higher F.
    for pair in itertools.combinations(range(4), 2):
        other = ConstrainedClassifier(ridge=1e-2).fit(X[:, list(pair)], y)
        assert other.objective_ >= model.objective_ - 1e-9
    again = ConstrainedClassifier(constraint=Rows(2), ridge=1e-2).fit(X, y)
    assert np.array_equal(again.coef_, model.coef_)


def test_entries_are_counted_by_their_own_name():
    X, y = iris()
    model = ConstrainedClassifier(constraint=Entries(4), ridge=1e-2).fit(X, y)
    assert np.count_nonzero(model.coef_) <= 4
    with pytest.raises(TypeError, match="Entries cannot be intersected"):
        Entries(2) & NonNegative()
    with pytest.raises(TypeError):
        NonNegative() & Entries(2)


def test_one_against_the_rest_is_there_by_name():
    X, y = iris()
    model = ConstrainedClassifier(constraint=Sparsity(1), ridge=1e-3, multi_class="ovr").fit(X, y)
    assert len(model.certificate_) == 3
    with pytest.raises(ValueError, match="multi_class must be 'multinomial' or 'ovr'"):
        ConstrainedClassifier(multi_class="both").fit(X, y)


def test_rank_and_a_projection_of_matrices():
    X, y = load_digits(return_X_y=True)
    X = X[:600] / 16.0
    model = ConstrainedClassifier(constraint=Rank(2), ridge=1e-3).fit(X, y[:600])
    assert np.linalg.matrix_rank(model.coef_, tol=1e-9) == 2
    seen = []

    def nearest(matrix):
        seen.append(matrix.shape)
        return np.clip(matrix, -0.1, 0.1)

    X, y = iris()
    ConstrainedClassifier(constraint=Projection(nearest, is_convex=True), max_steps=40).fit(X, y)
    assert set(seen) == {(4, 3)}


def test_responses_side_by_side():
    X, Y = responses()
    free = ConstrainedRegressor().fit(X, Y)
    peer = LinearRegression().fit(X, Y)
    assert np.allclose(free.coef_, peer.coef_) and np.allclose(free.intercept_, peer.intercept_)
    assert free.certificate_["gap"] < 1e-9 * free.objective_
    model = ConstrainedRegressor(constraint=Sparsity(2)).fit(X, Y)
    assert set(model.support_) == {1, 4}
    assert model.predict(X).shape == Y.shape
    assert model.score(X, Y) > 0.5
    only = LinearRegression().fit(X[:, [1, 4]], Y)
    assert np.allclose(model.coef_[:, [1, 4]], only.coef_)
    column = ConstrainedRegressor().fit(X, Y[:, :1])
    assert np.array_equal(column.coef_, ConstrainedRegressor().fit(X, Y[:, 0]).coef_)
    with pytest.raises(ValueError, match="1d array"):
        ConstrainedRegressor("poisson").fit(X, np.abs(Y))


def test_reduced_rank_is_the_closed_form():
    X, Y = responses(3)
    Xc, Yc = X - X.mean(axis=0), Y - Y.mean(axis=0)
    ols = np.linalg.lstsq(Xc, Yc, rcond=None)[0]
    _, _, right = np.linalg.svd(Xc @ ols, full_matrices=False)
    for rank in (1, 2):
        best = ols @ right[:rank].T @ right[:rank]
        model = ConstrainedRegressor(constraint=Rank(rank)).fit(X, Y)
        assert np.allclose(model.coef_, best.T, atol=1e-8)
        assert model.certificate_["proven"] == "globally optimal, proven"


def test_huber_with_a_ball_is_not_above_a_thousand_points_of_the_ball():
    X, Y = responses(5, rows=80, features=5)
    model = ConstrainedRegressor("huber", Ball(0.5)).fit(X, Y)
    generator = np.random.default_rng(0)

    def value(coef):
        away = np.abs(Y - X @ coef.T - np.median(Y - X @ coef.T, axis=0))
        return np.where(away <= 1.345, 0.5 * away**2, 1.345 * (away - 0.5 * 1.345)).sum(axis=1).mean()

    for _ in range(1000):
        point = generator.normal(size=(3, 5))
        assert value(0.5 * point / max(np.linalg.norm(point), 0.5)) >= model.objective_ - 1e-9


def test_files_and_pickles_read_back(tmp_path):
    X, y = iris()
    model = ConstrainedClassifier(constraint=Sparsity(2), ridge=1e-2).fit(X, y)
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert (again.predict(X) == model.predict(X)).all()
    assert np.array_equal(pickle.loads(pickle.dumps(model)).coef_, model.coef_)
    X, Y = responses()
    regressor = ConstrainedRegressor(constraint=Rank(1)).fit(X, Y)
    regressor.save(tmp_path / "rank.json")
    assert np.array_equal(load(tmp_path / "rank.json").predict(X), regressor.predict(X))


def test_what_is_not_there_says_so():
    X, y = iris()
    with pytest.raises(ValueError, match="one number for each row and output"):
        ConstrainedClassifier().fit(X, y, offset=np.ones(len(y)))
    with pytest.raises(ValueError, match="not available for several outputs"):
        ConstrainedClassifier(prove=1.0).fit(X, y)
    model = ConstrainedClassifier(ridge=0.1).fit(X, y)
    with pytest.raises(ValueError, match="certify is not available"):
        model.certify(X, y)
    with pytest.warns(UserWarning, match="partial_fit begins afresh"):
        model.partial_fit(X, y)
    assert len(model.stop_reason_) == 3
    with pytest.raises(ValueError, match="needs at least 2 classes"):
        ConstrainedClassifier().fit(X, np.zeros(len(y)))
    X, Y = responses()
    Y[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        ConstrainedRegressor().fit(X, Y)
    # Weights may leave a class without rows.
    with pytest.raises(ValueError, match="no row with a positive weight"):
        ConstrainedClassifier().fit(*iris(), sample_weight=(np.arange(150) < 100).astype(float))


def test_weights_count_rows_and_warm_starts_change_nothing():
    X, y = iris()
    weights = np.ones(len(y))
    weights[:20] = 2.0
    model = ConstrainedClassifier(ridge=0.05, standardize=False, warm_start=True).fit(X, y, sample_weight=weights)
    doubled = ConstrainedClassifier(ridge=0.05, standardize=False).fit(
        np.vstack([X, X[:20]]), np.concatenate([y, y[:20]])
    )
    assert np.allclose(model.coef_, doubled.coef_, atol=1e-7)
    before = model.coef_.copy()
    assert np.allclose(model.fit(X, y, sample_weight=weights).coef_, before, atol=1e-8)


def test_cross_validation_runs_and_one_output_of_many_is_bound_by_name():
    X, y = iris()
    assert cross_val_score(ConstrainedClassifier(constraint=Sparsity(2), ridge=1e-3), X, y, cv=3).mean() > 0.9
    model = ConstrainedClassifier(constraint="nonneg[*@setosa]", ridge=1e-2, standardize=False).fit(X, y)
    assert (model.coef_[0] >= 0).all() and (model.coef_[1:] < 0).any()
