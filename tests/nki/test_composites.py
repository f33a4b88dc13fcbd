# SPDX-License-Identifier: Apache-2.0
"""Functions of nki.language that take several instructions, against NumPy."""
import numpy as np
import pytest

import nki
import nki.language as nl
import tahoma
from values import both_modes, close, disassembly

FUNCTIONS = {
    "softmax": (lambda x: nl.softmax(x, axis=-1), lambda x: np.exp(x - x.max(1, keepdims=True)) / np.exp(x - x.max(1, keepdims=True)).sum(1, keepdims=True)),
    "cos": (nl.cos, np.cos),
    "tan": (nl.tan, np.tan),
    "ceil": (nl.ceil, np.ceil),
    "floor": (nl.floor, np.floor),
    "trunc": (nl.trunc, np.trunc),
    "mod": (lambda x: nl.mod(x, 1.5), lambda x: np.mod(x, np.float32(1.5))),
    "fmod": (lambda x: nl.fmod(x, 1.5), lambda x: np.fmod(x, np.float32(1.5))),
    "logical_not": (lambda x: nl.logical_not(nl.trunc(x)), lambda x: np.logical_not(np.trunc(x))),
    "rsqrt": (lambda x: nl.rsqrt(nl.abs(x)), lambda x: 1 / np.sqrt(np.abs(x))),
    "all": (lambda x: nl.all(nl.greater(x, -2.5), axis=1, dtype=nl.float32), lambda x: (x > -2.5).all(1, keepdims=True)),
}


def of_one_tile(function):
    @nki.jit
    def kernel(x):
        result = function(nl.load(x))
        out = nl.ndarray(result.shape, dtype=result.dtype, buffer=nl.shared_hbm)
        nl.store(out, result)
        return out

    return kernel


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_of_a_tile(rng, name):
    function, reference = FUNCTIONS[name]
    x = rng.uniform(-4, 4, (128, 96)).astype(np.float32)
    x = x[np.abs(np.cos(x)).min(1) > 0.02] if name == "tan" else x  # near its poles tan has no relative accuracy
    close(both_modes(of_one_tile(function), x), reference(x), 1e-4 if name == "tan" else 3e-6)


def test_whole_numbers_are_exact():
    x = np.array([[-3.0, -2.5, -1.5, -0.5, -0.0, 0.0, 0.5, 1.5, 2.5, 3.0, 1e6 + 0.5, -1e6 - 0.5]], np.float32)
    for function, reference in ((nl.floor, np.floor), (nl.ceil, np.ceil), (nl.trunc, np.trunc)):
        assert np.array_equal(of_one_tile(function)(x), reference(x))


def test_rms_norm(rng):
    @nki.jit
    def kernel(x, w):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.rms_norm(nl.load(x), nl.load(w), axis=1, n=x.shape[1], epsilon=1e-5))
        return out

    x, w = (rng.standard_normal((128, 200)).astype(np.float32) for _ in range(2))
    close(kernel(x, w), x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5) * w, 2e-6)


def test_gather_flattened(rng):
    @nki.jit
    def kernel(x, places):
        out = nl.ndarray(places.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.gather_flattened(nl.load(x), nl.load(places)))
        return out

    x = rng.standard_normal((128, 4, 16)).astype(np.float32)
    places = rng.integers(0, 64, (128, 24)).astype(np.uint32)
    assert np.array_equal(kernel(x, places), np.take_along_axis(x.reshape(128, 64), places.astype(np.int64), 1))


def test_dropout_keeps_or_zeroes(rng):
    @nki.jit
    def kernel(x, seed):
        nl.random_seed(nl.load(seed))
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.dropout(nl.load(x), 0.25))
        return out

    x, seed = rng.uniform(1, 2, (128, 512)).astype(np.float32), np.array([[7]], np.uint32)
    result = kernel(x, seed)
    kept = result != 0
    assert np.array_equal(result[kept], x[kept]) and abs(kept.mean() - 0.75) < 0.01
    assert np.array_equal(kernel(x, seed), result), "the same seed gives the same numbers"


def test_rsqrt_as_a_function_is_precise_and_on_gpsimd(tmp_path):
    x = np.linspace(0.01, 100, 128 * 64, dtype=np.float32).reshape(128, 64)
    assert "gpsimd" in disassembly(tmp_path, of_one_tile(nl.rsqrt), x)
    close(of_one_tile(nl.rsqrt)(x) * np.sqrt(x), np.ones_like(x), 3e-7)


def test_sizes_are_of_trainium3(refused, rng):
    @nki.jit
    def kernel(x, y):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.abs_max(nl.load(x), nl.load(y)))  # here
        return out

    x, y = (rng.standard_normal((128, 32)).astype(np.float32) for _ in range(2))
    refused(kernel, x, y, code="E-NKI-031", says="nl.abs_max: of Trainium3.*trainium3_chip")
    tahoma.configure(machine="trainium3_chip")
    assert np.array_equal(kernel(x, y), np.maximum(np.abs(x), np.abs(y)))


def test_the_older_style_has_them_too(rng):
    import neuronxcc.nki as old
    import neuronxcc.nki.language as ol

    @old.jit
    def kernel(x, w, places):
        tile = ol.load(x)
        results = [ol.tan(tile), ol.rms_norm(tile, ol.load(w), axis=1, n=64), ol.gather_flattened(tile, ol.load(places)),
                   ol.all(ol.greater(tile, -0.9), axis=1, dtype=ol.float32)]
        outs = [ol.ndarray(result.shape, dtype=result.dtype, buffer=ol.shared_hbm) for result in results]
        for out, result in zip(outs, results):
            ol.store(out, result)
        return tuple(outs)

    x, w = (rng.uniform(-1, 1, (128, 64)).astype(np.float32) for _ in range(2))
    places = rng.integers(0, 64, (128, 8)).astype(np.uint32)
    tangent, normal, gathered, every = kernel(x, w, places)
    close(tangent, np.tan(x), 1e-5)
    close(normal, x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-6) * w, 2e-6)
    assert np.array_equal(gathered, np.take_along_axis(x, places.astype(np.int64), 1))
    assert np.array_equal(every, (x > -0.9).all(1, keepdims=True))
