"""Cross-validation over the parameter of the set, by the library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.stats import rankdata

from . import _proxdist
from ._coordinates import numbered
from ._held_out import held_out, held_out_of_outputs, matrix
from ._input import known_part
from ._sizes import sized
from .sets import Entries, Projection, WholeSpace, parse

#: The largest number of features where none is given, and the ridges that are tried with every number of features.
LARGEST = 30
RIDGES = (0.0, 1e-4, 1e-3, 1e-2, 1e-1)
NEEDS_A_NAME = "a search needs a set with a name; fit a projection of your own without one, or use GridSearchCV"
#: Axes of counts.
COUNTS = ("sparsity", "rows", "rank", "group-sparsity")
#: Numbers of features for sets that are fitted one by one.
LADDER = (1, 2, 5, 10, 20, 50, 100)
#: The largest rank of several outputs where none is given.
LARGEST_RANK = 8


def usual_largest(rows: dict[str, Any], features: int) -> int:
    """The largest number of features where none is given. Weights above 1 may stand for rows that are repeated."""
    count, weights = len(rows["responses"] if "responses" in rows else rows["response"]), rows["weights"]
    count = count if weights is None else max(count, round(float(weights.sum())))
    return max(1, min(LARGEST, features, count // 2))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else repr(value.item() if hasattr(value, "item") else value)


def _axis(name: str, values: Any) -> str:
    """One axis as the library reads it; its values may be text, as in ``"1-20"``."""
    return f"{name}:{values if isinstance(values, str) else ','.join(_text(value) for value in values)}"


def _value(name: str, text: str) -> Any:
    """A value of an axis: a count, a number or a word."""
    if name in COUNTS:
        return int(text)
    try:
        return float(text)
    except ValueError:
        return text


def results(table: dict[str, Any]) -> dict[str, Any]:
    """The table of scores with the keys of scikit-learn; larger scores are better, so losses are negative."""
    params = [dict(part.split(":", 1) for part in point.split(", ") if ":" in part) for point in table["point"]]
    params = [{name: _value(name, text) for name, text in point.items()} for point in params]
    sign = 1.0 if table["larger_is_better"] else -1.0
    scores = sign * np.array(table["folds"], dtype=float)
    mean = scores.mean(axis=1)
    found: dict[str, Any] = {"params": params}
    for name in params[0]:
        column = np.ma.MaskedArray(np.empty(len(params), dtype=object), mask=False)
        column[:] = [point[name] for point in params]
        found[f"param_{name}"] = column
    found |= {f"split{fold}_test_score": scores[:, fold] for fold in range(scores.shape[1])}
    worst = np.nanmin(mean) - 1.0 if np.isfinite(mean).any() else 0.0
    ranks = rankdata(-np.nan_to_num(mean, nan=worst, neginf=worst), method="min")
    return found | {
        "mean_test_score": mean,
        "std_test_score": scores.std(axis=1),
        "rank_test_score": ranks.astype(np.int32),
        "standard_error": np.array(table["standard_error"]),
        "converged": np.array(table["converged"]),
    }


class Search:
    """Fits by way of a search; for estimators with ``grid``, ``cv``, ``scoring`` and ``choice``."""

    def fit(
        self: Any,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        offset: Any = None,
        groups: Any = None,
        *,
        exposure: Any = None,
    ) -> Any:
        """Chooses by cross-validation and fits the choice to all rows.

        ``sample_weight`` weighs rows, ``offset`` is a known part of each linear predictor, and ``groups`` tells a
        splitter such as ``GroupKFold`` which rows belong together. ``exposure`` is for losses with a log link: its
        logarithm is added to the offset.
        """
        known_part(self.loss, None, exposure, True)
        more = {} if exposure is None else {"exposure": exposure}
        self._groups = None if groups is None else np.asarray(groups)
        try:
            return super().fit(X, y, sample_weight, offset, **more)  # type: ignore[misc]
        finally:
            del self._groups
            self.__dict__.pop("_kept", None)

    def _admit(self: Any, *arguments: Any, reset: bool, **options: Any) -> Any:
        found = super()._admit(*arguments, reset=reset, **options)  # type: ignore[misc]
        if reset:
            # Which rows are left, for splits that are listed.
            self._kept = found.kept
        return found

    def _grouped(self: Any) -> Any:
        """The groups of the rows that are left."""
        kept = getattr(self, "_kept", None)
        return self._groups if self._groups is None or kept is None else self._groups[kept]

    def _path(self: Any) -> tuple[str, int | None, bool] | None:
        """The set whose numbers of features or groups are found all at once, where that is how it is fitted.

        Convex sets without such a number are fitted one by one, unless the grid asks for numbers of features.
        """
        names = set(() if self.grid is None else self.grid)
        usual = self.method == "spd" and bool(self.polish) and names <= {"sparsity", "group-sparsity", "ridge"}
        asked = self._set()
        if not usual or isinstance(asked, Projection):
            return None
        spec = asked.spec_for(self._names() or numbered(self._width()))
        if _proxdist.set_size(spec) is None and not isinstance(asked, WholeSpace):
            return None
        return sized(asked, self._names() or numbered(self._width()))

    def _sizes(self: Any, path: tuple[str, int | None, bool], rows: dict[str, Any]) -> range:
        """The numbers of features, or groups, where none are given."""
        spec, own, counts_groups = path
        names = self._names() or numbered(self._width())
        if own is not None and counts_groups:
            return range(max(1, _proxdist.least_size(spec, names)), own + 1)
        most = usual_largest(rows, self._width())
        if own is None or spec == f"sparsity:{own}":
            return range(1, most + 1)
        least = max(1, _proxdist.least_size(spec, names))
        return range(least, max(most, least) + 1)

    def _weight(self: Any) -> float:
        return 0.0 if self.ridge == "auto" else float(self.ridge)

    def _axes(self: Any, rows: dict[str, Any]) -> list[str]:
        """The grid as the library reads it, one axis a text."""
        grid = self.grid
        if grid is not None and (not isinstance(grid, Mapping) or not grid):
            raise TypeError(f"grid is a dictionary such as {{'sparsity': [5, 10, 20]}}, got {grid!r}")
        features, path = self._width(), self._path()
        if grid is None and path is not None:
            grid = {"group-sparsity" if path[2] else "sparsity": self._sizes(path, rows)}
        elif grid is None:
            steps = [step for step in LADDER if step < features]
            grid = {"sparsity": steps + ([features] if features <= LADDER[-1] else [])}
        varied = "sparsity" in grid or "group-sparsity" in grid
        if path is not None and self.ridge == "auto" and varied and "ridge" not in grid:
            grid = {**grid, "ridge": RIDGES}
        return [_axis(name, values) for name, values in grid.items()]

    def _output_axes(self: Any, rows: dict[str, Any], outputs: int) -> list[str]:
        """The grid for several outputs, where numbers of features are shared by all of them."""
        grid, chosen = self.grid, self._set()
        if grid is not None and (not isinstance(grid, Mapping) or not grid):
            raise TypeError(f"grid is a dictionary such as {{'rows': [5, 10, 20]}}, got {grid!r}")
        name = chosen.spec.split(":")[0]
        if grid is None and name == "rank":
            grid = {"rank": range(1, max(1, min(LARGEST_RANK, self._width(), outputs)) + 1)}
        elif grid is None and name in ("none", "sparsity", "rows") and not isinstance(chosen, Entries):
            grid = {"rows": range(1, usual_largest(rows, self._width()) + 1)}
        elif grid is None:
            raise ValueError(f"{type(self).__name__} needs a grid for {chosen!r} with several outputs")
        if not isinstance(chosen, Entries):
            grid = {"rows" if axis == "sparsity" else axis: values for axis, values in grid.items()}
        usual = self.method == "spd" and bool(self.polish)
        if self.ridge == "auto" and usual and "rows" in grid and "ridge" not in grid:
            grid = {**grid, "ridge": RIDGES}
        return [_axis(name, values) for name, values in grid.items()]

    def _run_outputs(self: Any, borrowed: Any, rows: Any, problem: Any, settings: Any, progress: Any) -> dict[str, Any]:
        if isinstance(self._set(), Projection):
            raise TypeError(NEEDS_A_NAME)
        data = (matrix(borrowed), rows, getattr(self, "classes_", None))
        plan = {
            "axes": self._output_axes(rows, len(problem["outputs"])),
            "held_out": held_out_of_outputs(self, data, self._grouped(), int(settings["seed"])),
            "choice": self.choice,
            "progress": progress,
        }
        return _proxdist.select_outputs(borrowed, rows, problem, settings, plan)

    def _run(self: Any, borrowed: Any, rows: Any, problem: Any, settings: Any, progress: Any) -> dict[str, Any]:
        if isinstance(self._set(), Projection):
            raise TypeError(NEEDS_A_NAME)
        classes = getattr(self, "classes_", None)
        # Of more than two classes each is held against the rest.
        classes = classes if classes is None or len(classes) == 2 else np.array([0, 1])
        data = (matrix(borrowed), rows, classes)
        plan = {
            "axes": self._axes(rows),
            "held_out": held_out(self, data, self._grouped(), int(settings["seed"])),
            "choice": self.choice,
            "progress": progress,
        }
        return _proxdist.select(borrowed, rows, problem, settings, plan)

    def _chosen(self: Any, index: int) -> dict[str, Any]:
        several = isinstance(self.ridge_, list)
        chosen, ridge = (self.constraint_[index], self.ridge_[index]) if several else (self.constraint_, self.ridge_)
        return {"constraint": chosen.spec, "ridge": float(ridge)}

    def _keep(self: Any) -> None:
        super()._keep()  # type: ignore[misc]
        tables = [result["search"] for result in self._results]
        single = len(tables) == 1

        def of(values: list[Any]) -> Any:
            return values[0] if single else values

        chosen = [table["chosen"] for table in tables]
        found = [results(table) for table in tables]
        self.cv_results_ = of(found)
        self.best_index_ = of(chosen)
        self.best_params_ = of([table["params"][at] for table, at in zip(found, chosen, strict=True)])
        self.best_score_ = of([float(table["mean_test_score"][at]) for table, at in zip(found, chosen, strict=True)])
        self.n_splits_ = len(tables[0]["folds"][0])
        self.constraint_ = of([parse(table["constraint"][at]) for table, at in zip(tables, chosen, strict=True)])
        self.ridge_ = of([table["ridge"][at] for table, at in zip(tables, chosen, strict=True)])

    def _summary(self: Any) -> str:
        rule = "the simplest within one standard error of the best" if "one" in self.choice else "the best"
        chosen = self.best_params_ if isinstance(self.best_params_, list) else [self.best_params_]
        words = "; ".join(
            ", ".join(
                f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}" for name, value in point.items()
            )
            for point in chosen
        )
        scoring = self.scoring if isinstance(self.scoring, str) else "score"
        text: str = super()._summary()  # type: ignore[misc]
        return f"{words or self.constraint_} by {self.n_splits_}-fold cross-validation of {scoring}, {rule}; {text}"
