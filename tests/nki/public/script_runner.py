# SPDX-License-Identifier: Apache-2.0
"""Runs a script or test file of a public repository on Tahoma and tells what happened to the launches of one kernel.

    python script_runner.py REQUEST.json

The request (script_rows.py) names the kernel, its file and the files that may call it. Each attempt is a process of its own. The
comparisons of the script itself decide; where it has none, the reference of arguments.csv does.
"""
import ast
import contextlib
import csv
import io
import json
import os
import re
import sys
import tempfile

import patches
import sandbox
import stubs

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "shims"))  # an installed package comes first
stubs.install()
patches.install()

import numpy as np  # noqa: E402

import script_search  # noqa: E402
from comparisons import Recorder, measured, plain  # noqa: E402
from launches import Launches  # noqa: E402


def recipe_of(file, name):
    """The row of arguments.csv for a kernel, or {}."""
    with open(os.path.join(HERE, "arguments.csv"), newline="") as table:
        for row in csv.DictReader(table):
            if file.endswith(row["file"]) and row["kernel"] == name:
                return row
    return {}


class Tee(io.TextIOBase):
    """Standard output that is kept, for the lines in which a script tells its outcome."""

    def __init__(self, recorder):
        self.recorder = recorder

    def write(self, text):
        self.recorder.note_printed(text)
        sys.__stdout__.write(text)
        return len(text)


class Attempt:
    """One way to call the kernel: a file, as it is or with its siblings replaced, or a recipe."""

    def __init__(self, request, path="", kind="script", replaced=False, blank=True):
        self.request, self.path, self.kind, self.replaced, self.blank = request, path, kind, replaced, blank

    @property
    def label(self):
        return (os.path.relpath(self.path, self.request["root"]) if self.path else "arguments.csv") + \
            (f" with {self.request['name']} in place of its siblings" if self.replaced else "")

    def run(self, send):
        request = self.request
        recorder = Recorder()
        launches = Launches(request["name"], request["modes"], self.blank, recorder, request["cases"])
        launches.install()
        recorder.install()
        os.chdir(tempfile.mkdtemp(prefix="tahoma-script-"))
        reason = ""
        try:
            with contextlib.redirect_stdout(Tee(recorder)):
                self._call(launches)
        except SystemExit as end:
            reason = f"the script ends with status {end.code}" if end.code else ""
        except BaseException as mistake:
            reason = told(mistake)
        send(outcome(request, recorder, launches, reason))

    def _call(self, launches):
        if not self.path:
            call_recipe(self.request)
        elif self.kind == "pytest":
            run_pytest(self.path, launches)
        else:
            run_script(self.path, self.request, self.replaced)


def told(mistake):
    """A mistake as text, with the line of the script where it has one."""
    trace, where = mistake.__traceback__, ""
    while trace is not None:
        code = trace.tb_frame.f_code
        if not code.co_filename.startswith((HERE, "<")) and os.sep + "tahoma" + os.sep not in code.co_filename:
            where = f" [{os.path.basename(code.co_filename)}:{trace.tb_lineno}]"
        trace = trace.tb_next
    text = f"{type(mistake).__name__}: {mistake}"
    return text[:1500] + ("" if "error[" in text else where)


def run_script(path, request, replaced):
    """Runs a file as a program; a file with functions that check is imported, and these are called."""
    tree = ast.parse(patches.corrected(path, script_search.read(path)), path)
    checks = script_search.check_functions(tree)
    if replaced:
        tree = script_search.substituted(tree, os.path.join(request["root"], request["file"]), request["name"])
    sys.path.insert(0, os.path.dirname(path))
    sys.argv = [path]
    guarded = "__main__" in ast.unparse(tree)
    space = {"__name__": "__main__" if guarded and not checks else "script", "__file__": path}
    module = type(sys)(space["__name__"])
    module.__dict__.update(space)
    sys.modules[space["__name__"]] = module
    exec(compile(tree, path, "exec"), module.__dict__)
    for name in checks if guarded or not script_has_calls(tree) else []:
        module.__dict__[name]()


def script_has_calls(tree):
    return any(isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) for node in tree.body)


def run_pytest(path, launches):
    """Runs the tests of a file. A failure counts if its test launches the wanted kernel, or if no test does."""
    import pytest

    class Failures:
        def __init__(self):
            self.texts, self.others, self.before = [], [], 0

        def pytest_runtest_setup(self, item):
            self.before = len(launches.records)

        def pytest_runtest_logreport(self, report):
            if report.failed:
                crash = getattr(report.longrepr, "reprcrash", None)
                text = f"{report.nodeid.split('::')[-1]}: {crash.message if crash else report.longrepr}"
                (self.texts if len(launches.records) > self.before else self.others).append(text)

        def pytest_collectreport(self, report):
            if report.failed:
                self.others.append(str(report.longrepr))

    failures = Failures()
    pytest.main([path, "-q", "-s", "-p", "no:cacheprovider", "--assert=plain", "-c", os.devnull, "--rootdir", os.path.dirname(path)], [failures])
    counted = failures.texts or ([] if launches.records else failures.others)
    if counted:
        raise AssertionError(counted[0])


