"""One problem from its name to its verdict."""

from __future__ import annotations

import json
import time

from . import real_files
from .judge import Verdict, judged, refused
from .library import fitted
from .problems import Problem, problem


def named(name: str) -> Problem:
    """`SEED:NUMBER` is a random problem, anything else a case of the real files."""
    seed, colon, number = name.partition(":")
    if colon and seed.isdigit() and number.isdigit():
        return problem(int(seed), int(number))
    return real_files.case(name)


def verdict_of(name: str) -> Verdict:
    """Fits and judges."""
    asked = named(name)
    started = time.perf_counter()
    try:
        result = fitted(asked)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # A panic of the compiled part is not an Exception.
        verdict = refused(asked, error)
        verdict.fit_seconds = time.perf_counter() - started
    else:
        verdict = judged(asked, result)
    verdict.truth_seconds = time.perf_counter() - started - verdict.fit_seconds
    if verdict.breaks_a_law or verdict.above or verdict.no_truth:
        verdict.problem = str(asked)
    return verdict


def replayed(name: str) -> str:
    """A problem, its result and its verdict, to read."""
    lines = [str(named(name))]
    try:
        result = fitted(named(name))
        lines += [
            f"coefficients {result.theta}",
            f"intercept {result.intercept}",
            f"stop {result.stop}",
            str(result.claims),
        ]
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        lines.append(f"{type(error).__name__}: {error}")
    return "\n".join([*lines, json.dumps(verdict_of(name).to_json(), indent=1)])
