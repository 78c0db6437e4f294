"""The instances: real data of the shared folder and simulated designs that separate methods, columns scaled to sd 1."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("PROXDIST_DATA", ROOT.parent / "shared" / "data"))
SEED = 1


class Instance(NamedTuple):
    """A problem: where it is from, which loss, and the sizes that are sensible."""

    name: str
    loss: str
    sizes: tuple[int, ...]


SMALL, LARGE = (5, 20, 50), (5, 20, 50, 100)
REAL = [
    Instance("riboflavin", "squared", SMALL),
    Instance("gasoline", "squared", SMALL),
    Instance("meatspec", "squared", SMALL),
    Instance("colon", "logistic", SMALL),
    Instance("leukemia", "logistic", SMALL),
    Instance("madelon", "logistic", LARGE),
    Instance("a9a", "logistic", LARGE),
    Instance("w8a", "logistic", LARGE),
    Instance("qsar", "logistic", LARGE),
    Instance("blog", "squared", LARGE),
    Instance("farm_ads", "logistic", LARGE),
]
SIMULATED = [
    Instance("correlated", "squared", (5, 20)),
    Instance("factor model", "squared", (5, 20)),
    Instance("heavy-tailed", "squared", (5, 20)),
    Instance("wide", "squared", (5, 20)),
    Instance("faint", "squared", (5, 20)),
    Instance("binary", "logistic", (5, 20)),
]
ALL = SIMULATED + REAL


def load(name: str) -> tuple[Any, Any]:
    """Columns of standard deviation 1 without constant ones, and the response; classes are 0 and 1."""
    X, y = _simulated(name) if any(name == one.name for one in SIMULATED) else _real(name)
    if sparse.issparse(X):
        X = X.tocsc()
        mean = np.asarray(X.mean(axis=0)).ravel()
        sd = np.sqrt(np.maximum(np.asarray(X.multiply(X).mean(axis=0)).ravel() - mean**2, 0.0))
        X = X[:, sd > 1e-12] @ sparse.diags_array(1.0 / sd[sd > 1e-12])
        return X.tocsr(), y
    sd = X.std(axis=0)
    kept = sd > 1e-12 * (1.0 + np.abs(X).max(axis=0))
    X = X[:, kept]
    return np.asfortranarray((X - X.mean(axis=0)) / sd[kept]), y


def _real(name: str) -> tuple[Any, Any]:
    import pandas
    from sklearn.datasets import load_svmlight_file

    if name in ("a9a", "w8a", "farm_ads"):
        X, y = load_svmlight_file(str(DATA / "classification" / f"{name}.svm.gz"))
        return X, (y > 0).astype(float)
    if name == "qsar":
        frame = pandas.read_csv(DATA / "classification" / "qsar_oral_toxicity.csv.gz", sep=";", header=None)
        return frame.iloc[:, :-1].to_numpy(float), (frame.iloc[:, -1] == "positive").to_numpy(float)
    places = {
        "riboflavin": ("classic/riboflavin.csv.gz", "y"),
        "gasoline": ("classic/gasoline.csv.gz", "octane"),
        "meatspec": ("classic/meatspec.csv.gz", "fat"),
        "colon": ("classification/colon.csv.gz", "y"),
        "leukemia": ("classification/leukemia.csv.gz", "y"),
        "madelon": ("classification/madelon.csv.gz", "y"),
        "blog": ("large/blogfeedback_train.csv.gz", "y"),
    }
    file, target = places[name]
    frame = pandas.read_csv(DATA / file)
    y = frame.pop(target).to_numpy(float)
    frame = frame.drop(columns=["train"], errors="ignore")
    return frame.to_numpy(float), (y > 0).astype(float) if "classification" in file else y


def _simulated(name: str) -> tuple[Any, Any]:
    """Designs on which methods differ, each from the same seed."""
    draw = np.random.default_rng(SEED)
    n, p, true, noise = {
        "correlated": (500, 1000, 20, 1.0),
        "factor model": (300, 1000, 20, 1.0),
        "heavy-tailed": (500, 500, 20, 1.0),
        "wide": (100, 5000, 10, 1.0),
        "faint": (300, 300, 20, 6.0),
        "binary": (1000, 500, 20, 0.0),
    }[name]
    X = draw.normal(size=(n, p))
    if name == "correlated":
        for j in range(1, p):
            X[:, j] = 0.9 * X[:, j - 1] + np.sqrt(1 - 0.81) * X[:, j]
    elif name == "factor model":
        X += 2.0 * draw.normal(size=(n, 5)) @ draw.normal(size=(5, p))
    elif name == "heavy-tailed":
        X = draw.standard_t(2.5, size=(n, p))
    elif name == "binary":
        X = (X + draw.normal(size=(n, 1)) > 1.0).astype(float)
    beta = np.zeros(p)
    beta[draw.choice(p, true, replace=False)] = draw.choice([-1.0, 1.0], true)
    eta = X @ beta
    if name == "binary":
        return X, (draw.random(n) < 1 / (1 + np.exp(-2 * (eta - eta.mean())))).astype(float)
    return X, eta + noise * draw.normal(size=n)
