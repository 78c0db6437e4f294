"""The figure of the README: `python3 scripts/readme_figure.py PROGRAM DATA OUT.svg`.

The path over all sizes of the hitters data with a proof at each size, as `proxdist path` draws it in its report. The
picture follows the colours of the reader's system, light or dark.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

COMMAND = "--target Salary --missing drop --ignore player --sizes 1-15 --ridge-grid 0 --prove 20s"


def main() -> None:
    """Runs the program and takes the figure of F out of its page."""
    program, data, out = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder, "path.html")
        words = [program, "path", data, *COMMAND.split(), "--report", str(page), "--out", f"{folder}/model.json"]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        text = page.read_text(encoding="utf-8")
    colours = re.search(r":root \{.*?\}\n@media \(prefers-color-scheme: dark\) \{.*?\}\n\}", text, re.DOTALL)
    figures = re.findall(r'<svg[^>]*viewBox="0 0 780[^>]*><title>F</title>.*?</svg>', text, re.DOTALL)
    if colours is None or len(figures) != 1:
        sys.exit("the page has no such figure")
    style = f"<style>{colours[0].replace(':root', 'svg')}</style>"
    figure = figures[0].replace('font-family="inherit"', 'font-family="system-ui, sans-serif"', 1)
    head, rest = figure.split(">", 1)
    paper = '<rect width="780" height="100%" rx="6" fill="var(--pd-paper)"/>'
    pathlib.Path(out).write_text(f"{head}>{style}{paper}{rest}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
