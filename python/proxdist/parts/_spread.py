"""Rows in partitions, and the engine that works on them.

An engine is an ordered map: given a task it returns ``[task(0, part_0), task(1, part_1), …]``, computed wherever the
partitions are. All that is asked of partitions goes through it: what they hold (``Looking``), the same as arrays
(``Preparing``), and the requests of the compiled driver (``Answering``), which adds the answers in the order of the
partitions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from .. import _proxdist
from ._block import block
from ._faults import in_partition
from ._look import Looking
from ._plan import Plan

Task = Callable[[int, Any], Any]


class Engine(Protocol):
    """What partitions are reached by."""

    def map(self, task: Task) -> Iterable[Any]:
        """What a task returns for each partition, in their order."""

    def prepare(self, plan: Plan) -> None:
        """Told how partitions are to be read, once that is known; an engine may then hold them as arrays."""

    def stop(self) -> None:
        """Told from another thread that the fit is to end; a map at work may then raise ``KeyboardInterrupt``."""


class Mapped:
    """The engine of a plain function."""

    def __init__(self, function: Callable[[Task], Iterable[Any]]) -> None:
        self.function = function

    def map(self, task: Task) -> Iterable[Any]:
        """What the function returns."""
        return self.function(task)

    def prepare(self, plan: Plan) -> None:
        """Partitions stay as they are, and are made into arrays for each request."""

    def stop(self) -> None:
        """The map at work comes to its end."""


@dataclass(frozen=True)
class Answering:
    """The task that answers a request of the driver for one partition."""

    request: str
    plan: Plan
    loss: Any
    #: The class that counts as 1, by its position; ``None`` where the response is a number.
    positive: int | None

    def __call__(self, number: int, part: Any) -> dict[str, Any]:
        """Sums, columns or a sample of this partition, as a dictionary of arrays."""
        with in_partition(number):
            ready = block(part, self.plan)
            rows = ready.arrays(self.positive) | {"columns": self.plan.features}
            return _proxdist.answer(self.request, number, rows, (self.loss, self.positive is not None))


class Spread:
    """All partitions of a data set, looked at once."""

    def __init__(self, engine: Engine, wants_labels: bool) -> None:
        self.engine = engine
        seen = list(engine.map(Looking(wants_labels)))
        self.plan = Plan.of(seen)
        self.parts = len(seen)
        engine.prepare(self.plan)

    def backend(self, loss: Any, positive: int | None) -> dict[str, Any]:
        """What the compiled driver needs to know of the partitions, and how it asks them."""

        def ask(request: str) -> Iterable[Any]:
            return self.engine.map(Answering(request, self.plan, loss, positive))

        facts = {"parts": self.parts, "columns": self.plan.features, "rows": self.plan.rows}
        return {"ask": ask, "stop": self.engine.stop} | facts

    def fit(
        self, positive: int | None, problem: dict[str, Any], settings: dict[str, str], progress: Any
    ) -> dict[str, Any]:
        """One fit of the compiled driver."""
        return _proxdist.fit_parts(self.backend(problem["loss"], positive), problem, settings, progress)
