"""Model files: the ones that the command line writes and reads."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from . import _proxdist


def write_whole(path: Any, text: str) -> None:
    """Writes beside the place and renames, so that there is never half a file; links and permissions stay as they are."""
    _proxdist.write_whole(os.fspath(path), text)


def _training(estimator: Any, labels: dict[str, Any]) -> str:
    """What new files need to be read as in training, as JSON: columns, levels, what to fill in, labels, known part."""
    encoding, names = getattr(estimator, "_encoding", None), estimator._names()
    schema: dict[str, Any]
    if encoding is not None and encoding.schema is not None:
        schema = json.loads(encoding.schema)
    elif names is not None:
        schema = {"columns": [{"name": name, "kind": "number"} for name in names]}
    else:
        schema = {"numbered": estimator._width()}
    data: dict[str, Any] = {"schema": schema | labels, "standardized": bool(estimator.standardized_)}
    known = getattr(estimator, "_known", None)
    if known is not None:
        # Without a name the program asks for a column, rather than predict without.
        data[known[0]] = known[1] or known[0]
    return json.dumps(data)


def _take_training(estimator: Any, fields: dict[str, Any], extra: dict[str, Any]) -> None:
    """Keeps what a model file says of its training data."""
    from ._admission import TableEncoding

    schema = extra.get("schema") or {}
    columns = schema.get("columns") or []
    if columns:
        known = {key: value for key, value in schema.items() if key in ("columns", "index_base")}
        encoding = TableEncoding(json.dumps(known))
        if len(encoding.names) != fields["coef"].shape[-1]:
            raise ValueError(
                f"damaged model file: {len(encoding.names)} columns, {fields['coef'].shape[-1]} coefficients"
            )
        estimator._encoding = encoding
        estimator._take_columns([column["name"] for column in columns])
        if any(column.get("marked") for column in columns):
            estimator.missing = "indicator"
        elif any(column.get("fill") is not None for column in columns):
            estimator.missing = "mean"
    else:
        estimator._take_columns(fields["names"] or int(fields["coef"].shape[-1]))
    for kind in ("offset", "exposure"):
        if extra.get(kind) is not None:
            estimator._known = (kind, extra[kind])


def save(estimator: Any, path: Any) -> None:
    """Writes the library's file with one more key, ``data``, for what new rows need to be read as in training."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(estimator)
    if len(estimator._results) != 1:
        raise ValueError(
            "a model file holds one fit; with multi_class='ovr' more than two classes have several: pickle the estimator"
        )
    text = estimator._results[0]["model"]
    if estimator._results[0].get("unwritable"):
        raise ValueError(estimator._results[0]["unwritable"])
    if text is None:
        raise ValueError(
            "a model of partial_fit has no certificate and cannot be written as a model file: call finish_stream first, "
            "or pickle the estimator"
        )
    if not isinstance(estimator.loss, str):
        raise ValueError("a model file needs a loss with a name: pickle the estimator")
    classes = getattr(estimator, "classes_", None)
    is_joint = "outputs" in estimator._results[0]
    labels = {} if classes is None else {"classes" if is_joint else "labels": [str(label) for label in classes]}
    data = _training(estimator, labels)
    # The library's text stays as it is, so that its numbers keep every bit.
    body = text.rstrip().removesuffix("}").rstrip()
    content = f'{body},\n  "data": {data}\n}}\n'
    # Read back before it replaces anything.
    fields = _proxdist.outputs_fields(content) if is_joint else _proxdist.model_fields(content)
    if fields is None or fields["model"] != text or json.loads(content)["data"] != json.loads(data):
        raise ValueError("the model cannot be written: it reads back as another one")
    write_whole(path, content)


