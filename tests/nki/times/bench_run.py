# SPDX-License-Identifier: Apache-2.0
"""Times one kernel of NKIBench: traces it with the inputs of its operator's reference and runs it in timing mode.

    python bench_run.py KERNEL.py REFERENCE.py OUT.json --seconds N --memory BYTES
"""
import argparse
import importlib.util
import json
import os
import sys
import time

import numpy as np

import tahoma
import cases
import sandbox
from analysis import analysis_of


def module_of(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def inputs_of(reference):
    """The reference's inputs. Timing mode needs shapes alone, so that drawing random numbers would be wasted."""
    np.random.normal = lambda loc=0.0, scale=1.0, size=None: np.zeros(size)
    np.random.rand = np.random.randn = lambda *size: np.zeros(size)
    return reference.transform_to_nki_inputs(reference.get_inputs())


def timed(kernel, reference):
    inputs = inputs_of(module_of(reference, "bench_reference"))
    tahoma.configure(mode="timing", check="", report=False, out="", descriptors="host")
    start = time.perf_counter()
    module_of(kernel, "bench_kernel").kernel(*inputs)
    result = tahoma.last()
    summary = result.summary
    shares = {name: summary[f"{name}_active_time_percent" if name == "dma" else f"{name}_engine_active_time_percent"] for name in cases.SHARES}
    return {"time_us": result.time_ns / 1e3, "lnc": 1, "kernel": "kernel", "instructions": result.instructions, "analysis": analysis_of(summary),
            "host_seconds": time.perf_counter() - start, **{f"{name}_percent": share for name, share in shares.items()},
            **{f"hbm_{side}_mb": summary[f"hbm_{side}_bytes"] / 1e6 for side in cases.SIDES}}


def main():
    parser = argparse.ArgumentParser()
    for name in ("kernel", "reference", "out"):
        parser.add_argument(name)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--memory", type=int, required=True)
    given = parser.parse_args()
    found = {"reason": "no result"}
    ended = sandbox.run_isolated(lambda send: send(timed(given.kernel, given.reference)), given.seconds, given.memory, lambda value: (found.clear(), found.update(value)),
                                 given.out + ".log")
    if ended.reason:
        found = {"reason": mistake(ended)}
    with open(given.out + ".part", "w") as file:
        json.dump(found, file)
    os.replace(given.out + ".part", given.out)


def mistake(ended):
    """The line of the log that names the error, or how the process ended."""
    lines = [line.strip() for line in ended.log.splitlines() if "error[" in line or "Error:" in line]
    return (lines[-1] if lines else ended.reason)[:300]


if __name__ == "__main__":
    main()
