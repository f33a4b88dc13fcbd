#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The same case gives the same bytes, wherever and however it runs.

    same_bytes.py --binary PATH [--other PATH]... [--simd LIBRARY] [--builds-only] [--seconds S] [--list] [CASE.yaml]...

Each case is run once as it is, and once under every condition below and by every other build. With the library of
simd_target.cpp, also with the vector instructions of plainer processors. The table at the end has a row for each of these. Every file of the results but
manifest.json, which names the host and the time, must have the same SHA-256. Without cases: all of workloads/ that one run of at
most S seconds shows to be short enough.
"""

import argparse
import contextlib
import hashlib
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

WORKLOADS = pathlib.Path(__file__).resolve().parents[2] / "workloads"
OPTIONS = ["--trace", "--explain"]
VALUES = ["--save-outputs"]  # of a case that computes values
TIMING = re.compile("^mode: timing$", re.MULTILINE)
OTHER_COMMANDS = re.compile("^(accuracy|cases|cluster|serving|sweep):", re.MULTILINE)  # files that tahoma run does not take
PREPARED = re.compile(r"\.\./out-")  # inputs that a script of the tutorial writes first
VARYING = {"manifest.json"}
HELD_BY = {"aslr": "setarch", "one processor": "taskset", "little stack": "prlimit"}  # condition -> the tool that it needs


def condition(prefix=(), folder=None, out="out", **environment):
    return {"prefix": list(prefix), "folder": folder, "out": out, "environment": environment}


CONDITIONS = {
    "again": condition(),
    "another working directory": condition(folder="/"),
    "a long path": condition(out="/".join(["x" * 200] * 4)),
    "another locale": condition(LC_ALL="POSIX" if os.environ.get("LC_ALL") == "C.UTF-8" else "C.UTF-8", LANG="de_DE.UTF-8"),
    "another time zone": condition(TZ="Pacific/Chatham"),
    "a large environment": condition(**{f"TAHOMA_UNUSED_{n}": "x" * 1000 for n in range(100)}),
    "memory filled with junk": condition(MALLOC_CONF="junk:true", MALLOC_PERTURB_="85"),
    "aslr": condition(["setarch", "-R"]),
    "one processor": condition(["taskset", "-c", "0"]),
    "little stack": condition(["prlimit", "--stack=1048576"]),
}


SIMD_TARGETS = 6  # of a host with AVX-512: AVX3_DL, AVX3, AVX2, SSE4, SSSE3 and none; plainer hosts repeat the last one


def simd_conditions(library):
    """The host without its n best sets of vector instructions."""
    return {f"vector instructions, {n} sets fewer": condition(LD_PRELOAD=str(library.resolve()), TAHOMA_SIMD_TARGET=str(n))
            for n in range(1, SIMD_TARGETS)} if library else {}


# The parts that another version of a library writes otherwise: SQLite leaves other bytes in the unused parts of pages, and the page
# contains the charting library of its Debian.
CHARTS = re.compile(rb"/\*!\s*\* Chart\.js v.*?</script>", re.DOTALL)


def rows_of(database):
    with contextlib.closing(sqlite3.connect(":memory:")) as store:  # SQLite opens no path that is longer than 512 bytes
        store.deserialize(database.read_bytes())
        return repr(list(store.iterdump())).encode()


PORTABLE = {"stats.db": rows_of, "report.html": lambda page: CHARTS.sub(b"", page.read_bytes())}


def portable(result):
    """The result of a run without the bytes of the files that are also known by their content."""
    return result[0], {name: digest for name, digest in result[1].items() if name not in PORTABLE}


def digests(folder, contents):
    """File -> SHA-256, of every file of a run but those that name the host; with `contents`, also of those of PORTABLE ones."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and name not in VARYING:
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
            if contents and name in PORTABLE:
                found[f"{name} (content)"] = hashlib.sha256(PORTABLE[name](path)).hexdigest()
    return found


def options_of(case):
    return OPTIONS if case.is_file() and TIMING.search(case.read_text()) else OPTIONS + VALUES


