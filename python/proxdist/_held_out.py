"""Rows that are held out and scores of models on them: scikit-learn's splitters and scorers in the library's terms."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv

from . import _proxdist
from ._input import whole

#: The scores that the library computes itself.
OWN = ("loss", "mse", "auc", "accuracy", "deviance", "d2")
#: scikit-learn's names for some of them, or for their negatives.
SAME = {"neg_mean_squared_error": "mse", "roc_auc": "auc", "accuracy": "accuracy"}
#: The same for several classes, and for several responses.
OF_CLASSES = {"loss": "loss", "neg_log_loss": "loss", "accuracy": "accuracy", "auc": "auc", "roc_auc_ovr": "auc"}
OF_RESPONSES = {"loss": "loss", "mse": "mse", "neg_mean_squared_error": "mse"}


def splits_of(cv: Any, labels: Any, groups: Any, kept: Any = None) -> dict[str, Any]:
    """A number of folds, which the library deals; or the rows of each split, by a splitter or a list of splits.

    Splits that are listed speak of all rows that were given, of which ``kept`` are left.
    """
    rows = len(labels)
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        if rows < whole("cv", cv, 2):
            raise ValueError(f"cv={cv} folds need a row each, but n_samples = {rows}")
        return {"folds": int(cv), "splits": None}
    if groups is not None and len(groups) != rows:
        raise ValueError(f"groups has {len(groups)} entries, expected {rows}: one a row")
    splitter = check_cv(cv, labels)
    splits = [(_numbers(train), _numbers(test)) for train, test in splitter.split(np.zeros((rows, 1)), labels, groups)]
    if not splits:
        raise ValueError("cv makes no splits")
    if kept is not None and not kept.all() and not hasattr(cv, "split"):
        places = np.cumsum(kept) - 1
        splits = [tuple(places[[row for row in part if kept[row]]].tolist() for part in split) for split in splits]
    return {"folds": len(splits), "splits": splits}


def _numbers(rows: Any) -> list[int]:
    """Numbers of rows, from numbers or from a mask."""
    rows = np.asarray(rows)
    rows = np.flatnonzero(rows) if rows.dtype == bool else rows
    if len(rows) and (not np.issubdtype(rows.dtype, np.integer) or rows.min() < 0):
        raise ValueError("cv must name rows by whole numbers from 0 on")
    numbers: list[int] = rows.tolist()
    return numbers


def name_of(scoring: Any, loss: Any) -> str | None:
    """The library's name of a score; ``None`` if it has none."""
    if not isinstance(scoring, str):
        return None
    if scoring in OWN:
        return scoring
    return "loss" if scoring == "neg_log_loss" and loss == "logistic" else SAME.get(scoring)


def scorer_of(scoring: Any) -> Callable[..., float]:
    """A scorer by its name, a function of model, rows and labels, or by default the model's own score."""
    if scoring is None:
        return _usual_score
    if isinstance(scoring, str):
        try:
            scorer: Callable[..., float] = get_scorer(scoring)
        except ValueError:
            known = ", ".join(OWN)
            raise ValueError(
                f"no such score: {scoring!r}; it is {known}, a name of sklearn.metrics.get_scorer_names() or a function"
            ) from None
        return scorer
    if not callable(scoring):
        raise TypeError(f"scoring is a name or a function of model, X and y, got {scoring!r}")
    own: Callable[..., float] = scoring
    return own


