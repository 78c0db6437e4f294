"""Several outputs in one fit: classes by their probabilities, or responses side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _proxdist
from ._coordinates import numbered
from ._estimator import MatrixProjection
from ._input import features, per_row
from ._settings import settings_of
from .sets import Entries, Projection


def joint_rows(responses: Any, sample_weight: Any, offset: Any, X: Any, outputs: int) -> dict[str, Any]:
    """What belongs to each row: ``responses`` has a row of numbers for each."""
    responses = np.ascontiguousarray(responses, dtype=np.float64)
    return {
        "responses": responses,
        "weights": per_row(responses[:, 0], sample_weight, None, X)["weights"],
        "offset": joint_offset(offset, X.shape[0], outputs),
    }


def joint_offset(offset: Any, rows: int, outputs: int) -> Any:
    """A finite number for each row and output, or none at all."""
    if offset is None:
        return None
    values = np.ascontiguousarray(offset, dtype=np.float64)
    values = np.full((rows, outputs), offset, dtype=np.float64) if np.ndim(offset) == 0 else values
    if values.shape != (rows, outputs):
        raise ValueError(
            f"offset has shape {values.shape}, expected ({rows}, {outputs}): one number for each row and output"
        )
    if not np.isfinite(values).all():
        raise ValueError("offset contains NaN or infinity")
    return values


class Joint:
    """Fits and predictors of several outputs, for estimators that also make one."""

    def _is_joint(self: Any) -> bool:
        """Whether the fitted model has several outputs."""
        return bool(getattr(self, "_results", None)) and "outputs" in self._results[0]

    def _solve_outputs(self: Any, X: Any, rows: dict[str, Any], loss: str, outputs: list[str]) -> None:
        """One fit for all outputs, kept like any other."""

        def solve(X: Any, rows: Any, index: int, shape: Any) -> dict[str, Any]:
            problem, settings = self._outputs_problem(loss, outputs), settings_of(self)
            result: dict[str, Any] = self._watched(
                lambda progress: self._run_outputs(features(X), rows, problem, settings, progress), X.shape[0]
            )
            return result

        self._solve_all(X, [rows], None, solve)

    def _run_outputs(self, borrowed: Any, rows: Any, problem: Any, settings: Any, progress: Any) -> dict[str, Any]:
        return _proxdist.fit_outputs(borrowed, rows, problem, settings, progress)

    def _outputs_problem(self: Any, loss: str, outputs: list[str]) -> dict[str, Any]:
        if self.standardize not in ("auto", True, False):
            raise ValueError(f"standardize must be 'auto', True or False, got {self.standardize!r}")
        chosen, names = self._set(), self._names()
        # The coefficient of a feature for an output is called feature@output.
        places = [f"{name}@{output}" for name in names or numbered(self._width()) for output in outputs]
        asked: Any = chosen.spec_for(places)
        if isinstance(chosen, Projection):
            asked = MatrixProjection(chosen, (self._width(), len(outputs)))
        start, shape = None, (len(outputs), self._width())
        if self.warm_start and self._is_joint() and self._results[0]["coef"].shape == shape:
            start = self._results[0]["coef"].T.ravel().tolist()
        return {
            "loss": loss,
            "constraint": asked,
            "is_shared": not isinstance(chosen, Entries),
            "ridge": self._weight(),
            "intercept": self._has_intercept(),
            "standardize": None if self.standardize == "auto" else bool(self.standardize),
            "names": names,
            "origins": self._origins(),
            "outputs": outputs,
            "start": start,
        }

    def _predictors(self: Any, X: Any, offset: Any = None) -> Any:
        """Linear predictors, one for each row and output, for checked ``X`` and offset."""
        result = self._results[0]
        if X.shape[0] == 0:
            return np.empty((0, len(result["coef"])))
        borrowed = features(X)
        coef = np.ascontiguousarray(result["coef"])
        intercepts = np.zeros(len(coef)) if result["intercept"] is None else result["intercept"]
        found = np.column_stack(
            [
                _proxdist.linear_predictor(borrowed, row, float(intercept))
                for row, intercept in zip(coef, intercepts, strict=True)
            ]
        )
        return found if offset is None else found + offset


def softmax(scores: Any) -> Any:
    """Probabilities of classes from their linear predictors."""
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)
