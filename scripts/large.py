"""Fits of data larger than the memory, measured: `make large`.

A linear model with ten features that matter is written as 500 000 x 1000 numbers (4 GB) and in other formats, and fitted under a memory limit of
1.2 GB. The limit is that of a control group of its own (version 2 or 1, whichever can be written); where there is none, the script says so and
measures without. Files are removed afterwards. Nothing but Python and the program is needed; root, to drop the page cache and
to make a control group.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

LIMIT = 1_200_000_000


class Limit:
    """A control group with a memory limit that commands can be run in."""

    def __init__(self):
        self.group, self.how = None, "no control group could be made: there is no limit but --memory"
        places = [("/sys/fs/cgroup", "memory.max"), ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")]
        for root, name in places:
            group = pathlib.Path(root, f"proxdist-large-{os.getpid()}")
            try:
                group.mkdir()
            except OSError:
                continue
            try:
                # Where another version is mounted, this is an ordinary folder.
                if not (group / "cgroup.procs").exists():
                    raise OSError
                (group / name).write_text(str(LIMIT))
                self.group, self.how = group, f"control group {group}, {name} = {LIMIT}"
                return
            except OSError:
                group.rmdir()

    def enter(self):
        if self.group:
            (self.group / "cgroup.procs").write_text(str(os.getpid()))

    def kills(self):
        """How often the system has killed something in the group."""
        for name in ["memory.events", "memory.oom_control"]:
            with contextlib.suppress(OSError):
                lines = (self.group / name).read_text().split("\n")
                return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))
        return None

    def close(self):
        if self.group:
            for _ in range(50):
                with contextlib.suppress(OSError):
                    return self.group.rmdir()
                time.sleep(0.1)


def drop_caches():
    os.sync()
    with contextlib.suppress(OSError):
        pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")
        return True
    return False


def run(words, limit=None, stdin=None, stdout=subprocess.PIPE):
    """Output, seconds, processor seconds and the largest resident memory of a command."""
    started = time.monotonic()
    process = subprocess.Popen(
        [str(word) for word in words],
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        preexec_fn=limit.enter if limit else None,
    )
    out, err = process.communicate()
    seconds = time.monotonic() - started
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\nended with {process.returncode}:\n{err.decode()}")
    return (out or b"").decode(), seconds


def fit(program, data, limit, *options):
    """The fit of a file as JSON, with the seconds that all of it took."""
    drop_caches()
    words = [program, "fit", data, "--constraint", "sparsity:10", "--json", "--quiet", *options]
    text, seconds = run(words, limit)
    found = json.loads(text)
    found["all_seconds"] = seconds
    return found


def difference(one, other):
    """The largest difference of two lists of coefficients, relative to the largest coefficient."""
    first = {entry["name"]: entry["value"] for entry in one["coefficients"]}
    second = {entry["name"]: entry["value"] for entry in other["coefficients"]}
    largest = max(abs(value) for value in second.values())
    return max(abs(first.get(name, 0.0) - second.get(name, 0.0)) for name in first | second) / largest


def cold_read(path, limit):
    """Seconds to read a file once, its pages not in memory."""
    drop_caches()
    return run(["dd", f"if={path}", "of=/dev/null", "bs=4M"], limit)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--columns", type=int, default=1000)
    parser.add_argument("--predict-rows", type=int, default=10_000_000)
    parser.add_argument("--program", default="target/release/proxdist")
    parser.add_argument("--writer", default="target/release/examples/large_files")
    parser.add_argument("--folder", help="where the files go; under $TMPDIR or target/ otherwise")
    args = parser.parse_args()
    place = args.folder or os.environ.get("TMPDIR") or "target"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="large-", dir=place))
    limit = Limit()
    print(f"limit: {limit.how}")
    print(f"page cache dropped before each measurement: {'yes' if drop_caches() else 'no (not root)'}")
    try:
        measure(args, folder, limit)
        kills = limit.kills()
        if kills is not None:
            print(f"processes killed for lack of memory: {kills}")
    finally:
        limit.close()
        shutil.rmtree(folder, ignore_errors=True)


def measure(args, folder, limit):
    program, rows, columns = args.program, args.rows, args.columns
    size = rows * columns * 8 / 1e9

    def write(kind, name, count, *more):
        run([args.writer, kind, folder / name, count, columns, *more])
        return folder / name

    def report(what, found, seconds, base, reference):
        peak = found["peak_memory_bytes"] / 1e6
        reads = found.get("reads")
        line = f"{what}: {seconds:.1f} s = {seconds / base:.2f} x a cold read, peak RSS {peak:.0f} MB"
        line += f", reads of the data: {reads}" if reads is not None else ""
        print(line + f", largest difference of a coefficient {difference(found, reference):.1e}", flush=True)

    data = write("npy", "X.npy", rows)
    target = ["--target", folder / "y.npy"]
    base = cold_read(data, limit)
    print(f"{rows} x {columns} as .npy, {size:.1f} GB: read once, cold, in {base:.1f} s ({size / base * 1000:.0f} MB/s)")
    # Of the limit of 1.2 GB, what is left beside the program and the pages of files that are just being read.
    free, most = ["--memory", "100G"], ["--memory", "900M"]
    reference = fit(program, data, None, *target, *free)
    print(f"in memory, without limit: {reference['all_seconds']:.1f} s, peak RSS {reference['peak_memory_bytes'] / 1e6:.0f} MB")
    found = fit(program, data, limit, *target, *most)
    report("target in its own file", found, found["all_seconds"], base, reference)
    data.unlink()

    data = write("target-last.npy", "Xy.npy", rows)
    found = fit(program, data, limit, "--target", columns + 1, *most)
    report("target as a column", found, found["all_seconds"], base, reference)
    data.unlink()

    data = write("parquet", "parts", rows)
    base = cold_folder(data, limit)
    print(f"ten Parquet files: read once, cold, in {base:.1f} s")
    cache = ["--cache", folder / "cache"]
    found = fit(program, data, limit, "--target", "y", *cache, *most)
    report("ten Parquet files, packed on the way", found, found["all_seconds"], base, reference)
    found = fit(program, data, limit, "--target", "y", *cache, *most)
    report("the same, packed before", found, found["all_seconds"], base, reference)
    shutil.rmtree(data)
    shutil.rmtree(folder / "cache")

    part = max(rows // 5, 1)
    data = write("csv.gz", "data.csv.gz", part)
    base = cold_read(data, limit)
    reference = fit(program, data, None, "--target", "y", *free)
    found = fit(program, data, limit, "--target", "y", "--memory", "300M", *cache)
    print(f"CSV.gz, a fifth of the rows ({part}), --memory 300M, {data.stat().st_size / 1e9:.2f} GB: read once, cold, in {base:.1f} s;", end=" ")
    print(f"in memory {reference['all_seconds']:.1f} s, RSS {reference['peak_memory_bytes'] / 1e6:.0f} MB")
    report("CSV.gz packed on the way", found, found["all_seconds"], base, reference)
    found = fit(program, data, limit, "--target", "y", "--memory", "300M", *cache)
    report("the same, packed before", found, found["all_seconds"], base, reference)
    data.unlink()
    shutil.rmtree(folder / "cache")

    predict(args, folder, limit)


def cold_folder(folder, limit):
    """Seconds to read all files of a folder once."""
    drop_caches()
    return sum(run(["dd", f"if={path}", "of=/dev/null", "bs=4M"], limit)[1] for path in sorted(folder.iterdir()))


def predict(args, folder, limit):
    """Predictions of many rows from standard input."""
    small = folder / "small.csv"
    run([args.writer, "csv", small, 1000, 10])
    model = folder / "model.json"
    run([args.program, "fit", small, "--target", "y", "--out", model, "--quiet"])
    lines = small.read_bytes().split(b"\n", 1)
    for count in [args.predict_rows // 100, args.predict_rows]:
        started = time.monotonic()
        out = folder / "predictions.csv"
        process = subprocess.Popen(
            [args.program, "predict", str(model), "-", "--out", str(out), "--quiet"],
            stdin=subprocess.PIPE,
            preexec_fn=limit.enter,
        )
        process.stdin.write(lines[0] + b"\n")
        for _ in range(count // 1000):
            process.stdin.write(lines[1])
        process.stdin.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"predict ended with {process.returncode}")
        with out.open("rb") as written:
            found = sum(block.count(b"\n") for block in iter(lambda: written.read(1 << 20), b"")) - 1
        seconds, peak = time.monotonic() - started, usage.ru_maxrss / 1e3
        print(f"predict: {found} rows of CSV from standard input in {seconds:.1f} s, peak RSS {peak:.0f} MB", flush=True)
        out.unlink()


if __name__ == "__main__":
    main()
