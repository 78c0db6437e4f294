"""Ordered labels under exact constraints: proportional odds."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import _proxdist
from ._input import checked, checked_offset
from ._joint import JointEstimator


class ConstrainedOrdinal(ClassifierMixin, JointEstimator):
    """Proportional odds for ordered labels, with coefficients that lie in a set, exactly.

    The chance of a label up to the k-th is ``1 / (1 + exp(x @ coef_ - thresholds_[k]))``: one vector of coefficients,
    and a threshold between each two labels that no set speaks of. A positive coefficient moves rows towards higher
    labels.

    ``categories`` are the labels in ascending order; ``None`` sorts them, numbers by size and texts by letters. Every
    one of them needs rows.

    After ``fit`` there are ``coef_``, ``thresholds_``, ``classes_`` (in ascending order), ``support_``, ``objective_``,
    ``certificate_``, ``stop_reason_`` and ``standardized_``.
    """

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
    ) -> None:
        self.constraint = constraint
        self.categories = categories
        self.ridge = ridge
        self.standardize = standardize
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> Any:
        """Fits the model; ``sample_weight`` weighs rows, ``offset`` is a known part of each linear predictor."""
        X, y = checked(self, X, y, reset=True)
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
            "weights": self._weights(sample_weight, X),
            "offset": checked_offset(offset, X.shape[0]),
        }
        self._solve(X, rows, None, [str(label) for label in self.classes_])
        return self

    def _keep(self) -> None:
        super()._keep()
        self.thresholds_ = self._result["thresholds"]

    def decision_function(self, X: Any, offset: Any = None) -> Any:
        """Linear predictors; for two classes less the threshold, so that positive means the second."""
        eta = self._predictor(X, offset)
        if len(self.classes_) == 2:
            return eta - self.thresholds_[0]
        # The log odds of each label against all others, so that there is one column a class.
        chances = self._chances(eta)[0]
        with np.errstate(divide="ignore"):
            return np.log(chances) - np.log1p(-chances)

    def _chances(self, eta: Any) -> Any:
        return _proxdist.label_chances(self._model(), np.ascontiguousarray(eta))

    def predict_proba(self, X: Any, offset: Any = None) -> Any:
        """The chances of the labels, in the order of ``classes_``."""
        return self._chances(self._predictor(X, offset))[0]

    def predict_log_proba(self, X: Any, offset: Any = None) -> Any:
        """Logarithms of the chances."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X, offset))

    def predict(self, X: Any, offset: Any = None) -> Any:
        """The likeliest label of each row; the lower of equals."""
        check_is_fitted(self)
        return self.classes_[self._chances(self._predictor(X, offset))[1]]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # The classes of the checks have no order, which one linear predictor cannot tell apart.
        tags.classifier_tags.poor_score = True
        return tags
