"""The site in a browser: no complaints, formulas drawn, no page wider than a phone, and a search that finds."""

from __future__ import annotations

from pathlib import Path

from .browser import Browser

_PHONE, _DESK = (390, 844), (1280, 900)

#: Pages that people look at, and a place on each.
_SAMPLES = [
    "index.html",
    "getting-started.html",
    "proof.html#the-mathematics",
    "command-line/fit.html",
    "python/estimators.html",
    "faq.html",
]

#: What is wider than the page, for the message.
_WIDE = """[...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1
    && !e.closest("pre, .table-wrapper, .math")).map(e => e.tagName + ": " + e.textContent.slice(0, 40)).slice(0, 3).join("; ")"""

#: Words that a reader may look for, and a page that has to be among the answers.
_WANTED = {
    "simplex": "sets.html",
    "certificate": "proof.html",
    "holdout": "command-line/fit.html",
    "SparsePath": "python/estimators.html",
}


def seen(site: Path, pictures: Path | None = None) -> list[str]:
    """Everything that is wrong with the pages of a site."""
    wrong = []
    pages = sorted(path for path in site.rglob("*.html") if path.name not in ("404.html", "toc.html"))
    with Browser() as browser:
        for page in pages:
            browser.complaints.clear()
            wrong += [f"{page.relative_to(site)}: {fault}" for fault in _page(browser, page)]
        wrong += _search(browser, site)
        if pictures is not None:
            _look(browser, site, pictures)
    print(f"{len(pages)} pages looked at, {len(wrong)} faults")
    return wrong


def _page(browser: Browser, page: Path) -> list[str]:
    browser.size(*_DESK)
    browser.open(page.resolve().as_uri())
    wrong = []
    if browser.value("document.querySelector('main .math') !== null"):
        if not browser.until("document.documentElement.dataset.maths === 'drawn'"):
            wrong.append("formulas are not drawn")
        elif faults := browser.value("[...document.querySelectorAll('.katex-error')].map(e => e.title).join('; ')"):
            wrong.append(f"formulas with faults: {faults}")
    browser.size(*_PHONE)
    width = browser.value("document.documentElement.scrollWidth")
    if width > _PHONE[0]:
        wrong.append(f"{width} wide on a phone of {_PHONE[0]}: {browser.value(_WIDE)}")
    browser.value("new Promise(done => setTimeout(done, 20))")
    return wrong + browser.complaints


def _search(browser: Browser, site: Path) -> list[str]:
    """What the search of the book does not find, as a reader uses it: a key, a word, the list of answers."""
    wrong = []
    browser.size(*_DESK)
    for word, wanted in _WANTED.items():
        browser.complaints.clear()
        browser.open((site / "index.html").resolve().as_uri())
        browser.value("document.getElementById('mdbook-search-toggle').click()")
        browser.value(f"""(() => {{ const bar = document.getElementById('mdbook-searchbar'); bar.value = '{word}';
            bar.dispatchEvent(new Event('input', {{bubbles: true}})); bar.dispatchEvent(new KeyboardEvent('keyup', {{key: 'x', bubbles: true}})); }})()""")
        if not browser.until(
            f"[...document.querySelectorAll('#mdbook-searchresults a')].some(a => a.href.includes('{wanted}'))"
        ):
            wrong.append(f"search for {word}: {wanted} is not among the answers {browser.complaints}")
    return wrong


def _look(browser: Browser, site: Path, pictures: Path) -> None:
    """Pictures of some pages: light, dark, and on a phone."""
    pictures.mkdir(parents=True, exist_ok=True)
    for sample in _SAMPLES:
        page, _, place = sample.partition("#")
        for look, (width, height), is_dark in [
            ("light", _DESK, False),
            ("dark", _DESK, True),
            ("phone", _PHONE, False),
        ]:
            browser.size(width, height, is_dark)
            browser.open((site / page).resolve().as_uri() + (f"#{place}" if place else ""))
            browser.value("new Promise(done => setTimeout(done, 600))")
            browser.picture(pictures / f"{page.replace('/', '-').removesuffix('.html')}-{look}.png")
