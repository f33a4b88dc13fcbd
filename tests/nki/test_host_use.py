# SPDX-License-Identifier: Apache-2.0
"""What a kernel's Python does beside instructions: conditions, NumPy, prints, and what it returns."""
import os
import stat

import numpy as np
import pytest

import neuronxcc.nki as old
import neuronxcc.nki.language as ol
import nki
import nki.isa as nisa
import nki.language as nl
import tahoma
from values import both_modes

X = np.arange(128 * 64, dtype=np.float32).reshape(128, 64)

USES = {
    "condition": (lambda t: bool(t[0:1, 0:1]), "as a condition: its values are known only while the kernel runs"),
    "comparison": (lambda t: t[0:1, 0:1] > 0, r"expected nl.greater\(x, y\)"),
    "sum": (lambda t: 1 + t, r"expected nl.add\(x, y\)"),
    "NumPy": (lambda t: np.exp(t), "np.exp of .*NumPy computes on the host.*expected nl.exp"),
    "array": (lambda t: np.asarray(t), "NumPy computes on the host"),
    "loop": (lambda t: list(t), "a loop over .*; expected nl.affine_range"),
    "number": (lambda t: float(t), r"float\(\) of"),
}


@pytest.mark.parametrize("use", USES)
def test_values_of_tiles_are_not_the_hosts(refused, use):
    @nki.jit
    def kernel(x):
        tile = nl.load(x)
        USES[use][0](tile)

    error = refused(kernel, X, code="E-NKI-015", says=USES[use][1])
    assert error.place.startswith(__file__)


def test_old_tiles_and_numpy(refused):
    @old.jit
    def doubled(x):
        out = ol.ndarray(x.shape, dtype=x.dtype, buffer=ol.shared_hbm)
        ol.store(out, np.float32(2) * ol.load(x))
        return out

    assert np.array_equal(doubled(X), 2 * X)

    @old.jit
    def kernel(x):
        np.exp(ol.load(x))  # here

    refused(kernel, X, code="E-NKI-015", says="np.exp of .*expected nl.exp")


def test_every_tensor_in_hbm_is_in_nl_hbm():
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.load(x)
        assert x.buffer == nl.hbm == out.buffer and nl.hbm == x.buffer and not x.buffer != nl.hbm and x.buffer in (nl.sbuf, nl.hbm)
        assert tile.buffer != nl.hbm and nl.hbm != nl.sbuf and nl.private_hbm != nl.shared_hbm and {nl.hbm: 1}[nl.private_hbm] == 1
        nl.store(out, tile)
        return out

    assert np.array_equal(kernel(X), X)


@pytest.mark.parametrize("buffer", [nl.hbm, nl.private_hbm, nl.shared_hbm])
def test_results_in_hbm(buffer):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=buffer)
        nl.store(out, nl.load(x))
        return out

    assert np.array_equal(kernel(X), X)


def test_a_tensor_of_one_core_is_no_result_of_two(refused):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.private_hbm)
        nl.store(out, nl.load(x))
        return out  # here

    refused(kernel, X, grid=2, code="E-NKI-033", says="from 2 cores; expected a tensor in shared_hbm")


def test_a_forgotten_return_is_told():
    @nki.jit
    def kernel(x):
        result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(result, nl.load(x))

    with pytest.warns(UserWarning, match=r"test_host_use.py:\d+: kernel kernel returns nothing.*`return result` is missing"):
        assert kernel(X) is None


def test_a_kernel_that_writes_its_argument_needs_no_return(recwarn):
    @nki.jit
    def kernel(x, y):
        nl.store(y, nl.load(x))

    y = np.zeros_like(X)
    kernel(X, y)
    assert np.array_equal(y, X) and not recwarn.list


@pytest.mark.parametrize("style", ["new", "old"])
def test_device_print_shows_the_values_of_its_moment(capsys, style):
    language, jit = (nl, nki.jit) if style == "new" else (ol, old.jit)

    @jit
    def kernel(x):
        out = language.ndarray(x.shape, dtype=x.dtype, buffer=language.shared_hbm)
        tile = language.load(x)
        language.device_print("before", tile)
        doubled = language.add(tile, tile)
        language.device_print("after", doubled)
        language.store(out, doubled)
        return out

    small = np.array([[1.5, 2], [3, 4]], np.float32)
    assert np.array_equal(kernel(small), 2 * small)
    printed = capsys.readouterr().out
    assert printed == f"before float32[2, 2]\n{small}\nafter float32[2, 2]\n{2 * small}\n"
    functional = tahoma.last().time_ns
    tahoma.configure(mode="timing")
    kernel(small)
    assert capsys.readouterr().out == "" and tahoma.last().time_ns == functional


