# SPDX-License-Identifier: Apache-2.0
"""SwiGLU and GELU layers compared with PyTorch."""
import math

import numpy as np
import torch

from golden_case import GoldenCase

random = np.random.default_rng(22)
UNIT = {"bf16": 2**-8, "fp16": 2**-11, "fp32": 2**-24}


def case(dtype, gated, activation, bias=False, tokens=70, features=300, hidden=645, cores=2):
    function = {"silu": torch.nn.functional.silu, "gelu": torch.nn.functional.gelu}[activation]

    def weights(rows, columns):
        return random.standard_normal((rows, columns)) / math.sqrt(rows)

    inputs = {"x": (dtype, random.standard_normal((tokens, features))), "up": (dtype, weights(features, hidden)),
              "down": (dtype, weights(hidden, features))}
    if gated:
        inputs["gate"] = (dtype, weights(features, hidden))
    if bias:
        inputs["up_bias"] = ("fp32", random.standard_normal((hidden, 1)))
        inputs["down_bias"] = ("fp32", random.standard_normal((features, 1)))

    def definition(t):
        up = t["x"] @ t["up"]
        if bias:
            up = up + t["up_bias"].T
        h = function(t["x"] @ t["gate"]) * up if gated else function(up)
        y = h @ t["down"]
        return {"y": y + t["down_bias"].T if bias else y}

    # h is about 1 in size and rounded once, so y, a sum of `hidden` terms of 1 / sqrt(hidden), is off by six deviations of a
    # rounding; fp32 sums are added to that.
    absolute = 6 * UNIT[dtype] / math.sqrt(3) * 2 + 6 * 2**-24 * math.sqrt(2 * (features + hidden) / 3) * 12
    settings = {"tokens": tokens, "features": features, "hidden": hidden, "dtype": dtype, "gated": gated, "bias": bias,
                "activation": activation, "cores": cores}
    return GoldenCase(name=f"mlp {dtype} {'gated ' if gated else ''}{activation}{' bias' if bias else ''}",
                      yaml="mlp/swiglu_llama3_8b.yaml", set={f"workload.{k}": v for k, v in settings.items()}, inputs=inputs,
                      expected=definition, tolerance={"y": (absolute, UNIT[dtype], f"h and y rounded to {dtype}")})


CASES = [case(dtype, True, "silu") for dtype in ("bf16", "fp16", "fp32")]
CASES += [case("bf16", False, "gelu"), case("fp32", False, "gelu", bias=True), case("bf16", False, "silu", bias=True, tokens=1, cores=1)]
