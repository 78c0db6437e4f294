"""Classification under exact constraints: two classes by one linear predictor, more by one for each of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import _losses, _proxdist
from ._estimator import Constrained
from ._input import checked, checked_offset, per_row
from ._matrices import Matrices
from ._outputs import Joint, joint_offset, joint_rows, softmax
from ._search import Search
from ._stream import Streaming


def _has_probabilities(estimator: Any) -> bool:
    if _losses.fact(estimator.loss, "has_probabilities") or hasattr(estimator.loss, "mean"):
        return True
    raise AttributeError(
        f"predict_proba needs the logistic loss, not {estimator.loss!r}; CalibratedClassifierCV adds it to others"
    )


class _Classification(Joint, ClassifierMixin, Constrained):
    """Fitting and predicting, whatever the set is chosen by."""

    #: What more than two classes are, unless an estimator lets its user say.
    multi_class = "ovr"

    def fit(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> Any:
        """Fits the model; ``sample_weight`` weighs rows, ``offset`` is a known part of each linear predictor.

        The offset has one number a row, for a multinomial model one for each row and class.
        """
        self._check_loss()
        X, shape = self._flat(X)
        X, y = checked(self, X, y, reset=True)
        check_classification_targets(y)
        self.classes_ = self._checked_classes(np.unique(y))
        if self._is_multinomial():
            codes = np.searchsorted(self.classes_, y).reshape(-1, 1)
            rows = joint_rows(codes, sample_weight, offset, X, len(self.classes_))
            self._solve_outputs(X, rows, "softmax", [str(label) for label in self.classes_])
        else:
            self._solve_all(X, self._against_rest(y, sample_weight, offset, X), shape)
        return self

    def _flat(self, X: Any) -> tuple[Any, tuple[int, int] | None]:
        return X, None

    def _is_multinomial(self) -> bool:
        """Whether the classes have one model together."""
        if self.multi_class not in ("multinomial", "ovr"):
            raise ValueError(f"multi_class must be 'multinomial' or 'ovr', got {self.multi_class!r}")
        return self.multi_class == "multinomial" and self.loss == "logistic" and len(self.classes_) > 2

    def _checked_classes(self, classes: Any) -> Any:
        if len(classes) < 2:
            only = classes.tolist()[0]
            raise ValueError(f"{type(self).__name__} needs at least 2 classes, but y has only 1 class: {only!r}")
        return classes

    def _against_rest(self, y: Any, sample_weight: Any, offset: Any, X: Any) -> list[dict[str, Any]]:
        """One response a model: the second of two classes, or each of several."""
        positives = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        shared = per_row(y == positives[0], sample_weight, offset, X)
        return [shared | {"response": np.ascontiguousarray(y == label, dtype=np.float64)} for label in positives]

    def _rows_again(self, X: Any, y: Any, sample_weight: Any, offset: Any) -> Any:
        X, shape = self._flat(X)
        X, y = checked(self, X, y, reset=False)
        self._check_labels(y)
        return X, self._against_rest(y, sample_weight, offset, X), shape

    def _check_labels(self, y: Any) -> None:
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            label, known = unknown.tolist()[0], self.classes_.tolist()
            raise ValueError(f"y has the label {label!r}, which is not among the classes {known}")

    def decision_function(self, X: Any, offset: Any = None) -> Any:
        """Linear predictors: one a row for two classes, one a row and class for more."""
        check_is_fitted(self)
        X = checked(self, self._flat(X)[0], reset=False)
        if self._is_joint():
            return self._predictors(X, joint_offset(offset, X.shape[0], len(self.classes_)))
        offset = checked_offset(offset, X.shape[0])
        if len(self._results) == 1:
            return self._predictor(X, 0, offset)
        return np.column_stack([self._predictor(X, index, offset) for index in range(len(self._results))])

    def predict(self, X: Any, offset: Any = None) -> Any:
        """The likeliest class of each row."""
        scores = self.decision_function(X, offset)
        best = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[best]

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any, offset: Any = None) -> Any:
        """Probabilities of the classes, for the logistic loss. With ``multi_class="ovr"`` those of more than two are
        scaled to sum to 1."""
        scores = self.decision_function(X, offset)
        if self._is_joint():
            return softmax(scores)
        if scores.ndim == 1:
            positive = self._mean(scores)
            return np.column_stack([1.0 - positive, positive])
        chances = np.column_stack([self._mean(np.ascontiguousarray(column)) for column in scores.T])
        total = chances.sum(axis=1, keepdims=True)
        return np.where(total > 0, chances / np.where(total > 0, total, 1.0), 1.0 / len(self.classes_))

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any, offset: Any = None) -> Any:
        """Logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X, offset))

    def scorecard(
        self, X: Any = None, y: Any = None, sample_weight: Any = None, offset: Any = None, **wanted: Any
    ) -> Any:
        """Whole points for the features of a model of two classes: a :class:`Scorecard`; see docs/scorecards.md."""
        from ._scorecard import made

        return made(self, (X, y, sample_weight, offset), wanted)

    def _mean(self, scores: Any) -> Any:
        return _proxdist.loss_mean(self._loss(), scores) if isinstance(self.loss, str) else self.loss.mean(scores)

    def _check_loss(self) -> None:
        _losses.check(self.loss, _losses.CLASSES)

    def _keep(self) -> None:
        super()._keep()
        self.coef_ = np.vstack([result["coef"] for result in self._results])
        if self._is_joint():
            known = self._results[0]["intercept"]
            self.intercept_ = np.zeros(len(self.coef_)) if known is None else np.array(known)
        else:
            self.intercept_ = np.array([result["intercept"] or 0.0 for result in self._results])


