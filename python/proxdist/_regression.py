"""Fitting and predicting numbers, whatever the set is chosen by."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_is_fitted

from . import _losses, _proxdist
from ._admission import NO_Y, Admitted
from ._estimator import Constrained
from ._input import checked_offset, per_row
from ._losses import grammar
from ._outputs import Joint, joint_offset, joint_rows
from ._stream import Streaming


class Regression(Joint, RegressorMixin, Constrained):
    """What estimators of numbers share."""

    #: Whether a response may have several columns.
    _takes_several = False

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, offset: Any = None, *, exposure: Any = None) -> Any:
        """Fits the model; ``sample_weight`` weighs rows, ``offset`` is a known part of each linear predictor.

        ``exposure`` (times, areas, populations) is for losses with a log link: its logarithm is added to the offset.
        ``y`` is left out where a formula has it.
        """
        self._check_loss()
        X, shape = self._flat(X)
        self._note_known(offset, exposure)
        known = self._known_part(X, offset, exposure)
        beside = {"sample_weight": sample_weight, "offset": known}
        rows = self._admit(X, y, beside, reset=True, y_numeric=True, multi_output=self._may_be_several())
        if rows.y.ndim == 2:
            return self._fit_several(rows)
        self._solve_all(rows.X, [per_row(rows.y, rows["sample_weight"], rows["offset"], rows.X)], shape)
        return self

    def _may_be_several(self) -> bool:
        """Whether a response may have several columns: for squared and Huber loss."""
        is_known = isinstance(self.loss, str) and grammar(self.loss).split(":")[0] in ("squared", "huber")
        return self._takes_several and is_known

    def _fit_several(self, rows: Admitted) -> Any:
        """The fit to a response of several columns; one column is a response like any other."""
        X, y, sample_weight, offset = rows.X, rows.y, rows["sample_weight"], rows["offset"]
        if hasattr(y, "toarray"):
            raise TypeError("y must be dense")
        if y.shape[1] == 1:
            self._solve_all(X, [per_row(y.ravel(), sample_weight, offset, X)])
            return self
        responses = joint_rows(y, sample_weight, offset, X, y.shape[1])
        self._solve_outputs(X, responses, grammar(self.loss), [f"y{k}" for k in range(y.shape[1])])
        return self

    def predict(self, X: Any, offset: Any = None, *, exposure: Any = None) -> Any:
        """Mean responses: the linear predictor, or its exponential for losses with a log link.

        With ``missing="drop"`` the prediction of a row with missing values is NaN. A model that was fitted with an offset
        or an exposure needs one here too; ``offset=0`` is none.
        """
        check_is_fitted(self)
        rows = self._new_rows(X, NO_Y, None, (offset, exposure))
        return rows.full(self._means(rows))

    def _new_rows(self, X: Any, y: Any, sample_weight: Any, known: tuple[Any, Any]) -> Admitted:
        """New rows, read as those of the fit were."""
        beside = {"sample_weight": sample_weight, "offset": self._known_part(X, *known)}
        options = {} if isinstance(y, str) else {"y_numeric": True, "multi_output": self._may_be_several()}
        rows = self._admit(self._flat(X)[0], y, beside, reset=False, **options)
        if rows.y is not None and rows.y.ndim == 2 and rows.y.shape[1] == 1:
            rows.y = rows.y.ravel()
        return rows

    def _means(self, rows: Admitted) -> Any:
        if self._is_joint():
            return self._predictors(rows.X, joint_offset(rows["offset"], rows.X.shape[0], len(self.coef_)))
        eta = self._etas(rows)
        if isinstance(self.loss, str):
            return _proxdist.loss_mean(self._loss(), eta)
        mean = getattr(self.loss, "mean", None)
        return eta if mean is None else mean(eta)

    def _etas(self, rows: Admitted) -> Any:
        """Linear predictors."""
        return self._predictor(rows.X, 0, checked_offset(rows["offset"], rows.X.shape[0]))

    def score(
        self, X: Any, y: Any = None, sample_weight: Any = None, offset: Any = None, *, exposure: Any = None
    ) -> float:
        """The share that is explained (D²): of the deviance for counts and amounts, of the pinball loss for quantiles;
        of the variance (R²) otherwise. Rows without a prediction are left out.
        """
        check_is_fitted(self)
        rows = self._new_rows(X, y, sample_weight, (offset, exposure))
        has_deviance = _losses.fact(self.loss, "task") in _losses.POSITIVE
        if not self._is_joint() and (has_deviance or _losses.fact(self.loss, "is_quantile")):
            found = self._measures(rows)["d_squared"]
            # As scikit-learn has it where the response does not vary, or where the loss is no likelihood.
            if found is not None:
                return float(found)
        return float(r2_score(rows.y, self._means(rows), sample_weight=rows["sample_weight"]))

    def d2_score(
        self, X: Any, y: Any = None, sample_weight: Any = None, offset: Any = None, *, exposure: Any = None
    ) -> float:
        """The share of the deviance of the loss that is explained, D²: R² for squared loss; NaN where it has none."""
        check_is_fitted(self)
        rows = self._new_rows(X, y, sample_weight, (offset, exposure))
        if self._is_joint() or not isinstance(self.loss, str):
            raise ValueError("D² is for losses with a name and one output")
        found = self._measures(rows)
        value = found["r_squared"] if found["d_squared"] is None else found["d_squared"]
        return float("nan") if value is None else float(value)

    def _measures(self, rows: Admitted) -> dict[str, Any]:
        eta = self._etas(rows)
        numbers = per_row(rows.y, rows["sample_weight"], None, eta)
        found: dict[str, Any] = json.loads(
            _proxdist.evaluate(self._loss(), eta, numbers["response"], numbers["weights"])
        )
        return found

    def _rows_again(
        self, X: Any, y: Any, sample_weight: Any, *, offset: Any, exposure: Any, as_fitted: bool = True
    ) -> Any:
        shape = self._flat(X)[1]
        rows = self._new_rows(X, y, sample_weight, (offset, exposure))
        return rows.X, [per_row(rows.y, rows["sample_weight"], rows["offset"], rows.X)], shape

    def _flat(self, X: Any) -> tuple[Any, tuple[int, int] | None]:
        return X, None

    def _check_loss(self) -> None:
        _losses.check(self.loss, _losses.NUMBERS)

    def _keep(self) -> None:
        super()._keep()
        self.coef_ = self._results[0]["coef"].copy()
        known = self._results[0]["intercept"]
        self.intercept_: Any
        if self._is_joint():
            self.intercept_ = np.zeros(len(self.coef_)) if known is None else np.array(known)
        else:
            self.intercept_ = known or 0.0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = _losses.fact(self.loss, "task") in _losses.POSITIVE
        tags.target_tags.multi_output = self._may_be_several()
        return tags


class RegressionStream(Streaming):
    """`partial_fit`, for estimators whose set is given."""

    def partial_fit(
        self: Any, X: Any, y: Any, sample_weight: Any = None, offset: Any = None, exposure: Any = None
    ) -> Any:
        """Learns one more block of a stream: each of its rows once.

        The block is first predicted, which ``stream_`` tells the loss of, and then learned from where the last call, or
        ``fit``, has ended; its rows are forgotten. Columns are scaled by their running moments where the set allows it.
        With ``half_life`` old rows fade, so that changes are followed. While ``rho1`` is "auto", the first few thousand
        rows choose it. There is no exact finish, except of a sample: see ``finish_stream``. What texts and gaps of a
        frame become is settled by the first block.
        """
        self._check_loss()
        first = not hasattr(self, "_results")
        if first:
            self._note_known(offset, exposure)
        X, shape = self._flat(X)
        beside = {"sample_weight": sample_weight, "offset": self._known_part(X, offset, exposure)}
        rows = self._admit(X, y, beside, reset=first, y_numeric=True)
        self._learn(rows.X, [per_row(rows.y, rows["sample_weight"], rows["offset"], rows.X)], shape)
        return self
