#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Fuzzes the parsers of all input files with libFuzzer under the address and undefined-behaviour sanitizers.

    parsers.py --program build-fuzz/tests/fuzz/parsers/fuzz_parsers [--parser NAME]... [--seconds S] [--corpus DIR] [--record]

Build the program with: cmake --preset fuzz && cmake --build --preset fuzz. Each parser starts from files of the repository, from
the inputs in parsers/kept, and from what --corpus has of earlier runs. A line for each parser tells executions, edges of the
code that they reached, and findings; the inputs of findings are written to the folder --findings. --record adds the executions
to parsers/executions.csv; --recorded prints that file's sums and runs nothing.

The status is 1 if there are findings.
"""

import argparse
import csv
import datetime
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE / "parsers"))
import seeds  # noqa: E402

RECORD = HERE / "parsers" / "executions.csv"
COLUMNS = ["date", "parser", "seconds", "executions", "edges", "findings"]
# Limits of one input: a second's work is a hang when the suite of fuzzers shares a host with others, so ten are allowed.
LIMITS = ["-timeout=10", "-rss_limit_mb=2048", "-max_len=20000", "-print_final_stats=1", "-verbosity=1"]
SANITIZERS = {"ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=0", "UBSAN_OPTIONS": "print_stacktrace=1"}


def names_of(program):
    told = subprocess.run([program], capture_output=True, text=True, check=False, env={**os.environ, "TAHOMA_FUZZ_PARSER": "?"})
    found = re.search(r"expected one of (.*)", told.stderr)
    if not found:
        sys.exit(f"parsers.py: {program} is no fuzzer of parsers: {told.stderr.strip()[:200]}")
    return found.group(1).split()


def kept_folder(parser):
    return HERE / "parsers" / "kept" / parser


def fuzz(program, parser, seconds, corpus, findings):
    """Runs one parser; returns a row of the record and what was found."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if pathlib.Path("/dev/shm").is_dir() else None) as name:
        folder = pathlib.Path(name)
        for part in ("seeds", "work", "corpus"):
            (folder / part).mkdir()
        if not kept_folder(parser).is_dir():
            sys.exit(f"parsers.py: {parser} has no inputs in parsers/kept")
        seeds.write(ROOT, folder / "seeds", parser)
        grown = (corpus / parser if corpus else folder / "corpus").resolve()
        grown.mkdir(parents=True, exist_ok=True)
        findings.mkdir(parents=True, exist_ok=True)
        inputs = [grown, folder / "seeds", kept_folder(parser)]
        words = [program, *LIMITS, f"-max_total_time={seconds}", f"-artifact_prefix={findings.resolve()}/{parser}-", *map(str, inputs)]
        ended = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False, stdin=subprocess.DEVNULL,
                               cwd=folder / "work", env={**os.environ, **SANITIZERS, "TAHOMA_FUZZ_PARSER": parser})
    return row_of(parser, seconds, ended)


def row_of(parser, seconds, ended):
    executions = re.search(r"stat::number_of_executed_units: (\d+)", ended.stderr)
    edges = re.findall(r"cov: (\d+)", ended.stderr)
    found = []
    if ended.returncode != 0 or not executions or not edges:
        told = re.search(r"(==\d+==\s*ERROR: .*|.*runtime error: .*|SUMMARY: .*|terminate called.*|.*what\(\): .*)", ended.stderr)
        artifact = re.search(r"Test unit written to (\S+)", ended.stderr)
        found.append(f"{parser}: exit status {ended.returncode}: {told.group(1) if told else ended.stderr.strip()[-300:]}"
                     f"{'; input ' + artifact.group(1) if artifact else ''}")
    row = {"date": datetime.date.today().isoformat(), "parser": parser, "seconds": seconds,
           "executions": int(executions.group(1)) if executions else 0, "edges": int(edges[-1]) if edges else 0, "findings": len(found)}
    return row, found


def recorded():
    if not RECORD.is_file():
        return []
    with RECORD.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def summary(rows):
    """One line about all recorded runs. A run with findings counts: they were mended since, and their inputs are kept."""
    sums = {}
    for row in rows:
        sums[row["parser"]] = sums.get(row["parser"], 0) + int(row["executions"])
    if not sums:
        return "no recorded executions"
    least = min(sums, key=sums.get)
    return f"{len(sums)} parsers, {sum(sums.values()):,} recorded executions; fewest {sums[least]:,} ({least})"


def record(row):
    rows = [*recorded(), row]
    with RECORD.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def arguments_of(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program")
    parser.add_argument("--parser", action="append")
    parser.add_argument("--seconds", type=int, default=60, help="of each parser; default 60")
    parser.add_argument("--corpus", type=pathlib.Path, help="a folder that keeps the inputs of all runs")
    parser.add_argument("--findings", type=pathlib.Path, default=pathlib.Path("out-fuzz"))
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--recorded", action="store_true")
    arguments = parser.parse_args(words)
    if not arguments.recorded and (not arguments.program or not shutil.which(arguments.program)):
        parser.error("--program: expected the fuzzer: cmake --preset fuzz && cmake --build --preset fuzz")
    return arguments


def main(words=None):
    arguments = arguments_of(words)
    if arguments.recorded:
        print(summary(recorded()))
        return 0 if recorded() else 1
    program = str(pathlib.Path(arguments.program).resolve())
    known = names_of(program)
    if unknown := [name for name in arguments.parser or [] if name not in known]:
        sys.exit(f"parsers.py: unknown parser '{unknown[0]}'; expected one of {', '.join(known)}")
    rows, findings = [], []
    for parser in arguments.parser or known:
        row, found = fuzz(program, parser, arguments.seconds, arguments.corpus, arguments.findings)
        print(f"{parser:12} {row['executions']:>12,} executions  {row['edges']:>6} edges  {row['findings']} findings", flush=True)
        for line in found:
            print(f"  {line}", flush=True)
        rows.append(row)
        findings += found
        if arguments.record:
            record(row)
    print(f"{len(rows)} parsers, {sum(row['executions'] for row in rows):,} executions, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
