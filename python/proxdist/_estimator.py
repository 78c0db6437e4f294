"""What all estimators share: parameters to the library's terms, results to attributes."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from . import _proxdist
from ._admission import Admission
from ._coordinates import numbered
from ._display import Display
from ._input import features
from ._losses import grammar
from ._progress import Progress
from ._selecting import Selecting
from ._settings import settings_of, without_effect
from .parts._spread import Spread
from .sets import ConstraintSet, Projection, parse

#: Two interrupts within so many seconds mean that everything should end, not just one fit.
TWICE = 2.0
_last_interrupt = -TWICE


class MatrixProjection:
    """A user's projection of matrices, for the library's vectors."""

    def __init__(self, projection: Projection, shape: tuple[int, int]) -> None:
        self.projection, self.shape = projection, shape
        self.is_convex, self.is_exact = projection.is_convex, projection.is_exact
        self.is_scale_free, self.support = projection.is_scale_free, projection.support

    def project(self, x: Any) -> Any:
        """The projection of a flat matrix, flat again."""
        return self.projection.project(x.reshape(self.shape)).ravel()


def further(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """What is known of a model after the search for a proof went on from it."""
    same = np.array_equal(np.flatnonzero(before["coef"]), np.flatnonzero(after["coef"]))
    known, gap = before["certificate"], after["certificate"]["gap"]
    reached = None if known is None else known["gap"]
    is_settled = known is not None and known["exchanges"] == "every-choice"
    if same and known is not None and (is_settled or gap is None or (reached is not None and reached <= gap)):
        after |= {key: before[key] for key in ("coef", "intercept", "objective", "certificate", "model")}
    elif same and known is not None:
        # What was found out about exchanges still holds.
        after["certificate"] |= {key: known[key] for key in ("exchanges", "exchanges_text")}
    trace = before["trace"]
    if trace is not None:
        later = dict(after["trace"])
        later["seconds"] = later["seconds"] + (trace["seconds"][-1] if len(trace["seconds"]) else 0.0)
        after["trace"] = {key: np.concatenate([trace[key], later[key]]) for key in trace}
        after["seconds"] += before["seconds"]
    return before | after | {key: before[key] for key in ("steps", "rho1")}


def has_ended(result: dict[str, Any]) -> bool:
    """Whether a fit got where it was to go; where F has no minimum that is as far as it goes, with a warning of its own."""
    return bool(result["has_converged"] or result.get("separation"))


class Constrained(Admission, Selecting, Display, BaseEstimator):
    """Parameters and results common to all estimators; see the estimators for their meaning."""

    loss: Any
    constraint: Any
    ridge: float
    fit_intercept: bool
    standardize: bool | str
    max_steps: int
    random_state: Any
    warm_start: bool
    verbose: int
    _begin: tuple[Any, float]

    def _take(self, parameters: dict[str, Any]) -> None:
        """Keeps the parameters of ``__init__``, its ``locals()``, as they are."""
        for name, value in parameters.items():
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    def _loss(self) -> Any:
        """The loss by name, or the user's own object."""
        if isinstance(self.loss, str):
            return grammar(self.loss)
        missing = [name for name in ("value", "slope", "curvature") if not callable(getattr(self.loss, name, None))]
        if missing:
            raise TypeError(
                f"loss is a name or an object with value, slope and curvature; {self.loss!r} has no {missing[0]}"
            )
        return self.loss

    def _set(self) -> ConstraintSet:
        return parse(self.constraint)

    def _has_intercept(self) -> bool:
        """Whether the model has an intercept: a formula without one makes a model without one."""
        return bool(self.fit_intercept) and getattr(getattr(self, "_encoding", None), "has_intercept", True)

    def _weight(self) -> float:
        """The weight of the ridge term where a search does not choose it."""
        return float(self.ridge)

    def _problem(self, start: tuple[Any, float] | None, shape: tuple[int, int] | None) -> dict[str, Any]:
        if self.standardize not in ("auto", True, False):
            raise ValueError(f"standardize must be 'auto', True or False, got {self.standardize!r}")
        chosen = self._set()
        names = self._names()
        asked: Any = chosen.spec_for(names or numbered(self._width()))
        if isinstance(chosen, Projection):
            asked = chosen if shape is None else MatrixProjection(chosen, shape)
        return {
            "loss": self._loss(),
            "classes": hasattr(self, "classes_"),
            "constraint": asked,
            "ridge": self._weight(),
            "intercept": self._has_intercept(),
            "standardize": None if self.standardize == "auto" else bool(self.standardize),
            "shape": shape,
            "names": names,
            "origins": None if shape is not None else self._origins(),
            "start": start,
            "is_finished": False,
        }

    def _start(self, index: int) -> tuple[Any, float] | None:
        """Where a warm start begins."""
        if hasattr(self, "_begin"):
            return self._begin
        if not (self.warm_start and hasattr(self, "_results")):
            return None
        before = self._results[index] if index < len(self._results) else None
        if before is None or before["coef"].shape != (self._width(),):
            return None
        return before["coef"].tolist(), before["intercept"] or 0.0

    def _solve(self, X: Any, rows: Any, index: int, shape: tuple[int, int] | None) -> dict[str, Any]:
        """One fit of the compiled part."""
        problem, settings = self._problem(self._start(index), shape), settings_of(self)
        # Rows in partitions stay where they are.
        is_spread = isinstance(X, Spread)
        data, count = (X, X.plan.rows) if is_spread else (features(X), len(rows["response"]))
        return self._watched(lambda progress: self._run(data, rows, problem, settings, progress), count)

    def _watched(self, run: Callable[[Any], dict[str, Any]], count: int) -> dict[str, Any]:
        """A fit of so many rows, with a progress line if that is wanted."""
        if not self.verbose:
            return run(None) | {"rows": count}
        with Progress(self.max_steps) as progress:
            result = run(progress) | {"rows": count}
            progress.write(
                f"{result['stop']} after {result['steps']} steps, F {result['objective']:.6g}, {result['seconds']:.1f}s"
            )
        return result

    def _run(self, data: Any, rows: Any, problem: Any, settings: Any, progress: Any) -> dict[str, Any]:
        if isinstance(data, Spread):
            return data.fit(rows, problem, settings, progress)
        return _proxdist.fit(data, rows, problem, settings, progress)

    def _solve_all(
        self,
        X: Any,
        all_rows: Sequence[Any],
        shape: tuple[int, int] | None = None,
        solve: Callable[[Any, Any, int, Any], dict[str, Any]] | None = None,
    ) -> None:
        """Fits one model for each response, by ``solve`` if that is given, and keeps what they leave.

        ``X`` is checked, and a response is a dictionary of what belongs to the rows; or ``X`` is in partitions, and a
        response is the class that counts as 1, if any.

        After Ctrl-C the best feasible model so far is kept, with a warning; only if a model is missing, or at the
        second Ctrl-C within two seconds, is ``KeyboardInterrupt`` raised.
        """
        global _last_interrupt
        results = []
        for index, rows in enumerate(all_rows):
            results.append((solve or self._solve)(X, rows, index, shape))
            if results[-1]["interrupted"]:
                again = time.monotonic() - _last_interrupt < TWICE
                _last_interrupt = time.monotonic()
                if again or len(results) < len(all_rows):
                    raise KeyboardInterrupt
        self._results = results
        # A stream that was begun before has ended.
        for attribute in ("_stream", "_steps_before", "stream_"):
            self.__dict__.pop(attribute, None)
        self._keep()
        if any(result["interrupted"] for result in results):
            warnings.warn(
                "The fit was interrupted: this is the best feasible model so far. Ctrl-C twice ends everything.",
                ConvergenceWarning,
                stacklevel=3,
            )
        elif not all(has_ended(result) for result in results):
            reasons = sorted({result["stop"] for result in results if not has_ended(result)})
            warnings.warn(
                f"The fit has not converged ({', '.join(reasons)}); increase max_steps, or raise tol.",
                ConvergenceWarning,
                stacklevel=3,
            )
        self._warn_of_separation(results)
        self._warn_of_parameters_without_effect(results)

    def _warn_of_separation(self, results: list[dict[str, Any]]) -> None:
        """Tells where classes are told apart without error, so that F has no minimum."""
        whole = "the model separates the classes of all rows: its coefficients have no natural size"
        texts = {result.get("separation") or (whole if result["separates_classes"] else "") for result in results}
        for text in sorted(texts - {""}):
            sentence = f"{text[0].upper()}{text[1:]}; ridge > 0 or a ball gives them one, as in ridge=1e-3."
            warnings.warn(sentence, UserWarning, stacklevel=4)

    def certify(
        self,
        X: Any,
        y: Any = None,
        time_limit: float | str = 60.0,
        *,
        sample_weight: Any = None,
        offset: Any = None,
        exposure: Any = None,
    ) -> Any:
        """Looks for a proof of how far the fitted choice of features is from the best one, on the data of the fit.

        Goes on from the fitted model, for ``time_limit`` seconds (or text such as "5m") a model, as ``prove`` does at
        the end of ``fit``: ``certificate_`` then says what is proven, and where a better choice was found,
        ``coef_`` is that. A proof that reached further before is kept. Returns the estimator.
        """
        check_is_fitted(self)
        if "outputs" in self._results[0]:
            raise ValueError(
                "certify is not available for several outputs: their choices of features have no proofs yet"
            )
        X, all_rows, shape = self._rows_again(X, y, sample_weight, offset=offset, exposure=exposure)
        limit = time_limit if isinstance(time_limit, str) else repr(float(time_limit))
        settings = settings_of(self) | {"prove": limit}
        found = []
        for index, (rows, before) in enumerate(zip(all_rows, self._results, strict=True)):
            start = (before["coef"].tolist(), before["intercept"] or 0.0)
            problem = self._problem(start, shape) | {"is_finished": True} | self._chosen(index)
            result = _proxdist.fit(features(X), rows, problem, settings, None)
            found.append(further(before, result | {"rows": len(rows["response"])}))
            without_proof = dict(result["notes"]).get("prove")
            if without_proof is not None:
                warnings.warn(f"certify had no effect: {without_proof}.", UserWarning, stacklevel=2)
        self._results = found
        self._keep()
        if any(result["interrupted"] for result in found):
            warnings.warn("The proof was interrupted: this is what is proven so far.", ConvergenceWarning, stacklevel=2)
        return self

    def summary(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        offset: Any = None,
        *,
        exposure: Any = None,
        covariance: str = "auto",
        level: float = 0.95,
        bootstrap: int | None = None,
        stability: int | None = None,
        threshold: float = 0.75,
        split: bool = False,
        seed: int = 0,
        state: Any = None,
    ) -> Any:
        """What the coefficients are worth, on the rows of the fit: a :class:`ModelSummary`.

        ``covariance`` is ``"model"``, ``"hc0"``, ``"hc1"`` or ``"auto"`` (from the model where the loss is a likelihood,
        HC1 otherwise). ``bootstrap`` repeats the whole fit so many times on rows drawn with replacement, ``stability`` on
        both halves of so many random splits; ``split`` chooses the features on one half of the rows and estimates them on
        the other. ``seed`` decides which rows are drawn. ``state`` is a file that keeps the repetitions, so that an
        interrupted call, or one for more of them, goes on from there. See docs/inference.md for what each number accounts
        for.
        """
        from ._inference import summarized

        wanted = {
            "covariance": covariance,
            "level": float(level),
            "bootstrap": bootstrap,
            "stability": stability,
            "threshold": float(threshold),
            "split": bool(split),
            "seed": seed,
            "state": state,
        }
        return summarized(self, X, y, sample_weight, (offset, exposure), wanted)

    def export(self, to: str, path: Any = None, *, table: str = "data") -> Any:
        """The model as ``"sql"``, ``"python"``, ``"c"``, ``"pmml"``, ``"json"`` or ``"formula"`` (text), or ``"onnx"``.

        Writes it to ``path`` if that is given, and returns it. ``table`` is the name of the table in SQL. Features without
        names are called V1, V2, …. ONNX needs the package ``onnx``; its input ``X`` has all features in their order.
        """
        from ._export import exported

        return exported(self, to, path, table)

    def _rows_again(
        self, X: Any, y: Any, sample_weight: Any, *, offset: Any, exposure: Any, as_fitted: bool = True
    ) -> Any:
        """Checked ``X``, what belongs to the rows for each model, and the shape of a row; weighed ``as_fitted`` or not."""
        raise NotImplementedError

    def _shown(self, X: Any, y: Any, sample_weight: Any, **known: Any) -> tuple[Any, dict[str, Any]]:
        """Features and what belongs to their rows, for a page about one model."""
        X, all_rows, _ = self._rows_again(X, y, sample_weight, as_fitted=False, **known)
        return X, all_rows[0]

    def _chosen(self, index: int) -> dict[str, Any]:
        """What a search has chosen for one of the models, in the terms of a problem."""
        return {}

    def _warn_of_parameters_without_effect(self, results: list[dict[str, Any]]) -> None:
        for text in without_effect(results):
            warnings.warn(text, UserWarning, stacklevel=4)

    def _keep(self) -> None:
        """Attributes from the results: plain for one model, one entry a model for several."""
        results = self._results
        single = len(results) == 1

        def of(key: str) -> Any:
            values = [result.get(key) for result in results]
            return values[0] if single else values

        # Of several outputs, the features that any of them uses.
        supports = [np.flatnonzero(np.atleast_2d(result["coef"]).any(axis=0)) for result in results]
        self.n_iter_ = of("steps") if single else np.asarray(of("steps"))
        self.stop_reason_ = of("stop")
        self.objective_ = of("objective") if single else np.asarray(of("objective"))
        self.certificate_ = of("certificate")
        self.rho1_ = of("rho1")
        self.standardized_ = of("standardized") if single else results[0].get("standardized")
        self.support_ = supports[0] if single else supports

    def _predictor(self, X: Any, index: int, offset: Any) -> Any:
        """Linear predictors of one of the models, for checked ``X``."""
        result = self._results[index]
        if X.shape[0] == 0:
            return np.empty(0)
        eta = _proxdist.linear_predictor(features(X), result["coef"], result["intercept"] or 0.0)
        return eta if offset is None else eta + offset

    @property
    def trace_(self) -> Any:
        """The checkpoints of the fit: a data frame if pandas is installed, a dictionary of arrays otherwise."""
        check_is_fitted(self)
        parts = [result["trace"] for result in self._results]
        if any(part is None for part in parts):
            raise AttributeError("there is no trace: the model was not made by fit")
        if len(parts) > 1:
            labels = [np.repeat(label, len(part["step"])) for label, part in zip(self.classes_, parts, strict=True)]
            merged = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
            parts = [{"class": np.concatenate(labels)} | merged]
        try:
            import pandas
        except ImportError:
            return parts[0]
        return pandas.DataFrame(parts[0])

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_results")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = getattr(self, "missing", "error") != "error"
        return tags

    def save(self, path: Any) -> None:
        """Writes the model file that the command line reads too, whole or not at all. See :func:`proxdist.load`."""
        from .files import save

        save(self, path)
