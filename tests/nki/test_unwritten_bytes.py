# SPDX-License-Identifier: Apache-2.0
"""`tahoma nki` judges reads of unwritten bytes as a call from Python does: a warning, unless an output depends on them."""
import os
import subprocess

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import tahoma
from tahoma.program import program


def copied(x, first):
    """Copies a tile of which half is written, and stores 64 columns of the copy."""
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile, more = (nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf) for _ in range(2))
    nisa.dma_copy(tile[:, 0:64], x)
    nisa.tensor_copy(more, tile)
    nisa.dma_copy(out, more[:, first : first + 64])
    return out


@nki.jit
def harmless(x):
    return copied(x, 0)


@nki.jit
def harmful(x):
    return copied(x, 32)


@nki.jit
def infinite(x):
    tile = nl.load(x)
    nisa.reciprocal(tile, tile)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, tile)
    return out


def command(kernel, out, argument):
    words = [program(), "nki", f"{os.path.abspath(__file__)}:{kernel.function.__name__}", "--arg", argument, "--no-report", "--out", str(out)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_reads_that_change_no_output_are_a_warning(tmp_path):
    x = np.ones((128, 64), np.float32)
    with pytest.warns(UserWarning, match="no output depends on them: 1 mistake"):
        np.testing.assert_array_equal(harmless(x), x)
    done = command(harmless, tmp_path / "out", "x=ones(128, 64)")
    assert done.returncode == 0 and "warning: reads bytes" in done.stderr and "no output depends on them: 1 mistake" in done.stderr


def test_reads_on_which_an_output_depends_are_errors(tmp_path):
    with pytest.raises(tahoma.KernelError, match="E-CHK-002"):
        harmful(np.ones((128, 64), np.float32))
    done = command(harmful, tmp_path / "out", "x=ones(128, 64)")
    assert done.returncode == 3 and "E-CHK-002" in done.stderr and "E-RUN-071" in done.stderr


def test_results_need_not_be_finite(tmp_path):
    assert np.isinf(infinite(np.zeros((128, 64), np.float32))).all()
    done = command(infinite, tmp_path / "out", "x=zeros(128, 64)")
    assert done.returncode == 0, done.stderr
