"""Runs the campaign: `python -m campaign --count 100000 --seed 1 --jobs 2 --out campaign.jsonl`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from itertools import islice
from pathlib import Path
from typing import Any

from . import real_files, table
from .run import replayed, verdict_of


def arguments() -> argparse.Namespace:
    """What the campaign is asked."""
    parser = argparse.ArgumentParser(prog="campaign", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="problems, numbered from 0")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other problems")
    parser.add_argument("--seconds", type=float, default=0.0, help="stop after so long, 0 for no limit")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument(
        "--out", type=Path, default=Path("campaign.jsonl"), help="one line a problem; what is there is not repeated"
    )
    parser.add_argument(
        "--replay", metavar="NUMBER", help="one problem, in words: a number, SEED:NUMBER or the name of a real case"
    )
    return parser.parse_args()


def done(path: Path) -> list[dict[str, Any]]:
    """Verdicts of earlier runs; a last line that was cut off is dropped."""
    verdicts = []
    if path.exists():
        for line in path.read_text().splitlines():
            try:
                verdicts.append(json.loads(line))
            except json.JSONDecodeError:
                continue
    return verdicts


def finished(pool: ProcessPoolExecutor, names: list[str], jobs: int, seconds: float) -> Iterator[dict[str, Any]]:
    """Verdicts as they come; a few problems wait for each process, so that a slow one holds up nobody else."""
    started, left, waiting = time.monotonic(), iter(names), set()
    while True:
        is_over = seconds > 0 and time.monotonic() - started > seconds
        for name in islice(left, 0 if is_over else 4 * jobs - len(waiting)):
            waiting.add(pool.submit(verdict_as_json, name))
        if not waiting:
            return
        ready, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        for future in ready:
            yield future.result()


def verdict_as_json(name: str) -> dict[str, Any]:
    """One verdict, in a process of the pool."""
    return verdict_of(name).to_json()


def main() -> int:
    """Runs, prints the table, and says whether all laws hold."""
    asked = arguments()
    if asked.replay:
        print(
            replayed(
                asked.replay if ":" in asked.replay or not asked.replay.isdigit() else f"{asked.seed}:{asked.replay}"
            )
        )
        return 0
    verdicts = done(asked.out)
    names = [*real_files.names(), *(f"{asked.seed}:{number}" for number in range(asked.count))]
    wanted = set(names)
    verdicts = [verdict for verdict in verdicts if verdict["name"] in wanted]
    known = {verdict["name"] for verdict in verdicts}
    missing = [name for name in names if name not in known]
    with asked.out.open("a") as file, ProcessPoolExecutor(asked.jobs) as pool:
        # A line that was cut off must not swallow the next one.
        file.write("\n" if asked.out.stat().st_size and not asked.out.read_text().endswith("\n") else "")
        for verdict in finished(pool, missing, asked.jobs, asked.seconds):
            verdicts.append(verdict)
            file.write(json.dumps(verdict) + "\n")
            file.flush()
            if sys.stderr.isatty():
                print(f"\r{len(verdicts)} of {len(names)}", end="", file=sys.stderr)
    order = {name: place for place, name in enumerate(names)}
    verdicts.sort(key=lambda verdict: order[verdict["name"]])
    counts = table.counted(verdicts)
    print(table.written(counts))
    broken = table.faults(counts)
    for family, number in broken.items():
        print(f"{family}: {number} times a law is broken; worst {counts[family].worst[1]}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
