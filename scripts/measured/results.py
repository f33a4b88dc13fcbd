# SPDX-License-Identifier: Apache-2.0
"""The table of results: one row for each kernel of workloads/results.yaml. Times and bounds come from runs in timing mode at the
row's size, golden errors from functional runs, for some rows at a smaller size."""

import dataclasses
import re

import yaml

from measured import formats
from measured.problem import Problem
from measured.runs import Run, command_of

HEAD = ["kernel", "size", "dtype", "time", "MFU", "bound", "of bound", "golden error", "allowed"]
SPEC = "results"  # of the marker around the table


@dataclasses.dataclass
class Row:
    name: str
    dtype: str
    golden: dict  # settings on top for the functional run
    timed: Run
    checked: Run  # functional, for the golden error: always slow


def rows_of(file):
    rows = []
    for name, said in yaml.safe_load(file.read_text(encoding="utf-8"))["rows"].items():
        unknown = set(said) - {"case", "dtype", "set", "golden", "slow", "rests_on"}
        if unknown:
            raise Problem(f"{file.name}: row {name}: unknown key {sorted(unknown)[0]}; "
                          "expected case, dtype, set, golden, slow, rests_on")
        settings, golden = said.get("set", {}), said.get("golden", {})
        rests_on = tuple(said.get("rests_on", ()))
        timed = Run(name, command_of(said["case"], "timing", settings), bool(said.get("slow", False)), rests_on=rests_on)
        checked = Run(name, command_of(said["case"], "functional", {**settings, **golden}), True, rests_on=rests_on)
        rows.append(Row(name, said["dtype"], golden, timed, checked))
    return rows


def time_cells(row, run):
    """`run` gives values of summary.json, of a finished run or recorded ones."""
    mfu = run.value("mfu")
    size = re.sub(rf" {row.dtype}\b|,? on 1 cores$", "", run.value("workload"))
    return [row.name, size, row.dtype, formats.written(run.value("time"), "time"), f"{mfu:.1f} %" if mfu >= 0.05 else "-",
            run.value("bound"), f"{run.value('of_bound'):.1f} %"]


def golden_cells(row, run):
    smaller = ", ".join(f"{path.removeprefix('workload.')} {value}" for path, value in row.golden.items())
    size = f" ({smaller})" if smaller else ""
    return [f"{run.value('golden_error'):.2g}{size}", f"{run.value('tolerance'):.2g}"]


def cells(row, result_of):
    return time_cells(row, result_of(row.timed)) + golden_cells(row, result_of(row.checked))


def markdown(table):
    lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in table])


def standing(lines):
    """Returns {kernel: cells} of the table in a page."""
    rows = [line for line in lines if line.startswith("| ")][1:]
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in rows]
    return {row[0]: row for row in found}


def differences(stands, rows, table):
    """Returns the differences between the page and the measurements."""
    found = [f"{name}: is in the page, but no longer a row" for name in stands if name not in {row.name for row in rows}]
    found += [f"{row.name}: is missing in the page" for row in rows if row.name not in stands]
    for new in table:
        old = stands.get(new[0], new)
        found += [f"{new[0]}: {HEAD[i]} is {right}, the page has {was}" for i, (was, right) in enumerate(zip(old, new))
                  if was != right]
    return found
