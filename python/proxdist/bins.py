"""Columns of numbers as bins: the same bins, names and indicators as ``proxdist fit --bins``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import _proxdist


class Binner(TransformerMixin, BaseEstimator):
    """Cuts columns of numbers into bins, which become indicator columns such as ``age in [30, 45)``.

    Parameters
    ----------
    bins : str or dict
        A rule: ``"quantile:5"`` for at most five bins of nearly the same weight, ``"monotone:5"`` for at most five
        whose mean responses rise or fall, of the largest likelihood, each with at least 5 % of the rows
        (``"monotone:5,0.02"``: 2 %). ``+missing`` behind a rule gives missing numbers a bin of their own. A rule is for
        every column with more than two values; a dictionary from columns (names or positions from 0) to rules for just
        these.

    Columns without a rule stay as they are. Two bins have one indicator, that of the upper one; more have one each.
    Monotone bins use ``y``: numbers, or two labels.

    Attributes
    ----------
    edges_ : dict
        For each column with bins, by position, where one bin ends and the next one begins.
    groups_ : dict
        The names of the new columns by the column they come from, as ``GroupSparsity(keep, groups=...)`` takes them.
    """

    def __init__(self, bins: Any = "quantile:5") -> None:
        self.bins = bins

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Binner:
        """Learns the bins; monotone ones need ``y``."""
        X = validate_data(self, X, reset=True, dtype=np.float64, ensure_all_finite="allow-nan")
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            weights = np.ascontiguousarray(weights)
        response = None if y is None else _response(y, len(X))
        names = self._names()
        rules = self._rules(X, names)
        self.edges_: dict[int, list[float]] = {}
        self._missing: dict[int, bool] = {}
        for column, rule in rules.items():
            try:
                found = _proxdist.learn_bins(rule, np.ascontiguousarray(X[:, column]), response, weights)
            except ValueError as error:
                raise ValueError(f"{names[column]}: {error}") from None
            self.edges_[column], self._missing[column] = found
        self._check_gaps(X)
        return self

    def transform(self, X: Any) -> Any:
        """The columns with bins as indicators, the others as they are."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan")
        self._check_gaps(X)
        parts = []
        for column in range(X.shape[1]):
            values = X[:, column]
            if column not in self.edges_:
                parts.append(values[:, None])
                continue
            edges = np.asarray(self.edges_[column], dtype=np.float64)
            bins = np.searchsorted(edges, values, side="right")
            bins[np.isnan(values)] = len(edges) + 1
            coded = self._coded(column)
            parts.append((bins[:, None] == np.asarray(coded, dtype=np.intp)[None, :]).astype(np.float64))
        return np.hstack(parts)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The names of the new columns."""
        check_is_fitted(self)
        return np.asarray([name for names in self._named().values() for name in names], dtype=object)

    @property
    def groups_(self) -> dict[str, list[str]]:
        """The names of the new columns by the column they come from."""
        check_is_fitted(self)
        return {self._names()[column]: names for column, names in self._named().items() if names}

    def card_features(self) -> list[tuple[str, list[tuple[str, int | None]], int]]:
        """The columns as a scorecard lists them: attributes with the new columns they have."""
        found: list[tuple[str, list[tuple[str, int | None]], int]] = []
        place = 0
        for column, name in enumerate(self._names()):
            if column not in self.edges_:
                found.append((name, [], place))
                place += 1
                continue
            coded, texts = self._coded(column), self._texts(column)
            attributes = [(text, place + coded.index(at) if at in coded else None) for at, text in enumerate(texts)]
            found.append((name, attributes, place))
            place += len(coded)
        return found

    def _names(self) -> list[str]:
        given = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if given is None else list(given)

    def _texts(self, column: int) -> list[str]:
        return _proxdist.bin_texts(self.edges_[column], self._missing[column])

    def _coded(self, column: int) -> list[int]:
        """The bins with a column: all, or the second of two."""
        count = len(self._texts(column))
        return list(range(1 if count <= 2 else 0, count))

    def _named(self) -> dict[int, list[str]]:
        named = {}
        for column, name in enumerate(self._names()):
            named[column] = [name]
            if column in self.edges_:
                texts = self._texts(column)
                named[column] = [f"{name} {texts[at]}" for at in self._coded(column)]
        return named

    def _rules(self, X: Any, names: list[str]) -> dict[int, str]:
        if isinstance(self.bins, str):
            many = [j for j in range(X.shape[1]) if _has_many(X[:, j])]
            return dict.fromkeys(many, self.bins)
        if not isinstance(self.bins, Mapping):
            raise TypeError(f"bins must be a rule or a dictionary of rules, got {self.bins!r}")
        rules: dict[int, str] = {}
        for wanted, rule in self.bins.items():
            is_place = isinstance(wanted, (int, np.integer)) and not isinstance(wanted, bool)
            if is_place and 0 <= wanted < len(names):
                rules[int(wanted)] = rule
            elif wanted in names:
                rules[names.index(wanted)] = rule
            else:
                raise ValueError(f"bins: there is no column {wanted!r}")
        return rules

    def _check_gaps(self, X: Any) -> None:
        for column, name in enumerate(self._names()):
            if not self._missing.get(column, False) and np.isnan(X[:, column]).any():
                raise ValueError(
                    f"{name} has missing values, and they have no bin: add +missing to its rule, or fill them in"
                )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = "+missing" in str(self.bins)
        return tags


def _has_many(values: Any) -> bool:
    return len(np.unique(values[~np.isnan(values)])) != 2


def _response(y: Any, rows: int) -> Any:
    """Numbers as they are, two labels as 0 and 1."""
    values = np.asarray(y)
    if values.shape != (rows,):
        raise ValueError(f"y has shape {values.shape}, expected ({rows},): one response a row")
    if values.dtype.kind not in "fiu":
        labels = np.unique(values)
        if len(labels) != 2:
            raise ValueError(f"monotone bins need a response of numbers or of two labels, y has {len(labels)} labels")
        return np.ascontiguousarray(values == labels[1], dtype=np.float64)
    labels = np.unique(values)
    if len(labels) == 2:
        return np.ascontiguousarray(values == labels[1], dtype=np.float64)
    return np.ascontiguousarray(values, dtype=np.float64)
