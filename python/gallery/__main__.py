"""Runs pages of the gallery and says which of them still print what they show."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from .run import FIGURES, ROOT, check, names, workshop, write


def main() -> int:
    """0 if every page runs and prints what it shows."""
    words = argparse.ArgumentParser(prog="python -m gallery", description=__doc__)
    words.add_argument("pages", nargs="*", metavar="PAGE", help="names of pages, all by default")
    words.add_argument("--write", action="store_true", help="put what is printed in the place of what is shown")
    words.add_argument("--program", type=Path, default=ROOT / "target" / "release" / "proxdist")
    words.add_argument(
        "--data", type=Path, default=Path(os.environ.get("PROXDIST_DATA", ROOT.parent / "shared" / "data"))
    )
    said = words.parse_args()
    unknown = sorted(set(said.pages) - set(names()))
    if unknown:
        words.error(f"no page is called {', '.join(unknown)}; there are {', '.join(names())}")
    for path, what in ((said.program, "the program"), (said.data, "the data")):
        if not path.exists():
            words.error(f"{what} should be at {path}")
    failed = 0
    for page in said.pages or names():
        begin = time.perf_counter()
        try:
            with workshop(said.program.resolve(), said.data.resolve()):
                write(page) if said.write else check(page, FIGURES)
            outcome = "ok"
        except Exception as error:  # every page is run, whatever happens to another
            failed += 1
            outcome = f"FAILED: {type(error).__name__}: {error}"
        print(f"{page:<28} {time.perf_counter() - begin:6.1f} s  {outcome}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
