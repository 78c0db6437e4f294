"""Estimators that choose by cross-validation: the scores of a loop of fits, any splitter and scorer."""

import numpy as np
import pytest
from conftest import planted, planted_classes
from scipy import sparse
from sklearn.metrics import log_loss, make_scorer, mean_absolute_error
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
)

from proxdist import (
    ConstrainedClassifier,
    ConstrainedClassifierCV,
    ConstrainedRegressor,
    ConstrainedRegressorCV,
    SparsePath,
    Sparsity,
)

X, Y, _ = planted(rows=120, columns=8)
A, LABELS, _ = planted_classes(rows=200, columns=8)
NAMES = np.where(LABELS == 1, "yes", "no")
GROUPS = np.arange(120) % 6
SPLITTERS = [KFold(4, shuffle=True, random_state=1), TimeSeriesSplit(3), ShuffleSplit(3, random_state=0), GroupKFold(3)]


@pytest.mark.parametrize("cv", SPLITTERS, ids=lambda cv: type(cv).__name__)
def test_scores_are_those_of_a_loop_of_fits(cv):
    search = ConstrainedRegressorCV(grid={"sparsity": range(1, 5), "ridge": [0, 1e-2]}, cv=cv)
    groups = GROUPS if isinstance(cv, GroupKFold) else None
    search.fit(X, Y, groups=groups)
    found = search.cv_results_
    assert len(found["params"]) == 8
    for at, point in enumerate(found["params"]):
        model = ConstrainedRegressor(constraint=Sparsity(point["sparsity"]), ridge=point["ridge"])
        for fold, (train, test) in enumerate(cv.split(X, Y, groups)):
            rest = Y[test] - model.fit(X[train], Y[train]).predict(X[test])
            assert found[f"split{fold}_test_score"][at] == pytest.approx(-np.mean(rest**2) / 2, rel=1e-6)


@pytest.mark.parametrize("scoring", ["roc_auc", "f1_macro", "neg_log_loss", "balanced_accuracy", "accuracy", None])
def test_scores_by_name_are_those_of_cross_val_score(scoring):
    cv = StratifiedKFold(3, shuffle=True, random_state=2)
    grid = {"sparsity": [1, 2, 4], "ridge": [1e-3, 1e-1]}

    search = ConstrainedClassifierCV(grid=grid, cv=cv, scoring=scoring).fit(A, NAMES)
    for at, point in enumerate(search.cv_results_["params"]):
        model = ConstrainedClassifier(constraint=Sparsity(point["sparsity"]), ridge=point["ridge"])
        expected = cross_val_score(model, A, NAMES, cv=cv, scoring=scoring)
        found = [search.cv_results_[f"split{fold}_test_score"][at] for fold in range(3)]
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_scorer_that_is_a_function_sees_models_of_other_sets_too():
    def closeness(model, X, y):
        return -mean_absolute_error(y, model.predict(X))

    cv = KFold(3)
    for grid in ({"sparsity": [1, 3]}, {"l1": [0.5, 5.0]}):
        named, own, made = (
            ConstrainedRegressorCV(grid=grid, cv=cv, scoring=scoring, ridge=0.0).fit(X, Y)
            for scoring in (
                "neg_mean_absolute_error",
                closeness,
                make_scorer(mean_absolute_error, greater_is_better=False),
            )
        )
        for other in (own, made):
            np.testing.assert_allclose(
                other.cv_results_["mean_test_score"], named.cv_results_["mean_test_score"], rtol=1e-12
            )
            assert other.best_params_ == named.best_params_


def test_weights_and_offsets_of_held_out_rows_count():
    weights, offset = np.random.default_rng(0).uniform(0.5, 2, 120), np.linspace(-3, 3, 120)
    own = ConstrainedRegressorCV(cv=4, scoring="mse").fit(X, Y, sample_weight=weights, offset=offset)
    theirs = ConstrainedRegressorCV(
        cv=4, scoring=make_scorer(lambda y, p, sample_weight: -np.average((y - p) ** 2, weights=sample_weight))
    ).fit(X, Y, sample_weight=weights, offset=offset)
    np.testing.assert_allclose(own.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], rtol=1e-9)


