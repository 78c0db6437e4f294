"""Bins and scorecards: those of the program, the definitions by hand, and one error for each mistake."""

import csv
import itertools
import json
import shutil
import sqlite3
import subprocess
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import proxdist
from proxdist import Binner, ConstrainedClassifier, ConstrainedRegressor, GroupSparsity, MatrixClassifier

pandas = pytest.importorskip("pandas")


def loans(rows=500, seed=0):
    random = np.random.default_rng(seed)
    frame = pandas.DataFrame(
        {
            "age": random.integers(18, 80, rows).astype(float),
            "income": np.round(random.gamma(2.0, 1500.0, rows)),
            "flag": (random.random(rows) < 0.3).astype(float),
        }
    )
    eta = -2.0 + frame.age / 25.0 + frame.income / 3000.0 - frame.flag
    return frame, np.where(random.random(rows) < 1.0 / (1.0 + np.exp(-eta)), "yes", "no")


@pytest.mark.parametrize("rule", ["quantile:4", "monotone:4", "monotone:3,0.2", "monotone:4+missing"])
def test_bins_and_models_are_those_of_the_program(rule, program_file, tmp_path):
    X, y = loans()
    if "missing" in rule:
        X.loc[::9, "income"] = np.nan
    X.assign(paid=y).to_csv(tmp_path / "loans.csv", index=False)
    words = ["fit", "loans.csv", "--target", "paid", "--loss", "logistic", "--ridge", "0.001", "--bins", rule]
    subprocess.run([program_file, *words, "--out", "model.json", "-q"], cwd=tmp_path, check=True)
    model = json.loads((tmp_path / "model.json").read_text())
    binner = Binner(rule).fit(X, y)
    columns = model["data"]["schema"]["columns"]
    assert [columns[j]["bins"]["edges"] for j in (0, 1)] == [binner.edges_[j] for j in (0, 1)]
    assert model["names"] == binner.get_feature_names_out().tolist()
    ours = binner.set_output(transform="pandas").fit_transform(X, y)
    fit = ConstrainedClassifier(ridge=0.001).fit(ours, y)
    coefficients = np.zeros(len(model["names"]))
    for place, value in model["nonzero"]:
        coefficients[place] = value
    assert (fit.coef_.ravel() == coefficients).all()
    assert fit.intercept_[0] == model["intercept"]


