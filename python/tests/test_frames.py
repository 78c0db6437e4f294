"""Data frames of all kinds: the names and bits of the program on the same table, and what stays of rows with gaps."""

import io
import json
import pickle
import warnings

import numpy as np
import pytest
from conftest import fitted_by_program

import proxdist
from proxdist import (
    ConstrainedClassifier,
    ConstrainedClassifierCV,
    ConstrainedCox,
    ConstrainedOrdinal,
    ConstrainedRegressor,
    ConstrainedRegressorCV,
    SparsePath,
    Sparsity,
)

pd = pytest.importorskip("pandas")


def table(rows=120, gaps=True, seed=0):
    """Columns of every kind, with a response of each kind."""
    generator = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": generator.normal(50, 10, rows).round(2),
            "town": generator.choice(["Ulm", "Bonn", "Köln", "a b"], rows),
            "grade": pd.Categorical(generator.choice(["low", "mid", "top"], rows), ["low", "mid", "top", "unused"]),
            "smoker": generator.random(rows) < 0.4,
            "visits": pd.array(generator.integers(0, 9, rows), dtype="Int64"),
            "member": pd.array(generator.random(rows) < 0.5, dtype="boolean"),
            "note": pd.array(generator.choice(["x", "y"], rows), dtype="string"),
            "size": generator.normal(size=rows),
        }
    )
    eta = 0.1 * frame["age"] + 2.0 * (frame["town"] == "Ulm") + 1.5 * frame["smoker"] - (frame["grade"] == "top") - 4.5
    if gaps:
        for column, share in (("age", 0.1), ("town", 0.05), ("visits", 0.08), ("member", 0.06), ("note", 0.05)):
            frame.loc[generator.random(rows) < share, column] = None
    y = (eta + 0.3 * generator.normal(size=rows)).round(3)
    return frame, y.to_numpy().copy()


def written(frame, path, **more):
    frame.assign(**more).to_csv(path, index=False)
    return path


def coefficients(document):
    values = np.zeros(document["features"])
    for index, value in document["nonzero"]:
        values[index] = value
    return values


def assert_same(model, document):
    assert list(model.get_feature_names_out()) == document["names"]
    assert np.array_equal(np.ravel(model.coef_), coefficients(document))
    assert np.ravel(model.intercept_)[0] == document["intercept"]


@pytest.mark.parametrize("missing", ["drop", "mean", "indicator"])
def test_a_frame_gives_the_names_and_bits_of_the_program(program, tmp_path, missing):
    frame, y = table()
    path = written(frame, tmp_path / "data.csv", y=y)
    words = ["--target", "y", "--constraint", "sparsity:6", "--missing", missing]
    document = fitted_by_program(program, path, *words)
    model = ConstrainedRegressor(constraint=Sparsity(6), missing=missing).fit(frame, y)
    assert_same(model, document)
    assert list(model.feature_names_in_) == list(frame.columns)
    assert model.n_features_in_ == frame.shape[1]
    assert ("age=missing" in model.get_feature_names_out()) == (missing == "indicator")
    model.save(tmp_path / "model.json")
    schema = json.loads((tmp_path / "model.json").read_text())["data"]["schema"]
    assert schema == {key: value for key, value in document["data"]["schema"].items() if key != "target"}


def test_without_gaps_nothing_need_be_said(program, tmp_path):
    frame, y = table(gaps=False)
    path = written(frame, tmp_path / "data.csv", y=y)
    assert_same(
        ConstrainedRegressor(constraint=Sparsity(4)).fit(frame, y),
        fitted_by_program(program, path, "--target", "y", "--constraint", "sparsity:4"),
    )


