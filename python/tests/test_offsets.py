"""Known parts of predictors: a fit with one predicts, scores, reports and searches with one, never silently without."""

import io
import json

import numpy as np
import pytest
import sklearn
from conftest import planted, planted_classes
from sklearn.model_selection import GridSearchCV, cross_validate

import proxdist
from proxdist import (
    ConstrainedClassifier,
    ConstrainedCox,
    ConstrainedOrdinal,
    ConstrainedRegressor,
    ConstrainedRegressorCV,
    SparsePath,
    Sparsity,
)


def counts(rows=300, seed=2):
    X, eta, _ = planted(rows=rows, columns=6, noise=0.0, seed=seed)
    generator = np.random.default_rng(seed)
    exposure = generator.uniform(0.5, 4.0, rows)
    return X, generator.poisson(exposure * np.exp(0.2 * eta)).astype(float), exposure


def poisson_d2(y, mean):
    def deviance(mean):
        return 2 * np.sum(np.where(y > 0, y * np.log(np.where(y > 0, y, 1) / mean), 0) - (y - mean))

    return 1 - deviance(mean) / deviance(np.full(len(y), y.mean()))


def test_a_fit_with_a_known_part_does_not_predict_without():
    X, y, exposure = counts()
    model = ConstrainedRegressor("poisson", Sparsity(3)).fit(X, y, exposure=exposure)
    for call in (
        model.predict,
        lambda X: model.score(X, y),
        lambda X: model.d2_score(X, y),
        lambda X: model.summary(X, y),
    ):
        with pytest.raises(ValueError, match="fitted with an exposure, and its predictions need one too"):
            call(X)
    rate = model.predict(X, exposure=1)
    np.testing.assert_allclose(model.predict(X, exposure=exposure), rate * exposure)
    np.testing.assert_allclose(model.predict(X, offset=np.log(exposure)), rate * exposure)
    np.testing.assert_allclose(model.predict(X, offset=0), rate)
    assert model.score(X, y, exposure=exposure) == pytest.approx(poisson_d2(y, rate * exposure))
    assert model.score(X, y, offset=0) == pytest.approx(poisson_d2(y, rate))
    assert "V" in str(model.summary(X, y, exposure=exposure)) or model.summary(X, y, exposure=exposure) is not None
    # Another fit, without one, predicts without one.
    model.fit(X, y)
    assert len(model.predict(X)) == len(y)


def test_classes_times_and_ordered_labels_ask_for_it_too():
    X, y, _ = planted_classes(columns=5)
    offset = np.linspace(-1, 1, len(y))
    classifier = ConstrainedClassifier(ridge=1e-3).fit(X, y, offset=offset)
    for method in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        with pytest.raises(ValueError, match="fitted with an offset"):
            getattr(classifier, method)(X)
    eta = X @ classifier.coef_[0] + classifier.intercept_[0] + offset
    np.testing.assert_allclose(classifier.decision_function(X, offset), eta)
    assert classifier.score(X, y, offset=offset) == np.mean((eta > 0) == y)
    ordinal = ConstrainedOrdinal().fit(X, y, offset=offset)
    cox = ConstrainedCox().fit(X, np.exp(-eta / 4), np.ones(len(y)), offset=offset)
    for model in (ordinal, cox):
        with pytest.raises(ValueError, match="fitted with an offset"):
            model.predict(X)
        assert len(model.predict(X, offset=0)) == len(y)
    assert cox.score(X, np.exp(-eta / 4), np.ones(len(y)), offset=offset) > 0.5
    assert ordinal.score(X, y, offset=offset) > 0.5


def test_several_outputs_have_an_offset_each():
    X, y, _ = planted_classes(columns=4)
    labels = np.where(X[:, 0] > 0.7, 2, y)
    offset = np.random.default_rng(0).normal(size=(len(y), 3))
    model = ConstrainedClassifier(ridge=1e-2).fit(X, labels, offset=offset)
    with pytest.raises(ValueError, match="fitted with an offset"):
        model.predict(X)
    assert model.predict_proba(X, offset).shape == (len(y), 3)
    np.testing.assert_allclose(model.decision_function(X, 0), X @ model.coef_.T + model.intercept_, atol=1e-12)


