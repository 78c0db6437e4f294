"""Held-out AUC of a fixed number of features: exact selection with its ridge against L1 of the same size, same splits.

`python -m peers.held_out --rows target/held_out.jsonl` goes on where it was interrupted and prints the table. QSAR oral toxicity, a fifth of the rows held out, classes in
the same shares. The ridge of exact selection is chosen by the default of ``ConstrainedClassifierCV``: five weights, ten folds of the training rows, one standard error. L1 is
scikit-learn's logistic regression on columns scaled by the training rows, with the weakest penalty on a fine grid that leaves at most so many features.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from .instances import _real
from .store import keep, stored

SIZES = (50, 100)
#: Penalties of L1, from one that leaves nothing.
STEPS, RANGE = 60, 1e-2


def _exact(train: Any, test: Any, size: int) -> tuple[float, int, dict[str, Any]]:
    from sklearn.metrics import roc_auc_score

    from proxdist import ConstrainedClassifierCV

    model = ConstrainedClassifierCV(grid={"sparsity": [size]}).fit(*train)
    scores = model.decision_function(test[0])
    return roc_auc_score(test[1], scores), int(np.count_nonzero(model.coef_)), {"ridge": model.best_params_["ridge"]}


def _l1(train: Any, test: Any, size: int) -> tuple[float, int, dict[str, Any]]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.svm import l1_min_c

    (X, y), (Z, z) = train, test
    mean, sd = X.mean(axis=0), X.std(axis=0)
    sd[sd == 0.0] = 1.0
    X, Z = (X - mean) / sd, (Z - mean) / sd
    model = LogisticRegression(
        l1_ratio=1.0, solver="liblinear", warm_start=True, tol=1e-5, max_iter=1000, intercept_scaling=100.0
    )
    best = (0.5, 0, {})
    for c in l1_min_c(X, y, loss="log") * np.geomspace(1.0, 1.0 / RANGE, STEPS):
        count = int(np.count_nonzero(model.set_params(C=c).fit(X, y).coef_))
        if count > size:
            break
        best = (roc_auc_score(z, model.decision_function(Z)), count, {"C": c})
    return best


METHODS = {"proxdist": _exact, "L1": _l1}


def main() -> None:
    """Computes what is missing, then prints the table."""
    from sklearn.model_selection import StratifiedShuffleSplit

    parser = argparse.ArgumentParser(prog="peers.held_out", description=__doc__)
    parser.add_argument("--rows", type=Path, default=Path("target/held_out.jsonl"))
    parser.add_argument("--splits", type=int, default=10)
    asked = parser.parse_args()
    rows = stored(asked.rows)
    done = {(row["split"], row["method"], row["size"]) for row in rows}
    X, y = _real("qsar")
    splits = StratifiedShuffleSplit(n_splits=asked.splits, test_size=0.2, random_state=1).split(X, y)
    for split, (inside, outside) in enumerate(splits):
        train, test = (X[inside], y[inside]), (X[outside], y[outside])
        for method, fit in METHODS.items():
            for size in SIZES:
                if (split, method, size) in done:
                    continue
                began = time.process_time()
                auc, count, more = fit(train, test, size)
                row = {"split": split, "method": method, "size": size, "auc": auc, "features": count} | more
                row["seconds"] = time.process_time() - began
                rows.append(row)
                keep(asked.rows, [row])
                print(row, flush=True)
    print(table(rows))


def table(rows: list[dict[str, Any]]) -> str:
    """Means over the splits that both have, in Markdown."""
    lines = ["| features | splits | proxdist, AUC | L1, AUC | proxdist not lower | difference, mean ± s.e. | proxdist, CPU s | L1, CPU s |", "|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for size in SIZES:
        by = {m: {r["split"]: r for r in rows if (r["method"], r["size"]) == (m, size)} for m in METHODS}
        both = sorted(by["proxdist"].keys() & by["L1"].keys())
        if not both:
            continue
        auc = {m: np.array([by[m][split]["auc"] for split in both]) for m in METHODS}
        seconds = {m: np.mean([by[m][split]["seconds"] for split in both]) for m in METHODS}
        gain = auc["proxdist"] - auc["L1"]
        error = gain.std(ddof=1) / np.sqrt(len(both)) if len(both) > 1 else float("nan")
        lines.append(
            f"| {size} | {len(both)} | {auc['proxdist'].mean():.4f} | {auc['L1'].mean():.4f} | {int(np.sum(gain >= 0))} "
            f"| {gain.mean():.4f} ± {error:.4f} | {seconds['proxdist']:.0f} | {seconds['L1']:.0f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
