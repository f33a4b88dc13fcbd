# SPDX-License-Identifier: Apache-2.0
"""Quantisation to fp8 with scales and back, compared with PyTorch."""
import numpy as np
import torch

from golden_case import SMALL_FLOATS, GoldenCase

random = np.random.default_rng(45)
BLOCK = 128


def columns_of_groups(columns, group):
    return [slice(0, columns)] if group == "row" else [slice(c, min(c + BLOCK, columns)) for c in range(0, columns, BLOCK)]


def quantise(rows, columns, dtype, fp8, group):
    _, mantissa, _, largest = SMALL_FLOATS[fp8]

    def expected(t):
        y, scales = torch.empty_like(t["x"]), []
        for c in columns_of_groups(columns, group):
            scales.append(t["x"][:, c].abs().amax(dim=1, keepdim=True) / largest)
            y[:, c] = t["x"][:, c] / scales[-1]
        return {"y": y, "scale": torch.cat(scales, dim=1)}

    smallest = 2.0**(1 - SMALL_FLOATS[fp8][2] - mantissa)  # half of it is lost in the subnormals
    return GoldenCase(
        name=f"quantise {dtype} {fp8} {group}", yaml="quantise/rows.yaml",
        set={"workload.rows": rows, "workload.columns": columns, "workload.dtype": dtype, "workload.fp8": fp8, "workload.group": group,
             "workload.cores": 2},
        inputs={"x": (dtype, random.standard_normal((rows, columns)))},
        expected=expected,
        tolerance={"y": (smallest / 2, 2.0**-(mantissa + 1) + 1e-6, f"one rounding to {fp8}, subnormals included"),
                   "scale": (0, 1e-6, "a quotient in fp32")})


def dequantise(rows, columns, group):
    groups = len(columns_of_groups(columns, group))

    def expected(t):
        x = torch.empty_like(t["y"])
        for number, c in enumerate(columns_of_groups(columns, group)):
            x[:, c] = t["y"][:, c] * t["scale"][:, number:number + 1]
        return {"x": x}

    return GoldenCase(
        name=f"dequantise {group}", yaml="quantise/dequantise.yaml",
        set={"workload.rows": rows, "workload.columns": columns, "workload.group": group, "workload.cores": 2},
        inputs={"y": ("fp8_e4m3", 50 * random.standard_normal((rows, columns))),
                "scale": ("fp32", random.uniform(0.001, 0.1, (rows, groups)))},
        expected=expected,
        tolerance={"x": (0, 2**-8 + 1e-6, "one rounding to bf16")})


CASES = [quantise(300, 515, "bf16", "fp8_e4m3", "row"), quantise(129, 515, "fp32", "fp8_e5m2", "block"),
         quantise(129, 256, "fp16", "fp8_e3m4", "block"), dequantise(300, 515, "row"), dequantise(129, 700, "block")]
