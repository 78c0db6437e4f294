"""Rows in partitions on any engine that can map a function over them; here a pool of threads."""

import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import planted
from scipy import sparse

from proxdist import ConstrainedClassifier, ConstrainedRegressor, MatrixRegressor, _proxdist
from proxdist.parts import fit_parts
from proxdist.parts._spread import Answering


def cut(arrays, at):
    """Arrays of equal length as partitions."""
    return list(zip(*(np.split(array, at) for array in arrays), strict=True))


def engine(parts, threads=3, asked=None):
    """An ordered map by a pool of threads; tasks and answers go through pickle, as on other machines."""

    def call(task, number, part):
        answer = pickle.loads(pickle.dumps(pickle.loads(task)(number, part)))
        if asked is not None:
            asked.append((number, pickle.loads(task), answer))
        return answer

    def map(task):
        frozen = pickle.dumps(task)
        with ThreadPoolExecutor(threads) as pool:
            yield from pool.map(call, [frozen] * len(parts), range(len(parts)), parts)

    return map


def same(found, expected, tolerance=1e-8):
    """The same model to rounding."""
    scale = max(1.0, float(np.abs(expected.coef_).max()))
    assert np.abs(found.coef_ - expected.coef_).max() <= tolerance * scale
    assert np.abs(found.intercept_ - expected.intercept_).max() <= tolerance * scale
    assert found.objective_ == pytest.approx(expected.objective_, rel=1e-10)


#: With so little memory the driver sees half of the rows of ``responses``, and asks for sums over all of them.
LITTLE = 1_000_000


def responses(loss):
    X, y, _ = planted(rows=2000, columns=30, noise=1.0)
    return X, (y > 0).astype(int) if loss == "logistic" else y


@pytest.mark.parametrize("memory", ["1G", LITTLE])
@pytest.mark.parametrize("loss", ["squared", "logistic", "huber:0.8"])
@pytest.mark.parametrize("constraint", ["sparsity:3", "ball:1.5", "nonneg"])
def test_a_fit_of_partitions_is_that_of_all_rows(loss, constraint, memory):
    X, y = responses(loss)
    kind = ConstrainedClassifier if loss == "logistic" else ConstrainedRegressor
    expected = kind(loss, constraint, ridge=1e-2).fit(X, y)
    model = kind(loss, constraint, ridge=1e-2, memory=memory)
    found = fit_parts(model, engine(cut((X, y), [100, 101, 400])))
    same(found, expected)
    assert np.array_equal(found.predict(X), expected.predict(X)) or loss != "logistic"
    assert found.n_features_in_ == 30


@pytest.mark.parametrize("loss", ["squared", "huber:0.8"])
def test_matrices_of_low_rank(loss):
    generator = np.random.default_rng(4)
    X = generator.normal(size=(900, 6, 5))
    truth = np.outer(generator.normal(size=6), generator.normal(size=5))
    y = np.einsum("nij,ij->n", X, truth) + 0.3 * generator.normal(size=900)
    expected = MatrixRegressor(constraint="rank:1", loss=loss).fit(X, y)
    same(fit_parts(MatrixRegressor(constraint="rank:1", loss=loss), engine(cut((X, y), [300, 700]))), expected)


def test_the_number_of_threads_changes_no_bit_and_that_of_partitions_next_to_nothing():
    X, y = responses("logistic")

    def fitted(parts, threads):
        return fit_parts(ConstrainedClassifier(constraint="sparsity:3", memory=LITTLE), engine(parts, threads))

    one, many = (fitted(cut((X, y), [90, 200, 310]), count) for count in (1, 4))
    assert one.coef_.tobytes() == many.coef_.tobytes()
    assert one.intercept_.tobytes() == many.intercept_.tobytes()
    same(fitted(cut((X, y), list(range(50, 2000, 50))), 2), one)


