"""Where the real data and the program are, and some small problems."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def data_folder():
    """Real data; without them a test is skipped, except in continuous integration."""
    folder = Path(os.environ.get("PROXDIST_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"no data in {folder}")
        pytest.skip("skipped: no data")
    return folder


@pytest.fixture(scope="session")
def program_file():
    """The command-line program; `make python` builds it."""
    path = Path(os.environ.get("PROXDIST_PROGRAM", ROOT / "target" / "debug" / "proxdist")).resolve()
    if not path.exists():
        pytest.fail(f"{path} is not there: cargo build -p proxdist-cli")
    return path


@pytest.fixture(scope="session")
def program(program_file):
    """Runs the command-line program and returns what it prints."""

    def run(*words, **options):
        done = subprocess.run([program_file, *map(str, words)], capture_output=True, text=True, check=False, **options)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def fitted_by_program(program, *words):
    """The model that a fit of the program writes, as the JSON object it is."""
    return json.loads(program("fit", *words, "--quiet", "--out", "-"))


def planted(rows=400, columns=30, nonzero=3, seed=0, noise=0.5):
    """A sparse linear model, and data from it."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(rows, columns))
    theta = np.zeros(columns)
    theta[generator.choice(columns, nonzero, replace=False)] = generator.choice([-2.0, 2.0], nonzero)
    eta = X @ theta
    return X, eta + noise * generator.normal(size=rows), theta


def planted_classes(rows=400, columns=30, nonzero=3, seed=0):
    """The same with labels drawn from the logistic model."""
    X, eta, theta = planted(rows, columns, nonzero, seed, noise=0.0)
    chance = 1 / (1 + np.exp(-eta))
    return X, (np.random.default_rng(seed + 1).random(rows) < chance).astype(int), theta
