"""What comes in: frames by the library's own encoding, formulas by theirs, everything else by scikit-learn's checks.

Rows that are left out because of missing values are left out together with all that belongs to them. Columns that come in
are ``feature_names_in_``; what they become are the features of the model, ``get_feature_names_out()``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array, check_consistent_length, check_X_y
from sklearn.utils.validation import _get_feature_names, check_is_fitted, validate_data

from . import _formula, _proxdist
from ._frames import (
    column_in,
    columns_of,
    columns_of_array,
    gaps,
    is_plain,
    library_of,
    names_of,
    plain_values,
    some_rows,
)
from ._input import DTYPES, known_part

#: Says that there is no ``y`` to be checked.
NO_Y = "no_validation"


@dataclass(frozen=True)
class Reading:
    """How frames are read."""

    missing: str = "error"
    unknown: str = "error"
    categories: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, value, known in (
            ("missing", self.missing, ("error", "drop", "mean", "indicator")),
            ("unknown", self.unknown, ("error", "zero")),
        ):
            if value not in known:
                raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")


class TableEncoding:
    """How the columns of a table become features, as the library has settled it."""

    def __init__(self, schema: str) -> None:
        self.schema = schema
        self.names, self.origins = _proxdist.schema_features(schema)
        #: Whether rows of numbers are features as they stand.
        self.is_plain = _proxdist.schema_is_plain(schema)

    @property
    def columns(self) -> list[str]:
        """The columns that it is about, in their order."""
        known = json.loads(self.schema)
        numbered = known.get("numbered")
        if numbered is not None:
            return [f"V{at + 1}" for at in range(numbered)]
        return [column["name"] for column in known.get("columns", [])]

    def apply(self, columns: Any, reading: Reading, left_out: Any) -> tuple[Any, Any]:
        """The features of new rows, and which rows they are."""
        found = _encode(columns, reading, self.schema, left_out)
        return _matrix(found), _kept(found, columns)


def _encode(columns: Any, reading: Reading, schema: str | None, left_out: Any) -> dict[str, Any]:
    asked = {
        "missing": reading.missing,
        "unknown": reading.unknown,
        "categorical": list(reading.categories) if schema is None else [],
        "schema": schema,
        "left_out": left_out,
    }
    return _proxdist.encode_frame(columns, asked)


def _matrix(found: dict[str, Any]) -> Any:
    if isinstance(found["values"], tuple):
        data, indices, starts, columns = found["values"]
        return sparse.csr_matrix((data, indices, starts), shape=(len(starts) - 1, columns))
    return found["values"]


def _kept(found: dict[str, Any], columns: Any) -> Any:
    values = next(column for _, column in columns if not isinstance(column, str))
    rows = len(values[0] if isinstance(values, tuple) else values)
    kept = np.ones(rows, dtype=bool)
    kept[found["dropped"]] = False
    return kept


@dataclass
class Admitted:
    """Rows that came in: features, response and what else belongs to rows, without those left out."""

    X: Any
    y: Any = None
    beside: dict[str, Any] = field(default_factory=dict)
    #: Which rows are there, of all that came; ``None`` if all are.
    kept: Any = None

    def __getitem__(self, name: str) -> Any:
        return self.beside.get(name)

    def full(self, values: Any) -> Any:
        """Answers for all rows that came: none (NaN, or ``None`` for labels) for those left out."""
        if self.kept is None or self.kept.all():
            return values
        shape = (len(self.kept), *values.shape[1:])
        none: Any = np.full(shape, np.nan) if values.dtype.kind == "f" else np.full(shape, None, dtype=object)
        none[self.kept] = values
        return none


class Admission:
    """How data come into an estimator; stands before scikit-learn's classes."""

    _encoding: Any
    _known: tuple[str, str | None] | None
    #: The parameter that names columns of codes.
    _coded = "categories"

    def _reading(self: Any) -> Reading:
        asked = getattr(self, self._coded, "auto")
        if asked is None or (isinstance(asked, str) and asked != "auto"):
            raise ValueError(f"{self._coded} must be 'auto' or a list of columns, got {asked!r}")
        names = () if isinstance(asked, str) else tuple(map(str, asked))
        return Reading(getattr(self, "missing", "error"), getattr(self, "unknown", "error"), names)

    def _admit(
        self: Any, X: Any, y: Any = NO_Y, beside: dict[str, Any] | None = None, *, reset: bool, **options: Any
    ) -> Admitted:
        """Checks ``X``, ``y`` and what is ``beside`` them, and leaves out rows with gaps where that is asked for."""
        reading, beside = self._reading(), {k: v for k, v in (beside or {}).items() if v is not None}
        formula = getattr(self, "formula", None)
        if formula is not None and y is None:
            y = _formula.response(formula, X)
        elif formula is not None and reset and not isinstance(y, str) and _formula.has_response(formula):
            raise ValueError("y is given twice: by the formula and as y; leave one of them out")
        is_counted = isinstance(y, str) or y is None
        y = y if is_counted else plain_values(y)
        per_row = {k: v for k, v in beside.items() if not np.isscalar(v)}
        left_out = None
        if reading.missing != "error":
            each = [gaps(v) for v in (*([] if is_counted else [y]), *per_row.values())]
            found = [gap for gap in each if gap is not None and len(gap) == _rows_of(X)]
            left_out = np.logical_or.reduce(found) if found else None
            left_out = left_out if left_out is not None and left_out.any() else None
        encoded = self._encoded(X, reading, left_out, reset)
        kept = encoded[1] if encoded is not None else (None if left_out is None else ~left_out)
        if kept is not None and not kept.all():
            check_consistent_length(kept, *([] if is_counted else [y]), *per_row.values())
            y = y if is_counted else some_rows(y, kept)
            beside |= {k: some_rows(v, kept) for k, v in per_row.items()}
        if encoded is None:
            X = X if kept is None or kept.all() else some_rows(X, kept)
            X, y = self._checked(X, y, reset=reset, **options)
        else:
            X, y = self._checked_encoded(encoded[0], y, **options)
        return Admitted(X, None if isinstance(y, str) else y, beside, kept)

    def _checked(self: Any, X: Any, y: Any, *, reset: bool, **options: Any) -> tuple[Any, Any]:
        """scikit-learn's checks. Names of the columns of a frame become ``feature_names_in_``."""
        try:
            found = validate_data(self, X, y, reset=reset, accept_sparse="csr", dtype=DTYPES, **options)
        except ValueError as fault:
            raise _with_place(X, fault) from None
        return (found, y) if isinstance(y, str) and y == NO_Y else found

    def _checked_encoded(self: Any, X: Any, y: Any, **options: Any) -> tuple[Any, Any]:
        if isinstance(y, str):
            return X, y
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        found: tuple[Any, Any] = check_X_y(X, y, accept_sparse="csr", dtype=DTYPES, estimator=self, **options)
        return found

    def _encoded(self: Any, X: Any, reading: Reading, left_out: Any, reset: bool) -> Any:
        """Features and rows that are left, where ``X`` is not taken as it is; ``None`` where it is."""
        formula = getattr(self, "formula", None)
        if formula is not None:
            _formula.check(reading)
            if not reset:
                return self._encoding.apply(X, reading, left_out)
            self._encoding, made = _formula.settle(formula, X, reading, left_out)
            self._take_columns(self._encoding.variables)
            return made
        if not reset:
            encoding = getattr(self, "_encoding", None)
            if encoding is None or sparse.issparse(X) or (encoding.is_plain and not self._is_read(X, reading)):
                return None
            return encoding.apply(self._columns_again(X, encoding), reading, left_out)
        self.__dict__.pop("_encoding", None)
        is_frame = library_of(X) is not None
        is_asked = bool(reading.categories) or reading.missing != "error"
        if sparse.issparse(X) or not (is_asked or (is_frame and not is_plain(X))):
            return None
        if is_frame:
            names = [str(name) for name in names_of(X)]
            if len(set(names)) < len(names):
                again = next(name for at, name in enumerate(names) if name in names[:at])
                raise ValueError(f"X has two columns called {again!r}")
            given, columns = _get_feature_names(X), columns_of(X)
        else:
            X = check_array(X, dtype=None, ensure_all_finite=False, estimator=self)
            given, names = None, [f"V{at + 1}" for at in range(X.shape[1])]
            columns = columns_of_array(X, names)
        found = _encode(columns, reading, None, left_out)
        self._encoding = TableEncoding(found["schema"])
        self._take_columns(names if given is not None else len(names))
        return _matrix(found), _kept(found, columns)

    def _is_read(self: Any, X: Any, reading: Reading) -> bool:
        """Whether rows for a model of plain columns may have gaps, or are a frame with other columns or kinds of them."""
        if library_of(X) is None:
            return reading.missing != "error"
        known = list(getattr(self, "feature_names_in_", []))
        return reading.missing != "error" or (bool(known) and (not is_plain(X) or list(map(str, names_of(X))) != known))

    def _columns_again(self: Any, X: Any, encoding: TableEncoding) -> Any:
        """The columns of new rows; those of an array are in the order of the fit."""
        if library_of(X) is not None:
            return columns_of(X)
        X = check_array(X, dtype=None, ensure_all_finite=False, estimator=self)
        names = encoding.columns
        if X.shape[1] != len(names):
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {len(names)} features as input"
            )
        return columns_of_array(X, names)

    def _take_columns(self: Any, names: Any) -> None:
        """Keeps the columns that came in, as scikit-learn has them: names where there are any, else their number."""
        self.__dict__.pop("feature_names_in_", None)
        if isinstance(names, int):
            self.n_features_in_ = names
            return
        self.n_features_in_ = len(names)
        self.feature_names_in_ = np.array(names, dtype=object)

    def _names(self: Any) -> list[str] | None:
        """The names of the features, if they have any."""
        encoding = getattr(self, "_encoding", None)
        if encoding is not None:
            return list(encoding.names)
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]

    def _origins(self: Any) -> list[int] | None:
        """For each feature with a name, the number of the column that it comes from."""
        encoding = getattr(self, "_encoding", None)
        if encoding is not None:
            return list(encoding.origins)
        return list(range(self.n_features_in_)) if hasattr(self, "feature_names_in_") else None

    def _width(self: Any) -> int:
        """The number of features of the model, one for each coefficient."""
        encoding = getattr(self, "_encoding", None)
        return int(self.n_features_in_) if encoding is None else len(encoding.names)

    def get_feature_names_out(self: Any, input_features: Any = None) -> Any:
        """The names of the features, one for each coefficient: indicator columns are called ``column=level``."""
        check_is_fitted(self)
        names = self._names()
        if names is None and input_features is not None and len(input_features) == self._width():
            names = [str(name) for name in input_features]
        return np.array(names or [f"x{j}" for j in range(self._width())], dtype=object)

    def _note_known(self: Any, offset: Any, exposure: Any) -> None:
        """Remembers that a fit had a known part, and what its column is called."""
        self._known = None
        for kind, values in (("exposure", exposure), ("offset", offset)):
            if values is not None:
                name = getattr(values, "name", None)
                self._known = (kind, name if isinstance(name, str) else None)

    def _known_part(self: Any, X: Any, offset: Any, exposure: Any = None) -> Any:
        """The known part of the predictors of new rows. A model that was fitted with one does not predict without."""
        known = getattr(self, "_known", None)
        if known is not None and offset is None and exposure is None:
            kind, name = known
            if name is not None and library_of(X) is not None and name in names_of(X):
                values = column_in(X, name)
                return known_part(self.loss, None, values) if kind == "exposure" else values
            none = "exposure=1 for rates per unit" if kind == "exposure" else "offset=0 for none"
            called = "" if name is None else f" ({name})"
            raise ValueError(
                f"the model was fitted with an {kind}{called}, and its predictions need one too: give {kind}= for these "
                f"rows, or {none}"
            )
        return known_part(getattr(self, "loss", None), offset, exposure, self._reading().missing != "error")


def _rows_of(X: Any) -> int:
    shape = getattr(X, "shape", None)
    return int(shape[0]) if shape else len(X)


def _with_place(X: Any, fault: ValueError) -> ValueError:
    """The fault of a value that is no number in a frame, with its row and column."""
    if library_of(X) is None or not ("NaN" in str(fault) or "infinity" in str(fault)) or "Input y" in str(fault):
        return fault
    for at, (name, values) in enumerate(columns_of(X)):
        if isinstance(values, np.ndarray) and values.dtype.kind == "f" and not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            what = "the value is missing (NaN)" if np.isnan(values[row]) else "the value is infinite"
            remedy = "missing='drop' leaves such rows out, 'mean' fills in means, 'indicator' also marks them"
            return ValueError(f"X, row {row + 1}, column {at + 1} ({name}): {what}; {remedy}\n{fault}")
    return fault
