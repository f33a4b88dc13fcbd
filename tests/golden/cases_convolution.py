# SPDX-License-Identifier: Apache-2.0
"""Convolutions compared with PyTorch."""
import math

import numpy as np
import torch

from golden_case import GoldenCase

random = np.random.default_rng(23)
UNIT = {"bf16": 2**-8, "fp16": 2**-11, "fp32": 2**-24}


def case(dtype, filter=3, stride=1, padding=1, images=3, channels=(70, 150), size=(13, 18), relu=False, cores=2):
    taps, depth = filter * filter, channels[0] * filter * filter
    inputs = {"x": (dtype, random.uniform(-1, 1, (images, channels[0], *size))),
              "w": (dtype, random.uniform(-1, 1, (channels[1], channels[0] * taps))),
              "bias": ("fp32", random.uniform(-4, 4, (channels[1], 1)))}

    def definition(t):
        w = t["w"].reshape(channels[1], channels[0], filter, filter)
        y = torch.nn.functional.conv2d(t["x"], w, t["bias"].flatten(), stride=stride, padding=padding)
        return {"y": torch.relu(y) if relu else y}

    settings = {"images": images, "in_channels": channels[0], "out_channels": channels[1], "height": size[0], "width": size[1],
                "filter": filter, "stride": stride, "padding": padding, "dtype": dtype, "relu": relu, "cores": cores}
    absolute = 6 * 2**-24 * math.sqrt(2 * depth / 3) * 6 * math.sqrt(depth)
    return GoldenCase(name=f"conv2d {filter}x{filter} {dtype} stride {stride} padding {padding} of {channels[0]} x {size[0]}x{size[1]}",
                      yaml="convolution/conv3x3_256.yaml", set={f"workload.{k}": v for k, v in settings.items()}, inputs=inputs,
                      expected=definition,
                      tolerance={"y": (absolute, UNIT[dtype], f"{depth} products in fp32, rounded to {dtype}")})


CASES = [case(dtype) for dtype in ("bf16", "fp16", "fp32")]
CASES += [case("bf16", filter=1, padding=0), case("bf16", filter=1, padding=0, stride=2, size=(7, 7)), case("fp16", stride=2, relu=True),
          case("bf16", padding=0, channels=(3, 64)), case("bf16", filter=5, padding=2, channels=(129, 20), images=1, cores=1),
          case("bf16", size=(40, 37), channels=(5, 260), images=1, cores=1)]
