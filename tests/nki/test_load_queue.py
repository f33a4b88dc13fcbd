# SPDX-License-Identifier: Apache-2.0
"""The policy `load_queue`: the queue of loads whose engine the kernel leaves open."""
import json

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import tahoma
from values import both_modes, disassembly


@nki.jit
def sums(x, count, engine):
    """Adds the first rows of x `count` times, each time from a tile of its own."""
    out = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.zeros((128, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    for _ in range(count):
        tile = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(tile, x, engine=engine)
        nisa.tensor_tensor(total, total, tile, nl.add)
    nisa.dma_copy(out, total)
    return out


X = np.arange(128 * 16, dtype=np.float32).reshape(128, 16)
OPEN = nisa.engine.unknown


def loads(folder, engine, **policies):
    """The number of transfers that queues sync and scalar start: GpSimd starts the store."""
    text = disassembly(folder, sums, X, 8, engine, **policies)
    queues = {"sync": 0, "scalar": 0}
    queue = ""
    for line in text.splitlines():
        if line.strip().endswith(":"):
            queue = line.strip()[:-1]
        if "dma_copy" in line and queue in queues:
            queues[queue] += 1
    return queues


@pytest.mark.parametrize("engine, policy, expected", [
    (OPEN, "sync", {"sync": 8, "scalar": 0}), (OPEN, "balanced", {"sync": 4, "scalar": 4}),
    (nisa.engine.scalar, "sync", {"sync": 0, "scalar": 8}),
])
def test_the_kernel_decides_before_the_policy(tmp_path, engine, policy, expected):
    assert loads(tmp_path, engine, load_queue=policy) == expected


def time_of(count, policy):
    tahoma.configure(mode="timing", load_queue=policy)
    sums(X, count, OPEN)
    return tahoma.last().time_ns


def test_two_generators_take_half_the_time():
    """Small loads wait for their descriptors alone, and the scalar engine has nothing else to do. The first load of a queue
    waits less for its instruction than the others, so the times differ by less than a load."""
    sync = time_of(80, "sync") - time_of(40, "sync")
    assert sync == pytest.approx(40 * 600, rel=0.01)
    assert time_of(80, "balanced") - time_of(40, "balanced") == pytest.approx(sync / 2, abs=600)


@pytest.mark.parametrize("policy, longest", [("sync", 60), ("balanced", 30)])
def test_reports_name_the_generator(tmp_path, policy, longest):
    """60 loads: the time of both generators is theirs, and the roofline is that of the longer one."""
    tahoma.configure(mode="timing", load_queue=policy, out=str(tmp_path / "runs"))
    sums(X, 60, OPEN)
    summary = json.loads(next((tmp_path / "runs").rglob("summary.json")).read_text())
    assert summary["whole"]["needs_ns"]["generator"] == pytest.approx(longest * 600)
    assert summary["whole"]["bound_by"] == "generator"
    run = tahoma.Run(next((tmp_path / "runs").rglob("summary.json")).parent)
    assert run.stats.values_of("*core0.dma.generating").tolist() == [pytest.approx(60 * 600)]


@pytest.mark.parametrize("policy", ["sync", "balanced"])
@pytest.mark.parametrize("compiler", ["plain", "neuron"])
def test_the_queue_changes_no_value(policy, compiler):
    tahoma.configure(load_queue=policy, compiler=compiler)
    np.testing.assert_array_equal(both_modes(sums, X, 8, OPEN), 8 * X)


def test_another_queue_is_refused():
    with pytest.raises(ValueError, match="load_queue = 'balance'; expected sync, balanced .did you mean 'balanced'"):
        tahoma.configure(load_queue="balance")
