# SPDX-License-Identifier: Apache-2.0
"""Markers in Markdown. Rendered pages do not show them.

    <!--=RUN FIGURE:FORMAT-->182.7 us<!--/-->           a figure in a sentence or a table cell
    <!--host COMMAND, 2026-11-22-->10 s<!--/-->         a figure of the host, which is never checked

A marker alone on its line begins a block: the output of a run, in the code fence that follows it, or a table."""

import dataclasses
import re

MARKER = re.compile(r"(?<!`)<!--=(?P<spec>[^>]*?)-->(?P<text>.*?)<!--/-->", re.DOTALL)
HOST = re.compile(r"(?<!`)<!--host (?P<command>[^>]*?), (?P<date>\d{4}-\d\d-\d\d)-->(?P<text>.*?)<!--/-->", re.DOTALL)
FENCE = re.compile(r"^(?P<fence>```+)[^`\n]*\n.*?^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)
ANY_MARKER = re.compile(r"(?<!`)<!--(?:=|host |/)[^>]*-->")


@dataclasses.dataclass(frozen=True)
class Marker:
    file: str
    line: int
    spec: str  # RUN FIGURE:FORMAT
    text: str  # the present text
    start: int  # of the text, in the page
    end: int

    @property
    def is_block(self):
        return self.text.startswith("\n")

    def lines(self):
        """The lines of a block, without its fence."""
        lines = self.text.strip("\n").split("\n")
        return lines[1:-1] if lines[0].startswith("```") else lines

    def stands(self):
        """Returns the present text, without the marks that a rewrite keeps."""
        return "\n".join(self.lines()) if self.is_block else self.text.strip("`")

    def with_text(self, text):
        """The text of the marker around a new figure; a block keeps its fence, inline code its backticks."""
        if not self.is_block:
            return f"`{text}`" if self.text.startswith("`") else text
        lines = self.text.strip("\n").split("\n")
        if lines[0].startswith("```"):
            return "\n".join(["", lines[0], text, lines[0].split("`")[0] + "```", ""])
        return f"\n{text}\n"


def fences(page):
    """(start, end) of every code fence outside markers."""
    inside = [match.span() for pattern in (MARKER, HOST) for match in pattern.finditer(page)]
    return [match.span() for match in FENCE.finditer(page)
            if not any(start <= match.start() < end for start, end in inside)]


def markers_of(file, page):
    """Every marker of a figure, in order. A marker inside a code fence is an example."""
    examples = [match.span() for match in FENCE.finditer(page)]
    found = []
    for match in MARKER.finditer(page):
        if not any(start <= match.start() < end for start, end in examples):
            line = page.count("\n", 0, match.start()) + 1
            found.append(Marker(file, line, match["spec"].strip(), match["text"], match.start("text"), match.end("text")))
    return found


def unmatched(file, page):
    """Markers without an end, and ends without a marker."""
    covered = [match.span() for pattern in (MARKER, HOST, FENCE) for match in pattern.finditer(page)]
    found = []
    for match in ANY_MARKER.finditer(page):
        if not any(start <= match.start() < end for start, end in covered):
            found.append(f"{file}:{page.count(chr(10), 0, match.start()) + 1}: {match[0]} has no partner")
    return found


def rewritten(page, markers, texts):
    """The page with the text of each marker replaced."""
    for marker in sorted(markers, key=lambda marker: -marker.start):
        if marker in texts:
            page = page[:marker.start] + marker.with_text(texts[marker]) + page[marker.end:]
    return page
