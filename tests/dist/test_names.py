# SPDX-License-Identifier: Apache-2.0
"""Test names say "subject: law", and ctest and Catch2 can carry them: no semicolon (CMake's list separator), no leading
'-' (Catch2 would take it for an option), no name twice (ctest would run one of them)."""

import re

CASE = re.compile(r'^\s*(?:TEST_CASE|SCENARIO)\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)', re.MULTILINE)
PIECE = re.compile(r'"((?:[^"\\]|\\.)*)"')


def cases(repo):
    """(place, name) of every test case."""
    for file in repo.matching("_test.cpp", under="tests/"):
        for match in CASE.finditer(repo.text(file)):
            line = repo.text(file).count("\n", 0, match.start(1)) + 1
            yield f"{file}:{line}", "".join(PIECE.findall(match.group(1)))


def findings(repo):
    found, seen = [], {}
    for place, name in cases(repo):
        if name.startswith("-") or ";" in name:
            found.append(f"{place}: '{name}' begins with '-' or has a semicolon")
        if not re.match(r"[^:]+: \S", name):
            found.append(f"{place}: '{name}' does not read 'subject: law'")
        if name in seen:
            found.append(f"{place}: '{name}' is also the name of {seen[name]}")
        seen[name] = place
    return found
