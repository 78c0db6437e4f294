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
from ._input import checked, features, per_row, whole
from ._losses import grammar
from ._search import folds
from .classification import ConstrainedClassifier
from .regression import ConstrainedRegressor
from .sets import Sparsity

#: The largest size where none is given, and the ridges that cross-validation chooses from.
LARGEST = 30
RIDGES = (0.0, 1e-4, 1e-3, 1e-2, 1e-1)
CRITERIA = ("cv", "cv-best", "aic", "bic", "ebic")


class SparsePath(BaseEstimator):
    """The best models found of 0, 1, …, ``largest`` features, all together.

    Nobody knows how many features a model should have. This looks for the best model of every size at once, scores
    them on rows that were held out, and hands over the one that a criterion chooses.

    Parameters
    ----------
    loss : str
        As for :class:`ConstrainedRegressor` and :class:`ConstrainedClassifier`, by name.
    largest : int, optional
        The largest number of features; by default 30, or all features, or half the rows if those are fewer.
    ridges : sequence of float, optional
        Weights of the ridge term, a path for each. By default 0, 1e-4, 1e-3, 1e-2 and 1e-1 with ``cv``, else 0 alone:
        criteria without held-out rows do not see shrinkage.
    cv : int, splitter or None
        Folds; ``None`` for no held-out scores.
    scoring : str
        What held-out rows are scored by: "loss", "auc", ...
    fit_intercept, standardize, random_state, n_jobs :
        As for the estimators. ``random_state`` is a whole number and deals the folds.

    Attributes
    ----------
    sizes_, ridges_, objective_, coefs_, intercepts_, supports_ :
        One entry for each size and ridge, sizes from 0 on for one ridge after the other. Coefficients are in the units
        of the data.
    separated_ :
        Whether the classes are told apart without error, so that F has no minimum there; a ridge gives it one.
    aic_, bic_, ebic_ :
        Criteria, ``None`` for losses that are no likelihood.
    cv_mean_, cv_se_, cv_folds_ :
        Held-out scores, their standard errors, and those of each fold; with ``cv``.
    """

    def __init__(
        self,
        loss: str = "squared",
        largest: int | None = None,
        *,
        ridges: Any = None,
        cv: Any = 10,
        scoring: str = "loss",
        fit_intercept: bool = True,
        standardize: bool | str = "auto",
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.largest = largest
        self.ridges = ridges
        self.cv = cv
        self.scoring = scoring
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _is_classification(self) -> bool:
        return _losses.fact(self.loss, "task") in _losses.CLASSES

    def fit(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> SparsePath:
        """Finds the models; ``sample_weight`` weighs rows, ``offset`` is a known part of each linear predictor."""
        if not isinstance(self.loss, str):
            raise TypeError(f"a path needs a loss by name, got {self.loss!r}")
        if self.standardize not in ("auto", True, False):
            raise ValueError(f"standardize must be 'auto', True or False, got {self.standardize!r}")
        X, y = checked(self, X, y, reset=True)
        response = y
        if self._is_classification():
            check_classification_targets(y)
            self.classes_ = np.unique(y)
            if len(self.classes_) != 2:
                raise ValueError(f"a path needs two classes, y has {len(self.classes_)}")
            response = (y == self.classes_[1]).astype(np.float64)
        rows = per_row(response, sample_weight, offset, X)
        n, p = X.shape
        usual = max(1, min(LARGEST, p, n // 2))
        largest = usual if self.largest is None else whole("largest", self.largest, 1)
        if largest > p:
            raise ValueError(f"largest={largest} features, but there are {p}")
        usual_ridges = RIDGES if self.cv is not None else (0.0,)
        ridges = usual_ridges if self.ridges is None else np.atleast_1d(self.ridges)
        dealt = {"folds": 0, "fold_of": None} if self.cv is None else folds(self.cv, rows["response"])
        problem = {
            "loss": grammar(self.loss),
            "classes": self._is_classification(),
            "constraint": f"sparsity:{largest}",
            "ridge": 0.0,
            "intercept": bool(self.fit_intercept),
            "standardize": None if self.standardize == "auto" else bool(self.standardize),
            "shape": None,
            "names": None,
            "start": None,
        }
        plan = {
            "largest": largest,
            "ridges": [float(ridge) for ridge in ridges],
            **dealt,
            "scoring": self.scoring,
            "progress": None,
        }
        settings = {"seed": str(whole("random_state", self.random_state, 0))}
        if self.n_jobs is not None and self.n_jobs != -1:
            settings["threads"] = str(whole("n_jobs", self.n_jobs, 1))
        found = _proxdist.path(features(X), rows, problem, settings, plan)
        if found["interrupted"]:
            warnings.warn("The path was interrupted: these are the sizes found so far.", ConvergenceWarning, stacklevel=2)
        self._keep(found)
        self._training = (X, y, sample_weight, offset)
        return self

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
            self.cv_mean_ = np.array(found["mean"])
            self.cv_se_ = np.array(found["standard_error"])
            self.cv_folds_ = np.array(found["folds"])
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

    def best(self, criterion: str = "cv") -> Any:
        """A fitted estimator of the size and ridge that a criterion chooses, with its certificate."""
        at = self.index(criterion)
        X, y, sample_weight, offset = self._training
        kind = ConstrainedClassifier if self._is_classification() else ConstrainedRegressor
        model = kind(
            loss=self.loss,
            constraint=Sparsity(int(self.sizes_[at])),
            ridge=float(self.ridges_[at]),
            fit_intercept=self.fit_intercept,
            standardize=self.standardize,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        return model.fit(X, y, sample_weight=sample_weight, offset=offset)
