# SPDX-License-Identifier: Apache-2.0
"""Instructions that only Trainium3 has, against NumPy; on Trainium2 they are refused by name."""
import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import tahoma
from values import both_modes, close


@pytest.fixture
def trainium3():
    tahoma.configure(machine="trainium3_chip")


def with_sums(instruction):
    """A kernel of one instruction(dst, src, sums): its results, and the sum of each row."""

    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        sums = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.shared_hbm)
        tile, result, total = nl.load(x), nl.ndarray(x.shape, dtype=x.dtype), nl.ndarray((x.shape[0], 1), dtype=nl.float32)
        instruction(result, tile, total)
        nl.store(out, result)
        nl.store(sums, total)
        return out, sums

    return kernel


ACTIVATIONS = {
    "multiply and add": ((nl.multiply, 0.5), (nl.add, 0.25), lambda x: np.tanh(x * 0.5 + 0.25)),
    "multiply and subtract": ((nl.multiply, 0.5), (nl.subtract, 0.25), lambda x: np.tanh(x * 0.5 - 0.25)),
    "multiply": ((nl.multiply, -1.5), (nl.bypass, None), lambda x: np.tanh(x * -1.5)),
    "add": ((nl.bypass, None), (nl.add, 1.0), lambda x: np.tanh(x + 1)),
    "subtract": ((nl.bypass, None), (nl.subtract, 1.0), lambda x: np.tanh(x - 1)),
    "neither": ((nl.bypass, None), (nl.bypass, None), np.tanh),
}


@pytest.mark.parametrize("pair", ACTIVATIONS)
@pytest.mark.parametrize("reduce_op, fold", [(nl.add, np.sum), (nl.maximum, np.max), (nl.minimum, np.min)])
def test_activate2(trainium3, rng, pair, reduce_op, fold):
    (op0, imm0), (op1, imm1), reference = ACTIVATIONS[pair]
    kernel = with_sums(lambda dst, src, total: nisa.activate2(dst, nl.tanh, src, imm0, imm1, op0, op1, reduce_op=reduce_op, reduce_res=total))
    x = rng.standard_normal((128, 96)).astype(np.float32)
    out, sums = both_modes(kernel, x)
    close(out, reference(x), 2e-5)
    close(sums, fold(out.astype(np.float64), axis=1, keepdims=True), 2e-6)


def test_activate2_with_columns(trainium3, rng):
    @nki.jit
    def kernel(x, scale, bias):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        result = nl.ndarray(x.shape, dtype=x.dtype)
        nisa.activate2(result, nl.exp, nl.load(x), nl.load(scale), nl.load(bias), nl.multiply, nl.add)
        nl.store(out, result)
        return out

    x, scale, bias = (rng.uniform(-1, 1, shape).astype(np.float32) for shape in ((128, 96), (128, 1), (128, 1)))
    close(kernel(x, scale, bias), np.exp(x * scale + bias), 1e-5)


@pytest.mark.parametrize("maximum", ["column", 0.5])
def test_exponential_is_the_middle_of_a_softmax(trainium3, rng, maximum):
    def instruction(dst, src, total):
        largest = maximum
        if maximum == "column":
            largest = nl.ndarray((128, 1), dtype=nl.float32)
            nisa.tensor_reduce(largest, nl.maximum, src, axis=1)
        nisa.exponential(dst, src, largest, reduce_res=total)

    x = rng.standard_normal((128, 200)).astype(np.float32)
    out, sums = both_modes(with_sums(instruction), x)
    want = np.exp(x - (x.max(1, keepdims=True) if maximum == "column" else 0.5))
    close(out, want, 1e-5)
    close(sums, out.astype(np.float64).sum(1, keepdims=True), 2e-6)


def test_rand2_has_the_range_and_the_moments_of_a_uniform_distribution(trainium3):
    @nki.jit
    def kernel(x):
        out = nl.ndarray((128, 2048), dtype=nl.float32, buffer=nl.shared_hbm)
        tile = nl.ndarray((128, 2048), dtype=nl.float32)
        nisa.rand2(tile, -1.0, 3.0)
        nl.store(out, tile)
        return out

    values = kernel(np.zeros((1, 1), np.float32))
    assert values.min() >= -1 and values.max() <= 3 and len(np.unique(values)) > 200_000
    assert abs(values.mean() - 1) < 0.01 and abs(values.var() - 16 / 12) < 0.02


@pytest.mark.parametrize("name, call", [
    ("activate2", lambda t: nisa.activate2(t, nl.exp, t)), ("exponential", lambda t: nisa.exponential(t, t)), ("rand2", lambda t: nisa.rand2(t, 0.0, 1.0))])
def test_trainium2_refuses_them_by_name(refused, name, call):
    @nki.jit
    def kernel(x):
        tile = nl.load(x)
        call(tile)

    refused(kernel, np.zeros((128, 64), np.float32), code="E-NKI-031", says=f"nisa.{name}: of Trainium3.*trainium3_chip")


def test_a_reversed_difference_is_refused(trainium3, refused):
    @nki.jit
    def kernel(x):
        tile = nl.load(x)
        nisa.activate2(tile, nl.exp, tile, 1.0, 1.0, nl.multiply, nl.subtract, reverse1=True)  # here

    refused(kernel, np.zeros((128, 64), np.float32), code="E-NKI-014", says="reverse1 of subtract")
