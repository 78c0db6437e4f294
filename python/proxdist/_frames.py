"""Data frames as the compiled part takes them: one plain array for each column, whoever made the frame.

Numbers (nullable ones too) become doubles with NaN for what is missing, booleans 1, 0 and -1 (missing), texts and
categories the numbers of their levels. What each of them becomes is the business of the library, which reads frames as it
reads files.
"""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

#: The name of a column and its values, in one of the forms that the compiled part takes.
Column = tuple[str, Any]


def library_of(X: Any) -> str | None:
    """The library of a data frame; ``None`` for everything else."""
    name = type(X).__module__.partition(".")[0]
    if name == "pandas":
        return name if hasattr(X, "columns") else None
    if name == "polars":
        return name if type(X).__name__ == "DataFrame" else None
    return name if name == "pyarrow" and hasattr(X, "column_names") else None


def names_of(frame: Any) -> list[Any]:
    """The names of the columns."""
    return list(frame.column_names if library_of(frame) == "pyarrow" else frame.columns)


def is_plain(frame: Any) -> bool:
    """Whether a frame holds numbers alone, none of them known to be missing: it is then read where it is."""
    library = library_of(frame)
    if library == "pandas":
        return all(_is_plain_dtype(dtype) for dtype in frame.dtypes)
    if library == "polars":
        return all(dtype.is_numeric() and not dtype.is_decimal() for dtype in frame.dtypes) and not any(
            column.null_count() for column in frame.get_columns()
        )
    return False


def _is_plain_dtype(dtype: Any) -> bool:
    if isinstance(dtype, np.dtype):
        return dtype.kind in "iuf"
    subtype = getattr(dtype, "subtype", None)
    # Sparse columns are scikit-learn's business.
    return type(dtype).__name__ == "SparseDtype" and getattr(subtype, "kind", "O") in "iufb"


def columns_of(frame: Any) -> list[Column]:
    """The columns of a frame, each as an array."""
    library = library_of(frame)
    if library == "pandas":
        names = [str(name) for name in frame.columns]
        return [(name, _of_pandas(frame.iloc[:, at])) for at, name in enumerate(names)]
    if library == "polars":
        return [(column.name, _of_polars(column)) for column in frame.get_columns()]
    return [(str(name), _of_pyarrow(frame.column(at))) for at, name in enumerate(frame.column_names)]


def columns_of_array(X: Any, names: list[str]) -> list[Column]:
    """The columns of a matrix of numbers or of objects."""
    if X.dtype.kind in "fiub":
        return [(name, np.ascontiguousarray(X[:, at], dtype=np.float64)) for at, name in enumerate(names)]
    return [(name, _of_objects(X[:, at])) for at, name in enumerate(names)]


def is_missing(value: Any) -> bool:
    """Whether one value of a column of objects is missing."""
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, Real) and value != value)
    )


def _of_objects(values: Any) -> Any:
    """A column of Python objects, by the numbers of its different values."""
    places: dict[Any, int] = {}
    codes = np.empty(len(values), dtype=np.int64)
    try:
        for row, value in enumerate(values.tolist()):
            # True and 1 are equal, and not the same.
            codes[row] = -1 if is_missing(value) else places.setdefault((type(value), value), len(places))
    except TypeError:
        return "object"
    return _of_levels(codes, [value for _, value in places])


def _of_levels(codes: Any, levels: list[Any]) -> Any:
    """Flags, numbers or texts, by what the different values are; anything else by the name of its type."""
    codes = np.ascontiguousarray(codes, dtype=np.int64)
    if levels and all(isinstance(level, (bool, np.bool_)) for level in levels):
        return np.array([*map(int, levels), -1], dtype=np.int8)[codes]
    if levels and all(
        isinstance(level, (Real, Decimal)) and not isinstance(level, (bool, np.bool_)) for level in levels
    ):
        return np.array([*map(float, levels), np.nan])[codes]
    strange = next((level for level in levels if not isinstance(level, (str, bool, np.bool_, Real, Decimal))), None)
    return (codes, [str(level) for level in levels]) if strange is None else type(strange).__name__


