# SPDX-License-Identifier: Apache-2.0
"""The cases of a table of expected times, and their runs: each in a process of its own, in timing mode."""
import concurrent.futures
import csv
import dataclasses
import hashlib
import json
import os
import subprocess
import sys
import tempfile

import rows

COLUMNS = ("test_file", "parameters", "reference_us", "use")
PUBLIC = os.path.dirname(os.path.abspath(rows.__file__))
PACKAGE = os.path.realpath(os.path.join(PUBLIC, "..", "..", "..", "runtime", "python", "package"))


@dataclasses.dataclass(frozen=True)
class Case:
    test_file: str
    parameters: str
    reference_us: float
    use: str

    @property
    def key(self):
        return f"{self.test_file} {self.parameters}"

    @property
    def family(self):
        """The test's name: "mlp_cte" of test_mlp_cte.py."""
        return os.path.basename(self.test_file)[len("test_"):-len(".py")]


def read(path, match, use):
    with open(path, newline="") as file:
        table = csv.DictReader(line for line in file if not line.startswith("#"))
        missing = [name for name in COLUMNS if name not in (table.fieldnames or [])]
        if missing:
            sys.exit(f"library_times: {path}: no column {', '.join(missing)}; expected {', '.join(COLUMNS)}")
        found = [case_of(line, f"{path}:{table.line_num}") for line in table]
    return [c for c in found if match in c.key and use in ("all", c.use)]


def case_of(line, place):
    try:
        reference = float(line["reference_us"] or "nan")
    except ValueError:
        sys.exit(f"library_times: {place}: reference_us must be a time in us, got {line['reference_us']!r}")
    return Case(line["test_file"], line["parameters"], reference, line["use"])


def program_digest(source):
    """Identifies what decides the times: the program, and the package that lowers kernels."""
    digest = hashlib.sha256()
    paths = [os.path.join(source, "build", "tahoma")]
    for folder, _, names in sorted(os.walk(PACKAGE)):
        paths += [os.path.join(folder, name) for name in sorted(names) if name.endswith(".py")]
    for path in paths:
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:16]


def run(wanted, root, given, results):
    """Runs the cases that have no result yet."""
    waiting = [case for case in wanted if results.of(case) is None]
    with concurrent.futures.ThreadPoolExecutor(max(1, given.jobs)) as pool:
        running = {pool.submit(run_case, case, root, given): case for case in waiting}
        for number, done in enumerate(concurrent.futures.as_completed(running), 1):
            results.add(running[done], done.result())
            print(f"\r{number} of {len(waiting)} cases", end="", file=sys.stderr, flush=True)
    if waiting:
        print(file=sys.stderr)


def run_case(case, root, given):
    """The result of one case. What goes wrong is its reason."""
    with tempfile.TemporaryDirectory(prefix="tahoma-times-") as folder:
        out = os.path.join(folder, "result.json")
        request = {"name": "", "match": "", "hints": [], "modes": ["timing"], "wanted": [case.parameters], "seconds": given.seconds,
                   "memory": given.memory, "out": out}
        with open(os.path.join(folder, "request.json"), "w") as file:
            json.dump(request, file)
        with open(os.path.join(folder, "log"), "ab") as log:
            subprocess.run(command(root, case), env=environment(root, folder), cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                           check=False, timeout=given.seconds + 300)
        if not os.path.exists(out):
            return {"reason": rows.wrong_start("", os.path.join(folder, "log"), out + ".collect.log")}
        with open(out) as file:
            return outcome(json.load(file)["cases"])


def outcome(found):
    launches = [launch for launch in (found[0].get("launches") or [] if found else []) if launch.get("runs")]
    if not launches:
        return {"reason": found[0].get("reason", "no result") if found else "no test item has these parameters"}
    timed = launches[0]["runs"][0]
    return {"time_us": timed["time_ns"] / 1e3, "lnc": launches[0]["lnc"], "kernel": launches[0]["kernel"], "instructions": timed["instructions"],
            "analysis": timed.get("analysis", {}), "host_seconds": timed["host_seconds"]}


def command(root, case):
    return [sys.executable, "-m", "pytest", "--noconftest", "-p", "library_plugin", "-p", "no:cacheprovider", "--assert=plain", "-q", "-c", os.devnull,
            "--rootdir", root, "--continue-on-collection-errors", os.path.join(root, case.test_file)]


def environment(root, folder):
    env = dict(os.environ)
    paths = [root, os.path.join(root, "src"), PUBLIC, PACKAGE] + rows.build_paths(os.path.join(PUBLIC, "..", "..", ".."))
    env["PYTHONPATH"] = os.pathsep.join(paths + ([env["PYTHONPATH"]] if env.get("PYTHONPATH") else []))
    env.update(TAHOMA_OUT="", TAHOMA_EXTERNAL_ROW=os.path.join(folder, "request.json"), OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1",
               PYTHONDONTWRITEBYTECODE="1", PYTHONWARNINGS="ignore")
    return env
