# SPDX-License-Identifier: Apache-2.0
"""A call of a kernel: it is traced for each program of its grid, lowered, and run by the program `tahoma`."""
import contextlib
import inspect
import json
import os
import signal
import tempfile
import threading
import time
import warnings
from typing import Any, Sequence

import numpy as np

import _tahoma
from tahoma import arguments, context, dtypes, results, schedules, variables
from tahoma.errors import KernelError, failure_of
from tahoma.program import execute
from tahoma.program_bundle import Bundle, checked_outputs
from tahoma.settings import policies, settings

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_machines = {}


def machine(overrides=()):
    """The machine of the settings."""
    key = (settings().machine, tuple(settings().set) + tuple(overrides))
    if key not in _machines:
        _machines[key] = _tahoma.Machine(key[0], list(key[1]))
    return _machines[key]


def current_place() -> str:
    """The line that is being traced, as "file:line"."""
    active = context.active()
    if active is None:
        return ""
    return str(active.tracer.place())


def place_of(mistake):
    """The kernel's innermost line of an exception, as "file:line"."""
    trace, place = mistake.__traceback__, ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        place = place if file.startswith(PACKAGE) else f"{file}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


def run_traced_kernel(function, args, kwargs):
    """The root of the kernel's call stack: lines outside of this call are not the kernel's."""
    return function(*args, **kwargs)


class Traced:
    """One program of a kernel's grid."""

    def __init__(self, active, inputs, returned):
        self.tracer, self.inputs, self.returned, self.prints = active.tracer, inputs, returned, active.prints


class Call:
    """The arguments of one call, and its programs."""

    def __init__(self, kernel, grid, args, kwargs):
        self.kernel, self.grid = kernel, grid
        self.name = kernel.__name__
        self.args, self.kwargs = args, kwargs
        self.inputs = arguments.Inputs()
        try:
            bound = inspect.signature(kernel.function).bind(*args, **kwargs)
        except TypeError as mistake:
            raise TypeError(f"{self.name}: {mistake}") from None
        for name, value in bound.arguments.items():
            arguments.collect(value, name, self.inputs)
        self.encoded = [self._bytes(array, name) for array, name in zip(self.inputs.arrays, self.inputs.names)]
        self.cores = grid[0] if grid else 1
        self.peers = [self]  # the calls of all ranks

    def _bytes(self, array, name):
        """The dtype's name, the shape and the bytes of an argument."""
        try:
            return dtypes.array_bytes(array)
        except TypeError as mistake:
            raise TypeError(f"{self.name}: argument {name}: {mistake}; expected one of {', '.join(dtypes.ALL)}") from None

    def programs(self, rank=0, ranks=1):
        """The trace of each physical core of the grid."""
        model = machine(overrides_of(self.grid))
        return [self.trace((n,) if self.grid else (), model, rank, ranks) for n in range(self.cores)]

    def trace(self, program_id, machine_model, rank=0, ranks=1):
        tracer = _tahoma.Tracer(machine_model, self.name, PACKAGE)
        tracer.most_entries = settings().most_instructions
        tracer.name_variables(variables.variable_of)
        tensors = {}
        with context.Context(tracer, program_id, self.grid, rank, ranks) as active:
            active.style, active.call = self.kernel.style, self
            for array, name, (kind, shape, _) in zip(self.inputs.arrays, self.inputs.names, self.encoded):
                tensors[id(array)] = tracer.tensor(list(shape) or [1], dtypes.element_of(kind), context.BUFFERS["shared_hbm"], name, None,
                                                   _tahoma.Role.input)
            args = arguments.converted(self.args, lambda array: tensors[id(array)])
            kwargs = arguments.converted(self.kwargs, lambda array: tensors[id(array)])
            try:
                returned = run_traced_kernel(self.kernel.function, args, kwargs)
            except RecursionError as mistake:
                raise KernelError("E-NKI-026", place_of(mistake), "the kernel calls itself without end") from None
            schedules.apply(self.kernel.schedule, active)
            outputs = checked_outputs(returned, self.kernel)
            for tensor in outputs + [kept for _, kept in active.prints]:
                tracer.set_role(tensor, _tahoma.Role.output)
        return Traced(active, [tensors[id(a)] for a in self.inputs.arrays], returned)