def test_weights_offsets_and_empty_partitions_count():
    X, y, _ = planted(rows=500, columns=15)
    generator = np.random.default_rng(2)
    weights, offset = generator.integers(0, 3, 500).astype(float), generator.normal(size=500)
    expected = ConstrainedRegressor("huber", "sparsity:3").fit(X, y, sample_weight=weights, offset=offset)
    parts = cut((X, y, weights, offset), [0, 200, 200, 350, 500])
    assert [len(part[1]) for part in parts] == [0, 200, 0, 150, 150, 0]
    model = fit_parts(ConstrainedRegressor("huber", "sparsity:3"), engine(parts))
    same(model, expected)
    with pytest.raises(ValueError, match="fitted with an offset"):
        model.predict(X)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_sparse_rows(kind):
    X = sparse.random(700, 40, density=0.1, format="csr", random_state=3, dtype=kind)
    y = np.asarray(X[:, :3].sum(axis=1)).ravel() + 0.1 * np.random.default_rng(0).normal(size=700)
    parts = [(X[rows], y[rows]) for rows in (slice(0, 300), slice(300, 650), slice(650, 700))]
    expected = ConstrainedRegressor(constraint="sparsity:4").fit(X, y)
    same(fit_parts(ConstrainedRegressor(constraint="sparsity:4"), engine(parts)), expected)


def test_a_class_need_not_be_in_every_partition():
    X, _, _ = planted(rows=400, columns=8)
    labels = np.array(["low", "middle", "high"])[np.digitize(X[:, 0] + 0.3 * X[:, 1], [-0.5, 0.5])]
    order = np.argsort(labels, kind="stable")
    X, labels = X[order], labels[order]
    model = ConstrainedClassifier(constraint="sparsity:3", ridge=1e-2, multi_class="ovr")
    found = fit_parts(model, engine(cut((X, labels), [100, 250])))
    assert found.classes_.tolist() == ["high", "low", "middle"]
    expected = ConstrainedClassifier(constraint="sparsity:3", ridge=1e-2, multi_class="ovr").fit(X, labels)
    assert np.abs(found.coef_ - expected.coef_).max() < 1e-7
    assert np.array_equal(found.predict(X), expected.predict(X))


def test_a_loss_and_a_set_of_ones_own():
    class Quartic:
        curvature_bound = None

        def value(self, eta, y):
            return (eta - y) ** 2 / 2 + (eta - y) ** 4 / 40

        def slope(self, eta, y):
            return (eta - y) + (eta - y) ** 3 / 10

        def curvature(self, eta, y):
            return 1 + 3 * (eta - y) ** 2 / 10

    X, y, _ = planted(rows=300, columns=6)
    expected = ConstrainedRegressor(Quartic(), "nonneg").fit(X, y)
    parts = cut((X, y), [100, 200])
    found = fit_parts(ConstrainedRegressor(Quartic(), "nonneg"), lambda task: [task(i, p) for i, p in enumerate(parts)])
    same(found, expected, 1e-7)


def test_an_engine_is_asked_a_few_plain_questions():
    """What stands in docs/distributed.md about the requests and their answers."""
    X, y = responses("huber")
    asked = []
    for constraint in ("sparsity:3", "ball:1.5"):
        model = ConstrainedRegressor("huber", constraint, memory=LITTLE)
        fit_parts(model, engine(cut((X, y), [300]), asked=asked))
    requests = [json.loads(task.request) for _, task, _ in asked if isinstance(task, Answering)]
    assert {next(iter(request)) for request in requests} == {"survey", "columns", "sums"}
    for _, task, answer in asked:
        if isinstance(task, Answering):
            assert answer["kind"] == next(iter(json.loads(task.request)))


def test_answers_are_the_sums_they_say():
    generator = np.random.default_rng(0)
    X, y, w = generator.normal(size=(50, 4)), generator.normal(size=50), generator.random(50)
    theta, intercept = generator.normal(size=4), 0.3
    request = {
        "sums": {
            "coefficients": theta.tolist(),
            "intercept": intercept,
            "scaling": None,
            "caution": 0.0,
            "second": "all",
        }
    }
    rows = {"features": X, "columns": 4, "response": y, "weights": w, "offset": None}
    answer = _proxdist.answer(json.dumps(request), 0, rows, ("squared", False))
    residual = X @ theta + intercept - y
    assert answer["rows"] == 50
    assert answer["value"] == pytest.approx(0.5 * w @ residual**2)
    assert np.allclose(answer["gradient"], np.append(X.T @ (w * residual), w @ residual))
    assert np.allclose(answer["border"], np.append(X.T @ w, w.sum()))
    assert np.allclose(np.triu(answer["matrix"].reshape(4, 4)), np.triu(X.T @ (w[:, None] * X)))
    columns = _proxdist.answer(json.dumps({"columns": [1, 3]}), 0, rows, ("squared", False))
    assert np.array_equal(columns["values"].reshape(50, 2), X[:, [1, 3]])
    assert np.array_equal(columns["response"], y)
    assert np.array_equal(columns["weights"], w)
    survey = {"survey": {"seed": 1, "rows": 10, "share": 1.0}}
    answer = _proxdist.answer(json.dumps(survey), 0, rows, ("squared", False))
    assert answer["fault"] is None
    assert len(answer["keys"]) == len(answer["sample"]["response"]) == 10
    assert set(answer["sample"]["response"]) <= set(y)
    with pytest.raises(ValueError, match="not a request"):
        _proxdist.answer("{}", 0, rows, ("squared", False))
    with pytest.raises(ValueError, match="50 rows of 4 columns"):
        _proxdist.answer(json.dumps(survey), 0, rows | {"columns": 5}, ("squared", False))


