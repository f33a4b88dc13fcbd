#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Softmax of each row in NKI: y = exp(x - max) / sum of exp(x - max)."""
import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np


@nki.jit
def softmax(x):
    rows, columns = x.shape
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile, powers = (nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf) for _ in range(2))
    offset, total, scale = (nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf) for _ in range(3))
    nisa.dma_copy(tile, x)
    nisa.tensor_reduce(offset, nl.maximum, tile, axis=1, negate=True)
    nisa.activation(powers, nl.exp, tile, bias=offset, reduce_op=nl.add, reduce_res=total)
    nisa.reciprocal(scale, total)
    nisa.tensor_scalar(powers, powers, nl.multiply, scale)
    nisa.dma_copy(y, powers)
    return y


def reference(x):
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


if __name__ == "__main__":
    import tahoma

    x = np.random.default_rng(1).standard_normal((128, 512), dtype=np.float32)
    y = softmax(x)
    print("largest error:", np.abs(y - reference(x)).max())
    print("time:", tahoma.last().time_us, "us; the page is in", tahoma.last().folder)
