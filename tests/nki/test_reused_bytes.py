# SPDX-License-Identifier: Apache-2.0
"""Tiles that are used after another tile took their bytes. The kernels place tiles by hand, as the allocators of public kernels
do; each mistake is found at the line that reads, and each right reuse is accepted."""
import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import tahoma

X = np.arange(128 * 64, dtype=np.float32).reshape(128, 64)


def at(byte, columns=64, partition=0, rows=128, dtype=nl.float32, buffer=nl.sbuf):
    return nl.ndarray((rows, columns), dtype=dtype, buffer=buffer, address=(partition, byte))


def whole(x):
    first, second = at(0), at(0)
    nisa.dma_copy(first, x)
    nisa.memset(second, 1.0)
    nisa.tensor_scalar(at(1024), first, nl.add, 1.0)  # here


def last_column(x):
    first, second = at(0), at(252)
    nisa.dma_copy(first, x)
    nisa.memset(second, 1.0)
    nisa.tensor_copy(at(1024), first)  # here


def one_partition(x):
    first, second = at(0), at(0, partition=96, rows=1)
    nisa.dma_copy(first, x)
    nisa.memset(second, 1.0)
    nisa.tensor_copy(at(1024), first)  # here


def through_a_slice(x):
    first, second = at(0), at(128, columns=4)
    nisa.dma_copy(first, x)
    nisa.memset(second, 1.0)
    nisa.tensor_copy(at(1024, columns=8), first[:, 30:38])  # here


def by_a_transfer(x):
    first, second = at(0), at(0)
    nisa.dma_copy(first, x)
    nisa.dma_copy(second, x)
    nisa.dma_copy(x, first)  # here


def by_a_transfer_into_the_second_buffer_of_a_loop(x):
    buffers = [at(256 * (n % 2)) for n in range(3)]
    for buffer in buffers:
        nisa.dma_copy(buffer, x)
    nisa.tensor_copy(at(1024), buffers[0])  # here


def of_another_type(x):
    first, second = at(0), at(0, columns=128, dtype=nl.bfloat16)
    nisa.dma_copy(first, x)
    nisa.memset(second, 0.0)
    nisa.tensor_copy(at(1024), first)  # here


def as_a_column(x):
    bias, tile = at(0, columns=1), at(0)
    nisa.memset(bias, 2.0)
    nisa.dma_copy(tile, x)
    nisa.activation(at(1024), nl.exp, tile, bias=bias)  # here


def as_weights(x):
    weights, other = at(0), at(0)
    total = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.dma_copy(weights, x)
    nisa.nc_matmul(total, weights, weights)
    nisa.memset(other, 1.0)
    nisa.nc_matmul(total, weights, other)  # here


def in_psum(x):
    first, second = at(0, rows=64, buffer=nl.psum), at(0, rows=64, buffer=nl.psum)
    tile = at(0)
    nisa.dma_copy(tile, x)
    nisa.nc_matmul(first, tile, tile)
    nisa.nc_matmul(second, tile, tile)
    nisa.tensor_copy(at(1024, rows=64), first)  # here


def as_a_result_of_a_reduction(x):
    tile, total, late = at(0), at(512, columns=1), at(512, columns=2)
    nisa.dma_copy(tile, x)
    nisa.tensor_reduce(total, nl.add, tile, axis=1)
    nisa.memset(late, 0.0)
    nisa.tensor_scalar(tile, tile, nl.multiply, total)  # here


MISTAKES = [whole, last_column, one_partition, through_a_slice, by_a_transfer, by_a_transfer_into_the_second_buffer_of_a_loop,
            of_another_type, as_a_column, as_weights, in_psum, as_a_result_of_a_reduction]


@pytest.mark.parametrize("function", MISTAKES, ids=lambda f: f.__name__)
def test_a_read_of_overwritten_bytes_is_found(refused, function):
    refused(nki.jit(function), X, code="E-NKI-025", says="took its bytes and overwrote them at .*test_reused_bytes.py")


def test_bytes_may_be_reused_when_nothing_reads_the_old_tile():
    @nki.jit
    def reuse(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        for _ in range(3):
            tile = at(0)
            nisa.dma_copy(tile, x)
            nisa.tensor_scalar(tile, tile, nl.add, 1.0)
            nisa.dma_copy(out, tile)
        return out

    np.testing.assert_array_equal(reuse(X), X + 1)


def test_a_tile_that_never_wrote_the_bytes_reads_what_lies_there():
    @nki.jit
    def reinterpret(x):
        out = nl.ndarray((128, 64), dtype=nl.int32, buffer=nl.shared_hbm)
        nisa.dma_copy(at(0), x)
        nisa.dma_copy(out, at(0, dtype=nl.int32))
        return out

    np.testing.assert_array_equal(reinterpret(X), X.view(np.int32))


def test_other_partitions_and_other_columns_are_not_the_same_bytes():
    @nki.jit
    def beside(x):
        out = nl.ndarray((64, 64), dtype=x.dtype, buffer=nl.shared_hbm)
        upper, lower, right = at(0, rows=64), at(0, partition=64, rows=64), at(256, rows=64)
        nisa.dma_copy(upper, x[0:64, :])
        nisa.memset(lower, 0.0)
        nisa.memset(right, 0.0)
        nisa.dma_copy(out, upper)
        return out

    np.testing.assert_array_equal(beside(X), X[:64])


@nki.jit
def tiles_that_live_long_between_others_that_do_not(x):
    """160 KiB of SBUF live to the end. They are made one by one from tiles of the same size that die at once; then wider ones follow."""
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    kept = []
    for _ in range(320):
        short = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(short, x[:, 0:128])
        kept.append(nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf))
        nisa.tensor_copy(kept[-1], short)
    for _ in range(8):
        wide = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(wide, x)
        for tile in kept:
            nisa.tensor_tensor(wide[:, 0:128], wide[:, 0:128], tile, nl.maximum)
        nisa.dma_copy(out, wide)
    return out


def test_long_and_short_lives_leave_no_gaps_between_them():
    tahoma.configure(compiler="plain")  # which neither reorders nor spills
    x = np.arange(128 * 512, dtype=np.float32).reshape(128, 512)
    np.testing.assert_array_equal(tiles_that_live_long_between_others_that_do_not(x), x)
    assert not tahoma.last().warnings
