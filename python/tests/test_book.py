"""The book: its links lead somewhere, every page is in it, and its newcomers' pages do what they say. `make book-check` looks at the site."""

import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "python"))

from book import command_line, links, markdown, pages, python_names
from gallery.pages import answered, assert_runs, blocks, offer, printed

SUMMARY = (ROOT / "book" / "SUMMARY.md").read_text(encoding="utf-8")


@pytest.fixture
def kitchen(program_file, tmp_path, monkeypatch):
    """An empty folder with the wine table, and the program on the path."""
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", offer(program_file, tmp_path))
    shutil.copyfile(ROOT / "crates" / "proxdist-cli" / "demo" / "cellar.csv", tmp_path / "cellar.csv")
    return tmp_path


def shell(code):
    return subprocess.run(["sh", "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("page", ["getting-started", "choosing-a-size"])
def test_the_page_runs_and_prints_what_it_shows(page, kitchen):
    space = {"__name__": page}
    for number, block in enumerate(blocks(ROOT / "docs" / f"{page}.md")):
        name = f"{page}, block {number + 1}"
        if block.language == "python" or block.shown:
            assert_runs(block, name, space)
        else:
            assert answered(block.code)[0], name


def test_every_call_beside_that_of_another_package_works(kitchen):
    text = (ROOT / "docs" / "faq.md").read_text(encoding="utf-8")
    space = {"__name__": "faq"}
    printed(re.search(r"```python\n(.*?)```", text, re.DOTALL)[1], "faq", space)
    tables = re.findall(r"\| proxdist \|\n\|---\|---\|\n((?:\|.*\n)+)", text)
    calls = [re.fullmatch(r"\| (.+) \| `([^`]+)` \|", row) for table in tables for row in table.splitlines()]
    assert len(tables) == 4
    assert len(calls) > 50
    assert all(calls), "a row without a call"
    for call in calls:
        if call[2].startswith("proxdist "):
            done = shell(call[2])
            assert done.returncode == 0, f"{call[2]}\n{done.stderr}"
        else:
            eval(compile(call[2], call[2], "eval"), space)


def test_links_of_the_documents_lead_somewhere():
    assert links.broken_in_sources(list(pages.sources()), ROOT) == []


def test_broken_links_are_noticed(tmp_path):
    (tmp_path / "docs").mkdir()
    there = tmp_path / "docs" / "there.md"
    there.write_text("# One `code` & two\n\n## Same\n\n## Same\n\n```sh\n# no heading\n[no](link.md)\n```\n")
    page = tmp_path / "page.md"
    good = (
        '[`a`](docs/there.md#one-code--two) [b](docs/there.md#same-1) [c](#here) <img src="docs/there.md"> `[x](no.md)`'
    )
    page.write_text(f"# Here\n\n{good}\n")
    assert links.broken_in_sources([page, there], tmp_path) == []
    page.write_text(
        "# Here\n\n[a](docs/gone.md) [b](docs/there.md#same-2) [`c`](#there) ![d](gone.svg) [e](docs/there.md#no-heading)\n"
    )
    assert len(links.broken_in_sources([page, there], tmp_path)) == 5

    site = tmp_path / "site"
    site.mkdir()
    (site / "other.html").write_text('<h1 id="top">x</h1>')
    (site / "index.html").write_text(
        '<a href="other.html#top">a</a><a href="https://example.com">b</a><img src="data:,">'
    )
    assert links.broken_in_site(site) == []
    (site / "index.html").write_text(
        '<a href="other.html#end">a</a><a href="gone.html">b</a><script src="https://example.com/x.js"></script>'
    )
    (site / "style.css").write_text('a { background: url("gone.png"); }')
    assert len(links.broken_in_site(site)) == 4


def test_the_summary_has_every_page_once_and_nothing_else():
    listed = re.findall(r"\]\((.+)\)", SUMMARY)
    places = pages.sources()
    worked = {str(place) for _, place in pages.gallery(places)}
    written = {str(place) for place in places.values()} - worked
    assert sorted(listed) == sorted(written | {"gallery.md", "command-line.md", "python.md"})
    assert re.findall(r"<!-- (.+) -->", SUMMARY) == ["gallery", "command-line", "python"]


def test_the_gallery_takes_the_pages_that_there_are(tmp_path):
    (tmp_path / "docs" / "gallery").mkdir(parents=True)
    for name in ("README", "CONTRIBUTING", "ARCHITECTURE", "CHANGELOG"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n")
    assert "Gallery" not in pages.summary(SUMMARY, pages.gallery(pages.sources(tmp_path)), {})
    (tmp_path / "docs" / "gallery" / "one.md").write_text("# First *thing*\n")
    text = pages.summary(SUMMARY, pages.gallery(pages.sources(tmp_path)), {})
    assert "- [Gallery](gallery.md)\n  - [First \\*thing\\*](gallery/one.md)\n" in text
    (tmp_path / "docs" / "gallery" / "two.md").write_text("# Second\n")
    (tmp_path / "docs" / "gallery" / "README.md").write_text("# Gallery\n\n[b](two.md)\n")
    assert [title for title, _ in pages.gallery(pages.sources(tmp_path))] == ["Second", "First *thing*"]


def test_links_move_with_their_pages(tmp_path):
    (tmp_path / "docs" / "reproduction").mkdir(parents=True)
    readme = tmp_path / "README.md"
    readme.write_text(
        "[a](docs/x.md#y) [b](docs/reproduction) [c](LICENSE) ![d](docs/d.svg) [e](https://e.org) `[f](docs/x.md)`\n"
    )
    (tmp_path / "docs" / "x.md").write_text("[a](../README.md) $a_1 < \\|b\\|$ `$c$`\n")
    (tmp_path / "docs" / "reproduction" / "README.md").write_text("[a](../x.md)[b](index.html)\n")
    moved = pages.Moved(pages.sources(tmp_path), tmp_path)
    text = moved.text(readme)
    assert text.startswith("[a](x.md#y) [b](reproduction.md) [c](https://")
    assert "![d](d.svg) [e](https://e.org) `[f](docs/x.md)`" in text
    assert moved.text(tmp_path / "docs" / "reproduction" / "README.md") == "[a](x.md)[b](reproduction/index.html)\n"
    assert [str(place) for place in moved.files.values()] == ["d.svg", "reproduction/index.html"]
    formula = '<span class="math inline">a&#95;1 &#60; &#92;&#124;b&#92;&#124;</span>'
    assert moved.text(tmp_path / "docs" / "x.md") == f"[a](introduction.md) {formula} `$c$`\n"


def test_long_code_in_tables_may_break_and_nothing_else_changes():
    text = "| `short(1)` | `ConstrainedRegressor(constraint=X).fit(a \\| b)` |\n```\n| `ConstrainedRegressor(constraint=X).fit(a, b)` |\n```\n"
    changed = markdown.with_breaks(text)
    assert changed.startswith(
        "| `short(1)` | <code>ConstrainedRegressor&#40;<wbr>constraint&#61;<wbr>X&#41;<wbr>&#46;fit&#40;<wbr>a &#124; b&#41;</code> |"
    )
    assert changed.endswith(text[text.index("```") :])


def test_pictures_in_two_versions_follow_the_theme():
    text = '<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="dark.svg">\n  <img alt="A" src="light.svg">\n</picture>'
    assert (
        markdown.with_themed_pictures(text)
        == '<img class="only-light" alt="A" src="light.svg"><img class="only-dark" alt="A" src="dark.svg">'
    )


def test_the_reference_of_the_command_line_has_every_option(program, program_file):
    commands = command_line.read(program_file)
    names = re.findall(r"^  ([a-z]+) ", program("-h").split("Commands:")[1].split("Options:")[0], re.MULTILINE)
    assert [command.name for command in commands] == [name for name in names if name != "help"]
    for command in commands:
        page = command_line.page(command)
        for option in set(re.findall(r"^(?:  -\w, | {6})(--[\w-]+)", program(command.name, "--help"), re.MULTILINE)) - {
            "--help"
        }:
            assert re.search(rf"^`(?:-\w, )?{option}\b", page, re.MULTILINE), f"{command.name} {option}"
        assert not re.search(r"\\f[BIR]|\\\(|\\-|^: –$", page, re.MULTILINE), command.name
        assert "## Examples" in page


def test_the_reference_of_the_package_has_every_public_name():
    import proxdist

    pytest.importorskip("distributed")
    written = "\n".join(python_names.pages().values())
    for name in proxdist.__all__:
        assert name.startswith("__") or f"## {name} {{#proxdist.{name}}}\n" in written, name
    for said in (
        "`fit(X, y=None, sample_weight=None, offset=None, *, exposure=None)`",
        "`predict_proba(X, offset=None)`",
        "`ridge` – float",
    ):
        assert said in written
    for page, text in python_names.pages().items():
        empty = re.findall(r"\*\*`([^`]+)`\*\*\n\n(?=\*\*|##|\Z)", text)
        assert empty == [], f"{page}: without a word of documentation"
        assert "Descriptor for" not in text