def test_device_print_from_psum(capsys):
    @nki.jit
    def kernel(x):
        out = nl.ndarray((2, 2), dtype=x.dtype, buffer=nl.shared_hbm)
        product = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.psum)
        tile = nl.load(x)
        nisa.nc_matmul(product, tile, tile)
        nl.device_print("product", product)
        nl.store(out, product)
        return out

    kernel(np.array([[1, 2], [3, 4]], np.float32))
    assert capsys.readouterr().out == f"product float32[2, 2]\n{np.array([[10, 14], [14, 20]], np.float32)}\n"


@nki.jit
def half_written(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(tile[0:64, :], x[0:64, :])
    nisa.dma_copy(out, tile)
    return out


def test_findings_are_data_and_name_tensors(monkeypatch, tmp_path):
    """Whatever else the program writes to standard error is no finding."""
    talking = tmp_path / "talking"
    talking.write_text(f'#!/bin/sh\necho "folding: simulated 2 of 64 chips" >&2\nexec {os.path.abspath(tahoma.program.program())} "$@"\n')
    talking.chmod(talking.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("TAHOMA_PROGRAM", str(talking))
    with pytest.raises(tahoma.KernelError, match="E-RUN-071.*the checks found 1 mistake\n") as caught:
        half_written(X)
    (finding,) = tahoma.last().findings
    assert finding.startswith("E-CHK-002") and "folding" not in str(caught.value)
    assert "tile of test_host_use.py:" in finding
    assert len(repr(tahoma.last())) < 100 and "1 findings" in repr(tahoma.last())


def sum_onto(fill):
    @nki.jit
    def kernel(x):
        out = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.shared_hbm)
        tile, result, sums = nl.load(x), nl.ndarray((64, 64), nl.float32), nl.ndarray((64, 64), nl.float32, buffer=nl.psum)
        fill(sums)
        for _ in range(2):
            nisa.nc_matmul(sums, tile, tile, accumulate=True)
        nisa.tensor_copy(result, sums)
        nisa.dma_copy(out, result)
        return out

    return kernel


def test_sums_onto_a_memset():
    """Zeros begin a sum; on Trainium2 another value is undefined, and Trainium3 adds to it."""
    x = X / np.float32(64)
    product = 2 * x.T @ x
    np.testing.assert_allclose(both_modes(sum_onto(lambda sums: nisa.memset(sums, 0)), x), product, rtol=1e-5)
    with pytest.raises(tahoma.KernelError, match="E-CHK-004"):
        sum_onto(lambda sums: nisa.memset(sums, 3))(x)
    tahoma.configure(machine="trainium3_chip")
    np.testing.assert_allclose(both_modes(sum_onto(lambda sums: nisa.memset(sums, 3)), x), product + 3, rtol=1e-5)


def half_used(store):
    @nki.jit
    def kernel(x):
        out = nl.ndarray((64, 64), dtype=x.dtype, buffer=nl.shared_hbm)
        tile, sums = (nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf) for _ in range(2))
        nisa.dma_copy(tile[0:64, :], x[0:64, :])
        nisa.tensor_tensor(sums, tile, tile, op=nl.add)
        nisa.dma_copy(out, store(sums))
        return out

    return kernel


@pytest.mark.parametrize("mode", ["functional", "timing"])
def test_reads_of_unwritten_bytes_that_change_no_output_are_a_warning(mode):
    tahoma.configure(mode=mode)
    with pytest.warns(UserWarning, match="no output depends on them: 1 mistake, the first: E-CHK-002") as given:
        result = half_used(lambda sums: sums[0:64, :])(X)
    assert len(given) == 1 and tahoma.last().findings == []
    if mode == "functional":
        assert np.array_equal(result, 2 * X[:64])
    with pytest.raises(tahoma.KernelError, match="E-RUN-071.*1 mistake"):
        half_used(lambda sums: sums[1:65, :])(X)


def test_a_row_number_beyond_the_tensor_has_its_line(refused):
    @old.jit
    def kernel(x, numbers):
        out = ol.ndarray((128, 64), dtype=x.dtype, buffer=ol.shared_hbm)
        i, j = ol.mgrid[0:128, 0:64]
        rows = ol.load(numbers)
        gathered = ol.load(x[rows[i, 0], j])  # here
        ol.store(out, gathered)
        return out

    refused(kernel, X, np.full((128, 1), 128, np.int32), code="E-RUN-043", says=r"of test_host_use.py:\d+: .*row number 128 .* expected 0..127")


def test_par_dim_of_the_newer_style(refused):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray((nl.par_dim(128), 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(tile, x)
        nisa.dma_copy(out, tile)
        return out

    assert np.array_equal(kernel(X), X)

    @nki.jit
    def blocks(x):
        nl.ndarray((2, nl.par_dim(128), 64), dtype=x.dtype, buffer=nl.sbuf)  # here

    refused(blocks, X, code="E-NKI-001", says="blocks are of the older style")
