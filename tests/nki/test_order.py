# SPDX-License-Identifier: Apache-2.0
"""The order of instructions: the list scheduler, and kernels that fit on chip only when instructions move (frontend/nki/lower/order)."""
import warnings

import numpy as np
import pytest

import nki.isa as nisa
import nki.language as nl
import tahoma
from nki import jit
from test_kernels import matmul_kernel
from values import both_modes

PSUM_BANKS, BANK_BYTES, PSUM_BYTES = 8, 2048, 16384


def in_order(compiler, kernel, *args):
    """The result and the simulated time of a kernel in the order of this compiler, which timing mode must confirm."""
    tahoma.configure(compiler=compiler)
    result = both_modes(kernel, *args)
    return result, tahoma.last().time_ns


# --- values -----------------------------------------------------------------------------------------------------------


class RandomKernel:
    """Random instructions on parts of few tensors in SBUF, PSUM and HBM. The values are small integers, so every sum is exact."""

    WIDTH, TILES, STEPS = 64, 6, 60

    def __init__(self, seed):
        self.seed = seed

    def part(self, tile):
        """Columns of a tile: all of them, or a half."""
        start = int(self.rng.integers(0, 3)) * self.WIDTH // 2
        return tile[:, :] if start == self.WIDTH else tile[:, start : start + self.WIDTH // 2]

    def step(self, tiles, banks, hbm, weights):
        pick = lambda many: many[int(self.rng.integers(len(many)))]
        kind = int(self.rng.integers(7))
        a, b, c = self.part(pick(tiles)), self.part(pick(tiles)), self.part(pick(tiles))
        width = min(t.shape[1] for t in (a, b, c))
        a, b, c = a[:, :width], b[:, :width], c[:, :width]
        if kind == 0:
            nisa.tensor_tensor(a, b, c, nl.maximum)
        elif kind == 1:
            nisa.tensor_scalar(a, b, nl.minimum, 7.0, op1=nl.add, operand1=1.0)
        elif kind == 2:
            nisa.dma_copy(a, pick(hbm)[:, :width])
        elif kind == 3:
            nisa.dma_copy(pick(hbm)[:, :width], a)
        elif kind == 4:
            nisa.nc_matmul(pick(banks)[:, :], weights, pick(tiles)[:, :])
        elif kind == 5:
            nisa.tensor_scalar(a, pick(banks)[:, :width], nl.minimum, 5.0)
        else:
            nisa.memset(a, float(self.rng.integers(5)))

    def __call__(self):
        @jit
        def random_kernel(x, stationary):
            self.rng = np.random.default_rng(self.seed)  # every trace is the same
            out = nl.ndarray((128, self.WIDTH * self.TILES), dtype=nl.float32, buffer=nl.shared_hbm)
            hbm = [nl.ndarray((128, self.WIDTH), dtype=nl.float32, buffer=nl.private_hbm) for _ in range(2)]
            weights = nl.load(stationary)
            tiles = [nl.load(x[:, n * self.WIDTH : (n + 1) * self.WIDTH]) for n in range(self.TILES)]
            banks = [nl.ndarray((128, self.WIDTH), dtype=nl.float32, buffer=nl.psum) for _ in range(3)]
            for place in hbm:
                nisa.dma_copy(place, tiles[0])
            for bank in banks:
                nisa.nc_matmul(bank, weights, tiles[1])
            for _ in range(self.STEPS):
                self.step(tiles, banks, hbm, weights)
            for n, tile in enumerate(tiles):
                nisa.dma_copy(out[:, n * self.WIDTH : (n + 1) * self.WIDTH], tile)
            return out

        return random_kernel


@pytest.mark.parametrize("seed", range(12))
def test_the_order_does_not_change_values(seed):
    inputs = np.random.default_rng(seed)
    x = inputs.integers(0, 5, (128, RandomKernel.WIDTH * RandomKernel.TILES)).astype(np.float32)
    stationary = np.roll(np.eye(128, dtype=np.float32), seed, 1)
    expected, _ = in_order("plain", RandomKernel(seed)(), x, stationary)
    got, _ = in_order("neuron", RandomKernel(seed)(), x, stationary)
    np.testing.assert_array_equal(got, expected)


def test_a_reduction_that_goes_on_keeps_its_order(rng):
    @jit
    def continued(x):
        out = nl.ndarray((128, 2), dtype=nl.float32, buffer=nl.shared_hbm)
        sums = nl.ndarray((128, 2), dtype=nl.float32, buffer=nl.sbuf)
        scratch = [nl.ndarray((128, 32), dtype=nl.float32, buffer=nl.sbuf) for _ in range(4)]
        for n, command in enumerate(["reset_reduce", "reduce", "reset_reduce", "reduce"]):
            tile = nl.load(x[:, n * 32 : (n + 1) * 32])
            nisa.activation(scratch[n], nl.copy, tile, reduce_op=nl.add, reduce_res=sums[:, n // 2 : n // 2 + 1],
                            reduce_cmd=getattr(nisa.reduce_cmd, command))
        nl.store(out, sums)
        return out

    x = rng.integers(0, 9, (128, 128)).astype(np.float32)
    got, _ = in_order("neuron", continued, x)
    np.testing.assert_array_equal(got, x.reshape(128, 2, 64).sum(2))


# --- time and memory --------------------------------------------------------------------------------------------------


@jit
def two_chains(x):
    """Two chains of instructions on two engines, one after the other in program order."""
    out = nl.ndarray((256, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for chain in range(2):
        a, b = nl.load(x[chain * 128 : (chain + 1) * 128, :]), nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        for _ in range(6):
            nisa.tensor_scalar(b, a, nl.add, 1.0)
            nisa.activation(a, nl.copy, b)
        nl.store(out[chain * 128 : (chain + 1) * 128, :], a)
    return out


def test_independent_chains_overlap(rng):
    x = rng.integers(0, 9, (256, 512)).astype(np.float32)
    expected, serial = in_order("plain", two_chains, x)
    got, overlapping = in_order("neuron", two_chains, x)
    np.testing.assert_array_equal(expected, x + 6)
    np.testing.assert_array_equal(got, x + 6)
    assert overlapping < 0.8 * serial


def live_bytes(tensors, space):
    """The tensors of a space, as (first byte, end)."""
    return [(byte, byte + size) for _, buffer, _, byte, _, size, _ in tensors if buffer == space]


@pytest.mark.parametrize("compiler", ["plain", "neuron"])
def test_the_same_trace_gives_the_same_program_and_stays_in_memory(rng, compiler):
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((256, 128), (256, 640)))
    program, = tahoma.trace(matmul_kernel, a, b)
    first, second = (program.tracer.lower(compiler=compiler) for _ in range(2))
    assert first["program"] == second["program"]
    assert all(end <= PSUM_BYTES and start % BANK_BYTES == 0 for start, end in live_bytes(first["tensors"], "psum"))


@jit
def all_products_first(x, y):
    """All products are in PSUM before the first is used, and each is used twice: more banks than there are."""
    count = y.shape[1] // 512
    out = nl.ndarray((128, count * 512), dtype=nl.float32, buffer=nl.shared_hbm)
    stationary, moving = nl.load(x), nl.load(y)
    products = [nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum) for _ in range(count)]
    for n in range(count):
        nisa.nc_matmul(products[n], stationary, moving[:, n * 512 : (n + 1) * 512])
    most = nl.ndarray((128, count), dtype=nl.float32, buffer=nl.sbuf)
    for n in range(count):
        nisa.tensor_reduce(most[:, n : n + 1], nl.maximum, products[n], axis=1)
    for n in range(count):
        shifted = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(shifted, products[n], nl.subtract, most[:, n : n + 1])
        nl.store(out[:, n * 512 : (n + 1) * 512], shifted)
    return out


@pytest.mark.parametrize("compiler", ["plain", "neuron"])
def test_a_kernel_that_fits_only_in_another_order_runs(rng, compiler):
    x, y = rng.integers(-3, 4, (128, 128)).astype(np.float32), rng.integers(-3, 4, (128, 40 * 512)).astype(np.float32)
    with pytest.warns(UserWarning, match="start when their tensors fit"):
        got, _ = in_order(compiler, all_products_first, x, y)
    product = (x.T @ y).reshape(128, 40, 512)
    np.testing.assert_array_equal(got, (product - product.max(2, keepdims=True)).reshape(128, -1))


def test_a_kernel_that_fits_in_no_order_is_refused(rng):
    @jit
    def too_much(x):
        out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
        banks = [nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum) for _ in range(PSUM_BANKS + 1)]
        tile = nl.load(x)
        total = nl.zeros((128, 512), dtype=nl.float32)
        for bank in banks:
            nisa.tensor_copy(bank, tile)
        for _ in range(2):  # every bank is read again after all of them have been read
            for bank in banks:
                nisa.tensor_tensor(total, total, bank, nl.add)
        nl.store(out, total)
        return out

    for compiler in ("plain", "neuron"):
        tahoma.configure(compiler=compiler)
        with pytest.raises(tahoma.KernelError) as caught:
            too_much(np.ones((128, 512), np.float32))
        assert caught.value.code == "E-NKI-020"


def scaled_by_the_sum(rows, columns):
    @jit
    def kernel(x):
        """Every tile is needed again when the sum of all of them is known: together more than SBUF."""
        out = nl.ndarray((rows * 128, columns), dtype=nl.float32, buffer=nl.shared_hbm)
        total = nl.zeros((128, columns), dtype=nl.float32)
        tiles = []
        for n in range(rows):
            tile = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_scalar(tile, nl.load(x[n * 128 : (n + 1) * 128, :]), nl.add, float(n))
            nisa.tensor_tensor(total, total, tile, nl.add)
            tiles.append(tile)
        for n in range(rows):
            nisa.tensor_tensor(tiles[n], tiles[n], total, nl.multiply)
            nl.store(out[n * 128 : (n + 1) * 128, :], tiles[n])
        return out

    return kernel


def test_tensors_that_do_not_fit_are_spilled(rng):
    kernel, x = scaled_by_the_sum(60, 1024), rng.integers(0, 9, (60 * 128, 1024)).astype(np.float32)
    tahoma.configure(compiler="plain")
    with pytest.raises(tahoma.KernelError) as caught:
        kernel(x)
    assert caught.value.code == "E-NKI-020"
    with pytest.warns(UserWarning, match="stores and .* loads of spilled tensors move"):
        got, _ = in_order("neuron", kernel, x)
    tiles = x.reshape(60, 128, 1024) + np.arange(60, dtype=np.float32)[:, None, None]
    np.testing.assert_array_equal(got, (tiles * tiles.sum(0)).reshape(-1, 1024))


@pytest.mark.parametrize("compiler", ["plain", "neuron"])
def test_a_memset_that_matmuls_overwrite_costs_no_time(rng, compiler):
    def product(clears):
        @jit
        def kernel(x, y):
            out = nl.ndarray((128, 8 * 512), dtype=nl.float32, buffer=nl.shared_hbm)
            stationary, moving = nl.load(x), nl.load(y)
            for n in range(8):
                bank = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
                if clears:
                    nisa.memset(bank, 0.0)
                for _ in range(2):
                    nisa.nc_matmul(bank, stationary, moving[:, n * 512 : (n + 1) * 512])
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                nisa.tensor_copy(tile, bank)
                nl.store(out[:, n * 512 : (n + 1) * 512], tile)
            return out

        return kernel

    x, y = rng.integers(-3, 4, (128, 128)).astype(np.float32), rng.integers(-3, 4, (128, 8 * 512)).astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cleared, slow = in_order(compiler, product(True), x, y)
        plain, fast = in_order(compiler, product(False), x, y)
    np.testing.assert_array_equal(cleared, 2 * (x.T @ y))
    np.testing.assert_array_equal(plain, cleared)
    assert (slow == fast) is (compiler == "neuron")


@pytest.mark.parametrize("compiler", ["plain", "neuron"])
def test_loads_leave_room_for_what_uses_them(rng, compiler):
    @jit
    def many_loads(x):
        """64 tiles of 8 KiB a partition; each needs another tile of that size before it is used up."""
        out = nl.ndarray((64 * 128, 2048), dtype=nl.float32, buffer=nl.shared_hbm)
        for n in range(64):
            tile, result = nl.load(x[n * 128 : (n + 1) * 128, :]), nl.ndarray((128, 2048), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_scalar(result, tile, nl.add, float(n))
            nl.store(out[n * 128 : (n + 1) * 128, :], result)
        return out

    tahoma.configure(compiler=compiler)
    x = rng.integers(0, 9, (64 * 128, 2048)).astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no other order is needed
        got = many_loads(x)
    np.testing.assert_array_equal(got, x + np.repeat(np.arange(64, dtype=np.float32), 128)[:, None])


def test_unknown_compilers_are_refused():
    with pytest.raises(ValueError, match="expected neuron, plain"):
        tahoma.configure(compiler="fast")
