#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Run a case, and read times, statistics, tables, series and tensors from the result."""
import numpy as np

import tahoma

# A shipped case with two of its parameters changed. A keyword with a double underscore is a parameter.
run = tahoma.run("gemm/one_core_4096", workload__m=256, workload__n=1024, workload__k=512, save_outputs=True)
print(run)

print("time", run.time_us, "us; MFU", run.mfu, "%; golden", run.golden.outcome)

# Statistics by instance and name, with their units.
core = run.stats.below("server0.chip00.core0")
print("the tensor engine was busy for", core["tensor.busy"])
print("all DMA bytes:", run.summary.dma.bytes)

# Tables are columns, series are arrays over the windows of the run.
for region, time in zip(run.regions["name"], run.regions["time_ns"]):
    print("region", region, "took", time, "ns")
engines = run.series("engines")
busiest = max(engines, key=lambda name: float(engines[name] @ engines.window_ns))
print("the busiest engine was", busiest)

# The result of a functional run.
((name, result),) = run.tensors.items()
print("output", name, result.dtype, result.shape, "mean", np.abs(result).mean())

# The same, described by a mapping instead of a file. Times only, and a folder of its own.
case = {"kind": "gemm", "machine": "trainium2_one_chip", "workload": {"m": 256, "n": 1024, "k": 512}}
times = tahoma.run(case, mode="timing", out="out", set={"machine.chip.hbm.stacks": 2})
print("two stacks:", times.time_us, "us; the page is", times.path / "report.html")
