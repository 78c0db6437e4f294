"""Pictures of a fit, in notebooks and files, and the report."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from . import _proxdist
from ._input import known_part


def _plain(value: Any) -> Any:
    """JSON has no NaN; missing values are left out by the figures."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def trace_points(trace: dict[str, Any]) -> list[dict[str, Any]]:
    """The checkpoints before any proof, one dictionary each."""
    columns = ("step", "objective", "distance", "rho", "nonzeros", "seconds")
    points = zip(*(np.asarray(trace[column]).tolist() for column in columns), strict=True)
    rows = [
        dict(zip(columns, point, strict=True))
        for phase, point in zip(trace["phase"], points, strict=True)
        if phase != "proof"
    ]
    return [{key: _plain(value) for key, value in row.items() if _plain(value) is not None} for row in rows]


def feature_names(estimator: Any) -> list[str]:
    """Names of the coefficients, or their numbers."""
    names = estimator._names()
    return [f"x{j}" for j in range(estimator._width())] if names is None else list(names)


class Display:
    """Pictures, for estimators with results."""

    def _pictures(self: Any) -> str:
        """The run and the coefficients of each model, as SVG."""
        parts = []
        for index, result in enumerate(self._results):
            if len(self._results) > 1:
                parts.append(f"<p>{_escape(str(self.classes_[index]))} against the rest</p>")
            shape = getattr(self, "_matrix", None)
            values = result["coef"].tolist()
            if result["coef"].ndim == 2:
                # Several outputs: a heat map with a row for each feature.
                shape, values = result["coef"].T.shape, result["coef"].T.ravel().tolist()
            parts.append(_proxdist.coefficients_figure(feature_names(self), values, shape, 560.0))
            if result["trace"] is not None:
                points = json.dumps(trace_points(result["trace"]))
                parts.append(_proxdist.convergence_figure(points, 560.0))
        return "\n".join(parts)

    def _summary(self: Any) -> str:
        result = self._results[0]
        if result["coef"].ndim == 2:
            used = np.count_nonzero(result["coef"].any(axis=0))
            text = f"{used} of {self._width()} features are used by {len(result['coef'])} outputs; {result['stop']}"
            return f"{text}; F = {result['objective']:.6g}"
        nonzero = ", ".join(str(np.count_nonzero(result["coef"])) for result in self._results)
        text = f"{nonzero} of {self._width()} coefficients are nonzero; {result['steps']} steps, {result['stop']}"
        return f"{text}; F = {result['objective']:.6g}"

    def _html_repr(self: Any) -> str:
        """scikit-learn's box and, once fitted, the pictures."""
        box = str(estimator_html_repr(self))
        if not hasattr(self, "_results"):
            return box
        style = "max-width:600px;font-family:sans-serif;font-size:13px"
        return (
            f'{box}<div class="proxdist-fit" style="{style}"><p>{_escape(self._summary())}</p>{self._pictures()}</div>'
        )

    def _repr_html_inner(self) -> str:
        return str(self._html_repr())

    def plot_convergence(self: Any, ax: Any = None) -> Any:
        """The objective at each checkpoint, with matplotlib. Returns the axes."""
        check_is_fitted(self)
        ax = _axes(ax)
        for index, result in enumerate(self._results):
            if result["trace"] is None:
                raise ValueError("there is no trace to plot: the model was not made by fit")
            label = str(self.classes_[index]) if len(self._results) > 1 else None
            ax.plot(result["trace"]["step"], result["trace"]["objective"], marker="o", markersize=3, label=label)
        ax.set(xlabel="step", ylabel="F", title="Convergence")
        if len(self._results) > 1:
            ax.legend()
        return ax

    def plot_coefficients(self: Any, ax: Any = None, most: int = 30) -> Any:
        """The largest coefficients as bars, or a coefficient matrix as an image, with matplotlib. Returns the axes."""
        check_is_fitted(self)
        ax = _axes(ax)
        matrix = getattr(self, "_matrix", None)
        if matrix is not None:
            largest = float(np.abs(self.coef_).max()) or 1.0
            image = ax.imshow(self.coef_, cmap="RdBu_r", vmin=-largest, vmax=largest)
            ax.figure.colorbar(image, ax=ax)
            ax.set(title="Coefficients")
            return ax
        size = np.abs(np.atleast_2d(self.coef_)).max(axis=0)
        order = [j for j in np.argsort(-size, kind="stable")[:most] if size[j] > 0][::-1]
        names, places = feature_names(self), np.arange(len(order))
        models = np.atleast_2d(self.coef_)
        height = 0.8 / len(models)
        for index, coefficients in enumerate(models):
            names_of_models = getattr(self, "classes_", None)
            if names_of_models is None:
                names_of_models = self._results[0].get("outputs")
            label = str(names_of_models[index]) if len(models) > 1 else None
            ax.barh(places + (index - (len(models) - 1) / 2) * height, coefficients[order], height, label=label)
        ax.set_yticks(places, [names[j] for j in order])
        ax.axvline(0.0, color="grey", linewidth=0.8)
        ax.set(xlabel="coefficient", title="Coefficients")
        if len(models) > 1:
            ax.legend()
        return ax

    def report(
        self: Any,
        path: Any,
        X: Any,
        y: Any = None,
        *,
        sample_weight: Any = None,
        offset: Any = None,
        exposure: Any = None,
        training: tuple[Any, ...] | None = None,
        title: str | None = None,
    ) -> None:
        """Writes one self-contained HTML page about the model, the one that ``proxdist fit --report`` writes.

        ``X`` and ``y`` are the rows to judge it by. If they are the rows of the fit, which F tells, the page has standard
        errors, partial effects and alternatives. For new rows these need the rows of the fit as well:
        ``training=(X, y)``, with ``sample_weight`` and ``offset`` as third and fourth where the fit had them.
        """
        from ._report import write

        check_is_fitted(self)
        if "outputs" in self._results[0]:
            raise ValueError("report is not available for several outputs here; `proxdist fit --report` writes theirs")
        rows = (X, y, sample_weight, {"offset": offset, "exposure": exposure})
        write(self, path, rows, training, title)


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as missing:
        raise ImportError("plots need matplotlib: pip install matplotlib") from missing
    return plt.subplots()[1]


def _escape(text: str) -> str:
    import html

    return html.escape(text)
