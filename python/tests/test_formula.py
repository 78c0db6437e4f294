"""Formulas by the package formulaic: its names, its columns, its state for new rows."""

import pickle
import sys

import numpy as np
import pytest

from proxdist import (
    ConstrainedClassifier,
    ConstrainedCox,
    ConstrainedRegressor,
    ConstrainedRegressorCV,
    SparsePath,
    Sparsity,
)

pd = pytest.importorskip("pandas")
formulaic = pytest.importorskip("formulaic")


def players(rows=80, seed=0):
    generator = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "hits": generator.normal(100, 30, rows),
            "years": generator.integers(1, 20, rows).astype(float),
            "league": generator.choice(["A", "N"], rows),
            "town": generator.choice(["x", "y", "z"], rows),
        }
    )
    frame["salary"] = 3 * frame["hits"] + 20 * (frame["league"] == "N") + frame["hits"] * frame["years"] / 10
    frame["salary"] += generator.normal(size=rows)
    return frame


FORMULA = "salary ~ hits + C(league) + hits:years"


def test_a_formula_is_its_design_matrix():
    frame = players()
    model = ConstrainedRegressor(formula=FORMULA).fit(frame)
    design = formulaic.Formula(FORMULA).rhs.get_model_matrix(frame).drop(columns="Intercept")
    assert list(model.get_feature_names_out()) == list(design.columns) == ["hits", "C(league)[T.N]", "hits:years"]
    expected = ConstrainedRegressor().fit(design.to_numpy(dtype=float), frame["salary"].to_numpy())
    assert np.array_equal(model.coef_, expected.coef_)
    assert model.score(frame) == pytest.approx(expected.score(design.to_numpy(dtype=float), frame["salary"]))
    assert list(model.feature_names_in_) == ["hits", "league", "years"]
    again = ConstrainedRegressor(formula="hits + C(league) + hits:years").fit(frame, frame["salary"])
    assert np.array_equal(again.coef_, model.coef_)


def test_new_rows_have_the_state_of_the_fit():
    frame = players()
    formula = "np.log(salary) ~ scale(hits) + poly(years, 2) + town"
    model = ConstrainedRegressor(formula=formula).fit(frame)
    spec = formulaic.Formula(formula).get_model_matrix(frame).model_spec
    new = players(rows=7, seed=5).drop(columns="salary")
    design = spec.rhs.get_model_matrix(new).drop(columns="Intercept").to_numpy(dtype=float)
    np.testing.assert_allclose(model.predict(new), design @ model.coef_ + model.intercept_)
    np.testing.assert_allclose(pickle.loads(pickle.dumps(model)).predict(new), model.predict(new))
    logs = np.log(frame["salary"])
    assert model.score(frame) == pytest.approx(
        1 - ((logs - model.predict(frame)) ** 2).sum() / ((logs - logs.mean()) ** 2).sum()
    )


def test_a_formula_without_an_intercept_makes_a_model_without_one():
    frame = players()
    model = ConstrainedRegressor(formula="salary ~ 0 + hits + town").fit(frame)
    assert model.intercept_ == 0.0
    assert list(model.get_feature_names_out()) == ["hits", "town[x]", "town[y]", "town[z]"]


def test_rows_with_gaps_are_left_out_or_refused():
    frame = players()
    frame.loc[3, "hits"], frame.loc[8, "league"], frame.loc[11, "salary"] = np.nan, None, np.nan
    with pytest.raises(ValueError, match="null values"):
        ConstrainedRegressor(formula=FORMULA).fit(frame.drop(index=11))
    model = ConstrainedRegressor(formula=FORMULA, missing="drop").fit(frame)
    whole = ConstrainedRegressor(formula=FORMULA).fit(frame.dropna())
    assert np.array_equal(model.coef_, whole.coef_)
    found = model.predict(frame)
    assert np.flatnonzero(np.isnan(found)).tolist() == [3, 8]
    np.testing.assert_array_equal(found[~np.isnan(found)], model.predict(frame.drop(index=[3, 8])))
    assert model.score(frame) == pytest.approx(whole.score(frame.dropna()))


def test_the_other_estimators_take_formulas():
    frame = players()
    frame["rich"] = np.where(frame["salary"] > frame["salary"].median(), "yes", "no")
    classifier = ConstrainedClassifier(ridge=1e-3, formula="rich ~ hits + town").fit(frame)
    assert set(classifier.predict(frame)) == {"yes", "no"}
    assert classifier.score(frame) > 0.8
    search = ConstrainedRegressorCV(grid={"sparsity": [1, 2]}, cv=3, formula=FORMULA).fit(frame)
    assert len(search.support_) == 2
    path = SparsePath(formula="salary ~ hits + years + town", largest=2, cv=None).fit(frame)
    assert list(path.best("bic").get_feature_names_out()) == ["hits", "years", "town[T.y]", "town[T.z]"]
    events = np.ones(len(frame))
    cox = ConstrainedCox(Sparsity(1), formula="hits + town").fit(
        frame, frame["salary"] - frame["salary"].min() + 1, events
    )
    assert len(cox.predict(frame)) == len(frame)
    polars = pytest.importorskip("polars")
    other = ConstrainedRegressor(formula=FORMULA).fit(polars.from_pandas(frame))
    assert np.array_equal(other.coef_, ConstrainedRegressor(formula=FORMULA).fit(frame).coef_)


def test_selection_speaks_of_terms():
    frame = players()
    model = ConstrainedRegressor(constraint=Sparsity(1), formula="salary ~ town + hits").fit(frame)
    assert model.get_support().tolist() == [False, True]


def test_mistakes_in_formulas_are_told(monkeypatch):
    frame = players()
    for formula, message in (
        ("salary ~ hits +", "formula 'salary ~ hits \\+'"),
        ("salary ~ hits + nothing", "nothing"),
        ("salary ~ 1", "no feature on its right side"),
    ):
        with pytest.raises(ValueError, match=message):
            ConstrainedRegressor(formula=formula).fit(frame)
    with pytest.raises(ValueError, match="y is given twice"):
        ConstrainedRegressor(formula=FORMULA).fit(frame, frame["salary"])
    with pytest.raises(TypeError, match="columns of a data frame"):
        ConstrainedRegressor(formula="hits").fit(np.zeros((3, 2)), np.zeros(3))
    with pytest.raises(ValueError, match="missing='mean' is not available with a formula"):
        ConstrainedRegressor(formula=FORMULA, missing="mean").fit(frame)
    with pytest.raises(ValueError, match="requires y"):
        ConstrainedRegressor(formula="hits + years").fit(frame)
    with pytest.raises(ValueError, match="leave the left side out"):
        ConstrainedCox(formula=FORMULA).fit(frame, frame["salary"], np.ones(len(frame)))
    model = ConstrainedRegressor(formula="salary ~ hits + town").fit(frame)
    strange = frame.iloc[:2].assign(town=["x", "w"])
    with pytest.raises(ValueError, match=r"did not occur in training: \{'w'\}"):
        model.predict(strange)
    zero = model.set_params(unknown="zero").predict(strange)
    expected = model.coef_ @ [strange["hits"].iloc[1], 0.0, 0.0] + model.intercept_
    assert zero[1] == pytest.approx(expected)
    with pytest.raises(ValueError, match="hits"):
        model.predict(frame.drop(columns="hits"))
    monkeypatch.setitem(sys.modules, "formulaic", None)
    with pytest.raises(ImportError, match="pip install formulaic"):
        ConstrainedRegressor(formula=FORMULA).fit(frame)
