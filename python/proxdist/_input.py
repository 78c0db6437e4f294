"""Arrays, frames and sparse matrices on their way in: checked by scikit-learn, handed over where they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from . import _losses
from ._arrays import aligned, features

__all__ = ["DTYPES", "checked_offset", "features", "known_part", "per_row", "whole"]

DTYPES = [np.float64, np.float32]


def per_row(response: Any, sample_weight: Any, offset: Any, X: Any) -> dict[str, Any]:
    """What belongs to each row besides its features."""
    weights = None
    if sample_weight is not None:
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        weights = aligned(np.ascontiguousarray(weights))
    return {
        "response": aligned(np.ascontiguousarray(response, dtype=np.float64)),
        "weights": weights,
        "offset": checked_offset(offset, X.shape[0]),
    }


def checked_offset(offset: Any, rows: int) -> Any:
    """One finite number a row, or none at all."""
    if offset is None:
        return None
    values = np.asarray(offset, dtype=np.float64)
    values = np.full(rows, values) if values.ndim == 0 else aligned(np.ascontiguousarray(values))
    if values.shape != (rows,):
        raise ValueError(f"offset has shape {values.shape}, expected ({rows},): one number a row")
    if not np.isfinite(values).all():
        raise ValueError("offset contains NaN or infinity")
    return values


def known_part(loss: Any, offset: Any, exposure: Any, may_miss: bool = False) -> Any:
    """The offset, with the logarithms of exposures added: rates are per unit of exposure. Gaps stay where they may be."""
    if exposure is None:
        return offset
    if not _losses.fact(loss, "has_log_link"):
        raise ValueError(f"exposure needs a loss with a log link, such as poisson or gamma, got {loss!r}")
    values = np.asarray(exposure, dtype=np.float64)
    if not ((np.isfinite(values) & (values > 0)) | (np.isnan(values) & may_miss)).all():
        raise ValueError("exposure must be above zero and finite in every row")
    known = np.log(values)
    if offset is None:
        return known
    if np.ndim(offset) and known.ndim and np.shape(offset) != known.shape:
        raise ValueError(f"offset has shape {np.shape(offset)} and exposure {known.shape}: one number a row each")
    return known + np.asarray(offset, dtype=np.float64)


def whole(name: str, value: Any, least: int | None = None) -> int:
    """A whole number that is at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    if least is not None and value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")
    return int(value)
