"""Dask collections as partitions: arrays, data frames, and lists of delayed values or futures.

Nothing is computed here. ``y``, ``sample_weight`` and ``offset`` are cut as ``X`` is; where the sizes of chunks are not
known, they must have as many partitions, and the lengths are compared where the partitions are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dask.array as da
import numpy as np
from dask import delayed
from dask.base import is_dask_collection
from dask.delayed import Delayed
from distributed import Future
from scipy import sparse


@dataclass(frozen=True)
class Parts:
    """The partitions of a data set, not yet computed."""

    #: For each partition ``X``, ``y``, ``sample_weight`` and ``offset``; ``None`` for what is not given.
    pieces: list[tuple[Any, ...]]
    #: Bytes of ``X``, if known.
    bytes: int | None


def parts_of(X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> Parts:
    """The partitions of collections that belong together."""
    rows = _row_chunks(X)
    columns = [_cut(X, "X", None, rows)]
    for what, values in (("y", y), ("sample_weight", sample_weight), ("offset", offset)):
        columns.append([None] * len(columns[0]) if values is None else _cut(values, what, len(columns[0]), rows))
    if y is None:
        raise ValueError("y is missing: it must be a collection with one value for each row of X")
    # The number of bytes that Dask tells is that of dense chunks.
    size = float(X.nbytes) if is_array(X) and not sparse.issparse(X._meta) else np.nan
    return Parts(list(zip(*columns, strict=True)), None if np.isnan(size) else int(size))


def is_array(collection: Any) -> bool:
    """Whether it is a dask array."""
    return isinstance(collection, da.Array)


def is_frame(collection: Any) -> bool:
    """Whether it is a dask data frame or a column of one."""
    return (
        is_dask_collection(collection) and hasattr(collection, "npartitions") and hasattr(collection, "map_partitions")
    )


def is_listed(collection: Any) -> bool:
    """Whether it is a list of delayed values or futures."""
    return (
        isinstance(collection, (list, tuple))
        and len(collection) > 0
        and all(isinstance(piece, (Delayed, Future)) for piece in collection)
    )


def is_spread(collection: Any) -> bool:
    """Whether it is one of the collections that have partitions."""
    return is_array(collection) or is_frame(collection) or is_listed(collection)


def whole_rows(X: Any) -> Any:
    """A dask array whose chunks hold whole rows."""
    if X.ndim not in (2, 3):
        raise ValueError(f"X must have rows and columns, got an array of {X.ndim} dimensions")
    if all(len(chunks) == 1 for chunks in X.chunks[1:]):
        return X
    return X.rechunk({axis: -1 for axis in range(1, X.ndim)})


def _row_chunks(X: Any) -> tuple[int, ...] | None:
    """The rows of each partition, where they are known."""
    if not is_array(X):
        return None
    sizes = X.chunks[0]
    return None if any(np.isnan(size) for size in sizes) else tuple(int(size) for size in sizes)


def _cut(values: Any, what: str, count: int | None, rows: tuple[int, ...] | None) -> list[Any]:
    """The partitions of one collection, as many as ``X`` has."""
    if is_array(values):
        pieces = _array_pieces(values, what, rows)
    elif is_frame(values):
        pieces = list(values.to_delayed())
    elif is_listed(values):
        pieces = list(values)
    elif rows is not None and count is not None and not is_dask_collection(values):
        pieces = _array_pieces(da.from_array(np.asarray(values), chunks=-1), what, rows)
    else:
        raise TypeError(
            f"{what} must be a dask array, a dask data frame or a list of delayed partitions, got {type(values).__name__}"
        )
    if count is not None and len(pieces) != count:
        raise ValueError(f"{what} has {len(pieces)} partitions, X has {count}")
    return pieces


def _array_pieces(values: Any, what: str, rows: tuple[int, ...] | None) -> list[Any]:
    if what == "X":
        values = whole_rows(values)
    else:
        if values.ndim == 2 and values.shape[1] == 1:
            values = (
                values.ravel() if rows is not None else values.map_blocks(np.ravel, drop_axis=1, dtype=values.dtype)
            )
        if values.ndim != 1:
            raise ValueError(f"{what} has shape {values.shape}, expected one value for each row")
        if rows is not None and not np.isnan(values.shape[0]):
            if values.shape[0] != sum(rows):
                raise ValueError(f"{what} has {values.shape[0]} rows, X has {sum(rows)}")
            if values.chunks[0] != rows:
                values = values.rechunk((rows,))
    return list(values.to_delayed().ravel())


def together(piece: tuple[Any, ...]) -> Any:
    """A partition as one delayed tuple."""
    return delayed(tuple, pure=True)(list(piece))
