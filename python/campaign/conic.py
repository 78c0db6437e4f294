"""The least value of F over a convex set on chosen coordinates, from conic programs that Clarabel solves.

Columns are brought to mean square 1 and rows of the set to length 1, whatever the units. Newton's method: each
quadratic model of F around the current point is minimised over the conic form; the last point is improved on its
active constraints, where the optimality conditions are equations. The value that is handed out is for the law `F ≤
optimum`: what the point found lies outside the set by, times the multipliers, is added twice, since the optimal value
is convex in the right-hand sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .objective import Objective
from .parts import Cone

Array = NDArray[np.float64]

MOST_STEPS = 60
EXACT = 1e-13


@dataclass
class Optimum:
    """A point and a value that the least value is not above; ``slack`` of it is for lying outside."""

    theta: Array
    intercept: float
    value: float
    slack: float


class Unsolved(Exception):  # noqa: N818
    """The solver gave up; the truth is not known."""


@dataclass
class Rows:
    """The set in scaled variables: equations first, then inequalities, then cones."""

    equal: Array
    equal_right: Array
    below: Array
    below_right: Array
    balls: list[tuple[Array, Array]]

    def miss(self, x: Array) -> Array:
        """How far each row is from being satisfied."""
        return np.concatenate(
            [
                np.abs(self.equal @ x - self.equal_right),
                np.maximum(0.0, self.below @ x - self.below_right),
                [max(0.0, float(np.linalg.norm(M @ x - c)) - 1.0) for M, c in self.balls],
            ]
        )


class Program:
    """F over a convex set on some coordinates, in variables `x = (Dθ, β₀, u)`; `u` bounds magnitudes in L1 balls."""

    def __init__(self, objective: Objective, cone: Cone, support: NDArray[np.bool_] | None = None) -> None:
        full = objective.X.shape[1]
        self.objective = objective
        self.support = np.arange(full) if support is None else np.flatnonzero(support)
        used = objective.weights > 0
        self.weights = objective.weights[used] / objective.weights[used].sum()
        columns = objective.X[used][:, self.support]
        size = np.sqrt(self.weights @ columns**2)
        self.units = np.where(size > 0, size, 1.0)
        design = columns / self.units
        if objective.has_intercept:
            design = np.column_stack([design, np.ones(len(design))])
        self.extra = sum(int((mask[self.support] != 0).sum()) for mask, _ in cone.sums)
        self.design = np.column_stack([design, np.zeros((len(design), self.extra))])
        self.ridge = np.zeros(self.design.shape[1])
        self.ridge[: len(self.support)] = objective.ridge[self.support] / self.units**2
        self.y, self.offset = objective.y[used], objective.offset[used]
        self.rows = self._rows(cone)

    def _rows(self, cone: Cone) -> Rows:
        p, total = len(self.support), self.design.shape[1]

        def wide(row: Array) -> Array:
            result = np.zeros(total)
            result[:p] = row[self.support] / self.units
            return result

        def unit(pairs: list[tuple[Array, float]], is_equal: bool) -> tuple[Array, Array]:
            # A row that is only about coordinates held at zero says nothing, or that there is no point at all.
            idle = [right for row, right in pairs if not row.any()]
            if any(right != 0 if is_equal else right < 0 for right in idle):
                raise Unsolved("no point of the set has these coordinates only")
            pairs = [(row, right) for row, right in pairs if row.any()]
            lengths = [float(np.linalg.norm(row)) for row, _ in pairs]
            rows = [row / length for (row, _), length in zip(pairs, lengths, strict=True)]
            right = [value / length for (_, value), length in zip(pairs, lengths, strict=True)]
            return np.array(rows).reshape(-1, total), np.array(right)

        equal = [(wide(row), right) for row, right in cone.equal]
        below = [(wide(row), right) for row, right in cone.below]
        at = total - self.extra
        for mask, radius in cone.sums:
            inside = np.flatnonzero(mask[self.support])
            budget = np.zeros(total)
            for j in inside:
                row = np.zeros(total)
                # The magnitude is bounded in the units of F, the sum counts it in the units of the set.
                row[j], row[at] = 1.0, -1.0
                below.append((row, 0.0))
                row = row.copy()
                row[j] = -1.0
                below.append((row, 0.0))
                budget[at] = 1.0 / self.units[j]
                at += 1
            below.append((budget, radius))
        balls = []
        for mask, center, radius in cone.balls:
            inside = np.flatnonzero(mask[self.support])
            rows = np.zeros((len(inside), total))
            rows[np.arange(len(inside)), inside] = 1.0 / self.units[inside] / radius
            outside = (mask != 0) & ~np.isin(np.arange(len(mask)), self.support)
            # Coordinates held at zero have a distance from the centre too.
            rest = np.linalg.norm(center[outside]) / radius
            rows = np.vstack([rows, np.zeros(total)])
            balls.append((rows, np.append(center[self.support][inside] / radius, rest)))
        return Rows(*unit(equal, True), *unit(below, False), balls)

    def value(self, x: Array) -> float:
        """F in double precision."""
        with np.errstate(over="ignore"):
            losses = self.objective.loss.value(self.design @ x + self.offset, self.y)
        return float(self.weights @ losses + (self.ridge * x**2).sum() / 2)

    def model(self, x: Array) -> tuple[Array, Array]:
        """Gradient and curvature of F."""
        eta = self.design @ x + self.offset
        loss = self.objective.loss
        gradient = self.design.T @ (self.weights * loss.slope(eta, self.y)) + self.ridge * x
        curved = self.design * np.sqrt(self.weights * loss.curvature(eta, self.y))[:, None]
        return gradient, curved.T @ curved + np.diag(self.ridge)

    def solve(self) -> Optimum:
        """The optimum over the set."""
        x, multipliers = self._start()
        value = self.value(x)
        worth = 1e-6 * max(abs(self.value(np.zeros(len(x)))), np.finfo(float).tiny)
        for _ in range(MOST_STEPS):
            gradient, curvature = self.model(x)
            try:
                step, found = self._step(x, gradient, curvature)
            except Unsolved:
                break
            multipliers = found
            fall = float(gradient @ step)
            if -fall <= EXACT * max(abs(value), worth):
                break
            length = 1.0
            while length > 1e-12 and not self.value(x + length * step) <= value + 1e-4 * length * fall:
                length /= 2
            if length <= 1e-12:
                break
            x = x + length * step
            value = self.value(x)
        return self._best(x, multipliers)

    def _start(self) -> tuple[Array, Array]:
        """A point of the set; for losses with straight pieces the optimum, by a program with variables for rows."""
        size = self.design.shape[1]
        gradient, curvature = self.model(np.zeros(size))
        if self.objective.loss.name == "squared":
            step, multipliers = self._step(np.zeros(size), gradient, curvature)
            return step, multipliers
        if self.objective.loss.needs_bound:
            if not self.rows.miss(np.zeros(size)).any():
                return np.zeros(size), np.zeros(len(self.rows.miss(np.zeros(size))))
            return self._step(np.zeros(size), np.zeros(size), np.eye(size))
        n = len(self.y)
        if self.objective.loss.name == "squared-hinge":
            # ½ξ² with ξ ≥ 1 − tη.
            sign = 2 * self.y - 1
            own = np.hstack([-(sign[:, None] * self.design), -np.eye(n)])
            right = sign * self.offset - 1
            curved = np.concatenate([self.ridge, self.weights])
            linear = np.zeros(size + n)
        else:
            # ½a² + δv with −v ≤ r − a ≤ v for the residual r = y − o − Zx.
            eye, residual = np.eye(n), self.y - self.offset
            own = np.vstack([np.hstack([-self.design, -eye, -eye]), np.hstack([self.design, eye, -eye])])
            right = np.concatenate([-residual, residual])
            curved = np.concatenate([self.ridge, self.weights, np.zeros(n)])
            linear = np.concatenate([np.zeros(size + n), self.objective.loss.delta * self.weights])
        more = len(linear) - size
        rows = Rows(
            np.hstack([self.rows.equal, np.zeros((len(self.rows.equal), more))]),
            self.rows.equal_right,
            np.vstack([np.hstack([self.rows.below, np.zeros((len(self.rows.below), more))]), own]),
            np.concatenate([self.rows.below_right, right]),
            [(np.hstack([M, np.zeros((len(M), more))]), c) for M, c in self.rows.balls],
        )
        x, multipliers = minimise(np.diag(curved), linear, rows, np.zeros(len(linear)))
        return x[:size], np.delete(
            multipliers, slice(len(rows.equal) + len(self.rows.below), len(rows.equal) + len(rows.below))
        )

    def _step(self, x: Array, gradient: Array, curvature: Array) -> tuple[Array, Array]:
        """The minimiser of the model over the set, as a step, and the multipliers."""
        return minimise(curvature, gradient, self.rows, x)

    def _best(self, x: Array, multipliers: Array) -> Optimum:
        """The better of the point and of its improvement on active constraints."""
        found = self._optimum(x, multipliers)
        better, weights = self._improved(x, multipliers)
        if better is None:
            return found
        other = self._optimum(better, weights)
        return other if other.value <= found.value else found

    def _optimum(self, x: Array, multipliers: Array) -> Optimum:
        p = len(self.support)
        theta = np.zeros(self.objective.X.shape[1])
        theta[self.support] = x[:p] / self.units
        intercept = float(x[p]) if self.objective.has_intercept else 0.0
        slack = 2 * float(np.abs(multipliers) @ self.rows.miss(x))
        return Optimum(theta, intercept, self.objective.exact(theta, intercept) + slack, slack)

    def _improved(self, x: Array, multipliers: Array) -> tuple[Array | None, Array]:
        """Newton's method on the optimality conditions of the active constraints."""
        rows = self.rows
        e, b = len(rows.equal), len(rows.below)
        slack = rows.below_right - rows.below @ x
        scale = max(float(np.abs(multipliers).max(initial=0.0)), np.finfo(float).tiny)
        size = max(float(np.abs(x).max(initial=0.0)), np.finfo(float).tiny)
        active = multipliers[e : e + b] * size > np.maximum(slack, 0.0) * scale
        round_ = [
            k for k, (M, c) in enumerate(rows.balls) if multipliers[e + b + k] / scale > 1 - np.linalg.norm(M @ x - c)
        ]
        lengths = multipliers[[e + b + k for k in round_]]
        for _ in range(4):
            gradient, curvature = self.model(x)
            jacobian, gaps = [rows.equal, rows.below[active]], [rows.equal_right - rows.equal @ x, slack[active]]
            for k, weight in zip(round_, lengths, strict=True):
                M, c = rows.balls[k]
                away = M @ x - c
                distance = float(np.linalg.norm(away))
                if distance == 0:
                    return None, multipliers
                jacobian.append((M.T @ away / distance)[None])
                gaps.append(np.array([1 - distance]))
                tangent = M.T @ M - np.outer(M.T @ away, M.T @ away) / distance**2
                curvature = curvature + max(weight, 0.0) * tangent / distance
            J, gap = np.vstack(jacobian), np.concatenate(gaps)
            system = np.block([[curvature, J.T], [J, np.zeros((len(J), len(J)))]])
            try:
                solved = np.linalg.lstsq(system, np.concatenate([-gradient, gap]), rcond=1e-14)[0]
            except np.linalg.LinAlgError:
                return None, multipliers
            x = x + solved[: len(x)]
            if not np.all(np.isfinite(x)):
                return None, multipliers
            slack = rows.below_right - rows.below @ x
            lengths = solved[len(solved) - len(round_) :] if round_ else lengths
        weights = np.zeros(e + b + len(rows.balls))
        found = solved[len(x) :]
        weights[:e] = found[:e]
        weights[e : e + b][active] = found[e : e + int(active.sum())]
        weights[[e + b + k for k in round_]] = lengths
        negative = weights[e:] < -1e-9 * scale
        inactive = np.concatenate([~active, np.array([k not in round_ for k in range(len(rows.balls))], dtype=bool)])
        if negative.any() or (rows.miss(x)[e:][inactive] > 1e-13 * size).any():
            return None, multipliers
        return x, weights


