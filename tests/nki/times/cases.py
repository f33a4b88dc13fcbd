# SPDX-License-Identifier: Apache-2.0
"""The cases of a table of times, and their runs: each in a process of its own, in timing mode.

A table has tests of nki-library and the times that they expect, or kernels of NKIBench and the times, shares and bytes that were
measured; its columns tell which.
"""
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

PUBLIC = os.path.dirname(os.path.abspath(rows.__file__))
TIMES = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.realpath(os.path.join(PUBLIC, "..", "..", ".."))
PACKAGE = os.path.join(SOURCE, "frontend", "python", "package")
SHARES = ("tensor", "vector", "scalar", "dma")  # engines; percent of the time in which each is active
SIDES = ("read", "write")  # of HBM, in MB


@dataclasses.dataclass(frozen=True)
class LibraryCase:
    """A test of nki-library. The time that it expects includes a launch."""

    test_file: str
    parameters: str
    reference_us: float
    use: str
    COLUMNS = ("test_file", "parameters", "reference_us", "use")
    repositories = ("nki-library",)
    launched = True

    @classmethod
    def of(cls, line, place):
        return cls(line["test_file"], line["parameters"], number(line, "reference_us", place), line["use"])

    @property
    def key(self):
        return f"{self.test_file} {self.parameters}"

    @property
    def family(self):
        """The test's name: "mlp_cte" of test_mlp_cte.py."""
        return os.path.basename(self.test_file)[len("test_"):-len(".py")]

    @property
    def name(self):
        return self.parameters

    def run(self, checkouts, folder, given):
        root, out = checkouts["nki-library"], os.path.join(folder, "result.json")
        request = {"name": "", "match": "", "hints": [], "modes": ["timing"], "wanted": [self.parameters], "seconds": given.seconds,
                   "memory": given.memory, "out": out}
        with open(os.path.join(folder, "request.json"), "w") as file:
            json.dump(request, file)
        run_process(command(root, self.test_file), environment([root, os.path.join(root, "src")], folder), folder, given.seconds + 300)
        if not os.path.exists(out):
            return {"reason": rows.wrong_start("", os.path.join(folder, "log"), out + ".collect.log")}
        with open(out) as file:
            return outcome(json.load(file)["cases"])


@dataclasses.dataclass(frozen=True)
class BenchCase:
    """A kernel of NKIBench, or a variant of one. The time is that of the device; `measured` has what else is known."""

    operator: str
    file: str
    reference_us: float
    measured: tuple  # of (name, value), without what was not measured
    use: str
    COLUMNS = ("operator", "file", "measured_us", *(f"{name}_percent" for name in SHARES), *(f"hbm_{side}_mb" for side in SIDES), "use")
    repositories = ("AccelOpt", "kda-for-trainium")
    launched = False

    @classmethod
    def of(cls, line, place):
        known = [column for column in cls.COLUMNS[3:-1] if line[column]]
        return cls(line["operator"], line["file"], number(line, "measured_us", place), tuple((c, number(line, c, place)) for c in known), line["use"])

    @property
    def key(self):
        return f"{self.operator}/{self.file}"

    @property
    def family(self):
        return self.operator

    @property
    def name(self):
        return self.file

    def run(self, checkouts, folder, given):
        bench, out = os.path.join(checkouts["AccelOpt"], "NKIBench"), os.path.join(folder, "result.json")
        kernel = os.path.join(bench, "kernels", self.file)
        if not os.path.exists(kernel):
            kernel = os.path.join(checkouts["kda-for-trainium"], "workspaces", self.operator, "runs", self.file)
        references = [name for name in os.listdir(os.path.join(bench, "reference")) if name.rsplit("_", 2)[0] in reference_names(self.operator, bench)]
        if not os.path.exists(kernel) or len(references) != 1:
            return {"reason": f"no kernel {self.file}" if references else f"no reference of {self.operator}"}
        limits = ["--seconds", str(given.seconds), "--memory", str(given.memory)]
        run_process([sys.executable, os.path.join(TIMES, "bench_run.py"), kernel, os.path.join(bench, "reference", references[0]), out, *limits],
                    environment([TIMES], folder), folder, given.seconds + 60)
        if not os.path.exists(out):
            return {"reason": rows.wrong_start("", os.path.join(folder, "log"))}
        with open(out) as file:
            return json.load(file)


