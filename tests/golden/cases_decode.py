# SPDX-License-Identifier: Apache-2.0
"""Attention of a decoding step compared with PyTorch: contiguous and paged caches."""
import math

import numpy as np
import torch

from golden_case import GoldenCase

random = np.random.default_rng(21)


def tokens_of(tensors, name, sequence, length):
    """Returns the [kv_heads, length, d] of one sequence."""
    cache = tensors[name]
    if "table" not in tensors:
        return cache[:, sequence, :length]
    pages = cache[:, tensors["table"][sequence]]  # [kv_heads, pages of the sequence, page, d]
    return pages.flatten(1, 2)[:, :length]


def definition(lengths):
    def attend(tensors):
        q = tensors["q"]
        o = torch.empty_like(q)
        for sequence, length in enumerate(lengths):
            k, v = (tokens_of(tensors, name, sequence, length) for name in ("k", "v"))
            scores = q[:, sequence] @ k.transpose(1, 2) / math.sqrt(q.shape[3])
            o[:, sequence] = torch.softmax(scores, dim=2) @ v
        return {"o": o}
    return attend


def case(name, batch, context, shorter_by, kv_heads, group, d, page, dtype, unit):
    settings = {"batch": batch, "context": context, "shorter_by": shorter_by, "kv_heads": kv_heads, "group": group, "d": d,
                "page_size": page, "dtype": dtype, "cores": min(2, kv_heads)}
    cache, inputs = (kv_heads, batch, context, d), {}
    if page:
        pages = -(-context // page)
        cache = (kv_heads, batch * pages, page, d)
        inputs["table"] = ("int32", random.permutation(batch * pages).reshape(batch, pages))
    inputs["q"] = (dtype, random.standard_normal((kv_heads, batch, group, d)))
    inputs["k"] = (dtype, random.standard_normal(cache))
    inputs["v"] = (dtype, random.standard_normal(cache))
    return GoldenCase(
        name=name, yaml="decode/contiguous.yaml", set={f"workload.{key}": value for key, value in settings.items()},
        inputs=inputs, expected=definition([max(1, context - b * shorter_by) for b in range(batch)]),
        # Values are below 5; a row's errors share its probabilities, which add up to 1.
        tolerance={"o": (5 * unit + 2e-5, unit, f"probabilities and result rounded to {dtype}, {context} keys summed in fp32")})


CASES = [case("decode bf16, contiguous", 3, 700, 301, 2, 8, 128, 0, "bf16", 2**-8),
         case("decode fp32, contiguous", 2, 1200, 1, 1, 5, 64, 0, "fp32", 2**-23),
         case("decode bf16, pages of 16", 3, 1001, 400, 2, 8, 128, 16, "bf16", 2**-8),
         case("decode fp16, pages of 64", 2, 500, 77, 1, 4, 80, 64, "fp16", 2**-11),
         case("decode bf16, wide heads", 2, 900, 301, 2, 2, 256, 0, "bf16", 2**-8),
         case("decode bf16, pages of wide heads", 2, 500, 77, 1, 4, 192, 16, "bf16", 2**-8)]
