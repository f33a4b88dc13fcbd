# SPDX-License-Identifier: Apache-2.0
"""Checks the links of a site: every link and picture leads to a file of the site, and every anchor to an element of its page."""

import html.parser
import pathlib
import posixpath
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.names, self.links = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key == "id" or (key == "name" and tag == "a"):
                self.names.add(value)
            elif key in ("href", "src") and value:
                self.links.add(value)


def check(site):
    """Counts of pages, links within the site and links to elsewhere, and the findings."""
    site = pathlib.Path(site)
    pages = {path.relative_to(site).as_posix(): Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    inside, outside, found = 0, set(), []
    for name, page in pages.items():
        for link in sorted(page.links):
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                if parts.scheme in ("http", "https"):
                    outside.add(link)
                continue
            inside += 1
            path = urllib.parse.unquote(parts.path)
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            if not (site / target).is_file():
                found.append(f"{name}: links to {link}, which does not exist")
            elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].names:
                found.append(f"{name}: links to {link}, but {target} has no such anchor")
    return len(pages), inside, len(outside), found
