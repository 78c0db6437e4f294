"""What a loss is about, asked of the compiled part: nothing here knows a loss by its name."""

from __future__ import annotations

from typing import Any

from . import _proxdist

CLASSES = ("two-classes",)
NUMBERS = ("regression", "counts", "amounts")
#: Tasks whose responses are explained by a mean above zero.
POSITIVE = ("counts", "amounts")


def grammar(loss: str) -> str:
    """The name as the library writes it."""
    return loss.replace("_", "-")


def check(loss: Any, tasks: tuple[str, ...]) -> None:
    """Refuses the name of a loss that there is not, or that is not for these tasks."""
    if not isinstance(loss, str) or _proxdist.loss_facts(grammar(loss))["task"] in tasks:
        return
    known = [name.replace("-", "_") for name, task in _proxdist.loss_names() if task in tasks]
    raise ValueError(f"loss must be one of {', '.join(known)}, or an object of your own, got {loss!r}")


def fact(loss: Any, name: str) -> Any:
    """A fact about a loss by name; none about an object of the user's, or about a name that cannot be read."""
    if not isinstance(loss, str):
        return None
    try:
        return _proxdist.loss_facts(grammar(loss))[name]
    except ValueError:
        return None
