# SPDX-License-Identifier: Apache-2.0
"""Stands between a script and Tahoma: launches of the wanted kernel run in every mode, with checks, and are recorded."""
import copy
import inspect
import time

import numpy as np

import tahoma
import tahoma.launch


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
            mode = "timing" if self.blank and kernel.__name__ != self.name else "functional"
            tahoma.configure(mode=mode, check="", out="", report=False)
            return self._launch(kernel, grid, args, kwargs)
        record = {"kernel": self.name, "grid": [int(n) for n in grid] if all(isinstance(n, int) for n in grid) else str(grid), "runs": []}
        self.records.append(record)
        before = copy.deepcopy((args, kwargs))
        returned = None
        for mode in self.modes:
            mine = copy.deepcopy(before) if mode != "functional" else (args, kwargs)
            tahoma.configure(mode=mode, check="races,uninitialised" if mode == "functional" else "", out="", report=False)
            start = time.perf_counter()
            values = self._launch(kernel, grid, *mine)
            result = tahoma.last()
            record["runs"].append({"mode": mode, "time_ns": result.time_ns, "instructions": result.instructions,
                                   "host_seconds": time.perf_counter() - start, "parts": result.host_seconds, "warnings": len(result.warnings)})
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


def host_array(value):
    if hasattr(value, "detach"):
        import torch

        return (value.detach().cpu().float() if value.dtype == torch.bfloat16 else value.detach().cpu()).numpy()
    if isinstance(value, np.ndarray) and value.dtype == np.float16:
        return value.astype(np.float32)
    return value