def test_searches_by_metadata_routing():
    X, y, exposure = counts()
    grid, folds = {"constraint__keep": [1, 3]}, 3
    model = ConstrainedRegressor("poisson", Sparsity(1))
    with sklearn.config_context(enable_metadata_routing=True):
        routed = model.set_fit_request(exposure=True).set_score_request(exposure=True)
        search = GridSearchCV(routed, grid, cv=folds).fit(X, y, exposure=exposure)
        scores = cross_validate(routed, X, y, cv=folds, params={"exposure": exposure})["test_score"]
    rows = np.array_split(np.arange(len(y)), folds)
    expected = []
    for test in rows:
        train = np.setdiff1d(np.arange(len(y)), test)
        fitted = ConstrainedRegressor("poisson", Sparsity(1)).fit(X[train], y[train], exposure=exposure[train])
        expected.append(fitted.score(X[test], y[test], exposure=exposure[test]))
    np.testing.assert_allclose(scores, expected)
    assert search.cv_results_["mean_test_score"][0] == pytest.approx(np.mean(expected))
    # Without routing a score would be one without the exposure: it is none.
    with pytest.warns(UserWarning, match="Scoring failed"):
        found = cross_validate(ConstrainedRegressor("poisson"), X, y, cv=folds, params={"exposure": exposure})
    assert np.isnan(found["test_score"]).all()


def test_our_own_searches_keep_it():
    X, y, exposure = counts()
    by_exposure = ConstrainedRegressorCV("poisson", {"sparsity": [1, 3]}, cv=3, ridge=0.0).fit(X, y, exposure=exposure)
    by_offset = ConstrainedRegressorCV("poisson", {"sparsity": [1, 3]}, cv=3, ridge=0.0).fit(
        X, y, offset=np.log(exposure)
    )
    assert np.array_equal(by_exposure.coef_, by_offset.coef_)
    with pytest.raises(ValueError, match="fitted with an exposure"):
        by_exposure.predict(X)
    path = SparsePath("poisson", 3, cv=3).fit(X, y, exposure=exposure)
    with pytest.raises(ValueError, match="fitted with an exposure"):
        path.best().predict(X)
    assert len(path.best().predict(X, exposure=exposure)) == len(y)
    own = ConstrainedRegressorCV("poisson", {"sparsity": [1, 3]}, cv=3, scoring=None, ridge=0.0).fit(
        X, y, exposure=exposure
    )
    assert own.best_score_ == pytest.approx(own.cv_results_["mean_test_score"].max(), abs=0.05)


def test_a_report_is_about_predictions_with_it(tmp_path):
    X, y, exposure = counts()
    model = ConstrainedRegressor("poisson", Sparsity(3)).fit(X, y, exposure=exposure)
    with pytest.raises(ValueError, match="fitted with an exposure"):
        model.report(tmp_path / "none.html", X, y)
    assert not (tmp_path / "none.html").exists()
    model.report(tmp_path / "report.html", X, y, exposure=exposure)
    score = model.score(X, y, exposure=exposure)
    # Four digits of D², which it would not have without the exposure.
    assert f">{score:.4g}<" in (tmp_path / "report.html").read_text()


