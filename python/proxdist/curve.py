"""A response as a curve of one feature: isotonic, convex, with few jumps or kinks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from .regression import ConstrainedRegressor
from .sets import parse

#: Words for shapes, and the sets that they are.
SHAPES = {
    "increasing": "monotone",
    "decreasing": "monotone:decreasing",
    "convex": "convex",
    "concave": "concave",
}
#: Sets that know where the values of the curve are.
PLACED = ("convex", "concave", "kinks:")


class CurveRegressor(RegressorMixin, BaseEstimator):
    """The best curve ``y = f(x)`` of a shape, for one feature ``x``.

    The curve has a free value at every distinct ``x``, and these values are held to a set: with ``shape="increasing"``
    this is isotonic regression as scikit-learn means it (ties and weights included), exact like every other fit, and
    open to other losses. Between two values of ``x`` predictions are on the straight line between them, or, for jumps,
    at the value on the left; beyond the first and the last ``x`` they stay as they are there.

    Parameters
    ----------
    shape : str or set, default "increasing"
        ``"increasing"``, ``"decreasing"``, ``"convex"``, ``"concave"``, two of them (``"increasing convex"``),
        ``"jumps:3"``, ``"kinks:2"``, ``"fused:1.5"``, or any set for the values of the curve.
    loss : str, default "squared"
        As in :class:`ConstrainedRegressor`.
    effort : str, default "normal"
        How hard to look for other jumps or kinks where dynamic programming does not find them all at once.

    Attributes
    ----------
    levels_ : the distinct values of ``x``, in ascending order.
    values_ : the curve there.
    breaks_ : for jumps and kinks, the ``x`` at which the curve takes another value or slope.
    objective_, certificate_, stop_reason_ : as in :class:`ConstrainedRegressor`.

    Examples
    --------
    >>> from proxdist import CurveRegressor
    >>> CurveRegressor().fit([1, 2, 3, 4], [1.0, 3.0, 2.0, 4.0]).values_
    array([1. , 2.5, 2.5, 4. ])
    """

    def __init__(self, shape: Any = "increasing", loss: Any = "squared", effort: str = "normal") -> None:
        self.shape = shape
        self.loss = loss
        self.effort = effort

    def _constraint(self, levels: Any) -> str:
        text = self.shape if isinstance(self.shape, str) else parse(self.shape).spec
        words = text.split()
        if words and all(word in SHAPES for word in words):
            text = " & ".join(SHAPES[word] for word in words)
        parts = [part.strip() for part in text.split("&")]
        at = ";at=" + ",".join(repr(float(level)) for level in levels)
        placed = [p + at if p.startswith(PLACED) and ";at=" not in p else p for p in parts]
        return parse(" & ".join(placed)).spec

    def _feature(self, X: Any) -> Any:
        x = np.asarray(X, dtype=np.float64)
        if x.ndim == 2 and x.shape[1] == 1:
            x = x[:, 0]
        if x.ndim != 1:
            raise ValueError(f"X must be one feature: a vector, or a table of one column; got shape {x.shape}")
        if not np.isfinite(x).all():
            raise ValueError("X contains a value that is not a finite number")
        return x

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CurveRegressor:
        """Fits the curve to ``y`` at ``x``, each row with its weight."""
        from scipy.sparse import csr_matrix

        x = self._feature(X)
        levels, codes = np.unique(x, return_inverse=True)
        rows = np.arange(len(x) + 1)
        indicators = csr_matrix((np.ones(len(x)), codes.ravel(), rows), shape=(len(x), len(levels)))
        model = ConstrainedRegressor(
            loss=self.loss,
            constraint=self._constraint(levels),
            fit_intercept=False,
            standardize=False,
            effort=self.effort,
        ).fit(indicators, y, sample_weight=sample_weight)
        self.model_ = model
        self.levels_, self.values_ = levels, model.coef_
        self.objective_, self.certificate_ = model.objective_, model.certificate_
        self.stop_reason_ = model.stop_reason_
        self.n_features_in_ = 1
        return self

    @property
    def breaks_(self) -> Any:
        """Where a curve of few jumps or kinks takes another value or slope."""
        check_is_fitted(self, "values_")
        if self._jumps():
            return self.levels_[1:][np.diff(self.values_) != 0.0]
        slopes = np.diff(self.values_) / np.diff(self.levels_)
        size = max(np.abs(slopes).max(initial=0.0), math.ulp(1.0))
        return self.levels_[1:-1][np.abs(np.diff(slopes)) > 1e-9 * size]

    def _jumps(self) -> bool:
        return self._constraint(self.levels_).startswith("jumps")

    def predict(self, X: Any) -> Any:
        """The curve at ``x``."""
        check_is_fitted(self, "values_")
        x = self._feature(X)
        if self._jumps():
            at = np.searchsorted(self.levels_, x, side="right") - 1
            return self.values_[np.clip(at, 0, None)]
        return np.interp(x, self.levels_, self.values_)
