#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs public NKI kernels, unmodified, from checkouts of their repositories. See README.md beside this file.

    tests/nki/external.py --root DIR --list FILE.csv [--json OUT] [--mode timing] [--jobs N] [--match TEXT]
    tests/nki/external.py --root DIR --all [--json OUT] ...
"""
import argparse
import concurrent.futures
import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PUBLIC = os.path.join(HERE, "public")
PACKAGE = os.path.join(HERE, "..", "..", "frontend", "python", "package")
sys.path.insert(0, PUBLIC)

import all_kernels  # noqa: E402
import interpreter  # noqa: E402
import rows  # noqa: E402
import table  # noqa: E402


def options():
    parser = argparse.ArgumentParser(description="Runs public NKI kernels from checkouts of their repositories.")
    parser.add_argument("--root", required=True, help="folder with nki-library, nki-samples and aws-neuron-sdk, or one of them")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--list", help="CSV with the columns repo, file, kernel (difficulty, needs)")
    which.add_argument("--all", action="store_true", help="every kernel of nki-library")
    parser.add_argument("--json", help="file for the results of every kernel and case")
    parser.add_argument("--mode", choices=("both", "functional", "timing"), default="both",
                        help="both: values in functional mode, time in both, which must agree (default)")
    parser.add_argument("--jobs", type=int, default=1, help="kernels that run at the same time")
    parser.add_argument("--match", default="", help="only kernels whose row contains this text")
    parser.add_argument("--case", default="", help="only tests whose identifier contains this text")
    parser.add_argument("--cases", type=int, default=6, help="most cases of a kernel (default 6)")
    parser.add_argument("--bytes", type=int, default=64 << 20, help="most bytes of a case's inputs (default 64 MiB)")
    parser.add_argument("--seconds", type=float, default=600, help="time limit of a case")
    parser.add_argument("--planning-seconds", type=float, default=90, help="time for finding the smallest cases of a kernel")
    parser.add_argument("--memory", type=int, default=12 << 30, help="most resident memory of a case, in bytes")
    return parser.parse_args()


def environment(given):
    """The environment of a kernel's process: our package, its extension module, the program, and no reports."""
    env = dict(os.environ)
    paths = [PUBLIC, os.path.realpath(PACKAGE)] + rows.build_paths(os.path.join(HERE, "..", ".."))
    env["PYTHONPATH"] = os.pathsep.join(paths + ([env["PYTHONPATH"]] if env.get("PYTHONPATH") else []))
    env.update(TAHOMA_OUT="", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1", PYTHONWARNINGS="ignore")
    return env


def request(row, given, out):
    modes = {"both": ["timing", "functional"], "functional": ["functional"], "timing": ["timing"]}[given.mode]
    return {"name": row.name, "file": row.file, "root": row.root, "repo": row.repo, "hints": row.hints, "modes": modes, "match": given.case,
            "cases": given.cases, "bytes": given.bytes, "seconds": given.seconds, "planning_seconds": given.planning_seconds,
            "memory": given.memory, "out": out}


def run_process(command, env, folder, seconds, log):
    """Runs a command in a session of its own. Returns what went wrong, or ""."""
    with open(log, "ab") as output:
        child = subprocess.Popen(command, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
        try:
            status = child.wait(seconds)
        except subprocess.TimeoutExpired:
            return f"time limit: {seconds:.0f} s for all cases of the kernel"
        finally:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()
    return f"exit status {status}" if status else ""


def run_row(row, given):
    """All cases of a kernel. Never raises: what goes wrong is the kernel's reason."""
    start = time.perf_counter()
    result = {"repo": row.repo, "file": row.file, "kernel": row.kernel, "passed": False, "reason": row.reason, "cases": []}
    if not row.reason:
        with tempfile.TemporaryDirectory(prefix="tahoma-external-") as folder:
            try:
                result.update(row.run(given, folder, request, environment(given), run_process))
            except Exception as mistake:  # a mistake of this tool must not end the others
                result["reason"] = f"{type(mistake).__name__}: {mistake}"
    cases = result["cases"]
    failed = [case for case in cases if not case["passed"]]
    result["passed"] = bool(cases) and not failed
    if failed and not result.get("reason"):
        result["reason"] = failed[0].get("reason", "")
    result["seconds"] = time.perf_counter() - start
    return result


def lines_of(given):
    if given.all:
        return all_kernels.lines_of(given.root)
    with open(given.list, newline="") as file:
        return list(csv.DictReader(file))


def main():
    given = options()
    interpreter.ensure(rows.build_paths(os.path.join(HERE, "..", "..")))
    listed = [rows.row_of(line, given.root) for line in lines_of(given)]
    listed = [row for row in listed if given.match in ",".join((row.repo, row.file, row.kernel))]
    results = [None] * len(listed)
    print(table.HEAD, flush=True)
    with concurrent.futures.ThreadPoolExecutor(max(1, given.jobs)) as pool:
        waiting = {pool.submit(run_row, row, given): n for n, row in enumerate(listed)}
        for done in concurrent.futures.as_completed(waiting):
            results[waiting[done]] = done.result()
            print(table.line(done.result()), flush=True)
            if given.json:
                write(given.json, results, given)
    print(table.summary(results))
    return 0 if results and all(r["passed"] for r in results) else 1


def write(path, results, given):
    with open(path + ".part", "w") as file:
        json.dump({"mode": given.mode, "kernels": [r for r in results if r]}, file, indent=1)
    os.replace(path + ".part", path)


if __name__ == "__main__":
    sys.exit(main())
