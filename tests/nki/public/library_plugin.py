# SPDX-License-Identifier: Apache-2.0
"""A pytest plug-in that runs tests of nki-library on Tahoma, in place of that repository's conftest (--noconftest -p library_plugin).

It gives the tests their fixtures, expands the repository's own parametrisations with the repository's own functions, finds
out which items are small and call the wanted kernel, and runs each of these in a process of its own. TAHOMA_EXTERNAL_ROW names a
JSON file with the request (external.py); the results go to the file that the request names.
"""
import json
import os
import random
import signal
import sys

import numpy as np
import pytest

import patches
import sandbox
import stubs

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "shims"))  # an installed package comes first
stubs.install()
patches.install()
os.environ.setdefault("NEURON_PYTHONHASHSEED", "0")

import library_cases as cases  # noqa: E402
import library_run  # noqa: E402
import wanted_cases  # noqa: E402

with open(os.environ["TAHOMA_EXTERNAL_ROW"]) as _file:
    REQUEST = json.load(_file)


class Harness:
    """The repository's Orchestrator, as far as tests use it."""

    def __init__(self):
        self.dry, self.records = False, []
        self.trace_mode = None  # tests ask whether they compile only; here they always run

    def execute(self, kernel_args):
        from test.utils.ranged_test_harness import is_in_negative_test_context

        negative = is_in_negative_test_context()
        if self.dry:
            given = kernel_args.kernel_input
            ranks = kernel_args.inference_args.collective_ranks if kernel_args.inference_args else 1
            size = cases.array_bytes(given.for_rank(0)) * ranks if hasattr(given, "for_rank") else cases.array_bytes(given or {})
            self.records.append({"bytes": size, "nearness": cases.nearness(kernel_args.kernel_func, REQUEST["name"]), "negative": negative})
            pytest.skip("dry run")
        record = {}
        self.records.append(record)
        library_run.execute(kernel_args, REQUEST["modes"], record)


HARNESS = Harness()


class Collector:
    """The repository's collector of metrics: accepts everything."""

    def __getattr__(self, name):
        return lambda *arguments, **options: None


@pytest.fixture
def test_manager():
    return HARNESS


@pytest.fixture
def collector():
    return Collector()


def platform():
    """The chip that NEURON_PLATFORM_TARGET_OVERRIDE names, as the repository calls it; Trainium2 without it."""
    from test.utils.common_dataclasses import Platforms

    return Platforms.TRN3 if os.environ.get("NEURON_PLATFORM_TARGET_OVERRIDE", "").lower() in ("trn3", "gen4") else Platforms.TRN2


@pytest.fixture
def platform_target():
    return platform()


@pytest.fixture
def output_directory(tmp_path):
    return str(tmp_path)


def pytest_configure(config):
    random.seed(0)
    np.random.seed(0)
    config.addinivalue_line("markers", "fast: quick tests")


def pytest_generate_tests(metafunc):
    if "range_test_options" in metafunc.fixturenames:
        from test.utils.ranged_test_harness import RangeTestHarness

        random.seed(0)
        harness = RangeTestHarness(metafunc.function.range_test_config)
        names, values = harness.get_unique_test_cases()
        metafunc.parametrize("range_test_options", values, ids=names)
        return
    marker = metafunc.definition.get_closest_marker("coverage_parametrize")
    if not marker:
        return
    from test.utils import coverage_parametrized_tests as coverage

    random.seed(0)
    parameters = dict(marker.kwargs)
    options = {name: parameters.pop(name) for name in ("enable_automatic_boundary_tests", "enable_invalid_combination_tests",
                                                       "n_tests_per_boundary_value", "max_invalid_tests") if name in parameters}
    strength, filter_function = parameters.pop("coverage", None) or "singles", parameters.pop("filter", None)
    found = coverage.generate_parametrized_test_case(params=parameters, coverage=strength, filter_func=filter_function, **options)
    names, values, labels = coverage.extract_parametrize_args(parameters, found)
    metafunc.parametrize(names, values, ids=labels)


def for_this_chip(item):
    """Items that run on this chip and expect no refusal."""
    marker = item.get_closest_marker("platforms")
    if marker and platform() in (marker.kwargs.get("exclude") or []):
        return False
    if item.get_closest_marker("skip"):
        return False
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    if parameters.get("is_negative_test_case") or getattr(parameters.get("range_test_options"), "is_negative_test_case", False):
        return False
    return REQUEST["match"] in item.nodeid


def run_item(item):
    """Runs one item to its end. Returns the failure's text, or ""."""
    from _pytest.runner import runtestprotocol

    reports = runtestprotocol(item, log=False, nextitem=None)
    for report in reports:
        if report.failed:
            return failure_text(report)
    skipped = [r for r in reports if r.skipped]
    if skipped and not HARNESS.dry:
        return f"skipped by the test: {skipped[0].longrepr[2] if isinstance(skipped[0].longrepr, tuple) else skipped[0].longrepr}"
    return ""


