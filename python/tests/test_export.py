"""Every form of a model computes what the program predicts, whatever columns are called and values are missing."""

import csv
import json
import math
import shutil
import sqlite3
import subprocess
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from proxdist import ConstrainedClassifier, ConstrainedRegressor, load

#: Names and texts that end strings, comments and tags where they are not escaped.
NUMBER, TEXT, CODE = 'a "b"; DROP TABLE x--', "c'd */ </DataField> \\ ??/", "größe 高"
LEVELS = ["it's", 'say "hi" */', "<&>", "\\"]
LINKS = {
    "squared": "identity",
    "huber:1.5": "identity",
    "poisson": "log",
    "logistic": "logit",
    "squared-hinge": "margin",
}


@pytest.fixture(scope="module", params=LINKS)
def exported(request, program, tmp_path_factory):
    """A model of numbers, texts and codes with missing values, new rows, and what the program predicts for them."""
    folder = tmp_path_factory.mktemp("export")
    loss = request.param
    rng = np.random.default_rng(3)
    rows = 160
    number, code = rng.normal(size=rows) * 100, rng.integers(1, 4, rows)
    text, known = rng.integers(0, len(LEVELS), rows), rng.uniform(0.5, 2.0, rows)
    eta = number / 100 + 0.5 * (text == 1) - 0.7 * (code == 2) + 0.2
    y = {
        "poisson": lambda: rng.poisson(np.exp(0.3 * eta) * known),
        "logistic": lambda: np.where(rng.uniform(size=rows) < 1 / (1 + np.exp(-eta)), "ja, klar", "no'"),
        "squared-hinge": lambda: np.where(eta + rng.normal(size=rows) > 0, "ja, klar", "no'"),
    }.get(loss, lambda: eta + known + 0.1 * rng.normal(size=rows))()
    header = ["id", NUMBER, TEXT, CODE, "known", "noise", "target"]

    def write(name, first, last, gaps):
        with open(folder / name, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(header)
            for i in range(first, last):
                cells = [
                    f"r{i}",
                    repr(float(number[i])),
                    LEVELS[text[i]],
                    int(code[i]),
                    repr(float(known[i])),
                    i % 7,
                    y[i],
                ]
                if gaps:
                    cells[1:4] = ["" if (i + k) % gaps == 0 else cell for k, cell in enumerate(cells[1:4])]
                writer.writerow(cells)

    write("train.csv", 0, 120, 11)
    write("new.csv", 120, rows, 5)
    known_part = {"poisson": ["--exposure", "known"], "logistic": [], "squared-hinge": []}.get(
        loss, ["--offset", "known"]
    )
    ignored = "id,noise" if known_part else "id,noise,known"
    positive = ["--positive", "ja, klar"] if loss in ("logistic", "squared-hinge") else []
    columns = ["--target", "target", "--ignore", ignored, "--categorical", CODE, *known_part, *positive]
    program(
        "fit", folder / "train.csv", "--loss", loss, *columns, "--missing", "mean", "--out", folder / "model.json", "-q"
    )
    means = program(
        "predict",
        folder / "model.json",
        folder / "new.csv",
        "--missing",
        "mean",
        "-q",
        *(["--proba"] if loss == "logistic" else []),
    )
    linear = program("predict", folder / "model.json", folder / "new.csv", "--missing", "mean", "-q", "--linear")
    numbers = [float(line) for line in linear.split()[1:]]
    labels = None
    if positive:
        said = program("predict", folder / "model.json", folder / "new.csv", "--missing", "mean", "-q", "--raw")
        labels = [row[0] for row in list(csv.reader(said.splitlines()))[1:]]
    predicted = [float(line) for line in means.split()[1:]] if loss != "squared-hinge" else numbers
    with open(folder / "new.csv", newline="", encoding="utf-8") as file:
        cells = list(csv.DictReader(file))
    assert len(cells) == len(predicted) == 40
    return {
        "loss": loss,
        "folder": folder,
        "rows": cells,
        "predicted": predicted,
        "linear": numbers,
        "labels": labels,
        "header": header,
    }


def test_sql_runs_in_sqlite(exported, program):
    text = program("export", exported["folder"] / "model.json", "--to", "sql", "--table", 'my "table"')
    database = sqlite3.connect(":memory:")
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in exported["header"])
    database.execute(f'CREATE TABLE "my ""table""" ({columns})')
    marks = ", ".join("?" * len(exported["header"]))
    for row in exported["rows"]:
        cells = [row[name] if row[name] != "" else None for name in exported["header"]]
        database.execute(f'INSERT INTO "my ""table""" VALUES ({marks})', cells)
    cursor = database.execute(text)
    names = [column[0] for column in cursor.description]
    found = [dict(zip(names, row, strict=True)) for row in cursor]
    assert names[: len(exported["header"])] == exported["header"]
    np.testing.assert_allclose([row["proxdist_linear"] for row in found], exported["linear"], rtol=1e-12, atol=1e-12)
    answer = {"logistic": "probability", "squared-hinge": "proxdist_linear"}.get(exported["loss"], "prediction")
    np.testing.assert_allclose([row[answer] for row in found], exported["predicted"], rtol=1e-12, atol=1e-12)
    if exported["labels"]:
        assert [row["label"] for row in found] == exported["labels"]
    # A text that is not known has no prediction.
    name = TEXT.replace('"', '""')
    database.execute(f'UPDATE "my ""table""" SET "{name}" = \'something else that is long\'')
    assert all(row[names.index("proxdist_linear")] is None for row in database.execute(text))