@contextlib.contextmanager
def time_limit(seconds):
    """Ends a kernel whose Python never comes to an end. Only the main thread has such an alarm."""
    if threading.current_thread() is not threading.main_thread() or seconds <= 0:
        yield
        return

    def stop(*_):
        raise KernelError("E-NKI-026", current_place(), f"the kernel has been traced for {seconds} s; TAHOMA_TRACE_SECONDS raises the limit")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def trace(kernel: Any, *args: Any, grid: tuple[int, ...] = (), **kwargs: Any) -> list[Any]:
    """Traces a kernel without running it. Returns its programs; each has .tracer.dump() and .tracer.lower()."""
    return Call(kernel, grid, args, kwargs).programs()


def overrides_of(grid):
    return ("machine.chip.lnc=2",) if grid and grid[0] == 2 else ()


def launch(kernel, grid, args, kwargs):
    """Runs a kernel and returns what it returns, as arrays."""
    return run_calls([Call(kernel, grid, args, kwargs)])[0]


def launch_ranks(kernel: Any, arguments_of_ranks: Sequence[Any], grid: tuple[int, ...] = ()) -> list[Any]:
    """Runs a kernel on several ranks, which may exchange data with nki.collectives.

    kernel              a kernel, or kernel[grid]
    arguments_of_ranks  for each rank a tuple of positional or a dictionary of named arguments
    Rank r is logical core r of the machine. Returns what each rank returns.
    """
    grid = getattr(kernel, "grid", grid)
    kernel = getattr(kernel, "kernel", kernel)
    calls = []
    for given in arguments_of_ranks:
        named = given if isinstance(given, dict) else {}
        calls.append(Call(kernel, grid, () if named else tuple(given), named))
    return run_calls(calls)


def run_calls(calls):
    """One call for each rank: traced, lowered, run together; what each returns."""
    return Prepared(calls).run()


def programs_of(calls):
    """The programs of one call for each rank. A kernel that does not come to an end is stopped."""
    for call in calls:
        call.peers = calls
    with time_limit(float(os.environ.get("TAHOMA_TRACE_SECONDS", "600"))):
        return [program for rank, call in enumerate(calls) for program in call.programs(rank, len(calls))]


class Prepared:
    """One call for each rank, traced and lowered once, and ready to run in any mode."""

    def __init__(self, calls):
        start = time.perf_counter()
        self.calls, self.name = calls, calls[0].name
        programs = programs_of(calls)
        traced = time.perf_counter()
        lowered = [p.tracer.lower(**policies()) for p in programs]
        self.bundle = Bundle(calls, calls[0].cores, programs, lowered)
        self.seconds = {"tracing": traced - start, "lowering": time.perf_counter() - traced}

    def outcome(self):
        """Runs the programs with the settings in force: the result, whatever the checks found, and the values of the outputs."""
        start = time.perf_counter()
        bundle = self.bundle
        with tempfile.TemporaryDirectory(prefix="tahoma-") as folder:
            out = output_folder(self.name, folder)
            overrides = overrides_of(self.calls[0].grid)
            summary, findings, values = run_in(settings().mode, folder, out, overrides, bundle)
            given = bundle.warnings + redundant_writes(summary, self.name)
            if reads_only_unwritten(summary) and not depends_on_unwritten(folder, overrides, bundle, values):
                given.append(f"kernel {self.name}: reads bytes of SBUF or PSUM that nothing has written, but no output depends on them: "
                             f"{found_by_checks(summary)}, the first: {findings[0]}")
                findings = []
            bundle.print_values(values)
            result = results.note(results.Result(
                self.name, summary["simulated_time_ns"], sum(l["instructions"] for l in bundle.lowered), summary,
                "" if out.startswith(folder) else out, given, findings, {**self.seconds, "running": time.perf_counter() - start}))
        return result, values

    def run(self):
        """Runs the programs. Returns what each rank returns."""
        result, values = self.outcome()
        for text in result.warnings:
            warnings.warn(text, stacklevel=5)
        if result.findings:
            raise KernelError("E-RUN-071", "", f"kernel {self.name}: the checks found {found_by_checks(result.summary)}\n"
                              + "\n".join(result.findings))
        return [self.bundle.returned(rank, values) for rank in range(len(self.calls))]


def found_by_checks(summary):
    """How much the checks found, as text."""
    found = sum(summary["checks"][check].get("found", 0) for check in ("races", "uninitialised"))
    shown = len(summary["checks"]["first"])
    return f"{found} mistake{'' if found == 1 else 's'}" + (f", of which {shown} are shown" if shown < found else "")


