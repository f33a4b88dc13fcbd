# SPDX-License-Identifier: Apache-2.0
"""Kernels on machines with other arrays and partitions: tile sizes follow the machine, kernels for 128 run where there is room."""
import json

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np
import pytest

import tahoma


def shape(rows, columns, partitions):
    return (f"machine.chip.core.tensor.rows={rows}", f"machine.chip.core.tensor.columns={columns}",
            f"machine.chip.core.sbuf.partitions={partitions}")


def tiled_product(lhsT, rhs, k_tile, m_tile):
    """C = lhsT^T rhs in tiles of k_tile rows and m_tile columns of the array."""
    k, m, n = lhsT.shape[0], lhsT.shape[1], rhs.shape[1]
    out = nl.ndarray((m, n), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(0, m, m_tile):
        rows = min(m_tile, m - i)
        sums = nl.ndarray((rows, n), dtype=nl.float32, buffer=nl.psum)
        for j in range(0, k, k_tile):
            depth = min(k_tile, k - j)
            left = nl.load(lhsT[j : j + depth, i : i + rows])
            right = nl.load(rhs[j : j + depth, :])
            nisa.nc_matmul(sums, left, right)
        tile = nl.ndarray((rows, n), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(tile, sums)
        nl.store(out[i : i + rows, :], tile)
    return out


@nki.jit
def for_the_machine(lhsT, rhs):
    return tiled_product(lhsT, rhs, nl.tile_size.pmax, nl.tile_size.gemm_stationary_fmax)


@nki.jit
def for_128(lhsT, rhs):
    return tiled_product(lhsT, rhs, 128, 128)


@nki.jit
def turned(x):
    out = nl.ndarray((x.shape[1], x.shape[0]), dtype=x.dtype, buffer=nl.shared_hbm)
    held = nl.load(x)
    tile = nl.ndarray(out.shape, dtype=x.dtype, buffer=nl.psum)
    nisa.nc_transpose(tile, held, engine=nisa.engine.tensor)
    kept = nl.ndarray(out.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(kept, tile)
    nl.store(out, kept)
    return out


def array_of(folder):
    """What the report says of the array."""
    (summary,) = folder.glob("**/summary.json")
    return json.loads(summary.read_text())["array"]


SHAPES = [(16, 16, 16), (64, 32, 128), (256, 128, 256), (256, 256, 256), (512, 64, 512), (128, 256, 256), (512, 512, 512)]


@pytest.mark.parametrize("rows, columns, partitions", SHAPES)
def test_tile_sizes_follow_the_machine(rows, columns, partitions, rng, tmp_path):
    tahoma.configure(set=shape(rows, columns, partitions), out=str(tmp_path))
    assert nl.tile_size.pmax == min(rows, partitions)
    assert nl.tile_size.gemm_stationary_fmax == min(columns, partitions)
    left, right = rng.standard_normal((2 * rows, 2 * columns)).astype(np.float32), rng.standard_normal((2 * rows, 40)).astype(np.float32)
    got = for_the_machine(left, right)
    np.testing.assert_allclose(got, left.T @ right, rtol=1e-4, atol=1e-3)
    use = array_of(tmp_path)
    assert (use["rows"], use["columns"], use["idle_percent"]) == (rows, columns, 0)


@pytest.mark.parametrize("rows, columns, partitions", [s for s in SHAPES if min(s) >= 128])
def test_a_kernel_for_128_uses_128_rows_of_a_larger_array(rows, columns, partitions, rng, tmp_path):
    tahoma.configure(set=shape(rows, columns, partitions), out=str(tmp_path))
    left, right = rng.standard_normal((256, 256)).astype(np.float32), rng.standard_normal((256, 100)).astype(np.float32)
    np.testing.assert_allclose(for_128(left, right), left.T @ right, rtol=1e-4, atol=1e-3)
    use = array_of(tmp_path)
    assert (use["rows"], use["columns"]) == (128, 128)
    assert use["idle_percent"] == pytest.approx(100 * (1 - 128 * 128 / (rows * columns)))


def test_a_kernel_for_128_is_refused_on_a_smaller_machine():
    tahoma.configure(set=shape(64, 64, 64))
    with pytest.raises(tahoma.KernelError) as caught:
        for_128(np.zeros((128, 128), np.float32), np.zeros((128, 100), np.float32))
    assert "128 partitions; expected at most 64" in str(caught.value)


def test_a_kernel_for_128_is_refused_on_a_smaller_array():
    tahoma.configure(set=shape(64, 128, 128))
    with pytest.raises(tahoma.KernelError) as caught:
        for_128(np.zeros((128, 128), np.float32), np.zeros((128, 100), np.float32))
    assert "expected 1..64" in str(caught.value)


@pytest.mark.parametrize("rows, columns, partitions", [(256, 256, 256), (512, 512, 512), (32, 32, 32)])
def test_the_tensor_engine_transposes_the_whole_array(rows, columns, partitions, rng):
    tahoma.configure(set=shape(rows, columns, partitions))
    x = rng.standard_normal((rows, columns)).astype(np.float32)
    assert np.array_equal(turned(x), x.T)
