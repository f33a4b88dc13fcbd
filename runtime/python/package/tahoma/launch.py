# SPDX-License-Identifier: Apache-2.0
"""A call of a kernel: it is traced for each program of its grid, lowered, and run by the program `tahoma`."""
import contextlib
import inspect
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings

import numpy as np

import _tahoma
from _tahoma import NkiTensor
from tahoma import arguments, context, dtypes, results
from tahoma.errors import KernelError, refuse
from tahoma.settings import settings

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_machines = {}


def machine(overrides=()):
    """The machine of the settings."""
    key = (settings().machine, tuple(settings().set) + tuple(overrides))
    if key not in _machines:
        _machines[key] = _tahoma.Machine(key[0], list(key[1]))
    return _machines[key]


def current_place():
    """The line that is being traced, as "file:line"."""
    active = context.active()
    if active is None:
        return ""
    active.tracer.at_caller()
    return active.tracer.place()


def run_traced_kernel(function, args, kwargs):
    """The root of the kernel's call stack: lines outside of this call are not the kernel's."""
    return function(*args, **kwargs)


class Traced:
    """One program of a kernel's grid."""

    def __init__(self, active, inputs, returned):
        self.tracer, self.inputs, self.returned = active.tracer, inputs, returned


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

    def trace(self, program_id, machine_model, rank=0, ranks=1):
        tracer = _tahoma.Tracer(machine_model, self.name, PACKAGE)
        tracer.most_entries = settings().most_instructions
        tensors = {}
        with context.Context(tracer, program_id, self.grid, rank, ranks) as active:
            active.style = self.kernel.style
            for array, name in zip(self.inputs.arrays, self.inputs.names):
                kind, shape, _ = dtypes.array_bytes(array)
                tensors[id(array)] = tracer.tensor(list(shape) or [1], dtypes.element_of(kind), context.BUFFERS["shared_hbm"], name, None,
                                                   _tahoma.Role.input)
            args = arguments.converted(self.args, lambda array: tensors[id(array)])
            kwargs = arguments.converted(self.kwargs, lambda array: tensors[id(array)])
            try:
                returned = run_traced_kernel(self.kernel.function, args, kwargs)
            except RecursionError:
                raise KernelError("E-NKI-026", current_place(), "the kernel calls itself without end") from None
            outputs = checked_outputs(returned, self.name)
            for tensor in outputs:
                tracer.set_role(tensor, _tahoma.Role.output)
        return Traced(active, [tensors[id(a)] for a in self.inputs.arrays], returned)


def checked_outputs(returned, name):
    """The tensors that a kernel returns; the tensors must be in shared HBM."""
    tensors = []
    for value in returned if isinstance(returned, (tuple, list)) else [] if returned is None else [returned]:
        if not isinstance(value, NkiTensor):
            raise KernelError("E-NKI-033", "", f"kernel {name} returns {type(value).__name__} {value!r}; expected tensors in HBM")
        if str(value.buffer) != "shared_hbm":
            raise KernelError("E-NKI-033", "", f"kernel {name} returns {value!r}; expected a tensor in shared_hbm")
        tensors.append(value)
    return tensors


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


def trace(kernel, *args, grid=(), **kwargs):
    """Traces a kernel without running it. Returns its programs; each has .tracer.dump() and .tracer.lower()."""
    call = Call(kernel, grid, args, kwargs)
    return [call.trace((n,) if grid else (), machine(overrides_of(grid))) for n in range(max(1, np.prod(grid or (1,))))]


def overrides_of(grid):
    return ("machine.chip.lnc=2",) if grid and grid[0] == 2 else ()


