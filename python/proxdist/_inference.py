"""What the coefficients of a model are worth: standard errors, intervals, repetitions, shadow prices."""

from __future__ import annotations

import json
import os
from typing import Any

from sklearn.utils.validation import check_is_fitted

from . import _proxdist
from ._display import feature_names
from ._input import features, whole
from ._settings import settings_of


def table(rows: list[dict[str, Any]]) -> Any:
    """A data frame with the names as index if pandas is installed, a list of dictionaries otherwise."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows).set_index("name") if rows else pandas.DataFrame(rows)


class ModelSummary:
    """The summary of a model; ``print`` shows all of it.

    Attributes
    ----------
    coefficients : data frame
        Estimate, standard error, statistic, p-value and interval of the intercept and of every feature with a
        coefficient; ``None`` where there are no standard errors and something else was asked for.
    covariance : str
        ``"model"``, ``"hc0"`` or ``"hc1"``: where the standard errors come from.
    dispersion : float or None
        The dispersion, where the family of the loss has one: the residual variance for squared loss.
    pull : float
        How far, in standard errors, a constraint holds the coefficients from where their features alone would have
        them.
    prices : data frame or None
        For a convex set: the active constraints and by how much F falls for each unit that they are wider.
    bootstrap, stability, split : data frame or None
        What was asked for under these names.
    bound : float or None
        The bound of stability selection.
    notes : list of str
        What the numbers do and do not account for.
    facts : dict
        Everything, as plain values.
    """

    def __init__(self, facts: dict[str, Any], text: str) -> None:
        self.facts, self._text = facts, text
        wald, repeated, halves = facts["wald"], facts["bootstrap"], facts["stability"]
        split, prices = facts["split"], facts["prices"]
        self.coefficients = None if wald is None else table(wald["estimates"])
        self.covariance = None if wald is None else wald["covariance"]
        self.covariances = None if wald is None else wald["covariances"]
        self.dispersion = None if wald is None else wald["dispersion"]
        self.pull = None if wald is None else wald["pull"]
        self.bootstrap = None if repeated is None else table(repeated["varied"])
        self.stability = None if halves is None else table(halves["frequencies"])
        self.bound = None if halves is None else halves["bound"]
        self.split = None if split is None else table(split["estimates"])
        self.prices = None
        if prices is not None:
            self.prices = table([{"name": one["constraint"], "price": one["price"]} for one in prices["active"]])
        self.notes: list[str] = facts["notes"]

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__


def summarized(estimator: Any, X: Any, y: Any, sample_weight: Any, known: Any, wanted: dict[str, Any]) -> ModelSummary:
    """The summary of a fitted estimator on the rows of its fit."""
    check_is_fitted(estimator)
    if "outputs" in estimator._results[0]:
        raise ValueError("summary is not available for several outputs")
    if len(estimator._results) > 1:
        raise ValueError("a summary is about one model; with more than two classes there are several")
    for name in ("bootstrap", "stability"):
        if wanted[name] is not None:
            wanted[name] = whole(name, wanted[name], 1)
    wanted["seed"] = whole("seed", wanted["seed"], 0)
    X, all_rows, shape = estimator._rows_again(X, y, sample_weight, offset=known[0], exposure=known[1])
    problem = estimator._problem(None, shape) | {"names": feature_names(estimator)} | estimator._chosen(0)
    result = estimator._results[0]
    if wanted["state"] is not None:
        if wanted["bootstrap"] is None and wanted["stability"] is None:
            raise ValueError("state keeps repetitions, and none were asked for: give bootstrap=500 or stability=50")
        if result["model"] is None:
            raise ValueError(result.get("unwritable") or "state needs a model that can be written as a file")
        wanted["state"] = (os.fspath(wanted["state"]), result["model"])
    wanted |= {"coef": result["coef"].ravel().tolist(), "intercept": result["intercept"]}
    facts, text, interrupted = _proxdist.summarize(features(X), all_rows[0], problem, settings_of(estimator), wanted)
    if interrupted and wanted["bootstrap"] is None and wanted["stability"] is None:
        raise KeyboardInterrupt
    return ModelSummary(json.loads(facts), text)
