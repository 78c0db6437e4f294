"""The page about all rows: a table, a figure, and where others are better."""

from __future__ import annotations

import math
from importlib import metadata
from pathlib import Path
from typing import Any

from .figure import scatter
from .instances import ALL, SEED, SIMULATED
from .methods import METHODS
from .refit import RIDGE
from .store import stored

#: Relative difference of F that counts as none.
EQUAL = 1e-6
OURS = "proxdist normal"
WORDS = """# Against other packages

How good a choice of features is found, and in what time, by this package and by others. `make peers` makes this page.

Every instance runs in one process for each method, on one thread ({machine}); times are CPU seconds. Columns are scaled
to standard deviation 1. What is compared is F, the mean loss plus half of {ridge:g} times the squares of the
coefficients, with an intercept, after the same refit (Newton's method in NumPy) on the features that a method chose.
Real data are those of the shared folder, simulated designs come from seed {seed}.

| method | what it does |
|---|---|
| proxdist quick, normal, thorough | `ConstrainedRegressor` or `ConstrainedClassifier` with `Sparsity(s)`, `ridge=1e-4` and that `effort` |
| abess, abess path | splicing at one size with default settings; at all sizes up to it with warm starts, all features looked at (`important_search=0`), and `alpha=1e-4` |
| celer L1, sklearn L1 | the L1 path until s features are there, the s largest coefficients (celer has no intercept for classes) |
| skglm MCP | the same with the minimax concave penalty; for classes most of its time is compilation, which it repeats |
| sklearn OMP | orthogonal matching pursuit, squared loss only |

{versions}
"""
TABLE = """
## F and time

Per cent by which F is above the lowest of the row, and CPU seconds; **0** is the lowest, up to rounding. A dash is a
method that is not for this loss or was not run.
"""


def versions() -> str:
    """Which versions were compared."""
    names = ("abess", "celer", "skglm", "scikit-learn", "cvxpy", "numpy")
    from proxdist import __version__

    return (
        "Versions: "
        + ", ".join([f"proxdist {__version__}", *(f"{name} {metadata.version(name)}" for name in names)])
        + "."
    )