def run(binary, case, how, scratch, contents, limit=None):
    """(exit status, digests of the results)."""
    out = pathlib.Path(scratch) / how["out"]
    shutil.rmtree(pathlib.Path(scratch) / how["out"].split("/")[0], ignore_errors=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    command = [*how["prefix"], str(binary), "run", str(case), "--out", str(out), *options_of(case)]
    ended = subprocess.run(command, cwd=how["folder"] or scratch, env={**os.environ, **how["environment"]},
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=limit, check=False)
    return ended.returncode, digests(out, contents) if out.is_dir() else {}


def differences(case, name, want, got):
    if want == got:
        return []
    if want[0] != got[0]:
        return [f"{case}: {name}: exit status {got[0]}, without it {want[0]}"]
    files = sorted(file for file in want[1].keys() | got[1].keys() if want[1].get(file) != got[1].get(file))
    return [f"{case}: {name}: other bytes in {', '.join(files)}"]


def check(binary, others, systems, conditions, case, limit):
    """(condition -> findings), or None for a case that takes longer than the limit."""
    found, contents = {}, bool(systems)
    with tempfile.TemporaryDirectory(prefix="tahoma-same-") as scratch:
        try:
            want = run(binary, case, condition(), scratch, contents, limit)
        except subprocess.TimeoutExpired:
            return None
        if not want[1]:
            return {"as it is": [f"{case}: no results, exit status {want[0]}"]}
        for name, how in conditions.items():
            if name in HELD_BY and shutil.which(HELD_BY[name]) is None:
                continue
            found[name] = differences(case, name, want, run(binary, case, how, scratch, contents))
        for other in others:
            found[f"by {other}"] = differences(case, f"by {other}", want, run(other, case, condition(), scratch, contents))
        for other in systems:
            got = portable(run(other, case, condition(), scratch, contents))
            found[f"by {other}"] = differences(case, f"by {other}", portable(want), got)
    return found


def cases_of(given):
    if given:
        return [pathlib.Path(name).resolve() for name in given]
    return [path for path in sorted(WORKLOADS.glob("*/*.yaml"))
            if path.parent.name not in ("regression", "accuracy") and not OTHER_COMMANDS.search(path.read_text()) and
            not PREPARED.search(path.read_text())]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, required=True)
    parser.add_argument("--other", type=pathlib.Path, action="append", default=[], help="a program of another build; repeatable")
    parser.add_argument("--other-system", type=pathlib.Path, action="append", default=[],
                        help="a program of another system: equal but for what its SQLite and its charting library write; repeatable")
    parser.add_argument("--simd", type=pathlib.Path, help="the library of simd_target.cpp")
    parser.add_argument("--builds-only", action="store_true", help="only the other builds, none of the conditions")
    parser.add_argument("--seconds", type=float, help="omit cases that run for longer")
    parser.add_argument("--list", action="store_true", help="print each case as it ends")
    parser.add_argument("case", nargs="*")
    given = parser.parse_args()
    conditions = {} if given.builds_only else {**CONDITIONS, **simd_conditions(given.simd)}
    found, rows, ran, omitted = [], {}, 0, 0
    for case in cases_of(given.case):
        result = check(given.binary.resolve(), [other.resolve() for other in given.other],
                       [other.resolve() for other in given.other_system], conditions, case, given.seconds)
        if result is None:
            omitted += 1
            continue
        ran += 1
        for name, findings in result.items():
            equal, compared = rows.get(name, (0, 0))
            rows[name] = equal + (not findings), compared + 1
            found += findings
        if given.list:
            print(f"{case.parent.name}/{case.name}: {sum(map(len, result.values()))} findings", flush=True)
    for name, (equal, compared) in rows.items():
        print(f"{name:40} {equal} of {compared} cases equal")
    compared = sum(compared for name, (_, compared) in rows.items() if name != "as it is")
    print("\n".join(found + [f"{ran} cases, {len(rows)} conditions, {compared} comparisons, {omitted} omitted, {len(found)} findings"]))
    sys.exit(1 if found or not ran else 0)


if __name__ == "__main__":
    main()
