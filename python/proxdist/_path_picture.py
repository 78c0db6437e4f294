"""Pictures of a path: with matplotlib if it is there, otherwise drawn by the library."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from . import _proxdist
from ._display import feature_names

#: Features whose coefficients are drawn: colours and dashes tell so many apart.
FEATURES = 12
WIDTH = 640.0
KINDS = ("scores", "objective", "aic", "bic", "ebic", "coefficients")


class Picture:
    """A figure as SVG, which notebooks show."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return self.svg


def draw(path: Any, what: str | None, criterion: str | None, ax: Any) -> Any:
    """The picture that was asked for, and the choice in it."""
    if what is None:
        what = "objective" if path.cv is None else "scores"
    if what not in KINDS:
        raise ValueError(f"what must be one of {', '.join(KINDS)}, got {what!r}")
    if what == "scores" and path.cv is None:
        raise ValueError("there are no held-out scores to draw: give cv=10")
    if what in ("aic", "bic", "ebic") and getattr(path, f"{what}_") is None:
        raise ValueError(f"{what} needs a likelihood, and the loss {path.loss!r} is none")
    if criterion is None:
        criterion = "cv" if path.cv is not None else what if what in ("aic", "bic", "ebic") else None
    chosen = None if criterion is None else path.index(criterion)
    lines = _coefficients(path, chosen) if what == "coefficients" else _values(path, what)
    label = _label(path, what)
    if ax is None:
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            return Picture(_svg(path, what, lines, chosen))
        ax = plt.subplots()[1]
    for name, sizes, values, errors in lines:
        if errors is None:
            ax.plot(sizes, values, marker="o", markersize=3, label=name)
        else:
            ax.errorbar(sizes, values, errors, marker="o", markersize=3, capsize=2, label=name)
    if chosen is not None:
        mark = f"{path.sizes_[chosen]} by {criterion}"
        ax.axvline(path.sizes_[chosen], color="grey", linestyle="--", linewidth=0.8, label=mark)
    ax.set(xlabel="number of features", ylabel=label)
    ax.legend(fontsize="small")
    return ax


def _label(path: Any, what: str) -> str:
    if what == "scores":
        return f"held-out {path.scoring if isinstance(path.scoring, str) else 'score'}"
    return {"objective": "F", "coefficients": "coefficient"}.get(what, what.upper())


def _values(path: Any, what: str) -> list[tuple[str, Any, Any, Any]]:
    """A line for each ridge: its name, sizes, values and standard errors."""
    values = {"scores": "cv_mean_", "objective": "objective_"}.get(what, f"{what}_")
    lines = []
    for ridge in dict.fromkeys(path.ridges_.tolist()):
        here = path.ridges_ == ridge
        errors = path.cv_se_[here] if what == "scores" else None
        lines.append((f"ridge {ridge:g}", path.sizes_[here], getattr(path, values)[here], errors))
    return lines


def _coefficients(path: Any, chosen: int | None) -> list[tuple[str, Any, Any, Any]]:
    """A line for each of the largest coefficients, with the ridge of the choice."""
    here = path.ridges_ == path.ridges_[0 if chosen is None else chosen]
    coefficients, names = path.coefs_[here], feature_names(path)
    # Scaled columns would be fairer than units, but units are what is drawn: first those that are used most.
    used = (coefficients != 0).sum(axis=0)
    order = sorted(np.flatnonzero(used), key=lambda j: (-used[j], -np.abs(coefficients[:, j]).max()))[:FEATURES]
    return [(names[j], path.sizes_[here], coefficients[:, j], None) for j in order]


def _svg(path: Any, what: str, lines: list[tuple[str, Any, Any, Any]], chosen: int | None) -> str:
    size = None if chosen is None else int(path.sizes_[chosen])
    if what == "scores":
        points = [
            {"value": float(at), "line": name, "mean": float(mean), "standard_error": float(error)}
            for name, sizes, values, errors in lines
            for at, mean, error in zip(sizes, values, errors, strict=True)
            if np.isfinite(mean) and np.isfinite(error)
        ]
        ridge = None if chosen is None else f"ridge {path.ridges_[chosen]:g}"
        place = [k for k, point in enumerate(points) if point["value"] == size and point["line"] == ridge]
        curve = {
            "parameter": "number of features",
            "score": _label(path, what),
            "larger_is_better": bool(path._larger_is_better),
            "folds": int(path.cv_folds_.shape[1]),
            "points": points,
            "chosen": place[0] if place else None,
        }
        return _proxdist.curve_figure(json.dumps(curve), WIDTH)
    series = [
        {"label": name, "points": [[float(at), float(value)] for at, value in zip(sizes, values, strict=True)]}
        for name, sizes, values, _ in lines
    ]
    plot: dict[str, Any] = {
        "title": "",
        "x_label": "number of features",
        "y_label": _label(path, what),
        "series": series,
    }
    if size is not None:
        plot["mark"] = {"at": float(size), "label": f"{size} features"}
    return _proxdist.lines_figure(json.dumps(plot), WIDTH)
