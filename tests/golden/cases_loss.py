# SPDX-License-Identifier: Apache-2.0
"""Cross-entropy compared with PyTorch, its gradient from autograd."""
import numpy as np
import torch

from golden_case import GoldenCase

random = np.random.default_rng(24)
CORES = 2


def definition(tensors):
    logits = tensors["logits"].clone().requires_grad_()
    loss = torch.nn.functional.cross_entropy(logits, tensors["labels"].flatten(), reduction="none")
    loss.mean().backward()
    parts = [part.sum() / len(loss) for part in torch.tensor_split(loss, CORES)]
    return {"loss": loss, "gradient": logits.grad, "part": torch.stack(parts)}


def case(name, rows, columns, dtype, unit):
    # Logits are within 6 of each other: sums of exponentials are accurate to some 2^-20.
    return GoldenCase(
        name=name, yaml="loss/vocabulary_32768.yaml",
        set={"workload.rows": rows, "workload.columns": columns, "workload.dtype": dtype, "workload.cores": CORES},
        inputs={"logits": (dtype, random.uniform(-3, 3, (rows, columns))),
                "labels": ("int32", random.integers(0, columns, (rows, 1)))},
        expected=definition,
        tolerance={"loss": (4e-5, 0, f"a sum of {columns} exponentials in fp32"),
                   "part": (4e-5, 0, "a mean of losses"),
                   "gradient": (1e-6 / rows, 2 * unit + 4e-5, f"an exponential and a product, each rounded to {dtype}")})


CASES = [case("cross entropy bf16", 200, 5000, "bf16", 2**-8), case("cross entropy fp32", 131, 3001, "fp32", 2**-23)]
