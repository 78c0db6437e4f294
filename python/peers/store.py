"""Rows of comparisons, kept as lines of JSON as they come."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def stored(path: Path) -> list[dict[str, Any]]:
    """Rows of earlier runs; a last line that was cut off is dropped."""
    rows = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return rows


def keep(path: Path, rows: list[dict[str, Any]]) -> None:
    """Adds rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
