"""Fits to rows that lie in partitions, by any engine that can map a function over them.

The driver of the library needs one thing of an engine: an ordered map over the partitions. ``proxdist.dask`` has it for
Dask; with a pool of threads, Ray or Spark it is one line:

    >>> fit_parts(model, lambda task: pool.map(task, range(len(parts)), parts))                       # doctest: +SKIP
    >>> fit_parts(model, lambda task: ray.get([call.remote(task, i, part) for i, part in numbered]))  # doctest: +SKIP
    >>> fit_parts(model, lambda task: rdd.map(lambda item: task(*item)).collect())                    # doctest: +SKIP

The tasks that it is given answer four kinds of requests about one partition: what it holds with a sample of its rows,
a few of its columns, sums of the loss and its gradient, and the same with second derivatives. Answers are dictionaries
of arrays, computed without the interpreter lock; the driver adds them in the order of the partitions, so a result does
not depend on who computed them, or when.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._fit import fit_parts

__all__ = ["fit_parts"]


def __getattr__(name: str) -> Any:
    # Workers import this package for its tasks, and need no estimators.
    if name != "fit_parts":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ._fit import fit_parts

    return fit_parts
