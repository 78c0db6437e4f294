"""The packed store of the program is a folder of NumPy arrays with a description beside them."""

import json

import numpy as np
import pytest
from scipy import sparse


@pytest.fixture
def packed(program, tmp_path):
    """Packs a file by giving the program less memory than it takes; returns the folder of the store."""

    def pack(name, text, *options):
        (tmp_path / name).write_text(text)
        cache = tmp_path / f"cache-{name}"
        program("fit", tmp_path / name, *options, "--memory", "150k", "--cache", cache, "--quiet")
        (folder,) = cache.iterdir()
        return folder

    return pack


def description(folder):
    """What the store says of itself."""
    found = json.loads((folder / "store.json").read_text())
    assert (found["format"], found["version"]) == ("proxdist-store", 1)
    return found


def test_a_dense_store_is_read_by_numpy(packed):
    generator = np.random.default_rng(1)
    x, w = generator.normal(size=(5000, 3)), generator.uniform(0.5, 2, size=5000)
    color = generator.choice(["red", "green", "blue"], size=5000)
    y = x[:, 0] - 2 * (color == "red") + 0.1 * generator.normal(size=5000)
    rows = zip(x.tolist(), color, w.tolist(), y.tolist(), strict=True)
    lines = [f"{a!r},{b!r},{c!r},{word},{weight!r},{label!r}" for (a, b, c), word, weight, label in rows]
    text = "a,b,c,color,w,y\n" + "\n".join(lines) + "\n"
    folder = packed("data.csv", text, "--target", "y", "--weights", "w")
    found = description(folder)
    assert found["names"] == ["a", "b", "c", "color=blue", "color=green", "color=red"]
    matrix = np.load(folder / "X.npy", mmap_mode="r")
    assert matrix.shape == (found["rows"], found["columns"]) == (5000, 6)
    assert np.array_equal(matrix[:, :3], x)
    assert np.array_equal(matrix[:, 3:], color[:, None] == np.array(["blue", "green", "red"]))
    assert np.array_equal(np.load(folder / "y.npy"), y)
    assert np.array_equal(np.load(folder / "w.npy"), w)
    assert found["largest"] == np.abs(matrix).max()


def test_a_sparse_store_is_read_by_scipy(packed):
    generator = np.random.default_rng(2)
    x = sparse.random(5000, 30, density=0.2, random_state=generator, format="csr")
    x.sort_indices()
    y = x[:, 3].toarray().ravel() + 0.1 * generator.normal(size=5000)
    rows = []
    for i, label in enumerate(y.tolist()):
        part = slice(x.indptr[i], x.indptr[i + 1])
        pairs = zip(x.indices[part].tolist(), x.data[part].tolist(), strict=True)
        rows.append(f"{label!r} " + " ".join(f"{j + 1}:{value!r}" for j, value in pairs))
    folder = packed("data.svm", "\n".join(rows) + "\n", "--features", "30")
    found = description(folder)
    arrays = (np.load(folder / f"{name}.npy") for name in ["data", "indices", "indptr"])
    matrix = sparse.csr_array(tuple(arrays), shape=(found["rows"], found["columns"]))
    assert found["is_sparse"]
    assert (matrix != x).nnz == 0
    assert np.array_equal(np.load(folder / "y.npy"), y)
