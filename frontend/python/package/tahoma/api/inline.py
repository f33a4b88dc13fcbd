# SPDX-License-Identifier: Apache-2.0
"""Pages inside a notebook: HTML that needs no other file and no network."""
from __future__ import annotations

import html
import pathlib
from typing import Iterable

MOST_BYTES = 8 * 2**20  # a page above this makes a notebook slow to open and to save
HEIGHT = 640  # pixels


def page_or_table(page: pathlib.Path, title: str, rows: Iterable[tuple[str, str]]) -> str:
    """The page in a frame of its own if it exists and is not too large, otherwise a table of its main figures."""
    if page.is_file() and page.stat().st_size <= MOST_BYTES:
        return frame(page.read_text(encoding="utf-8"), title)
    return table(title, rows)


def frame(text: str, title: str) -> str:
    """The page as the text of a frame, which may run its scripts and save its series, and nothing else."""
    return (f'<iframe title="{html.escape(title)}" sandbox="allow-scripts allow-downloads" width="100%" height="{HEIGHT}" '
            f'style="border: 1px solid #888" srcdoc="{html.escape(text)}"></iframe>')


def text(printed: str) -> str:
    """A text as it is printed."""
    return f"<pre>{html.escape(printed)}</pre>"


def table(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """A heading and two columns."""
    cells = "".join(f"<tr><th style='text-align: left'>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>" for name, value in rows)
    return f"<table><caption>{html.escape(title)}</caption><tbody>{cells}</tbody></table>"
