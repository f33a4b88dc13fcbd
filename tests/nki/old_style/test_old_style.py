# SPDX-License-Identifier: Apache-2.0
"""Kernels of our own in the old style, neuronxcc.nki: instructions return tiles. Values are compared with NumPy."""
import json

import numpy as np
import pytest

import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import neuronxcc.nki.typing as nt
import tahoma
from tahoma import dtypes
from values import close


def recorded(kernel, *args, **kwargs):
    """The lines of the record of a kernel that are instructions."""
    dump = tahoma.trace(kernel, *args, **kwargs)[0].tracer.dump()
    return [line for line in dump.splitlines() if line and line.split()[0].isdigit()]


# --- grids ------------------------------------------------------------------------------------------------------------


@nki.jit
def add_block(a, b):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    row = nl.program_id(0) * 128 + nl.arange(128)[:, None]
    column = nl.program_id(1) * 64 + nl.arange(64)[None, :]
    nl.store(out[row, column], value=nl.load(a[row, column]) + nl.load(b[row, column]))
    return out


def test_points_of_a_grid_write_one_tensor(rng):
    a, b = (rng.standard_normal((256, 192)).astype(np.float32) for _ in range(2))
    np.testing.assert_array_equal(add_block[2, 3](a, b), a + b)
    np.testing.assert_array_equal(add_block[nl.spmd_dim(1, nl.nc(2)), 3](a, b), a + b)


def test_without_a_grid_the_program_is_number_0(rng):
    a = rng.standard_normal((128, 64)).astype(np.float16)
    np.testing.assert_array_equal(add_block(a, a), a + a)


# --- index objects and masks ------------------------------------------------------------------------------------------


@nki.jit
def swap_last_two(x, rows, columns):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile, turned = nl.load(x), nl.ndarray((nl.par_dim(x.shape[0]), rows * columns), dtype=x.dtype)
    p, r, c = nl.arange(x.shape[0])[:, None, None], nl.arange(rows)[None, :, None], nl.arange(columns)[None, None, :]
    turned[p, c * rows + r] = nl.copy(tile[p, r * columns + c])
    nl.store(out, turned)
    return out


def test_affine_indices_permute_a_tile():
    x = np.arange(7 * 15, dtype=np.int8).reshape(7, 15)
    np.testing.assert_array_equal(swap_last_two(x, 3, 5), x.reshape(7, 3, 5).transpose(0, 2, 1).reshape(7, 15))
    assert len(recorded(swap_last_two, x, 3, 5)) == 3  # load, copy, store


