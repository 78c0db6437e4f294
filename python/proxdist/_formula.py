"""Formulas such as ``salary ~ hits + C(league) + hits:years``, by the package ``formulaic``.

The intercept of the model is the model's own: a formula without one (``0 + …``) makes a model without one. What a formula
learns from the rows of the fit (levels, means of ``center``, knots of splines) is used again for new rows.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ._frames import library_of


def _formulaic() -> Any:
    try:
        import formulaic
    except ImportError as error:
        raise ImportError("a formula needs the package formulaic: pip install formulaic") from error
    return formulaic


def _as_pandas(frame: Any) -> Any:
    """The frame with rows numbered from 0, so that those that are left can be told."""
    library = library_of(frame)
    if library is None:
        raise TypeError(f"a formula speaks of the columns of a data frame, got {type(frame).__name__}")
    table = frame if library == "pandas" else frame.to_pandas()
    return table.reset_index(drop=True)


def _read(formula: str) -> tuple[Any, Any]:
    """Both sides of a formula; the left one may be missing."""
    formulaic = _formulaic()
    try:
        parsed = formulaic.Formula(formula)
    except formulaic.errors.FormulaicError as error:
        raise ValueError(f"formula {formula!r}: {_first_line(error)}") from None
    if not hasattr(parsed, "lhs"):
        if hasattr(parsed, "rhs") or not hasattr(parsed, "required_variables"):
            raise ValueError(f"formula {formula!r}: one right side is needed, as in 'y ~ a + b'")
        return None, parsed
    if isinstance(parsed.rhs, tuple) or isinstance(parsed.lhs, tuple):
        raise ValueError(f"formula {formula!r}: one left and one right side are needed, as in 'y ~ a + b'")
    return parsed.lhs, parsed.rhs


def _first_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


class FormulaEncoding:
    """How the columns of a frame become features, by a formula."""

    #: There is no schema that the command line could read raw columns by.
    schema: str | None = None

    def __init__(self, formula: str, spec: Any, has_intercept: bool) -> None:
        self.formula, self.spec, self.has_intercept = formula, spec, has_intercept
        self.names = [str(name) for name in spec.column_names if name != "Intercept"]
        terms: dict[Any, Any] = {term: columns for term, columns in spec.term_indices.items() if str(term) != "1"}
        # The indicators of one term belong together.
        self.origins = [place for place, columns in enumerate(terms.values()) for _ in columns]
        self.variables = sorted(str(name) for name in spec.required_variables)

    def apply(self, frame: Any, reading: Any, left_out: Any) -> tuple[Any, Any]:
        """The features of new rows, and which rows they are."""
        return _matrix(self.spec, frame, reading, left_out)


def settle(formula: str, frame: Any, reading: Any, left_out: Any) -> tuple[FormulaEncoding, tuple[Any, Any]]:
    """What the formula makes of the frame of a fit: the encoding, the features and which rows they are."""
    check(reading)
    _, right = _read(formula)
    table = _as_pandas(frame)
    rows = table if left_out is None else table[~left_out]
    made = _design(right, rows, reading)
    has_intercept = "Intercept" in made.columns
    if len(made.columns) == int(has_intercept):
        raise ValueError(f"formula {formula!r} has no feature on its right side")
    encoding = FormulaEncoding(formula, made.model_spec, has_intercept)
    return encoding, _kept(made, len(table))


def check(reading: Any) -> None:
    """Formulas leave rows with gaps out or refuse them."""
    if reading.missing not in ("error", "drop"):
        raise ValueError(f"missing={reading.missing!r} is not available with a formula: it is 'error' or 'drop'")
    if reading.categories:
        raise ValueError("categories is not available with a formula: write C(column) in it")


def has_response(formula: str) -> bool:
    """Whether a formula has a left side."""
    return _read(formula)[0] is not None


def response(formula: str, frame: Any) -> Any:
    """The left side of a formula for the rows of a frame, with gaps where it has them; ``None`` if there is no left side."""
    left, _ = _read(formula)
    if left is None:
        return None
    table = _as_pandas(frame)
    text = str(left).strip("`")
    if text in table.columns:
        # Labels stay labels.
        return table[text]
    formulaic = _formulaic()
    try:
        made = formulaic.Formula(f"0 + {left}").get_model_matrix(table, na_action="ignore")
    except formulaic.errors.FormulaicError as error:
        raise ValueError(f"formula {formula!r}: {_first_line(error)}") from None
    return made.iloc[:, 0] if made.shape[1] == 1 else made


def _design(spec: Any, table: Any, reading: Any) -> Any:
    formulaic = _formulaic()
    action = "raise" if reading.missing == "error" else "drop"
    with warnings.catch_warnings():
        if reading.unknown == "error":
            warnings.filterwarnings("error", message="Data has categories outside")
        else:
            warnings.filterwarnings("ignore", message="Data has categories outside")
        try:
            return spec.get_model_matrix(table, na_action=action)
        except formulaic.errors.FormulaicError as error:
            raise ValueError(f"formula: {_first_line(error)}") from None
        except formulaic.errors.DataMismatchWarning as error:
            found = str(error).partition(": ")[2].partition(". ")[0]
            raise ValueError(
                f"X has categories that did not occur in training: {found}; correct them, or take them as none of the "
                "known ones with unknown='zero'"
            ) from None
        except ValueError as error:
            if "null values" not in str(error):
                raise
            raise ValueError(f"{_first_line(error)} missing='drop' leaves such rows out") from None


def _kept(made: Any, rows: int) -> tuple[Any, Any]:
    features = made.drop(columns="Intercept", errors="ignore")
    kept = np.zeros(rows, dtype=bool)
    kept[np.asarray(features.index, dtype=np.int64)] = True
    return np.ascontiguousarray(features.to_numpy(dtype=np.float64)), kept


def _matrix(spec: Any, frame: Any, reading: Any, left_out: Any) -> tuple[Any, Any]:
    table = _as_pandas(frame)
    rows = table if left_out is None else table[~left_out]
    return _kept(_design(spec, rows, reading), len(table))
