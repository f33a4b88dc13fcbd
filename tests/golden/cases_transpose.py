# SPDX-License-Identifier: Apache-2.0
"""Transposition compared with PyTorch, exactly."""
import numpy as np

from golden_case import GoldenCase

random = np.random.default_rng(43)


def case(by, rows, columns, dtype):
    return GoldenCase(
        name=f"transpose by {by} {dtype}", yaml="transpose/tensor.yaml",
        set={"workload.by": by, "workload.rows": rows, "workload.columns": columns, "workload.dtype": dtype, "workload.cores": 2},
        inputs={"x": (dtype, 1000 * random.standard_normal((rows, columns)))},
        expected=lambda t: {"y": t["x"].T.contiguous()},
        tolerance={"y": (0, 0, "elements pass bit by bit")})


CASES = [case("tensor", 300, 515, "bf16"), case("tensor", 129, 131, "int32"), case("dma", 300, 131, "bf16"), case("dma", 33, 131, "fp32")]
