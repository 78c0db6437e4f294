"""Cox regression under exact constraints: times until an event, some of them censored."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _proxdist
from ._admission import NO_Y, Admitted
from ._formula import has_response
from ._input import checked_offset
from ._joint import JointEstimator, row_numbers


def _times_and_events(y: Any) -> tuple[Any, Any]:
    """The two columns of an array, or the fields of a structured one: events are the field of booleans, or the one of
    that name."""
    y = np.asarray(y)
    if y.dtype.names is not None:
        fields = list(y.dtype.names)
        if len(fields) != 2:
            raise ValueError(f"y must have two fields, a time and an event, got {fields}")
        flags = [name for name in fields if y.dtype[name] == np.bool_]
        named = [name for name in fields if name.lower() in ("event", "status", "delta")]
        event = (flags or named or [fields[1]])[0]
        time = fields[1] if event == fields[0] else fields[0]
        return y[time], y[event]
    if y.ndim == 2 and y.shape[1] == 2:
        return y[:, 0], y[:, 1]
    raise ValueError(
        f"y must have two columns, time and event, or be a structured array with two fields; got shape {y.shape}. "
        "Times and events can also be given apart: fit(X, time, event)"
    )


class ConstrainedCox(JointEstimator):
    """Cox regression whose coefficients lie in a set, exactly.

    Minimises the negative log partial likelihood divided by the sum of the weights, plus ``ridge``, over the
    coefficients in ``constraint``. ``ties`` is "efron" or "breslow". There is no intercept: the baseline hazard has it.

    ``fit(X, time, event)`` takes times and events (1 or ``True`` where it happened, 0 where the row was censored)
    apart; ``fit(X, y)`` takes both in one array of two columns (time, event) or a structured array, so that
    scikit-learn's tools work. ``strata`` gives each group of rows a baseline hazard of its own, ``entry`` is when a row
    came under observation (left truncation): it is at risk after its entry, up to and at its time.

    ``predict`` is the linear predictor, ``predict_survival_function`` the chance to be without the event after some
    times, ``score`` the concordance of Harrell.

    ``categories``, ``missing``, ``unknown`` and ``formula`` (its right side) are about data frames, as in
    :class:`ConstrainedRegressor`.

    After ``fit`` there are ``coef_``, ``support_``, ``objective_``, ``certificate_``, ``baseline_`` (for each stratum
    the times of events and the cumulative hazard of a row whose linear predictor is ``center_``), ``stop_reason_`` and
    ``standardized_``.
    """

    def __init__(
        self,
        constraint: Any = None,
        *,
        ties: str = "efron",
        ridge: float = 0.0,
        standardize: bool | str = "auto",
        time_limit: float | str | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        categories: Any = "auto",
        missing: str = "error",
        unknown: str = "error",
        formula: str | None = None,
    ) -> None:
        self.constraint = constraint
        self.ties = ties
        self.ridge = ridge
        self.standardize = standardize
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.categories = categories
        self.missing = missing
        self.unknown = unknown
        self.formula = formula

    def fit(
        self,
        X: Any,
        y: Any,
        event: Any = None,
        *,
        strata: Any = None,
        entry: Any = None,
        sample_weight: Any = None,
        offset: Any = None,
    ) -> Any:
        """Fits the model; ``y`` holds times, or times and events."""
        if self.ties not in ("efron", "breslow"):
            raise ValueError(f"ties must be 'efron' or 'breslow', got {self.ties!r}")
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        if self.formula is not None and has_response(self.formula):
            raise ValueError(f"formula {self.formula!r}: times and events are given as y; leave the left side out")
        self._note_known(offset, None)
        beside = {"y": y, "event": event, "strata": strata, "entry": entry, "sample_weight": sample_weight}
        admitted = self._admit(X, NO_Y, beside | {"offset": offset}, reset=True)
        rows = self._rows(admitted)
        levels: list[str] = []
        self.strata_ = None
        if strata is not None:
            self.strata_, numbers = np.unique(np.asarray(admitted["strata"]), return_inverse=True)
            rows["strata"] = np.ascontiguousarray(numbers, dtype=np.int64)
            levels = [str(label) for label in self.strata_]
        self._solve(admitted.X, rows, self.ties, levels)
        return self

    def _rows(self, admitted: Admitted) -> dict[str, Any]:
        count, strata, entry = admitted.X.shape[0], admitted["strata"], admitted["entry"]
        y, event = admitted["y"], admitted["event"]
        time, event = (y, event) if event is not None else _times_and_events(y)
        if strata is not None and np.shape(strata) != (count,):
            raise ValueError(f"strata has shape {np.shape(strata)}, expected ({count},): one label a row")
        return {
            "response": row_numbers("time", time, count),
            "event": row_numbers("event", event, count),
            "entry": None if entry is None else row_numbers("entry", entry, count),
            "strata": None,
            "weights": self._weights(admitted["sample_weight"], admitted.X),
            "offset": checked_offset(admitted["offset"], count),
        }

    def _keep(self) -> None:
        super()._keep()
        self.center_ = self._result["center"]
        self.baseline_ = {name: (times, hazard) for name, times, hazard in self._result["baseline"]}

    def predict(self, X: Any, offset: Any = None) -> Any:
        """The linear predictor of each row: the logarithm of its risk, up to a constant.

        With ``missing="drop"`` that of a row with missing values is NaN. A model that was fitted with an offset needs one
        here too; ``offset=0`` is none.
        """
        rows = self._new_rows(X, offset)
        return rows.full(self._predictor(rows))

    def predict_survival_function(self, X: Any, times: Any, *, strata: Any = None, offset: Any = None) -> Any:
        """The chance to be without the event after each of ``times``, a row for each row of ``X``. Models with several
        strata need the ``strata`` of the rows."""
        rows = self._new_rows(X, offset, {"strata": strata})
        eta, strata = self._predictor(rows), rows["strata"]
        labels = None if strata is None else [str(label) for label in np.asarray(strata).ravel()]
        if labels is None and len(self.baseline_) > 1:
            raise ValueError(f"strata are needed: the model has {len(self.baseline_)} of them")
        times = np.ascontiguousarray(np.atleast_1d(times), dtype=np.float64)
        return rows.full(_proxdist.survival_at(self._model(), eta, times, labels))

    def score(
        self,
        X: Any,
        y: Any,
        event: Any = None,
        *,
        strata: Any = None,
        entry: Any = None,
        sample_weight: Any = None,
        offset: Any = None,
    ) -> float:
        """The concordance: the share of pairs of rows, of those that can be compared, whose risks are in the order of
        their times; one half if no pair can be."""
        found = self.measures(
            X, y, event, strata=strata, entry=entry, sample_weight=sample_weight, offset=offset, only_concordance=True
        )["concordance"]
        return 0.5 if found is None else float(found)

    def measures(
        self,
        X: Any,
        y: Any,
        event: Any = None,
        *,
        strata: Any = None,
        entry: Any = None,
        sample_weight: Any = None,
        offset: Any = None,
        only_concordance: bool = False,
    ) -> dict[str, Any]:
        """Concordance, deviance of the partial likelihood and the share of it that is explained, on some rows."""
        check_is_fitted(self)
        beside = {"y": y, "event": event, "strata": strata, "entry": entry, "sample_weight": sample_weight}
        admitted = self._new_rows(X, offset, beside)
        rows, strata = self._rows(admitted), admitted["strata"]
        if strata is not None:
            rows["strata"] = np.ascontiguousarray(np.unique(np.asarray(strata), return_inverse=True)[1], dtype=np.int64)
        eta = self._predictor(admitted)
        found: dict[str, Any] = _proxdist.times_measures(rows, eta, None if only_concordance else self._model())
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags
