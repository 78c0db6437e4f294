"""Sets as objects and as text."""

import copy
import pickle
import re

import pytest

import proxdist
from proxdist import (
    Affine,
    Ball,
    Blocks,
    Box,
    Concave,
    Cone,
    Convex,
    Entries,
    Fused,
    GroupSparsity,
    HalfSpace,
    Jumps,
    Kinks,
    L1Ball,
    Linear,
    LinfBall,
    Monotone,
    NonNegative,
    Polyhedron,
    Rank,
    Rows,
    Selection,
    Simplex,
    Sparsity,
    WholeSpace,
    _proxdist,
    parse,
    sets,
)

SETS = [
    (WholeSpace(), "none"),
    (Sparsity(20), "sparsity:20"),
    (Ball(1.0), "ball:1"),
    (Ball(0.5, [1, 0]), "ball:0.5;center=1,0"),
    (Rank(2), "rank:2"),
    (Rows(3), "rows:3"),
    (Entries(3), "sparsity:3"),
    (Box(0, None), "box:0,inf"),
    (Box([0, -1], [1, 2]), "box;lower=0,-1;upper=1,2"),
    (Box(None, [1, 2]), "box;lower=-inf,-inf;upper=1,2"),
    (NonNegative(), "nonneg"),
    (L1Ball(3), "l1:3"),
    (LinfBall(2), "linf:2"),
    (Simplex(), "simplex"),
    (Simplex(2), "simplex:2"),
    (Affine([[1, 1], [1, -1]], [1, 0]), "affine;a=1,1|1,-1;b=1,0"),
    (HalfSpace([1, 1], 2), "halfspace;a=1,1;b=2"),
    (Monotone(), "monotone"),
    (Monotone(decreasing=True), "monotone:decreasing"),
    (Polyhedron([[1, 1], [1, -1]], [1, 0]), "polyhedron;a=1,1|1,-1;b=1,0"),
    (Polyhedron(e=[[1, 2]], f=[3]), "polyhedron;e=1,2;f=3"),
    (Cone(), "cone"),
    (Cone(2), "cone:2"),
    (Convex(), "convex"),
    (Convex([0, 1, 3]), "convex;at=0,1,3"),
    (Concave(at=[0, 0.5]), "concave;at=0,0.5"),
    (Jumps(3), "jumps:3"),
    (Kinks(2), "kinks:2"),
    (Kinks(2, [0, 1, 3]), "kinks:2;at=0,1,3"),
    (Fused(1.5), "fused:1.5"),
    (GroupSparsity(2, size=4), "group-sparsity:2;size=4"),
    # Positions count from 0 in Python and from 1 in text.
    (GroupSparsity(1, [[0, 2], [1, 3]]), "group-sparsity:1;groups=1+3,2+4"),
    (GroupSparsity(1, {"money": ["income", "debt"], "rest": "x_*"}), "group-sparsity:1;groups=income+debt,x_*"),
    (GroupSparsity(2, by="prefix", separator="."), "group-sparsity:2;by=prefix;separator=`.`"),
    (GroupSparsity(2, "groups.csv"), "group-sparsity:2;file=groups.csv"),
    (Selection(3, keep=["age", 2], drop="id_*"), "sparsity:3;keep=age,3;drop=id_*"),
    (Selection(3, quotas=[(2, [[0, 1], "x_*"]), (1, "prefix")]), "sparsity:3;most=2 per 1+2,x_*|1 per prefix"),
    (Selection(4, quotas=[(1, "families.csv")]), "sparsity:4;most=1 per families.csv"),
    (Selection(2, groups=[[0, 2], [1]], keep=1), "group-sparsity:2;groups=1+3,2;keep=2"),
    (
        Selection(3, products={"ab": ("a", "b"), 5: (0, "x=1")}, heredity="weak"),
        "sparsity:3;heredity=weak;products=ab=a*b,6=1*`x=1`",
    ),
    (Blocks({(0, 9): Simplex(), (10, 19): "box:0,1"}), "blocks[1-10: simplex][11-20: box:0,1]"),
    (Blocks({"asset_*": Box(0, 1), ("age", "a b"): NonNegative()}), "blocks[asset_*: box:0,1][age,`a b`: nonneg]"),
    (NonNegative(on=["age", "income"]), "nonneg[age,income]"),
    (NonNegative(on=[0, 1, 4]), "nonneg[1,2,5]"),
    (Box(0, 0.2, on="asset_*"), "box:0,0.2[asset_*]"),
    (Box([0, 1], [1, 2], on=("b", "a")), "box;lower=0,1;upper=1,2[b,a]"),
    (Monotone(on="dose_1..dose_9"), "monotone[dose_1..dose_9]"),
    (Monotone(True, on="`a..b`"), "monotone:decreasing[`a..b`]"),
    (Sparsity(3, on="!id_*"), "sparsity:3[!id_*]"),
    (Ball(1, on="x, y*"), "ball:1[x`, `y*]"),
    (Linear("age + 2*income<=3"), "age + 2*income <= 3"),
    (Linear({"age": 1, "a b": -2, ("x*", 3): 0.5}, 0, 1), "0 <= age - 2*`a b` + 0.5*sum(x*,4) <= 1"),
    (Linear({"age": 1}, lower=2), "age >= 2"),
    (Linear({"*": 1}, 0, 0), "sum(*) = 0"),
    (Sparsity(5) & NonNegative(on="age"), "sparsity:5 & nonneg[age]"),
    (NonNegative() & Sparsity(5), "nonneg & sparsity:5"),
    (Sparsity(5) & "ball:1", "sparsity:5 & ball:1"),
]