def test_rows_without_a_response_or_a_weight_are_left_out_as_in_the_program(program, tmp_path):
    frame, y = table()
    weights = np.random.default_rng(3).integers(1, 4, len(y)).astype(float)
    y[5], weights[17] = np.nan, np.nan
    path = written(frame, tmp_path / "data.csv", y=y, w=weights)
    words = ["--target", "y", "--weights", "w", "--constraint", "sparsity:3", "--missing", "mean"]
    model = ConstrainedRegressor(constraint=Sparsity(3), missing="mean").fit(frame, y, sample_weight=weights)
    assert_same(model, fitted_by_program(program, path, *words))
    with pytest.raises(ValueError, match="NaN"):
        ConstrainedRegressor().fit(frame[["size"]], y)


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
@pytest.mark.parametrize("missing", ["drop", "mean", "indicator"])
def test_frames_of_other_libraries_are_the_same_table(library, missing):
    pytest.importorskip(library)
    frame, y = table()
    pa = pytest.importorskip("pyarrow")
    other = pa.Table.from_pandas(frame, preserve_index=False)
    if library == "polars":
        import polars

        other = polars.from_arrow(other)
    expected = ConstrainedRegressor(constraint=Sparsity(5), missing=missing).fit(frame, y)
    model = ConstrainedRegressor(constraint=Sparsity(5), missing=missing).fit(other, y)
    assert list(model.get_feature_names_out()) == list(expected.get_feature_names_out())
    assert list(model.feature_names_in_) == list(expected.feature_names_in_)
    assert np.array_equal(model.coef_, expected.coef_)
    np.testing.assert_array_equal(model.predict(other), expected.predict(frame))


def test_objects_are_what_they_hold():
    rows = 30
    generator = np.random.default_rng(1)
    values = generator.normal(size=rows)
    flags = generator.random(rows) < 0.5
    frame = pd.DataFrame(
        {
            "number": pd.Series(values, dtype=object),
            "flag": pd.Series([None if row == 3 else bool(flag) for row, flag in enumerate(flags)], dtype=object),
            "mixed": pd.Series(["a" if flag else 7 for flag in flags], dtype=object),
            "code": generator.integers(1, 4, rows),
        }
    )
    model = ConstrainedRegressor(missing="drop", categories=["code"]).fit(frame, values)
    names = ["number", "flag=True", "mixed=a", "code=1", "code=2", "code=3"]
    assert list(model.get_feature_names_out()) == names
    assert np.isnan(model.predict(frame)[3])
    assert np.isnan(model.predict(frame)).sum() == 1


def test_predictions_stay_beside_their_rows_as_in_the_program(program, tmp_path):
    frame, y = table()
    new, _ = table(rows=40, seed=9)
    for missing in ("drop", "mean", "indicator"):
        model = ConstrainedRegressor(constraint=Sparsity(6), missing=missing).fit(frame, y)
        model.save(tmp_path / "model.json")
        said = program("predict", tmp_path / "model.json", written(new, tmp_path / "new.csv"), "--missing", missing)
        expected = pd.read_csv(io.StringIO(said))["prediction"].to_numpy()
        found = model.predict(new)
        assert np.array_equal(np.isnan(found), np.isnan(expected))
        assert np.isnan(found).any() == (missing == "drop")
        np.testing.assert_allclose(found, expected, rtol=1e-14)
        # A score is that of the rows with a prediction.
        answers = np.arange(len(new), dtype=float)
        there = ~np.isnan(found)
        residual = ((answers - found)[there] ** 2).sum() / ((answers[there] - answers[there].mean()) ** 2).sum()
        assert model.score(new, answers) == pytest.approx(1 - residual)
    nothing = new[new["age"].isna()].iloc[:1]
    assert np.isnan(ConstrainedRegressor(missing="drop").fit(frame, y).predict(nothing)).all()


def test_labels_of_rows_left_out_are_none():
    frame, y = table()
    labels = np.where(y > np.median(y), "yes", "no")
    gaps = frame.isna().any(axis=1).to_numpy()
    model = ConstrainedClassifier(constraint=Sparsity(3), ridge=1e-3, missing="drop").fit(frame, labels)
    found = model.predict(frame)
    assert [label is None for label in found] == gaps.tolist()
    assert np.isnan(model.predict_proba(frame)[gaps]).all()
    assert np.isnan(model.decision_function(frame)[gaps]).all()
    assert model.score(frame, labels) == np.mean(found[~gaps] == labels[~gaps])
    full = model.predict(frame[~gaps])
    assert full.dtype.kind in "UO" and None not in full


