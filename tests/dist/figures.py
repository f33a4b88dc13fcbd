# SPDX-License-Identifier: Apache-2.0
"""Numbers with units in Markdown have markers (scripts/measured/README.md), so that no figure of the program is typed.
Numbers that are not output of the program, such as figures of silicon and sizes of the hardware, are listed with a reason in
figures_allowed.csv: file, number with unit (`*` for all of a file), why."""

import csv
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
from measured.markers import FENCE, HOST, MARKER, unmatched  # pylint: disable=wrong-import-position

ALLOWED = "tests/dist/figures_allowed.csv"
# Without KiB, MiB and GiB: sizes and limits use these, while the output of the program is decimal.
UNITS = "%|[fpnum]?s|min|h|[kMGT]?B/s|[kKMGTP]?B|[MGTP]?FLOPS?|[kMG]Hz|seconds|minutes|hours"
NUMBER = re.compile(rf"(?<![\w.-])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)? ?(?:{UNITS})(?![\w/])")
CODE_FENCES = ("sh", "bash", "console", "yaml", "cpp", "c++", "python", "cmake", "json")  # commands and files, no outputs
SH_COMMAND = re.compile(r"`(?:build/)?(?:tahoma|scripts/\w+) [^`]*`|`--[^`]*`", re.DOTALL)


def blanked(page):
    """The page without the parts that need no marker, at unchanged lines: marked figures, links, commands and files."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])

    for pattern in (MARKER, HOST):
        page = pattern.sub(blank, page)
    page = FENCE.sub(lambda match: blank(match) if match[0].split("\n")[0].strip("` ") in CODE_FENCES else match[0], page)
    return SH_COMMAND.sub(blank, re.sub(r"\]\([^)]*\)", blank, page))


def allowed(repo):
    """{file: {number: reason}}"""
    found = {}
    if ALLOWED in repo.files:
        for row in csv.DictReader(repo.text(ALLOWED).splitlines()):
            found.setdefault(row["file"], {})[row["number"]] = row["reason"]
    return found


def findings(repo):
    reasons = allowed(repo)
    found, used = [], set()
    for name in repo.matching(".md"):
        page = repo.text(name)
        found += unmatched(name, page)
        rest = blanked(page)
        for match in NUMBER.finditer(rest):
            keys = [key for key in (match[0], "*") if key in reasons.get(name, {})]
            used |= {(name, key) for key in keys}
            if not keys:
                found.append(f"{name}:{rest.count(chr(10), 0, match.start()) + 1}: {match[0]} has no marker "
                             f"(scripts/measured/README.md), and {ALLOWED} has no reason for it")
    for name, numbers in reasons.items():
        for number, reason in numbers.items():
            if (name, number) not in used:
                found.append(f"{ALLOWED}: {name} no longer contains {number}")
            elif len(reason.split()) < 3:
                found.append(f"{ALLOWED}: {name}: {number}: a reason is a sentence")
    return found
