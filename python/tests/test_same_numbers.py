"""One seed gives the same bits from Python and from the program, whatever way the numbers come in."""

import json

import numpy as np
import pytest
from conftest import fitted_by_program, planted, planted_classes
from sklearn.datasets import load_svmlight_file

from proxdist import ConstrainedClassifier, ConstrainedRegressor, ConstrainedRegressorCV, MatrixRegressor


def coefficients(document):
    """All coefficients of a model file."""
    values = np.zeros(document["features"])
    for index, value in document["nonzero"]:
        values[index] = value
    return values


def assert_same(model, document):
    assert np.array_equal(np.ravel(model.coef_), coefficients(document))
    intercept = document["intercept"]
    assert np.ravel(model.intercept_)[0] == (0.0 if intercept is None else intercept)
    assert model.objective_ == document["fit"]["objective"]
    assert model.n_iter_ == document["fit"]["steps"]
    assert model.stop_reason_ == document["fit"]["stop"]
    assert model.certificate_["stationarity"] == document["fit"]["certificate"]["stationarity"]
    schedule = document["fit"]["schedule"]
    if model.rho1_ is None:
        # The exact finish needed no steps.
        assert (schedule, model.n_iter_) == ("none", 0)
    else:
        assert float(schedule.removeprefix("poly:").split(",")[0]) == model.rho1_


@pytest.fixture(params=["npz", "csv"])
def written(request, tmp_path):
    """Writes data as a file for the program."""

    def write(X, y, **more):
        if request.param == "npz":
            np.savez(tmp_path / "data.npz", X=X, y=y, **more)
            return tmp_path / "data.npz"
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(X).assign(y=y, **more)
        frame.columns = [str(name) for name in frame.columns]
        frame.to_csv(tmp_path / "data.csv", index=False, float_format="%.17g")
        return tmp_path / "data.csv"

    return write


@pytest.mark.parametrize("constraint", ["sparsity:3", "ball:1", "simplex", "nonneg", "none", "sparsity:3 & nonneg"])
def test_regression_gives_the_bits_of_the_program(program, written, constraint):
    X, y, _ = planted(columns=12)
    path = written(50 + 7 * X, y)
    document = fitted_by_program(program, path, "--target", "y", "--constraint", constraint, "--seed", 11)
    assert_same(ConstrainedRegressor(constraint=constraint, random_state=11).fit(50 + 7 * X, y), document)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_classification_gives_the_bits_of_the_program(program, written, loss):
    X, y, _ = planted_classes()
    path = written(X, y)
    options = ["--loss", loss.replace("_", "-"), "--constraint", "sparsity:3", "--ridge", "0.01", "--seed", 5]
    document = fitted_by_program(program, path, "--target", "y", *options)
    assert_same(ConstrainedClassifier(loss, "sparsity:3", ridge=0.01, random_state=5).fit(X, y), document)


def test_weights_offset_and_counts_give_the_bits_of_the_program(program, written):
    X, eta, _ = planted(columns=8, noise=0.0)
    generator = np.random.default_rng(2)
    weights, offset = generator.integers(0, 4, len(eta)).astype(float), generator.normal(size=len(eta)) / 4
    y = generator.poisson(np.exp(0.2 * eta + offset)).astype(float)
    path = written(X, y, w=weights, o=offset)
    options = ["--loss", "poisson", "--constraint", "sparsity:4", "--weights", "w", "--offset", "o"]
    document = fitted_by_program(program, path, "--target", "y", *options)
    model = ConstrainedRegressor("poisson", "sparsity:4").fit(X, y, sample_weight=weights, offset=offset)
    assert_same(model, document)


def test_an_unpolished_run_a_matrix_and_a_search_give_the_bits_of_the_program(program, tmp_path):
    X, y, _ = planted(columns=12)
    path = tmp_path / "data.npz"
    np.savez(path, X=X, y=y)
    document = fitted_by_program(
        program, path, "--target", "y", "--constraint", "ball:1", "--no-polish", "--rho1", "0.1", "--batch-size", 20
    )
    assert_same(ConstrainedRegressor(constraint="ball:1", polish=False, rho1=0.1, batch_size=20).fit(X, y), document)
    document = fitted_by_program(program, path, "--target", "y", "--constraint", "rank:1", "--shape", "3x4")
    assert_same(MatrixRegressor(constraint="rank:1").fit(X.reshape(-1, 3, 4), y), document)
    said = program(
        "tune",
        path,
        "--target",
        "y",
        "--grid",
        "sparsity:1,2,3,5",
        "--folds",
        4,
        "--one-standard-error",
        "--json",
        "--quiet",
        "--out",
        tmp_path / "model.json",
    )
    model = ConstrainedRegressorCV(grid={"sparsity": [1, 2, 3, 5]}, cv=4, ridge=0.0).fit(X, y)
    assert_same(model, json.loads((tmp_path / "model.json").read_text()))
    means = [-row["mean"] for row in json.loads(said)["table"]["scores"]]
    np.testing.assert_allclose(model.cv_results_["mean_test_score"], means, rtol=1e-15)


def test_the_number_of_threads_does_not_matter():
    X, y, _ = planted(rows=5000)
    results = [ConstrainedRegressor(constraint="sparsity:5", n_jobs=jobs).fit(X, y).coef_ for jobs in (None, 1, 3)]
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])


def test_a_search_scales_each_fold_by_its_training_rows():
    X, y, _ = planted(rows=40, columns=3)
    # One row far out: a scaling that has seen it makes it look harmless.
    X[0] *= 100.0
    splits = [(np.setdiff1d(np.arange(40), part), part) for part in np.array_split(np.arange(40), 5)]
    search = ConstrainedRegressorCV(grid={"ridge": [0.5]}, cv=splits).fit(X, y)
    assert search.standardized_
    for fold, (train, test) in enumerate(splits):
        model = ConstrainedRegressor(ridge=0.5, standardize=True).fit(X[train], y[train])
        loss = np.mean((model.predict(X[test]) - y[test]) ** 2) / 2
        assert -search.cv_results_[f"split{fold}_test_score"][0] == pytest.approx(loss, rel=1e-9)
    assert np.array_equal(search.coef_, ConstrainedRegressor(ridge=0.5).fit(X, y).coef_)


def test_sparse_and_dense_storage_end_at_the_same_f(data_folder):
    X, y = load_svmlight_file(str(data_folder / "classification" / "a9a.svm.gz"))
    fits = [ConstrainedClassifier(constraint="sparsity:20", n_jobs=1).fit(A, y) for A in (X, X.toarray())]
    # Not always the same features: some columns of this file say the same as others.
    assert fits[0].objective_ == pytest.approx(fits[1].objective_, rel=1e-12)
    assert fits[0].objective_ < 0.3313