def call_recipe(request):
    """Calls the kernel with the arguments of arguments.csv."""
    import importlib.util

    import nki

    path = os.path.join(request["root"], request["file"])
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location("kernel_file", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel = getattr(module, request["name"])
    arguments = eval(recipe_of(request["file"], request["name"])["arguments"], dict(vars(module), np=np, rng=np.random.default_rng(0)))
    (kernel if hasattr(kernel, "__getitem__") else nki.jit(kernel))(**arguments)


def outcome(request, recorder, launches, reason):
    """The record of an attempt: launches, comparisons, and why it failed."""
    mine = [c for c in recorder.found if c["kernel"] == request["name"]]
    reference = "the script's"
    recipe = recipe_of(request["file"], request["name"])
    if not mine and not reason and launches.values and "functional" in request["modes"]:
        reference = "none"
        if recipe.get("reference"):
            reference, mine = "ours", [compared(recipe, *values) for values in launches.values]
    wrong = [c for c in mine if not c["passed"]]
    if not reason and wrong and "functional" in request["modes"]:
        reason = "values differ: " + json.dumps({k: v for k, v in wrong[0].items() if k not in ("passed", "kernel")})
    if not launches.records and not reason:
        reason = "the script does not launch the kernel"
    return {"launches": launches.records, "outputs": mine, "reason": reason, "reference": reference, "others": sorted(launches.others),
            "patched": patches.applied, "peak_memory": sandbox.peak_bytes()}


def compared(recipe, arguments, returned):
    """The kernel's results against the expression of arguments.csv: |got - want| <= atol + rtol * max |want|."""
    import scipy.special

    want = eval(recipe["reference"], {"np": np, "special": scipy.special}, arguments)
    got = list(returned) if isinstance(returned, (list, tuple)) else [returned]
    want = list(want) if isinstance(want, (list, tuple)) else [want]
    rtol, atol = float(recipe["rtol"] or 1e-5), float(recipe["atol"] or 1e-8)
    entry = {"function": recipe["reference"], "passed": len(got) == len(want), "kernel": recipe["kernel"], "rtol": rtol, "atol": atol,
             "error": 0.0, "largest": 0.0}
    for g, w in zip(got, want):
        if plain(g).shape != plain(w).shape:
            return dict(entry, passed=False, text=f"shape {plain(g).shape}; expected {plain(w).shape}")
        error, largest = measured(g, w)
        entry.update(error=max(entry["error"], error), largest=max(entry["largest"], largest))
        entry["passed"] = bool(entry["passed"] and error <= atol + rtol * largest)
    return entry


def attempts(request):
    for path, kind in request["candidates"]:
        yield Attempt(request, path, kind, blank=kind == "script")
        if kind == "script":
            yield Attempt(request, path, kind, blank=False)
            tree = script_search.parsed(script_search.read(path))
            if tree and script_search.substituted(tree, os.path.join(request["root"], request["file"]), request["name"]):
                yield Attempt(request, path, kind, replaced=True, blank=False)
    if recipe_of(request["file"], request["name"]).get("arguments"):
        yield Attempt(request)


def main():
    with open(sys.argv[1]) as file:
        request = json.load(file)
    best = None  # the attempt that got furthest
    for attempt in attempts(request):
        if best and (best["passed"] or (best["launches"] and (not attempt.path or os.path.dirname(attempt.path) != os.path.dirname(best["path"])))):
            break
        case = {"case": attempt.label, "path": attempt.path or HERE, "launches": []}
        if best and best["path"] == attempt.path and not attempt.replaced and not (best["others"] and best["launches"]):
            continue  # no other kernel was blank, or ours was not reached: the second pass would show the same
        if best and attempt.replaced and best["path"] == attempt.path and (best["launches"] or "limit" in best["reason"]):
            continue
        ended = sandbox.run_isolated(attempt.run, request["seconds"], request["memory"], case.update, request["out"] + ".log")
        if ended.reason:
            case["reason"] = ended.reason
        case["passed"] = not case.get("reason", "no result")
        case.setdefault("others", [])
        if best is None or better(case, best):
            best = case
        write(request["out"], best)
    if best is None:
        write(request["out"], None)


def better(case, best):
    rank = lambda c: (c["passed"], bool(c["launches"]), c.get("reference") == "the script's", not re.match("the script does not", c.get("reason", "")))
    return rank(case) > rank(best)


def write(path, case):
    result = {"cases": [case] if case and case["launches"] else [], "patched": case.get("patched", []) if case else []}
    if not result["cases"]:
        result["reason"] = case["reason"] if case else "no script, test or recipe calls the kernel"
    with open(path + ".part", "w") as file:
        json.dump(result, file)
    os.replace(path + ".part", path)


if __name__ == "__main__":
    main()
