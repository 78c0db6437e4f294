"""Prints the table of docs/inference.md."""

from __future__ import annotations

import argparse

from intervals import coverage

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--repeats", type=int, default=1000)
options = parser.parse_args()
kinds = ("given", "given, robust", "chosen", "split")
print("| data | features given | given, HC1 | chosen on the same rows | split |\n|---|---|---|---|---|", flush=True)
for loss in ("squared", "uneven", "logistic", "poisson"):
    found = coverage(loss, options.repeats)
    print(f"| {loss} | {' | '.join(f'{100 * found[kind][0]:.1f} %' for kind in kinds)} |", flush=True)
