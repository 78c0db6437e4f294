"""One method on one instance, in a process of its own: a line of JSON for each size."""

from __future__ import annotations

import json
import sys
import time
import warnings

import numpy as np

from .instances import load
from .methods import METHODS, SEEDED
from .refit import objective


def main(name: str, loss: str, method: str, sizes: tuple[int, ...]) -> None:
    """Chooses features of all sizes and tells F and CPU seconds of each."""
    warnings.simplefilter("ignore")
    choose = (METHODS | SEEDED)[method][0]
    # What is compiled or imported on first use is no part of a method's time.
    draw = np.random.default_rng(0)
    small = np.asfortranarray(draw.normal(size=(40, 6)))
    response = small[:, 0] + 0.5 * draw.normal(size=40)
    X, y = load(name)
    list(choose(small, response if loss == "squared" else (response > 0).astype(float), loss, (2,)))
    if not isinstance(X, np.ndarray):
        from scipy import sparse

        list(choose(sparse.csr_matrix(small), (response > 0).astype(float), loss, (2,)))
    if method.startswith("skglm"):
        # Some of it is compiled when the data first ask for it.
        next(iter(choose(X, y, loss, sizes[:1])))
    is_path = method in ("celer L1", "skglm MCP", "sklearn L1")
    started = time.process_time()
    for size, support in choose(X, y, loss, sizes):
        seconds = time.process_time() - started
        row = {"instance": name, "loss": loss, "method": method, "size": size, "seconds": seconds}
        row |= {"used": len(support), "objective": objective(X, y, loss, support)}
        print(json.dumps(row), flush=True)
        # The refit is nobody's time.
        started = time.process_time() - (seconds if is_path else 0.0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], tuple(int(size) for size in sys.argv[4].split(",")))
