# SPDX-License-Identifier: Apache-2.0
"""Test names say "subject: law" and are unique, because ctest knows a test by its name alone."""

import re

CASE = re.compile(r'^\s*(?:TEST_CASE|SCENARIO)\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)', re.MULTILINE)
PIECE = re.compile(r'"((?:[^"\\]|\\.)*)"')


def cases(repo):
    """Returns (place, name) of every test case."""
    for file in repo.matching("_test.cpp", under="tests/"):
        for match in CASE.finditer(repo.text(file)):
            line = repo.text(file).count("\n", 0, match.start(1)) + 1
            yield f"{file}:{line}", "".join(PIECE.findall(match.group(1)))


def findings(repo):
    found, seen = [], {}
    for place, name in cases(repo):
        if not re.match(r"[^:]+: \S", name):
            found.append(f"{place}: '{name}' does not read 'subject: law'")
        if name in seen:
            found.append(f"{place}: '{name}' is also the name of {seen[name]}")
        seen[name] = place
    return found
