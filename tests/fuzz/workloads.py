#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Random workloads of every kind with legal sizes, on machines of all generations.

    workloads.py --binary PATH [--cases N] [--seed S] [--kind KIND]... [--presets] [--found] [--jobs N] [--record]

Each case is run with values, golden check and both program checks, and again in timing mode: the times must be equal. Every
REPEATED_EVERY-th case is run a third time in another environment: its files must be equal. --presets leaves the parameters of
the machines as they are.

A case passes if it ends with exit status 0, or with 2 or 3 and an error code: some combinations of sizes are refused. Anything
else is a finding: a wrong value, a race, a read of what nothing wrote, a deadlock, an invariant, a signal. So is a kind of
which most cases are refused, because they test nothing. The case of a finding is printed with its command; one seed always
gives the same cases.
"""

import argparse
import collections
import concurrent.futures
import csv
import datetime
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

import legal_values
import machines
from generators import KINDS, WITHOUT_SIZES

MOST_REFUSED = 0.5  # share of the cases of a kind
REPEATED_EVERY = 5
SECONDS = 600  # of one run, by far more than any takes
RECORD = pathlib.Path(__file__).resolve().parent / "cases.csv"
COLUMNS = ["date", "seed", "cases", "passed", "refused", "findings"]
OTHER_ENVIRONMENT = {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "MALLOC_PERTURB_": "165", "TAHOMA_PADDING": "x" * 3000}


def case_of(number, seed, kinds, parameters=None):
    """The kind, its parameters, machine and run seed of a case: a function of its number and the seed alone."""
    kind = kinds[number % len(kinds)]
    rng = random.Random(f"{seed}/{number}")
    sizes, run_seed = KINDS[kind](rng), rng.randint(1, 1000)
    preset, settings = machines.machine_of(rng, parameters) if parameters else ("trainium2_one_chip", {})
    return kind, sizes, (preset, settings), run_seed


def words_of(binary, folder, case):
    kind, sizes, (preset, settings), run_seed = case
    file = folder / f"{kind}.yaml"
    file.write_text(f"kind: {kind}\nmachine: {preset}\n", encoding="utf-8")
    words = [binary, "run", str(file), "--seed", str(run_seed), "--no-report"]
    for path, value in [*((f"workload.{path}", value) for path, value in sizes.items()), *settings.items()]:
        words += ["--set", f"{path}={value}"]
    return words


def run(words, environment=None):
    try:
        return subprocess.run(words, capture_output=True, text=True, errors="replace", check=False, timeout=SECONDS,
                              env={**os.environ, **(environment or {})})
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, -1, "", f"ran for more than {SECONDS} s")


def verdict_of(done):
    """passed, refused, or what is wrong."""
    if done.returncode == 0:
        return "passed"
    if done.returncode in (2, 3) and re.search(r"error\[E-(?!RUN-071)", done.stderr):
        return "refused"
    lines = done.stderr.strip().splitlines() or ["no message"]
    return f"exit status {done.returncode}: {lines[0][:300]}"


def time_of(folder):
    return json.loads((folder / "summary.json").read_text(encoding="utf-8"))["simulated_time_ns"]


def differing_file(one, other):
    """The first file that two runs do not have in common, or whose bytes differ; None if there is none."""
    names = sorted({str(path.relative_to(folder)) for folder in (one, other) for path in folder.rglob("*")
                    if path.is_file() and path.name != "manifest.json"})
    return next((name for name in names if not all((folder / name).is_file() for folder in (one, other))
                 or (one / name).read_bytes() != (other / name).read_bytes()), None)


def examine(binary, folder, case, repeated):
    """The verdict of a case in a folder of its own."""
    words = words_of(binary, folder, case)
    first, second, third = (folder / name for name in ("functional", "timing", "repeated"))
    checked = ["--check", "races,uninitialised", "--out", str(first)]
    verdict = verdict_of(run(words + checked))
    if verdict != "passed":
        return verdict, words + checked
    timed = words + ["--mode", "timing", "--out", str(second)]
    verdict = verdict_of(run(timed))
    if verdict != "passed":
        return f"timing mode: {verdict}", timed
    if time_of(first) != time_of(second):
        return f"{time_of(first)} ns in functional and {time_of(second)} ns in timing mode", timed
    if repeated:
        again = words + ["--check", "races,uninitialised", "--out", str(third)]
        done = run(again, OTHER_ENVIRONMENT)
        if done.returncode != 0 or (name := differing_file(first, third)):
            return f"another environment: {verdict_of(done) if done.returncode != 0 else name + ' differs'}", again
    return "passed", words


def known_kinds(binary):
    text = subprocess.run([binary, "params", "kind"], capture_output=True, text=True, check=True).stdout
    return set(re.search(r"one of: ([a-z0-9_, ]+)", text).group(1).split(", "))


def arguments_of():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary")
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", action="append", choices=sorted(KINDS))
    parser.add_argument("--presets", action="store_true", help="one Trainium2 chip as it is, for every case")
    parser.add_argument("--found", action="store_true", help="only the cases of found.json, in which defects were found")
    parser.add_argument("--jobs", type=int, default=1, help="cases at the same time; default 1")
    parser.add_argument("--record", action="store_true", help="add the numbers to cases.csv")
    parser.add_argument("--recorded", action="store_true", help="only print the sums of cases.csv; status 1 below 10,000 without a finding")
    options = parser.parse_args()
    if not options.binary and not options.recorded:
        parser.error("--binary: expected the program")
    return options


def recorded():
    """One line about the recorded runs: all cases, and those since the last finding."""
    with RECORD.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    last = max((n for n, row in enumerate(rows) if int(row["findings"])), default=-1)
    cases, since = (sum(int(row["cases"]) for row in part) for part in (rows, rows[last + 1:]))
    return f"{cases:,} recorded random cases, the last {since:,} without a finding", since


def record(options, total, findings):
    row = [datetime.date.today().isoformat(), options.seed, options.cases, total["passed"],
           total["refused"] + total["refused by a machine"], findings]
    new = not RECORD.is_file()
    with RECORD.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([COLUMNS, row] if new else [row])


def found_cases():
    """The cases in which defects were found, in the form of case_of()."""
    rows = json.loads((pathlib.Path(__file__).parent / "found.json").read_text(encoding="utf-8"))
    return [(row["kind"], row["sizes"], (row["machine"], row["settings"]), row["seed"]) for row in rows]


def main():
    options = arguments_of()
    if options.recorded:
        text, since = recorded()
        print(text)
        sys.exit(0 if since >= 10_000 else 1)
    findings = [f"kind {kind}: no generator" for kind in sorted(known_kinds(options.binary) - set(KINDS) - WITHOUT_SIZES)]
    kinds = options.kind or list(KINDS)
    parameters = None if options.presets else legal_values.declared(options.binary, "machine")
    count = collections.defaultdict(collections.Counter)
    found = found_cases() if options.found else None
    cases = len(found) if found else options.cases

    def one(number):
        case = found[number] if found else case_of(number, options.seed, kinds, parameters)
        with tempfile.TemporaryDirectory() as name:
            verdict, words = examine(options.binary, pathlib.Path(name), case, number % REPEATED_EVERY == 0)
        return number, case, verdict, words

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, case, verdict, words in pool.map(one, range(cases)):
            kind, default = case[0], case[2] == ("trainium2_one_chip", {})
            wrong = verdict not in ("passed", "refused")
            count[kind]["wrong" if wrong else verdict if default or verdict == "passed" else "refused by a machine"] += 1
            if wrong:
                findings.append(f"case {number}, {case[0]} on {case[2][0]}: {verdict}\n  {shlex.join(words)}")
                print(findings[-1], flush=True)
    for kind, verdicts in count.items():
        if verdicts["refused"] > MOST_REFUSED * sum(verdicts.values()):
            findings.append(f"{kind}: {verdicts['refused']} of {sum(verdicts.values())} cases are refused")
            print(findings[-1])
    total = sum(count.values(), collections.Counter())
    if options.record and not found:
        record(options, total, len(findings))
    print(f"{cases} cases of {len(kinds)} kinds, {'found earlier' if found else f'seed {options.seed}'}: {total['passed']} passed, {total['refused']} refused, "
          f"{total['refused by a machine']} refused by a machine, {len(findings)} findings")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
