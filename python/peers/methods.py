"""The methods: each yields, size by size, the features that it chooses.

Methods along a path (L1, MCP) are run until a size is reached, and keep the largest coefficients of the first point
that has as many; their time is that of the path so far. Others are run once a size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

Chosen = Iterator[tuple[int, Any]]


def ours(effort: str, seed: int = 0) -> Callable[..., Chosen]:
    """This package with its default settings, an effort and a seed."""

    def choose(X: Any, y: Any, loss: str, sizes: tuple[int, ...]) -> Chosen:
        from proxdist import ConstrainedClassifier, ConstrainedRegressor, Sparsity

        kind = ConstrainedRegressor if loss == "squared" else ConstrainedClassifier
        for size in sizes:
            model = kind(constraint=Sparsity(size), ridge=1e-4, effort=effort, n_jobs=1, random_state=seed).fit(X, y)
            yield size, np.flatnonzero(np.ravel(model.coef_))

    return choose


def abess(X: Any, y: Any, loss: str, sizes: tuple[int, ...]) -> Chosen:
    """Splicing at one size, as abess does by default."""
    from abess import LinearRegression, LogisticRegression

    X = X.tocsc() if sparse.issparse(X) else X
    for size in sizes:
        model = (LinearRegression if loss == "squared" else LogisticRegression)(support_size=size, thread=1)
        yield size, np.flatnonzero(np.ravel(model.fit(X, y).coef_))


def abess_path(X: Any, y: Any, loss: str, sizes: tuple[int, ...]) -> Chosen:
    """Splicing with warm starts at all sizes up to one, all features looked at.

    Where it hands back a smaller size, as for separated classes, the size alone is fitted, too.
    """
    from abess import LinearRegression, LogisticRegression

    X = X.tocsc() if sparse.issparse(X) else X
    for size in sizes:
        kind = LinearRegression if loss == "squared" else LogisticRegression
        # A criterion that never ends the path early and always takes the largest size.
        model = kind(
            support_size=range(1, size + 1), thread=1, ic_type="aic", ic_coef=0.0, important_search=0, alpha=1e-4
        ).fit(X, y)
        if np.count_nonzero(model.coef_) < size:
            model = kind(support_size=size, thread=1, important_search=0, alpha=1e-4).fit(X, y)
        yield size, np.flatnonzero(np.ravel(model.coef_))


def largest(coefficients: Any, size: int) -> Any:
    """The features with the largest coefficients."""
    order = np.argsort(-np.abs(coefficients), kind="stable")[:size]
    return order[coefficients[order] != 0]


def along(path: Iterator[Any], sizes: tuple[int, ...]) -> Chosen:
    """Sizes in the order in which a path reaches them; its end stands for those that it does not reach."""
    left, coefficients = list(sizes), None
    for coefficients in path:
        while left and np.count_nonzero(coefficients) >= left[0]:
            yield left[0], largest(coefficients, left[0])
            left.pop(0)
        if not left:
            return
    for size in left:
        yield size, largest(coefficients, size)


def celer_l1(X: Any, y: Any, loss: str, sizes: tuple[int, ...]) -> Chosen:
    """The L1 path of celer, which has no intercept for classes."""
    from celer import celer_path

    X = X.tocsc() if sparse.issparse(X) else np.asfortranarray(X)
    target = y - y.mean() if loss == "squared" else 2 * y - 1
    size = np.abs(X.T @ target).max() / (len(y) if loss == "squared" else 2)
    problem = "lasso" if loss == "squared" else "logreg"

    def path() -> Iterator[Any]:
        start = None
        for alpha in size * np.geomspace(0.9, 1e-3, 40):
            found = celer_path(X, target, problem, alphas=[alpha], coef_init=start, tol=1e-4)
            start = found[1][:, 0].copy()
            yield start

    yield from along(path(), sizes)


def sklearn_omp(X: Any, y: Any, loss: str, sizes: tuple[int, ...]) -> Chosen:
    """Orthogonal matching pursuit of scikit-learn, for squared loss."""
    from sklearn.linear_model import OrthogonalMatchingPursuit

    for size in sizes:
        model = OrthogonalMatchingPursuit(n_nonzero_coefs=size).fit(X, y)
        yield size, np.flatnonzero(model.coef_)


def sklearn_l1(X: Any, y: Any, loss: str, sizes: tuple[int, ...]) -> Chosen:
    """L1 logistic regression of scikit-learn (liblinear) along a path."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import l1_min_c

    def path() -> Iterator[Any]:
        for weight in l1_min_c(X, y, loss="log") * np.geomspace(1.1, 1e3, 30):
            model = LogisticRegression(l1_ratio=1.0, C=weight, solver="liblinear", tol=1e-4, intercept_scaling=10.0)
            yield model.fit(X, y).coef_[0]

    yield from along(path(), sizes)


def skglm_mcp(X: Any, y: Any, loss: str, sizes: tuple[int, ...]) -> Chosen:
    """The minimax concave penalty of skglm along a path."""
    from skglm import GeneralizedLinearEstimator
    from skglm.datafits import Logistic, Quadratic
    from skglm.penalties import MCPenalty
    from skglm.solvers import AndersonCD, ProxNewton

    X = X.tocsc() if sparse.issparse(X) else np.asfortranarray(X)
    target = y if loss == "squared" else 2 * y - 1
    size = np.abs(X.T @ (y - y.mean())).max() / len(y)

    def path() -> Iterator[Any]:
        options = {"fit_intercept": True, "warm_start": True, "tol": 1e-4, "max_iter": 20}
        solver = AndersonCD(**options) if loss == "squared" else ProxNewton(**options)
        datafit = Quadratic() if loss == "squared" else Logistic()
        model = GeneralizedLinearEstimator(datafit, MCPenalty(size, 3.0), solver)
        for alpha in size * np.geomspace(0.9, 1e-3, 40):
            model.penalty = MCPenalty(alpha, 3.0)
            yield np.ravel(model.fit(X, target).coef_)

    yield from along(path(), sizes)


#: By name: the function, and the loss that it is for, if it is for one.
METHODS: dict[str, tuple[Callable[..., Chosen], str | None]] = {
    "proxdist quick": (ours("quick"), None),
    "proxdist normal": (ours("normal"), None),
    "proxdist thorough": (ours("thorough"), None),
    "abess": (abess, None),
    "abess path": (abess_path, None),
    "celer L1": (celer_l1, None),
    "skglm MCP": (skglm_mcp, None),
    "sklearn OMP": (sklearn_omp, "squared"),
    "sklearn L1": (sklearn_l1, "logistic"),
}

EFFORTS, SEEDS = ("quick", "normal", "thorough"), (0, 1, 2)
#: This package alone, for the table of efforts and seeds.
SEEDED = {f"{effort} {seed}": (ours(effort, seed), None) for effort in EFFORTS for seed in SEEDS}