def save_joint(estimator: Any, path: Any) -> None:
    """The same for models of times and of ordered labels."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(estimator)
    text, classes = estimator._model(), getattr(estimator, "classes_", None)
    labels: dict[str, Any] = {}
    if classes is not None:
        labels["labels" if len(classes) == 2 else "classes"] = [str(label) for label in classes]
    data = _training(estimator, labels)
    content = f'{text.rstrip().removesuffix("}").rstrip()},\n  "data": {data}\n}}\n'
    fields = _proxdist.joint_fields(content)
    if fields is None or fields["model"] != text or json.loads(content)["data"] != json.loads(data):
        raise ValueError("the model cannot be written: it reads back as another one")
    write_whole(path, content)


def _load_joint(fields: dict[str, Any], extra: dict[str, Any]) -> Any:
    from .ordinal import ConstrainedOrdinal
    from .survival import ConstrainedCox

    common = {"constraint": fields["constraint"], "ridge": fields["ridge"]}
    estimator: Any
    if fields["loss"] == "cox":
        estimator = ConstrainedCox(ties=fields["ties"], **common)
        names = [name for name, _, _ in fields["baseline"]]
        estimator.strata_ = None if names == [""] else _labels(names)
    else:
        labels = _labels(fields["levels"])
        estimator = ConstrainedOrdinal(categories=labels.tolist(), **common)
        estimator.classes_ = labels
    _take_training(estimator, fields, extra)
    estimator._result = fields | {"standardized": extra.get("standardized", False), "interrupted": False}
    estimator._keep()
    return estimator


def _labels(texts: list[str]) -> Any:
    """Labels as numbers where they are."""
    for kind in (int, float):
        try:
            return np.array([kind(text) for text in texts])
        except ValueError:
            continue
    return np.array(texts)


def load(path: Any) -> Any:
    """The estimator that a model file stands for, whether ``save`` or the command line wrote it.

    Models of times become a :class:`ConstrainedCox`, of ordered labels a :class:`ConstrainedOrdinal`; those of losses
    for classes a :class:`ConstrainedClassifier` or :class:`MatrixClassifier`, other matrix models a
    :class:`MatrixRegressor`, others a :class:`ConstrainedRegressor`. Labels that read as numbers are numbers. Data frames
    are read as the file of the fit was: columns by name, texts and gaps as they were then (``missing`` is "mean" or
    "indicator" if there is something to fill in), others left out.
    """
    from .classification import ConstrainedClassifier, MatrixClassifier
    from .regression import ConstrainedRegressor, MatrixRegressor
    from .sets import Entries

    text = Path(path).read_text(encoding="utf-8")
    try:
        together = _proxdist.joint_fields(text)
        if together is not None:
            return _load_joint(together, json.loads(text).get("data") or {})
        joint = _proxdist.outputs_fields(text)
        fields = _proxdist.model_fields(text) if joint is None else joint
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    extra = json.loads(text).get("data") or {}
    common = {
        "constraint": fields["constraint"],
        "ridge": fields["ridge"],
        "fit_intercept": fields["intercept"] is not None,
        "random_state": fields["seed"],
    }
    loss = fields["loss"].replace("-", "_")
    estimator: Any
    if joint is not None:
        # Limits on entries are written as such, and shared ones as rows.
        text_of_set = fields["constraint"]
        if text_of_set.startswith("sparsity:") and text_of_set[len("sparsity:") :].isdigit():
            common["constraint"] = Entries(int(text_of_set[len("sparsity:") :]))
        if fields["is_classification"]:
            estimator = ConstrainedClassifier("logistic", **common)
            estimator.classes_ = _labels(fields["outputs"])
        else:
            estimator = ConstrainedRegressor(loss, **common)
    elif fields["task"] == "two-classes":
        if fields["shape"] is None:
            estimator = ConstrainedClassifier(loss, **common)
        else:
            estimator = MatrixClassifier(fields["shape"], loss=loss, **common)
            estimator._matrix = fields["shape"]
        estimator.classes_ = _labels(extra.get("schema", {}).get("labels") or ["0", "1"])
    elif fields["shape"] is not None:
        estimator = MatrixRegressor(fields["shape"], loss=loss, **common)
        estimator._matrix = fields["shape"]
    else:
        estimator = ConstrainedRegressor(loss, **common)
    _take_training(estimator, fields, extra)
    fields |= {"trace": None, "standardized": extra.get("standardized", False), "interrupted": False}
    estimator._results, estimator._stream = [fields], []
    estimator._keep()
    return estimator
