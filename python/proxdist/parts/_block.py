"""A partition as the compiled part reads it: arrays of numbers, by a plan that all partitions share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from .._arrays import aligned, features
from ._faults import in_partition
from ._look import check_length, whole_part
from ._plan import Plan


@dataclass(frozen=True)
class Block:
    """Rows with what belongs to them, as arrays; without rows ``features`` is ``None``."""

    features: Any
    #: Numbers, or positions among the classes of the plan.
    response: Any
    weights: Any
    offset: Any

    def arrays(self, positive: int | None) -> dict[str, Any]:
        """All arrays, aligned, which they may not be after a journey between machines.

        With ``positive`` the response is 1 for this class and 0 for others.
        """
        parts = self.features
        found = tuple(map(aligned, parts)) if isinstance(parts, tuple) else aligned(parts)
        response = self.response if positive is None else (self.response == positive).astype(np.float64)
        return {
            "features": found,
            "response": aligned(response),
            "weights": aligned(self.weights),
            "offset": aligned(self.offset),
        }

    def __sizeof__(self) -> int:
        parts = self.features if isinstance(self.features, tuple) else (self.features,)
        arrays = [*parts, self.response, self.weights, self.offset]
        return 64 + sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))


@dataclass(frozen=True)
class Preparing:
    """The task that makes a block of a partition."""

    plan: Plan

    def __call__(self, number: int, part: Any) -> Block:
        """The block of the partition of this number."""
        with in_partition(number):
            return block(part, self.plan)


def block(part: Any, plan: Plan) -> Block:
    """A partition as arrays; one that is prepared already is left as it is."""
    if isinstance(part, Block):
        return part
    X, y, weights, offset = whole_part(part)
    if X.shape[0] == 0:
        return Block(None, np.empty(0), None, None)
    return Block(
        features(numbers(X, plan)),
        _response(y, plan.classes),
        None if weights is None else _column(weights),
        None if offset is None else _column(offset),
    )


def numbers(X: Any, plan: Plan) -> Any:
    """The features of a partition as an array or a sparse matrix of compressed rows."""
    if getattr(X, "ndim", None) == 3:
        X = X.reshape(len(X), -1)
    if X.shape[1] != plan.columns:
        raise ValueError(f"X has {X.shape[1]} columns, expected {plan.columns}")
    is_sparse: bool = sparse.issparse(X)
    if is_sparse:
        rows = X.tocsr()
        return rows if rows.dtype in (np.float32, np.float64) else rows.astype(np.float64)
    if not hasattr(X, "columns"):
        return np.asarray(X, dtype=X.dtype if X.dtype in (np.float32, np.float64) else np.float64)
    if plan.names is not None and list(X.columns) != list(plan.names):
        raise ValueError(f"X has the columns {list(X.columns)!r}, expected {list(plan.names)!r}")
    if not plan.levels:
        return X.to_numpy(dtype=np.float64)
    out = np.zeros((X.shape[0], plan.features))
    start = 0
    for at in range(plan.columns):
        width = plan.width(at)
        if at in plan.levels:
            out[:, start : start + width] = _indicators(X, at, plan)
        else:
            out[:, start] = X.iloc[:, at].to_numpy(dtype=np.float64)
        start += width
    return out


def _indicators(frame: Any, at: int, plan: Plan) -> Any:
    """One column for each level that has one."""
    column = frame.iloc[:, at]
    found = np.array([str(value) for value in column], dtype=object)
    known = {level: code for code, level in enumerate(plan.levels[at])}
    codes = np.array([known.get(text, -1) for text in found])
    if (codes < 0).any():
        row = int(np.flatnonzero(codes < 0)[0])
        name = frame.columns[at]
        if column.isna().iloc[row]:
            raise ValueError(f"row {row}, column {name!r}: the value is missing")
        raise ValueError(f"row {row}, column {name!r}: {found[row]!r} did not occur where the model was fitted")
    first = len(plan.levels[at]) - plan.width(at)
    return (codes[:, None] == np.arange(first, len(plan.levels[at]))).astype(np.float64)


def _response(y: Any, classes: Any) -> Any:
    if classes is None:
        return _column(y)
    values = np.asarray(y).ravel()
    return np.searchsorted(classes, values).astype(np.float64)


def _column(values: Any) -> Any:
    """One number for each row."""
    array = np.asarray(values)
    check_length("a column of numbers", array, array.shape[0])
    return np.ascontiguousarray(array.ravel(), dtype=np.float64)
