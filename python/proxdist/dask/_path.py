"""Models of all sizes on Dask collections.

A path looks at its columns again and again, so they come to the driver: all columns of all rows where its memory allows
that, and then the result is that of the local path; otherwise those that matter on a sample of the rows, for sizes far
beyond the largest. ``columns_`` says which.
"""

from __future__ import annotations

from math import lgamma
from typing import Any

import numpy as np

from .. import _proxdist
from .._input import whole
from .._losses import grammar
from .._search import LARGEST
from ..parts._fit import check_parameters, take_features
from ..parts._spread import Spread
from ..path import SparsePath as Local
from ._collections import parts_of
from ._engine import DaskEngine
from ._estimators import (
    ConstrainedClassifier,
    ConstrainedRegressor,
    Linked,
    with_client,
    with_response,
    without_exposure,
)


class SparsePath(Linked, Local):
    """:class:`proxdist.SparsePath` on Dask collections: same parameters and attributes.

    ``client`` is the Dask client to use, by default the one that was started last (``client_``). ``columns_`` are the
    columns that came to the driver: all of them where its memory allows it. ``best()`` fits the chosen size to all rows
    and columns on the workers.
    """

    _local = Local
    __init__ = with_client(Local)

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        offset: Any = None,
        groups: Any = None,
        exposure: Any = None,
    ) -> SparsePath:
        """Finds the models. All arguments but ``groups``, an array, are collections with the same partitions."""
        without_exposure(exposure)
        with_response(y)
        check_parameters(self)
        self._check()
        client, parts = self.client_, parts_of(X, y, sample_weight, offset)
        ridges, settings = self._ridges(), self._settings()
        with DaskEngine(client, parts) as engine:
            spread = Spread(engine, self._is_classification())
            take_features(self, spread)
            if self._is_classification():
                self.classes_ = self._two_classes(spread.plan.classes)
            if self.constraint is not None:
                raise ValueError("a path on partitions is one of free choices: leave constraint out, or fit each size")
            self._take_set()
            most = min(LARGEST, self.n_features_in_) if self.largest is None else whole("largest", self.largest, 1)
            if most > self.n_features_in_:
                raise ValueError(f"largest={most} features, but there are {self.n_features_in_}")
            backend = spread.backend(grammar(self.loss), 1 if self._is_classification() else None)
            gathered = _proxdist.gather_for_path(backend, self._problem(most), settings, (most, ridges))
        self.columns_ = np.array(gathered["chosen"], dtype=int)
        rows = {key: gathered[key] if len(gathered[key]) else None for key in ("response", "weights", "offset")}
        here = gathered["values"].reshape(-1, len(self.columns_))
        largest = min(self._largest(rows), len(self.columns_))
        self._keep(self._widened(self._find(here, rows, largest, groups)))
        self._training = (X, y, {"sample_weight": sample_weight, "offset": offset})
        return self

    def _widened(self, found: dict[str, Any]) -> dict[str, Any]:
        """What was found on some columns, in terms of all."""
        all_columns, some = self.n_features_in_, len(self.columns_)
        if some == all_columns:
            return found
        coefficients = np.zeros((len(found["coef"]), all_columns))
        coefficients[:, self.columns_] = found["coef"]
        supports = [self.columns_[support].tolist() for support in found["support"]]
        ebic = found["ebic"]
        if ebic is not None:
            # The number of choices is that among all columns.
            more = [2 * (choices(all_columns, len(s)) - choices(some, len(s))) for s in supports]
            ebic = [value + extra for value, extra in zip(ebic, more, strict=True)]
        return found | {"coef": coefficients, "support": supports, "ebic": ebic}

    def _names(self) -> None:
        """Some of the columns have come; those have no names."""

    def _kind(self) -> Any:
        return ConstrainedClassifier if self._is_classification() else ConstrainedRegressor

    def _more(self) -> dict[str, Any]:
        return {"client": self.client}


def choices(among: int, count: int) -> float:
    """The logarithm of the number of ways to choose so many."""
    return lgamma(among + 1) - lgamma(count + 1) - lgamma(among - count + 1)
