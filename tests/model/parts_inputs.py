# SPDX-License-Identifier: Apache-2.0
"""Random inputs of the layers that parts_test.py compares."""
import math

import numpy as np
import torch


class Inputs:
    """Random tensors by the names of workload.inputs, which bf16, or fp32 for vectors, holds exactly."""

    def __init__(self, layers):
        self.layers, self.generator, self.all, self.vectors = layers, torch.Generator().manual_seed(5), {}, set()

    def add(self, name, value, vector=False):
        self.all[name] = value if vector else value.to(torch.bfloat16).to(torch.float32)
        if vector:
            self.vectors.add(name)

    def random(self, *shape):
        return torch.randn(*shape, generator=self.generator)

    def matrix(self, name, rows, columns):
        self.add(name, self.random(self.layers, rows, columns) / math.sqrt(rows))

    def vector(self, name, rows, columns, middle, reach):
        self.add(name, middle + reach * (2 * torch.rand(self.layers, rows, columns, generator=self.generator) - 1), True)

    def of(self, name, layer):
        return self.all[name][layer].to(torch.float64)

    def write(self, folder, zeroed):
        paths = {}
        for name, value in self.all.items():
            array = np.zeros_like(value.numpy()) if name == zeroed else value.numpy()
            if name not in self.vectors:
                array = (array.view(np.uint32) >> 16).astype(np.uint16)  # bf16 bit by bit
            paths[name] = str(folder / f"{name}.npy")
            np.save(paths[name], np.ascontiguousarray(array))
        return paths
