"""The report: the page that the command line writes, about an estimator and data to judge it by.

What the page says about the model is worked out by the library, the same for both; the parameters, the class and the run
are told here.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from . import _losses, _proxdist
from ._coordinates import numbered
from ._display import feature_names, trace_points
from ._input import features
from .files import write_whole


def write(estimator: Any, path: Any, rows: tuple[Any, ...], training: tuple[Any, ...] | None, title: str | None) -> None:
    """Writes the page, whole or not at all. Rows are features, responses, weights, and offset or exposure by name."""
    if len(estimator._results) > 1:
        raise ValueError("a report is about one model; with more than two classes there are several")
    if not isinstance(estimator.loss, str):
        raise ValueError("a report needs a loss with a name")
    if training is not None and not 2 <= len(training) <= 4:
        raise ValueError(f"training must be (X, y), with weights and offset if there are any, got {len(training)} parts")
    X, y, sample_weight, beside = rows
    flat, all_rows, shape = estimator._rows_again(X, y, sample_weight, as_fitted=False, **beside)
    known = None
    if training is not None:
        whole: list[Any] = [*training, None, None]
        own, its_rows, _ = estimator._rows_again(*whole[:3], offset=whole[3], exposure=None)
        known = (features(own), its_rows[0])
    problem = estimator._problem(None, shape) | {"names": feature_names(estimator)} | estimator._chosen(0)
    result = estimator._results[0]
    classes = getattr(estimator, "classes_", None)
    about = {
        "coef": result["coef"].ravel().tolist(),
        "intercept": result["intercept"],
        "objective": result["objective"],
        "model": result.get("model"),
        "target": target_of(y),
        "classes": None if classes is None else [str(label) for label in classes],
        "circumstances": json.dumps(circumstances(estimator, flat.shape, title)),
    }
    write_whole(path, _proxdist.report_page(features(flat), all_rows[0], known, problem, about))


def target_of(y: Any) -> str | None:
    """The name of what is explained, if it has one."""
    name = getattr(y, "name", None)
    return None if name is None else str(name)


def _fact(label: str, value: Any) -> dict[str, str]:
    return {"label": label, "value": f"{value:.6g}" if isinstance(value, float) else str(value)}


def circumstances(estimator: Any, shape: tuple[int, int], title: str | None) -> dict[str, Any]:
    """What the library does not know of a fit."""
    result = estimator._results[0]
    set_text = result_constraint(estimator)
    rows = int(result.get("rows", 0))
    page: dict[str, Any] = {
        "title": title or f"{type(estimator).__name__}: {set_text}",
        "result": f"{title or type(estimator).__name__}: {estimator._loss()} loss, {set_text}.",
        "ending": estimator._summary() + ".",
        "data": [
            _fact("rows of the fit", rows or "not known"),
            _fact("rows shown", int(shape[0])),
            _fact("features", int(shape[1])),
        ],
        "problem": {
            "loss": estimator._loss(),
            "loss_formula": _losses.fact(estimator.loss, "formula") or "",
            "set": set_text,
            "spec": set_text,
            "ridge": float(getattr(estimator, "ridge_", estimator.ridge)),
            "intercept": bool(estimator.fit_intercept),
            "rows": rows or int(shape[0]),
            "columns": int(shape[1]),
        },
        "versions": [_fact("proxdist", _proxdist.__version__)],
        "settings": [_fact(key, value) for key, value in estimator.get_params(deep=False).items()],
    }
    story = proof(result)
    if story is not None:
        page["proof"] = story
    if result["trace"] is not None:
        page["trace"] = trace_points(result["trace"])
        page["seconds"] = result["seconds"]
    if hasattr(estimator, "_matrix"):
        page["problem"]["shape"] = list(estimator._matrix)
    return page


def result_constraint(estimator: Any) -> str:
    """The set of the model, as it is written."""
    chosen = getattr(estimator, "constraint_", None)
    names = estimator._names() or numbered(estimator._width())
    return str((estimator._set() if chosen is None else chosen).spec_for(names))


def proof(result: dict[str, Any]) -> dict[str, Any] | None:
    """How a search for a proof closed, where there was one; what it proved is told under what is certain."""
    found, trace = result["certificate"], result["trace"]
    if trace is None:
        return None
    columns = ("phase", "seconds", "nodes", "objective", "bound")
    rows = zip(*(np.asarray(trace[column]).tolist() for column in columns), strict=True)
    points = [
        {"seconds": seconds, "nodes": nodes, "value": value, "bound": bound}
        for phase, seconds, nodes, value, bound in rows
        if phase == "proof" and np.isfinite(bound)
    ]
    is_proven = found is not None and found.get("proven_text") is not None
    words = "" if is_proven else "Nothing was proven: the choice may be the best one, but no bound says so."
    return {"words": words, "points": points} if points else None
