"""The tables of docs/accuracy.md and docs/performance.md, measured anew: `make measured`.

Each table stands between two comments, `<!-- measured: NAME -->` and `<!-- end -->`; what is between them is replaced by what
a run prints, and the words around it stay. Both pages name the commit that was measured. `--only NAME,NAME` measures some of
them and names the commit beside those; `--list` says which there are.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "docs" / "accuracy.md", ROOT / "docs" / "performance.md"]
DATA = Path(os.environ.get("PROXDIST_DATA", ROOT.parent / "shared" / "data"))
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
ONE_THREAD = dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"], "1")

#: Fits of real files: what they are called, and the words behind `proxdist fit`.
FITS = {
    "QSAR oral toxicity (8992 × 1024), logistic, `sparsity:100`, a fifth held out": "{data}/classification/qsar_oral_toxicity.csv.gz --target 1025 --loss logistic -c sparsity:100 --holdout 0.2",
    "census income (32 561 × 123, sparse), logistic, `sparsity:20`": "{data}/classification/a9a.svm.gz --loss logistic -c sparsity:20",
    "farm ads (4143 × 54 877, sparse), logistic, `sparsity:100`": "{data}/classification/farm_ads.svm.gz --loss logistic -c sparsity:100",
    "covertype (581 012 rows, two coded columns as indicators), cover in 7 classes, `rows:20`": "{data}/large/covtype.csv.gz --target cover --categorical wilderness,soil -c rows:20",
    "blog feedback (52 397 × 280), squared, `sparsity:20`": "{data}/large/blogfeedback_train.csv.gz --target y -c sparsity:20",
    "blog feedback, `quantile:0.5`, no constraint": "{data}/large/blogfeedback_train.csv.gz --target y --loss quantile:0.5 -c none",
    "flights (327 346 rows, text columns as indicators), Huber, `sparsity:20`": "{data}/large/flights.csv.gz --target arr_delay --ignore tailnum --loss huber -c sparsity:20",
}

Table = Callable[[argparse.Namespace], str]


def bench(name: str, words: tuple[str, ...] = (), **settings: str) -> str:
    """What a bench of the library prints."""
    command = ["cargo", "bench", "--quiet", "-p", "proxdist", "--bench", name, "--", *words]
    environment = {**os.environ, **ONE_THREAD, **settings}
    return subprocess.run(command, cwd=ROOT, env=environment, check=True, text=True, stdout=subprocess.PIPE).stdout


def accuracy(part: str) -> Table:
    """One part of the bench of accuracy, which prints Markdown."""

    def measured(asked: argparse.Namespace) -> str:
        printed = bench("accuracy", PROXDIST_PARTS=part, PROXDIST_SEEDS=str(asked.seeds))
        return f"Seeds 0 to {asked.seeds * (2 if part == 'correlated' else 1) - 1}.\n\n{printed.strip()}" if part != "growth" else printed

    return measured


def campaign(asked: argparse.Namespace) -> str:
    """Random problems against independent solvers, for as long as is asked."""
    python = TARGET / "venv" / "bin" / "python"
    with tempfile.TemporaryDirectory() as folder:
        words = f"-m campaign --count 100000 --seed {asked.campaign_seed} --seconds {asked.seconds} --out {folder}/rows.jsonl"
        environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": "python"}
        run = subprocess.run([python, *words.split()], cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, check=False)
    if run.returncode not in (0, 1):
        sys.exit("the campaign failed; `make campaign` builds what it needs")
    verdict = "No law is broken." if run.returncode == 0 else "**A law is broken** (last lines)."
    return f"Seed {asked.campaign_seed}, {asked.seconds:g} s of one process with one thread. {verdict}\n\n{run.stdout.strip()}"


def tree(text: str) -> dict[str, str]:
    """Medians of a tree of benches by their path, `logistic_batch_200/10`."""
    medians, path = {}, []
    for line in text.splitlines():
        found = re.match(r"([│ ]*)[├╰]─ (\S+)\s*(.*)", line)
        if not found:
            continue
        depth = len(found[1]) // 3
        path = [*path[:depth], found[2]]
        cells = [cell.strip() for cell in found[3].split("│")]
        if len(cells) > 2 and cells[2]:
            medians["/".join(path)] = cells[2]
    return medians


def rows(head: list[str], body: list[list[str]]) -> str:
    """A table in Markdown, numbers to the right."""
    rule = ["---", *["--:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *body])


def steps(_: argparse.Namespace) -> str:
    """One step of the iteration at several places of a run."""
    medians = tree(bench("steps", ("batch", "--sample-count", "200")))
    names = {
        "linear_batch_50": "linear, b = 50",
        "huber_batch_50": "Huber (δ = 2), b = 50",
        "logistic_batch_200": "logistic, b = 200",
        "logistic_batch_1000": "logistic, b = 1000",
    }
    places = ["1", "10", "100", "1000"]
    body = [[words, *(medians[f"{name}/{place}"] for place in places)] for name, words in names.items()]
    return rows(["step", *(f"k = {place}" for place in places)], body)


def projections(_: argparse.Namespace) -> str:
    """Projections, and Gram matrices through the library and through the matrix crate alone."""
    medians = tree(bench("steps", ("projections",))) | tree(bench("steps", ("gram",)))
    words = {
        "projections/sparsity_of_a_million": "sparsity, p = 10⁶, keep {}",
        "projections/rank_5_of_64_by_64": "rank 5 of 64 × 64, rank 5 and noise {}",
        "projections/rank_5_of_64_by_64_noise_only": "rank 5 of 64 × 64, noise only",
        "gram/through_the_library": "Gram matrix of {} rows of 1000 numbers, through the library",
        "gram/by_the_matrix_crate": "Gram matrix of {} rows of 1000 numbers, by the matrix crate",
    }
    body = []
    for name, text in words.items():
        body += [[text.format(key.rsplit("/", 1)[1]), median] for key, median in medians.items() if key == name or key.startswith(name + "/")]
    return rows(["operation", "median"], body)


def single(_: argparse.Namespace) -> str:
    """One fit with squared loss."""
    found = re.findall(r"(\d+) x (\d+), (\d+) features, (\w+): (\S+) ms, median (\S+)", bench("single"))
    kinds = {"raw": "as they are", "scaled": "scaled while they are read"}
    body = [[f"{n} × {p}, `sparsity:{s}`, columns {kinds[kind]}", best, median] for n, p, s, kind, best, median in found]
    return rows(["fit", "quickest of 20, ms", "median, ms"], body)


def paths(_: argparse.Namespace) -> str:
    """Paths over all sizes."""
    found = re.findall(r"(.+?),? rho (\S+): (\S+) s CPU", bench("paths"))
    return rows(["path", "ρ", "CPU s"], [[name.replace(" x ", " × "), rho, seconds] for name, rho, seconds in found])


def files(_: argparse.Namespace) -> str:
    """The program on real files, reading included."""
    program = TARGET / "release" / "proxdist"
    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "proxdist-cli"], cwd=ROOT, check=True)
    body = []
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "wb") as nowhere:
        for name, words in FITS.items():
            command = [program, "fit", *shlex.split(words.format(data=DATA)), "--threads", "1", "--out", f"{folder}/model.json"]
            process = subprocess.Popen(command, stdout=nowhere, stderr=subprocess.PIPE)
            said = process.stderr.read().decode()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                sys.exit(f"{name}: {said}")
            body.append([name, f"{used.ru_utime + used.ru_stime:.1f} s", f"{used.ru_maxrss * 1.024e-3:.0f} MB"])
    return rows(["fit", "CPU", "memory"], body)


TABLES: dict[str, Table] = {
    "comparison": accuracy("table"),
    "correlated": accuracy("correlated"),
    "race": accuracy("race"),
    "growth": accuracy("growth"),
    "campaign": campaign,
    "steps": steps,
    "projections": projections,
    "single": single,
    "paths": paths,
    "files": files,
}


def machine() -> str:
    """The processor, as the system names it."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return "an unknown processor"


