"""Rows that a partition can make again at any time, from its number alone."""

from __future__ import annotations

from typing import Any

import dask
import numpy as np

#: Features that matter, and by how much.
EFFECTS = {3: 1.5, 17: -2.0, 31: 1.0, 42: -0.75, 57: 0.5}


def features(number: int, rows: int, columns: int) -> Any:
    """The features of a partition."""
    return np.random.default_rng([number, 1]).standard_normal((rows, columns))


def response(X: Any, number: int, is_classes: bool) -> Any:
    """Its response: linear with noise, or labels drawn from the logistic model."""
    eta = X[:, list(EFFECTS)] @ np.array(list(EFFECTS.values()))
    generator = np.random.default_rng([number, 2])
    if is_classes:
        return (generator.random(len(X)) < 1 / (1 + np.exp(-eta))).astype(np.int64)
    return eta + generator.standard_normal(len(X))


def partitions(count: int, rows: int, columns: int, is_classes: bool) -> tuple[list[Any], list[Any]]:
    """Delayed features and responses."""
    X = [dask.delayed(features)(number, rows, columns) for number in range(count)]
    make = dask.delayed(response)
    return X, [make(piece, number, is_classes) for number, piece in enumerate(X)]