def test_files_say_that_there_was_one(program, program_file, tmp_path):
    import subprocess

    pd = pytest.importorskip("pandas")
    X, y, exposure = counts()
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["kind"] = np.where(X[:, 0] > 0, "u", "v")
    model = ConstrainedRegressor("poisson", Sparsity(3)).fit(frame, y, exposure=pd.Series(exposure, name="time"))
    model.save(tmp_path / "model.json")
    assert json.loads((tmp_path / "model.json").read_text())["data"]["exposure"] == "time"
    frame.assign(time=exposure).to_csv(tmp_path / "with.csv", index=False, float_format="%.17g")
    frame.to_csv(tmp_path / "without.csv", index=False, float_format="%.17g")
    said = pd.read_csv(io.StringIO(program("predict", tmp_path / "model.json", tmp_path / "with.csv")))["prediction"]
    np.testing.assert_allclose(model.predict(frame, exposure=exposure), said, rtol=1e-12)
    words = [program_file, "predict", tmp_path / "model.json", tmp_path / "without.csv"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode != 0 and '"time"' in done.stderr
    # As in the program, a frame that has the column needs no more.
    back = proxdist.load(tmp_path / "model.json")
    np.testing.assert_allclose(back.predict(frame.assign(time=exposure)), said, rtol=1e-12)
    np.testing.assert_allclose(model.predict(frame.assign(time=exposure)), said, rtol=1e-12)
    with pytest.raises(ValueError, match=r"fitted with an exposure \(time\)"):
        back.predict(frame)
    nameless = ConstrainedRegressor("poisson", Sparsity(3)).fit(frame, y, offset=np.log(exposure))
    nameless.save(tmp_path / "model.json")
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode != 0 and '"offset"' in done.stderr


def test_rows_without_an_exposure_are_left_out():
    X, y, exposure = counts()
    exposure[4] = np.nan
    with pytest.raises(ValueError, match="exposure must be above zero and finite"):
        ConstrainedRegressor("poisson").fit(X, y, exposure=exposure)
    model = ConstrainedRegressor("poisson", missing="drop").fit(X, y, exposure=exposure)
    kept = np.delete(np.arange(len(y)), 4)
    assert np.array_equal(
        model.coef_, ConstrainedRegressor("poisson").fit(X[kept], y[kept], exposure=exposure[kept]).coef_
    )
    assert np.isnan(model.predict(X, exposure=exposure)).nonzero()[0].tolist() == [4]


def test_interrupted_repetitions_go_on_from_their_file(tmp_path, program):
    X, y, _ = planted(rows=60, columns=5)
    model = ConstrainedRegressor(constraint=Sparsity(2)).fit(X, y)
    whole = model.summary(X, y, bootstrap=12, seed=3)
    part = model.summary(X, y, bootstrap=5, seed=3, state=tmp_path / "state.json")
    kept = json.loads((tmp_path / "state.json").read_text())
    assert len(kept["bootstrap"]) == 5
    # What the file says is taken at its word, and so not computed again.
    kept["bootstrap"][0]["intercept"] = 1e6
    (tmp_path / "other.json").write_text(json.dumps(kept))
    assert str(model.summary(X, y, bootstrap=5, seed=3, state=tmp_path / "other.json")) != str(part)
    again = model.summary(X, y, bootstrap=12, seed=3, state=tmp_path / "state.json")
    assert again.facts == whole.facts
    assert len(json.loads((tmp_path / "state.json").read_text())["bootstrap"]) == 12
    with pytest.raises(ValueError, match="another model, other rows or another seed"):
        model.summary(X, y, bootstrap=12, seed=4, state=tmp_path / "state.json")
    with pytest.raises(ValueError, match="none were asked for"):
        model.summary(X, y, state=tmp_path / "state.json")
    (tmp_path / "foreign.json").write_text("{}")
    with pytest.raises(ValueError, match="no file of repetitions"):
        model.summary(X, y, bootstrap=2, state=tmp_path / "foreign.json")
    with pytest.raises(OSError):
        model.summary(X, y, bootstrap=2, state=tmp_path / "nowhere" / "state.json")
    # The program goes on from the same file.
    model.save(tmp_path / "model.json")
    np.savez(tmp_path / "data.npz", X=X, y=y)
    words = [
        "summary",
        tmp_path / "model.json",
        tmp_path / "data.npz",
        "--target",
        "y",
        "--seed",
        3,
        "--json",
        "--quiet",
    ]
    said = json.loads(program(*words, "--bootstrap", 12, "--state", tmp_path / "state.json"))["summary"]

    def numbers(summary):
        return [{key: value for key, value in one.items() if key != "name"} for one in summary["bootstrap"]["varied"]]

    assert numbers(said) == numbers(whole.facts)
