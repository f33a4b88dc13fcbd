# SPDX-License-Identifier: Apache-2.0
"""Kernels of our own, second part: loops on the device, two cores, ranks, objects, functions of tiles, policies."""
import math

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import tahoma
from nki.collectives import ReplicaGroup, all_gather, all_reduce, rank_id
from test_kernels import matmul_kernel
from values import both_modes, close


# --- registers and loops on the device --------------------------------------------------------------------------------


@nki.jit
def sum_of_blocks(x, count):
    """Adds `count` blocks of 128 rows; the count is known only on the device."""
    width = x.shape[1]
    out = nl.ndarray((128, width), dtype=nl.float32, buffer=nl.shared_hbm)
    number = nl.load(count)
    blocks = nisa.register_alloc(number)
    total = nl.ndarray((128, width), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(total, 0.0)
    for block in nl.dynamic_range(blocks):
        tile = nl.ndarray((128, width), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(tile, x.ap([[width, 128], [1, width]], scalar_offset=block * 128, indirect_dim=0))
        nisa.tensor_tensor(total, total, tile, nl.add)
    nisa.dma_copy(out, total)
    return out


@pytest.mark.parametrize("count", [0, 1, 5])
def test_a_loop_on_the_device_runs_as_often_as_a_tensor_says(rng, count):
    x = rng.integers(0, 9, (5 * 128, 32)).astype(np.float32)
    got = both_modes(sum_of_blocks, x, np.array([[count]], np.int32))
    np.testing.assert_array_equal(got, x[: count * 128].reshape(count, 128, 32).sum(0))


@nki.jit
def countdown(start):
    """Writes 1 at the places start, start - 1, ..., 1 of a row."""
    out = nl.ndarray((1, 64), dtype=nl.int32, buffer=nl.shared_hbm)
    tile = nl.zeros((1, 64), dtype=nl.int32)
    nisa.dma_copy(out, tile)
    one = nl.ones((1, 1), dtype=nl.int32)

    def body(at):
        nisa.dma_copy(out.ap([[64, 1], [1, 1]], scalar_offset=at, indirect_dim=1), one)
        return at - 1

    nl.while_loop(nisa.register_alloc(nl.load(start)), body)
    return out


def test_a_while_loop_ends_when_its_condition_is_zero():
    got = both_modes(countdown, np.array([[9]], np.int32))
    np.testing.assert_array_equal(got[0], np.array([0] + [1] * 9 + [0] * 54))


@nki.jit
def running_sums(x, count):
    """Adds the row again and again, `count` times, and writes each sum."""
    width = x.shape[1]
    out = nl.ndarray((8, width), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = nl.zeros((8, width), dtype=x.dtype)
    nisa.dma_copy(out, rows)
    row, total = nl.load(x), nl.zeros((1, width), dtype=x.dtype)

    def body(at):
        nisa.tensor_tensor(total, total, row, nl.add)
        nisa.dma_copy(out.ap([[width, 1], [1, width]], scalar_offset=at, indirect_dim=0), total)

    nl.fori_loop(0, nisa.register_alloc(nl.load(count)), body, step=2)
    return out


@pytest.mark.parametrize("count", [0, 1, 2, 7, 8])
def test_fori_loop_calls_its_body_for_each_counter(rng, count):
    x = rng.integers(0, 9, (1, 16)).astype(np.float32)
    want = np.zeros((8, 16), np.float32)
    for turn, at in enumerate(range(0, count, 2)):
        want[at] = (turn + 1) * x[0]
    np.testing.assert_array_equal(both_modes(running_sums, x, np.array([[count]], np.int32)), want)


def row_at(mode, in_register, stores):
    """Copies the row of a tensor that a number on chip selects, or writes it."""

    @nki.jit
    def kernel(x, number):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        rows = nl.zeros(x.shape, dtype=x.dtype)
        nisa.dma_copy(out, rows)
        row = nl.ones((1, x.shape[1]), dtype=x.dtype)
        at = nl.load(number)
        at = nisa.register_alloc(at) if in_register else at
        view = (out if stores else x).ap([[x.shape[1], 1], [1, x.shape[1]]], scalar_offset=at, indirect_dim=0)
        nisa.dma_copy(view if stores else row, row if stores else view, oob_mode=mode)
        nisa.dma_copy(out[0:1, :], row)
        return out

    return kernel


@pytest.mark.parametrize("stores", [False, True])
@pytest.mark.parametrize("in_register", [False, True])
@pytest.mark.parametrize("number", [0, 1, 31, 32, -1, 10**6])
def test_a_scalar_offset_beyond_the_tensor_is_an_error_or_skipped(rng, number, in_register, stores):
    x, at = rng.random((32, 16), np.float32), np.array([[number]], np.int32)
    inside = 0 <= number < 32
    want = np.zeros((32, 16), np.float32)
    want[0] = x[number] if inside and not stores else 1.0
    if stores and inside:
        want[number] = 1.0
    np.testing.assert_array_equal(both_modes(row_at(nisa.oob_mode.skip, in_register, stores), x, at), want)
    if inside:
        np.testing.assert_array_equal(both_modes(row_at(nisa.oob_mode.error, in_register, stores), x, at), want)
        return
    with pytest.raises(tahoma.KernelError, match=f"E-RUN-043.*rows {number}..{number}; expected rows within 0..31"):
        row_at(nisa.oob_mode.error, in_register, stores)(x, at)


@nki.jit
def into_cache(cache, new, at):
    """Writes new values to the sequence of a cache that a number selects, from HBM to HBM."""
    _, heads, tokens, size = cache.shape
    number = nl.load(at)
    place = cache.ap([[tokens * size * heads, 1], [size * tokens, heads], [size, new.shape[1]], [1, size]], scalar_offset=number,
                     indirect_dim=0)
    nisa.dma_copy(src=new, dst=place, oob_mode=nisa.oob_mode.skip)
    return cache


@pytest.mark.parametrize("number", [0, 2, 3, -1, 1000])
def test_a_cache_is_not_written_where_it_has_no_such_sequence(rng, number):
    cache, new = rng.random((3, 2, 8, 16), np.float32), rng.random((2, 4, 16), np.float32)
    want = cache.copy()
    if 0 <= number < 3:
        want[number, :, :4] = new
    np.testing.assert_array_equal(both_modes(into_cache, cache, new, np.array([[number]], np.int32)), want)
    assert not tahoma.last().warnings


def alternating(engines, ordered):
    """Eight memsets of tiles of their own on engines in turn; each may depend on the one before."""

    @nki.jit
    def kernel(x):
        before = None
        for n in range(8):
            tile = nl.ndarray((128, 4096), dtype=nl.float32, buffer=nl.sbuf)
            engine = engines[n % len(engines)]
            done = nisa.memset(tile, float(n), engine=engine) if engine is not None else None
            if ordered and before is not None:
                done.depends_on(before)
            before = done
        return x

    return kernel


def test_depends_on_orders_instructions_of_different_engines():
    x = np.zeros((128, 4), np.float32)
    time = {}
    for name, engines, ordered in [("nothing", [None], False), ("vector", [nisa.vector_engine, None], False),
                                   ("gpsimd", [None, nisa.gpsimd_engine], False), ("free", [nisa.vector_engine, nisa.gpsimd_engine], False),
                                   ("ordered", [nisa.vector_engine, nisa.gpsimd_engine], True)]:
        alternating(engines, ordered)(x)
        time[name] = tahoma.last().time_ns
    both = (time["vector"] - time["nothing"]) + (time["gpsimd"] - time["nothing"])
    assert time["free"] - time["nothing"] < both  # the engines work at the same time
    assert time["ordered"] - time["nothing"] >= both


@nki.jit
def add_program_id(x):
    out = nl.ndarray((2, x.shape[0], x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    nisa.tensor_scalar(tile, tile, nl.add, float(nl.program_id(0)))
    nisa.dma_copy(out[nl.program_id(0)], tile)
    return out


@pytest.mark.parametrize("call", [lambda x: add_program_id(x), lambda x: add_program_id[2](x)])
def test_a_kernel_inside_a_kernel_is_part_of_its_callers_programs(rng, call):
    @nki.jit
    def caller(x):
        return call(x)

    x = rng.random((128, 8), np.float32)
    np.testing.assert_array_equal(caller[2](x), np.stack([x, x + np.float32(1)]))


# --- two cores, several ranks -----------------------------------------------------------------------------------------


@nki.jit
def swap_halves(x):
    """Each core doubles its half and hands it to the other, through the exchange of SBUF."""
    core, rows = nl.program_id(0), x.shape[0] // 2
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    mine, theirs = nl.load(x[core * rows : (core + 1) * rows, :]), nl.ndarray((rows, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_scalar(mine, mine, nl.multiply, 2.0)
    nisa.sendrecv(src=mine, dst=theirs, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=0)
    nisa.dma_copy(out[core * rows : (core + 1) * rows, :], theirs)
    return out


def test_two_cores_exchange_tiles(rng):
    x = rng.standard_normal((128, 40)).astype(np.float32)
    np.testing.assert_array_equal(both_modes(swap_halves[2], x), np.roll(x, 64, 0) * 2)


@nki.jit
def two_swaps(x):
    """The second core is late at the first swap, and both are early at the second, which is on another engine."""
    core, other = nl.program_id(0), 1 - nl.program_id(0)
    out = nl.ndarray((2, 2, *x.shape), dtype=x.dtype, buffer=nl.shared_hbm)
    late, early = nl.load(x), nl.load(x)
    got = [nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf) for _ in range(2)]
    for _ in range(1 + 40 * core):
        nisa.tensor_scalar(late, late, nl.add, 1.0)
    nisa.tensor_scalar(early, early, nl.multiply, 2.0 + core)
    nisa.sendrecv(src=late, dst=got[0], send_to_rank=other, recv_from_rank=other, pipe_id=0)
    nisa.sendrecv(src=early, dst=got[1], send_to_rank=other, recv_from_rank=other, pipe_id=0, dma_engine=nisa.dma_engine.gpsimd_dma)
    for n in range(2):
        nisa.dma_copy(out[core, n], got[n])
    return out


def test_swaps_of_two_engines_are_paired_in_the_order_of_the_kernel(rng):
    x = rng.standard_normal((128, 64)).astype(np.float32)
    late, early = x.copy(), 2 * x
    for _ in range(41):
        late += np.float32(1)
    np.testing.assert_array_equal(both_modes(two_swaps[2], x), [[late, 3 * x], [x + np.float32(1), early]])


@nki.jit
def halves_through_hbm(x):
    core, cores, rows = nl.program_id(0), nl.num_programs(0), x.shape[0] // 2
    assert (cores, nl.program_ndim()) == (2, 1)
    shared = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(shared[core * rows : (core + 1) * rows, :], nl.load(x[core * rows : (core + 1) * rows, :]))
    nisa.core_barrier(shared, (0, 1))
    other = 1 - core
    nisa.dma_copy(out[core * rows : (core + 1) * rows, :], nl.load(shared[other * rows : (other + 1) * rows, :]))
    return out


def test_a_barrier_makes_the_other_cores_writes_visible(rng):
    x = rng.standard_normal((128, 40)).astype(np.float32)
    np.testing.assert_array_equal(both_modes(halves_through_hbm[2], x), np.roll(x, 64, 0))


@nki.jit
def only_one_core_works(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    if nl.program_id(0) == 0:
        nisa.dma_copy(out, nl.load(x))
    return out


def test_a_core_may_have_nothing_to_do(rng):
    x = rng.standard_normal((128, 40)).astype(np.float32)
    np.testing.assert_array_equal(only_one_core_works[2](x), x)


@nki.jit
def alone(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    summed = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    group = ReplicaGroup([[0]])
    all_reduce([x], [summed], group, nl.add)
    all_gather([summed], [out], group, 0)
    rank_id()
    return out


def test_collectives_of_one_rank_copy(rng):
    x = rng.standard_normal((128, 40)).astype(np.float32)
    np.testing.assert_array_equal(both_modes(alone, x), x)


# --- objects, nested kernels, benchmarks ------------------------------------------------------------------------------


class Scales(nl.NKIObject):
    factor: float
    offset: float = 1.0
    table: object = None

    def __post_init__(self):
        self.doubled = self.factor * 2


@nki.jit
def inner(tile, scales):
    nisa.tensor_scalar(tile, tile, nl.multiply, scales.doubled, op1=nl.add, operand1=scales.offset)


@nki.jit
def outer(x, scales):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    inner(tile, scales)
    nisa.tensor_tensor(tile, tile, nl.load(scales.table), nl.add)
    nisa.dma_copy(out, tile)
    return out


def test_objects_carry_numbers_and_tensors_into_nested_kernels(rng):
    x, table = (rng.standard_normal((64, 16)).astype(np.float32) for _ in range(2))
    scales = Scales(0.5, table=table)
    np.testing.assert_array_equal(outer(x, scales), (x * np.float32(1) + np.float32(1)) + table)
    assert scales.table is table


@nki.jit
def doubled(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.add(nl.load(x), nl.load(x)))
    return out


def test_a_benchmark_reports_the_simulated_time(rng):
    x = rng.standard_normal((128, 32)).astype(np.float32)
    timed = nki.benchmark(warmup=2, iters=5)(doubled)
    timed(x)
    assert timed.benchmark_result.nc_latency.get_latency_percentile(99) == pytest.approx(tahoma.last().time_us)


@pytest.mark.parametrize("name", ["exp", "tanh", "sigmoid", "silu", "gelu", "erf", "sqrt", "log", "sin", "square", "rsqrt", "reciprocal"])
def test_functions_of_tiles(rng, name):
    functions = {
        "exp": np.exp, "tanh": np.tanh, "sigmoid": lambda v: 1 / (1 + np.exp(-v)), "silu": lambda v: v / (1 + np.exp(-v)),
        "sqrt": np.sqrt, "log": np.log, "sin": np.sin, "square": np.square, "rsqrt": lambda v: 1 / np.sqrt(v),
        "reciprocal": lambda v: 1 / v,
    }
    erf = np.vectorize(math.erf)
    functions["erf"] = erf
    functions["gelu"] = lambda v: v * (1 + erf(v / math.sqrt(2))) / 2

    @nki.jit
    def applied(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, getattr(nl, name)(nl.load(x)))
        return out

    x = (rng.random((32, 64)) * 3 + 0.1).astype(np.float32)
    if name == "sin":
        x = x * 10
    close(applied(x), functions[name](x.astype(np.float64)), rtol=2e-5)


def test_every_instruction_has_the_line_and_the_calls_that_made_it(rng):
    x = rng.standard_normal((128, 32)).astype(np.float32)
    program, = tahoma.trace(outer, x, Scales(2.0, table=x))
    text = program.tracer.dump()
    assert "inner" in next(line for line in text.splitlines() if " tensor_scalar" in line)
    assert text.count("test_programs.py:") >= 6


def test_both_allocation_policies_give_the_same_values(rng):
    a, b = rng.standard_normal((256, 128)).astype(np.float32), rng.standard_normal((256, 640)).astype(np.float32)
    rotating = matmul_kernel(a, b)
    fast = tahoma.last().time_ns
    tahoma.configure(allocation="first_fit")
    np.testing.assert_array_equal(matmul_kernel(a, b), rotating)
    assert tahoma.last().time_ns >= fast  # fewer tiles in flight


@nki.jit
def loads_long_before_use(x):
    """Loads 16 tiles of 16 KiB a partition before the first is used: 256 KiB, more than SBUF has, unless the loads move down."""
    out = nl.ndarray((128, 4096), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = [nl.load(x[n * 128 : (n + 1) * 128, :]) for n in range(16)]
    total = nl.zeros((128, 4096), dtype=nl.float32)
    for tile in tiles:
        nisa.tensor_tensor(total, total, tile, nl.add)
    nl.store(out, total)
    return out


def test_loads_move_down_when_memory_runs_out(rng):
    x = rng.integers(0, 9, (16 * 128, 4096)).astype(np.float32)
    with pytest.warns(UserWarning, match="do not fit on chip in program order"):
        got = loads_long_before_use(x)
    np.testing.assert_array_equal(got, x.reshape(16, 128, 4096).sum(0))
