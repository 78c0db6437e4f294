"""The compiled part; private to the package."""

from collections.abc import Callable
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__version__: str
__all__ = [
    "StreamState",
    "__version__",
    "answer",
    "bin_texts",
    "canonical_set",
    "coefficients_figure",
    "constraints",
    "convergence_figure",
    "curve_figure",
    "encode_frame",
    "evaluate",
    "exported",
    "finish_stream",
    "fit",
    "fit_joint",
    "fit_outputs",
    "fit_parts",
    "folds",
    "gather_for_path",
    "joint_fields",
    "label_chances",
    "learn_bins",
    "least_size",
    "linear_predictor",
    "lines_figure",
    "loss_facts",
    "loss_mean",
    "loss_names",
    "losses",
    "model_fields",
    "outputs_fields",
    "partial_fit",
    "path",
    "project",
    "report_page",
    "schema_features",
    "schema_is_plain",
    "scorecard",
    "search_defaults",
    "select",
    "select_joint",
    "select_outputs",
    "set_examples",
    "set_of_size",
    "set_size",
    "settings",
    "summarize",
    "survival_at",
    "times_measures",
    "write_whole",
]

def fit(
    features: Any,
    per_row: dict[str, Any],
    problem: dict[str, Any],
    settings: dict[str, str],
    progress: Callable[..., None] | None = None,
) -> dict[str, Any]: ...
def fit_outputs(
    features: Any,
    rows: dict[str, Any],
    problem: dict[str, Any],
    settings: dict[str, str],
    progress: Callable[..., None] | None = None,
) -> dict[str, Any]: ...
def fit_joint(
    features: Any,
    rows: dict[str, Any],
    problem: dict[str, Any],
    settings: dict[str, str],
    progress: Callable[..., None] | None = None,
) -> dict[str, Any]: ...
def encode_frame(columns: list[tuple[str, Any]], reading: dict[str, Any]) -> dict[str, Any]: ...
def schema_features(text: str) -> tuple[list[str], list[int]]: ...
def schema_is_plain(text: str) -> bool: ...
def select_joint(
    features: Any, rows: dict[str, Any], problem: dict[str, Any], settings: dict[str, str], plan: dict[str, Any]
) -> dict[str, Any]: ...
def joint_fields(text: str) -> dict[str, Any] | None: ...
def survival_at(model: str, predictors: Any, times: Any, strata: list[str] | None = None) -> Any: ...
def label_chances(model: str, predictors: Any) -> tuple[Any, Any]: ...
def times_measures(rows: dict[str, Any], predictors: Any, model: str | None = None) -> dict[str, Any]: ...
def select_outputs(
    features: Any,
    rows: dict[str, Any],
    problem: dict[str, Any],
    settings: dict[str, str],
    plan: dict[str, Any],
) -> dict[str, Any]: ...
def outputs_fields(text: str) -> dict[str, Any] | None: ...
def fit_parts(
    partitions: dict[str, Any],
    problem: dict[str, Any],
    settings: dict[str, str],
    progress: Callable[..., None] | None = None,
) -> dict[str, Any]: ...
def gather_for_path(
    partitions: dict[str, Any],
    problem: dict[str, Any],
    settings: dict[str, str],
    sizes: tuple[int, list[float]],
) -> dict[str, Any]: ...
def answer(request: str, number: int, arrays: dict[str, Any], loss: tuple[Any, bool]) -> dict[str, Any]: ...
def select(
    features: Any,
    per_row: dict[str, Any],
    problem: dict[str, Any],
    settings: dict[str, str],
    plan: dict[str, Any],
) -> dict[str, Any]: ...
def path(
    features: Any,
    per_row: dict[str, Any],
    problem: dict[str, Any],
    settings: dict[str, str],
    plan: dict[str, Any],
) -> dict[str, Any]: ...
def partial_fit(
    features: Any,
    per_row: dict[str, Any],
    problem: dict[str, Any],
    settings: dict[str, str],
    stream: dict[str, Any],
) -> dict[str, Any]: ...
def finish_stream(
    columns: int,
    problem: dict[str, Any],
    settings: dict[str, str],
    stream: dict[str, Any],
) -> dict[str, Any]: ...

@final
class StreamState:
    def __new__(cls, text: str) -> StreamState: ...
    def __getnewargs__(self) -> tuple[str]: ...

def project(
    constraint: Any,
    point: NDArray[np.float64],
    shape: tuple[int, ...] | None = None,
    names: list[str] | None = None,
) -> NDArray[np.float64]: ...
def canonical_set(text: str) -> str: ...
def set_size(text: str) -> tuple[int, bool] | None: ...
def set_of_size(text: str, size: int) -> str | None: ...
def least_size(text: str, names: list[str]) -> int: ...
def linear_predictor(features: Any, coef: NDArray[np.float64], intercept: float) -> NDArray[np.float64]: ...
def loss_facts(loss: str) -> dict[str, Any]: ...
def loss_mean(loss: str, predictors: NDArray[np.float64]) -> NDArray[np.float64]: ...
def evaluate(
    loss: str,
    predictors: NDArray[np.float64],
    response: NDArray[np.float64],
    weights: NDArray[np.float64] | None = None,
) -> str: ...
def model_fields(text: str) -> dict[str, Any]: ...
def write_whole(path: Any, text: str) -> None: ...
def constraints() -> list[tuple[str, str, str, str]]: ...
def set_examples() -> list[tuple[str, str]]: ...
def loss_names() -> list[tuple[str, str]]: ...
def settings() -> list[dict[str, str]]: ...
def search_defaults() -> dict[str, Any]: ...
def folds(rows: int, count: int, labels: list[float] | None, seed: int) -> list[int]: ...
def losses() -> list[tuple[str, str, str]]: ...
def convergence_figure(trace: str, width: float) -> str: ...
def coefficients_figure(names: list[str], values: list[float], shape: tuple[int, int] | None, width: float) -> str: ...
def curve_figure(curve: str, width: float) -> str: ...
def lines_figure(plot: str, width: float) -> str: ...
def report_page(
    features: Any,
    per_row: dict[str, Any],
    training: tuple[Any, dict[str, Any]] | None,
    problem: dict[str, Any],
    about: dict[str, Any],
) -> str: ...
def summarize(
    features: Any,
    per_row: dict[str, Any],
    problem: dict[str, Any],
    settings: dict[str, str],
    wanted: dict[str, Any],
) -> tuple[str, str, bool]: ...
def exported(model: str, form: str, table: str, labels: list[str] | None = None) -> str: ...
def learn_bins(rule: str, values: Any, response: Any = None, weights: Any = None) -> tuple[list[float], bool]: ...
def bin_texts(edges: list[float], missing: bool) -> list[str]: ...
def scorecard(wanted: dict[str, Any], rows: Any = None, other: Any = None) -> tuple[str, str, str]: ...