KINDS = (LibraryCase, BenchCase)


def reference_names(operator, bench):
    """The names of an operator's kernels without their last number, which those of its reference begin with."""
    names = [name[:-len(".py")] for name in os.listdir(os.path.join(bench, "kernels")) if name.endswith(".py")]
    return {name.rsplit("_", 1)[0] for name in names if name.startswith(operator + "_") and not name[len(operator) + 1].islower()}


def number(line, column, place):
    try:
        return float(line[column] or "nan")
    except ValueError:
        sys.exit(f"kernel_times: {place}: {column} must be a number, got {line[column]!r}")


def read(path, match, use):
    with open(path, newline="") as file:
        table = csv.DictReader(line for line in file if not line.startswith("#"))
        kind = BenchCase if "operator" in (table.fieldnames or []) else LibraryCase
        missing = [name for name in kind.COLUMNS if name not in (table.fieldnames or [])]
        if missing:
            sys.exit(f"kernel_times: {path}: no column {', '.join(missing)}; expected {', '.join(kind.COLUMNS)}")
        found = [kind.of(line, f"{path}:{table.line_num}") for line in table]
    return [c for c in found if match in c.key and use in ("all", c.use)]


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


def run(wanted, checkouts, given, results):
    """Runs the cases that have no result yet."""
    waiting = [case for case in wanted if results.of(case) is None]
    with concurrent.futures.ThreadPoolExecutor(max(1, given.jobs)) as pool:
        running = {pool.submit(run_case, case, checkouts, given): case for case in waiting}
        for number_done, done in enumerate(concurrent.futures.as_completed(running), 1):
            results.add(running[done], done.result())
            print(f"\r{number_done} of {len(waiting)} cases", end="", file=sys.stderr, flush=True)
    if waiting:
        print(file=sys.stderr)


def run_case(case, checkouts, given):
    """The result of one case. What goes wrong is its reason."""
    missing = [name for name in case.repositories if checkouts.get(name) is None]
    if missing:
        return {"reason": f"no checkout of {', '.join(missing)}"}
    with tempfile.TemporaryDirectory(prefix="tahoma-times-") as folder:
        try:
            return case.run(checkouts, folder, given)
        except subprocess.TimeoutExpired:
            return {"reason": f"time limit: {given.seconds:.0f} s"}


def run_process(arguments, env, folder, seconds):
    with open(os.path.join(folder, "log"), "ab") as log:
        subprocess.run(arguments, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=False, timeout=seconds)


def outcome(found):
    launches = [launch for launch in (found[0].get("launches") or [] if found else []) if launch.get("runs")]
    if not launches:
        return {"reason": found[0].get("reason", "no result") if found else "no test item has these parameters"}
    timed = launches[0]["runs"][0]
    return {"time_us": timed["time_ns"] / 1e3, "lnc": launches[0]["lnc"], "kernel": launches[0]["kernel"], "instructions": timed["instructions"],
            "analysis": timed.get("analysis", {}), "host_seconds": timed["host_seconds"], "undecided": found[0].get("undecided", [])}


def command(root, test_file):
    return [sys.executable, "-m", "pytest", "--noconftest", "-p", "library_plugin", "-p", "no:cacheprovider", "--assert=plain", "-q", "-c", os.devnull,
            "--rootdir", root, "--continue-on-collection-errors", os.path.join(root, test_file)]


def environment(first, folder):
    """The environment of a process that runs a kernel; `first` are folders of its modules."""
    env = dict(os.environ)
    paths = [*first, PUBLIC, PACKAGE] + rows.build_paths(SOURCE)
    env["PYTHONPATH"] = os.pathsep.join(paths + ([env["PYTHONPATH"]] if env.get("PYTHONPATH") else []))
    env.update(TAHOMA_OUT="", TAHOMA_EXTERNAL_ROW=os.path.join(folder, "request.json"), OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1",
               PYTHONDONTWRITEBYTECODE="1", PYTHONWARNINGS="ignore")
    return env
