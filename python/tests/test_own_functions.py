"""Sets and losses written in Python."""

import numpy as np
import pytest
from conftest import planted, planted_classes

from proxdist import (
    ConstrainedClassifier,
    ConstrainedClassifierCV,
    ConstrainedRegressor,
    MatrixRegressor,
    NonNegative,
    Projection,
    Rank,
    Simplex,
    Sparsity,
    project,
)


def half_positive(x):
    """The first half of the coefficients must not be negative."""
    x = x.copy()
    half = len(x) // 2
    x[:half] = np.maximum(x[:half], 0.0)
    return x


class LogCosh:
    """A smooth relative of the absolute error."""

    curvature_bound = 1.0

    def value(self, eta, y):
        r = np.abs(eta - y)
        return r + np.log1p(np.exp(-2 * r)) - np.log(2)

    def slope(self, eta, y):
        return np.tanh(eta - y)

    def curvature(self, eta, y):
        return 1 / np.cosh(np.clip(eta - y, -300, 300)) ** 2


class Squared:
    def value(self, eta, y):
        return 0.5 * (eta - y) ** 2

    def slope(self, eta, y):
        return eta - y

    def curvature(self, eta, y):
        return np.ones_like(eta)


def test_a_projection_of_ones_own_gives_what_the_library_gives_for_the_same_set():
    X, y, _ = planted(columns=8)
    own = ConstrainedRegressor(constraint=Projection(half_positive, is_convex=True), standardize=False).fit(X, y)
    library = ConstrainedRegressor(constraint="blocks[1-4: nonneg]", standardize=False).fit(X, y)
    assert (own.coef_[:4] >= 0).all()
    assert np.allclose(own.coef_, library.coef_, atol=1e-4)
    bare = ConstrainedRegressor(constraint=half_positive, standardize=False).fit(X, y)
    assert np.allclose(bare.coef_, library.coef_, atol=1e-4)


def test_a_projection_of_matrices_is_given_matrices():
    shapes = set()

    def rank_one(m):
        shapes.add(m.shape)
        u, s, v = np.linalg.svd(m, full_matrices=False)
        return s[0] * np.outer(u[:, 0], v[0])

    generator = np.random.default_rng(0)
    X = generator.normal(size=(200, 4, 3))
    y = np.einsum("nij,ij->n", X, np.outer([1, 2, 0, 1], [1, -1, 2]))
    model = MatrixRegressor(constraint=rank_one, polish=False, max_steps=1000).fit(X, y)
    assert shapes == {(4, 3)}
    assert np.allclose(model.coef_, MatrixRegressor(constraint=Rank(1)).fit(X, y).coef_, atol=1e-2)


def test_a_loss_of_ones_own_gives_what_the_library_gives_for_the_same_loss():
    X, y, _ = planted(rows=200, columns=8)
    own = ConstrainedRegressor(Squared(), Sparsity(3)).fit(X, y)
    assert np.allclose(own.coef_, ConstrainedRegressor("squared", Sparsity(3)).fit(X, y).coef_, atol=1e-6)


def test_a_robust_loss_of_ones_own_ignores_outliers():
    X, y, theta = planted(rows=200, columns=8)
    y[:10] += 100.0
    model = ConstrainedRegressor(LogCosh(), Sparsity(3)).fit(X, y)
    assert np.abs(model.coef_ - theta).max() < 0.3
    assert np.abs(ConstrainedRegressor(constraint=Sparsity(3)).fit(X, y).coef_ - theta).max() > 0.3


def test_the_loss_is_called_for_many_rows_at_a_time():
    X, y, _ = planted(rows=2000, columns=8)
    sizes = []

    class Watched(Squared):
        def value(self, eta, y):
            sizes.append(len(eta))
            return super().value(eta, y)

    ConstrainedRegressor(Watched(), "ball:5", polish=False, max_steps=200, standardize=False).fit(X, y)
    assert np.mean(sizes) > 30


def fail(x):
    raise LookupError("the projection is out for lunch")


