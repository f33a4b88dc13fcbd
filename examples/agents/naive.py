# SPDX-License-Identifier: Apache-2.0
"""RMS norm of rows with a weight, written in the most obvious way: one tile of 128 rows and 128 columns at a time, twice."""
import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np

COLUMNS = 128


@nki.jit
def rms_norm(x, w):
    rows, width = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, COLUMNS), dtype=nl.float32, buffer=nl.sbuf)
    weight = nl.ndarray((128, COLUMNS), dtype=nl.float32, buffer=nl.sbuf)
    part = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    for r in range(0, rows, 128):
        total = nl.zeros((128, 1), dtype=nl.float32)
        for c in range(0, width, COLUMNS):
            nisa.dma_copy(tile, x[r : r + 128, c : c + COLUMNS])
            nisa.tensor_tensor(tile, tile, tile, nl.multiply)
            nisa.tensor_reduce(part, nl.add, tile, axis=1)
            nisa.tensor_tensor(total, total, part, nl.add)
        nisa.tensor_scalar(total, total, nl.multiply, 1.0 / width, op1=nl.add, operand1=1e-6)
        nisa.activation(total, nl.rsqrt, total)
        for c in range(0, width, COLUMNS):
            nisa.dma_copy(tile, x[r : r + 128, c : c + COLUMNS])
            nisa.dma_copy(weight, w[0:1, c : c + COLUMNS].broadcast(0, 128))
            nisa.tensor_scalar(tile, tile, nl.multiply, total)
            nisa.tensor_tensor(tile, tile, weight, nl.multiply)
            nisa.dma_copy(out[r : r + 128, c : c + COLUMNS], tile)
    return out


def reference(x, w):
    return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-6) * w
