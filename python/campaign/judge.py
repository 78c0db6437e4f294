"""A result against the truth.

Every law is one-sided, so a truth that is not quite found can hide a fault but not invent one:

1. the result lies in every part of the set, to 1e-9 of its size;
2. F as reported is F by definition, to 1e-10;
3. F is not above what another point of the set has, to 1e-8 (for sets of features: counted, and a fault if it happens
   often);
4. what the certificate and ``has_converged`` claim is true;
5. sets that meet are fitted, sets that do not are refused.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from . import choices
from .conic import Optimum, Program, Unsolved
from .library import Claims, Result
from .low_rank import Matrices
from .problems import Problem
from .parts import Ball, Rank

INSIDE = 1e-9
#: Relative distance of a reference from the set that is rounding.
ROUNDING = 1e-12
OPTIMAL = 1e-8
REPORTED = 1e-10


@dataclass
class Verdict:
    """What became of one problem."""

    name: str
    family: str
    problem: str = ""
    #: (F − optimum) / |F| where that counts; 0 otherwise.
    above: float = 0.0
    #: Distance to a part of the set, relative.
    outside: float = 0.0
    false_claims: list[str] = field(default_factory=list)
    refused: str = ""
    accepted_empty: bool = False
    misreported: float = 0.0
    not_finished: bool = False
    #: How far F is below the truth: how good the truth is.
    beaten: float = 0.0
    no_truth: bool = False
    fit_seconds: float = 0.0
    truth_seconds: float = 0.0

    @property
    def breaks_a_law(self) -> bool:
        """Whether anything is wrong beyond a choice of features that is not the best."""
        return bool(
            self.outside > INSIDE
            or self.false_claims
            or self.refused
            or self.accepted_empty
            or self.misreported > REPORTED
        )

    def to_json(self) -> dict[str, Any]:
        """Only what says something."""
        return {key: value for key, value in asdict(self).items() if value or key in ("name", "family")}


def judged(problem: Problem, result: Result) -> Verdict:
    """Holds a result against all laws."""
    verdict = Verdict(problem.name, problem.family, fit_seconds=result.seconds)
    numbers = [*result.theta, result.intercept, result.claims.objective]
    if not np.all(np.isfinite(numbers)):
        verdict.false_claims.append("a result that is not finite")
        return verdict
    verdict.not_finished = not result.claims.has_converged
    _inside(problem, result, verdict)
    if result.is_scaled != problem.is_scaled:
        verdict.false_claims.append(f"standardized={result.is_scaled}")
        return verdict
    case = _Case(problem, result)
    off = abs(case.value - result.claims.objective) - case.rounding
    verdict.misreported = max(0.0, off) / max(abs(case.value), case.least)
    try:
        case.hold_against_truth(verdict)
    except Unsolved:
        verdict.no_truth = True
    return verdict


def refused(problem: Problem, error: BaseException) -> Verdict:
    """Right for sets without a common point, wrong for all others."""
    verdict = Verdict(problem.name, problem.family)
    if problem.family != "empty" or not isinstance(error, ValueError):
        verdict.refused = f"{type(error).__name__}: {error}"
    return verdict


def _inside(problem: Problem, result: Result, verdict: Verdict) -> None:
    if problem.family == "empty":
        verdict.accepted_empty = True
    for miss, size in problem.set.misses(result.theta):
        verdict.outside = max(verdict.outside, miss / size)
        if miss > 1.000001 * result.claims.distance + 1e-12 * size:
            verdict.false_claims.append(f"distance {result.claims.distance:.1e}, but {miss:.1e} outside")


class _Case:
    """F of a result and what counts as a difference."""

    def __init__(self, problem: Problem, result: Result) -> None:
        self.problem, self.result, self.objective = problem, result, problem.objective
        self.value = self.objective.exact(result.theta, result.intercept)
        zero = abs(self.objective.at_zero())
        #: What F is compared with where it is near zero; F of counts passes through zero, which means nothing.
        self.least = 1e-3 if problem.loss.name == "poisson" else 1e-5 * zero
        self.rounding = self.objective.rounding(result.theta, result.intercept) + 1e-13 * zero
        self.tolerance = (
            OPTIMAL * max(abs(self.value), self.least if problem.loss.name == "poisson" else 0.0) + self.rounding
        )

    @property
    def claims(self) -> Claims:
        return self.result.claims

    def hold_against_truth(self, verdict: Verdict) -> None:
        if self.problem.family == "empty":
            return
        ranks = [placed.part for placed in self.problem.set.parts if isinstance(placed.part, Rank)]
        if ranks and ranks[0].rank < min(ranks[0].shape):
            self._low_rank(verdict, ranks[0])
        elif self.problem.set.selections:
            self._selection(verdict)
        else:
            self._convex(verdict)

    def _excess(self, verdict: Verdict, least: float) -> float:
        """Records how far F is above, or below, a value that it should not be above."""
        size = max(abs(self.value), self.least)
        if self.value > least + self.tolerance:
            verdict.above = max(verdict.above, (self.value - least) / size)
        elif self.value < least - self.tolerance:
            verdict.beaten = (least - self.value) / size
        return self.value - least

    def _gap(self, verdict: Verdict, excess: float) -> None:
        gap = self.claims.gap
        if gap is not None and not gap >= excess - self.rounding - 1e-12 * abs(self.value):
            verdict.false_claims.append(f"gap {gap:.3e}, but {excess:.3e} above the optimum")

    def _convex(self, verdict: Verdict) -> None:
        optimum = Program(self.objective, self.problem.set.cone()).solve()
        if any(miss > INSIDE * size for miss, size in self.problem.set.misses(optimum.theta)):
            # A point outside the set shows nothing, whatever its F.
            raise Unsolved
        # Collinear columns differ by rounding, which coefficients of 1e8 can exploit; what they gain is less than the
        # numbers of the table can tell.
        doubt = self.objective.rounding(optimum.theta, optimum.intercept)
        self.tolerance, self.rounding = self.tolerance + doubt, self.rounding + doubt
        excess = self._excess(verdict, optimum.value)
        outside = max((miss / size for miss, size in self.problem.set.misses(optimum.theta)), default=0.0)
        if verdict.above and outside > max(verdict.outside, ROUNDING):
            # Where sets barely meet, a billionth outside may be worth a fifth of F: that point is not the truth.
            verdict.above = 0.0
            raise Unsolved
        self._gap(verdict, excess)
        if verdict.above:
            self._finished(verdict, f"{verdict.above:.1e} above the optimum")

    def _finished(self, verdict: Verdict, but: str) -> None:
        for name in ("has_converged", "is_stationary"):
            if getattr(self.claims, name):
                verdict.false_claims.append(f"{name}, but {but}")

    def _selection(self, verdict: Verdict) -> None:
        chosen, theta = self.problem.set, self.result.theta
        to_beat = self.value - self.tolerance
        found, complete = choices.best(self.objective, chosen, chosen.choices(), to_beat)
        verdict.no_truth = not complete and found is None
        if found is None:
            return
        excess = self._excess(verdict, found.value)
        self._gap(verdict, excess)
        if self.claims.is_exhaustive:
            verdict.false_claims.append(f"every choice fitted, but {verdict.above:.1e} above the best")
        elif self.claims.excludes_exchanges:
            swap = choices.best(self.objective, chosen, chosen.choices_around(theta), to_beat, first=True)[0]
            if swap is not None:
                lower = (self.value - swap.value) / max(abs(self.value), self.least)
                verdict.false_claims.append(f"exchanges {self.claims.exchanges}, but one lowers F by {lower:.1e}")
        own = choices.best(self.objective, chosen, [chosen.own_choice(theta)], to_beat)[0]
        if own is not None:
            lower = (self.value - own.value) / max(abs(self.value), self.least)
            self._finished(verdict, f"{lower:.1e} above the optimum of its own features")

    def _low_rank(self, verdict: Verdict, rank: Rank) -> None:
        radii = [placed.part.radius for placed in self.problem.set.parts if isinstance(placed.part, Ball)]
        matrices = Matrices(self.objective, rank.shape, rank.rank, radii[0] if radii else None)
        x = np.append(self.result.theta, self.result.intercept) if self.problem.intercept else self.result.theta
        nearby = matrices.improved(matrices.onto(x))
        if self.value > nearby + self.tolerance:
            lower = (self.value - nearby) / max(abs(self.value), self.least)
            self._finished(verdict, f"a step along the set lowers F by {lower:.1e}")
        self._excess(verdict, nearby)
        verdict.beaten = 0.0


def truth(problem: Problem) -> Optimum:
    """The optimum of a problem over a convex set."""
    return Program(problem.objective, problem.set.cone()).solve()
