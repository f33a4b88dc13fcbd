#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Load statistics, tables and points of a sweep into pandas."""
import pandas

import tahoma

pandas.set_option("display.width", 120)

run = tahoma.run("collective/all_gather", mode="timing")

# Which links carried most, and for how long were they busy?
links = run.frame("links")
print(links.nlargest(5, "payload_bytes")[["name", "payload_bytes", "busy_percent"]].to_string(index=False))

# Stall reasons of all collective cores, summed over the machine.
stats = run.stats.match("*.core*.cc*").frame()
stats["reason"] = stats["path"].str.rsplit(".", n=1).str[-1]
print(stats[stats["unit"] == "ns"].groupby("reason")["value"].sum().nlargest(5).to_string())

sweep = tahoma.sweep({"workloads": "gemm/one_core_4096", "mode": "timing",
                      "axes": {"workload.m": [256, 512], "workload.dtype": ["bf16", "fp32"]}}, workload__n=512, workload__k=512)
points = sweep.frame("workload.m", "workload.dtype", "simulated_time_ns", "mfu_estimated_percent")
print(points.pivot(index="workload.m", columns="workload.dtype", values="simulated_time_ns"))
