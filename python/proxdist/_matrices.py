"""Rows that are matrices, with a coefficient matrix for each model."""

from __future__ import annotations

from typing import Any

import numpy as np


class Matrices:
    """What estimators of matrix covariates share; stands before the estimator it is about."""

    shape: tuple[int, int] | None

    def _flat(self, X: Any) -> tuple[Any, tuple[int, int] | None]:
        """``X`` as rows, and the shape of one of them."""
        dimensions = getattr(X, "ndim", None)
        if dimensions is None and not hasattr(X, "columns"):
            X = np.asarray(X)
            dimensions = X.ndim
        shape = None if self.shape is None else (int(self.shape[0]), int(self.shape[1]))
        if dimensions == 3:
            if shape is not None and tuple(X.shape[1:]) != shape:
                raise ValueError(f"X holds {X.shape[1]}x{X.shape[2]} matrices, but shape is {shape}")
            shape = (int(X.shape[1]), int(X.shape[2]))
            X = np.asarray(X).reshape(len(X), -1)
        elif shape is None:
            shape = (int(X.shape[1]), 1) if dimensions == 2 else None
        return X, shape

    def _shape_of(self, plan: Any) -> tuple[int, int] | None:
        """The shape of an observation in partitions."""
        given = None if self.shape is None else (int(self.shape[0]), int(self.shape[1]))
        if plan.shape is not None and given is not None and plan.shape != given:
            raise ValueError(f"X holds {plan.shape[0]}x{plan.shape[1]} matrices, but shape is {given}")
        return plan.shape or given

    def _problem(self: Any, start: Any, shape: tuple[int, int] | None) -> dict[str, Any]:
        if shape is not None and shape[0] * shape[1] != self.n_features_in_:
            raise ValueError(f"shape {shape} does not fit {self.n_features_in_} features")
        self._matrix = shape or (self.n_features_in_, 1)
        problem: dict[str, Any] = super()._problem(start, self._matrix)  # type: ignore[misc]
        return problem
