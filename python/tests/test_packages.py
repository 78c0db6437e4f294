"""What is handed out is whole: crates with their files and descriptions, and the archive of the program."""

import json
import re
import subprocess
import sys
import tarfile

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

import dist

CRATES = ["proxdist", "proxdist-io", "proxdist-report", "proxdist-pages", "proxdist-lab", "proxdist-cli"]


def cargo(*words):
    return subprocess.run(["cargo", *words, "--offline"], cwd=ROOT, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def described():
    return {
        package["name"]: package
        for package in json.loads(cargo("metadata", "--no-deps", "--format-version", "1"))["packages"]
    }


def test_only_the_module_of_the_python_package_is_not_for_the_registry(described):
    assert sorted(name for name, package in described.items() if package["publish"] != []) == sorted(CRATES)


@pytest.mark.parametrize("name", CRATES)
def test_a_crate_says_what_a_registry_asks_for(name, described):
    package = described[name]
    assert len(package["description"]) > 30
    assert package["license"] == "MIT OR Apache-2.0"
    assert package["repository"].startswith("https://")
    assert package["rust_version"]
    assert (ROOT / "crates" / name / package["readme"]).exists()
    assert 1 <= len(package["categories"]) <= 5
    assert 1 <= len(package["keywords"]) <= 5
    assert all(len(word) <= 20 for word in package["keywords"])


@pytest.mark.parametrize("name", CRATES)
def test_a_packed_crate_has_the_files_that_its_code_includes(name):
    folder = ROOT / "crates" / name
    packed = set(cargo("package", "--list", "-p", name, "--allow-dirty").split())
    assert {"LICENSE-MIT", "LICENSE-APACHE", "README.md", "Cargo.toml"} <= packed
    assert not any(file.startswith(("tests/", "benches/")) for file in packed)
    for source in (folder / "src").rglob("*.rs"):
        assert str(source.relative_to(folder)) in packed
        # Pages that are compiled as tests only are named in attributes.
        for included in re.findall(
            r"^(?!\s*#\[doc).*include_(?:str|bytes)!\(\"(.+?)\"\)", source.read_text(encoding="utf-8"), re.MULTILINE
        ):
            path = (source.parent / included).resolve()
            assert path.is_relative_to(folder), f"{source}: {included}"
            assert str(path.relative_to(folder)) in packed, f"{source}: {included}"


def test_the_citation_names_this_version_and_the_paper(described):
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.+)$", text, re.MULTILINE)[1] == described["proxdist"]["version"]
    assert "The Stochastic Proximal Distance Algorithm" in text
    assert all(name in text for name in ("Jiang", "Xu"))


def test_the_archive_holds_the_program_with_all_that_belongs_to_it(program_file, tmp_path):
    path = dist.archive(program_file, tmp_path)
    with tarfile.open(path) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
        packed.extractall(tmp_path, filter="data")
    assert {
        *dist.COMPLETIONS.values(),
        *dist.DOCUMENTS,
        "share/man/man1/proxdist.1",
        "share/man/man1/proxdist-fit.1",
    } <= names
    (binary,) = tmp_path.glob("*/bin/proxdist")
    said = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout
    assert said.split()[1] in path.name


def test_archives_of_the_same_files_are_the_same(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "b").write_text("b")
    (folder / "a").write_text("a")
    first = dist._packed(folder, tmp_path / "same.tar.gz").read_bytes()
    (folder / "a").touch()
    assert dist._packed(folder, tmp_path / "same.tar.gz").read_bytes() == first
    (folder / "a").write_text("c")
    assert dist._packed(folder, tmp_path / "same.tar.gz").read_bytes() != first


def test_a_manifest_without_tests_keeps_the_rest():
    manifest = '[dependencies]\na = "1"\n\n[dev-dependencies]\nb = "1"\nc = { version = "1" }\n\n[[bench]]\nname = "x"\n\n[lints]\nworkspace = true\n'
    assert dist.without_tests(manifest) == '[dependencies]\na = "1"\n\n[lints]\nworkspace = true\n'
