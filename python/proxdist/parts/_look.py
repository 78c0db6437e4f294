"""What one partition holds, seen before anything is computed: columns, kinds, rows, texts and labels.

A partition is a tuple ``(X, y, sample_weight, offset)``, of which the last two may be missing or ``None``. ``X`` is an
array, a sparse matrix or a data frame.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from ._faults import in_partition

#: What a column can be: numbers, or texts that become indicator columns.
NUMBER, TEXT = "numbers", "text"


@dataclass(frozen=True)
class Seen:
    """What there is in one partition."""

    rows: int = 0
    columns: int = 0
    bytes: int = 0
    is_sparse: bool = False
    has_weights: bool = False
    has_offset: bool = False
    #: The names of a frame's columns, and what each of them is; ``None`` for arrays.
    names: list[Any] | None = None
    kinds: list[str] | None = None
    #: The different texts of each text column, by its position.
    texts: dict[int, set[str]] = field(default_factory=dict)
    #: The different labels of ``y``, for classes.
    labels: Any = None
    #: Rows and columns of each observation, where those are matrices.
    shape: tuple[int, int] | None = None
    #: What no fit can use.
    fault: Exception | None = None


@dataclass(frozen=True)
class Looking:
    """The task that looks at a partition. A fault is part of the answer, so that the first of all partitions is told."""

    wants_labels: bool

    def __call__(self, number: int, part: Any) -> Seen:
        """What there is in the partition of this number."""
        try:
            with in_partition(number):
                return look(part, self.wants_labels)
        except (ValueError, TypeError) as fault:
            return Seen(fault=fault)


def look(part: Any, wants_labels: bool) -> Seen:
    """What there is in a partition, with errors for what no fit can use."""
    X, y, weights, offset = whole_part(part)
    shape = None
    if getattr(X, "ndim", None) == 3:
        shape = (int(X.shape[1]), int(X.shape[2]))
        X = X.reshape(len(X), -1)
    if getattr(X, "ndim", None) != 2:
        raise ValueError(f"X must have rows and columns, got {_described(X)}")
    rows, columns = X.shape
    for what, values in (("y", y), ("sample_weight", weights), ("offset", offset)):
        if values is not None:
            check_length(what, values, rows)
    found: dict[str, Any] = {}
    if hasattr(X, "columns"):
        kinds = [_kind(X, at) for at in range(columns)]
        found = {
            "names": list(X.columns),
            "kinds": kinds,
            "texts": {at: texts(X, at) for at, kind in enumerate(kinds) if kind == TEXT},
        }
    elif X.dtype.kind not in "fiub":
        raise TypeError(f"X must hold numbers, got an array of {X.dtype}")
    return Seen(
        rows=rows,
        columns=columns,
        bytes=size_of(X),
        is_sparse=bool(sparse.issparse(X)),
        has_weights=weights is not None,
        has_offset=offset is not None,
        labels=labels(y) if wants_labels else None,
        shape=shape,
        **found,
    )


def whole_part(part: Any) -> tuple[Any, Any, Any, Any]:
    """A partition with all its four entries."""
    if not isinstance(part, (tuple, list)) or not 2 <= len(part) <= 4:
        raise TypeError(f"a partition is a tuple (X, y), (X, y, sample_weight) or more, got {_described(part)}")
    X, y, weights, offset = (*part, None, None)[:4]
    return X, y, weights, offset


def check_length(what: str, values: Any, rows: int) -> None:
    """Refuses what is not one number (or label) for each row."""
    shape = tuple(np.shape(values))
    if shape not in ((rows,), (rows, 1)):
        raise ValueError(f"{what} has shape {shape}, expected ({rows},): X has {rows} rows")


def size_of(X: Any) -> int:
    """Bytes that the features take as numbers."""
    is_sparse: bool = sparse.issparse(X)
    if is_sparse:
        return int(X.nnz) * 16
    return int(X.shape[0] * X.shape[1] * 8) if hasattr(X, "columns") else int(X.nbytes)


def _described(value: Any) -> str:
    shape = getattr(value, "shape", None)
    name = type(value).__name__
    return name if shape is None else f"{name} of shape {tuple(shape)}"


def _kind(frame: Any, at: int) -> str:
    from pandas.api import types

    column = frame.iloc[:, at]
    if types.is_bool_dtype(column.dtype) or (
        types.is_numeric_dtype(column.dtype) and not types.is_complex_dtype(column.dtype)
    ):
        return NUMBER
    if isinstance(column.dtype, type(None)) or types.is_string_dtype(column.dtype) or column.dtype.name == "category":
        return TEXT
    if column.dtype == object:
        numeric = ("floating", "integer", "boolean", "mixed-integer-float", "decimal")
        return NUMBER if types.infer_dtype(column, skipna=True) in numeric else TEXT
    raise TypeError(f"column {frame.columns[at]!r} holds {column.dtype}; make numbers or text of it")


def texts(frame: Any, at: int) -> set[str]:
    """The different texts of a column; a missing one is an error."""
    column = frame.iloc[:, at]
    missing = column.isna().to_numpy()
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise ValueError(f"row {row}, column {frame.columns[at]!r}: the value is missing")
    return {str(value) for value in column.unique()}


def labels(y: Any) -> Any:
    """The different labels of a partition, in order; a missing one is an error."""
    values = np.asarray(y).ravel()
    if values.dtype.kind in "fc":
        missing = ~np.isfinite(values)
    elif values.dtype == object:
        missing = np.array([value is None or value != value for value in values], dtype=bool)
    else:
        missing = np.zeros(len(values), dtype=bool)
    if missing.any():
        raise ValueError(f"row {int(np.flatnonzero(missing)[0])}: y has no label there")
    try:
        return np.unique(values)
    except TypeError:
        raise TypeError("y has labels of different types, such as text and numbers") from None
