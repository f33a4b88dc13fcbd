# SPDX-License-Identifier: Apache-2.0
"""Old-style matmuls on a part of the tensor engine's array."""
import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import tahoma
from values import close


@nki.jit
def products_in_quarters(a, b):
    out = nl.ndarray((4, 64, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        x, y = nl.load(a[i]), nl.load(b[i])
        nl.store(out[i], nisa.nc_matmul(x, y, tile_position=(i // 2 * 64, i % 2 * 64), tile_size=(64, 64)))
    return out


def test_a_quarter_of_the_array_gets_its_operands_where_its_rows_are(rng):
    a, b = rng.standard_normal((4, 64, 64)).astype(np.float32), rng.standard_normal((4, 64, 128)).astype(np.float32)
    close(products_in_quarters(a, b), np.einsum("bkm,bkn->bmn", a, b))
    # Four of the eight operands are copied to partition 64, where the lower half of the array has its rows.
    assert tahoma.trace(products_in_quarters, a, b)[0].tracer.dump().count("tensor_copy") == 4 + 4