def settings(tolerance: float) -> clarabel.DefaultSettings:
    """Silent, one thread."""
    chosen = clarabel.DefaultSettings()
    chosen.verbose = False
    chosen.tol_gap_abs = chosen.tol_gap_rel = chosen.tol_feas = tolerance
    chosen.max_iter = 100
    return chosen


#: Tolerances and additional curvature, tried in turn: asked for too much, the solver gives up far from the optimum.
ATTEMPTS = [(settings(tolerance), more) for tolerance, more in [(1e-12, 0.0), (1e-9, 0.0), (1e-9, 1e-9), (1e-8, 1e-6)]]


def is_solved(solution: clarabel.DefaultSolution) -> bool:
    """Whether a point is near the optimum, though the solver may have hoped for more digits."""
    if solution.status in (clarabel.SolverStatus.AlmostSolved, clarabel.SolverStatus.InsufficientProgress):
        gap = abs(solution.obj_val - solution.obj_val_dual)
        return bool(solution.r_prim <= 1e-9 and gap <= 1e-7 * max(1.0, abs(solution.obj_val)))
    return bool(solution.status == clarabel.SolverStatus.Solved)


def minimise(curvature: Array, gradient: Array, rows: Rows, x: Array) -> tuple[Array, Array]:
    """The step `d` that minimises `g·d + ½ d·H d` with `x + d` in the set, and a multiplier for each row."""
    equal, below = rows.equal_right - rows.equal @ x, rows.below_right - rows.below @ x
    cones = []
    if len(equal):
        cones.append(clarabel.ZeroConeT(len(equal)))
    if len(below):
        cones.append(clarabel.NonnegativeConeT(len(below)))
    matrices, rights = [rows.equal, rows.below], [equal, below]
    for M, c in rows.balls:
        cones.append(clarabel.SecondOrderConeT(len(M) + 1))
        matrices.append(np.vstack([np.zeros(len(x)), -M]))
        rights.append(np.concatenate([[1.0], M @ x - c]))
    A, b = np.vstack(matrices), np.concatenate(rights)
    if not len(b):
        return np.linalg.lstsq(curvature, -gradient, rcond=1e-15)[0], np.zeros(0)
    # Tolerances are absolute in part, so the unit of the step is its likely size, the unit of F its steepest slope.
    unit, steep = float(np.abs(x).max(initial=0.0)), float(np.abs(gradient).max(initial=0.0)) or 1.0
    if unit == 0:
        unit = float(np.abs(np.linalg.lstsq(curvature, -gradient, rcond=1e-9)[0]).max()) or 1.0
    linear = len(equal) + len(below)
    scale = np.ones(len(b))
    for chosen, more in ATTEMPTS:
        quadratic = np.triu(curvature) + more * float(np.diag(curvature).max()) * np.eye(len(x))
        for attempt in range(3):
            weight = 1.0 / (steep * unit)
            scale[:linear] = 1.0 / unit
            solution = clarabel.DefaultSolver(
                sparse.csc_matrix(quadratic * (unit * unit * weight)),
                gradient * (unit * weight),
                sparse.csc_matrix(A * (unit * scale)[:, None]),
                b * scale,
                cones,
                chosen,
            ).solve()
            if not is_solved(solution):
                break
            step = np.array(solution.x) * unit
            size = float(np.abs(x + step).max(initial=0.0))
            if size == 0 or 0.02 <= size / unit <= 50 or attempt == 2:
                z = np.array(solution.z) * scale / weight
                heads = linear + np.cumsum([0] + [len(M) + 1 for M, _ in rows.balls])[:-1]
                return step, np.concatenate([z[:linear], z[heads.astype(int)]])
            unit = size
    raise Unsolved(str(solution.status))
