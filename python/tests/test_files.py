"""Models on disk: the program's file, and pickles."""

import io
import json
import pickle

import numpy as np
import pytest
from conftest import fitted_by_program, planted, planted_classes

import proxdist
from proxdist import ConstrainedClassifier, ConstrainedRegressor, MatrixRegressor, Sparsity


def test_a_saved_model_comes_back_with_every_bit(tmp_path):
    X, y, _ = planted()
    model = ConstrainedRegressor("huber", Sparsity(3)).fit(X, y)
    model.save(tmp_path / "model.json")
    back = proxdist.load(tmp_path / "model.json")
    assert isinstance(back, ConstrainedRegressor)
    assert np.array_equal(back.predict(X), model.predict(X))
    assert (back.stop_reason_, back.n_iter_, back.rho1_) == (model.stop_reason_, model.n_iter_, model.rho1_)
    assert back.certificate_ == model.certificate_
    assert [path.name for path in tmp_path.iterdir()] == ["model.json"]
    back.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == (tmp_path / "model.json").read_text()


def test_the_program_predicts_with_a_model_saved_here(program, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y, _ = planted_classes()
    frame = pandas.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
    model = ConstrainedClassifier(constraint=Sparsity(3)).fit(frame, np.where(y == 1, "yes", "no"))
    model.save(tmp_path / "model.json")
    frame.to_csv(tmp_path / "new.csv", index=False, float_format="%.17g")
    said = pandas.read_csv(io.StringIO(program("predict", tmp_path / "model.json", tmp_path / "new.csv", "--proba")))
    assert np.array_equal(said.iloc[:, -1].to_numpy(), model.predict_proba(frame)[:, 1])
    labels = pandas.read_csv(io.StringIO(program("predict", tmp_path / "model.json", tmp_path / "new.csv")))
    assert list(labels.iloc[:, -1]) == list(model.predict(frame))


def test_a_model_of_the_program_predicts_here(program, tmp_path):
    X, y, _ = planted()
    np.savez(tmp_path / "data.npz", X=X, y=y)
    document = fitted_by_program(program, tmp_path / "data.npz", "--target", "y", "--constraint", "sparsity:3")
    (tmp_path / "model.json").write_text(json.dumps(document))
    model = proxdist.load(tmp_path / "model.json")
    assert np.array_equal(model.predict(X), ConstrainedRegressor(constraint=Sparsity(3)).fit(X, y).predict(X))


def test_matrices_come_back_as_matrices(tmp_path):
    X = np.random.default_rng(0).normal(size=(80, 3, 4))
    model = MatrixRegressor().fit(X, X[:, 0, 0])
    model.save(tmp_path / "model.json")
    back = proxdist.load(tmp_path / "model.json")
    assert back.coef_.shape == (3, 4)
    assert np.array_equal(back.predict(X), model.predict(X))


def test_a_pickle_holds_everything():
    X, y, _ = planted_classes()
    model = ConstrainedClassifier(constraint=Sparsity(3)).fit(X, y)
    back = pickle.loads(pickle.dumps(model))
    assert np.array_equal(back.predict_proba(X), model.predict_proba(X))
    assert back.trace_.equals(model.trace_)
    assert back.constraint == Sparsity(3)


def test_what_a_file_cannot_hold_is_refused(tmp_path):
    X, y, _ = planted(columns=4)
    several = ConstrainedClassifier(ridge=0.1, multi_class="ovr").fit(X, np.arange(len(y)) % 3)
    with pytest.raises(ValueError, match="pickle"):
        several.save(tmp_path / "model.json")
    (tmp_path / "foreign.json").write_text("{}")
    with pytest.raises(ValueError, match=r"foreign\.json: not a model file"):
        proxdist.load(tmp_path / "foreign.json")
    with pytest.raises(FileNotFoundError):
        proxdist.load(tmp_path / "missing.json")
    with pytest.raises(FileNotFoundError):
        ConstrainedRegressor().fit(X, y).save(tmp_path / "missing" / "model.json")


def test_a_damaged_model_file_takes_no_memory(tmp_path):
    X, y, _ = planted(columns=4)
    ConstrainedRegressor(constraint=Sparsity(2)).fit(X, y).save(tmp_path / "model.json")
    text = (tmp_path / "model.json").read_text()
    for features in (4294967296, 2**63, 0):
        (tmp_path / "damaged.json").write_text(text.replace('"features": 4', f'"features": {features}'))
        with pytest.raises(ValueError, match="damaged model file"):
            proxdist.load(tmp_path / "damaged.json")


def test_links_are_followed_and_permissions_kept(tmp_path):
    X, y, _ = planted(columns=4)
    model = ConstrainedRegressor(constraint=Sparsity(2)).fit(X, y)
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target.name)
    model.save(link)
    assert link.is_symlink() and target.stat().st_mode & 0o777 == 0o640
    assert np.array_equal(proxdist.load(target).coef_, model.coef_)
    with pytest.raises(NotADirectoryError):
        model.save(target / "below.json")
    with pytest.raises(IsADirectoryError):
        model.save(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.json", "target.json"]