def _of_pandas(column: Any) -> Any:
    import pandas
    from pandas.api import types

    dtype = column.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        return column.cat.codes.to_numpy().astype(np.int64), [str(level) for level in dtype.categories]
    if types.is_bool_dtype(dtype):
        return column.astype("Int8").to_numpy(dtype=np.int8, na_value=-1)
    if types.is_numeric_dtype(dtype) and not types.is_complex_dtype(dtype):
        return np.ascontiguousarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    if dtype == object or types.is_string_dtype(dtype):
        if dtype == object and any(isinstance(value, (bool, np.bool_)) for value in column):
            # Factors of objects take True for 1.
            return _of_objects(column.to_numpy(dtype=object))
        try:
            codes, levels = pandas.factorize(column)
        except TypeError:
            return "object"
        return _of_levels(codes, levels.tolist())
    return str(dtype)


def _of_polars(column: Any) -> Any:
    import polars

    dtype = column.dtype
    if dtype == polars.Boolean:
        return column.cast(polars.Int8).fill_null(-1).to_numpy()
    if dtype.is_numeric() or dtype == polars.Null:
        return np.ascontiguousarray(column.cast(polars.Float64).fill_null(float("nan")).to_numpy())
    if dtype in (polars.String, polars.Categorical, polars.Enum):
        texts = column.cast(polars.String)
        return _of_texts(texts.is_null().to_numpy(), texts.drop_nulls().to_list())
    return str(dtype).lower()


def _of_pyarrow(column: Any) -> Any:
    import pyarrow
    from pyarrow import compute, types

    kind = column.type
    if types.is_boolean(kind):
        return np.ascontiguousarray(compute.fill_null(column.cast(pyarrow.int8()), -1).to_numpy())
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) or types.is_null(kind):
        return np.ascontiguousarray(compute.fill_null(column.cast(pyarrow.float64()), float("nan")).to_numpy())
    if types.is_dictionary(kind) or types.is_string(kind) or types.is_large_string(kind):
        texts = column.cast(pyarrow.string())
        return _of_texts(
            np.asarray(texts.is_null().to_numpy(), dtype=bool), [text for text in texts.to_pylist() if text is not None]
        )
    return str(kind)


def _of_texts(missing: Any, texts: list[str]) -> Any:
    """Texts by the numbers of the different ones; ``texts`` are those that are not missing."""
    codes = np.full(len(missing), -1, dtype=np.int64)
    places: dict[str, int] = {}
    codes[~missing] = [places.setdefault(text, len(places)) for text in texts]
    return codes, list(places)


def column_in(frame: Any, name: str) -> Any:
    """The numbers of a column of a frame."""
    library = library_of(frame)
    values = frame.column(name) if library == "pyarrow" else frame[name]
    return np.asarray(values.to_numpy(), dtype=np.float64)


def gaps(values: Any) -> Any:
    """Where something that belongs to rows is missing: one answer a row, or ``None`` where nothing can be."""
    if hasattr(values, "isna"):
        found = np.asarray(values.isna())
    elif hasattr(values, "is_null") and hasattr(values, "to_numpy"):
        found = np.asarray(values.is_null().to_numpy(), dtype=bool)
        numbers = np.asarray(values.to_numpy())
        if numbers.dtype.kind == "f":
            found = found | np.isnan(numbers)
    else:
        array = np.asarray(values)
        if array.dtype.kind == "f":
            found = np.isnan(array)
        elif array.dtype.kind == "O":
            found = np.reshape([is_missing(value) for value in array.ravel().tolist()], array.shape)
        else:
            return None
    return found.any(axis=1) if found.ndim == 2 else found


def plain_values(y: Any) -> Any:
    """A series of any library as an array that scikit-learn knows: numbers, labels or objects."""
    name = type(y).__module__.partition(".")[0]
    if name == "pandas" and getattr(y, "ndim", 0) == 1:
        kind = getattr(y.dtype, "kind", "O")
        if not isinstance(y.dtype, np.dtype) and not y.isna().any() and kind in "biuf":
            return y.to_numpy(dtype={"b": bool, "f": np.float64}.get(kind, np.int64))
        return y if isinstance(y.dtype, np.dtype) else y.to_numpy(dtype=object)
    if name == "polars" and hasattr(y, "to_numpy"):
        return y.to_numpy()
    if name == "pyarrow" and hasattr(y, "to_numpy"):
        return np.asarray(y.to_pylist())
    return y


def some_rows(values: Any, kept: Any) -> Any:
    """Some rows of what belongs to them, by a mask."""
    if hasattr(values, "iloc"):
        return values[kept]
    if type(values).__module__.partition(".")[0] in ("polars", "pyarrow"):
        return values.filter(kept)
    if hasattr(values, "tocsr"):
        return values.tocsr()[kept]
    return np.asarray(values)[kept]
