"""Fits on Dask collections: equal to the local ones, on any number of workers, whatever happens to these."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import planted, planted_classes
from scipy import sparse
from sklearn.base import clone

import proxdist

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
pandas = pytest.importorskip("pandas")

import dask.array as da
import dask.dataframe as dd
from dask.delayed import Delayed

from proxdist.dask import ConstrainedClassifier, ConstrainedRegressor, MatrixRegressor, SparsePath
from proxdist.dask._collections import parts_of
from proxdist.dask._engine import DaskEngine


#: With so little memory the driver cannot see all of 2000 rows of 30 columns, and asks for sums over them.
LITTLE = 1_000_000


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes."""
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options, silence_logs=50) as cluster:
        yield cluster


@pytest.fixture(scope="module", autouse=True)
def client(cluster):
    with distributed.Client(cluster) as client:
        yield client


def same(found, expected, tolerance=1e-8):
    """The same model to rounding."""
    scale = max(1.0, float(np.abs(expected.coef_).max()))
    assert np.abs(found.coef_ - expected.coef_).max() <= tolerance * scale
    assert np.abs(found.intercept_ - expected.intercept_).max() <= tolerance * scale


def arrays(X, y, chunk=130):
    return da.from_array(X, chunks=(chunk, -1)), da.from_array(y, chunks=chunk)


@pytest.mark.parametrize("loss", ["squared", "logistic", "huber:0.8"])
@pytest.mark.parametrize("constraint", ["sparsity:3", "ball:1.5", "nonneg"])
def test_the_result_is_that_of_the_local_fit(loss, constraint):
    X, y, _ = planted(rows=2000, columns=30, noise=1.0)
    name = "ConstrainedClassifier" if loss == "logistic" else "ConstrainedRegressor"
    y = (y > 0).astype(int) if loss == "logistic" else y
    expected = getattr(proxdist, name)(loss, constraint, ridge=1e-2).fit(X, y)
    found = getattr(proxdist.dask, name)(loss, constraint, ridge=1e-2, memory=LITTLE).fit(*arrays(X, y))
    same(found, expected)
    assert found.objective_ == pytest.approx(expected.objective_, rel=1e-10)


@pytest.mark.parametrize("loss", ["squared", "huber:0.8"])
def test_matrices_of_low_rank(loss):
    generator = np.random.default_rng(4)
    X = generator.normal(size=(800, 6, 5))
    truth = np.outer(generator.normal(size=6), generator.normal(size=5))
    y = np.einsum("nij,ij->n", X, truth) + 0.3 * generator.normal(size=800)
    expected = proxdist.MatrixRegressor(constraint="rank:1", loss=loss).fit(X, y)
    whole = da.from_array(X, chunks=(300, 3, -1)), da.from_array(y, chunks=300)
    model = MatrixRegressor(constraint="rank:1", loss=loss).fit(*whole)
    same(model, expected)
    assert model.coef_.shape == (6, 5)
    assert np.allclose(model.predict(whole[0]).compute(), expected.predict(X))
    flat = da.from_array(X.reshape(800, 30), chunks=(300, -1))
    same(MatrixRegressor((6, 5), "rank:1", loss).fit(flat, whole[1]), expected)


def collections(X, y):
    """The same rows in all kinds of collections."""
    frame = pandas.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]).assign(y=y)
    table = dd.from_pandas(frame, npartitions=5)
    features = table.drop(columns="y")
    cuts = [0, 100, 100, 350, len(y)]
    pieces = [slice(a, b) for a, b in zip(cuts, cuts[1:], strict=False)]
    return {
        "array": arrays(X, y),
        "array cut into columns": (da.from_array(X, chunks=(170, 7)), da.from_array(y, chunks=90)),
        "array in Fortran order": (da.from_array(np.asfortranarray(X), chunks=(170, -1)), y),
        "sparse chunks": (arrays(X, y)[0].map_blocks(sparse.csr_matrix), arrays(X, y)[1]),
        "frame": (features, table["y"]),
        "unknown sizes": (features.to_dask_array(), table["y"].to_dask_array()),
        "many small partitions": arrays(X, y, 25),
        "with empty partitions": (
            [dask.delayed(X[rows]) for rows in pieces],
            [dask.delayed(y[rows]) for rows in pieces],
        ),
    }


