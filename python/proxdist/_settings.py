"""Settings of a run: parameters of the estimators in the words of the library's declarations.

The library declares every setting once, with its name, default, rule and help. Estimators have a parameter for each of
them and pass their values on as text, by name; what a value may be is the library's business.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

from sklearn.utils import check_random_state

from . import _proxdist
from ._input import whole

#: The declarations, by the parameter of the estimators.
DECLARED: dict[str, dict[str, str]] = {declared["parameter"]: declared for declared in _proxdist.settings()}


def settings_of(estimator: Any) -> dict[str, str]:
    """The settings that an estimator asks for, as text by the names of the library; ``None`` is the default."""
    values = {
        declared["name"]: _text(parameter, declared["kind"], getattr(estimator, parameter))
        for parameter, declared in DECLARED.items()
    }
    return {name: value for name, value in values.items() if value is not None}


def _text(parameter: str, kind: str, value: Any) -> str | None:
    if parameter == "random_state" and not _is_whole(value):
        # A generator, or none at all: a seed is drawn from it.
        return str(check_random_state(value).randint(2**31 - 1))
    if value is None or (parameter == "n_jobs" and _is_whole(value) and value == -1):
        return None
    if isinstance(value, str):
        return value
    if kind == "flag":
        return "true" if value else "false"
    if kind in ("count", "memory"):
        return str(whole(parameter, value))
    if kind in ("number", "time"):
        return repr(float(value))
    raise TypeError(f"{parameter} must be text, got {value!r}")


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def without_effect(results: list[dict[str, Any]]) -> list[str]:
    """What to say about parameters that had no effect on any of the models."""
    shared = dict(results[0].get("notes", []))
    for result in results[1:]:
        shared = {name: reason for name, reason in shared.items() if name in dict(result.get("notes", []))}
    # A seed is a promise of equal results, which a fit without chance keeps as well.
    shared.pop("random_state", None)
    return [f"{name} had no effect: {reason}." for name, reason in shared.items()]
