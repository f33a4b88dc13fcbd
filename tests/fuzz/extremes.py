#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every parameter of a machine at the ends of its range: no run ends with a defect of ours.

    extremes.py --binary PATH [--cases N] [--seed S] [--each] [--parameter PATTERN]... [--jobs N]

A case is one of 20 small workloads with one to five parameters, each `ideal` or at an end of its legal range; most cases take them
from the same part of the machine, or from two parts, because neighbours meet in one law. --each takes every parameter by itself
instead: `ideal`, the low end and the high end, on all 20. Numbers of cores, chips and stacks are the exception: their high ends
describe machines that do not fit into this host. Every run repeats the cases in which defects were found.

A case passes if it ends with exit status 0, or with 2 to 4 or 6 and an error code: some values exclude each other, some runs are
longer than times can be, and some wait for what never comes. A wrong value, an invariant (exit status 5) or a signal is a finding.
One seed always gives the same cases.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import pathlib
import random
import re
import shlex
import sys
import tempfile

import legal_values
import workloads

ONE, SERVER = "trainium2_one_chip", "{extends: trainium2_server, torus: {x: 2, y: 2, z: 1}}"
CASES = [
    ("vector_add", ONE, {"elements": 256_000}),
    ("gemm", ONE, {"m": 200, "n": 130, "k": 300}),
    ("gemm", ONE, {"m": 256, "n": 256, "k": 512, "dtype": "fp32", "shard.k": 8}),
    ("gemm", SERVER, {"m": 256, "n": 300, "k": 256, "shard.m": 2, "shard.n": 2, "shard.k": 8}),
    ("rms_norm", ONE, {"rows": 200, "columns": 300}),
    ("softmax", ONE, {"rows": 130, "columns": 200}),
    ("attention", ONE, {"heads": 1, "q_len": 128, "kv_len": 256}),
    ("decode", ONE, {"batch": 1, "context": 256}),
    ("conv2d", ONE, {"images": 1, "height": 8, "width": 8}),
    ("transpose", ONE, {"rows": 100, "columns": 200}),
    ("embedding", ONE, {"tokens": 64, "vocabulary": 500, "columns": 128}),
    ("adam", ONE, {"rows": 130, "columns": 200}),
    ("cross_entropy", ONE, {"rows": 64, "columns": 500}),
    ("collective", ONE, {"operation": "all_reduce", "ranks": "cores", "bytes": "16 KiB"}),
    ("collective", SERVER, {"operation": "all_reduce", "bytes": "16 KiB"}),
    ("collective", SERVER, {"operation": "all_gather", "bytes": "64 KiB", "algorithm": "mesh"}),
    ("collective", SERVER, {"operation": "reduce_scatter", "ranks": "cores", "bytes": "64 KiB"}),
    ("collective", SERVER, {"operation": "all_to_all", "counts": "random", "bytes": "16 KiB"}),
    ("collective", SERVER, {"operation": "permute", "bytes": "256 KiB"}),
    ("collective", SERVER, {"operation": "barrier"}),
]
NOC = {"machine.chip.noc.request": "ideal", "machine.chip.noc.response": "ideal"}
# A write that waits for room is accepted in the past of the engine that learns of it.
FOUND = [
    (CASES[0], {**NOC, "machine.chip.hbm.dram.write_queue": 64}),
    (CASES[0], {"machine.chip.noc.request": "0 ns", "machine.chip.noc.response": "0 ns", "machine.chip.hbm.dram.write_queue": 64}),
    (CASES[17], {**NOC, "machine.chip.hbm.dram.write_queue": 64}),
]
# What decides how much of this host a machine needs, and texts.
EXTENT = ("machine.torus", "machine.servers", "machine.chip.cores", "machine.chip.hbm.stacks", "machine.chip.hbm.dram.channels",
          "machine.chip.hbm.capacity")


def values_of(row):
    """`ideal` and the ends of the range, or all choices."""
    if row["type"] == "switch":
        return ["true", "false"]
    if row["type"] == "text":
        choices = re.match(r"one of: (.*)", row["range"])
        return choices.group(1).split(", ") if choices else []
    ends = row["range"].split(" .. ")
    if row["path"].startswith(EXTENT):
        ends = ends[:1]
    return (["ideal"] if row.get("may_be_ideal") else []) + ends


def part_of(row):
    return row["path"].rpartition(".")[0]


def settings_of(number, seed, rows):
    """The settings of a case: a function of its number and the seed alone."""
    rng = random.Random(f"{seed}/{number}")
    if rng.random() < 0.8:
        parts = [part_of(row) for row in rng.sample(rows, min(len(rows), 2))]
        rows = [row for row in rows if part_of(row) in parts]
    return {row["path"]: rng.choice(values_of(row)) for row in rng.sample(rows, min(len(rows), rng.randint(1, 5)))}


def words_of(binary, folder, case, settings):
    kind, machine, sizes = case
    file = folder / f"{kind}.yaml"
    file.write_text(f"kind: {kind}\nmachine: {machine}\n", encoding="utf-8")
    words = [binary, "run", str(file), "--no-report", "--out", str(folder / "out")]
    for path, value in [*((f"workload.{path}", value) for path, value in sizes.items()), *settings.items()]:
        words += ["--set", f"{path}={value}"]
    return words


def verdict_of(done):
    if done.returncode in (4, 6) and re.search(r"error\[E-", done.stderr):
        return "ended"
    return workloads.verdict_of(done)


def examine(binary, case, settings):
    with tempfile.TemporaryDirectory() as name:
        words = words_of(binary, pathlib.Path(name), case, settings)
        return verdict_of(workloads.run(words)), words


def inputs_of(options, rows):
    """Pairs of a workload and settings, one after another."""
    if options.each:
        return [(case, {row["path"]: value}) for row in rows for value in values_of(row) for case in CASES]
    return FOUND + [(CASES[n % len(CASES)], settings_of(n, options.seed, rows)) for n in range(options.cases)]


def arguments_of():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", action="store_true", help="every parameter by itself, on every workload")
    parser.add_argument("--parameter", action="append", default=[], metavar="PATTERN", help="only such parameters, machine.chip.noc.*")
    parser.add_argument("--jobs", type=int, default=1, help="cases at the same time; default 1")
    return parser.parse_args()


def main():
    options = arguments_of()
    rows = [row for path, row in legal_values.declared(options.binary, "machine").items() if values_of(row)
            and (not options.parameter or any(fnmatch.fnmatch(path, pattern) for pattern in options.parameter))]
    inputs = inputs_of(options, rows)
    counts, findings = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for verdict, words in pool.map(lambda one: examine(options.binary, *one), inputs):
            if verdict in ("passed", "refused", "ended"):
                counts[verdict] += 1
                continue
            findings += 1
            print(f"FINDING {verdict}\n  {shlex.join(words)}", flush=True)
    print(f"{len(inputs)} cases of {len(rows)} parameters: " + ", ".join(f"{n} {what}" for what, n in sorted(counts.items()))
          + f", {findings} findings")
    untested = len(inputs) > 0 and counts["passed"] < len(inputs) / 4
    if untested:
        print("most cases were refused, so that they test little")
    return 1 if findings or untested else 0


if __name__ == "__main__":
    sys.exit(main())
