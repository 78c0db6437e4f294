"""F by its definition, in extended precision where it is judged and in double precision where it is minimised.

`F(θ, β₀) = Σ wᵢ ℓ(xᵢ·θ + β₀ + oᵢ; yᵢ) / Σ wᵢ + ½ Σ λⱼ θⱼ²`. The ridge term is about standardised effects,
`λⱼ = λ sⱼ²` with the standard deviation of the column, whatever the set; with `standardize=False` it is `λⱼ = λ`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]


@dataclass
class Loss:
    """A loss of the linear predictor, by the name that the library knows."""

    name: str

    @property
    def delta(self) -> float:
        """Where Huber's loss turns straight."""
        return float(self.name.partition(":")[2])

    @property
    def needs_bound(self) -> bool:
        """Whether F may fall for ever along a ray."""
        return self.name in ("logistic", "poisson")

    def value(self, eta: Array, y: Array) -> Array:
        """ℓ, in the precision of `eta`."""
        if self.name == "squared":
            return (y - eta) ** 2 / 2
        if self.name == "logistic":
            return np.where(eta >= 0, (1 - y) * eta, -y * eta) + np.log1p(np.exp(-np.abs(eta)))
        if self.name == "poisson":
            return np.exp(eta) - y * eta
        if self.name == "squared-hinge":
            return np.maximum(0, 1 - (2 * y - 1) * eta) ** 2 / 2
        size = np.abs(y - eta)
        return np.where(size <= self.delta, size**2 / 2, self.delta * (size - self.delta / 2))

    def slope(self, eta: Array, y: Array) -> Array:
        """∂ℓ/∂η."""
        if self.name == "squared":
            return eta - y
        if self.name == "logistic":
            tail = np.exp(-np.abs(eta))
            chance = np.where(eta >= 0, 1 / (1 + tail), tail / (1 + tail))
            return np.where(y == 1, -np.where(eta >= 0, tail / (1 + tail), 1 / (1 + tail)), chance - y)
        if self.name == "poisson":
            return np.exp(eta) - y
        if self.name == "squared-hinge":
            sign = 2 * y - 1
            return -sign * np.maximum(0, 1 - sign * eta)
        return np.clip(eta - y, -self.delta, self.delta)

    def curvature(self, eta: Array, y: Array) -> Array:
        """∂²ℓ/∂η², generalised where there is none."""
        if self.name == "squared":
            return np.ones_like(eta)
        if self.name == "logistic":
            tail = np.exp(-np.abs(eta))
            return tail / (1 + tail) ** 2
        if self.name == "poisson":
            return np.exp(eta)
        if self.name == "squared-hinge":
            return ((2 * y - 1) * eta < 1).astype(float)
        return (np.abs(y - eta) <= self.delta).astype(float)


@dataclass
class Objective:
    """F of one data set."""

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    weights: NDArray[np.float64]
    offset: NDArray[np.float64]
    loss: Loss
    ridge: NDArray[np.float64]
    has_intercept: bool

    def exact(self, theta: Array, intercept: float) -> float:
        """F in extended precision."""
        theta = np.asarray(theta, dtype=np.longdouble)
        used = self.weights > 0
        eta = self.X[used].astype(np.longdouble) @ theta + np.longdouble(intercept) + self.offset[used]
        losses = self.loss.value(eta, self.y[used].astype(np.longdouble))
        weights = self.weights[used].astype(np.longdouble)
        return float((weights * losses).sum() / weights.sum() + (self.ridge * theta**2).sum() / 2)

    def rounding(self, theta: Array, intercept: float) -> float:
        """How much F may change by rounding coefficients and predictors, to first order, with room."""
        used = self.weights > 0
        size = np.abs(self.X[used]) @ np.abs(theta) + abs(intercept) + np.abs(self.offset[used])
        eta = self.X[used] @ theta + intercept + self.offset[used]
        slopes = np.abs(self.loss.slope(eta, self.y[used]))
        weights = self.weights[used] / self.weights[used].sum()
        return float(4 * np.finfo(float).eps * (weights * (slopes * size)).sum())

    def at_zero(self) -> float:
        """F where all coefficients are zero."""
        return self.exact(np.zeros(self.X.shape[1]), 0.0)
