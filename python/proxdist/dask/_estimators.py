"""The estimators: those for rows at hand, fitted to collections."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .. import classification, regression
from .._classification import Classification, _has_probabilities
from .._progress import Progress
from .._regression import Regression
from ..parts._fit import fit_on
from ..regression import _Matrices
from ._collections import is_spread, parts_of
from ._engine import DaskEngine, check_client
from ._lazy import Predicting, lazily
from ._scores import Scoring, accuracy, r_squared


def with_client(local: type) -> Any:
    """An ``__init__`` with the parameters of a local estimator, and a client."""

    def __init__(self: Any, *arguments: Any, client: Any = None, **parameters: Any) -> None:
        local.__init__(self, *arguments, **parameters)  # type: ignore[misc]
        self.client = client

    signature = inspect.signature(local.__init__)  # type: ignore[misc]
    client = inspect.Parameter("client", inspect.Parameter.KEYWORD_ONLY, default=None)
    __init__.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*signature.parameters.values(), client], return_annotation=None
    )
    return __init__


class Linked:
    """What has a client."""

    client: Any

    @property
    def client_(self) -> Any:
        """The client in use: ``client``, or the one that was started last."""
        return check_client(self.client)

    def __sklearn_clone__(self: Any) -> Any:
        return type(self)(**self.get_params(deep=False))

    def __getstate__(self: Any) -> dict[str, Any]:
        # A client belongs to a process.
        state: Any = super().__getstate__()
        return {**state, "client": None}


def without_exposure(exposure: Any) -> None:
    """Refuses what partitions do not have."""
    if exposure is not None:
        raise TypeError("exposure is not available for collections: give offset=numpy.log(exposure)")


def with_response(y: Any) -> None:
    """Refuses what has none: formulas are for rows at hand."""
    if y is None:
        raise ValueError("y is needed: a fit to collections requires y to be passed, but the target y is None")


class OnDask(Linked):
    """What estimators on collections have besides those on rows at hand."""

    #: The estimator for rows at hand.
    _local: type

    def fit(
        self: Any, X: Any, y: Any = None, sample_weight: Any = None, offset: Any = None, *, exposure: Any = None
    ) -> Any:
        """Fits the model to a dask array, a dask data frame or a list of delayed partitions.

        ``y``, ``sample_weight`` (weights of rows) and ``offset`` (a known part of each linear predictor) are
        collections with the same partitions. Text columns of a frame become indicator columns.
        """
        without_exposure(exposure)
        with_response(y)
        self._check_loss()
        client, parts = self.client_, parts_of(X, y, sample_weight, offset)
        with (
            Progress(1) as progress,
            DaskEngine(client, parts, progress.partitions if self.verbose else None) as engine,
        ):
            self._plan = fit_on(self, engine)
        return self

    def to_local(self: Any) -> Any:
        """The same model for rows at hand: numpy arrays, sparse matrices, frames of the features by name."""
        check_is_fitted(self)
        model = self._local(**{name: value for name, value in self.get_params(deep=False).items() if name != "client"})
        kept = {name: value for name, value in vars(self).items() if name.endswith("_") or name.startswith("_")}
        vars(model).update({name: value for name, value in kept.items() if name != "_plan"})
        return model

    def _lazy(self: Any, method: str, kind: Any, width: int | None) -> Predicting:
        check_is_fitted(self)
        return Predicting(self.to_local(), self._plan, method, np.dtype(kind), width)

    def _sums(self: Any, parts: Any, task: Predicting) -> Any:
        with DaskEngine(self.client_, parts) as engine:
            return engine.map(Scoring(task))

    def certify(self, *arguments: Any, **options: Any) -> Any:
        """A proof needs all rows at hand: ``to_local().certify(X, y)`` on data that fit in memory."""
        raise NotImplementedError(
            "certify needs all rows at hand: use to_local().certify(X, y) where they fit in memory"
        )


class _OnDaskRegression(OnDask, Regression):
    def predict(self, X: Any, offset: Any = None, *, exposure: Any = None) -> Any:
        """Mean responses, as a collection of the same kind as ``X``, not yet computed."""
        without_exposure(exposure)
        return lazily(self._lazy("predict", np.float64, None), X, offset)

    def score(
        self, X: Any, y: Any = None, sample_weight: Any = None, offset: Any = None, *, exposure: Any = None
    ) -> float:
        """The share of the variance of ``y`` that predictions explain."""
        without_exposure(exposure)
        if not is_spread(X):
            return float(self.to_local().score(X, y, sample_weight, offset))
        return r_squared(self._sums(parts_of(X, y, sample_weight, offset), self._lazy("predict", np.float64, None)))


class ConstrainedRegressor(_OnDaskRegression):
    """:class:`proxdist.ConstrainedRegressor` on Dask collections: same parameters, same result.

    ``client`` is the Dask client to use, by default the one that was started last (``client_``). ``predict`` returns
    collections that are not yet computed, ``score`` a number, ``to_local()`` the model for rows at hand.
    """

    _local = regression.ConstrainedRegressor
    __init__ = with_client(regression.ConstrainedRegressor)


class MatrixRegressor(_OnDaskRegression, _Matrices):
    """:class:`proxdist.MatrixRegressor` on Dask collections: arrays of matrices, or flat rows with ``shape``."""

    _local = regression.MatrixRegressor
    __init__ = with_client(regression.MatrixRegressor)


class ConstrainedClassifier(OnDask, Classification):
    """:class:`proxdist.ConstrainedClassifier` on Dask collections: same parameters, same result.

    ``client`` is the Dask client to use, by default the one that was started last (``client_``). ``predict``,
    ``predict_proba`` and ``decision_function`` return collections that are not yet computed, ``score`` a number,
    ``to_local()`` the model for rows at hand.
    """

    _local = classification.ConstrainedClassifier
    __init__ = with_client(classification.ConstrainedClassifier)

    def decision_function(self, X: Any, offset: Any = None) -> Any:
        """Linear predictors: one for each row of two classes, one for each row and class of more."""
        check_is_fitted(self)
        width = None if len(self._results) == 1 else len(self._results)
        return lazily(self._lazy("decision_function", np.float64, width), X, offset)

    def predict(self, X: Any, offset: Any = None) -> Any:
        """The likeliest class of each row."""
        check_is_fitted(self)
        return lazily(self._lazy("predict", self.classes_.dtype, None), X, offset)

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any, offset: Any = None) -> Any:
        """Probabilities of the classes, one column for each."""
        check_is_fitted(self)
        return lazily(self._lazy("predict_proba", np.float64, len(self.classes_)), X, offset)

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any, offset: Any = None) -> Any:
        """Logarithms of the probabilities."""
        check_is_fitted(self)
        return lazily(self._lazy("predict_log_proba", np.float64, len(self.classes_)), X, offset)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None, offset: Any = None) -> float:
        """The share of rows whose class is predicted right."""
        if not is_spread(X):
            return float(self.to_local().score(X, y, sample_weight, offset))
        return accuracy(
            self._sums(parts_of(X, y, sample_weight, offset), self._lazy("predict", self.classes_.dtype, None))
        )
