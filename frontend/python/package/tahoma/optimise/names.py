# SPDX-License-Identifier: Apache-2.0
"""Invalid requests, and suggestions of the legal names nearest to an unknown one."""

import difflib


class BadRequest(Exception):
    """An invalid request. Its text says what is wrong and what is legal; it is printed without a traceback."""


def nearest(name, legal, count=3):
    """Returns '; did you mean a, b or c?', or the legal names if none is near and the list is short."""
    legal = sorted(legal)
    # Users tend to remember the end of a path.
    ends = [other for other in legal if other.rpartition(".")[2] == name.rpartition(".")[2]]
    near = (ends + [other for other in difflib.get_close_matches(name, legal, count, 0.5) if other not in ends])[:count]
    if near:
        return f"; did you mean {' or '.join(near)}?"
    return f"; expected {', '.join(legal)}" if legal and len(legal) <= 8 else ""


def choose(name, legal, what, where):
    """Returns `name`, which must be one of `legal`."""
    if name not in legal:
        raise BadRequest(f"{where}: no {what} '{name}'{nearest(name, legal)}")
    return name
