"""What is handed out, put together from what has been built: `make dist`.

An archive of the program with its completions, manual pages and licences, and a source distribution of the Python
package that holds the sources of all crates it needs, so that it builds without a network.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import os
import platform
import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

#: Completion scripts by shell, where systems look for them.
COMPLETIONS = {
    "bash": "share/bash-completion/completions/proxdist",
    "zsh": "share/zsh/site-functions/_proxdist",
    "fish": "share/fish/vendor_completions.d/proxdist.fish",
    "elvish": "share/elvish/lib/proxdist.elv",
    "powershell": "share/powershell/proxdist.ps1",
}

#: Documents that go with everything.
DOCUMENTS = ["README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE-MIT", "LICENSE-APACHE"]

#: How the sources in `vendor` take the place of the registry.
OFFLINE = '[source.crates-io]\nreplace-with = "vendored-sources"\n\n[source.vendored-sources]\ndirectory = "vendor"\n'


def main() -> None:
    """Makes both, and says how large they are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "target" / "release" / "proxdist")
    parser.add_argument("--maturin", type=Path, help="makes the source distribution; without it there is none")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    made = [archive(asked.program.resolve(), asked.out)]
    if asked.maturin is not None:
        made.append(source_distribution(asked.maturin.absolute(), asked.out))
    for path in [*made, *sorted(asked.out.glob("*.whl"))]:
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


def archive(program: Path, out: Path) -> Path:
    """The program with everything that belongs to it, below one folder."""
    version = _said(program, "--version").split()[1]
    name = f"proxdist-{version}-{platform.machine().lower()}-{platform.system().lower()}"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, name)
        binary = folder / "bin" / program.name
        binary.parent.mkdir(parents=True)
        shutil.copy(program, binary)
        if shutil.which("strip") is not None:
            subprocess.run(["strip", binary], check=True)
        _said(program, "man", "--dir", str(folder / "share" / "man" / "man1"))
        for shell, place in COMPLETIONS.items():
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_said(program, "completions", shell), encoding="utf-8")
        for document in DOCUMENTS:
            shutil.copy(ROOT / document, folder / document)
        return _packed(folder, out / f"{name}.tar.gz")


def source_distribution(maturin: Path, out: Path) -> Path:
    """The source distribution of the Python package, with the sources of its crates in `vendor`."""
    with tempfile.TemporaryDirectory() as temporary:
        subprocess.run([maturin, "sdist", "--out", temporary], cwd=ROOT, check=True, stderr=subprocess.DEVNULL)
        (plain,) = Path(temporary).glob("*.tar.gz")
        with tarfile.open(plain) as packed:
            packed.extractall(temporary, filter="data")
        folder = plain.with_name(plain.name.removesuffix(".tar.gz"))
        for manifest in folder.glob("crates/*/Cargo.toml"):
            manifest.write_text(without_tests(manifest.read_text(encoding="utf-8")), encoding="utf-8")
        # The lock file loses what only other members of the workspace need; no version changes.
        subprocess.run(
            ["cargo", "vendor", "--quiet", "--versioned-dirs", "vendor"],
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        _assert_same_versions(folder / "Cargo.lock")
        (folder / ".cargo").mkdir()
        (folder / ".cargo" / "config.toml").write_text(OFFLINE, encoding="utf-8")
        _assert_resolves_offline(folder)
        return _packed(folder, out / plain.name)


def without_tests(manifest: str) -> str:
    """A manifest without what is needed for tests and benches alone."""
    table = r"^(?:\[(?:target\..*\.)?dev-dependencies\]|\[\[bench\]\]|\[\[test\]\])\n(?:(?!\[).*\n)*"
    return re.sub(table, "", manifest, flags=re.MULTILINE)


def _assert_same_versions(lock: Path) -> None:
    wanted, got = (
        set(re.findall(r'^name = "(.+)"\nversion = "(.+)"$', path.read_text(encoding="utf-8"), re.MULTILINE))
        for path in (ROOT / "Cargo.lock", lock)
    )
    if not got <= wanted:
        raise SystemExit(f"error: the source distribution would use other versions: {sorted(got - wanted)}")


def _assert_resolves_offline(folder: Path) -> None:
    """Cargo finds every crate without a network and without anything that was downloaded before."""
    with tempfile.TemporaryDirectory() as home:
        words = ["cargo", "metadata", "--offline", "--locked", "--format-version", "1"]
        done = subprocess.run(
            words, cwd=folder, env={**os.environ, "CARGO_HOME": home}, check=True, capture_output=True
        )
    outside = [
        package["name"]
        for package in json.loads(done.stdout)["packages"]
        if not Path(package["manifest_path"]).is_relative_to(folder)
    ]
    if outside:
        raise SystemExit(f"error: not in the source distribution: {outside}")


def _packed(folder: Path, path: Path) -> Path:
    """A folder as an archive that is the same for the same files, whoever made it, and when."""
    moment = int(os.environ.get("SOURCE_DATE_EPOCH", "1"))
    with (
        gzip.GzipFile(path, "wb", compresslevel=9, mtime=moment) as zipped,
        tarfile.open(fileobj=zipped, mode="w") as packed,
    ):
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            about = tarfile.TarInfo(str(file.relative_to(folder.parent)))
            content = file.read_bytes()
            about.size, about.mtime = len(content), moment
            about.mode = 0o755 if os.access(file, os.X_OK) else 0o644
            packed.addfile(about, io.BytesIO(content))
    return path


def _said(program: Path, *words: str) -> str:
    return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
