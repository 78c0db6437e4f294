"""Prints a table for each check; exit 1 if one of them fails. ``--only`` names the checks to run."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
from typing import Any

import dask
import numpy as np
from distributed import Client, LocalCluster

import proxdist
import proxdist.dask as spread

from .data import partitions

CHECKS = ("kill", "memory", "overhead")


def cluster(memory: str = "auto") -> LocalCluster:
    """Two worker processes of one thread each."""
    options: dict[str, Any] = {"dashboard_address": None, "silence_logs": 50, "memory_limit": memory}
    return LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **options)


def timed(work: Any) -> tuple[Any, float]:
    """A result, and the seconds it took."""
    began = time.perf_counter()
    result = work()
    return result, time.perf_counter() - began


def kills(times: int, rows: int) -> bool:
    """SIGKILL of a worker at random times during a fit: every fit ends with the same bits."""
    print(f"\nA worker is killed at a random time during a fit, {times} times")
    print(f"8 partitions of {rows} x 100, logistic, sparsity:5; the driver sees a small sample of the rows only\n")
    print("| fit | killed after s | seconds | same result |\n|---|---|---|---|")
    generator, passed = np.random.default_rng(0), True
    memory = 32 * rows * 100
    X, y = partitions(8, rows, 100, is_classes=True)

    def fit() -> Any:
        return spread.ConstrainedClassifier(constraint="sparsity:5", memory=memory).fit(X, y)

    with cluster() as workers, Client(workers):
        fit()
        expected, usual = timed(fit)
    print(f"| undisturbed | | {usual:.1f} | |")
    for number in range(times):
        # Other workers for each fit: Dask does not always start a killed one again.
        with cluster() as workers, Client(workers):
            after = float(generator.uniform(0.05, 0.95) * usual)
            killed: list[int] = []

            def kill(killed: list[int] = killed) -> None:
                worker = workers.workers[int(generator.integers(2))]
                killed.append(worker.pid)
                os.kill(worker.pid, signal.SIGKILL)

            timer = threading.Timer(after, kill)
            timer.start()
            found, seconds = timed(fit)
            was_early = not killed
            timer.join()
            same = found.coef_.tobytes() == expected.coef_.tobytes()
            passed &= same
            note = " (after the end)" if was_early else ""
            print(f"| {number + 1} | {after:.1f}{note} | {seconds:.1f} | {'yes' if same else 'NO'} |", flush=True)
    return passed


def memory(rows: int, limit: str) -> bool:
    """Twenty partitions that two workers cannot hold."""
    columns, count = 200, 20
    print(f"\n{rows} x {columns} in {count} partitions ({rows * columns * 8 / 2**30:.1f} GiB)")
    print(f"Two workers with {limit} of memory each; partitions are computed again for every reading\n")
    print("| loss | seconds | readings | largest worker | features |\n|---|---|---|---|---|")
    passed = True
    for loss, kind in (("squared", spread.ConstrainedRegressor), ("logistic", spread.ConstrainedClassifier)):
        with cluster(limit) as workers, Client(workers) as client:
            X, y = partitions(count, rows // count, columns, is_classes=loss == "logistic")
            model = kind(loss, constraint="sparsity:5")
            _, seconds = timed(lambda model=model, X=X, y=y: model.fit(X, y))
            peak = max(client.run(_peak).values())
            support = model.support_.tolist()
            passed &= support == [3, 17, 31, 42, 57]
            readings = _readings(model)
            print(f"| {loss} | {seconds:.0f} | {readings} | {peak / 2**30:.2f} GiB | {support} |", flush=True)
    return passed


def _peak() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _readings(model: Any) -> int:
    trace = model._results[0]["trace"]
    steps = [step for phase, step in zip(trace["phase"], trace["step"], strict=True) if phase == "reading"]
    return int(max(steps, default=0))


def overhead(rows: int) -> bool:
    """The same fit here and on two workers, on data that fit in memory."""
    columns, count = 100, 8
    print(f"\n{rows} x {columns}: this process with two threads; two workers that hold {count} partitions\n")
    print("| fit | local s | Dask s | ratio | difference |\n|---|---|---|---|---|")
    passed = True
    (workers, client), start = timed(_started)
    with workers, client:
        for loss, constraint in (
            ("squared", "sparsity:5"),
            ("logistic", "sparsity:5"),
            ("huber", "sparsity:5"),
            ("logistic", "ball:1"),
            ("squared", "nonneg"),
        ):
            X, y = partitions(count, rows // count, columns, is_classes=loss == "logistic")
            held = dask.persist(*X, *y)
            X, y = list(held[:count]), list(held[count:])
            here, there = (np.concatenate(dask.compute(*pieces)) for pieces in (X, y))
            name = "ConstrainedClassifier" if loss == "logistic" else "ConstrainedRegressor"
            expected, local = timed(lambda: getattr(proxdist, name)(loss, constraint).fit(here, there))  # noqa: B023
            getattr(spread, name)(loss, constraint, max_steps=10).fit(X, y)
            found, away = timed(lambda: getattr(spread, name)(loss, constraint).fit(X, y))  # noqa: B023
            difference = float(np.abs(found.coef_ - expected.coef_).max() / max(1.0, np.abs(expected.coef_).max()))
            passed &= difference < 1e-8
            times = f"{local:.2f} | {away:.2f} | {away / local:.2f}"
            print(f"| {loss}, {constraint} | {times} | {difference:.0e} |", flush=True)
    print(f"\nStarting the workers took {start:.1f} s.")
    return passed


def _started() -> tuple[Any, Any]:
    workers = cluster()
    client = Client(workers)
    client.wait_for_workers(2)
    return workers, client


def main() -> int:
    """Runs the checks that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m distributed_check", description=__doc__)
    parser.add_argument("--only", choices=CHECKS, action="append", help="a check to run; all by default")
    parser.add_argument("--kills", type=int, default=10, help="fits during which a worker is killed")
    parser.add_argument(
        "--kill-rows", type=int, default=50_000, help="rows of each of the eight partitions in that check"
    )
    parser.add_argument("--rows", type=int, default=5_000_000, help="rows that do not fit in the workers' memory")
    parser.add_argument("--limit", default="1.5GB", help="memory of each worker in that check")
    parser.add_argument("--local-rows", type=int, default=400_000, help="rows of the comparison with a local fit")
    asked = parser.parse_args()
    wanted = asked.only or CHECKS
    passed = True
    if "kill" in wanted:
        passed &= kills(asked.kills, asked.kill_rows)
    if "memory" in wanted:
        passed &= memory(asked.rows, asked.limit)
    if "overhead" in wanted:
        passed &= overhead(asked.local_rows)
    print("\nall as promised" if passed else "\nFAILED")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
