"""`python -m book build`, `check` or `links`: see the Makefile."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from . import links, pages, sources


def main() -> int:
    """Does one of three things; 1 if something is wrong with the pages."""
    parser = argparse.ArgumentParser(prog="book", description=__doc__)
    parser.add_argument(
        "what", choices=["build", "check", "links"], help="the site, its look in Chromium, the links of docs/"
    )
    parser.add_argument(
        "--program", type=Path, default=pages.ROOT / "target" / "release" / "proxdist", help="for the reference"
    )
    parser.add_argument("--mdbook", type=Path, default=pages.ROOT / "target" / "mdbook" / "bin" / "mdbook")
    parser.add_argument("--out", type=Path, default=pages.ROOT / "target" / "book", help="the site")
    parser.add_argument("--pictures", type=Path, help="folder for pictures of some pages, for people to look at")
    asked = parser.parse_args()

    wrong = links.broken_in_sources(list(pages.sources()), pages.ROOT) if asked.what != "check" else []
    if asked.what == "build" and not wrong:
        folder = asked.out.parent / "book-src"
        sources.write(folder, asked.program)
        subprocess.run([asked.mdbook, "build", folder, "--dest-dir", asked.out.resolve()], check=True)
        wrong = links.broken_in_site(asked.out)
        files = [path for path in asked.out.rglob("*") if path.is_file()]
        print(f"{asked.out}: {len(files)} files, {sum(path.stat().st_size for path in files) / 1e6:.1f} MB")
    elif asked.what == "check":
        from . import check

        wrong = links.broken_in_site(asked.out) + check.seen(asked.out, asked.pictures)
    for fault in wrong:
        print(fault, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
