# SPDX-License-Identifier: Apache-2.0
"""Softmax, layer norm and RMS norm compared with PyTorch: forward by its functions, backward by its autograd."""
import numpy as np
import torch

from golden_case import GoldenCase

random = np.random.default_rng(41)
UNIT = {"bf16": 2**-8, "fp16": 2**-11, "fp32": 0}


def normal(*shape):
    return random.standard_normal(shape)


def settings(rows, columns, dtype, cores):
    return {"workload.rows": rows, "workload.columns": columns, "workload.dtype": dtype, "workload.cores": cores}


def softmax(rows, columns, dtype, cores=1):
    return GoldenCase(
        name=f"softmax {dtype} {columns}", yaml="norm/softmax.yaml", set=settings(rows, columns, dtype, cores),
        inputs={"x": (dtype, 3 * normal(rows, columns))},
        expected=lambda t: {"y": torch.softmax(t["x"], dim=1)},
        tolerance={"y": (0 if dtype != "fp16" else 2**-25, UNIT[dtype] + 1e-5,
                         f"one rounding to {dtype}, subnormal in fp16, and a sum of {columns} exponentials in fp32")})


def softmax_backward(rows, columns, dtype):
    def expected(t):
        return {"dx": torch.ops.aten._softmax_backward_data(t["dy"], t["y"], 1, torch.float64)}

    return GoldenCase(
        name=f"softmax backward {dtype}", yaml="norm/softmax_backward.yaml", set=settings(rows, columns, dtype, 2),
        inputs={"y": (dtype, np.exp(normal(rows, columns)) / columns), "dy": (dtype, normal(rows, columns))},
        expected=expected,
        tolerance={"dx": (1e-7, UNIT[dtype] + 1e-5, f"one rounding to {dtype}; a sum of {columns} products below 1 in fp32")})


def layer_norm(rows, columns, dtype, cores=1):
    def expected(t):
        y, mean, rstd = torch.native_layer_norm(t["x"], [columns], t["g"].reshape(-1), t["b"].reshape(-1), 1e-5)
        return {"y": y, "mean": mean, "rstd": rstd}

    return GoldenCase(
        name=f"layer norm {dtype} {columns}", yaml="norm/layer_norm.yaml", set=settings(rows, columns, dtype, cores),
        inputs={"x": (dtype, 5 + normal(rows, columns)), "g": ("fp32", random.uniform(0.5, 1.5, (1, columns))),
                "b": ("fp32", normal(1, columns))},
        expected=expected,
        tolerance={"y": (3e-5, UNIT[dtype] + 1e-5, f"one rounding to {dtype}; a mean of 5 and {columns} squares in fp32"),
                   "mean": (0, 1e-5, "a sum in fp32"), "rstd": (0, 1e-5, "a sum in fp32")})


def layer_norm_backward(rows, columns, dtype):
    x, dy = normal(rows, columns), normal(rows, columns)
    mean = x.mean(axis=1, keepdims=True)
    rstd = 1 / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)

    def expected(t):
        dx, dg, db = torch.ops.aten.native_layer_norm_backward(
            t["dy"], t["x"], [columns], t["mean"], t["rstd"], t["g"].reshape(-1), torch.zeros(columns, dtype=torch.float64),
            [True, True, True])
        return {"dx": dx, "dg": dg, "db": db}

    # For sums over rows of products of about 1, each rounded to bf16: 6 deviations.
    spread = 6 * 2**-9 * (rows / 3)**0.5 if dtype != "fp32" else 1e-4
    return GoldenCase(
        name=f"layer norm backward {dtype}", yaml="norm/layer_norm_backward.yaml", set=settings(rows, columns, dtype, 1),
        inputs={"x": (dtype, x), "dy": (dtype, dy), "g": ("fp32", random.uniform(0.5, 1.5, (1, columns))),
                "mean": ("fp32", mean), "rstd": ("fp32", rstd)},
        expected=expected,
        tolerance={"dx": (2e-5, UNIT[dtype] + 1e-5, f"one rounding to {dtype}; means of {columns} in fp32"),
                   "dg": (4 * spread, 1e-5, f"{rows} products rounded to bf16, the largest about 4"),
                   "db": (1e-4, 1e-5, f"a sum of {rows} in fp32")})


def rms_norm_backward(rows, columns, dtype):
    def expected(t):
        x, g = t["x"].clone().requires_grad_(), t["g"].clone().requires_grad_()
        y = x / (x.square().mean(dim=1, keepdim=True) + 1e-5).sqrt() * g
        y.backward(t["dy"])
        return {"dx": x.grad, "dg": g.grad}

    spread = 6 * 2**-9 * (rows / 3)**0.5 if dtype != "fp32" else 1e-4
    return GoldenCase(
        name=f"rms norm backward {dtype}", yaml="norm/rms_norm_backward.yaml", set=settings(rows, columns, dtype, 1),
        inputs={"x": (dtype, normal(rows, columns)), "dy": (dtype, normal(rows, columns)),
                "g": ("fp32", random.uniform(0.5, 1.5, (1, columns)))},
        expected=expected,
        tolerance={"dx": (2e-5, UNIT[dtype] + 1e-5, f"one rounding to {dtype}; means of {columns} in fp32"),
                   "dg": (4 * spread, 1e-5, f"{rows} products rounded to bf16, the largest about 4")})


CASES = [
    softmax(300, 515, "bf16", 3), softmax(129, 64, "fp32"), softmax(7, 16384, "fp16"),
    softmax_backward(300, 514, "bf16"), softmax_backward(129, 4097, "fp32"),
    layer_norm(300, 515, "bf16", 3), layer_norm(129, 2100, "fp32"),
    layer_norm_backward(300, 515, "bf16"), layer_norm_backward(129, 2100, "fp32"),
    rms_norm_backward(300, 515, "bf16"), rms_norm_backward(129, 64, "fp32"),
]
