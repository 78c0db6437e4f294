"""Statistical models under exact constraints.

    >>> from proxdist import ConstrainedClassifier, Sparsity
    >>> model = ConstrainedClassifier(constraint=Sparsity(20)).fit(X, y)      # doctest: +SKIP
    >>> model.support_, model.certificate_                                    # doctest: +SKIP

Estimators have the manners of scikit-learn, which is imported when the first of them is used: importing this package
is quick. Sets are small objects (``Sparsity(20)``, ``NonNegative() & Ball(1.0)``) or text (``"sparsity:20"``);
``constraints()`` lists them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._proxdist import __version__, constraints, losses
from .sets import (
    Affine,
    Ball,
    Blocks,
    Box,
    Concave,
    Cone,
    ConstraintSet,
    Convex,
    Entries,
    Fused,
    GroupSparsity,
    HalfSpace,
    Jumps,
    Kinks,
    L1Ball,
    Linear,
    LinfBall,
    Monotone,
    NonNegative,
    Polyhedron,
    Projection,
    Rank,
    Rows,
    Selection,
    Simplex,
    Sparsity,
    SupportRule,
    WholeSpace,
    parse,
    project,
)

if TYPE_CHECKING:
    from .bins import Binner
    from .classification import ConstrainedClassifier, ConstrainedClassifierCV, MatrixClassifier
    from .curve import CurveRegressor
    from .files import load
    from .joint_search import ConstrainedCoxCV, ConstrainedOrdinalCV
    from .ordinal import ConstrainedOrdinal
    from .path import SparsePath
    from .regression import ConstrainedRegressor, ConstrainedRegressorCV, MatrixRegressor
    from .survival import ConstrainedCox

# Modules that need scikit-learn, by what they are asked for.
_LATER = {
    "Binner": "bins",
    "ConstrainedClassifier": "classification",
    "ConstrainedClassifierCV": "classification",
    "ConstrainedCox": "survival",
    "ConstrainedCoxCV": "joint_search",
    "ConstrainedOrdinal": "ordinal",
    "ConstrainedOrdinalCV": "joint_search",
    "ConstrainedRegressor": "regression",
    "ConstrainedRegressorCV": "regression",
    "CurveRegressor": "curve",
    "MatrixClassifier": "classification",
    "MatrixRegressor": "regression",
    "SparsePath": "path",
    "load": "files",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_LATER])


__all__ = [
    "Affine",
    "Ball",
    "Binner",
    "Blocks",
    "Box",
    "Concave",
    "Cone",
    "ConstrainedClassifier",
    "ConstrainedClassifierCV",
    "ConstrainedCox",
    "ConstrainedCoxCV",
    "ConstrainedOrdinal",
    "ConstrainedOrdinalCV",
    "ConstrainedRegressor",
    "ConstrainedRegressorCV",
    "ConstraintSet",
    "Convex",
    "CurveRegressor",
    "Entries",
    "Fused",
    "GroupSparsity",
    "HalfSpace",
    "Jumps",
    "Kinks",
    "L1Ball",
    "Linear",
    "LinfBall",
    "MatrixClassifier",
    "MatrixRegressor",
    "Monotone",
    "NonNegative",
    "Polyhedron",
    "Projection",
    "Rank",
    "Rows",
    "Selection",
    "Simplex",
    "SparsePath",
    "Sparsity",
    "SupportRule",
    "WholeSpace",
    "__version__",
    "constraints",
    "load",
    "losses",
    "parse",
    "project",
]
