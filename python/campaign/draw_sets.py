"""Random sets that hold a given point, so that they are known to have one, and pairs of sets known to have none.

Each part is drawn around a point `q` with a margin relative to the size of `q`: the sets of an intersection then meet
in `q` and around it, barely where the margin is small.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from .parts import (
    L1,
    Affine,
    Ball,
    Free,
    HalfSpace,
    Monotone,
    Part,
    Rank,
    Selection,
    Simplex,
    Vector,
    box_of_each,
    linf,
    nonneg,
    shared_box,
    sparsity,
)
from .sets import Set, blocks, whole

Generator = np.random.Generator

#: What a point must be like to lie in a part of this name.
SHAPED = ("nonneg", "simplex", "monotone", "decreasing", "box-from-0")


def shaped(q: Vector, names: list[str]) -> Vector:
    """A point like `q` that lies in all cones of the names."""
    if {"nonneg", "simplex", "box-from-0"} & set(names):
        q = np.abs(q)
    if "monotone" in names:
        q = np.sort(q)
    if "decreasing" in names:
        q = -np.sort(-q)
    return q


def part(name: str, generator: Generator, q: Vector, margin: float) -> Part:
    """A part with `q` inside, by about `margin` times the size of `q`."""
    size, p = float(np.linalg.norm(q)) or 1.0, len(q)
    wider = 1 + margin
    match name:
        case "none":
            return Free()
        case "ball":
            return Ball(size * wider)
        case "ball-at":
            away = generator.normal(size=p)
            center = q + away / np.linalg.norm(away) * size * 10 ** generator.uniform(-1, 1)
            return Ball(float(np.linalg.norm(q - center)) * wider, center)
        case "l1":
            return L1((float(np.abs(q).sum()) or 1.0) * wider)
        case "linf":
            return linf((float(np.abs(q).max()) or 1.0) * wider, p)
        case "box":
            room = margin * float(np.abs(q).max() or 1.0)
            return shared_box(float(q.min()) - room, float(q.max()) + room, p)
        case "box-from-0":
            return shared_box(0.0, (float(q.max()) or 1.0) * wider, p)
        case "box-each":
            room = margin * np.where(q == 0, 1.0, np.abs(q)) * generator.exponential(size=(2, p))
            lower, upper = q - room[0], q + room[1]
            lower[generator.random(p) < 0.2] = -np.inf
            upper[generator.random(p) < 0.2] = np.inf
            return box_of_each(lower, upper)
        case "nonneg":
            return nonneg(p)
        case "simplex":
            return Simplex(float(q.sum()) or 1.0)
        case "monotone" | "decreasing":
            return Monotone(name == "monotone")
        case "affine":
            rows = generator.normal(size=(int(generator.integers(1, max(2, min(3, p)))), p))
            if generator.random() < 0.3:
                rows = np.ones((1, p))
            return Affine(rows, rows @ q)
        case "halfspace":
            normal = generator.normal(size=p)
            if generator.random() < 0.3:
                normal = np.abs(normal)
            reach = margin * float(np.abs(normal) @ np.abs(q))
            return HalfSpace(normal, float(normal @ q) + reach)
    raise ValueError(name)


def intersection(generator: Generator, q: Vector, names: list[str], margin: float) -> Set:
    """The parts of the names around one point."""
    q = shaped(q, names)
    return whole(len(q), *(part(name, generator, q, margin) for name in names))


def wedge(generator: Generator, q: Vector, margin: float) -> Set:
    """Two half-spaces that meet at a sharp angle, with `q` between them."""
    normal = generator.normal(size=len(q))
    tilt = 10 ** generator.uniform(-4, -1) * generator.normal(size=len(q))
    room = margin * float(np.abs(normal) @ np.abs(q))
    other = tilt - normal
    return whole(len(q), HalfSpace(normal, float(normal @ q) + room), HalfSpace(other, float(other @ q) + room))


def single_point(generator: Generator, size: float) -> Set:
    """Sets that share one point exactly: all entries a quarter of the sum."""
    total = float(2.0 ** np.round(np.log2(size)))
    others: list[Part] = [shared_box(0.0, total / 4, 4), Monotone(bool(generator.integers(2)))]
    return whole(4, Simplex(total), *others[: int(generator.integers(1, 3))])


def blocks_of(generator: Generator, q: Vector, margin: float, has_selection: bool) -> Set:
    """Sets of their own for two or three ranges of coordinates, one of which may be free."""
    convex = ["ball", "l1", "linf", "box", "box-each", "nonneg", "simplex", "monotone", "affine", "halfspace"]
    count = 2 if len(q) < 6 else int(generator.integers(2, 4))
    cuts = np.sort(generator.choice(np.arange(1, len(q)), count - 1, replace=False))
    edges = [0, *map(int, cuts), len(q)]
    ranges: list[tuple[int, int, list[Part]]] = []
    chosen = int(generator.integers(count))
    for k, (first, end) in enumerate(pairwise(edges)):
        own = q[first:end]
        if has_selection and k == chosen:
            ranges.append((first, end - 1, selection_parts(generator, own, margin)))
        elif generator.random() < 0.2 and len(ranges):
            continue
        else:
            names = [str(generator.choice(convex))]
            if generator.random() < 0.2:
                names.append("ball")
            inside = shaped(own, names)
            ranges.append((first, end - 1, [part(name, generator, inside, margin) for name in names]))
    return blocks(len(q), ranges)


def selection_parts(generator: Generator, q: Vector, margin: float) -> list[Part]:
    """Sparsity, alone or with a convex set, for the coordinates of `q`."""
    keep = int(generator.integers(1, len(q) + 1))
    beside = [[], [], ["nonneg"], ["linf"], ["simplex"], ["ball"], ["l1"]][int(generator.integers(7))]
    return [sparsity(keep, len(q)), *(part(name, generator, shaped(q, beside), margin) for name in beside)]


def sparse(generator: Generator, q: Vector, names: list[str], margin: float) -> Set:
    """Sparsity with the parts of the names; zero belongs to all limits."""
    p = len(q)
    may_be_none = "simplex" not in names and generator.random() < 0.05
    keep = int(generator.integers(0 if may_be_none else 1, min(p, 4) + 1))
    kept = np.zeros(p)
    kept[: max(keep, 1)] = q[: max(keep, 1)]
    inside = shaped(kept, names)
    return whole(p, sparsity(keep, p), *(part(name, generator, inside, margin) for name in names))


def grouped(generator: Generator, q: Vector, has_ball: bool, margin: float) -> Set:
    """Group sparsity, with groups in a row or scattered."""
    p = len(q)
    sizes = [size for size in range(1, p + 1) if p % size == 0 and p // size >= 2] or [p]
    size = int(generator.choice(sizes))
    count = p // size
    keep = int(generator.integers(1, count + 1))
    if generator.random() < 0.5:
        units = [list(range(k * size, (k + 1) * size)) for k in range(count)]
        written = f"group-sparsity:{keep};size={size}"
    else:
        order = generator.permutation(p)
        cuts = np.sort(generator.choice(np.arange(1, p), count - 1, replace=False)) if count > 1 else []
        units = [sorted(map(int, group)) for group in np.split(order, cuts)]
        listed = ",".join("+".join(str(j + 1) for j in group) for group in units)  # text counts from 1
        written = f"group-sparsity:{keep};groups={listed}"
    parts: list[Part] = [Selection(keep, units, written)]
    if has_ball:
        parts.append(part("ball", generator, q, margin))
    return whole(p, *parts)


def low_rank(generator: Generator, q: Vector, shape: tuple[int, int], has_ball: bool, margin: float) -> Set:
    """Matrices of low rank, in a ball or not."""
    parts: list[Part] = [Rank(int(generator.integers(1, min(shape) + 1)), shape)]
    if has_ball:
        parts.append(part("ball", generator, q, margin))
    return whole(len(q), *parts)


def nearly(generator: Generator, p: int, size: float, apart: float) -> Set:
    """Sets that miss each other by `apart` of their size or, where that is negative, barely meet."""
    ones = np.ones(p)
    normal = generator.normal(size=p)
    length = float(np.linalg.norm(normal))
    pairs: list[Callable[[], list[Part]]] = [
        lambda: [shared_box(0.0, size, p), HalfSpace(-ones, -size * p * (1 + apart))],
        lambda: [Ball(size), HalfSpace(normal, -size * length * (1 + apart))],
        lambda: [nonneg(p), HalfSpace(ones, -apart * size)],
        lambda: [HalfSpace(normal, -size * length), HalfSpace(-normal, size * length * (1 - 0.5 * apart))],
        lambda: [L1(size), Affine(ones[None], np.array([size * (1 + apart)]))],
        lambda: [Ball(size), Ball(size, (2 + apart) * size * normal / length)],
    ]
    if p > 1:
        ends = (np.eye(p)[0] - np.eye(p)[-1])[None]
        pairs += [
            lambda: [Simplex(size), shared_box(0.0, size / p * (1 - 0.5 * apart), p)],
            lambda: [Monotone(True), Affine(ends, np.array([apart * size])), linf(9 * size, p)],
        ]
    return whole(p, *pairs[int(generator.integers(len(pairs)))]())
