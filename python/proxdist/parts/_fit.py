"""Estimators of this package, fitted to rows in partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sklearn.base import is_classifier
from sklearn.utils.multiclass import check_classification_targets

from ._plan import Plan
from ._spread import Engine, Mapped, Spread, Task


def fit_parts(estimator: Any, map: Callable[[Task], Iterable[Any]]) -> Any:
    """Fits an estimator to rows that lie in partitions, wherever those are; returns the estimator.

    ``map(task)`` must return ``[task(0, part_0), task(1, part_1), …]`` in this order, or yield them one by one. A
    partition is a tuple ``(X, y)``, ``(X, y, sample_weight)`` or ``(X, y, sample_weight, offset)`` of arrays, a sparse
    matrix of compressed rows or a data frame for ``X``. Tasks can be pickled, have no effect but what they return, and
    may be called again for the same partition, as after the loss of a machine.
    """
    fit_on(estimator, Mapped(map))
    return estimator


#: Parameters that speak of all rows at hand, and what they are by default.
OF_ALL_ROWS = {"categories": "auto", "missing": "error", "unknown": "error", "formula": None, "class_weight": None}


def check_parameters(estimator: Any) -> None:
    """Refuses parameters that rows in partitions do not have."""
    for name, usual in OF_ALL_ROWS.items():
        value = getattr(estimator, name, usual)
        if value is not usual and value != usual:
            raise ValueError(f"{name}={value!r} is not available for rows in partitions")


def fit_on(estimator: Any, engine: Engine) -> Plan:
    """Fits an estimator to the partitions of an engine; returns how these were read."""
    estimator._check_loss()
    check_parameters(estimator)
    spread = Spread(engine, is_classifier(estimator))
    take_features(estimator, spread)
    estimator._known = ("offset", None) if spread.plan.has_offset else None
    models: list[int | None] = [None]
    if is_classifier(estimator):
        check_classification_targets(spread.plan.classes)
        estimator.classes_ = estimator._checked_classes(spread.plan.classes)
        if estimator._is_multinomial():
            raise ValueError("rows in partitions: more than two classes need multi_class='ovr'")
        models = [1] if len(estimator.classes_) == 2 else list(range(len(estimator.classes_)))
    shape = estimator._shape_of(spread.plan) if hasattr(estimator, "_shape_of") else None
    estimator._solve_all(spread, models, shape)
    return spread.plan


def take_features(estimator: Any, spread: Spread) -> None:
    """Keeps the number and the names of the features, as scikit-learn has them."""
    estimator.n_features_in_ = spread.plan.features
    names = spread.plan.feature_names
    if names is not None:
        estimator.feature_names_in_ = names
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
