"""The report: the page that the command line writes, about an estimator and data to judge it by."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from . import _losses, _proxdist
from ._coordinates import numbered
from ._display import feature_names, trace_points
from .files import write_whole

MEASURES = {
    "auc": "AUC",
    "accuracy": "accuracy",
    "log_loss": "log loss",
    "r_squared": "R2",
    "mean_squared_error": "MSE",
    "mean_absolute_error": "MAE",
    "pinball_loss": "pinball",
    "deviance": "deviance",
    "d_squared": "D2",
}


def write(estimator: Any, path: Any, shown: tuple[Any, dict[str, Any]], title: str | None) -> None:
    """Writes the page, whole or not at all. ``shown`` are features and what belongs to their rows."""
    if len(estimator._results) > 1:
        raise ValueError("a report is about one model; with more than two classes there are several")
    if not isinstance(estimator.loss, str):
        raise ValueError("a report needs a loss with a name")
    flat, rows = shown
    eta = estimator._predictor(flat, 0, rows["offset"])
    evaluation = json.loads(_proxdist.evaluate(estimator._loss(), eta, rows["response"], rows["weights"]))
    page = content(estimator, evaluation, title) | predictions(estimator, evaluation, eta, rows["response"])
    page["problem"] |= {
        "rows": int(estimator._results[0].get("rows", 0)) or int(flat.shape[0]),
        "columns": int(flat.shape[1]),
        "weighted": rows["weights"] is not None,
    }
    write_whole(path, _proxdist.page(json.dumps(page)))


def _fact(label: str, value: Any) -> dict[str, str]:
    return {"label": label, "value": f"{value:.6g}" if isinstance(value, float) else str(value)}


def content(estimator: Any, evaluation: dict[str, Any], title: str | None) -> dict[str, Any]:
    """What the page says about the model."""
    result = estimator._results[0]
    measured = [
        _fact(f"{name}, rows shown", evaluation[key])
        for key, name in MEASURES.items()
        if evaluation.get(key) is not None
    ]
    set_text = result_constraint(estimator)
    page: dict[str, Any] = {
        "title": title or f"{type(estimator).__name__}: {set_text}",
        "result": estimator._summary() + ".",
        "scores": [_fact("objective F", result["objective"]), *measured],
        "problem": {
            "loss": estimator._loss(),
            "loss_formula": _losses.fact(estimator.loss, "formula") or "",
            "set": set_text,
            "spec": set_text,
            "ridge": float(getattr(estimator, "ridge_", estimator.ridge)),
            "intercept": bool(estimator.fit_intercept),
        },
        "intercept": result["intercept"],
        "coefficients": [
            {"name": name, "value": value}
            for name, value in zip(feature_names(estimator), result["coef"].tolist(), strict=True)
        ],
        "versions": [_fact("proxdist", _proxdist.__version__)],
        "settings": [_fact(key, value) for key, value in estimator.get_params(deep=False).items()],
    }
    if result["certificate"] is not None:
        page["certificate"] = certificate(result["certificate"])
    story = proof(result)
    if story is not None:
        page["proof"] = story
    if result["trace"] is not None:
        page["trace"] = trace_points(result["trace"])
        page["seconds"] = result["seconds"]
    if hasattr(estimator, "_matrix"):
        rows, columns = estimator._matrix
        page["matrix"] = {"rows": rows, "columns": columns, "values": result["coef"].tolist()}
        page["problem"]["shape"] = [rows, columns]
    return page


def result_constraint(estimator: Any) -> str:
    """The set of the model, as it is written."""
    chosen = getattr(estimator, "constraint_", None)
    names = estimator._names() or numbered(estimator._width())
    return str((estimator._set() if chosen is None else chosen).spec_for(names))


def certificate(found: dict[str, Any]) -> list[dict[str, Any]]:
    """What is known about the result, line by line."""

    def line(label: str, value: Any, verdict: str, good: bool | None = None) -> dict[str, Any]:
        return _fact(label, value) | {"verdict": verdict, "good": good}

    stationary = bool(found["is_stationary"])
    lines = [
        line("distance to the set", found["distance"], "of the coefficients, as measured by projecting them", True),
        line("stationarity", found["stationarity"], "0 at a stationary point of F on the set", stationary or None),
    ]
    if found["gap"] is not None:
        verdict = f"F is above its minimum over the set by at most this, {found['gap_text']}"
        lines.append(line("gap", found["gap"], verdict))
    if found["proven"] is not None:
        lines.append(line("global optimum", found["proven"], "for every choice that the set allows"))
    if found["exchanges"] != "not-applicable":
        good = found["exchanges"] in ("every-choice", "refitted", "algebra") or None
        lines.append(line("exchanges", found["exchanges"], found["exchanges_text"], good))
    return lines


def proof(result: dict[str, Any]) -> dict[str, Any] | None:
    """What was proven in words, and how it closed."""
    found, trace = result["certificate"], result["trace"]
    words = None if found is None else found.get("proven_text")
    points = []
    if trace is not None:
        columns = ("phase", "seconds", "nodes", "objective", "bound")
        rows = zip(*(np.asarray(trace[column]).tolist() for column in columns), strict=True)
        points = [
            {"seconds": seconds, "nodes": nodes, "value": value, "bound": bound}
            for phase, seconds, nodes, value, bound in rows
            if phase == "proof" and np.isfinite(bound)
        ]
    if words is None and not points:
        return None
    return {
        "words": words or "Nothing was proven: the choice may be the best one, but no bound says so.",
        "points": points,
    }


def predictions(estimator: Any, evaluation: dict[str, Any], eta: Any, response: Any) -> dict[str, Any]:
    """Curves for classes, residuals for regression."""
    if evaluation["task"] == "classification":
        points = [[at["false_positive_rate"], at["true_positive_rate"]] for at in evaluation["roc"]]
        bins = [
            {"predicted": at["mean_predicted"], "observed": at["observed_rate"], "count": float(at["count"])}
            for at in evaluation["calibration"]
        ]
        curves = [{"label": "rows shown", "auc": evaluation["auc"], "points": points}] if points else []
        return {"roc": curves, "calibration": bins}
    fitted = _proxdist.loss_mean(estimator._loss(), eta)
    pairs = zip(fitted.tolist(), (response - fitted).tolist(), strict=True)
    return {"residuals": [{"fitted": fit, "residual": residual} for fit, residual in pairs]}
