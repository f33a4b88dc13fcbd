#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Line and toggle coverage of the RTL under random traffic, counted by Verilator.

    coverage.py --program build/tests/rtl/rtl_coverage [--annotate FOLDER]

Runs the program, which writes two files of counts, prints a line for each source and the points never reached, and fails below 95 % of the lines and 90 %
of the toggles. --annotate leaves the sources there with a count before each line, by verilator_coverage."""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

INDICES = r"\[[0-9]+\](?=[\[ ])"  # the index of a bit, not of an instance
GOALS = {"line": 95.0, "toggle": 90.0}


def points(text):
    """Yields (kind, source, line, what, count) for every point that Verilator counts; branches are lines, too."""
    for record in text.splitlines():
        if not record.startswith("C '"):
            continue
        keys, count = record[3:].rsplit("' ", 1)
        fields = dict(field.split("\x02", 1) for field in keys.split("\x01") if "\x02" in field)
        page = fields.get("page", "").split("/")[0].removeprefix("v_")
        kind = "line" if page == "branch" else page
        what = fields.get("o", "") + " " + fields.get("h", "")
        yield kind, pathlib.Path(fields["f"]).name, int(fields["l"]), what, int(count)


def report(text):
    reached, total, missing = collections.Counter(), collections.Counter(), collections.Counter()
    for kind, source, line, what, count in points(text):
        for key in ((kind, source), (kind, "all")):
            total[key] += 1
            reached[key] += count > 0
        if count == 0:
            missing[f"{kind}: {source}:{line}: {re.sub(INDICES, '', what)}"] += 1
    shares = {key: 100.0 * reached[key] / total[key] for key in total}
    for kind, source in sorted(shares):
        print(f"{kind:7} {source:16} {reached[kind, source]:6} of {total[kind, source]:6} {shares[kind, source]:6.1f} %")
    for where, bits in sorted(missing.items()):
        print(where if bits == 1 else f"{where}: {bits} bits")
    return [f"{kind} coverage is {shares.get((kind, 'all'), 0.0):.1f} %; expected at least {goal:.0f} %"
            for kind, goal in GOALS.items() if shares.get((kind, "all"), 0.0) < goal]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--annotate")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = [str(pathlib.Path(folder) / name) for name in ("first.dat", "second.dat")]
        subprocess.run([options.program, *data], check=True)
        findings = report("".join(pathlib.Path(name).read_text(encoding="latin-1") for name in data))
        if options.annotate:
            subprocess.run(["verilator_coverage", "--annotate", options.annotate, *data], check=True)
    print("\n".join(findings), file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
