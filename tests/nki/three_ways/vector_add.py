# SPDX-License-Identifier: Apache-2.0
"""y = a + b for one tile, in NKI."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def vector_add(a, b):
    y = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm, name="y")
    a_tile, b_tile, y_tile = (nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.sbuf) for _ in range(3))
    nisa.dma_copy(a_tile, a)
    nisa.dma_copy(b_tile, b)
    nisa.tensor_tensor(y_tile, a_tile, b_tile, op=nl.add)
    nisa.dma_copy(y, y_tile, engine=nisa.gpsimd_engine)
    return y