def failure_text(report):
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr)
    where = f" [{os.path.basename(crash.path)}:{crash.lineno}]" if crash and "error[" not in text else ""
    return text[:1500] + where


def dry_runs(items, send):
    """Tells the bytes of inputs and the kernel of each item. An item that takes too long is left out."""
    HARNESS.dry = True
    budget = cases.Budget(REQUEST["planning_seconds"])

    def late(*_):
        raise TimeoutError("making the inputs of the smallest tests takes longer than --planning-seconds allows")

    signal.signal(signal.SIGALRM, late)
    for number, item in items:
        if budget.over():
            break
        HARNESS.records.clear()
        signal.setitimer(signal.ITIMER_REAL, REQUEST["planning_seconds"] / 2)
        try:
            reason = run_item(item)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        message = dict(HARNESS.records[0]) if HARNESS.records else {"reason": reason or "the test does not run a kernel"}
        send(dict(message, number=number))


def plan(items):
    """The items to run, and why there are none."""
    groups = cases.grouped(items, set(REQUEST["hints"]))
    order = list(cases.in_turn(groups, 5))
    numbers = {id(item): n for n, item in enumerate(order)}
    measured = []
    ended = sandbox.run_isolated(lambda send: dry_runs(list(enumerate(order)), send), 2 * REQUEST["planning_seconds"] + 20, REQUEST["memory"],
                                 lambda m: measured.append(cases.Measured(m["number"], m)), REQUEST["out"] + ".plan.log")
    by_number = {numbers[id(item)]: cases.group_of(item) for item in order}
    selected = cases.chosen(measured, by_number, REQUEST["cases"], REQUEST["bytes"])
    reasons = [m.reason for m in measured if m.reason]
    why = reasons[0] if reasons else ended.reason or "no test for Trainium2 calls the kernel"
    sizes = {m.number: m.bytes for m in measured}
    return [(order[n], sizes[n]) for n in selected], why


def run_case(item, size):
    case = {"case": item.nodeid.split("::", 1)[-1], "test": item.nodeid.split("::", 1)[0], "bytes": size, "reference": "the test's"}
    case["parameters"] = wanted_cases.described(item)

    def body(send):
        HARNESS.dry = False
        HARNESS.records.clear()
        reason = run_item(item)
        if not reason and not any(r.get("runs") for r in HARNESS.records):
            # The test expects a refusal, and it came while the kernel was traced.
            case["reference"] = "the test expects a refusal" if HARNESS.records else ""
            reason = "" if HARNESS.records else "the test ended without running the kernel"
        send({"reason": reason, "reference": case["reference"], "launches": HARNESS.records, "peak_memory": sandbox.peak_bytes()})

    ended = sandbox.run_isolated(body, REQUEST["seconds"], REQUEST["memory"], case.update, REQUEST["out"] + ".case.log")
    if ended.reason:
        case["reason"] = ended.reason
    case["passed"] = not case.get("reason", "no result")
    return case


def run_wanted(usable, result):
    """One case for each description in the request, in its order."""
    for text, item in zip(REQUEST["wanted"], wanted_cases.items_for(usable, REQUEST["wanted"])):
        wanted_cases.choose_cores(wanted_cases.cores(text))
        found = run_case(item, 0) if item else {"passed": False, "reason": wanted_cases.why_none(usable, text), "launches": []}
        result["cases"].append(dict(found, undecided=wanted_cases.undecided(usable, text)))
        write(result)
    write(result)
    return True


def run_every(usable, result):
    """All items that expect a time, or all if none does. An earlier, interrupted run is continued."""
    timed = [item for item in usable if wanted_cases.expects_time(item)] or usable
    if os.path.exists(REQUEST["out"]):
        with open(REQUEST["out"]) as file:
            result = json.load(file)
    done = {case["case"] for case in result["cases"]}
    for item in timed:
        if item.nodeid.split("::", 1)[-1] not in done:
            result["cases"].append(run_case(item, 0))
            write(result)
    write(result)
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    usable = [item for item in session.items if for_this_chip(item)]
    result = {"cases": [], "collected": len(session.items), "patched": patches.applied}
    if "wanted" in REQUEST:
        return run_wanted(usable, result)
    if REQUEST.get("every"):
        return run_every(usable, result)
    chosen, why = plan(usable) if usable else ([], "no test for Trainium2 calls the kernel")
    if not chosen:
        result["reason"] = why
    for item, size in chosen:
        result["cases"].append(run_case(item, size))
        write(result)
    write(result)
    return True


def pytest_collectreport(report):
    if report.failed:
        with open(REQUEST["out"] + ".collect.log", "a") as file:
            file.write(f"{report.nodeid}: {report.longrepr}\n")


def write(result):
    with open(REQUEST["out"] + ".part", "w") as file:
        json.dump(result, file)
    os.replace(REQUEST["out"] + ".part", REQUEST["out"])
