#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Inputs and the expected output of the tutorial's kernel, by NumPy in double: x.npy, g.npy and y.npy in a folder."""
import pathlib
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
folder.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(1)
x = random.standard_normal((128, 512)).astype(np.float32)
g = random.uniform(0.5, 1.5, (1, 512)).astype(np.float32)
wide = x.astype(np.float64)
y = wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-5) * g.astype(np.float64)
for name, values in (("x", x), ("g", g), ("y", y.astype(np.float32))):
    np.save(folder / f"{name}.npy", values)
print(f"x.npy, g.npy and y.npy are in {folder}")
