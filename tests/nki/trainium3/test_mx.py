# SPDX-License-Identifier: Apache-2.0
"""Kernels on the tensor engine of Trainium3 against NumPy: MXFP8 and MXFP4 by the OCP's definition, sums in bfloat16, and rows of PSUM beyond a
bank."""
import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import tahoma
from micro_scaling import PACKED, decoded, numbers_of, packed, product, quantised, random_codes, spread
from values import both_modes, close, disassembly


@pytest.fixture(autouse=True)
def trainium3(settings):
    tahoma.configure(machine="trainium3_chip")


def loaded(tensor, dtype=None):
    tile = nl.load(tensor)
    return tile if dtype is None else tile.view(dtype)


def stored(tile):
    out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, tile)
    return out


@nki.jit
def offline(stationary, stationary_scale, moving, moving_scale, stationary_dtype, moving_dtype, sum_dtype):
    """One product of operands that the host has packed."""
    sums = nl.ndarray((stationary.shape[1], moving.shape[1]), dtype=sum_dtype, buffer=nl.psum)
    nisa.nc_matmul_mx(sums, loaded(stationary, stationary_dtype), loaded(moving, moving_dtype), loaded(stationary_scale), loaded(moving_scale))
    result = nl.ndarray(sums.shape, dtype=sum_dtype)
    nisa.tensor_copy(result, sums)
    return stored(result)


@pytest.mark.parametrize("stationary, moving", [(a, b) for a in PACKED for b in PACKED])
def test_products_of_packed_operands(rng, stationary, moving):
    (w, ws), (x, xs) = random_codes(rng, (128, 32, 4), stationary), random_codes(rng, (128, 80, 4), moving)
    out = both_modes(offline, packed(w, stationary), spread(ws), packed(x, moving), spread(xs), PACKED[stationary], PACKED[moving], nl.float32)
    exact, bound = product(decoded(w, ws, stationary), decoded(x, xs, moving))
    assert (np.abs(out - exact) <= bound).all()


def test_a_product_into_bfloat16_has_1024_columns(rng):
    name = "float8_e5m2"
    (w, ws), (x, xs) = random_codes(rng, (128, 16, 4), name), random_codes(rng, (128, 1024, 4), name)
    out = offline(packed(w, name), spread(ws), packed(x, name), spread(xs), PACKED[name], PACKED[name], nl.bfloat16)
    exact, bound = product(decoded(w, ws, name), decoded(x, xs, name))
    assert (np.abs(np.asarray(out, np.float64) - exact) <= bound + 2.0**-8 * np.abs(exact)).all()


