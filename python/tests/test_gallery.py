"""The quick pages of the gallery print what they show, every page has its parts; `make gallery` runs them all."""

import re
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "python"))

from gallery.pages import Block, assert_runs, blocks

# Pages that take a second or less.
QUICK = [
    "best-subset-with-proof",
    "changepoints",
    "dose-response",
    "how-many-features",
    "survival",
    "synthetic-control",
]


@pytest.fixture(scope="module")
def run():
    """What runs pages; it needs matplotlib and pandas."""
    pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    from gallery import run

    return run


@pytest.mark.parametrize("page", QUICK)
def test_the_page_prints_what_it_shows_and_is_drawn(page, run, data_folder, program_file, tmp_path):
    with run.workshop(program_file, data_folder):
        run.check(page, tmp_path)
    drawn = (tmp_path / f"{page}.svg").read_text(encoding="utf-8")
    assert drawn.count("<path") > 5, "the figure is empty"


def test_every_page_has_what_a_page_needs(run):
    assert len(run.names()) >= 16
    for page in run.names():
        text = (run.PAGES / f"{page}.md").read_text(encoding="utf-8")
        assert text.startswith("# "), page
        figure = re.search(r"!\[.{20,}\]\((figures/.*\.svg)\)", text)
        assert figure and figure[1] == f"figures/{page}.svg", f"{page} has no figure with a description"
        assert (run.PAGES / figure[1]).stat().st_size > 5000, page
        assert "**What the certificate says.**" in text, page
        code = blocks(run.PAGES / f"{page}.md")
        assert {block.language for block in code} == {"python", "sh"}, f"{page} has no twin"
        assert all(block.shown for block in code if block.language == "sh"), page
        assert any(block.shown for block in code if block.language == "python"), page


def test_the_index_and_the_figures_are_those_of_the_pages(run):
    index = (run.PAGES / "README.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"\]\(([a-z-]+)\.md\)", index)) == run.names()
    assert sorted(path.stem for path in run.FIGURES.iterdir()) == run.names()


@pytest.mark.parametrize(
    ("language", "code", "shown", "what"),
    [
        ("python", "print(1)", "2\n", "prints\n1"),
        ("sh", "echo one; echo two", "two\none\n", "one"),
        ("sh", "echo error: no >&2; exit 2", "all is well\n", "error: no"),
        ("sh", "echo fine", "error: no\n", "fine"),
        ("sh", "echo fine", "", "has no answer"),
    ],
)
def test_a_page_that_shows_something_else_fails(language, code, shown, what):
    with pytest.raises(AssertionError, match=re.escape(what)):
        assert_runs(Block(language, code, shown, 0, 0), "page, block 1", {})
