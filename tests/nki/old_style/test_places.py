# SPDX-License-Identifier: Apache-2.0
"""Old-style tensors that a function of the kernel places."""
import functools

import numpy as np
import pytest

import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@pytest.mark.parametrize("bound", [True, False])
def test_a_function_that_places_blocks_takes_them_by_name_or_by_position(rng, bound):
    """functools.partial may have bound the first of its parameters."""
    def address(bank_map, idx, pdim_size, fdim_size):
        return bank_map[idx], 0, 0

    def by_position(block, partitions, size):
        return 5 + 2 * block[0], 0, 0

    asked = []

    @nki.jit
    def kernel(a):
        out = nl.ndarray((64, 64), dtype=a.dtype, buffer=nl.shared_hbm)
        place = functools.partial(address, bank_map={(0,): 5, (1,): 7}) if bound else by_position
        products = nl.ndarray((2, nl.par_dim(64), 64), dtype=nl.float32, buffer=ncc.psum.alloc(place))
        tile = nl.load(a)
        for n in range(2):
            products[n] = nisa.nc_matmul(tile, tile)
            asked.append(products[n].read().address[1] // 2048)
        nl.store(out, products[0] + products[1])
        return out

    a = rng.standard_normal((128, 64)).astype(np.float32)
    assert np.allclose(kernel(a), 2 * a.T @ a, rtol=1e-4, atol=1e-3) and asked == [5, 7]