KINDS = list(collections(np.zeros((500, 12)), np.zeros(500)))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_collection(kind):
    X, y, _ = planted(rows=500, columns=12)
    expected = proxdist.ConstrainedRegressor(constraint="sparsity:3").fit(X, y)
    rows, response = collections(X, y)[kind]
    model = ConstrainedRegressor(constraint="sparsity:3").fit(rows, response)
    same(model, expected)
    predictions = model.predict(rows)
    if isinstance(predictions, list):
        assert all(isinstance(piece, Delayed) for piece in predictions)
        predictions = np.concatenate(dask.compute(*predictions))
    else:
        assert isinstance(predictions, dd.Series if kind == "frame" else da.Array)
    assert np.allclose(np.asarray(predictions), expected.predict(X))
    assert model.score(rows, response) == pytest.approx(expected.score(X, y))


def test_who_works_and_when_changes_no_bit():
    X, y, _ = planted_classes(rows=2000, columns=30)
    parts = [(X[a : a + 130], y[a : a + 130]) for a in range(0, 2000, 130)]
    options = {"constraint": "sparsity:3", "memory": LITTLE}
    model = ConstrainedClassifier(**options).fit(*arrays(X, y))
    with ThreadPoolExecutor(1) as pool:
        alone = proxdist.ConstrainedClassifier(**options)
        proxdist.parts.fit_parts(alone, lambda task: pool.map(task, range(len(parts)), parts))
    assert model.coef_.tobytes() == alone.coef_.tobytes()
    same(ConstrainedClassifier(**options).fit(*arrays(X, y, 40)), model)


def test_weights_and_offsets_are_collections_too():
    X, y, _ = planted(rows=500, columns=12)
    generator = np.random.default_rng(1)
    weights, offset = generator.integers(0, 3, 500).astype(float), generator.normal(size=500)
    expected = proxdist.ConstrainedRegressor("huber", "sparsity:3").fit(X, y, weights, offset)
    spread = da.from_array(weights, chunks=77), da.from_array(offset, chunks=130)
    model = ConstrainedRegressor("huber", "sparsity:3").fit(*arrays(X, y), *spread)
    same(model, expected)
    assert np.allclose(model.predict(arrays(X, y)[0], offset=spread[1]).compute(), expected.predict(X, offset))
    assert model.score(*arrays(X, y), *spread) == pytest.approx(expected.score(X, y, weights, offset))
    with pytest.raises(ValueError, match="fitted with an offset"):
        model.score(*arrays(X, y), spread[0])


def test_classes_probabilities_and_labels():
    X, _, _ = planted(rows=400, columns=8)
    labels = np.array(["low", "middle", "high"])[np.digitize(X[:, 0] + 0.3 * X[:, 1], [-0.5, 0.5])]
    order = np.argsort(labels, kind="stable")
    X, labels = X[order], labels[order]
    settings = {"constraint": "sparsity:3", "ridge": 1e-2, "multi_class": "ovr"}
    expected = proxdist.ConstrainedClassifier(**settings).fit(X, labels)
    rows, y = arrays(X, labels)
    model = ConstrainedClassifier(**settings).fit(rows, y)
    same(model, expected, 1e-7)
    assert model.predict(rows).dtype == model.classes_.dtype
    assert np.array_equal(model.predict(rows).compute(), expected.predict(X))
    chances = model.predict_proba(rows)
    assert isinstance(chances, da.Array)
    assert chances.shape == (400, 3)
    assert np.allclose(chances.compute(), expected.predict_proba(X), atol=1e-6)
    assert np.allclose(model.decision_function(rows).compute(), expected.decision_function(X), atol=1e-6)
    assert model.score(rows, y) == pytest.approx(expected.score(X, labels))
    assert not hasattr(ConstrainedClassifier("squared_hinge"), "predict_proba")
    with pytest.raises(ValueError, match="at least 2 classes"):
        ConstrainedClassifier().fit(rows, da.zeros(400, chunks=130, dtype=int))
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        ConstrainedClassifier().fit(rows, rows[:, 0])