@pytest.mark.parametrize(("made", "text"), SETS, ids=[text for _, text in SETS])
def test_a_set_is_its_text_and_survives_copies(made, text):
    assert made.spec == text
    assert made == parse(text)
    assert hash(made) == hash(parse(text))
    assert pickle.loads(pickle.dumps(made)) == made
    assert copy.deepcopy(made) == made
    assert eval(repr(made), vars(proxdist) | {"inf": float("inf")}) == made


def test_what_is_no_set_is_refused_in_the_librarys_words():
    with pytest.raises(ValueError, match='cannot read "sparsity:x", at "x"'):
        parse("sparsity:x")
    with pytest.raises(TypeError, match="a constraint is a set such as"):
        parse(3)
    with pytest.raises(ValueError, match="either groups or size"):
        GroupSparsity(1)
    with pytest.raises(TypeError):
        Sparsity(1) & (lambda x: x)
    with pytest.raises(ValueError, match='cannot read "sparsity:-1"'):
        Sparsity(-1)


def test_every_set_of_the_library_has_a_class():
    named = [(one, text) for one, text in SETS if one._on is None and type(one) is not sets._Parsed]
    made = {type(one): re.match(r"[a-z0-9-]+", text)[0] for one, text in named} | {Linear: "<="}
    listed = {name: example for name, example in _proxdist.set_examples() if name != "&"}
    # A selection is sparsity with rules.
    assert sorted(set(made.values())) == sorted(listed)
    curves = set(sets._Curve.__subclasses__())
    public = (set(sets.ConstraintSet.__subclasses__()) | curves) - {
        sets._Parsed,
        sets._Together,
        sets._Curve,
        sets.Projection,
    }
    assert set(made) == public
    assert {cls.__name__ for cls in public} <= set(proxdist.__all__)
    assert all(parse(example).spec == example for example in listed.values())


def test_the_catalogue_names_every_set_and_loss():
    assert any(syntax.startswith("sparsity") for syntax, *_ in proxdist.constraints())
    assert [syntax for syntax, *_ in proxdist.losses()][:2] == ["squared", "logistic"]