def with_a(part, row, value, column=2):
    X = part[0].copy()
    X[row, column] = value
    return (X, *part[1:])


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda p: [p[0], with_a(p[1], 17, np.nan), p[2]], r"partition 1: feature at row 17, column 2 is NaN"),
        (lambda p: [p[0], p[1], with_a(p[2], 3, np.inf)], r"partition 2: feature at row 3, column 2 is inf"),
        (
            lambda p: [p[0], (p[1][0], np.where(np.arange(100) == 5, np.nan, p[1][1])), p[2]],
            r"partition 1: response at row 5",
        ),
        (lambda p: [p[0], (p[1][0][:, :7], p[1][1]), p[2]], "partition 1 has 7 columns, partition 0 has 10"),
        (
            lambda p: [p[0], (p[1][0].astype(str), p[1][1]), p[2]],
            "partition 1: X must hold numbers, got an array of <U32",
        ),
        (lambda p: [p[0], (sparse.csr_matrix(p[1][0]), p[1][1]), p[2]], "partition 1 is sparse, partition 0 is not"),
        (lambda p: [p[0], (p[1][0], p[1][1][:-1]), p[2]], r"partition 1: y has shape \(99,\), expected \(100,\)"),
        (lambda p: [p[0], (*p[1], np.ones(100)), p[2]], "partition 1 is weighted by sample_weight, partition 0 is not"),
        (lambda p: [(*q, np.where(np.arange(100) == 9, -1.0, 1.0)) for q in p], r"partition 0: weight at row 9 is -1"),
        (lambda p: [(q[0][:0], q[1][:0]) for q in p], "there are no rows: 3 partitions, all of them empty"),
        (lambda p: [q[0] for q in p], "partition 0: a partition is a tuple"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(spoil, message):
    X, y, _ = planted(rows=300, columns=10)
    parts = spoil(cut((X, y), [100, 200]))
    with pytest.raises((ValueError, TypeError), match=message):
        fit_parts(ConstrainedRegressor(constraint="sparsity:2"), engine(parts))


def test_an_engine_that_loses_answers_or_fails_is_not_believed():
    X, y, _ = planted(rows=300, columns=10)
    parts = cut((X, y), [100, 200])

    def forgetful(task):
        answers = [task(number, part) for number, part in enumerate(parts)]
        return answers[:-1] if isinstance(task, Answering) else answers

    def broken(task):
        if isinstance(task, Answering):
            raise ZeroDivisionError("of the engine")
        return [task(number, part) for number, part in enumerate(parts)]

    with pytest.raises(ValueError, match="map returned 2 answers for 3 partitions"):
        fit_parts(ConstrainedRegressor(constraint="sparsity:2"), forgetful)
    with pytest.raises(ZeroDivisionError, match="of the engine"):
        fit_parts(ConstrainedRegressor(constraint="sparsity:2"), broken)


def test_rows_that_change_between_two_requests_are_noticed():
    X, y = responses("huber")
    parts, asked = cut((X, y), [100, 400]), []

    def changing(task):
        asked.append(task)
        late = sum(isinstance(task, Answering) for task in asked) > 1
        now = [parts[0], tuple(array[:-1] for array in parts[1]), parts[2]] if late else parts
        return [task(number, part) for number, part in enumerate(now)]

    with pytest.raises(ValueError, match="partition 1 has 299 rows, and had 300 when it was read first"):
        fit_parts(ConstrainedRegressor("huber", "sparsity:3", memory=LITTLE), changing)