@nki.jit
def scaled_head(x, kept):
    rows, columns = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for t in nl.affine_range(-(-rows // 128)):
        i = nl.mgrid[0:128, 0:columns]
        row = 128 * t + i.p
        tile = nl.load(x[row, i.x], mask=row < rows)
        result = nl.zeros((128, columns), dtype=x.dtype)
        result[i.p, i.x] = nl.multiply(tile, 3.0, mask=(row < rows) & (i.x < kept))
        nl.store(out[row, i.x], result, mask=row < rows)
    return out


@pytest.mark.parametrize("rows", [128, 200, 5])
def test_masks_cut_the_last_tile_and_its_columns(rng, rows):
    x = rng.standard_normal((rows, 40)).astype(np.float32)
    want = 3 * x
    want[:, 30:] = 0
    np.testing.assert_array_equal(scaled_head(x, 30), want)


@nki.jit
def pooled(x, size):
    channels, height, width = x.shape
    out = nl.ndarray((channels, height // size, width // size), dtype=x.dtype, buffer=nl.shared_hbm)
    p, i, di, j, dj = nl.mgrid[0:channels, 0 : height // size, 0:size, 0 : width // size, 0:size]
    tile = nl.load(x)
    nl.store(out, nl.sum(tile[p, size * i + di, size * j + dj], axis=[2, 4]) / (size * size))
    return out


@nki.jit
def halved(x, size):
    out = nl.ndarray((x.shape[0], x.shape[1] // size), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.max(nl.load(x).reshape((x.shape[0], x.shape[1] / size, size)), axis=[2]))
    return out


def test_quotients_are_sizes(rng):
    x = rng.standard_normal((6, 24)).astype(np.float32)
    np.testing.assert_array_equal(halved(x, 4), x.reshape(6, 6, 4).max(2))


def test_reduction_along_dimensions_that_are_not_the_last(rng):
    x = rng.standard_normal((6, 8, 12)).astype(np.float32)
    close(pooled(x, 2), x.reshape(6, 4, 2, 6, 2).mean((2, 4)))


@nki.jit
def windows(x):
    """More free dimensions than an instruction takes: the assignment becomes several instructions."""
    out = nl.ndarray((16, 2, 3, 2, 3, 4), dtype=x.dtype, buffer=nl.shared_hbm)
    tile, sums = nl.load(x), nl.ndarray((16, 2, 3, 2, 3, 4), dtype=x.dtype)
    p, a, b, c, d, e = nl.mgrid[0:16, 0:2, 0:3, 0:2, 0:3, 0:4]
    sums[p, a, b, c, d, e] = tile[p, a + b, c + d, e] + tile[p, a - b + 2, c - d + 2, 3 - e]
    nl.store(out, sums)
    return out


def test_six_dimensions(rng):
    x = rng.standard_normal((16, 5, 5, 4)).astype(np.float32)
    p, a, b, c, d, e = np.mgrid[0:16, 0:2, 0:3, 0:2, 0:3, 0:4]
    np.testing.assert_array_equal(windows(x), x[p, a + b, c + d, e] + x[p, a - b + 2, c - d + 2, 3 - e])


@nki.jit
def triangle(x):
    out = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:96]
    kept = nisa.affine_select(pred=(i >= j) & (j > 2), on_true_tile=nl.load(x), on_false_value=-7.0)
    nl.store(out, kept + nisa.iota(2 * i + j, dtype=nl.int32))
    return out


def test_selection_and_iota(rng):
    x = rng.standard_normal((128, 96)).astype(np.float32)
    i, j = np.mgrid[0:128, 0:96]
    close(triangle(x), np.where((i >= j) & (j > 2), x, -7) + 2 * i + j)


@nki.jit
def gathered(table, rows):
    out = nl.ndarray((rows.shape[0], table.shape[1]), dtype=table.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(table[nl.load(rows), 0 : table.shape[1]]))
    return out


def test_rows_that_a_tile_chooses(rng):
    table = rng.standard_normal((300, 24)).astype(np.float32)
    rows = rng.integers(0, 300, (50, 1)).astype(np.int32)
    np.testing.assert_array_equal(gathered(table, rows), table[rows[:, 0]])


# --- assignments ------------------------------------------------------------------------------------------------------


@nki.jit
def one_instruction(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile, result = nl.load(x), nl.ndarray(x.shape, dtype=x.dtype)
    result[...] = nisa.activation(np.exp, tile, scale=0.5)
    nl.store(out, result)
    return out


def test_an_instruction_writes_where_its_result_goes(rng):
    x = rng.standard_normal((128, 64)).astype(np.float32)
    assert [line.split()[1] for line in recorded(one_instruction, x)] == ["dma_copy", "activation", "dma_copy"]
    close(one_instruction(x), np.exp(x / 2), 1e-5)


@nki.jit
def results_that_are_kept(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    tile[:, 1:64] = tile[:, 0:63] + tile[:, 1:64]  # reads what it writes: a copy comes last
    double = tile * 2.0
    tile[...] = double  # read again below: a copy
    tile[...] = tile + double
    nl.store(out, tile - double)
    return out


def test_results_that_are_read_again_and_overlapping_operands_are_copied(rng):
    x = rng.standard_normal((128, 64)).astype(np.float32)
    want = x.copy()
    want[:, 1:] += x[:, :-1]
    close(results_that_are_kept(x), 2 * want)


@nki.jit
def rounded_twice(x):
    out = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    wide = nl.ndarray(x.shape, dtype=nl.float32)
    wide[...] = nisa.tensor_copy(nl.load(x), dtype=nl.bfloat16)
    nl.store(out, wide)
    return out


def test_a_result_keeps_its_own_type_on_the_way(rng):
    x = rng.standard_normal((128, 64)).astype(np.float32)
    np.testing.assert_array_equal(rounded_twice(x), dtypes.rounded(x, "bfloat16"))


def test_fillings_that_are_overwritten_are_not_recorded(rng):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.zeros(x.shape, dtype=x.dtype)
        tile[...] = nl.load(x)
        nl.store(out, tile)
        return out

    assert [line.split()[1] for line in recorded(kernel, rng.standard_normal((8, 8)))] == ["dma_copy", "dma_copy"]


def test_line_of_an_instruction_is_the_one_that_made_it(rng):
    @nki.jit
    def kernel(x):
        tile = nl.load(x)
        twice = tile + tile
        four = twice * 2.0
        nl.store(x, four)

    lines = recorded(kernel, rng.standard_normal((8, 8)).astype(np.float32))
    numbers = [int(line.rsplit(":", 1)[1].split()[0]) for line in lines]
    assert [n - numbers[0] for n in numbers] == [0, 1, 2, 3]


# --- operators and functions ------------------------------------------------------------------------------------------


@nki.jit
def formula(x, y):
    out = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    a, b = nl.load(x), nl.load(y)
    total = nl.sum(a, axis=1)
    value = (2.0 - a) * b / (1.0 + abs(a)) + total * a - (-b) + nl.mean(b, axis=[1])
    value += nl.where(a > b, a, 0.0) + nl.maximum(a, 0.25) + nl.softmax(a, axis=[1]) + nl.sin(a)
    nl.store(out, value)
    return out


def test_operators(rng):
    a, b = (rng.standard_normal((128, 48)).astype(np.float32) for _ in range(2))
    power = np.exp(a - a.max(1, keepdims=True))
    want = (2 - a) * b / (1 + abs(a)) + a.sum(1, keepdims=True) * a + b + b.mean(1, keepdims=True)
    want += np.where(a > b, a, 0) + np.maximum(a, 0.25) + power / power.sum(1, keepdims=True) + np.sin(a)
    close(formula(a, b), want, 2e-5)


@nki.jit
def broadcast_row(x, row):
    out = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x) * nl.load(row).broadcast_to(x.shape))
    return out


def test_one_partition_becomes_many(rng):
    x, row = rng.standard_normal((128, 700)).astype(np.float32), rng.standard_normal((1, 700)).astype(np.float32)
    np.testing.assert_array_equal(broadcast_row(x, row), x * row)


@nki.jit
def scan(a, b):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    state = nl.zeros((128, 1), dtype=a.dtype)
    x, y = nl.load(a), nl.load(b)
    for part in nl.sequential_range(2, directives=ncc.no_reorder()):
        columns = nl.ds(part * 32, 32)
        result = nisa.tensor_tensor_scan(x[:, columns], y[:, columns], initial=state, op0=np.multiply, op1=np.add)
        state[...] = result[:, 31]
        nl.store(out[:, columns], result)
    return out


def test_scan_over_two_parts(rng):
    a, b = (rng.random((128, 64)).astype(np.float32) for _ in range(2))
    want, state = np.empty_like(a), np.zeros(128)
    for t in range(64):
        state = want[:, t] = a[:, t] * state + b[:, t]
    close(scan(a, b), want, 1e-5)


@nki.jit
def whole_numbers(x, y):
    out = nl.ndarray((4,) + tuple(x.shape), dtype=nl.float32, buffer=nl.shared_hbm)
    a, b = nl.load(x), nl.load(y)
    for n, value in enumerate((nl.floor(a), nl.ceil(a), nl.trunc(a), nl.mod(a, b))):
        nl.store(out[n], value)
    return out


def test_whole_numbers(rng):
    a, b = (rng.integers(-40, 40, (128, 32)) / 4).astype(np.float32), rng.integers(1, 9, (128, 32)).astype(np.float32)
    close(whole_numbers(a, b), [np.floor(a), np.ceil(a), np.trunc(a), np.mod(a, b)])


# --- matmuls ----------------------------------------------------------------------------------------------------------


@nki.jit
def blocked_matmul(a, b):
    """a [K, M], b [K, N]: blocks, accumulation in PSUM, and over the outer loop with loop_reduce."""
    (k, m), n = a.shape, b.shape[1]
    out = nl.ndarray((m, n), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((m // 128, nl.par_dim(128), n), dtype=nl.float32, buffer=nl.sbuf)
    for outer in nl.affine_range(k // 256):
        left = nl.ndarray((2, nl.par_dim(128), m), dtype=a.dtype, buffer=nl.sbuf)
        right = nl.ndarray((2, nl.par_dim(128), n), dtype=b.dtype, buffer=nl.sbuf)
        for inner in nl.affine_range(2):
            rows = nl.ds((2 * outer + inner) * 128, 128)
            left[inner] = nl.load(a[rows, :])
            right[inner] = nl.load(b[rows, :])
        for block in nl.affine_range(m // 128):
            product = nl.zeros((128, n), dtype=nl.float32, buffer=nl.psum)
            for inner in nl.affine_range(2):
                product += nisa.nc_matmul(left[inner, :, nl.ds(block * 128, 128)], right[inner])
            total[block] = nl.loop_reduce(product, op=np.add, loop_indices=[outer], dtype=nl.float32)
    for block in nl.affine_range(m // 128):
        nl.store(out[nl.ds(block * 128, 128), :], total[block])
    return out


def test_blocked_matmul(rng):
    a, b = rng.standard_normal((512, 256)).astype(np.float16), rng.standard_normal((512, 512)).astype(np.float16)
    close(blocked_matmul(a, b), a.astype(np.float32).T @ b.astype(np.float32), 1e-6)
    names = [line.split()[1] for line in recorded(blocked_matmul, a, b)]
    assert names.count("matmul") == 8 and names.count("memset") == 0
    assert not tahoma.last().warnings


@nki.jit
def attention(q, k, v):
    out = nl.ndarray((q.shape[1], v.shape[0]), dtype=q.dtype, buffer=nl.shared_hbm)
    scores = nl.matmul(nl.load(q), nl.load(k), transpose_x=True)
    power = nl.exp(nl.subtract(scores, nl.max(scores, axis=1)))
    weights = nl.divide(power, nl.sum(power, axis=1))
    nl.store(out, nl.matmul(weights, nl.transpose(nl.load(v))))
    return out


def test_attention_by_functions_of_tiles(rng):
    q, k, v = (rng.standard_normal((128, 128)).astype(np.float32) for _ in range(3))
    power = np.exp(q.T @ k - (q.T @ k).max(1, keepdims=True))
    close(attention(q, k, v), power / power.sum(1, keepdims=True) @ v.T, 2e-5)


@ncc.skip_middle_end_transformations
@nki.baremetal(additional_compile_opt="-O2")
def placed(q, k: nt.tensor):
    """Tiles placed by hand, which take turns in two places."""
    out = nl.ndarray((4, 128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    left = nl.ndarray((4, nl.par_dim(128), 128), dtype=q.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=1024, num_free_tiles=(2,)))
    right = nl.ndarray((nl.par_dim(128), 128), dtype=k.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    psum = nl.ndarray((4, nl.par_dim(128), 128), dtype=nl.float32, buffer=ncc.psum.mod_alloc(base_bank=3, num_bank_tiles=(2,)))
    other = nl.ndarray((4, nl.par_dim(128), 128), dtype=nl.float32, buffer=ncc.psum.alloc(lambda block, p, size: (7, 0, 0)))
    result = nl.ndarray((nl.par_dim(128), 2, 128), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=8192))
    right[...] = nl.load(k)
    for n in nl.affine_range(4):
        left[n] = nl.load(q[n])
        for _ in nl.affine_range(2):
            psum[n, :, :] += nisa.nc_matmul(left[n], right)
        other[n] = nisa.nc_matmul(left[n], right)
        result[:, n % 2, :] = nl.add(nisa.tensor_copy(other[n]), psum[n])
        nl.store(out[n], result[:, n % 2, :])
    return out


def test_tiles_that_are_placed_by_hand(rng):
    q, k = rng.standard_normal((4, 128, 128)).astype(np.float32), rng.standard_normal((128, 128)).astype(np.float32)
    close(placed(q, k), 3 * np.einsum("nij,ik->njk", q, k), 1e-5)
    assert placed.benchmark_result.nc_latency.get_latency_percentile(99) == tahoma.last().time_us
    tensors = tahoma.trace(placed.launched, q, k)[0].tracer.lower()["tensors"]
    assert {byte for name, buffer, _, byte, *_ in tensors if buffer == "psum"} == {3 * 2048, 4 * 2048, 7 * 2048}


# --- what surrounds a kernel ------------------------------------------------------------------------------------------


def test_benchmark_and_simulate(rng, tmp_path):
    x = rng.standard_normal((128, 64)).astype(np.float32)
    timed = nki.benchmark(warmup=2, iters=5, save_trace_name=str(tmp_path / "trace"))(one_instruction)
    close(timed(x), np.exp(x / 2), 1e-5)
    assert timed.benchmark_result.nc_latency.get_latency_percentile(50) == tahoma.last().time_us > 0
    assert json.loads((tmp_path / "trace").read_text())["simulated_time_ns"] == tahoma.last().time_ns
    np.testing.assert_array_equal(nki.simulate_kernel(add_block[1, 1], x, x), x + x)


def test_arguments_that_are_written_in_place(rng):
    @nki.jit
    def kernel(x: nt.mutable_tensor):
        nl.store(x, nl.load(x) + 1.0)

    x = rng.standard_normal((128, 64)).astype(np.float32)
    before = x.copy()
    kernel(x)
    np.testing.assert_array_equal(x, before + 1)


def test_values_of_the_host_in_types_that_numpy_lacks(rng):
    x = nl.static_cast(rng.standard_normal((128, 64)), nl.bfloat16)
    result = add_block(x, x)
    assert dtypes.array_name(result) == "bfloat16"
    np.testing.assert_array_equal(np.asarray(result, np.float32), 2 * np.asarray(x, np.float32))


def test_reads_of_what_nothing_has_written_are_found():
    @nki.jit
    def kernel():
        out = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.shared_hbm)
        nl.store(out, nl.ndarray((128, 8), dtype=nl.float32) + 1.0)
        return out

    with pytest.raises(tahoma.KernelError, match="never written"):
        kernel()


# --- names and forms of the vendor's own documentation tests ------------------------------------------------------------


def test_the_constants_are_a_module_too():
    from neuronxcc.nki.isa import constants
    from neuronxcc.nki.isa.constants import dge_mode

    assert dge_mode is nisa.dge_mode and constants.dge_mode is dge_mode


def test_trace_is_the_first_name_of_jit(rng):
    @nki.trace
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.load(x))
        return out

    x = rng.random((128, 8), np.float32)
    np.testing.assert_array_equal(nki.simulate_kernel(kernel, x), x)


@nki.jit
def chosen_rows(x, numbers):
    out = nl.ndarray((64, 32), dtype=x.dtype, buffer=nl.shared_hbm)
    at, iy = nl.load(numbers), nl.mgrid[0:64, 0:32].x
    tile = nl.zeros((64, 32), dtype=x.dtype)
    nisa.dma_copy(dst=tile[nl.arange(64)[:, None], nl.arange(32)[None, :]], src=x[at, 2 * iy + 1])
    nl.store(out, tile)
    return out


def test_rows_by_a_tile_beside_index_objects(rng):
    x, numbers = rng.random((128, 70), np.float32), rng.integers(0, 128, (64, 1)).astype(np.int32)
    np.testing.assert_array_equal(chosen_rows(x, numbers), x[numbers[:, 0], 1:65:2])


@nki.jit
def running(x, factor, start):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((nl.par_dim(128), x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    first = nl.load(start) if start else None
    reduce_cmd = nisa.reduce_cmd.load_reduce if start else nisa.reduce_cmd.reset_reduce
    nisa.tensor_scalar_cumulative(src=nl.load(x), dst=tile, op0=np.multiply, op1=np.add, imm0=nl.load(factor), imm1=first, reduce_cmd=reduce_cmd)
    nl.store(out, tile)
    return out


def test_only_load_reduce_uses_the_start(rng):
    @nki.jit
    def kernel(x, start):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray((nl.par_dim(128), x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar_cumulative(src=nl.load(x), dst=tile, op0=np.add, op1=np.add, imm0=0.0, imm1=nl.load(start))
        nl.store(out, tile)
        return out

    x = rng.integers(0, 9, (128, 16)).astype(np.float32)
    np.testing.assert_array_equal(kernel(x, x[:, 0:1]), np.cumsum(x, axis=1))


@pytest.mark.parametrize("started", [False, True])
def test_running_sums_of_scaled_values(rng, started):
    x, factor, start = [rng.integers(0, 9, (128, n)).astype(np.float32) for n in (16, 1, 1)]
    want = np.cumsum(x * factor, axis=1) + (start if started else 0)
    np.testing.assert_array_equal(running(x, factor, start if started else None), want)


def test_the_identity_may_be_loaded_first(rng):
    @nki.jit
    def kernel(x):
        out = nl.ndarray((64, 64), dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.load(nl.shared_identity_matrix(64, dtype=np.float32)))
        return out

    np.testing.assert_array_equal(kernel(rng.random((64, 64), np.float32)), np.eye(64, dtype=np.float32))
