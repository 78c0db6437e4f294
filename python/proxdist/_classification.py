"""Fitting and predicting classes, whatever the set is chosen by."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score, log_loss
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import _losses, _proxdist
from ._admission import NO_Y, Admitted
from ._estimator import Constrained
from ._input import checked_offset, per_row
from ._outputs import Joint, joint_offset, joint_rows, softmax
from ._stream import Streaming


def _has_probabilities(estimator: Any) -> bool:
    if _losses.fact(estimator.loss, "has_probabilities") or hasattr(estimator.loss, "mean"):
        return True
    raise AttributeError(
        f"predict_proba needs the logistic loss, not {estimator.loss!r}; CalibratedClassifierCV adds it to others"
    )


def class_weighted(class_weight: Any, y: Any, sample_weight: Any) -> Any:
    """The weights of rows times those of their classes: a dictionary, or "balanced" for classes that weigh the same."""
    if class_weight is None:
        return sample_weight
    each = compute_sample_weight(class_weight, y)
    return each if sample_weight is None else each * np.asarray(sample_weight, dtype=np.float64)


class Classification(Joint, ClassifierMixin, Constrained):
    """What estimators of classes share."""

    #: What more than two classes are, and how classes weigh, unless an estimator lets its user say.
    multi_class = "ovr"
    class_weight: Any = None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, offset: Any = None) -> Any:
        """Fits the model; ``sample_weight`` weighs rows, ``offset`` is a known part of each linear predictor.

        The offset has one number a row, for a multinomial model one for each row and class. ``y`` is left out where a
        formula has it.
        """
        self._check_loss()
        X, shape = self._flat(X)
        self._note_known(offset, None)
        rows = self._admit(X, y, {"sample_weight": sample_weight, "offset": offset}, reset=True)
        X, y, offset = rows.X, rows.y, rows["offset"]
        check_classification_targets(y)
        self.classes_ = self._checked_classes(np.unique(y))
        weights = class_weighted(self.class_weight, y, rows["sample_weight"])
        if self._is_multinomial():
            codes = np.searchsorted(self.classes_, y).reshape(-1, 1)
            coded = joint_rows(codes, weights, offset, X, len(self.classes_))
            self._solve_outputs(X, coded, "softmax", [str(label) for label in self.classes_])
        else:
            self._solve_all(X, self._against_rest(y, weights, offset, X), shape)
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

    def _new_rows(self, X: Any, y: Any, sample_weight: Any, offset: Any) -> Admitted:
        """New rows, read as those of the fit were."""
        beside = {"sample_weight": sample_weight, "offset": self._known_part(X, offset)}
        return self._admit(self._flat(X)[0], y, beside, reset=False)

    def _rows_again(
        self, X: Any, y: Any, sample_weight: Any, *, offset: Any, exposure: Any, as_fitted: bool = True
    ) -> Any:
        if exposure is not None:
            self._known_part(X, None, exposure)
        shape = self._flat(X)[1]
        rows = self._new_rows(X, y, sample_weight, offset)
        self._check_labels(rows.y)
        weights = rows["sample_weight"]
        weights = class_weighted(self.class_weight, rows.y, weights) if as_fitted else weights
        return rows.X, self._against_rest(rows.y, weights, rows["offset"], rows.X), shape

    def _check_labels(self, y: Any) -> None:
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            label, known = unknown.tolist()[0], self.classes_.tolist()
            raise ValueError(f"y has the label {label!r}, which is not among the classes {known}")

    def decision_function(self, X: Any, offset: Any = None) -> Any:
        """Linear predictors: one a row for two classes, one a row and class for more.

        With ``missing="drop"`` those of a row with missing values are NaN. A model that was fitted with an offset needs one
        here too; ``offset=0`` is none.
        """
        check_is_fitted(self)
        rows = self._new_rows(X, NO_Y, None, offset)
        return rows.full(self._decisions(rows))

    def _decisions(self, rows: Admitted) -> Any:
        X, offset = rows.X, rows["offset"]
        if self._is_joint():
            return self._predictors(X, joint_offset(offset, X.shape[0], len(self.classes_)))
        offset = checked_offset(offset, X.shape[0])
        if len(self._results) == 1:
            return self._predictor(X, 0, offset)
        return np.column_stack([self._predictor(X, index, offset) for index in range(len(self._results))])

    def predict(self, X: Any, offset: Any = None) -> Any:
        """The likeliest class of each row; with ``missing="drop"``, ``None`` for a row with missing values."""
        check_is_fitted(self)
        rows = self._new_rows(X, NO_Y, None, offset)
        return rows.full(self._labels(rows))

    def _labels(self, rows: Admitted) -> Any:
        scores = self._decisions(rows)
        best = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[best]

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any, offset: Any = None) -> Any:
        """Probabilities of the classes, for the logistic loss. With ``multi_class="ovr"`` those of more than two are
        scaled to sum to 1."""
        check_is_fitted(self)
        rows = self._new_rows(X, NO_Y, None, offset)
        return rows.full(self._chances(self._decisions(rows)))

    def _chances(self, scores: Any) -> Any:
        if self._is_joint():
            return softmax(scores) if len(scores) else scores
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

    def score(self, X: Any, y: Any = None, sample_weight: Any = None, offset: Any = None) -> float:
        """The share of rows whose class is predicted right. Rows without a prediction are left out."""
        check_is_fitted(self)
        rows = self._new_rows(X, y, sample_weight, offset)
        return float(accuracy_score(rows.y, self._labels(rows), sample_weight=rows["sample_weight"]))

    @available_if(_has_probabilities)
    def d2_score(self, X: Any, y: Any = None, sample_weight: Any = None, offset: Any = None) -> float:
        """The share of the deviance (the log loss) that is explained, against the shares of the classes among the rows."""
        check_is_fitted(self)
        rows = self._new_rows(X, y, sample_weight, offset)
        self._check_labels(rows.y)
        weights = rows["sample_weight"]
        shares = np.array([np.average(rows.y == label, weights=weights) for label in self.classes_])
        usual = np.tile(shares, (len(rows.y), 1))
        loss, none = (
            log_loss(rows.y, chances, sample_weight=weights, labels=self.classes_)
            for chances in (self._chances(self._decisions(rows)), usual)
        )
        return float("nan") if none == 0 else float(1.0 - loss / none)

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


class ClassificationStream(Streaming):
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
        if isinstance(self.class_weight, str):
            raise ValueError(
                f"class_weight={self.class_weight!r} needs all rows at once; give partial_fit a dictionary of weights"
            )
        first = not hasattr(self, "_results")
        if first:
            self._note_known(offset, None)
        X, shape = self._flat(X)
        beside = {"sample_weight": sample_weight, "offset": self._known_part(X, offset)}
        rows = self._admit(X, y, beside, reset=first)
        check_classification_targets(rows.y)
        if first:
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            self.classes_ = np.unique(classes)
            if len(self.classes_) < 2:
                raise ValueError(f"classes must name at least 2 classes, got {self.classes_!r}")
        self._check_labels(rows.y)
        weights = class_weighted(self.class_weight, rows.y, rows["sample_weight"])
        self._learn(rows.X, self._against_rest(rows.y, weights, rows["offset"], rows.X), shape)
        return self
