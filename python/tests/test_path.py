"""Paths over all sizes: the best of each size, and the choice between them."""

from itertools import combinations

import numpy as np
import pytest
from conftest import planted, planted_classes
from sklearn.base import clone

from proxdist import ConstrainedClassifier, ConstrainedRegressor, Selection, Sparsity, SparsePath

X, Y, TRUTH = planted(rows=120, columns=8)


def squares(support):
    """F of the best squares on a support, with an intercept."""
    design = np.column_stack([np.ones(len(Y)), X[:, list(support)]])
    rest = Y - design @ np.linalg.lstsq(design, Y, rcond=None)[0]
    return 0.5 * np.mean(rest**2)


def test_every_size_has_the_best_subset():
    path = SparsePath(largest=5, cv=None).fit(X, Y)
    assert path.sizes_.tolist() == [0, 1, 2, 3, 4, 5]
    for size in range(6):
        best = min(squares(support) for support in combinations(range(8), size))
        assert path.objective_[size] == pytest.approx(best, rel=1e-9)
        assert squares(path.supports_[size]) == pytest.approx(best, rel=1e-9)


def test_coefficients_are_in_the_units_of_the_data():
    scales = 10.0 ** np.arange(-3, 5)
    path, scaled = SparsePath(largest=4, cv=None).fit(X, Y), SparsePath(largest=4, cv=None).fit(X * scales, Y)
    np.testing.assert_allclose(scaled.coefs_ * scales, path.coefs_, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(scaled.intercepts_, path.intercepts_, rtol=1e-6, atol=1e-9)
    fitted = X @ path.coefs_[4] + path.intercepts_[4]
    assert 0.5 * np.mean((Y - fitted) ** 2) == pytest.approx(path.objective_[4], rel=1e-9)


def test_the_choice_is_within_one_standard_error_of_the_best_mean():
    path = SparsePath(largest=6, cv=5, random_state=3).fit(X, Y)
    assert len(path.sizes_) == 7 * 5
    assert path.cv_folds_.shape == (35, 5)
    np.testing.assert_allclose(path.cv_folds_.mean(axis=1), path.cv_mean_)
    best, simplest = path.index("cv-best"), path.index("cv")
    assert path.cv_mean_[best] == path.cv_mean_.min()
    assert path.cv_mean_[simplest] <= path.cv_mean_[best] + path.cv_se_[best]
    assert path.sizes_[simplest] <= path.sizes_[best]
    again = clone(path).fit(X, Y)
    assert np.array_equal(again.cv_mean_, path.cv_mean_)


@pytest.mark.parametrize("criterion", ["aic", "bic", "ebic", "cv", "cv-best"])
def test_the_best_is_a_fitted_estimator_of_that_size(criterion):
    path = SparsePath(largest=6, cv=5).fit(X, Y)
    at, model = path.index(criterion), path.best(criterion)
    assert isinstance(model, ConstrainedRegressor)
    assert len(model.support_) <= path.sizes_[at]
    assert model.ridge == path.ridges_[at]
    assert model.objective_ <= path.objective_[at] * (1 + 1e-9)
    if criterion == "bic":
        assert path.bic_[at] == path.bic_.min()


def test_two_classes():
    X, y, _ = planted_classes(rows=200, columns=10)
    labels = np.where(y > 0, "yes", "no")
    path = SparsePath("logistic", largest=4, cv=4, ridges=[0.0, 1e-2]).fit(X, labels)
    model = path.best()
    assert isinstance(model, ConstrainedClassifier)
    assert model.classes_.tolist() == ["no", "yes"]
    alone = ConstrainedClassifier(constraint=Sparsity(3), ridge=1e-2).fit(X, labels)
    at = np.flatnonzero((path.sizes_ == 3) & (path.ridges_ == 1e-2))[0]
    assert path.objective_[at] == pytest.approx(alone.objective_, rel=1e-6)


def test_separated_classes_are_marked():
    x = np.linspace(-1.0, 1.0, 40)[:, None] + np.array([0.0, 0.3])
    path = SparsePath("logistic", largest=1, cv=None, ridges=[0.0, 0.1]).fit(x, (x[:, 0] > 0).astype(int))
    assert path.separated_.tolist() == [False, True, False, False]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"largest": 9}, "largest=9 features, but there are 8"),
        ({"largest": 0}, "largest"),
        ({"ridges": [-1.0]}, "ridge"),
        ({"cv": 1}, "cv"),
        ({"scoring": "beauty"}, "beauty"),
        ({"loss": "logistic"}, "classes|continuous"),
    ],
)
def test_mistakes_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        SparsePath(**parameters).fit(X, Y)


def test_a_choice_that_cannot_be_made_says_why():
    path = SparsePath("huber:1.0", largest=2, cv=None).fit(X, Y)
    for criterion, message in [("bic", "likelihood"), ("cv", "held-out"), ("luck", "one of")]:
        with pytest.raises(ValueError, match=message):
            path.best(criterion)


def test_a_set_with_rules_has_a_path_too():
    path = SparsePath(constraint=Selection(4, keep=[5, 6]), cv=None).fit(X, Y)
    assert path.sizes_.tolist() == [2, 3, 4]
    for at, size in enumerate(path.sizes_):
        others = [j for j in range(8) if j not in (5, 6)]
        best = min(squares((5, 6, *rest)) for rest in combinations(others, size - 2))
        assert path.objective_[at] == pytest.approx(best, rel=1e-9)
    model = path.best("bic")
    assert {5, 6} <= set(model.support_.tolist())
    assert model.objective_ <= path.objective_[path.index("bic")] * (1 + 1e-12)


def test_names_and_groups_hold_for_paths():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=[f"{'ab'[j % 2]}_{j}" for j in range(8)])
    path = SparsePath(constraint="sparsity:3;keep=a_0", cv=3, ridges=[0.0]).fit(frame, Y)
    assert all(0 in support for support in path.supports_)
    assert path.best().feature_names_in_.tolist() == list(frame.columns)
    groups = SparsePath(constraint="group-sparsity:2;by=prefix", cv=None).fit(frame, Y)
    assert [len(support) for support in groups.supports_] == [0, 4, 8]


def test_sets_without_a_number_stand_beside_sparsity():
    path = SparsePath(largest=3, constraint="nonneg", cv=None).fit(X, Y)
    assert (path.coefs_ >= 0).all() and path.sizes_.tolist() == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="several numbers"):
        SparsePath(constraint="blocks[1-4: sparsity:1][5-8: sparsity:2]", cv=None).fit(X, Y)
    with pytest.raises(TypeError, match="name"):
        SparsePath(constraint=lambda x: x, cv=None).fit(X, Y)
