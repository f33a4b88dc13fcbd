# SPDX-License-Identifier: Apache-2.0
"""Routing of a mixture of experts compared with PyTorch. Logits are given, so that no rounding decides between experts; some are
equal."""
import numpy as np
import torch

from golden_case import GoldenCase

random = np.random.default_rng(25)
CORES = 2


def definition(top_k, normalised):
    def route(tensors):
        logits = tensors["logits"]
        chosen = torch.argsort(logits, dim=1, descending=True, stable=True)[:, :top_k]
        gates = torch.softmax(logits, dim=1).gather(1, chosen)
        if normalised:
            gates = gates / gates.sum(dim=1, keepdim=True)
        places, counts = torch.empty_like(chosen), []
        for part in torch.tensor_split(torch.arange(len(logits)), CORES):
            hits = torch.nn.functional.one_hot(chosen[part], logits.shape[1]).sum(dim=1)
            places[part] = (hits.cumsum(dim=0) - hits).gather(1, chosen[part])
            counts.append(hits.sum(dim=0))
        return {"chosen": chosen, "gates": gates, "places": places, "counts": torch.stack(counts)}
    return route


def case(name, tokens, experts, top_k, normalised):
    exact = (0, 0, "a decision")
    return GoldenCase(
        name=name, yaml="moe/routing_128.yaml",
        set={"workload.tokens": tokens, "workload.experts": experts, "workload.top_k": top_k,
             "workload.normalised": normalised, "workload.cores": CORES},
        inputs={"logits": ("fp32", np.round(random.standard_normal((tokens, experts)) * 16) / 16)},
        expected=definition(top_k, normalised),
        tolerance={"chosen": exact, "places": exact, "counts": exact,
                   "gates": (0, 4e-6, "exponentials, a sum and a quotient in fp32")})


CASES = [case("routing to 2 of 60", 300, 60, 2, True), case("routing to 8 of 200", 257, 200, 8, False),
         case("routing to 3 of 5", 100, 5, 3, True)]
