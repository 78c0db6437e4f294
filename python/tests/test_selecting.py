"""Selectors and grids of scikit-learn around estimators: columns of frames, parameters of sets."""

import pickle

import numpy as np
import pytest
from test_frames import table

from proxdist import ConstrainedClassifier, ConstrainedRegressor, Sparsity

pytest.importorskip("pandas")


def test_selectors_of_scikit_learn_select_columns():
    from sklearn.feature_selection import SelectFromModel

    frame, y = table(gaps=False)
    model = ConstrainedRegressor(constraint=Sparsity(3)).fit(frame, y)
    names = model.get_feature_names_out()[model.support_]
    columns = {name.split("=")[0] for name in names}
    assert set(frame.columns[model.get_support()]) == columns
    assert list(model.get_support(indices=True)) == [
        frame.columns.get_loc(name) for name in sorted(columns, key=list(frame.columns).index)
    ]
    selector = SelectFromModel(model, importance_getter="feature_importances_", threshold=1e-12)
    selected = selector.set_output(transform="pandas").fit(frame, y).transform(frame)
    assert set(selected.columns) == columns
    assert selected.dtypes.equals(frame[selected.columns].dtypes)
    numbers = frame[["age", "size"]].assign(other=np.arange(len(y)) % 7)
    both = SelectFromModel(ConstrainedRegressor(constraint=Sparsity(1)), threshold=1e-12).set_output(transform="pandas")
    assert list(both.fit(numbers, np.column_stack([y, y])).transform(numbers).columns) == ["age"]
    assert both.get_support().tolist() == both.estimator_.get_support().tolist() == [True, False, False]
    several = SelectFromModel(ConstrainedClassifier(constraint=Sparsity(1), ridge=1e-2), threshold=1e-12)
    several.fit(numbers, np.digitize(y, [-0.5, 0.5]))
    assert several.get_support().sum() == 1


def test_parameters_of_sets_are_reached_by_grids():
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV

    from proxdist import Ball, Selection

    frame, y = table(gaps=False)
    model = ConstrainedRegressor(constraint=Sparsity(1))
    assert model.get_params()["constraint__keep"] == 1
    search = GridSearchCV(model, {"constraint__keep": [1, 2, 4]}, cv=3).fit(frame, y)
    assert search.best_estimator_.constraint == Sparsity(search.best_params_["constraint__keep"])
    assert model.constraint == Sparsity(1)
    assert search.best_score_ == pytest.approx(
        GridSearchCV(model, {"constraint": [Sparsity(k) for k in (1, 2, 4)]}, cv=3).fit(frame, y).best_score_
    )
    kept = Selection(3, keep=["age"], drop=iter(["size"]))
    assert clone(kept) == kept == pickle.loads(pickle.dumps(kept))
    assert kept.set_params(most=2, keep=None) == Selection(2, drop=["size"])
    assert Ball(2.0).set_params(radius=1.0) == Ball(1.0)
    with pytest.raises(ValueError, match="has no parameter 'size'"):
        Sparsity(2).set_params(size=3)
    with pytest.raises(ValueError, match="sparsity"):
        Sparsity(2).set_params(keep=-3)
