"""Matrices of low rank: whether a point that is called stationary can be improved nearby, and how good others are.

A step moves within the tangent space at `θ = U S Vᵀ`, by the model of F there, and back onto the set by cutting
singular values (and onto the ball by shrinking). No step like that may lower F noticeably at a stationary point.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .objective import Objective

Array = NDArray[np.float64]


class Matrices:
    """F over matrices of a rank at most, in a ball or not."""

    def __init__(self, objective: Objective, shape: tuple[int, int], rank: int, radius: float | None) -> None:
        self.objective, self.shape, self.rank, self.radius = objective, shape, rank, radius
        used = objective.weights > 0
        self.weights = objective.weights[used] / objective.weights[used].sum()
        X = objective.X[used]
        self.design = np.column_stack([X, np.ones(len(X))]) if objective.has_intercept else X
        self.y, self.offset = objective.y[used], objective.offset[used]
        self.ridge = np.append(objective.ridge, 0.0) if objective.has_intercept else objective.ridge

    def value(self, x: Array) -> float:
        """F; the intercept comes last."""
        with np.errstate(over="ignore"):
            losses = self.objective.loss.value(self.design @ x + self.offset, self.y)
        return float(self.weights @ losses + (self.ridge * x**2).sum() / 2)

    def onto(self, x: Array) -> Array:
        """A nearest point of the set."""
        p = self.shape[0] * self.shape[1]
        U, s, V = np.linalg.svd(x[:p].reshape(self.shape), full_matrices=False)
        s[self.rank :] = 0.0
        length = float(np.linalg.norm(s))
        if self.radius is not None and length > self.radius:
            s *= self.radius / length
        return np.concatenate([(U * s @ V).ravel(), x[p:]])

    def tangent(self, x: Array) -> Array:
        """An orthonormal basis of the directions that keep the rank, as columns."""
        p = self.shape[0] * self.shape[1]
        U, s, V = np.linalg.svd(x[:p].reshape(self.shape))
        rank = min(self.rank, int((s > 1e-10 * max(s[0], np.finfo(float).tiny)).sum()))
        rows = np.eye(self.shape[0]), np.eye(self.shape[1])
        if rank == self.rank:
            # u vᵀ with u or v in the space that the matrix uses.
            pairs = [
                np.outer(U[:, i], V[j])
                for i in range(self.shape[0])
                for j in range(self.shape[1])
                if i < rank or j < rank
            ]
        else:
            # With room in the rank, any direction of rank one is allowed: the steepest is among the singular pairs.
            pairs = [np.outer(a, b) for a in rows[0] for b in rows[1]]
        basis = np.array([pair.ravel() for pair in pairs]).reshape(-1, p).T
        if len(x) > p:
            basis = np.block([[basis, np.zeros((p, 1))], [np.zeros((1, basis.shape[1])), np.ones((1, 1))]])
        if self.radius is not None and np.linalg.norm(x[:p]) >= self.radius * (1 - 1e-9):
            # On the sphere only directions along it count here; those inwards are tried by shorter steps anyway.
            inward = basis.T @ np.append(x[:p], np.zeros(len(x) - p))
            inward /= np.linalg.norm(inward)
            basis = basis @ np.linalg.svd(np.eye(len(inward)) - np.outer(inward, inward))[0][:, : len(inward) - 1]
        return basis

    def improved(self, x: Array, most: int = 5) -> float:
        """The least value of F that a few tangent steps from `x` come to."""
        value = self.value(x)
        for _ in range(most):
            eta = self.design @ x + self.offset
            loss = self.objective.loss
            gradient = self.design.T @ (self.weights * loss.slope(eta, self.y)) + self.ridge * x
            curved = self.design * np.sqrt(self.weights * loss.curvature(eta, self.y))[:, None]
            basis = self.tangent(x)
            scaled = curved @ basis
            model = scaled.T @ scaled + basis.T @ (self.ridge[:, None] * basis)
            steps = [
                basis
                @ np.linalg.lstsq(
                    model + damp * np.trace(model) * np.eye(len(model)), -basis.T @ gradient, rcond=1e-13
                )[0]
                for damp in (0.0, 1e-3)
            ]
            steps.append(-basis @ (basis.T @ gradient) / max(float(np.trace(model)), np.finfo(float).tiny))
            trials = [self.onto(x + 0.5**k * step) for step in steps for k in range(0, 30, 2)]
            values = [self.value(trial) for trial in trials]
            best = int(np.argmin(values))
            if not values[best] < value:
                break
            value, x = values[best], trials[best]
        return value