def reads_only_unwritten(summary):
    """Whether the checks found reads of unwritten bytes of SBUF or PSUM, and nothing else."""
    checks = summary["checks"]
    return (checks["races"].get("found", 0) == 0 and set(checks["uninitialised"].get("codes", ())) == {"E-CHK-002"} and
            len(checks["groups"]) == len(checks["first"]) and not any(" reads hbm " in text for text in checks["first"]))


def depends_on_unwritten(folder, overrides, bundle, values):
    """Whether an output changes with what unwritten bytes hold: zero (`values`), or 0xff, which is NaN in every floating-point type."""
    if values is None:
        values = again("zeros", folder, overrides, bundle, 0)
    other = again("ones", folder, overrides, bundle, 255)
    return values is None or other is None or values.keys() != other.keys() or any(
        values[name].tobytes() != other[name].tobytes() for name in values)


def again(name, folder, overrides, bundle, unwritten):
    """The values of the outputs if unwritten bytes hold this. None: then the run ends with an error."""
    place = os.path.join(folder, name)
    os.mkdir(place)
    bundle.write(place, "functional")
    try:
        return run(place, os.path.join(place, "out"), (*overrides, f"unwritten={unwritten}"), bundle, "functional", kept=False)[2]
    except KernelError:
        return None


def redundant_writes(summary, name):
    """A warning, if two cores write the same results: the kernel may not be made for two cores."""
    redundant = summary.get("checks", {}).get("redundant_writes", {"found": 0})
    if not redundant["found"]:
        return []
    return [f"kernel {name}: cores write the same values twice, in {redundant['found']} pairs of instructions, the first: {redundant['first'][0]}"]


# Timing mode cannot go on without a value that only computing gives: a branch, an address, a row number.
NEEDS_VALUES = ("E-RUN-052", "E-RUN-053", "E-RUN-044", "E-RUN-045")


def run_in(mode, folder, out, overrides, bundle):
    """Runs a bundle. A kernel whose addresses or branches depend on computed values is run in functional mode in any case."""
    bundle.write(folder, mode)
    try:
        return run(folder, out, overrides, bundle, mode)
    except KernelError as error:
        if mode != "timing" or error.code not in NEEDS_VALUES:
            raise
        bundle.warnings.append(f"kernel {bundle.name}: run in functional mode, because {error.text.splitlines()[0]}")
    return run_in("functional", folder, out, overrides, bundle)


_runs = {}


def output_folder(name, temporary):
    if not settings().out:
        return os.path.join(temporary, "out")
    _runs[name] = _runs.get(name, 0) + 1
    return os.path.join(settings().out, name if _runs[name] == 1 else f"{name}-{_runs[name]}")


def run(folder, out, overrides, bundle, mode, kept=True):
    """Runs the program on a bundle: its summary, the findings of its checks, and the values of the outputs.

    If the run is not kept, only its values matter: it has no checks and no report.
    """
    now = settings()
    case = os.path.join(folder, "case.yaml")
    with open(case, "w") as file:
        # The caller gets the results and judges them.
        json.dump({"kind": "nki", "machine": now.machine, "mode": mode, "seed": now.seed, "not_finite": "allowed",
                   "workload": {"bundle": os.path.abspath(folder)}}, file)
    command = ["run", case, "--out", out]
    for value in tuple(now.set) + tuple(overrides):
        command += ["--set", value]
    if now.check and kept:
        command += ["--check", now.check]
    if mode == "functional":
        command.append("--save-outputs")
    if now.trace and kept:
        command.append("--trace")
    if not (now.report and now.out and kept):
        command.append("--no-report")
    done = execute(command, out)
    if done.status != 0 and failure_of(done.status, done.err).code != "E-RUN-071":
        raise failure(done, bundle)
    with open(os.path.join(out, "summary.json")) as file:
        summary = json.load(file)
    findings = [bundle.with_names(text) for text in summary["checks"]["first"]]
    values = None
    if mode == "functional":
        values = {name: np.load(os.path.join(out, name + ".npy")) for name in bundle.names
                  if os.path.exists(os.path.join(out, name + ".npy"))}
    return summary, findings, values


def failure(done, bundle):
    """The kernel's exception for a program that ended with an error."""
    found = failure_of(done.status, done.err)
    error = KernelError(found.code or "E-RUN", bundle.place_in_kernel(found.place), f"kernel {bundle.name}: {done.err.strip() or found.text}")
    error.status = found.status
    return error