def test_text_columns_become_indicator_columns():
    generator = np.random.default_rng(0)
    X, y, _ = planted(rows=400, columns=3)
    color = generator.choice(["red", "green", "blue"], 400)
    size = generator.choice(["9", "10"], 400)
    y = y + 2.0 * (color == "red") - (size == "10")
    frame = pandas.DataFrame(X, columns=["a", "b", "c"]).assign(color=color, size=pandas.Categorical(size))
    table = dd.from_pandas(frame.assign(y=y), npartitions=4)
    rows = table.drop(columns="y")
    model = ConstrainedRegressor(constraint="sparsity:4").fit(rows, table["y"])
    names = ["a", "b", "c", "color=blue", "color=green", "color=red", "size=10"]
    assert model.feature_names_in_.tolist() == names
    plain = frame[["a", "b", "c"]].assign(
        **{f"color={level}": (color == level) * 1.0 for level in ("blue", "green", "red")},
        **{"size=10": (size == "10") * 1.0},
    )
    expected = proxdist.ConstrainedRegressor(constraint="sparsity:4").fit(plain, y)
    same(model, expected)
    predictions = model.predict(rows)
    assert predictions.compute().index.equals(frame.index)
    assert np.allclose(predictions.compute(), expected.predict(plain))
    assert np.allclose(model.to_local().predict(plain), expected.predict(plain))
    strange = dd.from_pandas(frame.assign(color="violet"), npartitions=2)
    with pytest.raises(ValueError, match="'violet' did not occur"):
        model.predict(strange).compute()
    names = dd.from_pandas(frame.assign(color=[f"name {i}" for i in range(400)]), npartitions=2)
    with pytest.raises(ValueError, match="'color' has another text in each of 400 rows"):
        ConstrainedRegressor().fit(names, table["y"].repartition(npartitions=2))


def test_a_local_model_a_copy_and_a_pickle(client):
    X, y, _ = planted_classes(rows=300, columns=6)
    rows, labels = arrays(X, y)
    model = ConstrainedClassifier(constraint="sparsity:2", client=client).fit(rows, labels)
    local = model.to_local()
    assert type(local) is proxdist.ConstrainedClassifier
    assert np.array_equal(local.predict(X), model.predict(rows).compute())
    assert local.get_params() == {key: value for key, value in model.get_params().items() if key != "client"}
    assert model.client_ is client
    copy = clone(model)
    assert copy.client is client
    assert not hasattr(copy, "coef_")
    again = pickle.loads(pickle.dumps(model))
    assert again.client is None
    assert np.array_equal(again.predict(rows).compute(), local.predict(X))
    assert np.array_equal(again.predict(X), local.predict(X))
    assert model.score(X, y) == local.score(X, y)
    with pytest.raises(NotImplementedError, match="to_local"):
        model.certify(rows, labels)


def test_parameters_are_those_of_the_local_estimators():
    for name in ("ConstrainedClassifier", "ConstrainedRegressor", "MatrixRegressor"):
        local, spread = getattr(proxdist, name)().get_params(), getattr(proxdist.dask, name)().get_params()
        assert spread == local | {"client": None}


def test_several_fits_at_once():
    X, y, _ = planted(rows=400, columns=10)
    rows, response = arrays(X, y, 100)
    sizes = [1, 2, 3, 4]
    with ThreadPoolExecutor(4) as pool:
        models = list(
            pool.map(lambda size: ConstrainedRegressor(constraint=f"sparsity:{size}").fit(rows, response), sizes)
        )
    for size, model in zip(sizes, models, strict=True):
        same(model, proxdist.ConstrainedRegressor(constraint=f"sparsity:{size}").fit(X, y))


