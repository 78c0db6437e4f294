"""A model in the words of other programs."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _losses, _proxdist
from .files import write_whole

FORMS = ("sql", "python", "c", "pmml", "onnx", "json", "formula")


def exported(estimator: Any, to: str, path: Any, table: str) -> Any:
    """The text of a form, or the ONNX model."""
    check_is_fitted(estimator)
    if to not in FORMS:
        raise ValueError(f"to must be one of {', '.join(FORMS)}, got {to!r}")
    if len(estimator._results) != 1 or "outputs" in estimator._results[0]:
        raise ValueError("export is for models of one output; this estimator has several")
    if not isinstance(estimator.loss, str):
        raise ValueError("export needs a loss with a name: other programs do not know the object")
    encoding = getattr(estimator, "_encoding", None)
    if getattr(estimator, "_known", None) is not None:
        raise ValueError(
            "export does not know the offset of this fit by a column: save the model, and `proxdist export` writes it with one"
        )
    if to != "onnx" and encoding is not None and encoding.schema is not None and not encoding.is_plain:
        raise ValueError(
            "export does not know text columns and gaps here: save the model, and `proxdist export` writes it with them"
        )
    if to == "onnx":
        model = onnx_model(estimator)
        if path is not None:
            import onnx

            onnx.save_model(model, path)
        return model
    result = estimator._results[0]
    if result["model"] is None:
        raise ValueError(result.get("unwritable") or "a model of partial_fit has no file: call finish_stream first")
    classes = getattr(estimator, "classes_", None)
    labels = None if classes is None else [str(label) for label in classes]
    text = _proxdist.exported(result["model"], to, table, labels)
    if path is not None:
        write_whole(path, text)
    return text


def onnx_model(estimator: Any) -> Any:
    """A graph from a matrix of doubles ``X`` with a row for each observation to ``prediction`` or ``probability``."""
    try:
        from onnx import TensorProto, checker, helper
    except ImportError as error:
        raise ImportError("export to ONNX needs the package onnx: pip install onnx") from error
    result = estimator._results[0]
    coefficients = np.asarray(result["coef"], dtype=np.float64).ravel()
    count = len(coefficients)
    link = "identity"
    if _losses.fact(estimator.loss, "has_log_link"):
        link = "log"
    elif _losses.fact(estimator.loss, "has_probabilities"):
        link = "logit"
    output = "probability" if link == "logit" else "prediction"
    nodes = [
        helper.make_node("MatMul", ["X", "coefficients"], ["product"]),
        helper.make_node("Add", ["product", "intercept"], ["linear" if link != "identity" else output]),
    ]
    if link != "identity":
        nodes.append(helper.make_node("Exp" if link == "log" else "Sigmoid", ["linear"], [output]))
    graph = helper.make_graph(
        nodes,
        "proxdist",
        [helper.make_tensor_value_info("X", TensorProto.DOUBLE, [None, count])],
        [helper.make_tensor_value_info(output, TensorProto.DOUBLE, [None, 1])],
        [
            helper.make_tensor("coefficients", TensorProto.DOUBLE, [count, 1], coefficients.tolist()),
            helper.make_tensor("intercept", TensorProto.DOUBLE, [1], [result["intercept"] or 0.0]),
        ],
    )
    model = helper.make_model(graph, producer_name="proxdist", opset_imports=[helper.make_opsetid("", 13)])
    # Older runtimes read older files.
    model.ir_version = 8
    checker.check_model(model)
    return model
