"""Pictures in notebooks, with matplotlib, and the report."""

import numpy as np
import pytest
from conftest import planted, planted_classes

from proxdist import ConstrainedClassifier, ConstrainedRegressor, MatrixRegressor, Sparsity


def test_a_fitted_estimator_shows_its_coefficients_and_its_run_in_a_notebook():
    X, y, _ = planted()
    model = ConstrainedRegressor(constraint=Sparsity(3))
    assert "<svg" not in model._repr_html_().split("</style>")[-1]
    html = model.fit(X, y)._repr_html_()
    assert html.count('class="proxdist-fit"') == 1
    assert "3 of 30 coefficients are nonzero" in html
    assert html.split("proxdist-fit")[1].count("<svg") == 2
    assert "proxdist-fit" in model._repr_mimebundle_()["text/html"]


def test_names_in_a_picture_are_escaped():
    pandas = pytest.importorskip("pandas")
    X, y, _ = planted(columns=3)
    frame = pandas.DataFrame(X, columns=["<script>alert(1)</script>", "b", "c"])
    html = ConstrainedRegressor().fit(frame, y)._repr_html_()
    assert "<script>alert" not in html.split("proxdist-fit")[1]


def test_plots_return_axes():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X, y, _ = planted()
    model = ConstrainedRegressor(constraint=Sparsity(3)).fit(X, y)
    assert len(model.plot_coefficients().patches) == 3
    assert len(model.plot_convergence().lines) == 1
    several = ConstrainedClassifier(constraint=Sparsity(2), ridge=0.1, multi_class="ovr")
    several.fit(X[:, :4], np.arange(len(y)) % 3)
    assert len(several.plot_convergence().lines) == 3
    several.plot_coefficients()
    assert len(MatrixRegressor().fit(X[:, :6].reshape(-1, 2, 3), y).plot_coefficients().images) == 1
    matplotlib.pyplot.close("all")


def test_the_trace_is_a_frame():
    pandas = pytest.importorskip("pandas")
    X, y, _ = planted()
    trace = ConstrainedRegressor(constraint=Sparsity(3)).fit(X, y).trace_
    assert isinstance(trace, pandas.DataFrame)
    columns = ["phase", "step", "objective", "distance", "rho", "nonzeros", "rows_seen", "seconds", "bound", "nodes"]
    assert list(trace) == columns
    assert trace["phase"].iloc[-1] == "polish"


def test_a_report_is_one_page(tmp_path):
    X, y, _ = planted_classes()
    ConstrainedClassifier(constraint=Sparsity(3)).fit(X, y).report(
        tmp_path / "classes.html", X, y, title="Loans & more"
    )
    page = (tmp_path / "classes.html").read_text()
    assert "Loans &amp; more" in page
    assert "AUC" in page
    assert page.count("<svg") >= 4
    X, y, _ = planted()
    ConstrainedRegressor(constraint=Sparsity(3)).fit(X, y).report(tmp_path / "numbers.html", X, y)
    assert "R2" in (tmp_path / "numbers.html").read_text()


def test_progress_is_one_line_that_is_written_over(capsys):
    X, y, _ = planted(rows=3000)
    ConstrainedRegressor(constraint=Sparsity(3), verbose=1).fit(X, y)
    told = capsys.readouterr()
    assert told.out == ""
    assert "steps, F " in told.err
    assert told.err.endswith("\n")
    assert told.err.count("\n") == 1
