"""How figures look: no background, and greys and colours that can be read on white and on black."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402

GREY = "#7d8590"
FAINT = "#7d859055"
BLUE, ORANGE, GREEN, RED = "#2f81f7", "#db7c26", "#2da66a", "#e5534b"
STYLE = {
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.facecolor": "none",
    "text.color": GREY,
    "axes.edgecolor": GREY,
    "axes.labelcolor": GREY,
    "axes.titlecolor": GREY,
    "axes.titlesize": 10,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "font.family": "sans-serif",
    "font.size": 10,
    "svg.fonttype": "none",  # text stays text: small files, and it can be searched
    "svg.hashsalt": "gallery",  # the same figure has the same bytes
}


def axes(width: float = 6.4, height: float = 3.4, columns: int = 1, **words: Any) -> tuple[Any, Any]:
    """An empty figure, and its axes."""
    return plt.subplots(1, columns, figsize=(width, height), layout="constrained", **words)


def drawn(draw: Callable[[], Any], path: Path) -> Path:
    """Draws a figure in this style and writes it as SVG."""
    with mpl.rc_context(STYLE):
        figure = draw()
        figure.savefig(path, metadata={"Date": None, "Creator": None}, transparent=True)
    plt.close(figure)
    return path


def bars(ax: Any, names: Any, values: Any, color: Any = BLUE) -> None:
    """Horizontal bars with their names, the first on top."""
    places = range(len(names))
    ax.barh(places, values, color=color, height=0.7)
    ax.set_yticks(places, [str(name) for name in names])
    ax.invert_yaxis()
    ax.axvline(0, color=GREY, linewidth=0.8)


def picture(ax: Any, matrix: Any, title: str, **words: Any) -> None:
    """A matrix as a picture."""
    ax.imshow(matrix, interpolation="nearest", **words)
    ax.set(title=title, xticks=[], yticks=[])
