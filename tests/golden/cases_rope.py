# SPDX-License-Identifier: Apache-2.0
"""Rotary position embedding compared with PyTorch, as a product of complex numbers."""
import numpy as np
import torch

from golden_case import GoldenCase

random = np.random.default_rng(22)


def definition(interleaved):
    def turn(tensors):
        x, table = tensors["x"], tensors["table"]
        if "positions" in tensors:
            table = table[tensors["positions"].flatten()]
        half = x.shape[2] // 2
        angles = torch.complex(table[:, :half], table[:, half:])[:, None]
        if interleaved:
            pairs = torch.view_as_complex(x.reshape(*x.shape[:2], half, 2).contiguous()) * angles
            return {"y": torch.view_as_real(pairs).reshape(x.shape)}
        pairs = torch.complex(x[..., :half].contiguous(), x[..., half:].contiguous()) * angles
        return {"y": torch.cat([pairs.real, pairs.imag], dim=2)}
    return turn


def case(name, tokens, heads, d, interleaved, positions, dtype, unit):
    inputs = {"x": (dtype, random.uniform(-2, 2, (tokens, heads, d)))}
    rows = positions or tokens
    angles = np.arange(rows)[:, None] * 10000.0 ** (-2 * np.arange(d // 2) / d)
    inputs["table"] = (dtype, np.concatenate([np.cos(angles), np.sin(angles)], axis=1))
    if positions:
        inputs["positions"] = ("int32", random.integers(0, positions, (tokens, 1)))
    return GoldenCase(
        name=name, yaml="rope/interleaved.yaml" if interleaved else "rope/halves.yaml",
        set={"workload.tokens": tokens, "workload.heads": heads, "workload.d": d, "workload.positions": positions,
             "workload.dtype": dtype, "workload.cores": 2},
        inputs=inputs, expected=definition(interleaved),
        tolerance={"y": (3 * unit, unit, f"two products of at most 2 and their sum, each rounded to {dtype}")})


CASES = [case("rope bf16, halves", 200, 4, 128, False, 0, "bf16", 2**-8),
         case("rope fp32, interleaved", 150, 3, 64, True, 0, "fp32", 2**-23),
         case("rope fp16, halves, by position", 140, 2, 80, False, 500, "fp16", 2**-11),
         case("rope bf16, interleaved, by position", 130, 5, 32, True, 99, "bf16", 2**-8)]
