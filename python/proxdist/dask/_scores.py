"""Scores of predictions on partitions: sums of each, joined in order.

Accuracy is the share of weight on right answers. $R^2$ joins the squares about the means of two groups of rows by
$M = M_a + M_b + W_aW_b(m_a - m_b)^2/(W_a + W_b)$, which keeps the digits of responses with a large mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..parts._faults import in_partition
from ..parts._look import whole_part


@dataclass(frozen=True)
class Scoring:
    """The sums of one partition: weight, mean response, squares about it, and the sum of what is scored."""

    predict: Any

    def __call__(self, number: int, part: Any) -> tuple[float, float, float, float]:
        """Sums for the partition of this number."""
        with in_partition(number):
            X, y, weights, offset = whole_part(part)
            y = np.asarray(y).ravel()
            if len(y) != X.shape[0]:
                raise ValueError(f"y has {len(y)} rows, X has {X.shape[0]}")
            if not len(y):
                return 0.0, 0.0, 0.0, 0.0
            w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=np.float64).ravel()
            found, total = self.predict(X, offset), float(w.sum())
            if total == 0.0:
                return 0.0, 0.0, 0.0, 0.0
            if hasattr(self.predict.model, "classes_"):
                return total, 0.0, 0.0, float(w[found == y].sum())
            mean = float(w @ y) / total
            return total, mean, float(w @ (y - mean) ** 2), float(w @ (y - found) ** 2)


def joined(parts: Any) -> tuple[float, float, float, float]:
    """The sums of all partitions."""
    weight = mean = squares = scored = 0.0
    for more, its_mean, its_squares, its_scored in parts:
        if more == 0.0:
            continue
        total = weight + more
        squares += its_squares + weight * more / total * (its_mean - mean) ** 2
        mean += (its_mean - mean) * more / total
        weight, scored = total, scored + its_scored
    if weight == 0.0:
        raise ValueError("there are no rows with weight to score")
    return weight, mean, squares, scored


def accuracy(parts: Any) -> float:
    """The share of right answers."""
    weight, _, _, right = joined(parts)
    return right / weight


def r_squared(parts: Any) -> float:
    """1 minus the share of the variance that is not explained, as scikit-learn has it."""
    _, _, squares, left = joined(parts)
    if squares == 0.0:
        return 1.0 if left == 0.0 else 0.0
    return 1.0 - left / squares
