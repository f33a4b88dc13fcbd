# SPDX-License-Identifier: Apache-2.0
"""Where the time of a run went, by line, and what to try there."""
from __future__ import annotations

from typing import Any, Mapping

Summary = Mapping[str, Any]

# What to try where a resource holds the critical path (the resources of report/path/path_resource.h).
REMEDIES = {
    "tensor engine": "the matmuls themselves take this time: use bf16 or fp8 operands, fill all 128 rows and columns of the array, and give "
                     "each stationary tile as many moving columns as PSUM holds",
    "vector engine": "element-wise work on the vector engine takes this time: use all 128 partitions, 16-bit dtypes in SBUF, and fewer, fused "
                     "instructions (tensor_scalar with two operations, scalar_tensor_tensor, tensor_scalar_reduce); give some of it to the "
                     "scalar engine",
    "scalar engine": "activations take this time: use all 128 partitions, fold scale and bias into the activation, take sums with "
                     "activation_reduce, and give copies and arithmetic to the vector engine",
    "gpsimd engine": "GpSimd takes this time, the slowest engine: use an instruction of the vector or scalar engine",
    "hand-over": "engines wait for each other's semaphores: work on larger tiles, so that there are fewer instructions, and on several "
                 "independent tiles, so that engines overlap",
    "dynamic addresses": "copies with addresses in registers take this time: use addresses that are known during tracing",
    "synchronisation": "the other core of the pair is late: give both cores equal work, and use fewer barriers",
    "SBUF ports": "the vector engine and GpSimd share a port of SBUF: give the work of one of them to the scalar engine",
    "DMA": "data movement takes this time: move larger blocks with fewer dma_copy (each costs some 2 us, and at least 512 bytes a row), start "
           "loads before they are needed (a tile of its own for each iteration), and do not move data twice",
    "descriptor generator": "the hardware generator of descriptors takes this time, some 600 ns a transfer: use fewer, larger transfers, and "
                            "both hardware queues (engine=nisa.sync_engine, nisa.scalar_engine)",
    "HBM": "memory takes this time: read contiguous rows of at least 2 KiB, keep data in SBUF that is used again, and use 16-bit dtypes",
    "on-chip network": "the way to a memory takes this time: use fewer, larger transfers",
    "NeuronLink": "other chips take this time: overlap communication with computation, and send larger messages",
}
MOST_ROWS = 20


def path_rows(summary: Summary) -> list[dict[str, Any]]:
    """The critical path by line and resource, the longest first."""
    rows = [row for row in summary["critical_path"]["operations"] if row["resource"] != "none"]
    return [{"place": row["operation"], "resource": row["resource"], "time_us": row["time_ns"] / 1e3, "percent": row["share_percent"]}
            for row in rows[:MOST_ROWS]]


def largest_losses(summary: Summary, most: int = 3) -> list[dict[str, Any]]:
    """The lines that hold the critical path for longest, with what to try."""
    return [{**row, "remedy": REMEDIES.get(row["resource"], "")} for row in path_rows(summary)[:most]]


def bound(summary: Summary) -> dict[str, Any]:
    """The resource that is busy for longest, and for how long: with these instructions, no order of them takes less."""
    shares = {f"{name} engine": engine["time_percent"]["busy"] for name, engine in summary["engines"].items()}
    shares["HBM"] = summary["mbu_estimated_percent"]
    resource = max(shares, key=lambda name: shares[name])
    return {"resource": resource, "percent": shares[resource], "time_us": summary["simulated_time_ns"] / 1e3 * shares[resource] / 100}


def engine_shares(summary: Summary) -> dict[str, float]:
    """Of each engine, percent of the time in which it is active; the vendor's profiler has the same."""
    shares = {name: engine["active_percent"] for name, engine in summary["engines"].items()}
    return {**shares, "dma": summary["dma_active_time_percent"]}
