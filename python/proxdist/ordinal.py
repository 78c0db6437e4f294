"""Ordered labels under exact constraints: proportional odds."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.multiclass import check_classification_targets

from . import _proxdist
from ._admission import Admitted
from ._classification import class_weighted
from ._input import checked_offset
from ._joint import JointEstimator


class ConstrainedOrdinal(ClassifierMixin, JointEstimator):
    """Proportional odds for ordered labels, with coefficients that lie in a set, exactly.

    The chance of a label up to the k-th is ``1 / (1 + exp(x @ coef_ - thresholds_[k]))``: one vector of coefficients,
    and a threshold between each two labels that no set speaks of. A positive coefficient moves rows towards higher
    labels.

    ``categories`` are the labels in ascending order; ``None`` sorts them, numbers by size and texts by letters. Every
    one of them needs rows.

    ``class_weight``, ``missing``, ``unknown`` and ``formula`` are those of :class:`ConstrainedClassifier`; what it calls
    ``categories``, columns of codes in a data frame, is ``categorical`` here.

    After ``fit`` there are ``coef_``, ``thresholds_``, ``classes_`` (in ascending order), ``support_``, ``objective_``,
    ``certificate_``, ``stop_reason_`` and ``standardized_``.
    """

    _coded = "categorical"

    def __init__(
        self,
        constraint: Any = None,
        *,
        categories: Any = None,
        ridge: float = 0.0,
        standardize: bool | str = "auto",
        time_limit: float | str | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        class_weight: Any = None,
        categorical: Any = "auto",
        missing: str = "error",
        unknown: str = "error",
        formula: str | None = None,
    ) -> None:
        self.constraint = constraint
        self.categories = categories
        self.ridge = ridge
        self.standardize = standardize
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.class_weight = class_weight
        self.categorical = categorical
        self.missing = missing
        self.unknown = unknown
        self.formula = formula

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, offset: Any = None) -> Any:
        """Fits the model; ``sample_weight`` weighs rows, ``offset`` is a known part of each linear predictor."""
        self._note_known(offset, None)
        admitted = self._admit(X, y, {"sample_weight": sample_weight, "offset": offset}, reset=True)
        X, y = admitted.X, admitted.y
        check_classification_targets(y)
        found, codes = np.unique(y, return_inverse=True)
        self.classes_ = found
        if self.categories is not None:
            told = np.asarray(self.categories)
            places = {label: place for place, label in enumerate(told.tolist())}
            if told.ndim != 1 or len(places) != len(told):
                raise ValueError("categories must be a list of labels, each of them once")
            unknown = [label for label in found.tolist() if label not in places]
            if unknown:
                raise ValueError(f"y has the label {unknown[0]!r}, which is not among the categories {told.tolist()}")
            codes = np.array([places[label] for label in found.tolist()])[codes]
            self.classes_ = told
        if len(found) < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least 2 classes, but y has only 1 class: {found.tolist()[0]!r}"
            )
        rows = {
            "response": np.ascontiguousarray(codes, dtype=np.float64),
            "event": None,
            "entry": None,
            "strata": None,
            "weights": self._weights(class_weighted(self.class_weight, y, admitted["sample_weight"]), X),
            "offset": checked_offset(admitted["offset"], X.shape[0]),
        }
        self._solve(X, rows, None, [str(label) for label in self.classes_])
        return self

    def _keep(self) -> None:
        super()._keep()
        self.thresholds_ = self._result["thresholds"]

    def decision_function(self, X: Any, offset: Any = None) -> Any:
        """Linear predictors; for two classes less the threshold, so that positive means the second."""
        rows = self._new_rows(X, offset)
        eta = self._predictor(rows)
        if len(self.classes_) == 2:
            return rows.full(eta - self.thresholds_[0])
        # The log odds of each label against all others, so that there is one column a class.
        chances = self._chances(eta)[0]
        with np.errstate(divide="ignore"):
            return rows.full(np.log(chances) - np.log1p(-chances))

    def _chances(self, eta: Any) -> Any:
        return _proxdist.label_chances(self._model(), np.ascontiguousarray(eta))

    def predict_proba(self, X: Any, offset: Any = None) -> Any:
        """The chances of the labels, in the order of ``classes_``."""
        rows = self._new_rows(X, offset)
        return rows.full(self._chances(self._predictor(rows))[0])

    def predict_log_proba(self, X: Any, offset: Any = None) -> Any:
        """Logarithms of the chances."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X, offset))

    def predict(self, X: Any, offset: Any = None) -> Any:
        """The likeliest label of each row, the lower of equals; with ``missing="drop"``, ``None`` for a row with missing
        values. A model that was fitted with an offset needs one here too; ``offset=0`` is none."""
        rows = self._new_rows(X, offset)
        return rows.full(self._labels(rows))

    def _labels(self, rows: Admitted) -> Any:
        return self.classes_[self._chances(self._predictor(rows))[1]]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None, offset: Any = None) -> float:
        """The share of rows whose label is predicted right. Rows without a prediction are left out."""
        rows = self._new_rows(X, offset, {"sample_weight": sample_weight}, y)
        return float(accuracy_score(rows.y, self._labels(rows), sample_weight=rows["sample_weight"]))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # The classes of the checks have no order, which one linear predictor cannot tell apart.
        tags.classifier_tags.poor_score = True
        return tags
