"""Cross-validation over the parameter of the set, by the library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from . import _proxdist
from ._input import whole
from .sets import Projection, parse

LADDER = (1, 2, 5, 10, 20, 50, 100)


def axes(grid: Mapping[str, Any] | None, features: int) -> list[str]:
    """The grid as the library reads it, one axis a text."""
    if grid is None:
        steps = [step for step in LADDER if step < features] + ([features] if features <= LADDER[-1] else [])
        grid = {"sparsity": steps}
    if not isinstance(grid, Mapping) or not grid:
        raise TypeError(f"grid is a dictionary such as {{'sparsity': [5, 10, 20]}}, got {grid!r}")
    return [f"{name}:{','.join(_text(value) for value in values)}" for name, values in grid.items()]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else repr(value.item() if hasattr(value, "item") else value)


def folds(cv: Any, response: Any) -> dict[str, Any]:
    """Folds by their number, or the part of each row by a splitter of scikit-learn or a list of splits."""
    rows = len(response)
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        if rows < whole("cv", cv, 2):
            raise ValueError(f"cv={cv} folds need a row each, but n_samples = {rows}")
        return {"folds": int(cv), "fold_of": None}
    splits = list(check_cv(cv, response).split(np.zeros((rows, 1)), response))
    fold_of = np.full(rows, -1)
    for fold, (train, test) in enumerate(splits):
        if (fold_of[test] >= 0).any() or len(np.union1d(train, test)) != rows or len(train) + len(test) != rows:
            raise ValueError("cv must hold out every row once and fit to all others; use GridSearchCV for other splits")
        fold_of[test] = fold
    if (fold_of < 0).any():
        raise ValueError(f"cv must hold out every row once; row {np.flatnonzero(fold_of < 0)[0]} never is")
    return {"folds": len(splits), "fold_of": fold_of.tolist()}


class Search:
    """Fits by way of a search; for estimators with ``grid``, ``cv``, ``scoring`` and ``choice``."""

    def _run(self: Any, borrowed: Any, rows: Any, problem: Any, settings: Any, progress: Any) -> dict[str, Any]:
        if isinstance(self._set(), Projection):
            raise TypeError(
                "a search needs a set with a name; fit a projection of your own without one, or use GridSearchCV"
            )
        plan = {
            "axes": axes(self.grid, self.n_features_in_),
            **folds(self.cv, rows["response"]),
            "scoring": self.scoring,
            "choice": self.choice,
            "progress": progress,
        }
        return _proxdist.select(borrowed, rows, problem, settings, plan)

    def _keep(self: Any) -> None:
        super()._keep()  # type: ignore[misc]
        tables = [result["search"] for result in self._results]
        chosen = [(parse(table["constraint"][table["chosen"]]), table["ridge"][table["chosen"]]) for table in tables]
        single = len(tables) == 1
        self.cv_results_ = tables[0] if single else tables
        self.constraint_ = chosen[0][0] if single else [constraint for constraint, _ in chosen]
        self.ridge_ = chosen[0][1] if single else [ridge for _, ridge in chosen]