def test_a_model_of_the_program_predicts_frames(program, tmp_path):
    frame, y = table()
    frame["player"] = [f"p{row}" for row in range(len(frame))]
    path = written(frame, tmp_path / "data.csv", y=y)
    words = ["--target", "y", "--constraint", "sparsity:6", "--missing", "indicator", "--ignore", "player"]
    (tmp_path / "model.json").write_text(program("fit", path, *words, "--quiet", "--out", "-"))
    model = proxdist.load(tmp_path / "model.json")
    assert model.missing == "indicator"
    assert "player" not in model.feature_names_in_
    expected = program("predict", tmp_path / "model.json", path, "--missing", "indicator")
    # Columns are found by name; the target and what was ignored may stand beside them.
    found = model.predict(frame.assign(y=y)[["y", "player", *reversed(list(model.feature_names_in_))]])
    np.testing.assert_allclose(found, pd.read_csv(io.StringIO(expected))["prediction"], rtol=1e-14)
    again = ConstrainedRegressor(constraint=Sparsity(6), missing="indicator").fit(frame.drop(columns="player"), y)
    assert np.array_equal(again.coef_, model.coef_)


def test_unseen_levels_are_as_in_the_program(program_file, tmp_path):
    import subprocess

    frame, y = table(gaps=False)
    model = ConstrainedRegressor().fit(frame, y)
    new = frame.iloc[:3].assign(town=["Ulm", "Rom", "Bonn"])
    with pytest.raises(ValueError, match=r"X, row 2, column 2 \(town\): the category \"Rom\"") as raised:
        model.predict(new)
    model.save(tmp_path / "model.json")
    path = written(new, tmp_path / "new.csv")
    done = subprocess.run([program_file, "predict", tmp_path / "model.json", path], capture_output=True, text=True)
    message = done.stderr.split("column 2 (town): ")[1].splitlines()[0]
    assert message in str(raised.value)
    expected = subprocess.run(
        [program_file, "predict", tmp_path / "model.json", path, "--unknown", "zero"], capture_output=True, text=True
    )
    found = model.set_params(unknown="zero").predict(new)
    np.testing.assert_allclose(found, pd.read_csv(io.StringIO(expected.stdout))["prediction"], rtol=1e-14)


def test_every_estimator_takes_frames():
    frame, y = table()
    gaps = frame.isna().any(axis=1).to_numpy()
    labels = np.digitize(y, np.quantile(y, [0.33, 0.66]))
    many = ConstrainedClassifier(constraint=Sparsity(4), ridge=1e-2, missing="drop").fit(frame, labels)
    assert many.coef_.shape == (3, len(many.get_feature_names_out()))
    assert [label is None for label in many.predict(frame)] == gaps.tolist()
    several = ConstrainedRegressor(constraint=Sparsity(4), missing="mean").fit(frame, np.column_stack([y, -y]))
    assert several.predict(frame).shape == (len(frame), 2)
    search = ConstrainedRegressorCV(grid={"sparsity": [2, 4]}, cv=3, missing="mean").fit(frame, y)
    assert search.score(frame, y) > 0.3
    classes = ConstrainedClassifierCV(grid={"sparsity": [2]}, cv=3, ridge=1e-2, missing="drop").fit(frame, y > 0)
    assert classes.predict_proba(frame).shape == (len(frame), 2)
    path = SparsePath(largest=4, cv=3, missing="indicator").fit(frame, y)
    best = path.best("cv-best")
    assert list(best.get_feature_names_out()) == list(path.get_feature_names_out())
    assert best.objective_ <= path.objective_[path.index("cv-best")] * (1 + 1e-9)
    times, events = np.exp(-0.2 * y), (np.arange(len(y)) % 4 > 0).astype(int)
    cox = ConstrainedCox(Sparsity(2), missing="drop").fit(frame, times, events)
    assert np.array_equal(np.isnan(cox.predict(frame)), gaps)
    assert np.isnan(cox.predict_survival_function(frame, [0.5, 1.0])[gaps]).all()
    assert 0.5 < cox.score(frame, times, events) <= 1
    ordinal = ConstrainedOrdinal(Sparsity(2), missing="drop").fit(frame, labels)
    assert [label is None for label in ordinal.predict(frame)] == gaps.tolist()
    assert ordinal.score(frame, labels) > 0.4