def slowly(block, seconds):
    time.sleep(seconds)
    return block


def slow(X, seconds):
    """The same rows, which take their time whenever they are computed."""
    return X.map_blocks(slowly, seconds, dtype=X.dtype, meta=np.empty((0, 0)))


def test_a_worker_that_is_killed_does_not_end_the_fit(cluster):
    X, y, _ = planted(rows=400, columns=10)
    rows, response = arrays(X, y, 50)
    expected = ConstrainedRegressor("huber", "sparsity:3").fit(rows, response)
    killed = []

    def kill():
        worker = next(iter(cluster.workers.values()))
        killed.append(worker.pid)
        os.kill(worker.pid, signal.SIGKILL)

    timer = threading.Timer(0.5, kill)
    timer.start()
    found = ConstrainedRegressor("huber", "sparsity:3").fit(slow(rows, 0.25), response)
    timer.join()
    assert killed
    assert found.coef_.tobytes() == expected.coef_.tobytes()


def test_a_worker_that_joins_is_welcome(cluster, client):
    X, y, _ = planted(rows=400, columns=10)
    rows, response = arrays(X, y, 50)
    expected = ConstrainedRegressor("huber", "sparsity:3").fit(rows, response)
    timer = threading.Timer(0.3, lambda: cluster.scale(3))
    timer.start()
    found = ConstrainedRegressor("huber", "sparsity:3").fit(slow(rows, 0.3), response)
    timer.join()
    client.wait_for_workers(3, timeout=30)
    assert found.coef_.tobytes() == expected.coef_.tobytes()
    cluster.scale(2)


def test_partitions_beyond_the_memory_of_the_workers_are_not_held(client, monkeypatch):
    X, y, _ = planted(rows=400, columns=10)
    expected = proxdist.ConstrainedRegressor(constraint="sparsity:3").fit(X, y)
    monkeypatch.setattr(DaskEngine, "_fits", lambda self, size: False)
    same(ConstrainedRegressor(constraint="sparsity:3").fit(*arrays(X, y)), expected)
    frame = dd.from_pandas(pandas.DataFrame(X).assign(y=y), npartitions=3)
    same(ConstrainedRegressor(constraint="sparsity:3").fit(frame.drop(columns="y"), frame["y"]), expected)


def test_workers_forget_what_they_held(client):
    X, y, _ = planted(rows=400, columns=10)
    model = ConstrainedRegressor(constraint="sparsity:3").fit(*arrays(X, y))
    assert model.coef_ is not None
    for _ in range(100):
        held = [key for keys in client.has_what().values() for key in keys]
        if not held:
            break
        time.sleep(0.1)
    assert held == []


