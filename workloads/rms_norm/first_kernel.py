# SPDX-License-Identifier: Apache-2.0
"""The kernel of the tutorial in NKI: y = x / sqrt(mean of x^2 over a row + 1e-5) * g for up to 128 rows."""
import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np


@nki.jit
def rms_norm(x, g):
    rows, columns = x.shape
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    x_tile, gain, squares, y_tile = (nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf) for _ in range(4))
    total, scale, epsilon = (nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf) for _ in range(3))
    nisa.dma_copy(x_tile, x)
    nisa.dma_copy(gain, g.broadcast(0, rows))
    nisa.memset(epsilon, 1e-5)
    nisa.activation(squares, nl.square, x_tile, reduce_op=nl.add, reduce_res=total)
    nisa.activation(scale, nl.rsqrt, total, scale=1 / columns, bias=epsilon)
    nisa.scalar_tensor_tensor(y_tile, x_tile, nl.multiply, scale, nl.multiply, gain)
    nisa.dma_copy(y, y_tile)
    return y


def reference(x, g):
    x = x.astype(np.float64)
    return x / np.sqrt((x**2).mean(axis=1, keepdims=True) + 1e-5) * g