@nki.jit
def quantising(x, dtype):
    """The packed elements and the scales of a tile."""
    elements, scales = nl.ndarray((x.shape[0], x.shape[1] // 4), dtype=dtype), nl.ndarray((x.shape[0], x.shape[1] // 4), dtype=nl.uint8)
    nisa.memset(scales, 7)
    nisa.quantize_mx(elements, nl.load(x), scales)
    return stored(elements), stored(scales)


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
def test_quantisation_bit_by_bit(rng, name):
    x = np.ldexp(rng.standard_normal((128, 256)), rng.integers(-20, 12, (128, 256))).astype(np.float16)
    x[:8] = 0
    x[8:16, :4] = 1.9375  # largest of the block: rounds up, to a power of two
    x[16:24, :4] = np.linspace(-3.5, 3.5, 32).reshape(8, 4)
    elements, scales = both_modes(quantising, x, PACKED[name])
    codes, want = quantised(x.astype(np.float64).reshape(128, 64, 4), name)
    np.testing.assert_array_equal(elements, packed(codes, name))
    rows = [32 * (g // 4) + g % 4 for g in range(16)]
    np.testing.assert_array_equal(scales[rows], want)
    assert (np.delete(scales, rows, axis=0) == 7).all()  # other partitions keep their bytes


def microscaled(x, name):
    codes, scales = quantised(x.astype(np.float64).reshape(x.shape[0], -1, 4), name)
    return decoded(codes, scales, name)


def quantised_tile(tile, dtype=nl.float8_e4m3fn_x4):
    columns = tile.shape[1] // 4
    elements, scales = nl.ndarray((tile.shape[0], columns), dtype=dtype), nl.ndarray((tile.shape[0], columns), dtype=nl.uint8)
    nisa.quantize_mx(elements, tile, scales)
    return elements, scales


@nki.jit
def accumulated(w, x):
    """K = 1024 in two passes, each quantised on the vector engine."""
    sums = nl.ndarray((w.shape[1] // 4, x.shape[1] // 4), dtype=nl.float32, buffer=nl.psum)
    for part in range(w.shape[0] // 128):
        rows = slice(part * 128, part * 128 + 128)
        (weights, weight_scales), (numbers, scales) = quantised_tile(nl.load(w[rows])), quantised_tile(nl.load(x[rows]))
        nisa.nc_matmul_mx(sums, weights, numbers, weight_scales, scales)
    return stored(nl.copy(sums))


def test_two_quantised_passes_accumulate(rng):
    w, x = rng.standard_normal((256, 64)).astype(np.float16), rng.standard_normal((256, 400)).astype(np.float16)
    out = both_modes(accumulated, w, x)
    exact, bound = product(microscaled(w, "float8_e4m3fn"), microscaled(x, "float8_e4m3fn"))
    assert (np.abs(out - exact) <= bound).all()


@nki.jit
def shared_scales(w, ws, x, xs):
    """The scales of both operands share a tile: four partitions of each 32 for each."""
    scales = nl.ndarray((128, x.shape[1]), dtype=nl.uint8)
    for quadrant in range(4):
        nisa.dma_copy(scales[32 * quadrant : 32 * quadrant + 4, : w.shape[1]], ws[4 * quadrant : 4 * quadrant + 4])
        nisa.dma_copy(scales[32 * quadrant + 8 : 32 * quadrant + 12], xs[4 * quadrant : 4 * quadrant + 4])
    sums = nl.ndarray((w.shape[1], x.shape[1]), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul_mx(sums, loaded(w, nl.float4_e2m1fn_x4), loaded(x, nl.float8_e4m3fn_x4), scales[0:120, : w.shape[1]], scales[8:128])
    return stored(nl.copy(sums))


def test_scales_of_two_operands_in_one_tile(rng):
    (w, ws), (x, xs) = random_codes(rng, (128, 16, 4), "float4_e2m1fn"), random_codes(rng, (128, 48, 4), "float8_e4m3fn")
    out = shared_scales(packed(w, "float4_e2m1fn"), ws, packed(x, "float8_e4m3fn"), xs)
    exact, bound = product(decoded(w, ws, "float4_e2m1fn"), decoded(x, xs, "float8_e4m3fn"))
    assert (np.abs(out - exact) <= bound).all()


@nki.jit
def row_tiles(w, ws, x, xs):
    """Two products of 64 rows each, on the two halves of the array's rows."""
    weights, numbers, weight_scales, scales = loaded(w, nl.float8_e5m2_x4), loaded(x, nl.float8_e5m2_x4), nl.load(ws), nl.load(xs)
    results = []
    for half in range(2):
        rows = slice(64 * half, 64 * half + 64)
        sums = nl.ndarray((w.shape[1], x.shape[1]), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul_mx(sums, weights[rows], numbers[rows], weight_scales[rows], scales[rows], tile_position=(64 * half, 0),
                          tile_size=(64, 128))
        results.append(stored(nl.copy(sums)))
    return tuple(results)


def test_products_on_tiles_of_rows(rng):
    (w, ws), (x, xs) = random_codes(rng, (128, 24, 4), "float8_e5m2"), random_codes(rng, (128, 40, 4), "float8_e5m2")
    halves = row_tiles(packed(w, "float8_e5m2"), spread(ws), packed(x, "float8_e5m2"), spread(xs))
    for half, out in enumerate(halves):
        rows = slice(64 * half, 64 * half + 64)
        exact, bound = product(decoded(w, ws, "float8_e5m2")[rows], decoded(x, xs, "float8_e5m2")[rows])
        assert (np.abs(out - exact) <= bound).all()


@nki.jit
def mlp(x, gate, up, down):
    """down(silu(gate x) * up x), every product in MXFP8: x [4 x 128, T] and the weights are bfloat16, K in quads along the free dimension."""
    tokens = x.shape[1] // 4
    (numbers, scales), inner = quantised_tile(nl.load(x)), nl.ndarray((128, 4 * tokens), dtype=nl.bfloat16)
    for quarter in range(4):  # 128 of 512 inner features, which become one element of each quad
        parts = []
        for weights in (gate, up):
            (elements, weight_scales) = quantised_tile(nl.load(weights[:, quarter * 512 : quarter * 512 + 512]))
            sums = nl.ndarray((128, tokens), dtype=nl.float32, buffer=nl.psum)
            nisa.nc_matmul_mx(sums, elements, numbers, weight_scales, scales)
            parts.append(sums)
        activated = nl.ndarray((128, tokens), dtype=nl.float32)
        nisa.activation(activated, nl.silu, parts[0])
        nisa.tensor_tensor(inner.reshape((128, tokens, 4))[:, :, quarter], activated, parts[1], nl.multiply)
    (numbers, scales), (elements, weight_scales) = quantised_tile(inner), quantised_tile(nl.load(down))
    sums = nl.ndarray((128, tokens), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul_mx(sums, elements, numbers, weight_scales, scales)
    return stored(nl.copy(sums))


def test_a_gated_mlp_in_mxfp8(rng):
    x, gate, up, down = (np.float16(rng.standard_normal(shape) / 8) for shape in ((128, 4 * 24), (128, 2048), (128, 2048), (128, 512)))
    out = both_modes(mlp, x, gate, up, down)
    hidden, quads = microscaled(x, "float8_e4m3fn"), np.empty((128, 24, 4))
    for quarter in range(4):
        part = slice(quarter * 512, quarter * 512 + 512)
        g, u = (np.einsum("pms,pns->mn", microscaled(w[:, part], "float8_e4m3fn"), hidden) for w in (gate, up))
        quads[:, :, quarter] = g / (1 + np.exp(-g)) * u
    exact = np.einsum("pms,pns->mn", microscaled(down, "float8_e4m3fn"), microscaled(quads.reshape(128, -1), "float8_e4m3fn"))
    assert np.linalg.norm(out - exact) < 0.02 * np.linalg.norm(exact)  # elements beside a tie round the other way


@nki.jit
def wide_product(stationary, moving, dtype):
    sums = nl.ndarray((stationary.shape[1], moving.shape[1]), dtype=dtype, buffer=nl.psum)
    nisa.nc_matmul(sums, nl.load(stationary), nl.load(moving))
    result = nl.ndarray(sums.shape, dtype=dtype)
    for first in range(0, sums.shape[1], 4096):  # elements of PSUM that one instruction takes
        nisa.tensor_copy(result[:, first : first + 4096], sums[:, first : first + 4096])
    return stored(result)


@pytest.mark.parametrize("dtype, columns", [(nl.float32, 4096), (nl.bfloat16, 8192)])
def test_a_matmul_fills_all_banks(rng, dtype, columns):
    w, x = rng.standard_normal((64, 16)).astype(np.float16), rng.standard_normal((64, columns)).astype(np.float16)
    out = both_modes(wide_product, w, x, dtype)
    close(np.asarray(out, np.float32), w.T.astype(np.float64) @ x, 2e-6 if dtype == nl.float32 else 2.0**-8)


@nki.jit
def sums_in_bfloat16(stationary, moving):
    sums = nl.ndarray((16, 32), dtype=nl.bfloat16, buffer=nl.psum)
    for part in range(3):
        nisa.nc_matmul(sums, nl.load(stationary[part * 128 : part * 128 + 128]), nl.load(moving[part * 128 : part * 128 + 128]))
    result = nl.ndarray(sums.shape, dtype=nl.bfloat16)
    nisa.tensor_copy(result, sums)
    return stored(result)


def test_every_sum_in_bfloat16_rounds(rng):
    w, x = rng.integers(-4, 5, (384, 16)).astype(np.float16), rng.integers(-4, 5, (384, 32)).astype(np.float16)
    want = np.zeros((16, 32), np.float32)
    for part in range(3):  # integers: exact in fp32, whatever the order
        rows = slice(part * 128, part * 128 + 128)
        want = tahoma.dtypes.rounded(want + w[rows].T.astype(np.float32) @ x[rows].astype(np.float32), "bfloat16")
    np.testing.assert_array_equal(np.asarray(sums_in_bfloat16(w, x), np.float32), want)


@nki.jit
def ocp_product(w, x):
    sums = nl.ndarray((w.shape[1], x.shape[1]), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(sums, loaded(w, nl.float8_e4m3fn), loaded(x, nl.float8_e4m3fn))
    return stored(nl.copy(sums))


def test_float8_e4m3fn_reaches_448(rng):
    (w, _), (x, _) = random_codes(rng, (128, 16, 4), "float8_e4m3fn"), random_codes(rng, (128, 16, 4), "float8_e4m3fn")
    w[0], x[0] = 0x7E, 0xFE  # 448 and -448
    w, x = w.reshape(128, 64), x.reshape(128, 64)
    numbers = numbers_of("float8_e4m3fn")
    close(ocp_product(w, x), numbers[w].T @ numbers[x], 2e-6)


@nki.jit
def urgent(x, y):
    first, second = nl.ndarray(x.shape, dtype=x.dtype), nl.ndarray(y.shape, dtype=y.dtype)
    nisa.dma_copy(first, x, priority=3)
    nisa.dma_copy(second, y, priority=0)
    nisa.tensor_tensor(first, first, second, nl.add)
    return stored(first)


def test_priorities_are_classes_of_service(rng, tmp_path):
    x, y = (rng.standard_normal((128, 64)).astype(np.float32) for _ in range(2))
    np.testing.assert_array_equal(urgent(x, y), x + y)
    text = disassembly(tmp_path, urgent, x, y)
    assert text.count("service=") == 1 and "service=3" in text  # 0, the lowest, is the default
    tahoma.configure(machine="trainium2_chip")
    assert "service" not in disassembly(tmp_path, urgent, x, y)


def test_types_and_shapes_that_do_not_fit_are_refused(refused):
    @nki.jit
    def unpacked(x):
        sums, tile = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.psum), nl.load(x)
        nisa.nc_matmul_mx(sums, tile, tile, tile, tile)  # here

    @nki.jit
    def computed_with(x):
        tile = loaded(x, nl.float8_e4m3fn_x4)
        nisa.tensor_tensor(tile, tile, tile, nl.add)  # here

    @nki.jit
    def few_scales(x):
        tile, scales = loaded(x, nl.float8_e4m3fn_x4), nl.ndarray((16, 64), dtype=nl.uint8)
        nisa.nc_matmul_mx(nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.psum), tile, tile, scales, scales)  # here

    x = np.zeros((128, 64), np.uint32)
    refused(unpacked, x, code="E-NKI-012", says="stationary.*expected elements of float8_e4m3fn_x4")
    refused(computed_with, x, code="E-NKI-012", says="are copied, set to 0, and multiplied")
    refused(few_scales, x, code="E-NKI-011", says="expected at least 100 partitions")
