"""The ordered map over partitions that Dask holds.

Each task is submitted on its own, depends only on its arguments and on a partition, and is given to whichever worker
Dask likes, again if that worker dies: a lost worker costs what it held a recomputation, not the fit. Nothing is
scattered, since what is scattered is lost with its worker. Answers come back in the order of the partitions, so
neither the number of workers nor their pace has any influence on a result.

Where all partitions fit in the memory of the workers, they are held there as arrays from one request to the next;
otherwise each request computes the collection of the user again, one partition for each thread of the workers at a
time: what is submitted earlier than that would wait in their memory.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError as Cancelled
from concurrent.futures import TimeoutError as Late
from typing import Any

from dask import delayed
from distributed import Client, KilledWorker, wait

from ..parts._block import Preparing
from ..parts._calls import call, same
from ..parts._plan import Plan
from ._collections import Parts, together

#: Seconds between two looks at whether the fit is to end.
PATIENCE = 0.1
#: Share of the workers' memory that partitions may take, as arrays.
SHARE = 0.4


class DaskEngine:
    """Partitions of one fit; use as a context, so that the workers forget them afterwards."""

    def __init__(self, client: Any, parts: Parts, tell: Callable[[int, int], None] | None = None) -> None:
        self.client, self.tell = client, tell
        self._over = threading.Event()
        self._pieces: list[Any] = [together(piece) for piece in parts.pieces]
        self._is_held = parts.bytes is not None and self._fits(parts.bytes)
        if self._is_held:
            self._pieces = self.client.compute(self._pieces)

    def map(self, task: Any) -> list[Any]:
        """What the task returns for each partition, in their order."""
        return self._gathered(self._submitted(task)) if self._is_held else self._in_turn(task)

    def prepare(self, plan: Plan) -> None:
        """Holds the partitions as arrays, if they fit."""
        if not (self._is_held or self._fits(plan.bytes)):
            return
        before = self._pieces
        self._pieces, self._is_held = self._submitted(Preparing(plan)), True
        # Computed before what they were made of is forgotten.
        self._wait(dict(enumerate(self._pieces)), self.tell)
        del before

    def stop(self) -> None:
        """Ends the request at work; called from another thread."""
        self._over.set()

    def __enter__(self) -> DaskEngine:
        return self

    def __exit__(self, *what: object) -> None:
        self._pieces = []

    def _fits(self, size: int) -> bool:
        """Whether so many bytes fit in the memory of the workers. Those without a limit have room for anything."""
        workers = self.client.sync(self.client.scheduler.identity, n_workers=-1)["workers"].values()
        limits = [worker["memory_limit"] for worker in workers]
        return not all(limits) or size <= SHARE * sum(limits)

    def _submitted(self, task: Any) -> list[Any]:
        """A future for each partition. The task travels once, as a value that can be computed again."""
        shared = self.client.submit(same, task, pure=False)
        if self._is_held:
            return [
                self.client.submit(call, shared, number, piece, pure=False) for number, piece in enumerate(self._pieces)
            ]
        later = delayed(call, pure=False)
        return list(self.client.compute([later(shared, number, piece) for number, piece in enumerate(self._pieces)]))

    def _in_turn(self, task: Any) -> list[Any]:
        """The answers of partitions that are computed for this request alone."""
        shared, later = self.client.submit(same, task, pure=False), delayed(call, pure=False)
        waiting = deque(enumerate(self._pieces))
        at_work: dict[int, Any] = {}
        answers: dict[int, Any] = {}
        while waiting or at_work:
            width = self._threads()
            while waiting and len(at_work) < width:
                number, piece = waiting.popleft()
                at_work[number] = self.client.compute(later(shared, number, piece))
            self._wait(at_work, is_first_enough=True)
            for number in [number for number, future in at_work.items() if future.status == "finished"]:
                (answers[number],) = self._fetched([at_work.pop(number)])
            if self.tell is not None:
                self.tell(len(answers), len(self._pieces))
        return [answers[number] for number in range(len(self._pieces))]

    def _threads(self) -> int:
        """Threads of the workers that there are now: workers come and go."""
        try:
            return max(1, int(sum(self.client.nthreads().values())))
        except OSError:
            raise self._lost() from None

    def _gathered(self, futures: list[Any]) -> list[Any]:
        self._wait(dict(enumerate(futures)), self.tell)
        return self._fetched(futures)

    def _fetched(self, futures: list[Any]) -> list[Any]:
        return list(self._awaited(lambda: self.client.gather(futures, asynchronous=True)))

    def _wait(
        self,
        futures: dict[int, Any],
        tell: Callable[[int, int], None] | None = None,
        is_first_enough: bool = False,
    ) -> None:
        """Waits for all futures, or for one of them, and raises the error of the first partition that has one."""
        enough, until = (any, "FIRST_COMPLETED") if is_first_enough else (all, "ALL_COMPLETED")

        async def done() -> None:
            # The client that was started last may be another one, on another loop.
            with self.client.as_current():
                await wait(list(futures.values()), return_when=until)

        def look() -> None:
            if tell is not None:
                tell(sum(future.done() for future in futures.values()), len(futures))

        states = ["pending"]
        # What a worker had finished is pending again once that worker is gone; others compute it anew.
        while not enough(state not in ("pending", "lost") for state in states):
            self._awaited(done, look)
            states = [future.status for future in futures.values()]
        for (number, future), state in zip(futures.items(), states, strict=True):
            if state == "error":
                raise _explained(number, future.exception())
            if state not in ("finished", "pending", "lost"):
                raise self._lost()

    def _awaited(self, start: Callable[[], Any], look: Callable[[], None] | None = None) -> Any:
        """The result of a coroutine on the client's loop, unless the fit is to end first."""
        if self.client.status != "running":
            raise self._lost()
        running = asyncio.run_coroutine_threadsafe(start(), self.client.loop.asyncio_loop)
        while True:
            try:
                return running.result(timeout=PATIENCE)
            except Late:
                if running.done():
                    raise self._lost() from None
                if self._over.is_set():
                    running.cancel()
                    raise KeyboardInterrupt from None
                if self.client.status != "running":
                    running.cancel()
                    raise self._lost() from None
                if look is not None:
                    look()
            except (asyncio.CancelledError, Cancelled, OSError):
                raise self._lost() from None

    def _lost(self) -> ConnectionError:
        address = getattr(getattr(self.client, "scheduler", None), "address", "its address")
        return ConnectionError(f"the Dask scheduler at {address} is lost: the fit cannot go on without it")


def check_client(client: Any) -> Any:
    """The client to work with: the given one, or the one that was started last."""
    if client is not None:
        if not isinstance(client, Client):
            raise TypeError(f"client must be a dask.distributed.Client, got {type(client).__name__}")
        return client
    try:
        from distributed import get_client

        return get_client()
    except ValueError:
        raise RuntimeError(
            "there is no Dask client: start one with `from dask.distributed import Client; client = Client()`"
        ) from None


def _explained(number: int, error: BaseException) -> BaseException:
    """The error of a partition, in words that say which one it is."""
    text = str(error)
    if isinstance(error, KilledWorker):
        message = (
            f"partition {number} has ended several workers that worked on it, perhaps since it does not fit in their "
            "memory: use smaller partitions, or workers with more memory"
        )
        return RuntimeError(message)
    if text.startswith("partition "):
        return error
    kind = type(error) if type(error) in (ValueError, TypeError, KeyError, FileNotFoundError, OSError) else RuntimeError
    explained = kind(f"partition {number}: {text}" if kind is type(error) else f"partition {number}: {error!r}")
    explained.__cause__ = error
    return explained