def test_python_runs(exported, program):
    text = program("export", exported["folder"] / "model.json", "--to", "python")
    space = {}
    exec(compile(text, "exported", "exec"), space)
    np.testing.assert_allclose([space["predict"](row) for row in exported["rows"]], exported["predicted"], rtol=1e-12)
    np.testing.assert_allclose(
        [space["linear"](row) for row in exported["rows"]], exported["linear"], rtol=1e-11, atol=1e-12
    )
    if exported["labels"]:
        assert [space["label"](row) for row in exported["rows"]] == exported["labels"]
    with pytest.raises(ValueError, match="was not there"):
        space["predict"](exported["rows"][0] | {TEXT: "new"})


def test_c_compiles_and_runs(exported, program):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("skipped: there is no C compiler")
    folder = exported["folder"]
    program("export", folder / "model.json", "--to", "c", "--out", folder / "score.c")
    inputs = json.loads(program("export", folder / "model.json", "--to", "json"))

    def quote(text):
        return '"' + "".join(f"\\{byte:03o}" for byte in text.encode()) + '"'

    lines = ['#include "score.c"', "#include <stdio.h>", "int main(void) {"]
    for at, row in enumerate(exported["rows"]):
        cells = []
        for one in inputs["inputs"]:
            value = row[one["column"]]
            if one["kind"] == "number":
                cells.append(value or "NAN")
            else:
                cells.append(quote(value) if value else "NULL")
        if inputs["known"]:
            cells.append(row[next(iter(inputs["known"].values()))])
        lines.append(f"    proxdist_row r{at} = {{{', '.join(cells)}}};")
        lines.append(f'    printf("%.17g\\n", proxdist_predict(&r{at}));')
        if exported["labels"]:
            lines.append(f'    printf("%s\\n", proxdist_label(&r{at}));')
    (folder / "main.c").write_text("\n".join([*lines, "    return 0;", "}"]) + "\n", encoding="utf-8")
    command = [compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "main.c", "-o", "main", "-lm"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = subprocess.run(["./main"], cwd=folder, capture_output=True, text=True, check=True).stdout.splitlines()
    step = 2 if exported["labels"] else 1
    np.testing.assert_allclose([float(line) for line in said[::step]], exported["predicted"], rtol=1e-12)
    if exported["labels"]:
        assert said[1::2] == exported["labels"]


def test_pmml_has_the_elements_of_its_schema_in_order(exported, program):
    text = program("export", exported["folder"] / "model.json", "--to", "pmml")
    space = {"p": "http://www.dmg.org/PMML-4_4"}
    root = ElementTree.fromstring(text.encode())
    assert root.tag == f"{{{space['p']}}}PMML"
    assert root.get("version") == "4.4"
    assert [child.tag.split("}")[1] for child in root] == ["Header", "DataDictionary", "RegressionModel"]
    fields = root.findall("p:DataDictionary/p:DataField", space)
    assert int(root.find("p:DataDictionary", space).get("numberOfFields")) == len(fields)
    names = {field.get("name") for field in fields}
    mining = root.findall("p:RegressionModel/p:MiningSchema/p:MiningField", space)
    assert {field.get("name") for field in mining} == names
    assert NUMBER in names
    assert TEXT in names
    model = root.find("p:RegressionModel", space)
    link = LINKS[exported["loss"]]
    assert model.get("functionName") == ("classification" if link == "logit" else "regression")
    assert model.get("normalizationMethod") == {"logit": "logit", "log": "exp"}.get(link, "none")
    assert [field.get("usageType") for field in mining if field.get("usageType")] == ["target"]
    tables = model.findall("p:RegressionTable", space)
    assert len(tables) == (2 if link == "logit" else 1)
    kinds = [child.tag.split("}")[1] for child in tables[0]]
    assert kinds == sorted(kinds, key=["NumericPredictor", "CategoricalPredictor"].index)
    # Every number is that of the JSON form.
    scorer = json.loads(program("export", exported["folder"] / "model.json", "--to", "json"))
    assert float(tables[0].get("intercept")) == scorer["intercept"]
    for one in scorer["inputs"]:
        fill = next(field for field in mining if field.get("name") == one["column"]).get("missingValueReplacement")
        if one["kind"] == "number":
            found = [p for p in tables[0].findall("p:NumericPredictor", space) if p.get("name") == one["column"]]
            assert [float(p.get("coefficient")) for p in found] == [one["coefficient"]]
            assert float(fill) == one["fill"]
        else:
            found = [p for p in tables[0].findall("p:CategoricalPredictor", space) if p.get("name") == one["column"]]
            assert [[p.get("value"), float(p.get("coefficient"))] for p in found] == one["levels"]
            assert fill == one["fill"]


def test_the_formula_is_one_line_with_every_coefficient(exported, program):
    text = program("export", exported["folder"] / "model.json", "--to", "formula")
    scorer = json.loads(program("export", exported["folder"] / "model.json", "--to", "json"))
    assert text.count("\n") == 1
    for one in scorer["inputs"]:
        adds = [one["coefficient"]] if one["kind"] == "number" else [value for _, value in one["levels"] if value]
        assert all(np.format_float_positional(abs(value), trim="-") in text for value in adds), text


def test_rows_with_gaps_that_nothing_is_filled_in_for_have_no_prediction(program, tmp_path):
    (tmp_path / "train.csv").write_text("a,b,y\n1,x,1\n2,y,3\n3,x,2.5\n4,y,5\n5,x,4\n")
    (tmp_path / "new.csv").write_text("a,b\n1,x\n,x\n2,\n3,y\n")
    program("fit", tmp_path / "train.csv", "--target", "y", "--out", tmp_path / "model.json", "-q")
    said = program("predict", tmp_path / "model.json", tmp_path / "new.csv", "--missing", "drop", "-q").split()[1:]
    assert said[1:3] == ["NA", "NA"]
    space = {}
    exec(program("export", tmp_path / "model.json", "--to", "python"), space)
    with open(tmp_path / "new.csv", newline="") as file:
        found = [space["predict"](row) for row in csv.DictReader(file)]
    assert found[1] is None
    assert found[2] is None
    np.testing.assert_allclose([found[0], found[3]], [float(said[0]), float(said[3])], rtol=1e-12)


def frame(rows=50):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 4)) * [1, 100, 0.01, 10]
    return rng, X


