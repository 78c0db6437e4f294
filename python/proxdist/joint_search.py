"""Cox regression and ordered labels with the set's parameter chosen: by rows that are held out, or by a criterion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _proxdist
from ._held_out import splits_of
from ._search import NEEDS_A_NAME, RIDGES, _axis, results, usual_largest
from .ordinal import ConstrainedOrdinal
from .sets import Projection, parse
from .survival import ConstrainedCox


class _JointSearch:
    """``grid``, ``cv``, ``scoring`` and ``choice``, for both."""

    _scores: tuple[str, ...]
    #: A search has many fits, which start from each other.
    warm_start = False

    def _weight(self: Any) -> float:
        return 0.0 if self.ridge == "auto" else float(self.ridge)

    def _axes(self: Any, rows: dict[str, Any], criterion: bool) -> list[str]:
        grid = self.grid
        if grid is not None and (not isinstance(grid, Mapping) or not grid):
            raise TypeError(f"grid is a dictionary such as {{'sparsity': [5, 10, 20]}}, got {grid!r}")
        if grid is None:
            grid = {"sparsity": range(1, usual_largest(rows, self._width()) + 1)}
        if self.ridge == "auto" and "ridge" not in grid and not criterion:
            # The last axis varies fastest, and fits start from the one before: numbers of features.
            grid = {"ridge": RIDGES, **grid}
        return [_axis(name, values) for name, values in grid.items()]

    def _run(self: Any, borrowed: Any, rows: dict[str, Any], problem: Any, settings: dict[str, str]) -> Any:
        if isinstance(parse(self.constraint), Projection):
            raise TypeError(NEEDS_A_NAME)
        if self.scoring not in self._scores:
            raise ValueError(f"scoring must be one of {', '.join(self._scores)}, got {self.scoring!r}")
        criterion = self.choice if self.choice in ("aic", "bic", "ebic") else None
        labels = rows["response"] if rows["event"] is None else rows["event"]
        folds = {"folds": 0, "splits": None} if criterion else splits_of(self.cv, labels, None)
        plan = {
            "axes": self._axes(rows, criterion is not None),
            "held_out": {**folds, "scoring": self.scoring, "scorer": None},
            "choice": "best" if criterion else self.choice,
            "criterion": criterion,
        }
        asked = {**settings, "seed": str(int(self.random_state))}
        return _proxdist.select_joint(borrowed, rows, problem, asked, plan)

    def _keep(self: Any) -> None:
        super()._keep()  # type: ignore[misc]
        path, table = self._result["path"], self._result["search"]
        chosen = path["chosen"]
        self.constraint_, self.ridge_ = parse(path["constraint"][chosen]), path["ridge"][chosen]
        self.path_ = {
            "point": path["point"],
            "ridge": np.array(path["ridge"]),
            "objective": np.array(path["objective"]),
            "deviance": np.array(path["deviance"]),
            "separated": np.array(path["separated"]),
            "coefs": np.array(path["coefs"]),
            "supports": [np.flatnonzero(coef) for coef in path["coefs"]],
            **{name: np.array(path[name]) for name in ("aic", "bic", "ebic")},
            "count": path["count"],
        }
        self.best_index_ = chosen
        if table is not None:
            self.cv_results_ = results(table)
            self.best_params_ = self.cv_results_["params"][chosen]
            self.best_score_ = float(self.cv_results_["mean_test_score"][chosen])
            self.n_splits_ = len(table["folds"][0])


class ConstrainedCoxCV(_JointSearch, ConstrainedCox):
    """Cox regression with the number of features, or another parameter of the set, chosen.

    Parameters
    ----------
    grid : dict or None
        What to choose from, as in ``{"sparsity": range(1, 11), "ridge": [0, 1e-3]}``; ``None`` tries 1, 2, 3, … features,
        30 at most, no more than there are and than half the rows. Fits go along the last axis, each from the end of the
        one before.
    cv : int, splitter or list of splits
        A number of folds, dealt at random by ``random_state`` with their share of the events; or as in scikit-learn.
    scoring : {"loss", "concordance"}
        "loss" is what the rows held out add to the deviance of the partial likelihood of the rows of the fit, for each
        of them; "concordance" is that of the rows held out, within strata.
    choice : {"one_standard_error", "best", "aic", "bic", "ebic"}
        The simplest model within one standard error of the best, the best, or the least criterion on all rows, for
        which nothing is held out. BIC and EBIC count events, not rows.
    ridge : "auto" or float
        Where ``grid`` has no ridge: "auto" tries 0, 1e-4, 1e-3, 1e-2 and 1e-1 with every point; with a criterion, which
        does not know what a ridge does, it is 0.

    All other parameters and attributes are those of :class:`ConstrainedCox`.

    Attributes
    ----------
    constraint_, ridge_, best_index_ : what was chosen, and its place.
    path_ : the fits of all points to all rows: ``point``, ``ridge``, ``objective``, ``deviance`` (minus twice the log
        likelihood), ``aic``, ``bic``, ``ebic``, ``separated``, ``coefs``, ``supports``, and ``count``, the number of
        events that criteria count.
    best_params_, best_score_, cv_results_ : with held-out rows, as in scikit-learn's ``GridSearchCV``: larger is better,
        so losses are negative.
    """

    _scores = ("loss", "concordance")

    def __init__(
        self,
        grid: Any = None,
        *,
        cv: Any = 10,
        scoring: str = "loss",
        choice: str = "one_standard_error",
        constraint: Any = None,
        ties: str = "efron",
        ridge: float | str = "auto",
        standardize: bool | str = "auto",
        time_limit: float | str | None = None,
        random_state: int = 0,
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
        self.n_jobs = n_jobs
        self.grid = grid
        self.cv = cv
        self.scoring = scoring
        self.choice = choice
        self.random_state = random_state
        self.categories = categories
        self.missing = missing
        self.unknown = unknown
        self.formula = formula


class ConstrainedOrdinalCV(_JointSearch, ConstrainedOrdinal):
    """Ordered labels with the number of features, or another parameter of the set, chosen.

    ``grid``, ``cv``, ``choice``, ``ridge`` and the attributes are those of :class:`ConstrainedCoxCV`; folds have their
    share of every label, criteria count rows, and ``scoring`` is "loss" (the mean of minus the logarithm of the chance
    of the label) or "accuracy". All other parameters are those of :class:`ConstrainedOrdinal`.
    """

    _scores = ("loss", "accuracy")

    def __init__(
        self,
        grid: Any = None,
        *,
        cv: Any = 10,
        scoring: str = "loss",
        choice: str = "one_standard_error",
        constraint: Any = None,
        categories: Any = None,
        ridge: float | str = "auto",
        standardize: bool | str = "auto",
        time_limit: float | str | None = None,
        random_state: int = 0,
        n_jobs: int | None = None,
        class_weight: Any = None,
        categorical: Any = "auto",
        missing: str = "error",
        unknown: str = "error",
        formula: str | None = None,
    ) -> None:
        self.constraint = constraint
        self.categories = categories
        self.ridge = ridge
        self.standardize = standardize
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.grid = grid
        self.cv = cv
        self.scoring = scoring
        self.choice = choice
        self.random_state = random_state
        self.class_weight = class_weight
        self.categorical = categorical
        self.missing = missing
        self.unknown = unknown
        self.formula = formula
