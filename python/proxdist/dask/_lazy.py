"""Predictions that stay collections: computed where the partitions are, when they are asked for.

A fitted local estimator travels to the workers and predicts one partition at a time. A dask array gives a dask array
with the same cuts of rows, a data frame gives a series or a frame with its index, a list of delayed partitions a list
of delayed arrays. What is no collection is predicted at once, here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dask.array as da
import numpy as np
from dask import delayed

from ..parts._block import numbers
from ..parts._plan import Plan
from ._collections import is_array, is_frame, is_listed, parts_of, whole_rows


@dataclass(frozen=True)
class Predicting:
    """Predicts one partition."""

    model: Any
    plan: Plan
    method: str
    #: The type of the answers, and how many there are for each row; ``None`` for plain vectors.
    kind: Any
    width: int | None

    def __call__(self, X: Any, offset: Any = None) -> Any:
        """The answers for the rows of an array, a sparse matrix or a frame."""
        if X.shape[0] == 0:
            return np.empty(0 if self.width is None else (0, self.width), dtype=self.kind)
        values = None if offset is None else np.asarray(offset, dtype=np.float64).ravel()
        rows = numbers(X, self.plan)
        return getattr(self.model, self.method)(self._named(rows), offset=values).astype(self.kind, copy=False)

    def _named(self, rows: Any) -> Any:
        """Rows of a model that knows names get them, since scikit-learn asks for them."""
        if not hasattr(self.model, "feature_names_in_") or not isinstance(rows, np.ndarray):
            return rows
        import pandas

        return pandas.DataFrame(rows, columns=self.model.feature_names_in_, copy=False)

    def of_frame(self, X: Any, offset: Any = None) -> Any:
        """The same with the index of a frame."""
        import pandas

        found = self(X, offset)
        if self.width is None:
            return pandas.Series(found, index=X.index)
        return pandas.DataFrame(found, index=X.index, columns=self._labels())

    def _labels(self) -> Any:
        return getattr(self.model, "classes_", None)

    def meta(self) -> Any:
        """An empty answer for a frame."""
        import pandas

        if self.width is None:
            return pandas.Series(np.empty(0, dtype=self.kind))
        return pandas.DataFrame(np.empty((0, self.width), dtype=self.kind), columns=self._labels())


def lazily(task: Predicting, X: Any, offset: Any) -> Any:
    """The answers for a collection, as a collection of the same kind."""
    if is_array(X):
        return _of_array(task, whole_rows(X), offset)
    if is_frame(X):
        others = () if offset is None else (offset,)
        return X.map_partitions(task.of_frame, *others, meta=task.meta())
    if is_listed(X):
        offsets = [None] * len(X) if offset is None else [piece[1] for piece in parts_of(X, offset).pieces]
        call = delayed(task, pure=True)
        return [call(piece, known) for piece, known in zip(X, offsets, strict=True)]
    return task(X if hasattr(X, "shape") else np.asarray(X), offset)


def _of_array(task: Predicting, X: Any, offset: Any) -> Any:
    rows, out = "ijk"[: X.ndim], "i" if task.width is None else "ic"
    arguments: list[Any] = [X, rows]
    if offset is not None:
        known = offset if is_array(offset) else da.from_array(np.asarray(offset), chunks=-1)
        if known.chunks[0] != X.chunks[0] and not np.isnan(X.shape[0]):
            known = known.rechunk((X.chunks[0],))
        if len(known.chunks[0]) != len(X.chunks[0]):
            raise ValueError(f"offset has {len(known.chunks[0])} partitions, X has {len(X.chunks[0])}")
        arguments += [known, "i"]
    return da.blockwise(
        task,
        out,
        *arguments,
        new_axes=None if task.width is None else {"c": task.width},
        concatenate=True,
        align_arrays=False,
        dtype=task.kind,
        meta=np.empty((0,) * len(out), dtype=task.kind),
    )
