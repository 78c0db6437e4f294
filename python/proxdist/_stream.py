"""Blocks of rows that are seen once: the library's streams behind `partial_fit`."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from . import _proxdist
from ._input import features, whole
from ._settings import settings_of


class Streaming:
    """What `partial_fit` needs, for estimators whose set is given."""

    half_life: float | None
    reservoir: int

    def _learn(self: Any, X: Any, all_rows: list[dict[str, Any]], shape: tuple[int, int] | None = None) -> None:
        """Predicts a block and learns it, going on from where the last call or fit ended."""
        if getattr(self, "_results", None) and "outputs" in self._results[0]:
            warnings.warn(
                "partial_fit begins afresh: streams learn one output at a time, and a model of several cannot go on so",
                UserWarning,
                stacklevel=3,
            )
            self._results = []
        streams = getattr(self, "_stream", None) or [None] * len(all_rows)
        ends = getattr(self, "_results", [])
        if len(ends) != len(all_rows):
            ends = [None] * len(all_rows)
        if streams[0] is None:
            self._steps_before = [0 if end is None else end["steps"] for end in ends]
        self._stream = streams
        settings, borrowed, outcomes = settings_of(self), features(X), []
        for index, rows in enumerate(all_rows):
            end = ends[index] if streams[index] is None else None
            start = None if end is None else (end["coef"].tolist(), end["intercept"] or 0.0)
            outcome = _proxdist.partial_fit(
                borrowed, rows, self._problem(start, shape), settings, self._asked(streams[index], end)
            )
            self._stream[index] = outcome.pop("state")
            outcomes.append(outcome)
        self._results = [
            {
                "coef": outcome["coef"],
                "intercept": outcome["intercept"],
                "objective": outcome["objective"],
                "stop": "partial",
                "steps": before + outcome["step"],
                "rho1": outcome["rho1"],
                "certificate": None,
                "standardized": outcome["standardized"],
                "trace": None,
                "model": None,
            }
            for before, outcome in zip(self._steps_before, outcomes, strict=True)
        ]
        self._keep()
        self.stream_ = outcomes[0]["stream"] if len(outcomes) == 1 else [outcome["stream"] for outcome in outcomes]
        self._warn_of_parameters_without_effect(outcomes)

    def _asked(self: Any, state: Any, end: dict[str, Any] | None) -> dict[str, Any]:
        """What is asked of a stream; a fit that it goes on from stands for its rows."""
        half_life = None if self.half_life is None else float(self.half_life)
        return {
            "state": state,
            "half_life": half_life,
            "reservoir": whole("reservoir", self.reservoir, least=0),
            "rows": 0 if end is None else end.get("rows", 0),
            "rho1": None if end is None else end.get("rho1"),
        }

    def finish_stream(self: Any) -> Any:
        """Fits the sample of the stream exactly, as ``fit`` would, from the model of the stream.

        Needs ``reservoir``, the number of rows that the sample holds. ``coef_`` and ``certificate_`` are then those of
        the *sample*, as ``certificate_["measured_on"]`` and ``["measured_rows"]`` say. The stream itself stays where it
        is: another ``partial_fit`` goes on from there. Returns the estimator.
        """
        check_is_fitted(self)
        streams = getattr(self, "_stream", None)
        if not streams:
            raise ValueError("finish_stream needs a stream: call partial_fit first")
        settings, shape = settings_of(self), getattr(self, "_matrix", None)
        results = []
        for state, before in zip(streams, self._results, strict=True):
            asked = self._asked(state, None)
            result = _proxdist.finish_stream(self._width(), self._problem(None, shape), settings, asked)
            result["certificate"] |= {"measured_on": "sample", "measured_rows": result["rows"]}
            results.append(result | {"rho1": before["rho1"] if result["rho1"] is None else result["rho1"]})
        self._results = results
        self._keep()
        if not all(result["has_converged"] for result in results):
            reasons = sorted({result["stop"] for result in results if not result["has_converged"]})
            text = f"The finish on the sample has not converged ({', '.join(reasons)})."
            warnings.warn(text, ConvergenceWarning, stacklevel=2)
        return self
