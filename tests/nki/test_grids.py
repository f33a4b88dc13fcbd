# SPDX-License-Identifier: Apache-2.0
"""nl.tiles and nl.blocks: tensors by the coordinates of tiles."""
import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from values import both_modes

X = np.arange(300 * 700, dtype=np.float32).reshape(300, 700)


def seen(look, *args):
    """What `look` returns while a kernel is traced."""
    found = []

    @nki.jit
    def kernel(x):
        found.append(look(x))
        out = nl.ndarray((1, 1), dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(out, x[0:1, 0:1])
        return out

    kernel(*(args or (X,)))
    return found[0]


def test_coordinates_of_tiles_and_their_remainders():
    def look(x):
        grid = nl.tiles(x, tile_shape=(128, 256))
        last = grid[2, 2]
        return (grid.shape, grid.element_shape, grid.tile_shape, grid.index_step_elements, grid.is_remainder, len(grid), grid.dtype == nl.float32,
                grid[1, :].shape, grid[1, :].element_shape, last.shape, last.element_shape, last.is_remainder, grid[0, 0].is_remainder)

    assert seen(look) == ((3, 3), (300, 700), (128, 256), (128, 256), True, 3, True, (3,), (128, 700), (), (44, 188), True, False)


def test_coordinates_of_blocks():
    def look(x):
        grid = nl.blocks(x, tile_shape=(64, 128), block_shape=(2, 3))
        inside = nl.tiles(grid[2, 1])
        return (grid.shape, grid.block_shape, grid[2, 1].element_shape, inside.shape, inside[0, 2].element_shape,
                nl.blocks(nl.tiles(x, tile_shape=(64, 128)), block_shape=(2, 3)).shape, isinstance(grid, nl.NkiGrid))

    assert seen(look) == ((3, 2), (2, 3), (44, 316), (1, 3), (44, 60), (3, 2), True)


@pytest.mark.parametrize("memory", ["sbuf", "psum"])
@pytest.mark.parametrize("shape", [(256, 512), (300, 700), (128, 64), (5, 3)])
def test_a_copy_tile_by_tile_is_the_tensor(rng, memory, shape):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        source, target = nl.tiles(x, tile_shape=(128, 256)), nl.tiles(out, tile_shape=(128, 256))
        kept = nl.alloc_tiles(tile_shape=(128, 256), element_shape=tuple(x.shape), buffer=nl.sbuf, dtype=x.dtype)
        through = nl.empty_like(kept, buffer=getattr(nl, memory))
        for i in range(source.shape[0]):
            for j in range(source.shape[1]):
                nisa.dma_copy(dst=kept[i, j].data, src=source[i, j].data)
                nisa.tensor_copy(dst=through[i, j].data, src=kept[i, j].data)
        for i in range(source.shape[0]):
            for j in range(source.shape[1]):
                nisa.tensor_copy(dst=kept[i, j].data, src=through[i, j].data)
            nisa.dma_copy(dst=target[i, :].data, src=kept[i, :].data)  # a row of tiles is one operand
        return out

    x = rng.standard_normal(shape).astype(np.float32)
    assert np.array_equal(both_modes(kernel, x), x)


def test_blocks_move_and_tiles_compute(rng):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        source, target = (nl.blocks(t, tile_shape=(64, 128), block_shape=(1, 2)) for t in (x, out))
        for i in range(source.shape[0]):
            for j in range(source.shape[1]):
                block = nl.alloc_blocks(tile_shape=(64, 128), block_shape=(1, 2), element_shape=tuple(source[i, j].element_shape), buffer=nl.sbuf,
                                        dtype=x.dtype)
                nisa.dma_copy(dst=block.data, src=source[i, j].data)
                for row in nl.tiles(block):
                    for tile in row:
                        nisa.tensor_scalar(tile.data, tile.data, nl.multiply, 2.0)
                nisa.dma_copy(dst=target[i, j].data, src=block.data)
        return out

    x = rng.standard_normal((200, 400)).astype(np.float32)
    assert np.array_equal(kernel(x), 2 * x)


def test_leading_dimensions_are_slabs(rng):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        source, target = nl.tiles(x, tile_shape=(128, 64)), nl.tiles(out, tile_shape=(128, 64))
        for n in range(source.shape[0]):
            tile = nl.ndarray(source[n, 0, 0].element_shape, dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile.data, src=source[n, 0, 0].data)
            nisa.dma_copy(dst=target[n, 0, 0].data, src=tile.data)
        return out

    x = rng.standard_normal((3, 128, 64)).astype(np.float32)
    assert np.array_equal(kernel(x), x)


def test_tiles_above_one_another_are_no_operand(refused):
    @nki.jit
    def kernel(x):
        grid = nl.alloc_tiles(tile_shape=(128, 64), element_shape=(256, 64), buffer=nl.sbuf, dtype=x.dtype)
        assert not grid.is_data_representable and grid[1].is_data_representable
        nisa.dma_copy(grid.data, x)  # here

    refused(kernel, np.zeros((256, 64), np.float32), code="E-NKI-004", says="no single operand")


@pytest.mark.parametrize("make, code, says", [
    (lambda x: nl.tiles(x), "E-NKI-013", "expected a tensor with a tile_shape"),
    (lambda x: nl.tiles(x, tile_shape=(128,)), "E-NKI-013", "expected 2 to 2 dimensions"),
    (lambda x: nl.tiles(x, tile_shape=(0, 4)), "E-NKI-013", "positive numbers"),
    (lambda x: nl.blocks(x, tile_shape=(64, 64), block_shape=(2,)), "E-NKI-013", "a tuple of 2 positive numbers"),
    (lambda x: nl.tiles(x, tile_shape=(128, 256))[3], "E-NKI-002", "coordinate 3 of .*expected -3 to 2"),
    (lambda x: nl.tiles(x, tile_shape=(128, 256))[0, 0, 0], "E-NKI-002", "3 coordinates of .*at most 2"),
    (lambda x: nl.tiles(x, tile_shape=(128, 256))[::-1], "E-NKI-002", "a positive step"),
])
def test_wrong_grids(refused, make, code, says):
    @nki.jit
    def kernel(x):
        make(x)

    refused(kernel, X, code=code, says=says)
