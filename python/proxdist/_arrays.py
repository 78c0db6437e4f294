"""Arrays as the compiled part borrows them. Apart from all checks, so that workers need not import scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse


def features(X: Any) -> Any:
    """``X`` as the compiled part borrows it: C or Fortran order, or the parts of a sparse matrix; else copied."""
    is_sparse: bool = sparse.issparse(X)
    if is_sparse:
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        indices, starts = X.indices, X.indptr
        if not (indices.dtype == starts.dtype and indices.dtype in (np.int32, np.int64)):
            indices, starts = indices.astype(np.int64), starts.astype(np.int64)
        return aligned(X.data), aligned(indices), aligned(starts), X.shape[1]
    if not (X.flags.c_contiguous or X.flags.f_contiguous):
        X = np.ascontiguousarray(X)
    return aligned(X)


def aligned(value: Any) -> Any:
    """An array as it is if that is in order, else a copy of it: after a journey between machines it may start anywhere.

    Numbers and ``None`` are returned as they are.
    """
    return np.require(value, requirements="A") if isinstance(value, np.ndarray) else value
