# SPDX-License-Identifier: Apache-2.0
"""Every error code that a source can raise is documented once and provoked by a test; no code is documented that no
source raises."""

import re

from repo import ROOMS

CODE = re.compile(r"\bE-[A-Z]{3}-\d{3}\b")
ROW = re.compile(r"^\| `?(E-[A-Z]{3}-\d{3})`? \|", re.MULTILINE)  # a row of an error table
PROVOKING = ("tests/unit/", "tests/component/", "tests/property/", "tests/rtl/", "tests/system/", "tests/nki/", "tests/graph/", "tests/python/", "tests/parallel/", "tests/install/",
             "tests/sweep/")


def codes(repo, names):
    """Maps each code to the first place that names it."""
    places = {}
    for name in names:
        for match in CODE.finditer(repo.text(name)):
            line = repo.text(name).count("\n", 0, match.start()) + 1
            places.setdefault(match.group(), f"{name}:{line}")
    return places


def explained_twice(repo):
    """Returns codes with rows in two tables: one code with two meanings."""
    rows = {}
    for name in repo.matching(".md"):
        for match in ROW.finditer(repo.text(name)):
            rows.setdefault(match.group(1), []).append(name)
    return [f"{names[1]}: {code} has a row in {names[0]} as well" for code, names in rows.items() if len(names) > 1]


def without_comments(text):
    return re.sub(r"//[^\n]*|^\s*#[^\n]*", "", text, flags=re.MULTILINE)


def findings(repo):
    sources = [name for name in repo.matching(".h", ".cpp", ".inc", ".def", ".py") if name.startswith(ROOMS)]
    executed = {code for name in sources for code in CODE.findall(without_comments(repo.text(name)))}
    raised = {code: place for code, place in codes(repo, sources).items() if code in executed}
    documented = codes(repo, repo.matching(".md"))
    tested = codes(repo, [name for name in repo.matching(".cpp", ".py") if name.startswith(PROVOKING)])
    found = [f"{place}: {code} is in no README" for code, place in raised.items() if code not in documented]
    found += [f"{place}: no test provokes {code}" for code, place in raised.items() if code not in tested]
    found += [f"{place}: {code} is documented, but nothing raises it"
              for code, place in documented.items() if code not in raised]
    return sorted(found + explained_twice(repo))