@pytest.mark.parametrize("loss", ["squared", "poisson", "logistic"])
def test_onnx_runs(loss, tmp_path):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    rng, X = frame()
    eta = X[:, 0] - X[:, 2] * 50
    if loss == "logistic":
        y = (rng.uniform(size=50) < 1 / (1 + np.exp(-eta))).astype(int)
        model = ConstrainedClassifier(constraint="sparsity:2").fit(X, y)
        expected = model.predict_proba(X)[:, 1]
    else:
        y = rng.poisson(np.exp(0.5 * eta)) if loss == "poisson" else eta + rng.normal(size=50)
        model = ConstrainedRegressor(loss, constraint="sparsity:2").fit(X, y)
        expected = model.predict(X)
    path = tmp_path / "model.onnx"
    model.export("onnx", path)
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(session.run(None, {"X": X})[0].ravel(), expected, rtol=1e-12)


def test_estimators_export_the_same_text_as_the_program(program, tmp_path):
    pandas = pytest.importorskip("pandas")
    rng, X = frame()
    y = X[:, 0] + rng.normal(size=50)
    model = ConstrainedRegressor(constraint="sparsity:2").fit(pandas.DataFrame(X, columns=["a", "b c", "d", "e"]), y)
    model.save(tmp_path / "model.json")
    for form in ("sql", "python", "c", "json", "formula", "pmml"):
        assert model.export(form) == program("export", tmp_path / "model.json", "--to", form), form
    model.export("formula", tmp_path / "formula.txt")
    assert (tmp_path / "formula.txt").read_text().startswith("y = ")
    assert load(tmp_path / "model.json").export("sql") == model.export("sql")
    with pytest.raises(ValueError, match="to must be one of"):
        model.export("xml")


def test_what_cannot_be_exported_says_so():
    rng, X = frame()
    many = ConstrainedClassifier(constraint="none").fit(X, np.arange(50) % 3)
    with pytest.raises(ValueError, match="one output"):
        many.export("sql")

    class Own:
        def value(self, eta, y):
            return 0.5 * (y - eta) ** 2

        def slope(self, eta, y):
            return eta - y

        def curvature(self, eta, y):
            return np.ones_like(eta)

    own = ConstrainedRegressor(Own(), constraint="none").fit(X, X[:, 0] + rng.normal(size=50))
    with pytest.raises(ValueError, match="loss with a name"):
        own.export("sql")
    assert not math.isnan(own.intercept_)
