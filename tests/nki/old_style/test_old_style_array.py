# SPDX-License-Identifier: Apache-2.0
"""Old-style matmuls on a part of the tensor engine's array, and with operands of more dimensions."""
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


@nki.jit
def three_by_three(x, weights):
    """A convolution whose sums have the two dimensions of the image, and the first product as it is returned."""
    height, width = x.shape[1] - 2, x.shape[2] - 2
    out = nl.ndarray((3, weights.shape[1], height, width), dtype=nl.float32, buffer=nl.shared_hbm)
    image, taps = nl.load(x), nl.load(weights)
    sums = nl.zeros((weights.shape[1], height, width), dtype=nl.float32, buffer=nl.psum)
    flat = nl.zeros((weights.shape[1], height * width), dtype=nl.float32, buffer=nl.psum)
    for tap in nl.affine_range(9):
        part = image[:, tap // 3 : tap // 3 + height, tap % 3 : tap % 3 + width]
        sums += nisa.nc_matmul(taps[:, :, tap], part)
        flat += nisa.nc_matmul(taps[:, :, tap], part)
    nl.store(out[0], sums)
    nl.store(out[1], flat.reshape((weights.shape[1], height, width)))
    nl.store(out[2], nisa.nc_matmul(taps[:, :, 0], image[:, 0:height, 0:width]))
    return out


def test_products_have_the_free_dimensions_of_the_moving_operand(rng):
    x, weights = rng.standard_normal((64, 8, 10)).astype(np.float32), rng.standard_normal((64, 32, 9)).astype(np.float32)
    taps = np.stack([np.einsum("kij,km->mij", x[:, t // 3 : t // 3 + 6, t % 3 : t % 3 + 8], weights[:, :, t]) for t in range(9)])
    close(three_by_three(x, weights), np.stack([taps.sum(0), taps.sum(0), taps[0]]), 1e-5)
