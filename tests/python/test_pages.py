# SPDX-License-Identifier: Apache-2.0
"""What a notebook shows is complete in itself: no other file, no network, no script that reaches the notebook."""
import html
import html.parser
import pathlib
import re

import pytest

import tahoma
from tahoma.api import inline

REFERENCES = ("src", "href", "data", "action", "poster", "background", "formaction", "srcset")


class Elements(html.parser.HTMLParser):
    """The elements of a page with their attributes, and the texts of its styles and scripts."""

    def __init__(self, page):
        super().__init__()
        self.found, self.styles, self.open = [], "", ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        self.open = tag

    def handle_data(self, data):
        if self.open == "style":
            self.styles += data


def outside(page):
    """What the page loads from elsewhere: references of elements and styles that are neither data nor places in the page."""
    elements = Elements(page)
    found = [value for tag, attributes in elements.found for name, value in attributes.items()
             if name in REFERENCES and tag != "a" and value and not value.startswith(("data:", "#", "blob:"))]
    return found + re.findall(r"@import[^;]*|url\((?!['\"]?(?:data:|#))[^)]*\)", elements.styles)


def framed(shown):
    """The page inside the only element that is shown."""
    (tag, attributes), = Elements(shown).found
    assert tag == "iframe" and "allow-same-origin" not in attributes["sandbox"]
    return attributes["srcdoc"]


def test_the_page_of_a_run_is_inline_and_self_contained(linked):
    page = framed(linked._repr_html_())
    assert page == (linked.path / "report.html").read_text()
    assert not outside(page) and len(Elements(page).found) > 5


def test_the_page_of_a_sweep_is_inline_and_self_contained(small):
    sweep = tahoma.sweep({"workloads": "gemm/one_core_4096", "mode": "timing", "axes": {"workload.m": [128, 256]}}, workload__n=512, workload__k=256)
    page = framed(sweep._repr_html_())
    assert page == (sweep.path / "index.html").read_text() and not outside(page)


def test_what_a_page_loads_from_elsewhere_is_found():
    assert outside("<script src='https://example.org/a.js'></script>") == ["https://example.org/a.js"]
    assert outside("<style>@import 'a.css'; b { background: url(c.png) }</style>") == ["@import 'a.css'", "url(c.png)"]
    assert outside("<img srcset='a.png'><link href='b.css'>") == ["a.png", "b.css"]
    assert not outside("<img src='data:image/png;base64,AA'><a href='#x'>x</a><style>a { fill: url(#x) }</style>")


def test_a_large_page_and_a_missing_one_are_a_table(linked, small, monkeypatch):
    monkeypatch.setattr(inline, "MOST_BYTES", 1000)
    for run in (linked, tahoma.run(small, no_report=True)):
        shown = run._repr_html_()
        assert "<iframe" not in shown and not outside(shown)
        headline = run.path.joinpath("summary.txt").read_text().splitlines()[0]
        assert html.escape(headline) in shown and html.escape(run.workload) in shown


def test_texts_of_a_table_are_no_markup():
    shown = inline.table("<script>", [("a & b", "<b>'\"")])
    assert [tag for tag, _ in Elements(shown).found] == ["table", "caption", "tbody", "tr", "th", "td"]


def test_a_browser_gets_the_address_of_the_page(linked, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    assert linked.open()
    assert opened == [pathlib.Path(linked.path, "report.html").resolve().as_uri()]


@pytest.mark.parametrize("make", [repr, str])
def test_texts_of_a_run_begin_with_its_headline(linked, make):
    assert linked.path.joinpath("summary.txt").read_text().splitlines()[0] in make(linked)
