#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Sweep a design space, and plot its points with the Pareto front of time and price."""
import matplotlib.pyplot as plt

import tahoma

sweep = tahoma.sweep({
    "workloads": "gemm/one_core_4096",
    "mode": "timing",
    "axes": {"machine.chip.hbm.stacks": [1, 2, 4], "machine.chip.core.tensor.clock": ["1.4 GHz", "2.0 GHz", "2.8 GHz"]},
    "metrics": {"price": "machine.chip.hbm.stacks * 120 + machine.chip.core.tensor.clock / GHz * 300"},
}, workload__m=512, workload__n=1024, workload__k=1024, out="out-clocks")
print(sweep)

front = sweep.front("simulated_time_ns", "price")
for point in front:
    print(point.texts, point.metrics["simulated_time_ns"], "ns, price", point.metrics["price"])

# Each point opens its run.
best = front[0].run
print("the fastest point:", repr(best))

figure, axes = plt.subplots()
axes.scatter(sweep.metrics["price"], sweep.metrics["simulated_time_ns"], label="points")
axes.plot([point.metrics["price"] for point in front], [point.metrics["simulated_time_ns"] for point in front], "C1o-", label="Pareto front")
axes.set_xlabel("price")
axes.set_ylabel("time / ns")
axes.legend()
figure.savefig("front.png")
print("wrote front.png")
