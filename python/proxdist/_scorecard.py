"""Whole points that a person can add up, for a model of two classes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _losses, _proxdist
from ._display import feature_names
from ._input import checked_offset, features, whole
from .files import write_whole

#: What can be asked of a card, with its defaults.
DEFAULTS: dict[str, Any] = {
    "points": 600.0,
    "pdo": None,
    "odds": 50.0,
    "odds_of": None,
    "max_points": None,
    "reach": 2.0,
    "units": None,
    "max_nodes": 1000,
    "binner": None,
    "test": None,
}


class Scorecard:
    """A scorecard: ``print`` shows it, ``score(X)`` adds up points.

    It comes from ``model.scorecard(X, y, points=600, pdo=20)``. ``points`` is the score of odds of ``odds`` to 1 for
    the second class (or the class ``odds_of``), ``pdo`` more points double the odds. Points are whole numbers no
    further than ``reach`` from those of the model and, with ``max_points``, no larger than that in size: of all such
    cards the one with the least log loss on the rows of ``X`` and ``y``, found by an exact search that looks at
    ``max_nodes`` boxes of cards at most. Without ``X`` they are rounded one by one. ``units`` maps numbers to units
    that their points are for. ``binner`` is the fitted :class:`Binner` whose columns the model was fitted to: ``X``
    then has the columns before it. ``test`` is a pair of other rows and their labels, to measure on.

    Attributes
    ----------
    table : data frame, or list of dictionaries without pandas
        Feature, attribute, unit, points, points before rounding, rows, share of rows and share of the second class.
    base : int
        Points of every row.
    factor, offset : float
        Score = offset + factor * log odds of the second class.
    log_loss, log_loss_model, auc, auc_model : float or None
        Of the card and of the model, on the rows of ``X``.
    gap : float or None
        By how much, at most, another card within reach could have a smaller log loss.
    is_proven : bool or None
        Whether no other is better.
    test : dict or None
        The same measures on other rows.
    notes : list of str
        What a reader should know.
    facts : dict
        Everything, as plain values.
    """

    log_loss: float | None
    log_loss_model: float | None
    auc: float | None
    auc_model: float | None

    def __init__(self, made: tuple[str, str, str], model: Any, binner: Any) -> None:
        text, self._text, self._html = made
        found = json.loads(text)
        self.facts: dict[str, Any] = found["scorecard"]
        self.test = found["test"]
        self._model, self._binner = model, binner
        scale, measured, search = self.facts["scale"], self.facts["measured"], self.facts["search"]
        self.base: int = self.facts["base"]
        self.factor = scale["pdo"] / np.log(2.0) * (-1.0 if scale["of_negative"] else 1.0)
        self.offset = scale["points"] - scale["pdo"] * np.log2(scale["odds"])
        for name in ("log_loss", "log_loss_model", "auc", "auc_model"):
            setattr(self, name, None if measured is None else measured[name])
        self.gap = None if search is None else search["loss"] - search["bound"]
        self.is_proven = None if search is None else search["is_proven"]
        self.notes: list[str] = self.facts["notes"]

    @property
    def table(self) -> Any:
        """The lines of the card, the base first."""
        base = {"feature": "base points", "attribute": None, "unit": None, "points": self.base}
        rows = [base | {"before_rounding": self.facts["base_real"], "rows": None, "share": None, "positive": None}]
        for line in self.facts["lines"]:
            kept = {name: line[name] for name in ("feature", "attribute", "unit", "points")}
            rows.append(
                kept
                | {
                    "before_rounding": line["real"],
                    "rows": line["rows"],
                    "share": line["share"],
                    "positive": line["rate"],
                }
            )
        try:
            import pandas
        except ImportError:
            return rows
        return pandas.DataFrame(rows)

    def score(self, X: Any, offset: Any = None) -> Any:
        """The points of each row, added up; an ``offset`` counts with the factor of the scale."""
        if self._binner is not None:
            X = binned(self._model, self._binner, X)
        came = self._model._admit(X, beside={"offset": offset}, reset=False)
        weights = np.zeros(came.X.shape[1])
        for line in self.facts["lines"]:
            if line["column"] is not None:
                weights[line["column"]] += line["points"] / (line["unit"] or 1.0)
        scores = np.asarray(came.X @ weights).ravel() + self.base
        known = checked_offset(came["offset"], came.X.shape[0])
        return came.full(scores if known is None else scores + self.factor * known)

    def log_odds(self, X: Any, offset: Any = None) -> Any:
        """The log odds of the second class that the points of each row stand for."""
        return (self.score(X, offset) - self.offset) / self.factor

    def to_html(self, path: Any = None) -> str:
        """The card as a page without any other file; written to ``path`` if that is given."""
        if path is not None:
            write_whole(path, self._html)
        return self._html

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        table = self.table
        return table._repr_html_() if hasattr(table, "_repr_html_") else f"<pre>{self._text}</pre>"


def binned(model: Any, binner: Any, X: Any) -> Any:
    X = binner.transform(X)
    if hasattr(model, "feature_names_in_") and not hasattr(X, "columns"):
        import pandas

        X = pandas.DataFrame(X, columns=binner.get_feature_names_out())
    return X


def made(estimator: Any, given: tuple[Any, Any, Any, Any], wanted: dict[str, Any]) -> Scorecard:
    """The card of a fitted classifier."""
    check_is_fitted(estimator)
    unknown = sorted(set(wanted) - set(DEFAULTS))
    if unknown:
        raise TypeError(f"scorecard has no parameter {unknown[0]!r}; it has {', '.join(DEFAULTS)}")
    options = DEFAULTS | wanted
    check_model(estimator)
    labels = estimator.classes_.tolist()
    if options["odds_of"] is not None and options["odds_of"] not in labels:
        raise ValueError(f"odds_of must be one of the classes {labels}, got {options['odds_of']!r}")
    units = options["units"] or {}
    if not isinstance(units, Mapping):
        raise TypeError(f"units must be a dictionary of numbers, got {units!r}")
    binner, result = options["binner"], estimator._results[0]
    asked = {
        "coef": np.ravel(result["coef"]).tolist(),
        "intercept": result["intercept"],
        "features": card_features(estimator, binner),
        "labels": [str(label) for label in labels],
        "title": "Scorecard",
        "points": float(options["points"]),
        "odds": float(options["odds"]),
        "pdo": None if options["pdo"] is None else float(options["pdo"]),
        "of_negative": options["odds_of"] is not None and options["odds_of"] == labels[0],
        "reach": float(options["reach"]),
        "max_points": None if options["max_points"] is None else whole("max_points", options["max_points"], 1),
        "units": [(str(name), float(unit)) for name, unit in units.items()],
        "max_nodes": whole("max_nodes", options["max_nodes"], 0),
    }
    test = None if options["test"] is None else (*options["test"], None, None)[:4]
    rows = [rows_of(estimator, binner, given), None if test is None else rows_of(estimator, binner, test)]
    return Scorecard(_proxdist.scorecard(asked, *rows), estimator, binner)


def check_model(estimator: Any) -> None:
    if len(estimator.classes_) != 2 or len(estimator._results) != 1:
        raise ValueError(f"a scorecard is for two classes, and this model has {len(estimator.classes_)}")
    if not (isinstance(estimator.loss, str) and _losses.fact(estimator.loss, "has_probabilities")):
        raise ValueError(f"a scorecard needs log odds: the logistic loss has them, not {estimator.loss!r}")
    if estimator.coef_.ndim != 2:
        raise ValueError("a scorecard is for columns, and the features of this model form a matrix")


def card_features(estimator: Any, binner: Any) -> list[Any]:
    if binner is not None:
        check_is_fitted(binner)
        found: list[Any] = binner.card_features()
        if len(binner.get_feature_names_out()) != estimator._width():
            raise ValueError(
                f"binner makes {len(binner.get_feature_names_out())} columns, the model has {estimator._width()}"
            )
        return found
    return [(name, [], column) for column, name in enumerate(feature_names(estimator))]


def rows_of(estimator: Any, binner: Any, given: tuple[Any, Any, Any, Any]) -> Any:
    X, y, sample_weight, offset = given
    if X is None and y is None:
        return None
    if X is None or y is None:
        raise ValueError("a scorecard is rounded on rows and their labels: give X and y, or neither")
    if binner is not None:
        X = binned(estimator, binner, X)
    X, all_rows, _ = estimator._rows_again(X, y, sample_weight, offset=offset, exposure=None)
    return features(X), all_rows[0]
