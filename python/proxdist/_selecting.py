"""Which columns a model uses, for scikit-learn's selectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted


class Selecting:
    """For estimators with ``coef_`` whose data came in by `Admission`."""

    def get_support(self: Any, indices: bool = False) -> Any:
        """Which columns of ``X`` (terms, with a formula) the model uses in any of its outputs: a mask, or their numbers."""
        check_is_fitted(self)
        mask = self.feature_importances_ > 0
        return np.flatnonzero(mask) if indices else mask

    @property
    def feature_importances_(self: Any) -> Any:
        """For each column of ``X``, the length of the coefficients of all features that it became, in all outputs.

        With text columns, ``SelectFromModel(model, importance_getter="feature_importances_")`` selects columns.
        """
        check_is_fitted(self)
        origins, width = self._origins(), self._width()
        squares = np.square(np.reshape(self.coef_, (-1, width))).sum(axis=0)
        if origins is None:
            return np.sqrt(squares)
        columns = self.n_features_in_ if getattr(self, "formula", None) is None else 1 + max(origins)
        return np.sqrt(np.bincount(origins, squares, minlength=columns))
