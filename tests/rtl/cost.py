#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the time that the RTL adds to continuous integration on a machine that has never built it.

    cost.py --build build [--cores 2]

Reads the duration of each build step (.ninja_log; the longest, if a step was repeated) and of each test with the label
`rtl` (from ctest's record of earlier runs), and prints their sums divided by the cores. Not included: the seconds for which
Verilator itself runs when CMake configures."""

import argparse
import json
import pathlib
import subprocess

PLACES = ("model/rtl/", "tests/rtl/", "tests/CMakeFiles/test_rtl.dir/", "tests/test_rtl", "CMakeFiles/tahoma_verilated.dir/")
KINDS = ("compiling Verilator's code", "compiling and linking the rest", "tests")


def steps(build):
    """(kind, seconds) of each step of the RTL's part of `all`: the outputs of one step share its times and its hash."""
    wanted = set(subprocess.run(["ninja", "-C", build, "-t", "inputs", "all"], check=True, capture_output=True,
                                text=True).stdout.splitlines())
    longest = {}
    for line in (pathlib.Path(build) / ".ninja_log").read_text().splitlines()[1:]:
        start, end, _, output, step = line.split("\t")
        if output.startswith(PLACES) and output in wanted:
            seconds = (int(end) - int(start)) / 1000
            name, before = longest.get(step, (output, 0.0))
            longest[step] = (name, max(seconds, before))
    for output, seconds in longest.values():
        verilated = "/Unity/" in output or "tahoma_verilated.dir" in output
        yield KINDS[0] if verilated else KINDS[1], seconds


def test_times(build):
    """Returns the seconds of each test of the label, averaged over its runs."""
    listing = subprocess.run(["ctest", "--test-dir", build, "-L", "rtl", "--show-only=json-v1"], check=True,
                             capture_output=True, text=True).stdout
    names = {test["name"] for test in json.loads(listing)["tests"]}
    costs = {}
    for line in (pathlib.Path(build) / "Testing/Temporary/CTestCostData.txt").read_text().splitlines():
        if line == "---":
            break
        name, _, seconds = line.rsplit(" ", 2)
        costs[name] = float(seconds)
    missing = sorted(names - costs.keys())
    if missing:
        raise SystemExit(f"{len(missing)} of {len(names)} tests have not run yet, {missing[0]!r} for one; "
                         f"run ctest --test-dir {build} -L rtl first")
    return [costs[name] for name in names]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--cores", type=int, default=2)
    options = parser.parse_args()
    sums = dict.fromkeys(KINDS, 0.0)
    for kind, seconds in steps(options.build):
        sums[kind] += seconds
    sums[KINDS[2]] = sum(test_times(options.build))
    for kind, seconds in sums.items():
        print(f"{kind:32} {seconds:7.1f} s")
    print(f"{'on ' + str(options.cores) + ' cores':32} {sum(sums.values()) / options.cores / 60:7.1f} min")


if __name__ == "__main__":
    main()
