"""Several outputs beside their peers, from `python/`.

`OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 RAYON_NUM_THREADS=1 python -m peers.outputs --data FOLDER`

Digits and zipcode with 20 pixels that all classes share, beside L1 multinomial regression of as many pixels
(scikit-learn's saga, the penalty by bisection); rank 3 on zipcode; reduced-rank regression beside its closed form in
numpy; softmax of 10 000 x 1000. One thread, CPU seconds, fixed seeds. The table is printed as Markdown.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from proxdist import ConstrainedClassifier, ConstrainedRegressor, Rank, Rows

PIXELS = 20
RIDGE = 1e-3


def timed(work: Any) -> tuple[Any, float]:
    """What a call returns, and its CPU seconds."""
    begun = time.process_time()
    result = work()
    return result, time.process_time() - begun


def l1_of_size(X: Any, y: Any, size: int) -> tuple[Any, float]:
    """L1 multinomial regression that uses ``size`` pixels or the nearest number below, and the seconds of that fit."""
    low, high, best = 1e-4, 10.0, None
    for _ in range(14):
        C = float(np.sqrt(low * high))
        model = LogisticRegression(l1_ratio=1.0, solver="saga", C=C, tol=1e-3, max_iter=300, random_state=0)
        _, seconds = timed(lambda model=model: model.fit(X, y))
        used = int((model.coef_ != 0).any(axis=0).sum())
        if used <= size:
            low = C
            if best is None or used >= best[0]:
                best = (used, model, seconds)
        else:
            high = C
        if used == size:
            break
    return best[1], best[2]


def split_of(X: Any, y: Any, seed: int) -> Any:
    """Scaled rows to fit to and rows to score on."""
    train, test, a, b = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
    return scaled(train, test, a, b)


def scaled(train: Any, test: Any, a: Any, b: Any) -> Any:
    """Columns that vary, scaled by the rows to fit to."""
    kept = train.std(axis=0) > 0
    scaler = StandardScaler().fit(train[:, kept])
    return scaler.transform(train[:, kept]), scaler.transform(test[:, kept]), a, b


def scores(model: Any, X: Any, y: Any) -> str:
    """Accuracy and log loss on rows that were held out."""
    return f"{model.score(X, y):.3f} | {log_loss(y, model.predict_proba(X), labels=model.classes_):.3f}"


def pixels(name: str, parts: Any) -> None:
    """Ours and L1 with as many pixels, on one split."""
    train, test, a, b = parts
    ours, seconds = timed(lambda: ConstrainedClassifier(constraint=Rows(PIXELS), ridge=RIDGE, n_jobs=1).fit(train, a))
    label, used = f"ours, `rows:{PIXELS}`, ridge {RIDGE}", len(ours.support_)
    print(f"| {name} | {label} | {used} | {scores(ours, test, b)} | {seconds:.2f} |")
    peer, seconds = l1_of_size(train, a, PIXELS)
    used = int((peer.coef_ != 0).any(axis=0).sum())
    print(f"| {name} | L1 multinomial (saga) | {used} | {scores(peer, test, b)} | {seconds:.2f} |", flush=True)


def zipcode(folder: Path) -> Any:
    """The training and test rows of zipcode."""
    places = [folder / "matrix" / f"zipcode_{part}.csv.gz" for part in ("train", "test")]
    parts = [np.loadtxt(place, delimiter=",", skiprows=1) for place in places]
    header = np.genfromtxt(places[0], delimiter=",", max_rows=1, dtype=str).tolist()
    place = header.index("digit")
    rest = [j for j in range(len(header)) if j != place]
    (train, test) = parts
    return scaled(train[:, rest], test[:, rest], train[:, place].astype(int), test[:, place].astype(int))


def reduced_rank() -> None:
    """The closed form of reduced-rank regression in numpy, and ours."""
    generator = np.random.default_rng(0)
    n, p, K, rank = 10_000, 200, 50, 5
    X = generator.normal(size=(n, p))
    Y = X @ generator.normal(size=(p, rank)) @ generator.normal(size=(rank, K)) / 5 + generator.normal(size=(n, K))

    def closed() -> tuple[Any, Any]:
        means, centre = X.mean(axis=0), Y.mean(axis=0)
        A, B = X - means, Y - centre
        full = np.linalg.solve(A.T @ A, A.T @ B)
        _, vectors = np.linalg.eigh(full.T @ (A.T @ B))
        top = vectors[:, -rank:]
        coef = full @ top @ top.T
        return coef, centre - means @ coef

    ours, own = timed(lambda: ConstrainedRegressor(constraint=Rank(rank), n_jobs=1).fit(X, Y))
    (coef, intercept), peer = timed(closed)
    value = 0.5 * ((X @ coef + intercept - Y) ** 2).sum(axis=1).mean()
    print(
        f"| reduced rank, n = {n}, p = {p}, K = {K}, rank {rank} | ours {own:.2f} s, numpy {peer:.2f} s | "
        f"F differs by {abs(ours.objective_ - value) / value:.1e} |"
    )


def large_softmax() -> None:
    """Softmax with 20 of 1000 features."""
    generator = np.random.default_rng(0)
    n, p, K = 10_000, 1_000, 10
    X = generator.normal(size=(n, p))
    truth = np.zeros((p, K))
    chosen = generator.choice(p, 20, replace=False)
    truth[chosen] = 0.7 * generator.normal(size=(20, K))
    y = (X @ truth + generator.gumbel(size=(n, K))).argmax(axis=1)
    ours, seconds = timed(lambda: ConstrainedClassifier(constraint=Rows(20), ridge=RIDGE, n_jobs=1).fit(X, y))
    found = len(set(ours.support_) & set(chosen))
    print(f"| softmax, n = {n}, p = {p}, K = {K}, `rows:20` | ours {seconds:.2f} s | {found} of 20 true features |")


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(prog="peers.outputs", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds matrix/zipcode_train.csv.gz")
    folder = parser.parse_args().data
    warnings.simplefilter("ignore")
    print("| data | method | pixels | accuracy | log loss | CPU seconds |\n|---|---|---|---|---|---|")
    X, y = load_digits(return_X_y=True)
    for seed in range(3):
        pixels(f"digits, split {seed}", split_of(X, y, seed))
    parts = zipcode(folder)
    pixels("zipcode", parts)
    train, test, a, b = parts
    model, seconds = timed(lambda: ConstrainedClassifier(constraint=Rank(3), ridge=RIDGE, n_jobs=1).fit(train, a))
    print(f"| zipcode | ours, `rank:3`, ridge {RIDGE} | {train.shape[1]} | {scores(model, test, b)} | {seconds:.2f} |")
    print("\n| problem | CPU seconds | result |\n|---|---|---|")
    reduced_rank()
    large_softmax()


if __name__ == "__main__":
    main()
