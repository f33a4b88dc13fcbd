# SPDX-License-Identifier: Apache-2.0
"""Kernels on the machines of Trainium1 and Trainium3: they are lowered for the machine that runs them."""
import subprocess

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np
import pytest

import tahoma
from tahoma.program import program

GENERATIONS = [("trainium1_chip", nisa.nc_version.gen2, 180224), ("trainium2_chip", nisa.nc_version.gen3, 212984),
               ("trainium3_chip", nisa.nc_version.gen4, 245752)]


@nki.jit
def product(lhsT, rhs):
    out = nl.ndarray((lhsT.shape[1], rhs.shape[1]), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray(out.shape, dtype=nl.float32, buffer=nl.psum)
    left, right = nl.load(lhsT), nl.load(rhs)
    nisa.nc_matmul(sums, left, right)
    for part in range(4):  # so that both engines copy
        columns = slice(part * 32, part * 32 + 32)
        tile = nl.ndarray((out.shape[0], 32), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(tile, sums[:, columns])
        nl.store(out[:, columns], tile)
    return out


@pytest.mark.parametrize("machine, version, usable", GENERATIONS)
def test_the_machine_says_its_version_and_its_sbuf(machine, version, usable):
    tahoma.configure(machine=machine)
    assert nisa.get_nc_version() == version
    assert nl.tile_size.total_available_sbuf_size == usable
    assert nl.tile_size.sbuf_fmax == usable // 4


@pytest.mark.parametrize("machine", [row[0] for row in GENERATIONS])
def test_a_kernel_gives_the_same_product_on_every_generation(machine, rng):
    tahoma.configure(machine=machine)
    left, right = rng.standard_normal((128, 64), np.float32), rng.standard_normal((128, 128), np.float32)
    assert np.allclose(product(left, right), left.T @ right, atol=1e-4)


@nki.jit
def scalar_copy(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile, other = nl.load(x), nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(other, tile, engine=nisa.scalar_engine)  # here
    nl.store(out, other)
    return out


def test_what_neuroncore_v2_lacks_is_refused_at_its_line(refused):
    tahoma.configure(machine="trainium1_chip")
    refused(scalar_copy, np.ones((128, 8), np.float32), code="E-ISA-002", says="needs NeuronCore-v3; the machine has NeuronCore-v2")


KERNEL = '''
import nki, nki.isa as nisa, nki.language as nl

@nki.jit
def whole(x):
    """Uses all of the SBUF that a kernel may use."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, nl.tile_size.total_available_sbuf_size // 64 * 16), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(tile, 1.0)
    nl.store(out, tile[:, 0:8])
    return out
'''


@pytest.mark.parametrize("machine", [row[0] for row in GENERATIONS])
def test_the_command_lowers_for_the_machine_that_it_runs(machine, tmp_path):
    (tmp_path / "kernel.py").write_text(KERNEL)
    words = [program(), "nki", "kernel.py:whole", "--arg", "x=zeros(128, 8)", "--machine", machine, "--no-report", "--out", "out"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


CHAIN = '''
.program chain
.core v4
.args x w out
sync:
  dma_copy shape=128x2048 dst=sbuf[0, 0x0]:bf16 src=x:bf16 update=s0+=1
  dma_copy shape=128x512 dst=sbuf[0, 0x8000]:bf16 src=w:bf16 update=s1+=1
  dma_copy shape=128x512 dst=out:fp32 src=sbuf[0, 0x20000]:fp32 service=3 wait=s4>=1 update=s5+=1
vector:
  quantize_mx shape=128x4x1x512 dst=sbuf[0, 0x4000]:fp8_e4m3fn:(0,1,0,4) scales=sbuf[0, 0x10000]:uint8 \
src=sbuf[0, 0x0]:bf16:(0,1,0,4) wait=s0>=16 update=s2+=1
  quantize_mx shape=128x4x1x128 dst=sbuf[0, 0xc000]:fp8_e4m3fn:(0,1,0,4) scales=sbuf[0, 0x11000]:uint8 \
src=sbuf[0, 0x8000]:bf16:(0,1,0,4) wait=s1>=16 update=s2+=1
  tensor_copy shape=128x512 dst=sbuf[0, 0x20000]:fp32 src=psum[0, 0]:fp32 wait=s3>=1 update=s4+=1
tensor:
  load_weights_mx shape=128x4x1x128 src=sbuf[0, 0xc000]:fp8_e4m3fn:(0,1,0,4) scales=sbuf[0, 0x11000]:uint8 wait=s2>=2
  matmul_mx shape=128x4x1x512 columns=128 dst=psum[0, 0]:fp32 src=sbuf[0, 0x4000]:fp8_e4m3fn:(0,1,0,4) \
scales=sbuf[0, 0x10000]:uint8 update=s3+=1
'''
CASE = '''
kind: program
machine: trainium3_chip
workload: {file: chain.tasm, tensors: "x bf16 128x2048 seed; w bf16 128x512 seed; out fp32 128x512 zero"}
'''


def microscaled(values):
    """Rounds [partitions, columns, 4] to MXFP8 (E4M3) and back, by the definition, in float64."""
    blocks = values.reshape(16, 8, values.shape[1], 4)
    largest = np.abs(blocks).max(axis=(1, 3), keepdims=True)
    scale = 2.0 ** (np.floor(np.log2(largest)) - 8 + 1)
    elements = blocks / scale
    step = 2.0 ** (np.maximum(np.floor(np.log2(np.maximum(np.abs(elements), 2.0**-9))), -6) - 3)
    return (np.clip(np.round(elements / step) * step, -448, 448) * scale).reshape(values.shape)


def test_quantisation_and_a_product_of_mxfp8_on_a_machine(tmp_path):
    (tmp_path / "chain.tasm").write_text(CHAIN)
    (tmp_path / "chain.yaml").write_text(CASE)
    words = [program(), "run", "chain.yaml", "--check", "races,uninitialised", "--save-outputs", "--no-report", "--out", "out"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    x, w, out = (np.load(tmp_path / "out" / f"{name}.npy").astype(np.float64) for name in ("x", "w", "out"))
    x, w = x.reshape(128, 512, 4), w.reshape(128, 128, 4)
    exact = np.einsum("pms,pns->mn", microscaled(w), microscaled(x))
    assert np.abs(out - exact).max() <= 514 * 2.0**-24 * np.einsum("pms,pns->mn", np.abs(w), np.abs(x)).max()
    rounding = np.linalg.norm(out - np.einsum("pms,pns->mn", w, x)) / np.linalg.norm(out)
    assert 0.001 < rounding < 0.1  # eight bits leave an error, and a small one


@pytest.mark.parametrize("machine", ["trainium1_chip", "trainium2_one_chip"])
def test_mxfp8_is_refused_before_neuroncore_v4(machine, tmp_path):
    (tmp_path / "chain.tasm").write_text(CHAIN)
    (tmp_path / "chain.yaml").write_text(CASE)
    words = [program(), "run", "chain.yaml", "--machine", machine, "--out", "out"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 3 and "E-ISA-046" in done.stderr, done.stdout + done.stderr
