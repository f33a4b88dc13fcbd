# SPDX-License-Identifier: Apache-2.0
"""The source of the descriptors of a dma_copy: what the kernel asks for, else the policy `descriptors`."""
import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import tahoma
from values import both_modes, disassembly


@nki.jit
def loads(x, count, mode):
    """Loads the first rows `count` times, each time into a tile of its own, and stores the last one."""
    out = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    for _ in range(count):
        tile = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(tile, x, dge_mode=mode)
    nisa.dma_copy(out, tile)
    return out


X = np.arange(128 * 16, dtype=np.float32).reshape(128, 16)


def sources(folder, mode, descriptors):
    """The source of each load of a kernel with three of them."""
    text = disassembly(folder, loads, X, 3, mode, descriptors=descriptors)
    found = [line for line in text.split("sync:")[1].splitlines() if "dma_copy" in line]
    return ["hw" if "dge=hw" in line else "sw" if "dge=sw" in line else "none" for line in found]


@pytest.mark.parametrize("mode, descriptors, expected", [
    (nisa.dge_mode.unknown, "hardware", "hw"), (nisa.dge_mode.unknown, "host", "none"), (nisa.dge_mode.none, "hardware", "none"),
    (nisa.dge_mode.hwdge, "host", "hw"),
])
def test_the_kernel_decides_before_the_policy(tmp_path, mode, descriptors, expected):
    assert sources(tmp_path, mode, descriptors) == [expected] * 3


def test_neuroncore_v2_has_no_generator(tmp_path):
    tahoma.configure(machine="trainium1_chip")
    assert sources(tmp_path, nisa.dge_mode.unknown, "hardware") == ["none"] * 3


def time_of(count, **settings):
    tahoma.configure(mode="timing", **settings)
    loads(X, count, nisa.dge_mode.unknown)
    return tahoma.last().time_ns


def test_a_generator_takes_its_time_for_each_load():
    """Small loads wait for nothing else: 40 more of them take 40 times the documented 600 ns."""
    assert time_of(80) - time_of(40) == pytest.approx(40 * 600, rel=0.01)
    # Without it, the 16 increments of a load's semaphore are next, 11.67 to 13.33 ns apart.
    assert 40 * 16 * 11.6 < time_of(80, descriptors="host") - time_of(40, descriptors="host") < 40 * 16 * 13.4


@pytest.mark.parametrize("descriptors", ["hardware", "host"])
def test_the_source_changes_no_value(descriptors):
    tahoma.configure(descriptors=descriptors)
    np.testing.assert_array_equal(both_modes(loads, X, 2, nisa.dge_mode.unknown), X)


def test_another_source_is_refused():
    with pytest.raises(ValueError, match="descriptors = 'hardwar'; expected hardware, host .did you mean 'hardware'"):
        tahoma.configure(descriptors="hardwar")
