# SPDX-License-Identifier: Apache-2.0
"""The embedding compared with PyTorch."""
import numpy as np
import torch

from golden_case import GoldenCase

random = np.random.default_rng(23)


def definition(tensors):
    return {"y": torch.nn.functional.embedding(tensors["ids"].flatten(), tensors["table"])}


def case(name, tokens, vocabulary, columns, dtype):
    return GoldenCase(
        name=name, yaml="embedding/llama_4096.yaml",
        set={"workload.tokens": tokens, "workload.vocabulary": vocabulary, "workload.columns": columns, "workload.dtype": dtype,
             "workload.cores": 2},
        inputs={"ids": ("int32", random.integers(0, vocabulary, (tokens, 1))),
                "table": (dtype, random.standard_normal((vocabulary, columns)))},
        expected=definition, tolerance={"y": (0, 0, "nothing is computed")})


CASES = [case("embedding bf16", 301, 1000, 200, "bf16"), case("embedding fp32", 130, 77, 33, "fp32")]