def launch(kernel, grid, args, kwargs):
    """Runs a kernel and returns what it returns, as arrays."""
    call = Call(kernel, grid, args, kwargs)
    start = time.perf_counter()
    model = machine(overrides_of(grid))
    with time_limit(float(os.environ.get("TAHOMA_TRACE_SECONDS", "600"))):
        programs = [call.trace((n,) if grid else (), model) for n in range(grid[0] if grid else 1)]
    traced = time.perf_counter()
    lowered = [p.tracer.lower(settings().allocation, settings().tensor_copy) for p in programs]
    ready = time.perf_counter()
    bundle = Bundle(call, programs, lowered)
    with tempfile.TemporaryDirectory(prefix="tahoma-") as folder:
        bundle.write(folder)
        out = output_folder(call.name, folder)
        summary, findings, values = run(folder, out, overrides_of(grid), bundle)
        result = results.note(results.Result(
            call.name, summary["simulated_time_ns"], sum(l["instructions"] for l in lowered), summary,
            "" if out.startswith(folder) else out, bundle.warnings, findings,
            {"tracing": traced - start, "lowering": ready - traced, "running": time.perf_counter() - ready}))
    for text in bundle.warnings:
        warnings.warn(text, stacklevel=3)
    if findings:
        raise KernelError("E-RUN-071", "", f"kernel {call.name}: the checks found {len(findings)} mistakes\n" + "\n".join(findings))
    return bundle.returned(values) if values is not None else bundle.empty()


_runs = {}


def output_folder(name, temporary):
    if not settings().out:
        return os.path.join(temporary, "out")
    _runs[name] = _runs.get(name, 0) + 1
    return os.path.join(settings().out, name if _runs[name] == 1 else f"{name}-{_runs[name]}")


class Bundle:
    """The files that the workload `nki` runs: programs, tensors, values (workloads/nki/bundle.h)."""

    def __init__(self, call, programs, lowered):
        self.call, self.programs, self.lowered = call, programs, lowered
        self.tensors, self.arguments = [], []  # entries of the bundle; per program, the tensors of its arguments
        self.number_of = {}  # (core or -1, storage number among shared tensors) -> tensor
        self.warnings = [w for l in lowered for w in l["warnings"]]
        for core, program in enumerate(lowered):
            self.arguments.append([self._number(core, a) for a in program["arguments"]])

    def _number(self, core, argument):
        shared = argument["buffer"] == "shared_hbm"
        key = (-1 if shared else core, self._order(core, argument))
        if key not in self.number_of:
            self.number_of[key] = len(self.tensors)
            self.tensors.append({"argument": argument, "core": core, "storage": argument["storage"], "written": False})
        known = self.tensors[self.number_of[key]]
        if known["argument"]["shape"] != argument["shape"] or known["argument"]["element"] != argument["element"]:
            refuse("E-NKI-034", f"the programs of the two cores declare different tensors in shared_hbm as number {key[1]}: "
                                f"{known['argument']['name']} {known['argument']['shape']} and {argument['name']} {argument['shape']}")
        known["written"] = known["written"] or argument["written"]
        return self.number_of[key]

    def _order(self, core, argument):
        """The tensor's number among those of its kind, in order of declaration: what both cores have in common."""
        return argument["order"] if argument["buffer"] == "shared_hbm" else argument["storage"]

    def _tensor(self, core, view):
        for number, argument in zip(self.arguments[core], self.lowered[core]["arguments"]):
            if argument["storage"] == view.storage_id:
                return number
        return None

    def write(self, folder):
        outputs = set()
        for view in checked_outputs(self.programs[0].returned, self.call.name):
            outputs.add(self._tensor(0, view))
        self.in_place = {}
        for number, view in enumerate(self.programs[0].inputs):
            tensor = self._tensor(0, view)
            if tensor is not None and self.tensors[tensor]["written"]:
                outputs.add(tensor)
                self.in_place[tensor] = self.call.inputs.arrays[number]
        entries = []
        for n, tensor in enumerate(self.tensors):
            argument, file = tensor["argument"], None
            data = argument["values"] if argument["role"] == _tahoma.Role.constant else None
            if argument["role"] == _tahoma.Role.input or tensor["storage"] < len(self.call.inputs.arrays):
                kind, _, data = dtypes.array_bytes(self.call.inputs.arrays[tensor["storage"]])
            if data is not None and settings().mode == "functional" or (data is not None and "int" in argument["element"]):
                file = f"tensor{n}.bin"
                with open(os.path.join(folder, file), "wb") as out:
                    out.write(data)
            entries.append({"name": f"t{n}_{argument['argument']}", "dtype": argument["dtype"], "shape": argument["shape"], "core": tensor["core"],
                            "file": file, "input": data is not None, "output": n in outputs})
        self.names = [entry["name"] for entry in entries]
        programs = []
        for core, lowered in enumerate(self.lowered):
            file = f"program{core}.bin"
            with open(os.path.join(folder, file), "wb") as out:
                out.write(lowered["program"])
            programs.append({"file": file, "core": core, "arguments": self.arguments[core]})
        with open(os.path.join(folder, "bundle.json"), "w") as out:
            json.dump({"kernel": self.call.name, "programs": programs, "tensors": entries}, out)

    def returned(self, values):
        """What the kernel returned, as arrays, after the arrays that it wrote in place are updated."""
        arrays = {}
        for tensor, array in self.in_place.items():
            arrays[tensor] = self._update(array, self._array(tensor, values, array))
        like = next((a for a in self.call.inputs.arrays if hasattr(a, "detach")), None)

        def array_of(view):
            tensor = self._tensor(0, view)
            if tensor not in arrays:
                arrays[tensor] = self._array(tensor, values, like)
            whole = arrays[tensor]
            return whole.reshape(tuple(view.shape)) if tuple(whole.shape) != tuple(view.shape) else whole

        returned = self.programs[0].returned
        if isinstance(returned, (tuple, list)):
            return type(returned)(array_of(view) for view in returned)
        return None if returned is None else array_of(returned)

    def _array(self, tensor, values, like):
        argument = self.tensors[tensor]["argument"]
        data = dtypes.encode(values[self.names[tensor]], argument["element"])
        return dtypes.result_array(data, argument["element"], argument["shape"], like)

    @staticmethod
    def _update(array, new):
        if hasattr(array, "detach"):
            array.data.copy_(new.reshape(array.shape))
            return array
        new = np.asarray(new).reshape(array.shape)
        if array.flags.writeable:
            array[...] = new.astype(array.dtype) if array.dtype.kind != "V" else np.frombuffer(new.tobytes(), array.dtype).reshape(array.shape)
            return array
        return new

    def empty(self):
        """In timing mode there are no values: arrays of zeros."""
        return self.returned({name: np.zeros(t["argument"]["shape"], np.float32) for name, t in zip(self.names, self.tensors)}) \
            if not self.in_place else None


