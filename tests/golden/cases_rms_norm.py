# SPDX-License-Identifier: Apache-2.0
"""RMS normalisation compared with PyTorch."""
import numpy as np

from golden_case import GoldenCase

random = np.random.default_rng(11)


def definition(tensors):
    x, g = tensors["x"], tensors["g"]
    return {"y": x / (x.square().mean(dim=1, keepdim=True) + 1e-5).sqrt() * g}


def case(name, rows, columns, dtype, unit):
    return GoldenCase(
        name=name,
        yaml="rms_norm/one_core.yaml",
        set={"workload.rows": rows, "workload.columns": columns, "workload.dtype": dtype, "workload.cores": 3},
        inputs={"x": (dtype, random.standard_normal((rows, columns))),
                "g": ("fp32", random.uniform(0.5, 1.5, (1, columns)))},
        expected=definition,
        tolerance={"y": (0, unit + 2e-5, f"one rounding to {dtype} and a mean of {columns} squares in fp32")})


CASES = [case("rms_norm bf16", 300, 515, "bf16", 2**-8), case("rms_norm fp32", 129, 64, "fp32", 0)]
