#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""No constant of the machine changes unnoticed: a table names the check that detects one step of each parameter.

The parameters are those that `tahoma params machine` lists; this program takes the steps.

    constants.py --binary PATH --table workloads/regression/constants.csv

Columns of the table: parameter, seen_by, to, why. seen_by is
  FILE:CASE   a regression case in the table's folder (FILE.yaml) that must fail: some statistic differs from its golden,
              other than figures that only quote the configuration
  witness     a witness of tests/component/engine/constants_test.cpp, which also reads this table and changes the constant itself
  nobody      it affects no time; why states its effect
`to` names the value to set if the next value is not one step away: a word, a power of two, a size with a threshold.
Without it the parameter moves one step up, and one down if the first is illegal or undetected: a cycle, a count, a byte,
one percent of a rate, and for a time one cycle of the clock in its group, or a nanosecond.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys

COLUMNS = ["parameter", "seen_by", "to", "why"]
UNITS = {"ps": 1e-3, "ns": 1.0, "us": 1e3, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
CORE = "machine.chip.core."
# Figures that quote the configuration or are divided by it: they change with a parameter that affects nothing else.
QUOTES = {"machine", "cores.machine", "flops.peak_tflops", "mfu_estimated_percent", "mbu_estimated_percent",
          "hbm.peak_bandwidth", "hbm.channels.working", "hbm.channels.failed", "links.count"}


def clock_step_ns(path, defaults):
    """Returns a cycle of the clock of the group of `path`; a nanosecond if it has none."""
    if not path.startswith(CORE):
        return 1.0
    number, unit = defaults.get(f"{CORE}{path[len(CORE):].split('.')[0]}.clock",
                                defaults[CORE + "sequencer.clock"]).split()
    return 1.0 / (float(number) * {"MHz": 1e-3, "GHz": 1.0}[unit])


def steps(parameter, defaults):
    """Returns the values one step up and one down, as text; none for words."""
    kind, (number, *unit) = parameter["type"], parameter["default"].split() or [""]
    if number == "ideal" or kind == "text":
        return []
    if kind == "switch":
        return [{"true": "false", "false": "true"}[number]]
    values = []
    for direction in (1, -1):
        if kind in ("count", "cycles"):
            values.append(" ".join([str(int(number) + direction), *unit]))
        elif kind == "size":
            values.append(f"{int(float(number) * UNITS[unit[0]]) + direction} B")
        elif kind == "time":
            ns = float(number) * UNITS[unit[0]] + direction * clock_step_ns(parameter["path"], defaults)
            values.append(f"{ns:.5f} ns")
        else:  # bandwidth, frequency, number
            values.append(" ".join([f"{float(number) * (1 + 0.01 * direction):.6g}", *unit]))
    return [value for value in values if not value.startswith("-")]


def bad_rows(parameters, rows, folder):
    """Returns the faults of the table, before any run."""
    paths = [parameter["path"] for parameter in parameters]
    named = [row["parameter"] for row in rows]
    found = [f"{path}: no row of the table says who sees a step of it" for path in paths if path not in named]
    found += [f"{name}: the machine has no such parameter" for name in named if name not in paths]
    found += [f"{name}: two rows" for name in sorted({name for name in named if named.count(name) > 1})]
    for row in rows:
        seen_by, name = row["seen_by"], row["parameter"]
        if seen_by == "nobody":
            found += [] if row["why"] else [f"{name}: no check detects it, and no reason is given"]
        elif seen_by != "witness" and not (":" in seen_by and (folder / f"{seen_by.split(':')[0]}.yaml").exists()):
            found.append(f"{name}: '{seen_by}' is not FILE:CASE, 'witness' or 'nobody'")
    return found


def turns_red(check, file, case, parameter, value):
    """Returns True or False; None if the value is illegal or the case cannot run with it."""
    page = check(file, case, f"{parameter}={value}")
    if page is None or page["cases"][0]["failure"]:
        return None
    names = {difference["name"] for group in page["cases"][0]["groups"] for difference in group["differences"]}
    return bool(names - QUOTES)


def unseen(parameter, row, defaults, check):
    """Returns the fault that a step of the parameter shows; there is none if the case fails."""
    file, case = row["seen_by"].split(":")
    tried = [row["to"]] if row["to"] else steps(parameter, defaults)
    if row["to"] == parameter["default"]:
        return [f"{parameter['path']}: 'to' is its default, which is no step"]
    outcomes = []
    for value in tried:
        outcomes.append((value, turns_red(check, file, case, parameter["path"], value)))
        if outcomes[-1][1]:
            return []
    said = ", ".join(f"{value} {'is refused' if red is None else 'changes nothing'}" for value, red in outcomes)
    return [f"{parameter['path']}: {row['seen_by']} does not turn red: {said or 'no step of a word: name one in `to`'}"]


def findings(parameters, rows, check):
    defaults = {parameter["path"]: parameter["default"] for parameter in parameters}
    by_path = {parameter["path"]: parameter for parameter in parameters}
    found = []
    for row in rows:
        if ":" in row["seen_by"] and row["parameter"] in by_path:
            found += unseen(by_path[row["parameter"]], row, defaults, check)
    return found


def read_table(path):
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.DictReader(line for line in file if not line.startswith("#"))
        if reader.fieldnames != COLUMNS:
            sys.exit(f"{path}: expected the columns {','.join(COLUMNS)}")
        return list(reader)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--table", type=pathlib.Path, required=True)
    options = parser.parse_args()

    def check(file, case, override):
        done = subprocess.run([options.binary, "check", str(options.table.parent / f"{file}.yaml"), "--case", case,
                               "--set", override, "--format", "json"], capture_output=True, text=True, check=False)
        return json.loads(done.stdout) if done.stdout else None

    listed = subprocess.run([options.binary, "params", "machine", "--format", "json"], capture_output=True, text=True,
                            check=True)
    parameters, rows = json.loads(listed.stdout), read_table(options.table)
    found = bad_rows(parameters, rows, options.table.parent)
    found += findings(parameters, rows, check)
    for line in found:
        print(line)
    print(f"{len(rows)} parameters, {len(found)} findings")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
