# SPDX-License-Identifier: Apache-2.0
"""Claims of reliability: their declarations, their evidence, and the page that shows what was found and when."""

import datetime
import json
import re
import subprocess

import yaml

from measured.problem import Problem

DECLARED, RECORD, PAGE = "tests/claims/claims.yaml", "tests/claims/record.json", "tests/claims.md"
KEYS = {"id", "claim", "figure", "tests", "commands", "missing"}


def declared(root):
    claims = yaml.safe_load((root / DECLARED).read_text(encoding="utf-8"))
    for claim in claims:
        name = claim.get("id", "a claim without id")
        if unknown := set(claim) - KEYS:
            raise Problem(f"{DECLARED}: {name}: unknown key '{sorted(unknown)[0]}'; expected {', '.join(sorted(KEYS))}")
        if absent := {"id", "claim", "figure"} - set(claim):
            raise Problem(f"{DECLARED}: {name}: key '{sorted(absent)[0]}' is missing")
        if not claim.get("tests") and not claim.get("commands") and not claim.get("missing"):
            raise Problem(f"{DECLARED}: {name}: expected tests, commands, or what is missing")
    return claims


def recorded(root):
    path = root / RECORD
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def test_names(build):
    listed = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        raise Problem(f"{build}: ctest lists no tests; scripts/test builds them")
    return [test["name"] for test in json.loads(listed.stdout)["tests"]]


def selected(claim, names):
    """The tests of a claim. A pattern that no test has shows nothing, so it is an error."""
    found = []
    for pattern in claim.get("tests", []):
        matching = [name for name in names if re.search(pattern, name)]
        if not matching:
            raise Problem(f"{DECLARED}: {claim['id']}: no test is named like '{pattern}'")
        found += [name for name in matching if name not in found]
    return found


def tests_hold(claim, names, build, jobs):
    """(whether all passed, a figure)."""
    wanted = selected(claim, names)
    pattern = "|".join(f"^{re.escape(name)}$".replace(r"\ ", " ") for name in wanted)
    ended = subprocess.run(["ctest", "--test-dir", str(build), "--no-tests=error", "-j", str(jobs), "-R", pattern],
                           capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    counts = re.search(r"(\d+) tests failed out of (\d+)", ended.stdout)
    if not counts or int(counts.group(2)) != len(wanted):
        raise Problem(f"{claim['id']}: ctest did not run the {len(wanted)} tests:\n{ended.stdout[-500:]}{ended.stderr[-500:]}")
    failed = int(counts.group(1))
    return failed == 0 and ended.returncode == 0, f"{len(wanted) - failed} of {len(wanted)} tests pass"


def command_holds(command, root, build):
    """(whether it ends with status 0, its last line; of its errors if it fails)."""
    ended = subprocess.run(command.format(tahoma=build / "tahoma", build=build).split(), cwd=root, capture_output=True, text=True, check=False)
    told = ended.stderr if ended.returncode != 0 and ended.stderr.strip() else ended.stdout
    lines = [line for line in told.splitlines() if line.strip()]
    return ended.returncode == 0, lines[-1].strip() if lines else f"exit status {ended.returncode}"


def run(claim, root, build, names, jobs):
    """The record of a claim: whether everything that shows it holds, the figures, and the date."""
    results = []
    if claim.get("tests"):
        results.append(tests_hold(claim, names, build, jobs))
    results += [command_holds(command, root, build) for command in claim.get("commands", [])]
    return {"holds": all(holds for holds, _ in results), "figures": [figure for _, figure in results],
            "date": datetime.date.today().isoformat()}


def verdict(claim, record):
    if not claim.get("tests") and not claim.get("commands"):
        return "not shown"
    if record is None:
        return "not run"
    if not record["holds"]:
        return "**does not hold**"
    return "in part" if claim.get("missing") else "holds"


def page(claims, record):
    lines = ["# Claims", "",
             "What we claim of the reliability of the program, and what shows it. `scripts/claims --write` makes this page; "
             "`scripts/claims R3` runs one claim and exits with status 1 if it does not hold. The tests and commands of each claim are "
             "in [claims.yaml](claims/claims.yaml).", "",
             "| | claim | figure claimed | verdict | shown | not shown yet | date |", "|---|---|---|---|---|---|---|"]
    for claim in claims:
        known = record.get(claim["id"])
        lines.append("| " + " | ".join([claim["id"], claim["claim"], claim["figure"], verdict(claim, known),
                                        "; ".join(known["figures"]) if known else "", claim.get("missing", ""),
                                        known["date"] if known else ""]) + " |")
    return "\n".join(lines) + "\n"
