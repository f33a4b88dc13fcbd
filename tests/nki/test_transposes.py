# SPDX-License-Identifier: Apache-2.0
"""dma_transpose goes through the transposing path of the DMA engines wherever that can take it: right values, and its throughput."""
import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import tahoma
from values import both_modes, disassembly


@nki.jit
def transposed(x):
    """[n, f] from HBM."""
    out = nl.ndarray((x.shape[1], x.shape[0]), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((x.shape[1], x.shape[0]), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_transpose(tile, x)
    nisa.dma_copy(out, tile)
    return out


@nki.jit
def transposed_groups(x):
    """[n, 1, m, f] from HBM, the form of most public kernels."""
    n, _, m, f = x.shape
    out = nl.ndarray((f, m, n), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((f, 1, m, n), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_transpose(tile, x)
    nisa.dma_copy(out, tile.reshape((f, m, n)))
    return out


@nki.jit
def transposed_on_chip(x):
    """[n, f] from SBUF."""
    out = nl.ndarray((x.shape[1], x.shape[0]), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((x.shape[1], x.shape[0]), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_transpose(tile, nl.load(x))
    nisa.dma_copy(out, tile)
    return out


def transfers(kernel, *arguments, folder):
    """How often the program of a kernel copies and transposes by DMA, without the copy of the result."""
    text = disassembly(folder, kernel, *arguments)
    return text.count("dma_copy ") - 1, text.count("dma_transpose ")


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("rows, copies, transposes", [(16, 0, 1), (1024, 0, 1), (1000, 1, 1), (8, 1, 0)])
def test_rows_of_hbm_in_sixteens_are_transposed_and_the_rest_is_copied(rng, tmp_path, dtype, rows, copies, transposes):
    x = rng.standard_normal((rows, 128)).astype(dtype)
    np.testing.assert_array_equal(both_modes(transposed, x), x.T)
    assert transfers(transposed, x, folder=tmp_path) == (copies, transposes)


@pytest.mark.parametrize("n, m", [(16, 3), (1, 64), (2, 48), (3, 5)])
def test_the_longest_dimension_leads(rng, tmp_path, n, m):
    x = rng.standard_normal((n, 1, m, 64)).astype(np.float16)
    np.testing.assert_array_equal(both_modes(transposed_groups, x), x[:, 0].transpose(2, 1, 0))
    assert transfers(transposed_groups, x, folder=tmp_path) == ((0, 1) if max(n, m) >= 16 else (1, 0))


def test_a_tile_in_sbuf_is_transposed(rng, tmp_path):
    x = rng.standard_normal((128, 32)).astype(np.float16)
    np.testing.assert_array_equal(both_modes(transposed_on_chip, x), x.T)
    assert transfers(transposed_on_chip, x, folder=tmp_path)[1] == 1


def test_bytes_are_copied_because_the_path_takes_two_or_four(rng, tmp_path):
    x = rng.integers(0, 100, (64, 128)).astype(np.int8)
    np.testing.assert_array_equal(both_modes(transposed, x), x.T)
    assert transfers(transposed, x, folder=tmp_path) == (1, 0)


@nki.jit
def transposed_and_dropped(x):
    """Only the transposing load: a column of the result is stored, so that the time is that of the load."""
    out = nl.ndarray((x.shape[1], 1), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((x.shape[1], x.shape[0]), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_transpose(tile, x)
    nisa.dma_copy(out, tile[:, 0:1])
    return out


def time_of(rows, percent):
    tahoma.configure(mode="timing", set=(f"machine.chip.core.dma.transpose_from_hbm={percent}",))
    transposed_and_dropped(np.zeros((rows, 128), np.float16))
    return tahoma.last().time_ns


def test_half_the_throughput_takes_twice_the_time():
    """The time of 8192 more rows is their bytes over the throughput of the path."""
    more = {percent: time_of(16384, percent) - time_of(8192, percent) for percent in (80, 40)}
    assert more[40] == pytest.approx(2 * more[80], rel=0.02)
