# SPDX-License-Identifier: Apache-2.0
"""Stands between a script and Tahoma: launches of the wanted kernel run in every mode, with checks, and are recorded."""
import copy
import inspect
import time

import numpy as np

import tahoma
import tahoma.launch
from analysis import analysis_of
from tahoma import dtypes


class Differs(AssertionError):
    """The two modes give different times."""


class Launches:
    """What happens to launches. `blank`: other kernels return zeros, without computing values."""

    def __init__(self, name, modes, blank, comparisons, most):
        self.name, self.modes, self.blank, self.comparisons, self.most = name, modes, blank, comparisons, most
        self.records, self.values = [], []  # one of each for a launch of the wanted kernel
        self.others = set()
        self._launch = tahoma.launch.launch

    def install(self):
        tahoma.launch.launch = self.launch

    def launch(self, kernel, grid, args, kwargs):
        self.comparisons.kernel = kernel.__name__
        if kernel.__name__ != self.name or len(self.records) >= self.most:
            self.others.add(kernel.__name__)
            tahoma.configure(mode="functional", check="", out="", report=False)
            if self.blank and kernel.__name__ != self.name:
                return zeros(kernel, grid, args, kwargs)
            return self._launch(kernel, grid, args, kwargs)
        record = {"kernel": self.name, "grid": [int(n) for n in grid] if all(isinstance(n, int) for n in grid) else str(grid), "runs": []}
        self.records.append(record)
        before = copy.deepcopy((args, kwargs))
        returned = None
        runs = Runs(lambda given: self._launch(kernel, grid, *given), before)
        for mode in self.modes:
            values, mine, run = runs.run(mode)
            record["runs"].append(run)
            if mode == "functional":
                written_back((args, kwargs), mine)
            returned = values if mode == "functional" or returned is None else returned
        times = {run["time_ns"] for run in record["runs"]}
        if len(times) > 1:
            raise Differs("the two modes give different times: " + ", ".join(f"{r['mode']} {r['time_ns']} ns" for r in record["runs"]))
        self.values.append((self._named(kernel, before), copy.deepcopy(returned)))
        return returned

    @staticmethod
    def _named(kernel, before):
        """The arguments by name, as NumPy arrays of fp32 where they are floats."""
        bound = inspect.signature(kernel.function).bind(*before[0], **before[1])
        bound.apply_defaults()
        return {name: host_array(value) for name, value in bound.arguments.items()}


class Runs:
    """Runs of one call in several modes. The kernel is traced once, as by the vendor's compiler: some scripts keep state in a module."""

    def __init__(self, call, arguments):
        self.call, self.arguments = call, copy.deepcopy(arguments)
        self.prepared = None

    def _run(self):
        original = tahoma.launch.run_calls

        def run_calls(calls):
            self.prepared = self.prepared or tahoma.launch.Prepared(calls)
            return self.prepared.run()

        tahoma.launch.run_calls = run_calls
        try:
            return self.call(self.arguments) if self.prepared is None else self._again()
        finally:
            tahoma.launch.run_calls = original

    def _again(self):
        returned = self.prepared.run()
        return returned if len(returned) > 1 else returned[0]

    def run(self, mode):
        """Runs in a mode, with checks in functional mode. Returns (values, the arguments, record).

        Races fail. Public kernels also move memory that was never written and never use it: such findings stand in the record, and
        the run is repeated without that check. Whether the values are right then is for the comparison.
        """
        findings = []
        for check in ("races,uninitialised", "races") if mode == "functional" else ("",):
            tahoma.configure(mode=mode, check=check, report=False, out="")
            start = time.perf_counter()
            try:
                values = self._run()
            except tahoma.KernelError as error:
                findings = list(tahoma.last().findings) if error.code == "E-RUN-071" else []
                if check == "races,uninitialised" and findings and all(f.startswith("E-CHK-002") for f in findings):
                    continue
                raise
            break
        result = tahoma.last()
        record = {"mode": mode, "time_ns": result.time_ns, "instructions": result.instructions, "host_seconds": time.perf_counter() - start,
                  "parts": result.host_seconds, "warnings": [w[:300] for w in result.warnings[:5]]}
        if mode == "timing":
            record["analysis"] = analysis_of(result.summary)
        if findings:
            record["uninitialised"] = findings[:5]
        return values, self.arguments, record


def written_back(given, copies):
    """What the kernel wrote in place, in the caller's arrays."""
    for own, new in zip(list(given[0]) + list(given[1].values()), list(copies[0]) + list(copies[1].values())):
        if isinstance(own, np.ndarray) and own.flags.writeable:
            own[...] = new
        elif hasattr(own, "detach"):
            own.data.copy_(new)


def zeros(kernel, grid, args, kwargs):
    """What a kernel would return, without values: it is only traced."""
    returned = tahoma.trace(kernel, *args, grid=grid, **kwargs)[0].returned
    like = next((a for a in list(args) + list(kwargs.values()) if hasattr(a, "detach")), None)

    def blank(view):
        return dtypes.result_array(bytes(view.size * view.itemsize), view.dtype.name, tuple(view.shape), like)

    if isinstance(returned, (list, tuple)):
        return type(returned)(blank(view) for view in returned)
    return None if returned is None else blank(returned)


def host_array(value):
    if hasattr(value, "detach"):
        import torch

        return (value.detach().cpu().float() if value.dtype == torch.bfloat16 else value.detach().cpu()).numpy()
    if isinstance(value, np.ndarray) and value.dtype == np.float16:
        return value.astype(np.float32)
    return value