def test_cards_are_those_of_the_program(program_file, tmp_path):
    X, y = loans()
    X.assign(paid=y).to_csv(tmp_path / "loans.csv", index=False)
    words = ["fit", "loans.csv", "--target", "paid", "--loss", "logistic", "--ridge", "0.001", "--bins", "monotone:4"]
    subprocess.run([program_file, *words, "--out", "model.json", "-q"], cwd=tmp_path, check=True)
    done = subprocess.run(
        [program_file, "scorecard", "model.json", "loans.csv", "--json", "-q", "--pdo", "5", "--csv", "card.csv"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    theirs = json.loads(done.stdout)["scorecard"]
    binner = Binner("monotone:4").set_output(transform="pandas").fit(X, y)
    model = ConstrainedClassifier(ridge=0.001).fit(binner.transform(X), y)
    card = model.scorecard(X, y, pdo=5, binner=binner)
    assert card.facts == theirs
    with open(tmp_path / "card.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["points"]) for row in rows] == card.table["points"].tolist()
    assert card.is_proven
    assert card.gap <= 1e-9


def scores_by_hand(card, X):
    total = np.full(len(X), float(card.base))
    for line in card.facts["lines"]:
        if line["column"] is not None:
            total += line["points"] * X[:, line["column"]] / (line["unit"] or 1.0)
    return total


def test_scores_add_up_and_mean_what_the_scale_says():
    X, y = loans()
    model = ConstrainedClassifier().fit(X, y)
    card = model.scorecard(X, y, points=500, pdo=30, odds=10)
    assert np.allclose(card.score(X), scores_by_hand(card, X.to_numpy()), rtol=0, atol=1e-9)
    assert np.allclose(card.offset + card.factor * card.log_odds(X), card.score(X))
    # Before rounding the points are the model.
    real = card.facts["base_real"] + sum(
        line["real"] * X.iloc[:, line["column"]] / (line["unit"] or 1.0) for line in card.facts["lines"]
    )
    assert np.allclose((real - card.offset) / card.factor, model.decision_function(X), rtol=0, atol=1e-11)
    eta, truth = card.log_odds(X), y == "yes"
    assert card.log_loss == pytest.approx(np.mean(np.log1p(np.exp(eta)) - truth * eta), abs=1e-12)
    positive, negative = eta[truth], eta[~truth]
    pairs = (positive[:, None] > negative).mean() + 0.5 * (positive[:, None] == negative).mean()
    assert card.auc == pytest.approx(pairs, abs=1e-12)
    assert card.log_loss >= card.log_loss_model - 1e-12
    turned = model.scorecard(X, y, points=500, pdo=30, odds=10, odds_of="no")
    assert turned.factor == -card.factor
    assert turned.auc_model == card.auc_model
    assert np.corrcoef(turned.score(X), card.score(X))[0, 1] < -0.99


def test_the_card_is_the_best_of_all_within_reach():
    random = np.random.default_rng(3)
    X = (random.random((80, 3)) < 0.5).astype(float)
    y = random.random(80) < 1 / (1 + np.exp(-(X @ [1.0, -0.7, 0.4] - 0.2)))
    weights, offset = random.integers(1, 4, 80).astype(float), random.normal(0, 0.3, 80)
    model = ConstrainedClassifier(ridge=0.01).fit(X, y, sample_weight=weights, offset=offset)
    card = model.scorecard(X, y, sample_weight=weights, offset=offset, pdo=1.5, points=20)
    real = [line["real"] for line in card.facts["lines"]]

    def loss(base, points):
        eta = (base + X @ points - card.offset) / card.factor + offset
        return np.average(np.logaddexp(0, eta) - y * eta, weights=weights)

    near = [[k for k in range(-30, 31) if abs(k - r) <= 2] for r in real]
    best = min(
        loss(base, points) for points in itertools.product(*near) for base in range(card.base - 25, card.base + 26)
    )
    assert card.log_loss == pytest.approx(best, abs=2e-9)
    assert card.is_proven
    assert np.allclose(
        card.score(X, offset), card.base + X @ [line["points"] for line in card.facts["lines"]] + card.factor * offset
    )


def test_tables_pages_and_groups():
    X, y = loans()
    X = X.rename(columns={"age": "<b>age"})
    binner = Binner("monotone:3").set_output(transform="pandas").fit(X, y)
    assert set(binner.groups_) == {"<b>age", "income", "flag"}
    model = ConstrainedClassifier(constraint=GroupSparsity(2, groups=binner.groups_), ridge=1e-3).fit(
        binner.transform(X), y
    )
    card = model.scorecard(X, y, binner=binner, max_points=6, test=(X, y))
    assert set(card.table["feature"]) <= {"base points", "<b>age", "income", "flag"}
    assert card.table["feature"].nunique() == 3
    assert card.table["points"].iloc[1:].abs().max() <= 6
    assert card.test["auc"] == card.auc
    assert card.test["rows"] == len(X)
    assert "<b>age" not in card.to_html()
    assert "&lt;b&gt;age" in card.to_html()
    assert "base points" in str(card)
    assert card._repr_html_()
    shares = card.table.dropna(subset=["share"]).groupby("feature")["share"].sum()
    assert np.allclose([shares[name] for name in shares.index if name != "flag"], 1.0)


def test_a_card_can_be_written(tmp_path):
    X, y = loans(200)
    page = ConstrainedClassifier().fit(X, y).scorecard(X, y).to_html(tmp_path / "card.html")
    assert (tmp_path / "card.html").read_text() == page


def test_bins_in_a_pipeline_and_their_laws():
    X, y = loans()
    pipeline = make_pipeline(Binner("monotone:4"), ConstrainedClassifier(ridge=1e-3)).fit(X, y)
    assert 0.6 < pipeline.score(X, y) <= 1
    binner = clone(Binner({"income": "quantile:5", 0: "monotone:3"})).fit(X, y)
    out = binner.transform(X)
    names = binner.get_feature_names_out()
    assert out.shape == (len(X), len(names))
    assert names[-1] == "flag"
    for column, count in ((0, 3), (1, 5)):
        edges = binner.edges_[column]
        assert len(edges) < count
        assert edges == sorted(set(edges))
    of_income = out[:, [name.startswith("income") for name in names]]
    assert (of_income.sum(axis=1) == 1).all()
    ages, rate = binner.edges_[0], y == "yes"
    means = [rate[np.digitize(X.age, ages) == k].mean() for k in range(len(ages) + 1)]
    assert means == sorted(means) or means == sorted(means, reverse=True)
    constant = Binner("quantile:3").fit(np.ones((9, 2)))
    assert constant.transform(np.ones((9, 2))).shape == (9, 0)


def test_mistakes_have_one_clear_error():
    X, y = loans(120)
    model = ConstrainedClassifier().fit(X, y)
    three = ConstrainedClassifier(ridge=0.1).fit(X, np.arange(120) % 3)
    hinge = ConstrainedClassifier("squared_hinge", ridge=0.1).fit(X, y)
    matrix = MatrixClassifier(shape=(1, 3), ridge=0.1).fit(X.to_numpy(), y)
    for call, error, words in [
        (lambda: ConstrainedClassifier().scorecard(X, y), Exception, "not fitted"),
        (lambda: three.scorecard(X, np.arange(120) % 3), ValueError, "two classes, and this model has 3"),
        (lambda: hinge.scorecard(X, y), ValueError, "log odds"),
        (lambda: matrix.scorecard(X.to_numpy(), y), ValueError, "matrix"),
        (lambda: model.scorecard(X, y, pdo=0), ValueError, "pdo must be positive"),
        (lambda: model.scorecard(X, y, odds=-1), ValueError, "odds must be positive"),
        (lambda: model.scorecard(X, y, points=np.inf), ValueError, "points must be finite"),
        (lambda: model.scorecard(X, y, max_points=0), ValueError, "max_points must be at least 1"),
        (lambda: model.scorecard(X, y, reach=0), ValueError, "reach must be at least 1"),
        (lambda: model.scorecard(X, y, odds_of="maybe"), ValueError, "odds_of"),
        (lambda: model.scorecard(X, y, units={"hat": 3}), ValueError, "hat"),
        (lambda: model.scorecard(X, y, colour=3), TypeError, "colour"),
        (lambda: model.scorecard(X), ValueError, "give X and y"),
        (lambda: model.scorecard(X, np.full(120, "yes")), ValueError, "same label"),
        (lambda: model.scorecard(X, y, binner=Binner("quantile:4").fit(X)), ValueError, "columns, the model has 3"),
        (lambda: Binner("quantile:1").fit(X), ValueError, "at least 2 bins"),
        (lambda: Binner("trees:4").fit(X), ValueError, "no rule for bins"),
        (lambda: Binner("monotone:4").fit(X), ValueError, "response"),
        (lambda: Binner("monotone:4").fit(X, np.array(list("abc") * 40)), ValueError, "3 labels"),
        (lambda: Binner({"hat": "quantile:4"}).fit(X), ValueError, "hat"),
        (lambda: Binner(5).fit(X), TypeError, "a rule"),
        (lambda: Binner().fit(X.assign(age=np.nan)), ValueError, "no number"),
        (lambda: Binner({"age": "quantile:3"}).fit(X.assign(income=np.nan)), ValueError, "missing values"),
        (lambda: Binner().fit(X).transform(X.assign(age=np.nan)), ValueError, "missing values"),
        (lambda: Binner().fit(X.assign(home="own")), ValueError, "own"),
    ]:
        with pytest.raises(error, match=words):
            call()
    bare = ConstrainedClassifier(fit_intercept=False).fit(X, y).scorecard(X, y)
    assert any("no intercept" in note for note in bare.notes)
    assert model.scorecard().auc is None
    assert "without rows" in model.scorecard().notes[0]
    assert not hasattr(ConstrainedRegressor(), "scorecard")
    assert proxdist.Binner is Binner


@pytest.mark.parametrize("options", [["--missing", "mean", "--bins", "quantile:4"], ["--bins", "quantile:3+missing"]])
def test_exported_forms_know_the_bins(options, program, tmp_path):
    X, y = loans(300)
    X = X.rename(columns={"age": 'a "g" e'})
    X.loc[::7, "income"] = np.nan
    X.assign(paid=y).to_csv(tmp_path / "loans.csv", index=False)
    fit = ["fit", tmp_path / "loans.csv", "--target", "paid", "--loss", "logistic", "--ridge", "0.001", "-q"]
    program(*fit, *options, "--out", tmp_path / "model.json")
    missing = options[:2] if "mean" in options else []
    said = program("predict", tmp_path / "model.json", tmp_path / "loans.csv", "--proba", "-q", *missing)
    predicted = [float(line) for line in said.split()[1:]]
    with open(tmp_path / "loans.csv", newline="") as file:
        rows = list(csv.DictReader(file))

    space = {}
    exec(program("export", tmp_path / "model.json", "--to", "python"), space)
    np.testing.assert_allclose([space["predict"](row) for row in rows], predicted, rtol=1e-12)

    database = sqlite3.connect(":memory:")
    names = list(rows[0])
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    database.execute(f"CREATE TABLE data ({', '.join(quoted)})")
    for row in rows:
        database.execute(f"INSERT INTO data VALUES ({', '.join('?' * len(names))})", [row[n] or None for n in names])
    cursor = database.execute(program("export", tmp_path / "model.json", "--to", "sql"))
    place = [column[0] for column in cursor.description].index("probability")
    np.testing.assert_allclose([row[place] for row in cursor], predicted, rtol=1e-12)

    scorer = json.loads(program("export", tmp_path / "model.json", "--to", "json"))
    compiler = shutil.which("cc")
    if compiler is not None:
        program("export", tmp_path / "model.json", "--to", "c", "--out", tmp_path / "score.c")
        lines = ['#include "score.c"', "#include <stdio.h>", "int main(void) {"]
        for at, row in enumerate(rows):
            cells = ", ".join(row[one["column"]] or "NAN" for one in scorer["inputs"])
            lines.append(f'proxdist_row r{at} = {{{cells}}}; printf("%.17g\\n", proxdist_predict(&r{at}));')
        (tmp_path / "main.c").write_text("\n".join([*lines, "return 0; }"]))
        command = [compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "main.c", "-o", "main", "-lm"]
        subprocess.run(command, cwd=tmp_path, check=True)
        done = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, text=True, check=True)
        np.testing.assert_allclose([float(line) for line in done.stdout.split()], predicted, rtol=1e-12)

    page = program("export", tmp_path / "model.json", "--to", "pmml").encode()
    tag = "{http://www.dmg.org/PMML-4_4}"
    fields = {field.get("name"): field for field in ElementTree.fromstring(page).iter(f"{tag}DerivedField")}
    for one in scorer["inputs"]:
        if one["kind"] != "bins":
            continue
        found = list(fields[f"proxdist bin of {one['column']}"].iter(f"{tag}DiscretizeBin"))
        assert [float(bin.get("binValue")) for bin in found] == one["adds"]
        lefts = [bin.find(f"{tag}Interval").get("leftMargin") for bin in found]
        rights = [bin.find(f"{tag}Interval").get("rightMargin") for bin in found]
        assert [float(left) for left in lefts[1:]] == one["edges"] == [float(right) for right in rights[:-1]]
    formula = program("export", tmp_path / "model.json", "--to", "formula")
    assert "income" in formula
    assert formula.count("\n") == 1
    assert ("is missing" in formula) == ("mean" not in options)
