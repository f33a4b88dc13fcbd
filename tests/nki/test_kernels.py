# SPDX-License-Identifier: Apache-2.0
"""Kernels of our own in NKI style, one or more for every group of the API. Values are compared with NumPy; in timing mode each
kernel takes the same time as in functional mode."""
import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import tahoma
from tahoma import dtypes
from values import both_modes, close


# --- movement and element-wise instructions ---------------------------------------------------------------------------


@nki.jit
def add_kernel(a, b):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    for first in nl.affine_range(a.shape[0] // nl.tile_size.pmax):
        rows = nl.ds(first * nl.tile_size.pmax, nl.tile_size.pmax)
        x, y = nl.load(a[rows, :]), nl.load(b[rows, :])
        nl.store(out[rows, :], nl.add(x, y))
    return out


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_addition_of_tiles(rng, dtype):
    a, b = (rng.standard_normal((256, 300)).astype(dtype) for _ in range(2))
    sum_of = both_modes(add_kernel, a, b)
    assert sum_of.dtype == dtype
    np.testing.assert_array_equal(sum_of, (a.astype(np.float32) + b.astype(np.float32)).astype(dtype))


def test_torch_tensors_come_back_as_torch_tensors(rng):
    torch = pytest.importorskip("torch")
    a = torch.from_numpy(rng.standard_normal((128, 64)).astype(np.float32)).to(torch.bfloat16)
    sum_of = add_kernel(a, a)
    assert sum_of.dtype == torch.bfloat16
    assert torch.equal(sum_of, a + a)


@nki.jit
def scale_in_place(x, factor):
    tile = nl.load(x)
    nisa.tensor_scalar(tile, tile, nl.multiply, factor)
    nisa.dma_copy(x, tile)


def test_an_argument_may_be_written_in_place(rng):
    x = rng.standard_normal((64, 32)).astype(np.float32)
    want = x * np.float32(3)
    assert scale_in_place(x, 3) is None
    np.testing.assert_array_equal(x, want)


@nki.jit
def permute_free_dims(x):
    rows, a, b = x.shape
    out = nl.ndarray((rows, b, a), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, a, b), dtype=x.dtype, buffer=nl.sbuf)
    turned = nl.ndarray((rows, b, a), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(tile, x)
    nisa.tensor_copy(turned, tile.permute((0, 2, 1)))
    nisa.dma_copy(out, turned)
    return out


def test_free_dimensions_are_permuted_by_a_view(rng):
    x = rng.standard_normal((128, 5, 7)).astype(np.float32)
    np.testing.assert_array_equal(both_modes(permute_free_dims, x), x.transpose(0, 2, 1))


@nki.jit
def split_even_and_odd(x):
    even = nl.ndarray((x.shape[0], x.shape[1] // 2), dtype=x.dtype, buffer=nl.shared_hbm)
    odd = nl.ndarray((x.shape[0], x.shape[1] // 2), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    for out, first in ((even, 0), (odd, 1)):
        part = nl.ndarray(out.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(part, tile[:, first::2])
        nisa.dma_copy(out, part)
    return even, odd


def test_several_outputs_and_strided_slices(rng):
    x = rng.standard_normal((128, 64)).astype(np.float32)
    even, odd = both_modes(split_even_and_odd, x)
    np.testing.assert_array_equal(even, x[:, ::2])
    np.testing.assert_array_equal(odd, x[:, 1::2])


@nki.jit
def quantise(x, scale):
    out = nl.ndarray(x.shape, dtype=nl.float8_e4m3, buffer=nl.shared_hbm)
    tile = nl.load(x)
    low = nl.ndarray(x.shape, dtype=nl.float8_e4m3, buffer=nl.sbuf)
    nisa.tensor_scalar(low, tile, nl.multiply, scale, op1=nl.minimum, operand1=240.0)
    nisa.dma_copy(out, low)
    return out


def test_fp8_results_are_rounded_once(rng):
    x = rng.standard_normal((128, 64)).astype(np.float32)
    want = tahoma.dtypes.rounded(np.minimum(x * np.float32(16), np.float32(240)), "float8_e4m3")
    np.testing.assert_array_equal(np.asarray(quantise(x, 16.0), np.float32), want)


# --- tensor engine ----------------------------------------------------------------------------------------------------


@nki.jit
def matmul_kernel(lhs_t, rhs):
    k, m = lhs_t.shape
    n = rhs.shape[1]
    out = nl.ndarray((m, n), dtype=nl.float32, buffer=nl.shared_hbm)
    for row in range(0, m, 128):
        for column in range(0, n, 512):
            width = min(512, n - column)
            psum = nl.ndarray((128, width), dtype=nl.float32, buffer=nl.psum)
            for depth in range(0, k, 128):
                nisa.nc_matmul(psum, nl.load(lhs_t[depth : depth + 128, row : row + 128]),
                               nl.load(rhs[depth : depth + 128, column : column + width]))
            tile = nl.ndarray((128, width), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_copy(tile, psum)
            nisa.dma_copy(out[row : row + 128, column : column + width], tile)
    return out


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_matmul_accumulates_where_results_stand(rng, dtype):
    a, b = rng.standard_normal((256, 128)).astype(dtype), rng.standard_normal((256, 640)).astype(dtype)
    close(both_modes(matmul_kernel, a, b), a.astype(np.float64).T @ b.astype(np.float64))


@nki.jit
def transposes(x):
    rows, columns = x.shape
    by_tensor = nl.ndarray((columns, rows), dtype=x.dtype, buffer=nl.shared_hbm)
    by_dma = nl.ndarray((columns, rows), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    psum = nl.ndarray((columns, rows), dtype=x.dtype, buffer=nl.psum)
    nisa.nc_transpose(psum, tile)
    back = nl.ndarray((columns, rows), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(back, psum)
    nisa.dma_copy(by_tensor, back)
    moved = nl.ndarray((columns, rows), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_transpose(moved, x)
    nisa.dma_copy(by_dma, moved)
    return by_tensor, by_dma


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_transposes_move_bits(rng, dtype):
    x = rng.standard_normal((96, 64)).astype(dtype)
    x[3, 5] = np.nan
    for got in both_modes(transposes, x):
        np.testing.assert_array_equal(got, x.T)


@nki.jit
def small_transpose(x):
    out = nl.ndarray((x.shape[1], x.shape[0]), dtype=x.dtype, buffer=nl.shared_hbm)
    turned = nl.ndarray((x.shape[1], x.shape[0]), dtype=x.dtype, buffer=nl.sbuf)
    nisa.nc_transpose(turned, nl.load(x), engine=nisa.vector_engine)
    nisa.dma_copy(out, turned)
    return out


def test_the_vector_engine_transposes_small_tiles(rng):
    x = rng.standard_normal((32, 20)).astype(np.float32)
    np.testing.assert_array_equal(both_modes(small_transpose, x), x.T)


@nki.jit
def attention(q_t, k_t, v):
    """One head: q_t and k_t are [d, s], v is [s, d]."""
    d, s = q_t.shape
    out = nl.ndarray((s, d), dtype=nl.float32, buffer=nl.shared_hbm)
    q, k, values = nl.load(q_t), nl.load(k_t), nl.load(v)
    scores = nl.ndarray((s, s), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(scores, q, k)
    negated = nl.ndarray((s, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(negated, nl.maximum, scores, axis=1, negate=True)
    weights = nl.ndarray((s, s), dtype=nl.float32, buffer=nl.sbuf)
    total = nl.ndarray((s, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(weights, nl.exp, scores, bias=negated, reduce_op=nl.add, reduce_res=total,
                    reduce_cmd=nisa.reduce_cmd.reset_reduce)
    turned = nl.ndarray((s, s), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_transpose(turned, weights)
    weights_t = nl.ndarray((s, s), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(weights_t, turned)
    mixed = nl.ndarray((s, d), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(mixed, weights_t, values)
    share = nl.ndarray((s, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.reciprocal(share, total)
    tile = nl.ndarray((s, d), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(tile, mixed, nl.multiply, share)
    nisa.dma_copy(out, tile)
    return out


def test_attention_of_one_head(rng):
    q_t, k_t = (rng.standard_normal((64, 128)).astype(np.float32) for _ in range(2))
    v = rng.standard_normal((128, 64)).astype(np.float32)
    scores = (q_t.T @ k_t).astype(np.float64)
    weights = np.exp(scores - scores.max(1, keepdims=True))
    close(both_modes(attention, q_t, k_t, v), weights / weights.sum(1, keepdims=True) @ v, rtol=2e-5)


# --- reductions, scans, statistics ------------------------------------------------------------------------------------


@nki.jit
def layer_norm(x, gain):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    rows, columns = x.shape
    tile, scale = nl.load(x), nl.broadcast_to(nl.load(gain), x.shape)
    stats = nl.ndarray((rows, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.bn_stats(stats, tile)
    both = nl.ndarray((rows, 2), dtype=nl.float32, buffer=nl.sbuf)
    nisa.bn_aggr(both, stats)
    inverse = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(inverse, both[:, 1:2], nl.add, 1e-5, op1=nl.rsqrt, operand1=0.0)
    nisa.tensor_scalar(tile, tile, nl.subtract, both[:, 0:1], op1=nl.multiply, operand1=inverse)
    nisa.tensor_tensor(tile, tile, scale, nl.multiply)
    nisa.dma_copy(out, tile)
    return out


def test_layer_norm_with_a_gain_over_partitions(rng):
    x, gain = rng.standard_normal((128, 256)).astype(np.float32), rng.standard_normal((1, 256)).astype(np.float32)
    want = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * gain
    close(both_modes(layer_norm, x, gain), want, rtol=1e-5)


@nki.jit
def cumulative_sum(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    ones = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(ones, 1.0)
    carried = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(carried, 0.0)
    half = x.shape[1] // 2
    running = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    for first in (0, half):
        part = slice(first, first + half)
        nisa.tensor_tensor_scan(running[:, part], ones[:, part], tile[:, part], carried, nl.multiply, nl.add)
        nisa.tensor_copy(carried, running[:, first + half - 1 : first + half])
    nisa.dma_copy(out, running)
    return out


def test_a_scan_carries_its_state_from_tile_to_tile():
    x = np.arange(128 * 40, dtype=np.float32).reshape(128, 40) % 17
    np.testing.assert_array_equal(both_modes(cumulative_sum, x), np.cumsum(x, 1))


@nki.jit
def reductions(x):
    rows = x.shape[0]
    sums = nl.ndarray((rows, x.shape[1]), dtype=nl.float32, buffer=nl.shared_hbm)
    across = nl.ndarray((1, x.shape[1] * x.shape[2]), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(tile, x)
    inner = nl.ndarray((rows, x.shape[1]), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(inner, nl.add, tile, axis=2)
    nisa.dma_copy(sums, inner)
    row = nl.ndarray((1, x.shape[1] * x.shape[2]), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_partition_reduce(row, nl.add, tile)
    nisa.dma_copy(across, row)
    return sums, across


def test_reductions_along_free_dimensions_and_partitions():
    x = (np.arange(32 * 6 * 5) % 13).astype(np.float32).reshape(32, 6, 5)
    sums, across = both_modes(reductions, x)
    np.testing.assert_array_equal(sums, x.sum(2))
    np.testing.assert_array_equal(across, x.sum(0).reshape(1, -1))


# --- masks, searches, gathers -----------------------------------------------------------------------------------------


@nki.jit
def causal_mask(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    masked = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.affine_select(masked, [[-1, x.shape[1]]], 1, tile, -9948.0, cmp_op=nl.greater_equal)
    nisa.dma_copy(out, masked)
    return out


def test_affine_select_is_a_causal_mask(rng):
    x = rng.standard_normal((64, 64)).astype(np.float32)
    np.testing.assert_array_equal(both_modes(causal_mask, x), np.where(np.tril(np.ones((64, 64))) > 0, x, np.float32(-9948)))


@nki.jit
def iota_in_blocks(out_like):
    out = nl.ndarray(out_like.shape, dtype=nl.int32, buffer=nl.shared_hbm)
    tile = nl.ndarray(out_like.shape, dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(tile, [[100, 4], [1, 8]], offset=7, channel_multiplier=1000)
    nisa.dma_copy(out, tile)
    return out


def test_iota_follows_its_pattern():
    got = both_modes(iota_in_blocks, np.zeros((16, 32), np.int32))
    p, w, i = np.meshgrid(np.arange(16), np.arange(4), np.arange(8), indexing="ij")
    np.testing.assert_array_equal(got, (7 + 1000 * p + 100 * w + i).reshape(16, 32))


@nki.jit
def top_eight(x):
    values = nl.ndarray((x.shape[0], 8), dtype=nl.float32, buffer=nl.shared_hbm)
    indices = nl.ndarray((x.shape[0], 8), dtype=nl.uint32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    largest = nl.ndarray((x.shape[0], 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.max8(largest, tile)
    places = nl.ndarray((x.shape[0], 8), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.nc_find_index8(places, tile, largest)
    nisa.dma_copy(values, largest)
    nisa.dma_copy(indices, places)
    return values, indices


def test_the_eight_largest_and_their_places(rng):
    x = rng.permuted(np.tile(np.arange(100, dtype=np.float32), (64, 1)), axis=1)
    values, indices = both_modes(top_eight, x)
    np.testing.assert_array_equal(values, np.sort(x, 1)[:, ::-1][:, :8])
    np.testing.assert_array_equal(indices, np.argsort(-x, 1)[:, :8])


@nki.jit
def broadcast_row(x):
    out = nl.ndarray((32, x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    row = nl.load(x)
    tile = nl.ndarray((32, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    nisa.nc_stream_shuffle(tile, row, [0] * 32)
    nisa.dma_copy(out, tile)
    return out


def test_a_shuffle_broadcasts_one_partition(rng):
    x = rng.standard_normal((1, 48)).astype(np.float32)
    np.testing.assert_array_equal(both_modes(broadcast_row, x), np.repeat(x, 32, 0))


@nki.jit
def embedding(table, ids):
    rows, width = ids.shape[0], table.shape[1]
    out = nl.ndarray((rows, width), dtype=table.dtype, buffer=nl.shared_hbm)
    numbers = nl.load(ids)
    tile = nl.ndarray((rows, width), dtype=table.dtype, buffer=nl.sbuf)
    nisa.dma_copy(tile, table.ap([[width, rows], [1, width]], vector_offset=numbers, indirect_dim=0))
    nisa.dma_copy(out, tile)
    return out


def test_rows_are_gathered_by_number(rng):
    table, ids = rng.standard_normal((500, 96)).astype(np.float32), rng.integers(0, 500, (128, 1)).astype(np.int32)
    np.testing.assert_array_equal(both_modes(embedding, table, ids), table[ids[:, 0]])


@nki.jit
def scatter_add(table, rows, ids):
    width = table.shape[1]
    tile, numbers = nl.load(rows), nl.load(ids)
    target = table.ap([[width, ids.shape[0]], [1, width]], vector_offset=numbers, indirect_dim=0)
    nisa.dma_compute(target, [target, tile], reduce_op=nl.add)
    return table


def test_rows_are_added_where_numbers_say(rng):
    table, rows = rng.integers(0, 9, (64, 32)).astype(np.float32), rng.integers(0, 9, (16, 32)).astype(np.float32)
    ids = rng.permutation(64)[:16].astype(np.int32).reshape(16, 1)
    want = table.copy()
    want[ids[:, 0]] += rows
    np.testing.assert_array_equal(scatter_add(table, rows, ids), want)


def test_a_pattern_of_a_view_may_have_the_rows_of_its_shape(rng):
    """A 16-bit view of a part of a 32-bit tile: its partitions are as far apart as those of the tile, its shape is its own."""

    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        wide = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
        rows, columns = x.shape
        narrow = wide.view(nl.bfloat16)[:, 0:columns]
        nisa.dma_copy(narrow.ap([[columns, rows], [1, columns]]), x)
        nisa.dma_copy(out[:, 3:], narrow.ap([[columns, rows], [1, columns - 3]], offset=3))
        nisa.dma_copy(out[:, 0:3], narrow[:, 0:3])
        return out

    x = dtypes.rounded(rng.standard_normal((4, 893)), "bfloat16").astype(dtypes.host_type("bfloat16"))
    assert np.array_equal(np.asarray(kernel(x), np.float32), np.asarray(x, np.float32))
