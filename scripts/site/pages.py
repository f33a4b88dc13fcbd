# SPDX-License-Identifier: Apache-2.0
"""Turns the Markdown of the repository into pages of the site. README.md becomes index.md; a link to a folder leads to its README, and
a link to a source leads to a page that shows it. Markers of figures are removed."""

import pathlib
import posixpath
import re

FENCE = re.compile(r"^( *)(`{3,}|~{3,})(\w*)")
HIGHLIGHTED = ("sh", "python", "yaml", "cmake")  # others are shown as text
LINK = re.compile(r"(\]\()([^)\s]+)((?:\s[^)]*)?\))")
MARKER = re.compile(r"<!--.*?-->|(`[^`]*`)")  # or code, which stays
LEXERS = {".h": "cpp", ".cpp": "cpp", ".inc": "cpp", ".py": "python", ".yaml": "yaml", ".json": "json", ".cmake": "cmake",
          ".sv": "systemverilog", ".js": "javascript", ".txt": "text"}


class BrokenLink(Exception):
    """A link of a document to nothing."""


def page_of(name):
    """The page of a Markdown file."""
    return re.sub(r"(^|/)README\.md$", r"\1index.md", name)


def source_page(name):
    return f"sources/{name}.md"


class Pages:
    def __init__(self, repo):
        self.repo = repo
        self.names = [name for name in repo.matching(".md") if not name.startswith(".")]
        self.sources = set()

    def target(self, name, link):
        """The link as the page of `name` has it."""
        path, mark, anchor = link.partition("#")
        if "://" in link or link.startswith("mailto:") or not path:
            return link
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
        if f"{wanted}/README.md" in self.repo.files or wanted == ".":
            wanted = posixpath.normpath(f"{wanted}/README.md")
        if wanted not in self.repo.files:
            raise BrokenLink(f"{name}: links to {link}, which does not exist")
        if wanted.endswith(".md"):
            page = page_of(wanted)
        else:
            page = source_page(wanted)
            self.sources.add(wanted)
            mark = anchor = ""
        return posixpath.relpath(page, posixpath.dirname(page_of(name)) or ".") + mark + anchor

    def text(self, name):
        """The text of a page. Code blocks stay as they are; a line that had nothing but markers goes."""
        lines, fence = [], None
        for line in self.repo.text(name).splitlines():
            opened = FENCE.match(line)
            if fence:
                fence = None if opened and opened[2].startswith(fence) and not opened[3] else fence
            elif opened:
                fence = opened[2]
                line = opened[1] + fence + (opened[3] if opened[3] in HIGHLIGHTED else "text")
            else:
                bare = MARKER.sub(lambda found: found[1] or "", line)
                if bare != line and not bare.strip():
                    continue
                line = LINK.sub(lambda found: found[1] + self.target(name, found[2]) + found[3], bare)
            lines.append(line)
        return "\n".join(lines) + "\n"

    def source_text(self, name):
        text = self.repo.text(name)
        fence = "`" * 8
        lexer = LEXERS.get(pathlib.PurePosixPath(name).suffix, "text")
        return f"---\norphan: true\nnosearch: true\n---\n# {name}\n\n{fence}{lexer}\n{text.rstrip()}\n{fence}\n"
