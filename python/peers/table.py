"""Every effort and three seeds against the lowest F that anybody has found: `make search-table` writes docs/search.md.

One process for each instance, effort and seed, on one thread; rows are kept as they come, so that an interrupted run
goes on where it was. What is lowest of all is kept in `best.json` beside this file, with who found it.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from .__main__ import run
from .instances import REAL, Instance
from .methods import EFFORTS, SEEDED, SEEDS
from .page import machine
from .refit import RIDGE
from .store import keep, stored

BEST = Path(__file__).with_name("best.json")
#: Per cent that F may be above the lowest known.
GOALS = {"normal": 2.0, "thorough": 0.1}
WORDS = """# How far a search gets

F of the choice of features that each effort finds, against the lowest F that is known. `make search-table` makes this page.

Columns are scaled to standard deviation 1; F is the mean loss plus half of {ridge:g} times the squares of the
coefficients, with an intercept, after a refit in NumPy on the chosen features. Three seeds each, one process for each
instance, effort and seed, on one thread ({machine}); times are CPU seconds. The lowest known F is that of any run of
this package or of another one so far (`python/peers/best.json` says which); it is not proven to be the least.

{verdict}

Per cent by which F is above the lowest known, seed by seed where they differ, and CPU seconds of the slowest seed; **0** is the lowest known, up
to rounding.

| instance | s | lowest known F | {efforts} |
|---|---:|---:|{rule}
"""


def sizes_of(one: Instance) -> list[int]:
    """The sizes of the table."""
    return [5, 20, 100] if one.name == "farm_ads" else [5, 20, 50]


def known() -> dict[str, dict[str, Any]]:
    """The lowest F so far by cell, with who found it."""
    return json.loads(BEST.read_text()) if BEST.exists() else {}


def learn(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The same with these rows, written down."""
    best = known()
    for row in rows:
        if "objective" not in row:
            continue
        key = f"{row['instance']} {row['size']}"
        if key not in best or row["objective"] < best[key]["objective"] * (1 - 1e-9):
            best[key] = {"objective": row["objective"], "by": row["method"]}
    BEST.write_text(json.dumps(dict(sorted(best.items())), indent=1) + "\n")
    return best


def above(row: dict[str, Any], best: float) -> float:
    """Per cent above the lowest known; zero up to rounding."""
    share = 100 * (row["objective"] - best) / best
    return 0.0 if share < 1e-4 else share


def cell(rows: list[dict[str, Any]], best: float) -> str:
    """The rows of one effort."""
    if not rows:
        return "–"
    if any("objective" not in row for row in rows):
        return "not in time"
    shares = [above(row, best) for row in rows]
    texts = ["**0**" if share == 0 else f"{share:.2g}" for share in shares]
    words = texts[0] if len(set(texts)) == 1 else " / ".join(texts)
    return f"{words} ({max(row['seconds'] for row in rows):.2g} s)"


def write(page: Path, rows: list[dict[str, Any]], peers: list[dict[str, Any]]) -> None:
    """Writes the page."""
    best = learn(peers + rows)
    latest = {(row["instance"], row["size"], row["method"]): row for row in rows}
    lines, missed, judged = [], [], 0
    for one in REAL:
        for size in sizes_of(one):
            lowest = best.get(f"{one.name} {size}")
            cells = {
                effort: [latest[key] for seed in SEEDS if (key := (one.name, size, f"{effort} {seed}")) in latest]
                for effort in EFFORTS
            }
            if lowest is None or not any(cells.values()):
                continue
            words = " | ".join(cell(cells[effort], lowest["objective"]) for effort in EFFORTS)
            lines.append(f"| {one.name} | {size} | {lowest['objective']:.6g} | {words} |")
            for effort, most in GOALS.items():
                shares = [above(row, lowest["objective"]) for row in cells[effort] if "objective" in row]
                judged += len(shares)
                if shares and max(shares) > most:
                    missed.append(f"- {one.name}, s = {size}, {effort}: {max(shares):.2g} % above")
    every = sum(len(sizes_of(one)) for one in REAL) * len(EFFORTS) * len(SEEDS)
    made = sum("objective" in row for row in latest.values())
    partly = "" if made == every else f"**{made} of {every} runs have been made so far**; a dash is none. "
    goals = " and ".join(f"`{effort}` within {most:g} %" for effort, most in GOALS.items())
    verdict = f"The aim is {goals} in every cell. Of {judged} runs all reach it." if not missed else (
        f"The aim is {goals} in every cell. These do not reach it, by their worst seed:\n\n" + "\n".join(missed)
    )
    text = WORDS.format(
        ridge=RIDGE, machine=machine(), verdict=partly + verdict, efforts=" | ".join(EFFORTS), rule="---|" * len(EFFORTS)
    )
    page.write_text(text.rstrip() + "\n" + "\n".join(lines) + "\n")


def arguments() -> argparse.Namespace:
    """What is asked for."""
    parser = argparse.ArgumentParser(prog="table", description=__doc__)
    parser.add_argument("--rows", type=Path, default=Path("target/search-table.jsonl"))
    parser.add_argument("--peers", type=Path, default=Path("target/peers.jsonl"), help="rows of `make peers`, if any")
    parser.add_argument("--page", type=Path, default=Path("docs/search.md"))
    parser.add_argument("--limit", type=float, default=600.0, help="CPU seconds for a size")
    parser.add_argument("--seconds", type=float, default=0.0, help="start nothing after so long, 0 for no limit")
    parser.add_argument("--only", default="", help="names of instances, with commas between them")
    parser.add_argument("--efforts", default=",".join(EFFORTS))
    parser.add_argument("--seeds", default=",".join(map(str, SEEDS)))
    return parser.parse_args()


def main() -> None:
    """Computes what is missing, then writes the page."""
    asked, started = arguments(), time.monotonic()
    rows = stored(asked.rows)
    done = {(row["instance"], row["method"], row["size"]) for row in rows}
    wanted = [f"{effort} {seed}" for seed in asked.seeds.split(",") for effort in asked.efforts.split(",")]
    for method in wanted:
        if method not in SEEDED:
            raise SystemExit(f"no effort or seed {method}")
        for one in REAL:
            sizes = [size for size in sizes_of(one) if (one.name, method, size) not in done]
            is_late = asked.seconds > 0 and time.monotonic() - started > asked.seconds
            if not sizes or is_late or (asked.only and one.name not in asked.only.split(",")):
                continue
            found = run(one, method, sizes, asked.limit)
            keep(asked.rows, found)
            rows += found
            said = [row.get("failure") or f"{row['objective']:.6g} {row['seconds']:.2f}s" for row in found]
            print(one.name, method, said, flush=True)
    write(asked.page, rows, stored(asked.peers))


if __name__ == "__main__":
    main()
