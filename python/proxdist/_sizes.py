"""Sets that let a number of features or groups be chosen, and the same sets with another number."""

from __future__ import annotations

from collections.abc import Sequence

from . import _proxdist
from .sets import ConstraintSet, Projection

#: The number of sparsity beside a set that has none of its own.
UNSAID = 2**62


def sized(chosen: ConstraintSet, names: Sequence[str]) -> tuple[str, int | None, bool]:
    """The specification of a set that has one number of features or groups, that number, and whether it counts groups.

    A set without such a number gets sparsity beside it, and no number.
    """
    if isinstance(chosen, Projection):
        raise TypeError("a path needs a set with a name: its number of features or groups is what is varied")
    spec = chosen.spec_for(names)
    size = _proxdist.set_size(spec)
    if size is not None:
        return spec, size[0], size[1]
    beside = f"sparsity:{UNSAID}" if spec == "none" else f"{spec} & sparsity:{UNSAID}"
    if _proxdist.set_size(beside) is None:
        raise ValueError(f"{spec} has several numbers of features or groups, and a path replaces one by each size")
    return beside, None, False


def of_size(spec: str, size: int) -> str:
    """A set with another number of features or groups."""
    other = _proxdist.set_of_size(spec, size)
    return spec if other is None else other
