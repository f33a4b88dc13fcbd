# SPDX-License-Identifier: Apache-2.0
"""Predicted times for the tests of every family of nki-library: the smallest cases of each test file, or every case that expects a
time. The times that tests expect are not kept."""
import concurrent.futures
import csv
import json
import os
import subprocess
import sys
import tempfile

import cases
import rows

EVERY = 0  # cases of a test file: all that expect a time
HEAD = ("test_file", "test", "parameters", "kernel", "lnc", "device_us", "predicted_us", "reason")


def test_files(root):
    found = []
    for folder, _, names in os.walk(os.path.join(root, "test", "integration")):
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names if name.startswith("test_") and name.endswith(".py")]
    return sorted(found)


def predicted(path, root, given, launch_us):
    """Rows of one test file."""
    every = given.tests == EVERY
    with tempfile.TemporaryDirectory(prefix="tahoma-predict-") as folder:
        out = os.path.join(os.path.abspath(given.out) if every else folder, os.path.basename(path) + ".json")
        os.makedirs(os.path.dirname(out), exist_ok=True)
        request = {"name": "", "match": "", "hints": [], "modes": ["timing"], "every": every, "cases": given.tests, "bytes": 64 << 20,
                   "seconds": given.seconds, "planning_seconds": 60, "memory": given.memory, "out": out}
        with open(os.path.join(folder, "request.json"), "w") as file:
            json.dump(request, file)
        try:
            cases.run_process(cases.command(root, path), cases.environment([root, os.path.join(root, "src")], folder), folder,
                              None if every else given.tests * given.seconds + 300)
        except subprocess.TimeoutExpired:
            return [(path, "", "", "", "", "", "", "time limit")]
        if not os.path.exists(out):
            return [(path, "", "", "", "", "", "", rows.wrong_start("", os.path.join(folder, "log"), out + ".collect.log")[:200])]
        with open(out) as file:
            result = json.load(file)
    if not result["cases"]:
        return [(path, "", "", "", "", "", "", result.get("reason", "no case")[:200])]
    return [row_of(path, case, launch_us) for case in result["cases"]]


def row_of(path, case, launch_us):
    launches = [launch for launch in case.get("launches", []) if launch.get("runs")]
    test = case["case"].split("[", 1)[0].split("::")[-1]
    if not launches:
        return (path, test, case.get("parameters", ""), "", "", "", "", case.get("reason", "").splitlines()[0][:200] if case.get("reason") else "no launch")
    launch, time_us = launches[0], launches[0]["runs"][0]["time_ns"] / 1e3
    return (path, test, case.get("parameters", ""), launch["kernel"], launch["lnc"], round(time_us, 3), round(time_us + launch_us, 3), "")


def write(root, given, launch_us):
    """All rows into given.predict, file by file, so that an interrupted run leaves what it has."""
    done = {}
    files = [path for path in test_files(root) if given.match in path]
    with concurrent.futures.ThreadPoolExecutor(max(1, given.jobs)) as pool:
        waiting = {pool.submit(predicted, path, root, given, launch_us): path for path in files}
        for number, ended in enumerate(concurrent.futures.as_completed(waiting), 1):
            done[waiting[ended]] = ended.result()
            print(f"\r{number} of {len(files)} test files", end="", file=sys.stderr, flush=True)
            with open(given.predict + ".part", "w", newline="") as file:
                file.write("# Times that Tahoma predicts for tests of nki-library (revision d2ad3a5), made by tests/nki/kernel_times.py --predict.\n"
                           "# predicted_us has the launch of workloads/nki/launch.csv. No expected time was read.\n")
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(HEAD)
                writer.writerows(row for path in sorted(done) for row in done[path])
            os.replace(given.predict + ".part", given.predict)
    print(file=sys.stderr)
    return sum(1 for found in done.values() for row in found if row[5] != "")