def machine() -> str:
    """The processor, in words."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{len(models)} virtual cores, {models[0]}, shared with other work" if models else "unknown machine"


def excess(row: dict[str, Any], lowest: float) -> float:
    """By how much F is above the lowest, in per cent; zero up to rounding."""
    above = (row["objective"] - lowest) / abs(lowest)
    return 0.0 if above < EQUAL else 100.0 * above


def _number(value: float) -> str:
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}" if value >= 0.01 else f"{value:.1g}"


def _cell(row: dict[str, Any] | None, lowest: float) -> str:
    if row is None:
        return "–"
    if "failure" in row:
        return row["failure"].split(":")[0]
    above = excess(row, lowest)
    text = "**0**" if above == 0 else _number(above)
    return f"{text} ({_number(row['seconds'])} s)"


def judged(rows: list[dict[str, Any]], method: str) -> tuple[int, int, int, float] | None:
    """Against one method: rows in which our F is lower, the same and higher, and the geometric mean of its time beside ours."""
    latest = {(row["instance"], row["size"], row["method"]): row for row in rows if "objective" in row}
    pairs = [(latest.get((*key[:2], OURS)), row) for key, row in latest.items() if key[2] == method]
    pairs = [(mine, theirs) for mine, theirs in pairs if mine is not None]
    if not pairs:
        return None
    gaps = [(mine["objective"] - theirs["objective"]) / abs(theirs["objective"]) for mine, theirs in pairs]
    times = [math.log(max(theirs["seconds"], 1e-3) / max(mine["seconds"], 1e-3)) for mine, theirs in pairs]
    lower, higher = sum(gap < -EQUAL for gap in gaps), sum(gap > EQUAL for gap in gaps)
    return lower, len(gaps) - lower - higher, higher, math.exp(sum(times) / len(times))


def summary(rows: list[dict[str, Any]], folder: Path) -> str:
    """One line for each other package: what it is asked, who has the lower F, and whose time is how much longer."""
    lines = ["| against | job | our F lower / same / higher | its time beside ours |", "|---|---|---|---|"]
    for method in METHODS:
        found = None if method.startswith("proxdist") else judged(rows, method)
        if found is not None:
            lower, same, higher, ratio = found
            lines.append(f"| {method} | the best s features | {lower} / {same} / {higher} | {_number(ratio)} × |")
    for name, key, other in (("choosing", "task", "abess"), ("convex", "problem", "cvxpy")):
        pairs = _pairs(stored(folder / f"{name}.jsonl"), key, other)
        if pairs:
            gaps = [(mine["objective"] - theirs["objective"]) / abs(theirs["objective"]) for mine, theirs in pairs]
            ratios = sorted(theirs["seconds"] / mine["seconds"] for mine, theirs in pairs)
            lower, higher = sum(gap < -EQUAL for gap in gaps), sum(gap > EQUAL for gap in gaps)
            job = "how many features: cross-validation, paths" if name == "choosing" else "convex sets"
            span = f"{_number(ratios[0])} to {_number(ratios[-1])} ×"
            lines.append(f"| {other} | {job} | {lower} / {len(gaps) - lower - higher} / {higher} | {span} |")
    return "\n".join(lines)


def _pairs(rows: list[dict[str, Any]], key: str, other: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    by = {(row[key], row.get("correlation"), row["method"]): row for row in rows}
    keys = {place[:2] for place in by}
    return [(by[(*at, "proxdist")], by[(*at, other)]) for at in sorted(keys, key=str) if (*at, "proxdist") in by and (*at, other) in by]


def in_readme(readme: Path, text: str) -> None:
    """Puts the lines about other packages in their place in the README."""
    before, rest = readme.read_text().split("<!-- peers -->\n", 1)
    after = rest.split("<!-- end -->", 1)[1]
    readme.write_text(f"{before}<!-- peers -->\n{text}\n<!-- end -->{after}")


def _more(folder: Path) -> str:
    """The other comparisons, as far as they were made."""
    from . import choosing, convex, held_out

    text = ""
    for heading, module, words in (
        ("How many features", choosing, "Sizes 1 to 20 with ten folds at n = 2000, p = 500, and sizes 1 to 50 at n = 10 000, p = 1000; see `python/peers/choosing.py`."),
        ("Held-out rows", held_out, "QSAR oral toxicity, ten splits: AUC on the fifth of the rows that was kept out. The ridge of exact selection is chosen by folds of the other rows, all by default; L1 has the weakest penalty that leaves so many features. See `python/peers/held_out.py`."),
        ("Convex sets", convex, "The quickest of three repetitions; see `python/peers/convex.py`."),
    ):
        rows = stored(folder / f"{module.__name__.rsplit('.', 1)[1]}.jsonl")
        if rows:
            text += f"\n## {heading}\n\n{words}\n\n{module.table(rows)}\n"
    return text


def write(page: Path, rows: list[dict[str, Any]], folder: Path) -> None:
    """Writes the page, its figure beside it and the lines in the README; rows of other comparisons are in files of the folder."""
    latest = {(row["instance"], row["size"], row["method"]): row for row in rows}
    methods = [method for method in METHODS if any(key[2] == method for key in latest)]
    lines = ["| instance | s | lowest F | " + " | ".join(methods) + " |", "|---|---:|---:|" + "---|" * len(methods)]
    points: dict[str, list[tuple[float, float]]] = {method: [] for method in methods}
    behind: list[str] = []
    ahead = equal = 0
    for one in ALL:
        for size in one.sizes:
            here = {method: latest.get((one.name, size, method)) for method in methods}
            measured = {method: row for method, row in here.items() if row and "objective" in row}
            if not measured:
                continue
            lowest = min(row["objective"] for row in measured.values())
            for method, row in measured.items():
                points[method].append((max(row["seconds"], 1e-3), excess(row, lowest)))
            kind = "simulated" if one in SIMULATED else "real"
            cells = " | ".join(_cell(here[method], lowest) for method in methods)
            lines.append(f"| {one.name} ({kind}, {one.loss}) | {size} | {lowest:.6g} | {cells} |")
            mine = measured.get(OURS)
            others = {m: row for m, row in measured.items() if not m.startswith("proxdist")}
            if mine is None or not others:
                continue
            best = min(others, key=lambda method: others[method]["objective"])
            gap = (mine["objective"] - others[best]["objective"]) / abs(others[best]["objective"])
            if gap > EQUAL:
                behind.append(f"- {one.name}, s = {size}: {best} is {_number(100 * gap)} % lower")
            elif gap < -EQUAL:
                ahead += 1
            else:
                equal += 1
    total = ahead + equal + len(behind)
    text = WORDS.format(machine=machine(), ridge=RIDGE, seed=SEED, versions=versions())
    text += f"""
Of {total} rows, {OURS} has a lower F than every other package in {ahead}, the same as the best of them in {equal}, and a
higher one in {len(behind)}{":" if behind else "."}
"""
    text += "\n" + "\n".join(behind) + "\n" if behind else ""
    figure = page.with_name("benchmarks.svg")
    text += f"\n![Excess of F over the lowest against CPU seconds]({figure.name})\n"
    text += TABLE + "\n" + "\n".join(lines) + "\n"
    text += _more(folder)
    page.write_text(text)
    short = summary(rows, folder)
    in_readme(page.parent.parent / "README.md", short)
    figure.write_text(scatter(points))
