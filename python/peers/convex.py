"""Convex sets beside cvxpy: the same problem, F of both ends, CPU seconds of one thread.

`python -m peers.convex --rows target/convex.jsonl`; part of `make peers`. Data are drawn from a seed, columns in units over three decades. cvxpy is
given the formulation that its manual would use, with Clarabel, its default for such problems; its time includes what it takes to compile the problem.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .store import keep, stored

REPEATS = 3


class Problem(NamedTuple):
    """Data, a loss and a set, in our words and as a function for cvxpy."""

    name: str
    loss: str
    constraint: str
    rows: int
    columns: int
    limits: Callable[[Any], list[Any]]


def problems() -> list[Problem]:
    """What is compared."""
    import cvxpy as cp

    return [
        Problem("signs", "squared", "nonneg", 5000, 300, lambda b: [b >= 0]),
        Problem("a portfolio with caps", "squared", "simplex & box:0,0.05", 1000, 400, lambda b: [b >= 0, b <= 0.05, cp.sum(b) == 1]),
        Problem("order", "squared", "monotone", 3000, 200, lambda b: [b[1:] >= b[:-1]]),
        Problem("a ball", "huber:1.345", "ball:1", 5000, 200, lambda b: [cp.norm(b, 2) <= 1]),
        Problem("L1 ball", "logistic", "l1:3", 2000, 200, lambda b: [cp.norm(b, 1) <= 3]),
        Problem("counts with signs", "poisson", "nonneg", 2000, 50, lambda b: [b >= 0]),
        Problem("a median in a box", "absolute", "box:-0.5,0.5", 3000, 50, lambda b: [b >= -0.5, b <= 0.5]),
    ]


def drawn(problem: Problem) -> tuple[Any, Any]:
    """Rows with features in units of their own and a response that the limits are felt by."""
    draw = np.random.default_rng(1)
    n, p = problem.rows, problem.columns
    units = 10.0 ** draw.uniform(-1, 1, p) if problem.loss == "squared" and "nonneg" in problem.constraint else np.ones(p)
    X = draw.normal(size=(n, p))
    beta = draw.normal(size=p) / np.sqrt(p)
    eta = 2.0 * X @ beta
    kinds = {"logistic": lambda: (eta + draw.logistic(size=n) > 0).astype(float), "poisson": lambda: draw.poisson(np.exp(0.5 * eta)).astype(float)}
    y = kinds.get(problem.loss, lambda: eta + draw.standard_t(4, size=n))()
    return np.asfortranarray(X * units), y


def value(problem: Problem, X: Any, y: Any, coefficients: Any, intercept: float) -> float:
    """F, in NumPy."""
    eta = X @ coefficients + intercept
    u = np.abs(y - eta)
    each = {
        "squared": lambda: 0.5 * u**2,
        "huber:1.345": lambda: np.where(u <= 1.345, 0.5 * u**2, 1.345 * (u - 0.6725)),
        "logistic": lambda: np.logaddexp(0.0, eta) - y * eta,
        "poisson": lambda: np.exp(eta) - y * eta,
        "absolute": lambda: 0.5 * u,
    }
    return float(np.mean(each[problem.loss]()))


def by_us(problem: Problem, X: Any, y: Any) -> tuple[Any, float]:
    """This package."""
    from proxdist import ConstrainedClassifier, ConstrainedRegressor

    options = {"constraint": problem.constraint, "n_jobs": 1}
    model = ConstrainedClassifier(**options) if problem.loss == "logistic" else ConstrainedRegressor(problem.loss, **options)
    model.fit(X, y)
    return np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])


def by_cvxpy(problem: Problem, X: Any, y: Any) -> tuple[Any, float]:
    """cvxpy with Clarabel."""
    import cvxpy as cp

    b, b0, n = cp.Variable(X.shape[1]), cp.Variable(), len(y)
    eta = X @ b + b0
    losses = {
        "squared": lambda: cp.sum_squares(y - eta) / (2 * n),
        "huber:1.345": lambda: cp.sum(cp.huber(y - eta, 1.345)) / (2 * n),
        "logistic": lambda: cp.sum(cp.logistic(eta) - cp.multiply(y, eta)) / n,
        "poisson": lambda: cp.sum(cp.exp(eta) - cp.multiply(y, eta)) / n,
        "absolute": lambda: cp.norm(y - eta, 1) / (2 * n),
    }
    program = cp.Problem(cp.Minimize(losses[problem.loss]()), problem.limits(b))
    program.solve(solver="CLARABEL")
    return b.value, float(b0.value)


METHODS = {"proxdist": by_us, "cvxpy": by_cvxpy}


def measured(problem: Problem) -> list[dict[str, Any]]:
    """A row for each method: F, and the quickest of some repetitions."""
    X, y = drawn(problem)
    found = []
    for name, solve in METHODS.items():
        times = []
        for _ in range(REPEATS):
            began = time.process_time()
            coefficients, intercept = solve(problem, X, y)
            times.append(time.process_time() - began)
        row = {"problem": problem.name, "method": name, "seconds": min(times)}
        found.append(row | {"objective": value(problem, X, y, coefficients, intercept)})
    return found


def table(rows: list[dict[str, Any]]) -> str:
    """The table, in Markdown."""
    lines = [
        "| problem | set | loss | n × p | proxdist, s | cvxpy, s | cvxpy / proxdist | F of proxdist − F of cvxpy, relative |",
        "|---|---|---|---|--:|--:|--:|--:|",
    ]
    for problem in problems():
        here = {row["method"]: row for row in rows if row["problem"] == problem.name}
        if len(here) < len(METHODS):
            continue
        ours, theirs = here["proxdist"], here["cvxpy"]
        gap = (ours["objective"] - theirs["objective"]) / abs(theirs["objective"])
        lines.append(
            f"| {problem.name} | `{problem.constraint}` | {problem.loss} | {problem.rows} × {problem.columns} | {ours['seconds']:.3g} | {theirs['seconds']:.3g} "
            f"| {theirs['seconds'] / ours['seconds']:.3g} | {gap:.1e} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Computes what is missing, then prints the table."""
    parser = argparse.ArgumentParser(prog="peers.convex", description=__doc__)
    parser.add_argument("--rows", type=Path, default=Path("target/convex.jsonl"))
    asked = parser.parse_args()
    rows = stored(asked.rows)
    done = {row["problem"] for row in rows}
    for problem in problems():
        if problem.name in done:
            continue
        found = measured(problem)
        keep(asked.rows, found)
        rows += found
    print(table(rows))


if __name__ == "__main__":
    main()