def test_joint_models_have_the_bits_and_files_of_the_program(program, tmp_path):
    frame, y = table()
    times, events = np.exp(-0.2 * y), (np.arange(len(y)) % 4 > 0).astype(int)
    path = written(frame, tmp_path / "data.csv", time=times, event=events)
    words = ["--loss", "cox", "--target", "time", "--event", "event", "--constraint", "sparsity:3", "--missing", "mean"]
    document = fitted_by_program(program, path, *words)
    cox = ConstrainedCox(Sparsity(3), missing="mean").fit(frame, times, events)
    assert list(cox.get_feature_names_out()) == document["names"]
    cox.save(tmp_path / "cox.json")
    said = program("predict", tmp_path / "cox.json", path, "--missing", "mean", "--linear")
    np.testing.assert_allclose(cox.predict(frame), pd.read_csv(io.StringIO(said)).iloc[:, 0], rtol=1e-12)
    back = proxdist.load(tmp_path / "cox.json")
    np.testing.assert_array_equal(back.predict(frame), cox.predict(frame))
    assert back.missing == "mean"


def test_listed_splits_and_groups_speak_of_the_rows_that_were_given():
    frame, y = table()
    gaps = frame.isna().any(axis=1).to_numpy()
    rows, numbers = np.arange(len(y)), np.cumsum(~gaps) - 1
    folds = rows % 3
    splits = [(rows[folds != k], rows[folds == k]) for k in range(3)]
    grid = {"sparsity": [1, 2, 3]}
    found = ConstrainedRegressorCV(grid=grid, cv=splits, missing="drop").fit(frame, y)
    kept = [tuple(numbers[part[~gaps[part]]] for part in split) for split in splits]
    expected = ConstrainedRegressorCV(grid=grid, cv=kept).fit(frame[~gaps], y[~gaps])
    assert np.array_equal(found.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"])
    from sklearn.model_selection import GroupKFold

    by_group = ConstrainedRegressorCV(grid=grid, cv=GroupKFold(3), missing="drop").fit(frame, y, groups=folds)
    assert np.array_equal(by_group.coef_, expected.coef_) or by_group.n_splits_ == 3


def test_groups_by_source_are_columns(program, tmp_path):
    frame, y = table(gaps=False)
    path = written(frame, tmp_path / "data.csv", y=y)
    words = ["--target", "y", "--constraint", "group-sparsity:3;by=source"]
    model = ConstrainedRegressor(constraint="group-sparsity:3;by=source").fit(frame, y)
    assert_same(model, fitted_by_program(program, path, *words))
    assert model.get_support().sum() == 3


def test_mistakes_name_row_and_column():
    frame, y = table()
    first = int(np.flatnonzero(frame["age"].isna())[0]) + 1
    with pytest.raises(ValueError, match=rf"X, row {first}, column 1 \(age\): the value is missing .* missing='drop'"):
        ConstrainedRegressor().fit(frame[["age", "town"]].assign(town=["a", "b"] * 60), y)
    numbers = frame[["size", "age"]].astype(float)
    with pytest.raises(ValueError, match=rf"X, row {first}, column 2 \(age\): the value is missing"):
        ConstrainedRegressor().fit(numbers, y)
    dates = frame[["size"]].assign(day=pd.Timestamp("2024-01-01"))
    with pytest.raises(ValueError, match=r"X, column 2 \(day\): columns of type datetime64.* cannot be used"):
        ConstrainedRegressor().fit(dates, y)
    with pytest.raises(ValueError, match=r"columns of type dict cannot be used|columns of type object cannot be used"):
        ConstrainedRegressor().fit(frame[["size"]].assign(thing=[{"a": 1}] * len(y)), y)
    names = frame[["size"]].assign(name=[f"n{row}" for row in range(len(y))])
    with pytest.raises(ValueError, match=r"categories=\[\"name\"\]"):
        ConstrainedRegressor().fit(names, y)
    twice = frame[["size", "smoker"]].set_axis(["a", "a"], axis=1)
    with pytest.raises(ValueError, match="two columns called 'a'"):
        ConstrainedRegressor().fit(twice, y)
    model = ConstrainedRegressor(missing="mean").fit(frame, y)
    with pytest.raises(ValueError, match='there is no column "age"'):
        model.predict(frame.drop(columns="age"))
    with pytest.raises(ValueError, match="expecting 8 features"):
        model.predict(np.zeros((2, 3)))
    for parameters, message in (
        ({"missing": "median"}, "missing must be one of"),
        ({"unknown": "maybe"}, "unknown must be one of"),
        ({"categories": "all"}, "categories must be 'auto' or a list"),
        ({"categories": ["nothing"]}, 'there is no column "nothing"'),
    ):
        with pytest.raises(ValueError, match=message):
            ConstrainedRegressor(**parameters).fit(frame[["size", "smoker"]], y)


def test_numbers_alone_are_read_where_they_are(monkeypatch):
    X = np.random.default_rng(0).normal(size=(50, 4))
    frame = pd.DataFrame(X, columns=list("abcd"), copy=False)
    seen = []
    from proxdist import _estimator

    usual = _estimator.features
    monkeypatch.setattr(_estimator, "features", lambda X: seen.append(X) or usual(X))
    model = ConstrainedRegressor().fit(frame, X[:, 0])
    assert np.shares_memory(seen[0], X)
    assert not hasattr(model, "_encoding")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"a": "z"}))