def commit() -> str:
    """What is measured, and whether it differs from what is committed, documents aside."""
    git = lambda *words: subprocess.run(["git", *words], cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True).stdout.strip()  # noqa: E731
    is_changed = git("status", "--porcelain", "--untracked-files=no", "--", "crates", "Cargo.toml", "Cargo.lock", "python/proxdist")
    return f"commit {git('rev-parse', '--short=10', 'HEAD')}{' with changes' if is_changed else ''}"


def replaced(text: str, name: str, found: str) -> str:
    """The page with another table."""
    pattern = re.compile(rf"(<!-- measured: {name} -->\n).*?(\n<!-- end -->)", re.DOTALL)
    text, count = pattern.subn(lambda place: f"{place[1]}\n{found.strip()}\n{place[2]}", text)
    if count != 1:
        sys.exit(f"{count} places for {name}")
    return text


def main() -> None:
    """Measures and writes, table by table, so that what is done is kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(TABLES), help="names of tables, with commas between them")
    parser.add_argument("--list", action="store_true", help="names of all tables")
    parser.add_argument("--seeds", type=int, default=10, help="seeds of each row of the comparison")
    parser.add_argument("--seconds", type=float, default=600.0, help="for the campaign")
    parser.add_argument("--campaign-seed", type=int, default=21)
    asked = parser.parse_args()
    if asked.list:
        sys.exit("\n".join(TABLES))
    for name in asked.only.split(","):
        if name not in TABLES:
            sys.exit(f"no table {name}: there are {', '.join(TABLES)}")
        page = next(page for page in PAGES if f"<!-- measured: {name} -->" in page.read_text(encoding="utf-8"))
        stamp = f"*{commit()}, {datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} virtual cores, {machine()}; one thread.*"
        print(name, flush=True)
        found = TABLES[name](asked)
        page.write_text(replaced(page.read_text(encoding="utf-8"), name, f"{stamp}\n\n{found}"), encoding="utf-8")


if __name__ == "__main__":
    main()