def listed(X, y, at=(100, 200)):
    return [dask.delayed(x) for x in np.split(X, at)], [dask.delayed(r) for r in np.split(y, at)]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda X, y: (X, y), "X must be a dask array, a dask data frame or a list of delayed partitions, got ndarray"),
        (lambda X, y: (arrays(X, y)[0], arrays(X, y)[1][:-5]), "y has 295 rows, X has 300"),
        (lambda X, y: (arrays(X, y)[0], None), "y is needed"),
        (lambda X, y: (listed(X, y)[0], listed(X, y)[1][:2]), "y has 2 partitions, X has 3"),
        (
            lambda X, y: (listed(X, y)[0], listed(X, y, (90, 200))[1]),
            r"partition 0: y has shape \(90,\), expected \(100,\)",
        ),
        (
            lambda X, y: ([*listed(X, y)[0][:2], dask.delayed(X[200:, :4])], listed(X, y)[1]),
            "partition 2 has 4 columns, partition 0 has 10",
        ),
        (
            lambda X, y: ([*listed(X, y)[0][:2], dask.delayed(X[200:].astype(str))], listed(X, y)[1]),
            "partition 2: X must hold numbers",
        ),
        (
            lambda X, y: (arrays(np.where(np.arange(3000).reshape(300, 10) == 1754, np.nan, X), y)[0], y),
            "partition 1: feature at row 45, column 4 is NaN",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(make, message):
    X, y, _ = planted(rows=300, columns=10)
    with pytest.raises((ValueError, TypeError), match=message):
        ConstrainedRegressor(constraint="sparsity:2").fit(*make(X, y))


def test_frames_whose_partitions_differ_are_refused():
    a = pandas.DataFrame({"a": [1.0, 2.0], "b": [1.0, 3.0]})
    y = [dask.delayed(np.array([0.0, 1.0]))] * 2
    for other, message in [
        (a.rename(columns={"b": "c"}), "column 1 is called 'c' in partition 1 and 'b' in partition 0"),
        (a.assign(b=["x", "y"]), "column 'b' holds text in partition 1 and numbers in partition 0"),
        (a.assign(b=pandas.to_datetime(["2020", "2021"])), "partition 1: column 'b' holds datetime64"),
    ]:
        with pytest.raises((ValueError, TypeError), match=message):
            ConstrainedRegressor().fit([dask.delayed(a), dask.delayed(other)], y)


def vanished(path):
    return np.load(path)


def test_a_file_that_is_not_there_is_told_with_its_partition(tmp_path):
    np.save(tmp_path / "0.npy", np.ones((5, 2)))
    pieces = [dask.delayed(vanished)(str(tmp_path / f"{i}.npy")) for i in range(2)]
    with pytest.raises(FileNotFoundError, match=r"partition 1: .*1\.npy"):
        ConstrainedRegressor().fit(pieces, [dask.delayed(np.arange(5.0))] * 2)


def test_without_a_client_it_says_how_to_start_one():
    with pytest.raises(TypeError, match=r"client must be a dask\.distributed\.Client, got str"):
        ConstrainedRegressor(client="tcp://localhost:1").fit(*arrays(np.ones((5, 2)), np.ones(5)))
    script = """
        import dask.array as da
        from proxdist.dask import ConstrainedRegressor
        try:
            ConstrainedRegressor().fit(da.ones((10, 2)), da.ones(10))
        except RuntimeError as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("there is no Dask client: start one with"), done.stderr


def test_a_lost_scheduler_is_one_clear_error(client):
    """A scheduler with one worker, all in other processes; the scheduler is killed while partitions are computed."""
    X, y, _ = planted(rows=200, columns=5)
    start = "import asyncio, sys; from distributed import Scheduler\n" + textwrap.dedent(
        """
        async def main():
            async with Scheduler(host="127.0.0.1", port=0, dashboard=False) as scheduler:
                print(scheduler.address, flush=True)
                await scheduler.finished()
        asyncio.run(main())
        """
    )
    work = "import asyncio, sys; from distributed import Worker\n" + textwrap.dedent(
        """
        async def main():
            async with Worker(sys.argv[1], nthreads=1) as worker:
                await worker.finished()
        asyncio.run(main())
        """
    )
    environment = os.environ | {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "2s"}
    scheduler = subprocess.Popen([sys.executable, "-c", start], stdout=subprocess.PIPE, text=True, env=environment)
    address = scheduler.stdout.readline().strip()
    worker = subprocess.Popen([sys.executable, "-c", work, address], stderr=subprocess.DEVNULL, env=environment)
    try:
        with distributed.Client(address, set_as_default=False, timeout="20s") as other:
            other.wait_for_workers(1, timeout=30)
            threading.Timer(1.5, scheduler.kill).start()
            rows, response = arrays(X, y, 20)
            began = time.monotonic()
            with pytest.raises(ConnectionError, match=r"the Dask scheduler at tcp://.* is lost"):
                ConstrainedRegressor(constraint="sparsity:2", client=other).fit(slow(rows, 1.0), response)
            assert time.monotonic() - began < 30
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()


@pytest.fixture
def hears_ctrl_c():
    """Python as it is on a terminal: one that a shell starts in the background ignores SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("hears_ctrl_c")
def test_ctrl_c_ends_a_fit():
    X, y, _ = planted(rows=200, columns=5)
    rows, response = arrays(X, y, 20)
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        ConstrainedRegressor(constraint="sparsity:2").fit(slow(rows, 2.0), response)
    assert time.monotonic() - began < 4
    # In the middle of a request of the driver, which waits on another thread.
    parts = parts_of(rows, response)
    with DaskEngine(distributed.default_client(), parts) as engine:
        threading.Timer(0.5, engine.stop).start()
        with pytest.raises(KeyboardInterrupt):
            engine.map(sleepy)


def sleepy(number, part):
    time.sleep(1.0)


def test_a_progress_line_tells_about_partitions(capsys):
    X, y, _ = planted(rows=200, columns=5)
    rows, response = arrays(X, y, 50)
    ConstrainedRegressor(constraint="sparsity:2", verbose=1).fit(slow(rows, 0.3), response)
    told = capsys.readouterr().err
    assert "of 4 partitions" in told
    assert "F " in told


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_a_path_is_that_of_the_local_path(loss):
    X, y, _ = planted(rows=300, columns=8)
    y = (y > 0).astype(int) if loss == "logistic" else y
    options = {"largest": 4, "cv": 3, "ridges": [0.0, 1e-2]}
    expected = proxdist.SparsePath(loss, **options).fit(X, y)
    path = SparsePath(loss, **options).fit(*arrays(X, y))
    assert path.columns_.tolist() == list(range(8))
    assert np.array_equal(path.sizes_, expected.sizes_)
    assert np.abs(path.coefs_ - expected.coefs_).max() < 1e-8
    assert np.allclose(path.cv_mean_, expected.cv_mean_)
    assert np.allclose(path.ebic_, expected.ebic_)
    best = path.best("bic")
    assert isinstance(best, ConstrainedClassifier if loss == "logistic" else ConstrainedRegressor)
    same(best, expected.best("bic"))
    assert path.get_params() == expected.get_params() | {"client": None}


def test_a_path_of_some_columns_is_told_in_terms_of_all(monkeypatch):
    X, y, truth = planted(rows=600, columns=60, seed=3)
    monkeypatch.setattr(SparsePath, "_settings", lambda self: {"seed": "0", "memory": "400000"})
    path = SparsePath(largest=4, cv=None).fit(*arrays(X, y))
    assert 4 <= len(path.columns_) <= 20
    monkeypatch.undo()
    expected = proxdist.SparsePath(largest=4, cv=None).fit(X, y)
    assert path.coefs_.shape == (5, 60)
    assert [support.tolist() for support in path.supports_] == [support.tolist() for support in expected.supports_]
    assert set(np.flatnonzero(truth)) <= set(path.supports_[3].tolist())
    assert np.abs(path.coefs_ - expected.coefs_).max() < 1e-8
    assert np.allclose(path.ebic_, expected.ebic_)
    assert np.allclose(path.bic_, expected.bic_)


def test_what_a_path_cannot_do_is_said():
    X, y, _ = planted(rows=100, columns=5)
    with pytest.raises(ValueError, match="largest=9 features, but there are 5"):
        SparsePath(largest=9).fit(*arrays(X, y))
    with pytest.raises(ValueError, match="a path needs two classes, y has 3"):
        SparsePath("logistic").fit(arrays(X, y)[0], da.from_array(np.arange(100) % 3, chunks=130))
    with pytest.raises(ValueError, match="partition 0: feature at row 7"):
        SparsePath(cv=None).fit(*arrays(np.where(np.arange(500).reshape(100, 5) == 36, np.nan, X), y))
