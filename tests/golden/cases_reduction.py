# SPDX-License-Identifier: Apache-2.0
"""Reductions compared with PyTorch."""
import numpy as np

from golden_case import GoldenCase

random = np.random.default_rng(44)
OPS = {"sum": lambda x, dim: x.sum(dim=dim, keepdim=True), "mean": lambda x, dim: x.mean(dim=dim, keepdim=True),
       "max": lambda x, dim: x.amax(dim=dim, keepdim=True), "min": lambda x, dim: x.amin(dim=dim, keepdim=True)}


def case(op, over, rows, columns, dtype):
    terms = columns if over == "columns" else rows
    slack = 6 * 2**-24 * (4 * terms / 3)**0.5 * 6 * terms**0.5 if op in ("sum", "mean") else 0
    return GoldenCase(
        name=f"{op} over {over} {dtype}", yaml="reduction/sum_columns.yaml",
        set={"workload.op": op, "workload.over": over, "workload.rows": rows, "workload.columns": columns, "workload.dtype": dtype,
             "workload.cores": 3 if over == "columns" else 1},
        inputs={"x": (dtype, random.standard_normal((rows, columns)))},
        expected=lambda t: {"y": OPS[op](t["x"], 1 if over == "columns" else 0)},
        tolerance={"y": (slack / (terms if op == "mean" else 1), 1e-6,
                         f"a sum of {terms} in fp32 within six deviations of its terms" if slack else "exact in fp32")})


CASES = [case("sum", "columns", 300, 515, "bf16"), case("mean", "columns", 129, 4099, "fp32"), case("max", "columns", 129, 700, "bf16"),
         case("min", "columns", 129, 5120, "fp16"), case("sum", "rows", 300, 515, "bf16"), case("mean", "rows", 129, 64, "fp32"),
         case("max", "rows", 300, 260, "bf16"), case("min", "rows", 129, 131, "fp32")]
