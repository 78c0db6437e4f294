"""What a worker calls; apart from all else, so that it imports little."""

from __future__ import annotations

from typing import Any


def same(task: Any) -> Any:
    """The task itself, as a value that an engine can compute again."""
    return task


def call(task: Any, number: int, part: Any) -> Any:
    """What a task returns for the partition of this number."""
    return task(number, part)
