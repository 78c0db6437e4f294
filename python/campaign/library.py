"""The package under test: one call, and what its result claims, read in one place."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proxdist import _proxdist

from .problems import Problem

#: One thread, since problems are small and processes many; the rest as it is by default.
SETTINGS = {"threads": "1"}


@dataclass
class Claims:
    """What a result says about itself."""

    objective: float
    has_converged: bool
    is_stationary: bool
    distance: float
    gap: float | None
    exchanges: str

    @property
    def is_exhaustive(self) -> bool:
        """Every choice of features was fitted."""
        return self.exchanges == "every-choice"

    @property
    def excludes_exchanges(self) -> bool:
        """No single exchange lowers F."""
        return self.exchanges in ("every-choice", "refitted", "algebra")


@dataclass
class Result:
    """A fit."""

    theta: NDArray[np.float64]
    intercept: float
    is_scaled: bool
    stop: str
    seconds: float
    claims: Claims


def claims_of(result: dict[str, Any]) -> Claims:
    """Reads a result and its certificate."""
    certificate = result["certificate"]
    gap = certificate["gap"]
    return Claims(
        objective=float(result["objective"]),
        has_converged=bool(result["has_converged"]),
        is_stationary=bool(certificate["is_stationary"]),
        distance=float(certificate["distance"]),
        gap=None if gap is None else float(gap),
        exchanges=str(certificate["exchanges"]),
    )


def fitted(problem: Problem) -> Result:
    """Fits a problem; raises what the package raises."""
    asked = {
        "loss": problem.loss.name,
        "classes": False,
        "constraint": problem.set.spec,
        "ridge": problem.ridge,
        "intercept": problem.intercept,
        "standardize": problem.standardize,
        "shape": problem.shape,
        "names": None,
        "origins": None,
        "start": None,
        "is_finished": False,
    }
    rows = {"response": problem.y, "weights": problem.weights, "offset": problem.offset}
    started = time.perf_counter()
    result = _proxdist.fit(np.ascontiguousarray(problem.X), rows, asked, SETTINGS, None)
    return Result(
        theta=np.asarray(result["coef"]),
        intercept=float(result["intercept"] or 0.0),
        is_scaled=bool(result["standardized"]),
        stop=str(result["stop"]),
        seconds=time.perf_counter() - started,
        claims=claims_of(result),
    )
