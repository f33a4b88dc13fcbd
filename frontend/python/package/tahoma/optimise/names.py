# SPDX-License-Identifier: Apache-2.0
"""Invalid requests, suggestions of the legal names nearest to an unknown one, and short names."""

import difflib
import pathlib

# Codes of what is wrong with a request (README.md).
OPTION, SPEC, METRIC, FOLDER, KNOWN = "E-OPT-001", "E-OPT-002", "E-OPT-003", "E-OPT-004", "E-OPT-005"


class BadRequest(Exception):
    """An invalid request. Its text says what is wrong and what is legal; it is printed without a traceback. A text of the program
    tahoma has its code itself, and "" here."""

    def __init__(self, text, code=OPTION):
        super().__init__(text)
        self.code = code


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


def short_path(path, paths):
    """Returns the last two words of a parameter's path, or as many as distinguish it from the others."""
    words = path.split(".")
    for count in range(2, len(words)):
        short = ".".join(words[-count:])
        if sum(other.endswith("." + short) for other in paths) < 2:
            return short
    return path


def workload_names(workloads):
    """Returns the names of workload files by file: their stems, or the files themselves where two have one stem."""
    stems = [pathlib.PurePath(file).stem for file in workloads]
    return {file: stem if stems.count(stem) == 1 else file for file, stem in zip(workloads, stems)}