def test_arrays_have_gaps_too(program, tmp_path):
    generator = np.random.default_rng(4)
    X, y = generator.normal(size=(60, 4)), generator.normal(size=60)
    X[generator.random(X.shape) < 0.1] = np.nan
    np.savez(tmp_path / "data.npz", X=X, y=y)
    for missing in ("drop", "mean", "indicator"):
        model = ConstrainedRegressor(missing=missing).fit(X, y)
        document = fitted_by_program(program, tmp_path / "data.npz", "--target", "y", "--missing", missing)
        assert np.array_equal(model.coef_, coefficients(document))
        assert not hasattr(model, "feature_names_in_")
        assert model.n_features_in_ == 4
        assert np.isnan(model.predict(X)).any() == (missing == "drop")
    with pytest.raises(ValueError, match="NaN"):
        ConstrainedRegressor().fit(X, y)


def test_fitted_frames_are_cloned_pickled_and_fitted_again():
    from sklearn.base import clone

    frame, y = table()
    model = ConstrainedRegressor(constraint=Sparsity(3), missing="mean").fit(frame, y)
    back = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(back.predict(frame), model.predict(frame))
    assert not hasattr(clone(model), "_encoding")
    # Another fit, of numbers, forgets the frame.
    X = np.ones((10, 2)) * np.arange(10)[:, None]
    model.set_params(missing="error", constraint=None, ridge=0.1).fit(X, np.arange(10.0))
    assert (model.n_features_in_, hasattr(model, "feature_names_in_"), model.coef_.shape) == (2, False, (2,))
    assert list(model.get_feature_names_out()) == ["x0", "x1"]


def test_streams_learn_frames(tmp_path):
    frame, y = table(rows=400)
    model = ConstrainedRegressor(constraint=Sparsity(4), missing="mean", unknown="zero", rho1=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for start in range(0, 400, 100):
            model.partial_fit(frame.iloc[start : start + 100], y[start : start + 100])
    assert len(model.get_feature_names_out()) == len(model.coef_)
    assert np.isfinite(model.predict(frame)).all()


def test_reports_and_summaries_take_frames(tmp_path):
    frame, y = table()
    model = ConstrainedRegressor(constraint=Sparsity(3), missing="mean").fit(frame, y)
    model.report(tmp_path / "report.html", frame, y)
    assert "town=Ulm" in (tmp_path / "report.html").read_text()
    assert "town=Ulm" in str(model.summary(frame, y))


def test_partitions_refuse_what_they_do_not_have():
    from proxdist.parts import fit_parts

    frame, y = table(gaps=False)
    with pytest.raises(ValueError, match="missing='mean' is not available for rows in partitions"):
        fit_parts(ConstrainedRegressor(missing="mean"), lambda task: [task(0, (frame, y))])
