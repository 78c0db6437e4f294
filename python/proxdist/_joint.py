"""What models of times and of ordered labels share: one fit of all rows together, one coefficient a feature."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _proxdist
from ._admission import NO_Y, Admission, Admitted
from ._coordinates import numbered
from ._input import checked_offset, features
from ._selecting import Selecting
from ._settings import DECLARED, _text
from .sets import Projection, parse


def row_numbers(name: str, values: Any, rows: int) -> Any:
    """One number a row, as the library wants it; what it may be is the library's business."""
    found = np.ascontiguousarray(values, dtype=np.float64)
    if found.shape != (rows,):
        raise ValueError(f"{name} has shape {found.shape}, expected ({rows},): one number a row")
    return found


class JointEstimator(Admission, Selecting, BaseEstimator):
    """Parameters and results of both; see the estimators for their meaning."""

    constraint: Any
    ridge: Any
    standardize: bool | str
    warm_start: bool
    _result: dict[str, Any]

    def _weights(self, sample_weight: Any, X: Any) -> Any:
        if sample_weight is None:
            return None
        found = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        return np.ascontiguousarray(found)

    def _solve(self, X: Any, rows: dict[str, Any], ties: str | None, levels: list[str]) -> None:
        """One fit of checked ``X``, and what it leaves."""
        if self.standardize not in ("auto", True, False):
            raise ValueError(f"standardize must be 'auto', True or False, got {self.standardize!r}")
        chosen = parse(self.constraint)
        names = self._names()
        start = None
        if self.warm_start and hasattr(self, "_result") and self._result["coef"].shape == (self._width(),):
            start = self._result["coef"].tolist()
        problem = {
            "constraint": chosen if isinstance(chosen, Projection) else chosen.spec_for(names or numbered(X.shape[1])),
            "ridge": self._weight(),
            "standardize": None if self.standardize == "auto" else bool(self.standardize),
            "names": names,
            "origins": self._origins(),
            "ties": ties,
            "levels": levels,
            "start": start,
        }
        asked = {
            DECLARED[name]["name"]: _text(name, DECLARED[name]["kind"], getattr(self, name))
            for name in ("time_limit", "n_jobs")
        }
        settings = {name: value for name, value in asked.items() if value is not None}
        self._result = self._run(features(X), rows, problem, settings)
        self._keep()
        if self._result["interrupted"]:
            warnings.warn(
                "The fit was interrupted: this is the best feasible model so far.", ConvergenceWarning, stacklevel=3
            )
        elif not self._result["has_converged"]:
            warnings.warn(
                f"The fit has not converged ({self._result['stop']}): its minimum may be at infinity, or out of reach; "
                "ridge > 0 or a ball gives it one.",
                ConvergenceWarning,
                stacklevel=3,
            )
        if self._result["undetermined"]:
            known = names if names is not None else [f"x{j}" for j in range(X.shape[1])]
            which = ", ".join(str(known[j]) for j in self._result["undetermined"][:5])
            warnings.warn(
                f"F has no minimum: coefficients of features that tell rows apart without error only grow ({which}); "
                "ridge > 0 or a ball gives them a size, as in ridge=1e-3.",
                UserWarning,
                stacklevel=3,
            )

    def _weight(self) -> float:
        return float(self.ridge)

    def _run(self, borrowed: Any, rows: dict[str, Any], problem: dict[str, Any], settings: dict[str, str]) -> Any:
        """The fit itself."""
        return _proxdist.fit_joint(borrowed, rows, problem, settings, None)

    def _keep(self) -> None:
        result = self._result
        self.coef_ = result["coef"]
        self.support_ = np.flatnonzero(result["coef"])
        self.objective_ = result["objective"]
        self.certificate_ = result["certificate"]
        self.stop_reason_ = result["stop"]
        self.standardized_ = bool(result["standardized"])
        self.n_iter_ = 1

    def _new_rows(self, X: Any, offset: Any, beside: dict[str, Any] | None = None, y: Any = NO_Y) -> Admitted:
        """New rows, read as those of the fit were."""
        check_is_fitted(self)
        return self._admit(X, y, {"offset": self._known_part(X, offset), **(beside or {})}, reset=False)

    def _predictor(self, rows: Admitted) -> Any:
        """Linear predictors of rows that were read."""
        count = rows.X.shape[0]
        if count == 0:
            return np.empty(0)
        offset = checked_offset(rows["offset"], count)
        eta = _proxdist.linear_predictor(features(rows.X), self.coef_, 0.0)
        return np.ascontiguousarray(eta if offset is None else eta + offset)

    def _model(self) -> str:
        text = self._result["model"]
        if text is None:
            raise ValueError(self._result["unwritable"])
        return str(text)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_result")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = getattr(self, "missing", "error") != "error"
        return tags

    def save(self, path: Any) -> None:
        """Writes the model file that the command line reads too, whole or not at all. See :func:`proxdist.load`."""
        from .files import save_joint

        save_joint(self, path)
