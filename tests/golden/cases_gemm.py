# SPDX-License-Identifier: Apache-2.0
"""GEMM in every dtype and mode, and its epilogues, compared with PyTorch."""
import math

import numpy as np
import torch

from golden_case import GoldenCase

random = np.random.default_rng(21)
UNIT = {"bf16": 2**-8, "fp16": 2**-11, "fp32": 2**-24, "tf32": 2**-11}
MODES = {"sparse_4_16": (4, 16), "sparse_4_12": (4, 12), "sparse_4_8": (4, 8), "sparse_2_8": (2, 8),
         "sparse_2_4": (2, 4), "sparse_1_4": (1, 4), "sparse_1_2": (1, 2)}
ACTIVATIONS = {
    "none": lambda x: x,
    "relu": torch.relu,
    "gelu": torch.nn.functional.gelu,
    "gelu_apprx_tanh": lambda x: x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2,
    "silu": torch.nn.functional.silu,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
}


def sparse(values, mode):
    """Keeps at most `kept` of each group of `size` in a row, anywhere in the group."""
    kept, size = MODES[mode]
    rows, columns = values.shape
    for row in range(rows):
        for first in range(0, columns, size):
            here = min(size, columns - first)
            dropped = random.permutation(here)[kept:]
            values[row, first + dropped] = 0
    return values


def tolerance(k, out):
    """One rounding to C's dtype; k roundings of fp32 on sums that stay below 6 sqrt(k) for normal factors in [-1, 1)."""
    return {"c": (6 * 2**-24 * math.sqrt(2 * k / 3) * 6 * math.sqrt(k), UNIT[out], f"{k} products in fp32, rounded to {out}")}


def case(dtype, m=130, n=515, k=387, mode="dense", out=None, bias="none", activation="none", residual=False, shard_m=1, shard_n=1, shard_k=1, a_layout="columns"):
    out = out or ("bf16" if dtype.startswith("fp8") else dtype)
    a, b = random.uniform(-1, 1, (m, k)), random.uniform(-1, 1, (k, n))
    if mode in MODES:
        a = sparse(a, mode)
    inputs = {"a": (dtype, a), "b": (dtype, b)}
    if bias != "none":
        inputs["bias"] = ("fp32", random.uniform(-4, 4, (m, 1) if bias == "rows" else (1, n)))
    if residual:
        inputs["residual"] = (out, random.uniform(-4, 4, (m, n)))

    def definition(tensors):
        sums = tensors["a"] @ tensors["b"] + tensors.get("bias", 0)
        return {"c": ACTIVATIONS[activation](sums) + tensors.get("residual", 0)}

    settings = {"m": m, "n": n, "k": k, "dtype": dtype, "out": out, "mode": mode, "epilogue.bias": bias,
                "epilogue.activation": activation, "epilogue.residual": residual, "a_layout": a_layout, "shard.m": shard_m, "shard.n": shard_n, "shard.k": shard_k}
    words = [dtype, mode, *(["to", out] if out != dtype else []), bias, activation, "residual" if residual else "",
             "A by rows" if a_layout == "rows" else "",
             f"on {shard_m}x{shard_n}x{shard_k}"]
    return GoldenCase(name="gemm " + " ".join(word for word in words if word not in ("", "none")), yaml="gemm/chip.yaml",
                      set={f"workload.{key}": value for key, value in settings.items()}, inputs=inputs,
                      expected=definition, tolerance=tolerance(k, out))


CASES = [case(dtype) for dtype in ("bf16", "fp16", "fp32", "tf32", "fp8_e4m3", "fp8_e5m2", "fp8_e3m4")]
CASES += [case("fp8_e4m3", mode="double_row"), case("fp8_e5m2", mode="double_row", out="fp32", shard_k=2)]
CASES += [case("bf16", mode=mode) for mode in MODES]
CASES += [case("fp8_e3m4", mode="sparse_4_16"), case("tf32", mode="sparse_1_2")]
CASES += [case("bf16", bias=bias, activation=activation, residual=residual, shard_m=2)
          for bias, activation, residual in (("rows", "none", False), ("columns", "gelu", False), ("rows", "silu", True),
                                             ("columns", "none", True), ("none", "relu", False), ("rows", "tanh", False))]
CASES += [case("fp32", bias="columns", activation="gelu_apprx_tanh", residual=True, shard_n=2, shard_m=4)]
CASES += [case("bf16", out="fp32", shard_n=2)]
CASES += [case("bf16", a_layout="rows", shard_m=2), case("fp16", m=16, a_layout="rows", shard_k=2)]
