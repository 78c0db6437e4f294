"""Classification under exact constraints: two classes by one linear predictor, more by one for each of them."""

from __future__ import annotations

from typing import Any

from ._classification import Classification, ClassificationStream
from ._matrices import Matrices
from ._search import Search

__all__ = ["ConstrainedClassifier", "ConstrainedClassifierCV", "MatrixClassifier"]


class ConstrainedClassifier(ClassificationStream, Classification):
    """Logistic, squared-hinge or hinge classification whose coefficients lie in a set, exactly.

    ``loss`` is "logistic", "squared_hinge" or "hinge", or an object with ``value(eta, y)``, ``slope(eta, y)`` and
    ``curvature(eta, y)`` of arrays, where ``y`` is 0 or 1. Two classes make one linear predictor.

    ``multi_class`` is about more than two of them. "multinomial", the default, is one model for all classes by the
    softmax of their linear predictors, for the logistic loss: ``Sparsity(20)`` then means 20 features shared by all
    classes (``Entries(20)`` is 20 coefficients in all), ``Rank(3)`` a coefficient matrix of rank 3, and ``coef_`` has a
    row for each class. "ovr", and every other loss, is one model for each class against the rest, each in the set;
    the attributes about the run are then lists. ``partial_fit`` learns that way too.

    ``class_weight`` is a dictionary of weights by class, or "balanced" for classes that weigh the same: the weight of a
    row is multiplied by that of its class.

    The other parameters and attributes are those of :class:`ConstrainedRegressor`, with ``classes_``.
    """

    def __init__(
        self,
        loss: Any = "logistic",
        constraint: Any = None,
        *,
        multi_class: str = "multinomial",
        class_weight: Any = None,
        ridge: float = 0.0,
        fit_intercept: bool = True,
        standardize: bool | str = "auto",
        method: str = "spd",
        rho1: float | str = "auto",
        gamma: float = 1.0,
        schedule: str = "poly",
        batch_size: int | str = "auto",
        sampling: str = "without_replacement",
        polish: bool = True,
        effort: str = "normal",
        prove: float | str | None = None,
        gap: float = 1e-6,
        memory: int | str = "1G",
        average: bool = False,
        max_steps: int = 10_000,
        max_passes: float | None = None,
        time_limit: float | str | None = None,
        tol: float = 1e-4,
        stop: str = "settled",
        check_every: int | str = "auto",
        monitor_rows: int | str = "auto",
        half_life: float | None = None,
        reservoir: int = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: int = 0,
        categories: Any = "auto",
        missing: str = "error",
        unknown: str = "error",
        formula: str | None = None,
    ) -> None:
        self._take(locals())


class MatrixClassifier(ClassificationStream, Matrices, Classification):
    """Classification of matrices: the linear predictor is ⟨coef_, Xᵢ⟩ + intercept_, with a coefficient matrix in a set.

    ``X`` has the shape (n, rows, columns), or (n, rows * columns) with ``shape=(rows, columns)``; without ``shape`` a
    two-dimensional ``X`` holds single columns. A projection of your own is given matrices.

    Two classes have one matrix, more have one for each class against the rest, each in the set: ``coef_`` has the shape
    (1, rows, columns), or (classes, rows, columns). The losses, other parameters and attributes are those of
    :class:`ConstrainedClassifier`.
    """

    def __init__(
        self,
        shape: tuple[int, int] | None = None,
        constraint: Any = "rank:1",
        loss: Any = "logistic",
        *,
        class_weight: Any = None,
        ridge: float = 0.0,
        fit_intercept: bool = True,
        standardize: bool | str = "auto",
        method: str = "spd",
        rho1: float | str = "auto",
        gamma: float = 1.0,
        schedule: str = "poly",
        batch_size: int | str = "auto",
        sampling: str = "without_replacement",
        polish: bool = True,
        effort: str = "normal",
        prove: float | str | None = None,
        gap: float = 1e-6,
        memory: int | str = "1G",
        average: bool = False,
        max_steps: int = 10_000,
        max_passes: float | None = None,
        time_limit: float | str | None = None,
        tol: float = 1e-4,
        stop: str = "settled",
        check_every: int | str = "auto",
        monitor_rows: int | str = "auto",
        half_life: float | None = None,
        reservoir: int = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: int = 0,
    ) -> None:
        self._take(locals())

    def _keep(self) -> None:
        super()._keep()
        self.coef_ = self.coef_.reshape(-1, *self._matrix)


class ConstrainedClassifierCV(Search, Classification):
    """The same with the parameter of the set chosen by cross-validation: 10 folds and one standard error by default.

    ``grid``, ``cv``, ``scoring``, ``choice`` and ``ridge`` are those of :class:`ConstrainedRegressorCV`, the rest is as
    in :class:`ConstrainedClassifier`. More than two classes with ``multi_class="multinomial"`` have one model and one
    choice: numbers of features are those that all classes share (``{"rows": range(1, 21)}``, or "sparsity", which means
    the same here), ``constraint=Rank(5)`` tries ranks, and "auc" is the mean over the classes, each against the rest.
    With ``multi_class="ovr"`` each model chooses for itself, by its scores of the class (1) against the rest (0).
    """

    def __init__(
        self,
        loss: Any = "logistic",
        grid: Any = None,
        *,
        multi_class: str = "multinomial",
        class_weight: Any = None,
        cv: Any = 10,
        scoring: Any = "loss",
        choice: str = "one_standard_error",
        constraint: Any = None,
        ridge: float | str = "auto",
        fit_intercept: bool = True,
        standardize: bool | str = "auto",
        method: str = "spd",
        rho1: float | str = "auto",
        gamma: float = 1.0,
        schedule: str = "poly",
        batch_size: int | str = "auto",
        sampling: str = "without_replacement",
        polish: bool = True,
        effort: str = "normal",
        prove: float | str | None = None,
        gap: float = 1e-6,
        memory: int | str = "1G",
        average: bool = False,
        max_steps: int = 10_000,
        max_passes: float | None = None,
        time_limit: float | str | None = None,
        tol: float = 1e-4,
        stop: str = "settled",
        check_every: int | str = "auto",
        monitor_rows: int | str = "auto",
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: int = 0,
        categories: Any = "auto",
        missing: str = "error",
        unknown: str = "error",
        formula: str | None = None,
    ) -> None:
        self._take(locals())