def _usual_score(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    return float(model.score(X, y, sample_weight=sample_weight))


def _takes_weights(scorer: Any) -> bool:
    try:
        parameters = inspect.signature(getattr(scorer, "_score_func", scorer)).parameters
    except (TypeError, ValueError):
        return False
    return "sample_weight" in parameters


class Judge:
    """A scorer of scikit-learn, for models of which there are only coefficients."""

    def __init__(self, estimator: Any, X: Any, rows: dict[str, Any], classes: Any) -> None:
        from .classification import ConstrainedClassifier
        from .regression import ConstrainedRegressor

        self.kind = ConstrainedRegressor if classes is None else ConstrainedClassifier
        self.parameters = {"loss": estimator.loss, "fit_intercept": estimator.fit_intercept}
        self.X, self.rows, self.classes = X, rows, classes
        self.labels = labels_of(rows, classes)
        self.scorer = scorer_of(estimator.scoring)
        self.takes_weights = rows["weights"] is not None and _takes_weights(self.scorer)
        self.tests: list[Any] = []

    def hold_out(self, tests: Any) -> None:
        """Takes the rows that each split holds out."""
        self.tests = [(self.X[test], self.labels[test], test) for test in map(np.array, tests)]

    def model(self, coef: Any, intercept: float, test: Any) -> Any:
        """An estimator with these coefficients, whose predictions add the offset of the rows held out."""
        model: Any = self.kind(**self.parameters)
        model.n_features_in_ = self.X.shape[1]
        model.coef_, model.intercept_ = coef, intercept
        if self.classes is not None:
            model.classes_ = np.asarray(self.classes)
            model.coef_, model.intercept_ = np.atleast_2d(coef), np.atleast_1d(intercept)
        model._results = [{"coef": coef, "intercept": intercept}]
        if self.rows["offset"] is not None:
            predictor, offset = model._predictor, self.rows["offset"][test]
            model._predictor = lambda X, index, _: predictor(X, index, offset)
        return model

    def __call__(self, split: int, coef: Any, intercept: float) -> float:
        """The score of a model on the rows that a split holds out."""
        X, labels, test = self.tests[split]
        more = {"sample_weight": self.rows["weights"][test]} if self.takes_weights else {}
        return float(self.scorer(self.model(coef, intercept, test), X, labels, **more))


class JointJudge:
    """The same for models of several outputs."""

    def __init__(self, estimator: Any, X: Any, rows: dict[str, Any], classes: Any) -> None:
        from .classification import ConstrainedClassifier
        from .regression import ConstrainedRegressor

        self.kind = ConstrainedRegressor if classes is None else ConstrainedClassifier
        self.parameters = {"loss": estimator.loss, "fit_intercept": estimator.fit_intercept}
        self.X, self.rows, self.classes = X, rows, classes
        self.labels = joint_labels(rows, classes)
        self.scorer = scorer_of(estimator.scoring)
        self.takes_weights = rows["weights"] is not None and _takes_weights(self.scorer)
        self.tests: list[Any] = []

    def hold_out(self, tests: Any) -> None:
        """Takes the rows that each split holds out."""
        self.tests = [(self.X[test], self.labels[test], test) for test in map(np.array, tests)]

    def model(self, coef: Any, intercepts: Any, test: Any) -> Any:
        """An estimator with these coefficients, feature by feature, whose predictions add the offset of the rows."""
        model: Any = self.kind(**self.parameters)
        model.n_features_in_ = self.X.shape[1]
        model.coef_ = np.ascontiguousarray(coef.reshape(self.X.shape[1], -1).T)
        model.intercept_ = intercepts if len(intercepts) else np.zeros(len(model.coef_))
        if self.classes is not None:
            model.classes_ = np.asarray(self.classes)
        model._results = [{"coef": model.coef_, "intercept": model.intercept_, "outputs": []}]
        if self.rows["offset"] is not None:
            predictors, offset = model._predictors, self.rows["offset"][test]
            model._predictors = lambda X, _=None: predictors(X, offset)
        return model

    def __call__(self, split: int, coef: Any, intercepts: Any) -> float:
        """The score of a model on the rows that a split holds out."""
        X, labels, test = self.tests[split]
        more = {"sample_weight": self.rows["weights"][test]} if self.takes_weights else {}
        return float(self.scorer(self.model(coef, intercepts, test), X, labels, **more))


def joint_labels(rows: dict[str, Any], classes: Any) -> Any:
    """The response as the user gave it: rows of numbers, or one of several classes."""
    responses = rows["responses"]
    return responses if classes is None else np.asarray(classes)[responses[:, 0].astype(int)]


def held_out_of_outputs(
    estimator: Any, data: tuple[Any, dict[str, Any], Any], groups: Any, seed: int
) -> dict[str, Any]:
    """What the library is told about ``cv`` and ``scoring`` for several outputs; ``data`` are X, rows and classes."""
    X, rows, classes = data
    labels = joint_labels(rows, classes)
    plan = splits_of(estimator.cv, labels, groups, getattr(estimator, "_kept", None))
    names = OF_RESPONSES if classes is None else OF_CLASSES
    name = names.get(estimator.scoring) if isinstance(estimator.scoring, str) else None
    if name is not None:
        return plan | {"scoring": name, "scorer": None}
    if isinstance(estimator.scoring, str) and estimator.scoring in OWN:
        known = ", ".join(OF_RESPONSES if classes is None else OF_CLASSES)
        raise ValueError(f"scoring={estimator.scoring!r} is not there for several outputs: it is {known} or a function")
    judge = JointJudge(estimator, X, rows, classes)
    if plan["splits"] is None:
        codes = None if classes is None else rows["responses"][:, 0].tolist()
        parts = np.array(_proxdist.folds(len(labels), plan["folds"], codes, seed))
        plan["splits"] = [(np.flatnonzero(parts != fold), np.flatnonzero(parts == fold)) for fold in np.unique(parts)]
    judge.hold_out(test for _, test in plan["splits"])
    return plan | {"scoring": "loss", "scorer": judge}


def labels_of(rows: dict[str, Any], classes: Any) -> Any:
    """The response as the user gave it: numbers, or one of two classes."""
    response = rows["response"]
    return response if classes is None else np.asarray(classes)[response.astype(int)]


def held_out(estimator: Any, data: tuple[Any, dict[str, Any], Any], groups: Any, seed: int) -> dict[str, Any]:
    """What the library is told about an estimator's ``cv`` and ``scoring``; ``data`` are X, rows and classes."""
    X, rows, classes = data
    plan = splits_of(estimator.cv, labels_of(rows, classes), groups, getattr(estimator, "_kept", None))
    name = name_of(estimator.scoring, estimator.loss)
    if name is not None:
        return plan | {"scoring": name, "scorer": None}
    judge = Judge(estimator, X, rows, classes)
    if plan["splits"] is None:
        labels = None if classes is None else rows["response"].tolist()
        parts = np.array(_proxdist.folds(len(rows["response"]), plan["folds"], labels, seed))
        plan["splits"] = [(np.flatnonzero(parts != fold), np.flatnonzero(parts == fold)) for fold in np.unique(parts)]
    judge.hold_out(test for _, test in plan["splits"])
    return plan | {"scoring": "loss", "scorer": judge}


def matrix(borrowed: Any) -> Any:
    """The rows that were handed to the compiled part."""
    if isinstance(borrowed, tuple):
        data, indices, starts, columns = borrowed
        return sparse.csr_matrix((data, indices, starts), shape=(len(starts) - 1, columns))
    return borrowed