def program():
    """The path of the program `tahoma`: beside the build's Python folder, in the installation, or on the PATH."""
    given = os.environ.get("TAHOMA_PROGRAM")
    module = os.path.dirname(os.path.abspath(_tahoma.__file__))
    for path in (given, os.path.join(module, "..", "tahoma"), os.path.join(module, "..", "..", "..", "bin", "tahoma"), shutil.which("tahoma")):
        if path and os.access(path, os.X_OK) and not os.path.isdir(path):
            return os.path.normpath(path)
    raise FileNotFoundError("tahoma: the program is neither beside the Python package nor on the PATH; TAHOMA_PROGRAM may name it")


def run(folder, out, overrides, bundle):
    """Runs the program on a bundle: its summary, the findings of its checks, and the values of the outputs."""
    now = settings()
    case = os.path.join(folder, "case.yaml")
    with open(case, "w") as file:
        json.dump({"kind": "nki", "machine": now.machine, "mode": now.mode, "seed": now.seed, "workload": {"bundle": folder}}, file)
    command = [program(), "run", case, "--out", out]
    for value in tuple(now.set) + tuple(overrides):
        command += ["--set", value]
    if now.check:
        command += ["--check", now.check]
    if now.mode == "functional":
        command.append("--save-outputs")
    if now.trace:
        command.append("--trace")
    if not (now.report and now.out):
        command.append("--no-report")
    os.makedirs(os.path.dirname(out) or ".", exist_ok=True)
    done = subprocess.run(command, capture_output=True, text=True)
    findings = []
    if done.returncode == 3 and "E-RUN-071" in done.stderr:
        findings = [line for line in done.stderr.splitlines() if line and "E-RUN-071" not in line]
    elif done.returncode != 0:
        raise failure(done, bundle)
    with open(os.path.join(out, "summary.json")) as file:
        summary = json.load(file)
    values = None
    if now.mode == "functional":
        values = {name: np.load(os.path.join(out, name + ".npy")) for n, name in enumerate(bundle.names)
                  if os.path.exists(os.path.join(out, name + ".npy"))}
    return summary, findings, values


def failure(done, bundle):
    text = done.stderr.strip() or f"the program ended with status {done.returncode}"
    code = text.split("error[", 1)[1].split("]", 1)[0] if "error[" in text else "E-RUN"
    return KernelError(code, "", f"kernel {bundle.call.name}: {text}")
