"""Errors that say in which partition something is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def in_partition(number: int) -> Iterator[None]:
    """Puts the number of the partition before the message of an error about its values."""
    try:
        yield
    except (ValueError, TypeError, OverflowError) as error:
        raise type(error)(f"partition {number}: {error}") from None
