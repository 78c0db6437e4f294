"""Models under exact constraints, fitted to Dask collections.

    >>> from dask.distributed import Client
    >>> from proxdist.dask import ConstrainedClassifier
    >>> client = Client()                                                              # doctest: +SKIP
    >>> model = ConstrainedClassifier(constraint="sparsity:20").fit(X, y)              # doctest: +SKIP
    >>> model.predict_proba(X).compute()                                               # doctest: +SKIP

``X`` is a dask array (of dense or sparse chunks), a dask data frame or a list of delayed partitions. The result is
that of the local estimator on all rows, and does not depend on the number of workers. ``pip install "proxdist[dask]"``
installs what this needs.
"""

from __future__ import annotations

try:
    import distributed as _distributed  # noqa: F401
except ImportError as error:  # pragma: no cover
    raise ImportError('proxdist.dask needs Dask: pip install "proxdist[dask]"') from error

from ._estimators import ConstrainedClassifier, ConstrainedRegressor, MatrixRegressor
from ._path import SparsePath

__all__ = ["ConstrainedClassifier", "ConstrainedRegressor", "MatrixRegressor", "SparsePath"]
