"""Pictures in notebooks, with matplotlib, and the report."""

import re
import subprocess

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


def headings(page):
    return re.findall(r"<h2>(.*?)</h2>", page)


def test_a_report_is_one_page(tmp_path):
    X, y, _ = planted_classes()
    model = ConstrainedClassifier(constraint=Sparsity(3)).fit(X, y)
    model.report(tmp_path / "classes.html", X, y, title="Loans & more")
    page = (tmp_path / "classes.html").read_text()
    assert "Loans &amp; more" in page
    assert "Decisions at a threshold" in page
    assert "odds ratio" in page
    assert page.count("<svg") >= 4
    X, y, _ = planted()
    model = ConstrainedRegressor(constraint=Sparsity(3)).fit(X, y)
    model.report(tmp_path / "numbers.html", X, y)
    page = (tmp_path / "numbers.html").read_text()
    share = f"{100 * model.score(X, y):.{0 if model.score(X, y) < 0.99 else 1}f} %"
    assert f"<h1>The response from 3 of 30 features; explains {share} of the variance.</h1>" in page
    assert headings(page) == [
        "Performance",
        "Residuals",
        "Coefficients",
        "How features act",
        "What is certain",
        "Alternatives",
        "The data",
        "How it was computed",
    ]


def test_new_rows_judge_a_model_and_the_rows_of_the_fit_explain_it(tmp_path):
    X, y, _ = planted(rows=300)
    model = ConstrainedRegressor(constraint=Sparsity(3), ridge=1e-3).fit(X[:200], y[:200])
    model.report(tmp_path / "new.html", X[200:], y[200:])
    page = (tmp_path / "new.html").read_text()
    assert "these rows, 100 rows" in page
    assert "There are no intervals: these are not the rows of the fit" in page
    assert "Alternatives" not in headings(page)
    model.report(tmp_path / "both.html", X[200:], y[200:], training=(X[:200], y[:200]))
    page = (tmp_path / "both.html").read_text()
    assert "held out, 100 rows" in page
    assert "rows of the fit, 200 rows" in page
    assert "Alternatives" in headings(page)
    with pytest.raises(ValueError, match="training must be the rows of the fit"):
        model.report(tmp_path / "wrong.html", X[200:], y[200:], training=(X[:199], y[:199]))
    with pytest.raises(ValueError, match=r"training must be \(X, y\)"):
        model.report(tmp_path / "wrong.html", X[200:], y[200:], training=(X,))


def test_the_page_is_the_one_of_the_program(tmp_path, program_file):
    pandas = pytest.importorskip("pandas")
    X, y, _ = planted(rows=150, columns=6)
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    frame.assign(y=y).to_csv(tmp_path / "rows.csv", index=False)
    model = ConstrainedRegressor(constraint=Sparsity(2)).fit(frame, pandas.Series(y, name="y"))
    model.report(tmp_path / "python.html", frame, pandas.Series(y, name="y"))
    words = ["fit", "rows.csv", "--target", "y", "-c", "sparsity:2", "--report", "program.html", "--quiet"]
    subprocess.run([program_file, *words], cwd=tmp_path, check=True)
    pages = [(tmp_path / f"{name}.html").read_text() for name in ("python", "program")]
    headlines = [re.search(r"<h1>(.*?)</h1>", page)[1] for page in pages]
    assert headlines[0] == headlines[1]
    assert headings(pages[0]) == headings(pages[1])
    for start, end in [("<h2>Performance", "</section>"), ("<h2>Coefficients", "<details>"), ("<h2>Alternatives", "</section>")]:
        parts = [page[page.index(start) :].split(end)[0] for page in pages]
        assert parts[0] == parts[1], start


def test_progress_is_one_line_that_is_written_over(capsys):
    X, y, _ = planted(rows=3000)
    ConstrainedRegressor(constraint=Sparsity(3), verbose=1).fit(X, y)
    told = capsys.readouterr()
    assert told.out == ""
    assert "steps, F " in told.err
    assert told.err.endswith("\n")
    assert told.err.count("\n") == 1