def test_an_exception_of_a_scorer_is_raised():
    def broken(model, X, y):
        raise RuntimeError("no scores today")

    with pytest.raises(RuntimeError, match="no scores today"):
        ConstrainedRegressorCV(cv=3, scoring=broken).fit(X, Y)
    with pytest.raises(TypeError, match="scoring is a name or a function"):
        ConstrainedRegressorCV(cv=3, scoring=3).fit(X, Y)


def test_results_have_the_keys_and_the_ranks_of_scikit_learn():
    cv = KFold(3)
    sizes = [Sparsity(size) for size in (1, 3, 6)]
    theirs = GridSearchCV(ConstrainedRegressor(), {"constraint": sizes}, cv=cv, scoring="neg_mean_squared_error").fit(
        X, Y
    )
    ours = ConstrainedRegressorCV(grid={"sparsity": [1, 3, 6]}, cv=cv, scoring="neg_mean_squared_error", ridge=0.0)
    found = ours.fit(X, Y).cv_results_
    for key in [key for key in theirs.cv_results_ if key.endswith("_test_score")]:
        np.testing.assert_allclose(found[key], theirs.cv_results_[key], rtol=1e-6)
    assert found["params"] == [{"sparsity": 1}, {"sparsity": 3}, {"sparsity": 6}]
    assert isinstance(found["param_sparsity"], np.ma.MaskedArray)
    assert found["params"][ours.best_index_] == ours.best_params_
    assert ours.best_score_ == found["mean_test_score"][ours.best_index_]


def test_by_default_all_sizes_with_several_ridges_ten_folds_and_one_standard_error():
    search = ConstrainedRegressorCV().fit(X, Y)
    found = search.cv_results_
    assert sorted(set(found["param_sparsity"])) == list(range(1, 9))
    assert sorted(set(found["param_ridge"])) == [0.0, 1e-4, 1e-3, 1e-2, 1e-1]
    assert search.n_splits_ == 10
    assert "10-fold cross-validation of loss, the simplest within one standard error" in search._repr_html_()
    best = np.argmax(found["mean_test_score"])
    near = found["mean_test_score"] >= found["mean_test_score"][best] - found["standard_error"][best]
    assert search.best_params_["sparsity"] == min(found["param_sparsity"][near])
    # The path chooses the same.
    path = SparsePath(largest=8).fit(X, Y)
    at = path.index("cv")
    assert search.best_params_ == {"sparsity": path.sizes_[at], "ridge": path.ridges_[at]}
    assert search.objective_ <= path.objective_[at] * (1 + 1e-9)
    assert ConstrainedRegressorCV(choice="best").fit(X, Y).best_index_ == best


def test_ridge_is_an_axis_only_where_nothing_is_said_about_it():
    def ridges(**parameters):
        return set(ConstrainedRegressorCV(cv=3, **parameters).fit(X, Y).cv_results_.get("param_ridge", []))

    assert ridges(grid={"sparsity": "1-3"}) == {0.0, 1e-4, 1e-3, 1e-2, 1e-1}
    assert ridges(grid={"sparsity": "1-3", "ridge": "1e-3..1,log,2"}) == {1e-3, 1.0}
    assert ridges(grid={"sparsity": [2]}, ridge=0.5) == set()
    assert ridges(grid={"sparsity": [1, 2]}, constraint="nonneg") == set()
    assert ridges(grid={"l1": [1.0, 2.0]}) == set()


def test_sparse_rows_and_frames_are_scored_like_arrays():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(A, columns=[f"column {j}" for j in range(8)])
    grid = {"sparsity": [1, 3]}
    dense, csr, named = (
        ConstrainedClassifierCV(grid=grid, cv=3, scoring="f1_macro", ridge=0.01).fit(data, NAMES)
        for data in (A, sparse.csr_matrix(A), frame)
    )
    for other in (csr, named):
        np.testing.assert_allclose(
            other.cv_results_["mean_test_score"], dense.cv_results_["mean_test_score"], rtol=1e-9
        )


