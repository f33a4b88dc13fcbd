# SPDX-License-Identifier: Apache-2.0
"""Requests that cannot be met, and the nearest legal names to what somebody wrote."""

import difflib


class BadRequest(Exception):
    """Its text says what is wrong and what is legal; no trace of calls belongs to it."""


def nearest(name, legal, count=3):
    """'; did you mean a, b or c?', or what is legal if nothing is near and the list is short."""
    legal = sorted(legal)
    # The end of a path is what people remember of it.
    ends = [other for other in legal if other.rpartition(".")[2] == name.rpartition(".")[2]]
    near = (ends + [other for other in difflib.get_close_matches(name, legal, count, 0.5) if other not in ends])[:count]
    if near:
        return f"; did you mean {' or '.join(near)}?"
    return f"; expected {', '.join(legal)}" if legal and len(legal) <= 8 else ""


def choose(name, legal, what, where):
    """`name`, which must be one of `legal`."""
    if name not in legal:
        raise BadRequest(f"{where}: no {what} '{name}'{nearest(name, legal)}")
    return name
