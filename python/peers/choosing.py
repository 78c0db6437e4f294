"""The choice of a size beside abess: cross-validation over sizes 1 to 20 with ten folds, and a path over sizes 1 to 50.

`python -m peers.choosing --rows target/choosing.jsonl`; part of `make peers`. Columns with correlation ρ between neighbours, ten of them with an effect, seed 1; one
thread, CPU seconds, the quickest of three repetitions, both packages in the same process in turn. No ridge for either. What was chosen is compared by F on all rows after the same refit.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from .refit import objective
from .store import keep, stored

REPEATS = 3
CORRELATIONS = (0.0, 0.5, 0.9)
#: By name: loss, rows, columns, the largest size, and whether there are folds.
TASKS = {
    "cross-validation, squared": ("squared", 2000, 500, 20, True),
    "cross-validation, logistic": ("logistic", 2000, 500, 20, True),
    "path to 50, squared": ("squared", 10_000, 1000, 50, False),
}


def drawn(loss: str, rows: int, columns: int, correlation: float) -> tuple[Any, Any]:
    """Features, and a response of ten of them."""
    draw = np.random.default_rng(1)
    X = draw.normal(size=(rows, columns))
    for j in range(1, columns):
        X[:, j] = correlation * X[:, j - 1] + np.sqrt(1 - correlation**2) * X[:, j]
    signal = X[:, :: columns // 10] @ np.tile([1.0, -1.0], 5)
    noise = draw.normal(size=rows)
    return X, (signal + 3.0 * noise if loss == "squared" else (0.5 * signal + 1.7 * noise > 0).astype(float))


def by_us(task: str, X: Any, y: Any) -> Any:
    """The support that this package chooses, or that of the largest size."""
    from proxdist import SparsePath

    loss, _, _, largest, has_folds = TASKS[task]
    path = SparsePath(loss, largest=largest, ridges=[0.0], n_jobs=1, **({} if has_folds else {"cv": None})).fit(X, y)
    at = int(np.argmin(path.cv_mean_)) if has_folds else len(path.sizes_) - 1
    return path.supports_[at]


def by_abess(task: str, X: Any, y: Any) -> Any:
    """The same of abess, which takes the size of the lowest score."""
    from abess import LinearRegression, LogisticRegression

    loss, _, _, largest, has_folds = TASKS[task]
    kind = LinearRegression if loss == "squared" else LogisticRegression
    options = {"cv": 10} if has_folds else {"ic_type": "aic", "ic_coef": 0.0}
    model = kind(support_size=range(1, largest + 1), thread=1, **options).fit(X, y)
    return np.flatnonzero(np.ravel(model.coef_))


METHODS = {"proxdist": by_us, "abess": by_abess}


def table(rows: list[dict[str, Any]]) -> str:
    """The table, in Markdown."""
    lines = ["| task | ρ | proxdist, s | abess, s | abess / proxdist | features chosen | F of both on all rows |", "|---|--:|--:|--:|--:|--:|--:|"]
    for task in TASKS:
        for correlation in CORRELATIONS:
            here = {row["method"]: row for row in rows if (row["task"], row["correlation"]) == (task, correlation)}
            if len(here) < len(METHODS):
                continue
            ours, theirs = here["proxdist"], here["abess"]
            lines.append(
                f"| {task} | {correlation:g} | {ours['seconds']:.3g} | {theirs['seconds']:.3g} | {theirs['seconds'] / ours['seconds']:.3g} "
                f"| {ours['features']}, {theirs['features']} | {ours['objective']:.6g}, {theirs['objective']:.6g} |"
            )
    return "\n".join(lines)


def main() -> None:
    """Computes what is missing, then prints the table."""
    parser = argparse.ArgumentParser(prog="peers.choosing", description=__doc__)
    parser.add_argument("--rows", type=Path, default=Path("target/choosing.jsonl"))
    asked = parser.parse_args()
    rows = stored(asked.rows)
    done = {(row["task"], row["correlation"], row["method"]) for row in rows}
    for task, (loss, count, columns, _, _) in TASKS.items():
        for correlation in CORRELATIONS:
            X, y = drawn(loss, count, columns, correlation)
            for method, choose in METHODS.items():
                if (task, correlation, method) in done:
                    continue
                times = []
                for _ in range(REPEATS):
                    began = time.process_time()
                    support = choose(task, X, y)
                    times.append(time.process_time() - began)
                row = {"task": task, "correlation": correlation, "method": method, "seconds": min(times), "features": len(support)}
                row["objective"] = objective(X, y, loss, np.sort(support))
                rows.append(row)
                keep(asked.rows, [row])
    print(table(rows))


if __name__ == "__main__":
    main()