def test_several_classes_choose_each_for_itself():
    three = np.where(A[:, 0] > 1, "high", NAMES)
    search = ConstrainedClassifierCV(
        grid={"sparsity": [1, 3]}, cv=3, scoring="f1", ridge=0.01, multi_class="ovr"
    ).fit(A, three)
    assert len(search.best_params_) == len(search.cv_results_) == 3


def test_a_path_takes_splitters_and_scorers():
    cv = TimeSeriesSplit(4)
    path = SparsePath("logistic", 3, ridges=[1e-2], cv=cv, scoring="neg_log_loss").fit(A, NAMES)
    own = SparsePath(
        "logistic",
        3,
        ridges=[1e-2],
        cv=cv,
        scoring=make_scorer(log_loss, greater_is_better=False, response_method="predict_proba"),
    ).fit(A, NAMES)
    np.testing.assert_allclose(path.cv_mean_, own.cv_mean_, rtol=1e-6)
    assert (path.cv_mean_ < 0).all()
    assert path.index("cv-best") == own.index("cv-best") == np.argmax(path.cv_mean_)
    grouped = SparsePath(largest=2, cv=GroupKFold(3)).fit(X, Y, groups=GROUPS)
    assert grouped.cv_folds_.shape[1] == 3


def test_what_a_fold_lacks_is_told():
    labels = np.repeat([0, 1], 30)
    data = np.random.default_rng(0).normal(size=(60, 3))
    with pytest.raises(ValueError, match="first split must be fitted to rows of both classes"):
        ConstrainedClassifierCV(cv=TimeSeriesSplit(3), ridge=0.1).fit(data, labels)
    with pytest.raises(ValueError, match=r"fold 1 of 1.*one class only"):
        ConstrainedClassifierCV(cv=[(range(10, 60), range(10))], scoring="roc_auc").fit(data, labels)
    with pytest.raises(ValueError, match="at most 2, the number of rows with label 1"):
        ConstrainedClassifierCV(cv=3).fit(data, np.r_[np.zeros(58), np.ones(2)])


def test_constant_repeated_and_too_many_columns_are_no_trouble():
    wide = np.column_stack([X, X, np.full(120, 7.0)])
    narrow, repeated = (
        ConstrainedRegressorCV(grid={"sparsity": [1, 2, 3]}, cv=3, ridge=0.0).fit(data, Y) for data in (X, wide)
    )
    np.testing.assert_allclose(
        repeated.cv_results_["mean_test_score"], narrow.cv_results_["mean_test_score"], rtol=1e-9
    )
    # More features than rows to fit to: a perfect fit, and no more of it.
    tiny = np.random.default_rng(1).normal(size=(12, 30))
    search = ConstrainedRegressorCV(grid={"sparsity": "1-20"}, cv=3).fit(tiny, tiny[:, 0] + 1)
    assert search.best_params_["sparsity"] == 1


@pytest.mark.parametrize("what", [None, "objective", "bic", "coefficients"])
def test_pictures_of_a_path(what, monkeypatch):
    path = SparsePath(largest=4, cv=3).fit(X, Y)
    axes = pytest.importorskip("matplotlib.axes")
    assert isinstance(path.plot(what), axes.Axes)
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.pyplot", None)
    picture = path.plot(what)
    assert picture._repr_svg_().lstrip().startswith("<svg")
    assert picture._repr_html_() == picture.svg


def test_pictures_that_cannot_be_drawn_say_why():
    path = SparsePath("huber:1.0", 2, cv=None).fit(X, Y)
    for what, message in [("scores", "cv=10"), ("bic", "likelihood"), ("luck", "one of")]:
        with pytest.raises(ValueError, match=message):
            path.plot(what)