def test_an_exception_in_a_projection_is_raised_with_its_own_traceback():
    X, y, _ = planted()
    with pytest.raises(LookupError, match="out for lunch") as raised:
        ConstrainedRegressor(constraint=fail).fit(X, y)
    assert raised.traceback[-1].name == "fail"


@pytest.mark.parametrize("method", ["value", "slope", "curvature"])
def test_an_exception_in_a_loss_is_raised_with_its_own_traceback(method):
    class Broken(Squared):
        pass

    def broken(self, eta, y):
        raise LookupError(f"no {method} today")

    setattr(Broken, method, broken)
    X, y, _ = planted(rows=100, columns=5)
    with pytest.raises(LookupError, match=f"no {method} today") as raised:
        ConstrainedRegressor(Broken(), "ball:1").fit(X, y)
    assert raised.traceback[-1].name == "broken"


def test_what_a_function_returns_is_checked():
    X, y, _ = planted(columns=5)
    with pytest.raises(ValueError, match="project returned 4 numbers for 5"):
        ConstrainedRegressor(constraint=lambda x: x[:4]).fit(X, y)
    with pytest.raises(ValueError, match="project returned nan at position 0"):
        ConstrainedRegressor(constraint=lambda x: x * np.nan).fit(X, y)
    with pytest.raises(ValueError, match="could not convert string"):
        ConstrainedRegressor(constraint=lambda x: ["a"] * 5).fit(X, y)
    with pytest.raises(TypeError, match="has no slope"):
        ConstrainedRegressor(type("Half", (), {"value": max})()).fit(X, y)


def test_a_loss_with_means_gives_probabilities():
    class Logistic:
        def value(self, eta, y):
            return np.logaddexp(0, eta) - y * eta

        def slope(self, eta, y):
            return self.mean(eta) - y

        def curvature(self, eta, y):
            return self.mean(eta) * (1 - self.mean(eta))

        def mean(self, eta):
            return 1 / (1 + np.exp(-eta))

    X, y, _ = planted_classes(rows=200, columns=6)
    own = ConstrainedClassifier(Logistic(), Sparsity(3)).fit(X, y)
    library = ConstrainedClassifier("logistic", Sparsity(3)).fit(X, y)
    assert np.allclose(own.predict_proba(X), library.predict_proba(X), atol=1e-6)


def test_a_search_with_a_loss_of_ones_own_knows_that_it_is_about_classes():
    class Logistic:
        def value(self, eta, y):
            return np.logaddexp(0, eta) - y * eta

        def slope(self, eta, y):
            return 1 / (1 + np.exp(-eta)) - y

        def curvature(self, eta, y):
            return 0.25 / np.cosh(eta / 2) ** 2

    X, y, _ = planted_classes(rows=150, columns=6)
    own, library = (
        ConstrainedClassifierCV(loss, grid={"sparsity": [1, 3]}, scoring="accuracy", cv=3).fit(X, y)
        for loss in (Logistic(), "logistic")
    )
    for fold in range(3):
        key = f"split{fold}_test_score"
        assert np.allclose(own.cv_results_[key], library.cv_results_[key])


def test_projections_are_the_librarys():
    assert list(project(Sparsity(1), [3.0, -4.0])) == [0.0, -4.0]
    assert list(project("nonneg", [3.0, -4.0])) == [3.0, 0.0]
    assert np.allclose(project(Simplex(), [1.0, 1.0]), [0.5, 0.5])
    assert np.linalg.matrix_rank(project(Rank(1), np.eye(3))) == 1
    assert list((NonNegative() & Sparsity(1)).project([-9.0, 1.0, 2.0])) == [0.0, 0.0, 2.0]
    assert list(project(lambda x: x * 0, [1.0])) == [0.0]
    with pytest.raises(LookupError):
        project(fail, [1.0])
    with pytest.raises(ValueError, match="rank needs a matrix"):
        project(Rank(1), [1.0, 2.0])