class _Stream(Streaming):
    """`partial_fit`, for estimators whose set is given."""

    def partial_fit(
        self: Any, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, offset: Any = None
    ) -> Any:
        """Learns one more block of a stream: each of its rows once.

        ``classes`` are needed at the first call, since a block may not hold all of them. The block is first predicted,
        which ``stream_`` tells the loss of, and then learned from where the last call, or ``fit``, has ended; its rows
        are forgotten. The rest is as in :meth:`ConstrainedRegressor.partial_fit`.
        """
        self._check_loss()
        first = not hasattr(self, "_results")
        X, shape = self._flat(X)
        X, y = checked(self, X, y, reset=first)
        check_classification_targets(y)
        if first:
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            self.classes_ = np.unique(classes)
            if len(self.classes_) < 2:
                raise ValueError(f"classes must name at least 2 classes, got {self.classes_!r}")
        self._check_labels(y)
        self._learn(X, self._against_rest(y, sample_weight, offset, X), shape)
        return self


class ConstrainedClassifier(_Stream, _Classification):
    """Logistic, squared-hinge or hinge classification whose coefficients lie in a set, exactly.

    ``loss`` is "logistic", "squared_hinge" or "hinge", or an object with ``value(eta, y)``, ``slope(eta, y)`` and
    ``curvature(eta, y)`` of arrays, where ``y`` is 0 or 1. Two classes make one linear predictor.

    ``multi_class`` is about more than two of them. "multinomial", the default, is one model for all classes by the
    softmax of their linear predictors, for the logistic loss: ``Sparsity(20)`` then means 20 features shared by all
    classes (``Entries(20)`` is 20 coefficients in all), ``Rank(3)`` a coefficient matrix of rank 3, and ``coef_`` has a
    row for each class. "ovr", and every other loss, is one model for each class against the rest, each in the set;
    the attributes about the run are then lists. ``partial_fit`` learns that way too.

    The other parameters and attributes are those of :class:`ConstrainedRegressor`, with ``classes_``.
    """

    def __init__(
        self,
        loss: Any = "logistic",
        constraint: Any = None,
        *,
        multi_class: str = "multinomial",
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


class MatrixClassifier(_Stream, Matrices, _Classification):
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


class ConstrainedClassifierCV(Search, _Classification):
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
    ) -> None:
        self._take(locals())
