"""Runs the comparison and writes the page: `python -m peers --rows target/peers.jsonl --page docs/benchmarks.md`."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from .instances import ALL, Instance
from .methods import METHODS
from .store import keep, stored

ONE = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS"), "1"
)


def arguments() -> argparse.Namespace:
    """What is asked for."""
    parser = argparse.ArgumentParser(prog="peers", description=__doc__)
    parser.add_argument("--rows", type=Path, default=Path("target/peers.jsonl"), help="what is there is not repeated")
    parser.add_argument("--page", type=Path, default=Path("docs/benchmarks.md"))
    parser.add_argument("--limit", type=float, default=120.0, help="CPU seconds for a size")
    parser.add_argument("--seconds", type=float, default=0.0, help="start nothing after so long, 0 for no limit")
    parser.add_argument("--thorough", action="store_true", help="the thorough effort of this package, too")
    parser.add_argument("--only", default="", help="names of instances, with commas between them")
    parser.add_argument("--method", default="", help="one method alone")
    parser.add_argument("--write", action="store_true", help="only write the page")
    return parser.parse_args()


def run(one: Instance, method: str, sizes: list[int], limit: float) -> list[dict[str, Any]]:
    """The rows of one process; sizes that it does not reach in time are marked."""
    words = [sys.executable, "-m", "peers.worker", one.name, one.loss, method, ",".join(map(str, sizes))]
    environment = {**os.environ, **ONE}
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    rows: list[dict[str, Any]] = []
    latest = [_cpu(process.pid), False]

    def watch() -> None:
        while process.poll() is None:
            time.sleep(0.5)
            if _cpu(process.pid) - latest[0] > limit + LOADING:
                latest[1] = True
                process.kill()

    errors: list[str] = []
    reader = threading.Thread(target=lambda: errors.append(process.stderr.read()), daemon=True)
    reader.start()
    threading.Thread(target=watch, daemon=True).start()
    for line in process.stdout:
        rows.append(json.loads(line))
        latest[0] = _cpu(process.pid)
    process.wait()
    reader.join()
    reason = f"over {limit:g} s" if latest[1] else "failed: " + (errors[0].strip().splitlines() or ["?"])[-1][:200]
    done = {row["size"] for row in rows}
    base = {"instance": one.name, "loss": one.loss, "method": method}
    return rows + [base | {"size": size, "failure": reason} for size in sizes if size not in done]


#: Seconds for loading data and compiling, before the first size.
LOADING = 60.0


def _cpu(pid: int) -> float:
    """CPU seconds of a process so far."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Computes what is missing, then writes the page."""
    asked = arguments()
    started = time.monotonic()
    rows = stored(asked.rows)
    done = {(row["instance"], row["method"], row["size"]) for row in rows}
    # Those that compile for a minute in every process come last.
    pairs = sorted(((one, method) for one in ALL for method in METHODS), key=lambda pair: "skglm" in pair[1])
    for one, method in [] if asked.write else pairs:
        is_wanted = METHODS[method][1] in (None, one.loss) and (asked.thorough or method != "proxdist thorough")
        sizes = [size for size in one.sizes if (one.name, method, size) not in done]
        is_late = asked.seconds > 0 and time.monotonic() - started > asked.seconds
        is_asked = not asked.only or one.name in asked.only.split(",")
        is_asked = is_asked and asked.method in ("", method)
        if not is_wanted or not sizes or not is_asked or is_late:
            continue
        found = run(one, method, sizes, asked.limit)
        keep(asked.rows, found)
        rows += found
        print(one.name, method, [row.get("failure") or f"{row['seconds']:.2f}s" for row in found], flush=True)
    from .page import write

    write(asked.page, rows, asked.rows.parent)


if __name__ == "__main__":
    main()
