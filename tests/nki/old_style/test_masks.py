# SPDX-License-Identifier: Apache-2.0
"""Masks of the older style: joined by Python's words, of instructions that combine several tiles, and of slices beyond a tensor."""
import numpy as np
import pytest

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
from values import close

I, J = np.mgrid[0:128, 0:64]
WORDS = {
    "and": (lambda i, j: (i < 100) and (j < 50), (I < 100) & (J < 50)),
    "or": (lambda i, j: (i < 100) or (i < 120), I < 120),
    "not": (lambda i, j: not (i >= 100), I < 100),
    "all three": (lambda i, j: not (i >= 100) and (j < 10 or j < 20), (I < 100) & (J < 20)),
}


@pytest.mark.parametrize("word", WORDS)
def test_words_join_masks_as_signs_do(rng, word):
    limit = {"rows": 100, "none": None}

    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        i, j = nl.mgrid[0:128, 0:64]
        nl.store(out, nl.zeros((128, 64), dtype=x.dtype))
        rows = limit["none"] or limit["rows"]  # of numbers, the words mean what they always do
        if word == "and" and not limit["none"]:
            mask = (i < rows) and (j < 50)
        elif word == "or":
            mask = (i < rows) or (i < 120)
        elif word == "not":
            mask = not (i >= rows)
        else:
            mask = not (i >= rows) and (j < 10 or j < 20)
        nl.store(out[i, j], nl.load(x), mask=mask)
        return out

    x = rng.standard_normal((128, 64)).astype(np.float32)
    assert np.array_equal(kernel(x), np.where(WORDS[word][1], x, 0))


def test_words_keep_what_they_skip():
    from neuronxcc.nki.conditions import joined

    def fails():
        raise AssertionError("evaluated")

    assert joined("and", 0, fails) == 0 and joined("or", 5, fails) == 5
    assert joined("and", 1, lambda: "last") == "last" and joined("or", 0, lambda: [], lambda: "last") == "last"
    assert joined("not", 0) is True


def test_mask_of_affine_select(rng):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        i, j = nl.mgrid[0:128, 0:64]
        nl.store(out, nisa.affine_select(pred=(i >= j + 3), on_true_tile=nl.load(x), on_false_value=-1.0, mask=(i < 100) & (j >= 8)))
        return out

    x = rng.standard_normal((128, 64)).astype(np.float32)
    assert np.array_equal(kernel(x), np.where((I < 100) & (J >= 8), np.where(I >= J + 3, x, -1), 0))


@pytest.mark.parametrize("columns", [64, 40])
def test_mask_of_a_matmul(rng, columns):
    """Over the rows of the operands and the columns of the moving one."""

    @nki.jit
    def kernel(a, b):
        out = nl.ndarray((64, 64), dtype=a.dtype, buffer=nl.shared_hbm)
        k, n = nl.mgrid[0:128, 0:64]
        nl.store(out, nl.copy(nisa.nc_matmul(nl.load(a), nl.load(b), mask=(k < 96) & (n < columns))))
        return out

    a, b = (rng.standard_normal((128, 64)).astype(np.float32) for _ in range(2))
    want = a[:96].T @ b[:96]
    want[:, columns:] = 0
    close(kernel(a, b), want, 2e-6)


@pytest.mark.parametrize("rows", [200, 128, 60])
def test_slices_beyond_a_tensor_that_a_mask_cuts(rng, rows):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        i, _ = nl.mgrid[0:128, 0:64]
        for t in nl.affine_range(2):
            inside = 128 * t + i < rows
            nl.store(out[128 * t : 128 * t + 128, :], nl.load(x[128 * t : 128 * t + 128, 0:64], mask=inside), mask=inside)
        return out

    x = rng.standard_normal((rows, 64)).astype(np.float32)
    assert np.array_equal(kernel(x), x)


def test_slice_beyond_a_tensor_without_a_mask(refused):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out[0:72], nl.load(x[128:200, :]))  # here
        return out

    refused(kernel, np.zeros((190, 64), np.float32), code="E-NKI-002", says="runs from 128 to 199; expected 0 to 189")


@pytest.mark.parametrize("batch", [0, 1])
def test_row_numbers_behind_numbers(rng, batch):
    @nki.jit
    def kernel(x, numbers):
        out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
        i, j = nl.mgrid[0:128, 0:64]
        nl.store(out, nl.load(x[batch, nl.load(numbers)[i, 0], j]))
        return out

    x, numbers = rng.standard_normal((2, 300, 64)).astype(np.float32), rng.integers(0, 300, (128, 1)).astype(np.int32)
    assert np.array_equal(kernel(x, numbers), x[batch, numbers[:, 0]])


@pytest.mark.parametrize("kind", ["int8", "int16", "int32"])
def test_predicates_of_signed_integers(rng, kind):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tile, kept = nl.load(x), nl.zeros((128, 64), dtype=x.dtype)
        nisa.tensor_copy_predicated(dst=kept, src=tile, predicate=nl.greater(tile, 0.25, dtype=getattr(nl, kind)))
        nl.store(out, kept)
        return out

    x = rng.standard_normal((128, 64)).astype(np.float32)
    assert np.array_equal(kernel(x), np.where(x > 0.25, x, 0))


def test_modules_of_constants_and_collectives(rng):
    import neuronxcc.nki.nccl as nccl
    from neuronxcc.nki.isa.constants import oob_mode
    from neuronxcc.nki.language.constants import sizeinbytes

    assert (sizeinbytes(nl.float32), sizeinbytes(nl.bfloat16), sizeinbytes(nl.int8)) == (4, 2, 1)
    assert oob_mode.skip == 1

    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nccl.all_reduce(op=np.add, srcs=[x], dsts=[out], replica_groups=[[0]])
        return out

    x = rng.standard_normal((128, 64)).astype(np.float32)
    assert np.array_equal(kernel(x), x)
