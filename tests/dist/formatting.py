# SPDX-License-Identifier: Apache-2.0
"""Every C++ file is formatted by clang-format-14, and its lines end at 110 columns, comments included. `scripts/format` repairs
the format. Other versions format differently, and Debian 13 has no version 14: there the check is skipped."""

import re
import shutil
import subprocess

PROGRAM = "clang-format-14"
COLUMNS = 110
RAW_STRING = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)  # assembler text and data of tests keep their lines
FINDING = re.compile(r"^(.+?):(\d+):\d+: error:", re.MULTILINE)


def is_available():
    return shutil.which(PROGRAM) is not None


def long_lines(repo, names):
    found = []
    for name in names:
        text = RAW_STRING.sub(lambda match: "\n" * match.group(0).count("\n"), repo.text(name))
        found += [f"{name}:{number}: {len(line)} columns; expected at most {COLUMNS}"
                  for number, line in enumerate(text.split("\n"), 1) if len(line) > COLUMNS]
    return found


def findings(repo):
    names = repo.matching(".h", ".cpp", ".inc", ".def")
    if not names:
        return []
    found = long_lines(repo, names)
    result = subprocess.run([PROGRAM, "--dry-run", "-Werror", *names], cwd=repo.root, capture_output=True,
                            text=True, check=False)
    if result.returncode == 0:
        return found
    first = {}
    for name, line in FINDING.findall(result.stderr):
        first.setdefault(name, line)
    return found + ([f"{name}:{line}: not as {PROGRAM} writes it (scripts/format repairs)" for name, line in first.items()] or
                    [result.stderr])
