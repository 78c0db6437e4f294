"""Models of all sizes at once, and the choice between them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import _losses, _proxdist
from ._admission import Admission
from ._coordinates import numbered
from ._held_out import held_out
from ._input import features, known_part, per_row, whole
from ._losses import grammar
from ._path_picture import draw
from ._search import RIDGES, usual_largest
from ._sizes import of_size, sized
from .classification import ConstrainedClassifier
from .regression import ConstrainedRegressor
from .sets import parse

CRITERIA = ("cv", "cv-best", "aic", "bic", "ebic")


class SparsePath(Admission, BaseEstimator):
    """The best models found of all numbers of features up to ``largest``, all together.

    Nobody knows how many features a model should have. This looks for the best model of every size at once, scores
    them on rows that were held out, and hands over the one that a criterion chooses.

    Parameters
    ----------
    loss : str
        As for :class:`ConstrainedRegressor` and :class:`ConstrainedClassifier`, by name.
    largest : int, optional
        The largest number of features, or of groups; by default the number in ``constraint``, and without one 30, or
        all features, or half the rows if those are fewer.
    constraint : set, str or None
        The set whose number of features or groups is replaced by each size: ``Selection(10, keep=["age"])``,
        ``"group-sparsity:5;by=prefix"``, ``Sparsity(10) & Simplex()``. A set without such a number, as ``NonNegative()``,
        stands beside sparsity. By default features are chosen freely.
    ridges : sequence of float, optional
        Weights of the ridge term, a path for each. By default 0, 1e-4, 1e-3, 1e-2 and 1e-1 with ``cv``, else 0 alone:
        criteria without held-out rows do not see shrinkage.
    cv : int, splitter, list of splits or None
        As for :class:`ConstrainedRegressorCV`, 10 folds by default; ``None`` for no held-out scores.
    scoring : str, callable or None
        As for :class:`ConstrainedRegressorCV`: "loss", "auc", "roc_auc", a function of model, ``X`` and ``y``, ...
    fit_intercept, standardize, random_state, n_jobs :
        As for the estimators. ``random_state`` is a whole number and deals the folds.
    categories, missing, unknown, formula :
        About data frames, as for :class:`ConstrainedRegressor`.

    Attributes
    ----------
    sizes_, ridges_, objective_, coefs_, intercepts_, supports_ :
        One entry for each size and ridge, sizes from 0 on, or from the least that the set has a point of, for one ridge
        after the other. Coefficients are in the units of the data.
    separated_ :
        Whether the classes are told apart without error, so that F has no minimum there; a ridge gives it one.
    aic_, bic_, ebic_ :
        Criteria, ``None`` for losses that are no likelihood.
    cv_mean_, cv_se_, cv_folds_ :
        Held-out scores, their standard errors, and those of each fold; with ``cv``. Losses are smaller where they are
        better, unless ``scoring`` is a name of scikit-learn's for their negatives, or a function.
    """

    def __init__(
        self,
        loss: str = "squared",
        largest: int | None = None,
        *,
        constraint: Any = None,
        ridges: Any = None,
        cv: Any = 10,
        scoring: Any = "loss",
        fit_intercept: bool = True,
        standardize: bool | str = "auto",
        random_state: int = 0,
        n_jobs: int | None = None,
        categories: Any = "auto",
        missing: str = "error",
        unknown: str = "error",
        formula: str | None = None,
    ) -> None:
        self.loss = loss
        self.largest = largest
        self.constraint = constraint
        self.ridges = ridges
        self.cv = cv
        self.scoring = scoring
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.categories = categories
        self.missing = missing
        self.unknown = unknown
        self.formula = formula

    def _is_classification(self) -> bool:
        return _losses.fact(self.loss, "task") in _losses.CLASSES

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        offset: Any = None,
        groups: Any = None,
        exposure: Any = None,
    ) -> SparsePath:
        """Finds the models.

        ``sample_weight`` weighs rows, ``offset`` is a known part of each linear predictor, and ``groups`` tells a
        splitter which rows belong together. ``exposure`` is for losses with a log link: its logarithm is added to the
        offset.
        """
        given = (X, y)
        self._check()
        known = known_part(self.loss, offset, exposure, self._reading().missing != "error")
        if getattr(y, "ndim", 1) == 2 and y.shape[1] > 1:
            raise ValueError(
                f"a path explains one response, y has {y.shape[1]} columns; ConstrainedRegressorCV chooses a number of "
                "features for several"
            )
        admitted = self._admit(X, y, {"sample_weight": sample_weight, "offset": known, "groups": groups}, reset=True)
        X, y, self._kept = admitted.X, admitted.y, admitted.kept
        response = y
        if self._is_classification():
            check_classification_targets(y)
            self.classes_ = self._two_classes(np.unique(y))
            response = (y == self.classes_[1]).astype(np.float64)
        rows = per_row(response, admitted["sample_weight"], admitted["offset"], X)
        self._keep(self._find(X, rows, self._largest(rows), admitted["groups"]))
        del self._kept
        # Names of features come with the data as they were given.
        self._training = (*given, {"sample_weight": sample_weight, "offset": offset, "exposure": exposure})
        return self

    def _check(self) -> None:
        if not isinstance(self.loss, str):
            raise TypeError(f"a path needs a loss by name, got {self.loss!r}")
        if self.standardize not in ("auto", True, False):
            raise ValueError(f"standardize must be 'auto', True or False, got {self.standardize!r}")

    def _two_classes(self, classes: Any) -> Any:
        if len(classes) != 2:
            hint = "; ConstrainedClassifierCV chooses a number of features for more" if len(classes) > 2 else ""
            raise ValueError(f"a path needs two classes, y has {len(classes)}{hint}")
        return classes

    def _take_set(self) -> int | None:
        """Keeps the set whose number of features is varied; returns that number, if it has one of its own."""
        self._spec, own, _ = sized(parse(self.constraint), self._names() or numbered(self._width()))
        return own

    def _largest(self, rows: dict[str, Any]) -> int:
        """The largest number of features."""
        count = self._width()
        usual = self._take_set() or usual_largest(rows, count)
        largest = usual if self.largest is None else whole("largest", self.largest, 1)
        if largest > count:
            raise ValueError(f"largest={largest} features, but there are {count}")
        return largest

    def _ridges(self) -> list[float]:
        usual = RIDGES if self.cv is not None else (0.0,)
        return [float(ridge) for ridge in (usual if self.ridges is None else np.atleast_1d(self.ridges))]

    def _problem(self, largest: int) -> dict[str, Any]:
        return {
            "loss": grammar(self.loss),
            "classes": self._is_classification(),
            "constraint": of_size(self._spec, largest),
            "ridge": 0.0,
            "intercept": bool(self.fit_intercept) and getattr(getattr(self, "_encoding", None), "has_intercept", True),
            "standardize": None if self.standardize == "auto" else bool(self.standardize),
            "shape": None,
            "names": self._names(),
            "origins": None if self._names() is None else self._origins(),
            "start": None,
            "is_finished": False,
        }

    def _settings(self) -> dict[str, str]:
        settings = {"seed": str(whole("random_state", self.random_state, 0))}
        if self.n_jobs is not None and self.n_jobs != -1:
            settings["threads"] = str(whole("n_jobs", self.n_jobs, 1))
        return settings

    def _find(self, X: Any, rows: dict[str, Any], largest: int, groups: Any) -> dict[str, Any]:
        """The models, as the compiled part finds them."""
        settings = self._settings()
        dealt: dict[str, Any] = {"folds": 0, "splits": None, "scoring": "loss", "scorer": None}
        if self.cv is not None:
            dealt = held_out(self, (X, rows, getattr(self, "classes_", None)), groups, int(settings["seed"]))
        plan = {"largest": largest, "ridges": self._ridges(), "held_out": dealt, "progress": None}
        found = _proxdist.path(features(X), rows, self._problem(largest), settings, plan)
        if found["interrupted"]:
            warnings.warn(
                "The path was interrupted: these are the sizes found so far.", ConvergenceWarning, stacklevel=3
            )
        return found

    def _keep(self, found: dict[str, Any]) -> None:
        self.sizes_ = np.array(found["size"])
        self.ridges_ = np.array(found["ridge"])
        self.objective_ = np.array(found["objective"])
        self.coefs_ = np.array(found["coef"])
        self.intercepts_ = np.array(found["intercept"])
        self.supports_ = [np.array(support, dtype=int) for support in found["support"]]
        self.separated_ = np.array(found["separated"])
        for name in ("aic", "bic", "ebic"):
            values = found[name]
            setattr(self, f"{name}_", None if values is None else np.array(values))
        if self.cv is not None:
            # The library has the score itself where scikit-learn's name is that of its negative.
            sign = -1.0 if isinstance(self.scoring, str) and self.scoring.startswith("neg_") else 1.0
            sign = 1.0 if found["larger_is_better"] else sign
            self._larger_is_better = found["larger_is_better"] or sign < 0
            self.cv_mean_ = sign * np.array(found["mean"])
            self.cv_se_ = np.array(found["standard_error"])
            self.cv_folds_ = sign * np.array(found["folds"])
            self._chosen = {"cv": found["one_standard_error"], "cv-best": found["best"]}

    def index(self, criterion: str = "cv") -> int:
        """The position that a criterion chooses.

        "cv" is the simplest model within one standard error of the best mean, "cv-best" the best mean itself.
        """
        check_is_fitted(self, "sizes_")
        if criterion not in CRITERIA:
            raise ValueError(f"criterion must be one of {', '.join(CRITERIA)}, got {criterion!r}")
        if criterion.startswith("cv"):
            if self.cv is None:
                raise ValueError("there are no held-out scores: give cv=10, or choose by 'aic', 'bic' or 'ebic'")
            return int(self._chosen[criterion])
        values = getattr(self, f"{criterion}_")
        if values is None:
            raise ValueError(f"{criterion} needs a likelihood, and the loss {self.loss!r} is none: choose by 'cv'")
        return int(np.argmin(values))

    def _kind(self) -> Any:
        """The estimator of one size."""
        return ConstrainedClassifier if self._is_classification() else ConstrainedRegressor

    def _more(self) -> dict[str, Any]:
        """What the estimator is told besides."""
        return {name: getattr(self, name) for name in ("categories", "missing", "unknown", "formula")}

    def best(self, criterion: str = "cv") -> Any:
        """A fitted estimator of the size and ridge that a criterion chooses, with its certificate."""
        at = self.index(criterion)
        X, y, beside = self._training
        beside = {name: values for name, values in beside.items() if values is not None}
        model = self._kind()(
            loss=self.loss,
            constraint=parse(of_size(self._spec, int(self.sizes_[at]))),
            ridge=float(self.ridges_[at]),
            fit_intercept=self.fit_intercept,
            standardize=self.standardize,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            **self._more(),
        )
        # Never above the path: the search for this size starts there, too.
        model._begin = (self.coefs_[at].tolist(), float(self.intercepts_[at]))
        try:
            return model.fit(X, y, **beside)
        finally:
            del model._begin

    def plot(self, what: str | None = None, criterion: str | None = None, ax: Any = None) -> Any:
        """A picture of the path over the number of features.

        ``what`` is "scores" (held-out scores with their standard errors), "objective", "aic", "bic", "ebic" or
        "coefficients" (of the ridge that ``criterion`` chooses); by default the scores if there are any, else F. The
        choice of ``criterion`` is marked. Returns the axes if matplotlib is installed, else a picture that notebooks
        show and whose ``svg`` can be written to a file.
        """
        check_is_fitted(self, "sizes_")
        return draw(self, what, criterion, ax)
