"""Sets by the names of features."""

import json

import numpy as np
import pandas as pd
import pytest

from proxdist import (
    Box,
    ConstrainedRegressor,
    ConstrainedRegressorCV,
    GroupSparsity,
    Linear,
    MatrixRegressor,
    Monotone,
    NonNegative,
    Sparsity,
    load,
    project,
)

NAMES = ["income", "a, b", "asset_1", "asset_2", "[x]", "`"]


@pytest.fixture(scope="module")
def frame():
    generator = np.random.default_rng(3)
    X = generator.normal(size=(60, 6)) * 10.0 ** np.arange(-3, 3)
    y = X @ (np.array([1.0, -2, 3, -1, 0.5, 2]) / 10.0 ** np.arange(-3, 3)) + generator.normal(size=60)
    return pd.DataFrame(X, columns=NAMES), y


def fitted(X, y, constraint):
    return ConstrainedRegressor(constraint=constraint, ridge=0.01).fit(X, y)


PAIRS = [
    (Sparsity(4) & NonNegative(on=["income", "asset_*"]), Sparsity(4) & NonNegative(on=[0, 2, 3])),
    (Box(-0.1, 0.2, on="a, b") & NonNegative(on="[x]"), "box:-0.1,0.2[2] & nonneg[5]"),
    (Monotone(on=["asset_2", "`"]), "monotone[4,6]"),
    (Linear("asset_1 + 2*`a, b` <= 0.1"), Linear({2: 1, 1: 2}, upper=0.1)),
    (
        GroupSparsity(1, {"money": ["income", "asset_*"], "rest": ["a, b", "[x]", "`"]}),
        GroupSparsity(1, [[0, 2, 3], [1, 4, 5]]),
    ),
    (NonNegative(on=lambda name: name.startswith("asset")), NonNegative(on=[2, 3])),
    (Sparsity(3) & NonNegative(on=lambda name: "," in name), Sparsity(3) & NonNegative(on=1)),
]


@pytest.mark.parametrize(("by_name", "by_position"), PAIRS, ids=range(len(PAIRS)))
def test_names_and_positions_are_the_same_fit(frame, by_name, by_position):
    X, y = frame
    one, other = fitted(X, y, by_name), fitted(X.to_numpy(), y, by_position)
    assert np.array_equal(one.coef_, other.coef_)
    assert one.objective_ == other.objective_


def test_the_model_file_keeps_the_names(frame, tmp_path):
    X, y = frame
    model = fitted(X, y, Sparsity(4) & NonNegative(on=["income", "a, b"]))
    model.save(tmp_path / "m.json")
    written = json.loads((tmp_path / "m.json").read_text())
    assert written["constraint"] == "sparsity:4 & nonneg[income,`a, b`]"
    again = load(tmp_path / "m.json")
    assert np.array_equal(again.fit(X, y).coef_, fitted(X, y, model.constraint).coef_)


def test_functions_choose_among_the_names_at_hand(frame):
    X, y = frame
    chosen = NonNegative(on=lambda name: name.startswith("asset"))
    assert chosen.spec_for(NAMES) == "nonneg[asset_1,asset_2]"
    assert chosen.spec_for(["asset_1", "asset_1"]) == "nonneg[1,2]"
    with pytest.raises(ValueError, match="only for given names"):
        chosen.spec
    with pytest.raises(ValueError, match="on chooses none of the 6 features"):
        fitted(X, y, NonNegative(on=lambda name: False))
    assert chosen == NonNegative(on=chosen._on) != NonNegative()
    search = ConstrainedRegressorCV(constraint=chosen, grid={"ball": [1.0, 10.0]}, cv=3).fit(X, y)
    assert "nonneg[asset_1,asset_2]" in search.constraint_.spec


def test_tables_of_groups(frame, tmp_path):
    X, y = frame
    groups = {"income": "m", "asset_1": "m", "asset_2": "m", "[x]": "r", "`": "r"}
    lines = "".join(f'"{name}",{group}\n' for name, group in groups.items())
    path = tmp_path / "groups.csv"
    path.write_text('feature,group\n"a, b",r\n' + lines)
    by_table = fitted(X, y, GroupSparsity(1, str(path)))
    assert np.array_equal(by_table.coef_, fitted(X, y, GroupSparsity(1, [[0, 2, 3], [1, 4, 5]])).coef_)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        fitted(X, y, GroupSparsity(1, "nowhere.csv"))
    columns = ["a_1", "a_2", "b_1", "b_2", "c", "a"]
    by_prefix = fitted(X.set_axis(columns, axis=1), y, GroupSparsity(2, by="prefix"))
    assert np.array_equal(by_prefix.coef_, fitted(X.to_numpy(), y, GroupSparsity(2, [[0, 1, 5], [2, 3], [4]])).coef_)


def test_what_is_not_there_is_refused(frame):
    X, y = frame
    for wrong, message in [
        (NonNegative(on="incme"), "no feature is called incme, of 6; did you mean income"),
        (NonNegative(on="x_*"), r"none of the 6 features has a name like x_\*"),
        (NonNegative(on=6), "position 7 is beyond the parameter, which has 6 entries"),
        (NonNegative() & "free[income]", "takes nothing from nonneg"),
    ]:
        with pytest.raises(ValueError, match=message):
            fitted(X, y, wrong)
    with pytest.raises(ValueError, match="positions count from 0"):
        NonNegative(on=-1)
    with pytest.raises(TypeError, match="not a mask"):
        NonNegative(on=[True, False])
    with pytest.raises(ValueError, match="on is empty"):
        NonNegative(on=[])
    with pytest.raises(ValueError, match="positions only"):
        MatrixRegressor((2, 3), constraint="nonneg[income]").fit(X, y)


def test_projections_take_names():
    assert project(NonNegative(on="b"), [-1.0, -2.0], names=["a", "b"]).tolist() == [-1.0, 0.0]
    assert project("V1 + V2 = 1", [0.0, 0.0]).tolist() == [0.5, 0.5]
    assert Monotone(on=["b", "a"]).project([1.0, 3.0], ["a", "b"]).tolist() == [2.0, 2.0]


def test_the_program_gives_the_same_bits(frame, tmp_path, program):
    X, y = frame
    X.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    text = "sparsity:4 & nonneg[income,asset_*] & box:-0.1,0.2[`a, b`]"
    words = ["fit", "t.csv", "--target", "y", "-c", text, "--ridge", "0.01", "--out", "m.json", "--quiet"]
    program(*words, cwd=tmp_path)
    X = pd.read_csv(tmp_path / "t.csv", float_precision="round_trip")
    assert np.array_equal(load(tmp_path / "m.json").coef_, fitted(X[NAMES], X["y"], text).coef_)
