"""Arrays of every kind that people have, none of them changed and none copied without need."""

import numpy as np
import pytest
from conftest import planted, planted_classes
from scipy import sparse

from proxdist import ConstrainedClassifier, ConstrainedRegressor, Sparsity


def fitted(X, y, **parameters):
    return ConstrainedRegressor(constraint=Sparsity(3), **parameters).fit(X, y)


def test_rows_columns_read_only_and_mapped_arrays_give_the_same_bits(tmp_path):
    X, y, _ = planted()
    expected = fitted(X, y)
    frozen = X.copy()
    frozen.flags.writeable = False
    np.save(tmp_path / "x.npy", X)
    wide = np.zeros((len(X), 60))
    wide[:, ::2] = X
    for other in (np.asfortranarray(X), frozen, np.load(tmp_path / "x.npy", mmap_mode="r"), wide[:, ::2], X.tolist()):
        model = fitted(other, y)
        assert np.array_equal(model.coef_, expected.coef_)
        assert model.intercept_ == expected.intercept_
        assert np.array_equal(model.predict(other), expected.predict(X))


def anywhere(array):
    """The same numbers, starting at an odd address, as arrays may after a journey between processes."""
    memory = np.empty(array.nbytes + 1, dtype=np.uint8)
    moved = memory[1:].view(array.dtype).reshape(array.shape)
    moved[...] = array
    assert not moved.flags.aligned
    return moved


def test_arrays_that_start_anywhere_are_fitted_and_predicted():
    X, y, _ = planted()
    expected = fitted(X, y)
    rows = sparse.csr_array(X)
    moved = sparse.csr_array(X)
    moved.data, moved.indices, moved.indptr = anywhere(rows.data), anywhere(rows.indices), anywhere(rows.indptr)
    whole = fitted(anywhere(X), anywhere(y))
    assert np.array_equal(whole.coef_, expected.coef_)
    assert np.array_equal(whole.predict(anywhere(X)), expected.predict(X))
    assert np.array_equal(fitted(moved, anywhere(y)).coef_, fitted(rows, y).coef_)
    assert np.array_equal(expected.predict(moved), expected.predict(rows))


def test_single_precision_is_a_way_of_storing():
    X, y, _ = planted()
    narrow = X.astype(np.float32)
    expected = fitted(narrow.astype(np.float64), y)
    for other in (narrow, np.asfortranarray(narrow)):
        assert np.array_equal(fitted(other, y).coef_, expected.coef_)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("number", [np.float32, np.float64])
def test_sparse_rows_are_fitted_as_they_are(index, number):
    X, y, _ = planted(rows=500, columns=40)
    X[np.abs(X) < 1.0] = 0.0
    matrix = sparse.csr_matrix(X.astype(number))
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    dense = fitted(X.astype(number), y)
    model = fitted(matrix, y)
    assert list(model.support_) == list(dense.support_)
    assert np.allclose(model.coef_, dense.coef_, atol=1e-8)
    assert np.allclose(model.predict(matrix), dense.predict(X.astype(number)), atol=1e-6)


def test_sparse_rows_with_unsorted_and_repeated_entries_are_put_in_order_on_a_copy():
    data, indices, starts = np.array([1.0, 2.0, 3.0, 4.0]), np.array([2, 0, 1, 1]), np.array([0, 2, 4, 4])
    matrix = sparse.csr_matrix((data, indices, starts), shape=(3, 3))
    model = ConstrainedRegressor(ridge=0.1).fit(matrix, [1.0, 2.0, 3.0])
    dense = ConstrainedRegressor(ridge=0.1, standardize=False).fit(matrix.toarray(), [1.0, 2.0, 3.0])
    assert list(matrix.indices) == [2, 0, 1, 1]
    assert np.allclose(
        ConstrainedRegressor(ridge=0.1, standardize=False).fit(matrix, [1.0, 2.0, 3.0]).coef_, dense.coef_
    )
    assert model.n_features_in_ == 3


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_keep_the_names_of_their_columns(library, tmp_path):
    frames = pytest.importorskip(library)
    X, y, _ = planted(columns=10)
    names = [f"feature {j}" for j in range(10)]
    frame = frames.DataFrame({name: X[:, j] for j, name in enumerate(names)})
    model = fitted(frame, y)
    assert list(model.feature_names_in_) == names
    assert np.array_equal(model.coef_, fitted(X, y).coef_)
    assert np.array_equal(
        model.predict(frame), model.predict(frame.select(names) if library == "polars" else frame[names])
    )
    with pytest.raises(ValueError, match="feature names"):
        model.predict(
            frame.rename({names[0]: "other"}) if library == "polars" else frame.rename(columns={names[0]: "other"})
        )


def test_the_data_are_not_changed():
    X, y, _ = planted()
    before = X.copy(), y.copy()
    fitted(100 + X, y)
    fitted(X, y)
    assert np.array_equal(X, before[0])
    assert np.array_equal(y, before[1])


def test_scaling_is_automatic_where_the_set_allows_it_and_refused_elsewhere():
    X, y, _ = planted()
    assert fitted(X, y).standardized_
    assert not fitted(X, y, standardize=False).standardized_
    assert not ConstrainedRegressor(constraint="ball:1").fit(X, y).standardized_
    with pytest.raises(ValueError, match=r"standardize must be .* where the set depends on the units"):
        ConstrainedRegressor(constraint="ball:1", standardize=True).fit(X, y)
    units = 10.0 ** np.arange(-3, 27, 1)[: X.shape[1]]
    assert list(fitted(X * units, y).support_) == list(fitted(X, y).support_)


def test_labels_of_any_kind_come_back():
    X, y, _ = planted_classes()
    for labels in (np.array(["no", "yes"]), np.array([-1, 1]), np.array([False, True])):
        model = ConstrainedClassifier(constraint=Sparsity(3)).fit(X, labels[y])
        assert list(model.classes_) == list(labels)
        assert set(model.predict(X)) == set(labels)
        assert model.score(X, labels[y]) > 0.75
