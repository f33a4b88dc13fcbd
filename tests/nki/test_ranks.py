# SPDX-License-Identifier: Apache-2.0
"""Collectives over several ranks: values against NumPy, both modes with the same time."""
import numpy as np
import pytest

import nki
import nki.collectives as cc
import nki.isa as nisa
import nki.language as nl
import tahoma


def on_ranks(kernel, arguments, grid=()):
    """Runs a kernel on ranks in both modes: the values, after a check that the times are equal."""
    results = tahoma.launch_ranks(kernel, arguments, grid)
    functional = tahoma.last().time_ns
    tahoma.configure(mode="timing")
    tahoma.launch_ranks(kernel, arguments, grid)
    assert tahoma.last().time_ns == functional
    tahoma.configure(mode="functional")
    return results


def inputs(rng, ranks, shape=(64, 32)):
    return [rng.integers(-9, 9, shape).astype(np.float32) for _ in range(ranks)]


@nki.jit
def gather(x, ranks):
    out = nl.ndarray((ranks * x.shape[0], x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    cc.all_gather([x], [out], cc.ReplicaGroup([list(range(ranks))]), 0)
    return out


@pytest.mark.parametrize("ranks, grid", [(2, ()), (4, ()), (8, ()), (2, (2,)), (4, (2,))])
def test_all_gather(rng, ranks, grid):
    xs = inputs(rng, ranks)
    for got in on_ranks(gather, [(x, ranks) for x in xs], grid):
        np.testing.assert_array_equal(got, np.concatenate(xs))


@nki.jit
def gather_tiles(x, ranks):
    out = nl.ndarray((x.shape[0], ranks * x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    gathered = nl.ndarray((x.shape[0], ranks * x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    cc.all_gather([tile], [gathered], cc.ReplicaGroup([list(range(ranks))]), 1)
    nl.store(out, gathered)
    return out


def test_all_gather_of_tiles_in_sbuf(rng):
    xs = inputs(rng, 4)
    for got in on_ranks(gather_tiles, [(x, 4) for x in xs]):
        np.testing.assert_array_equal(got, np.concatenate(xs, 1))


@nki.jit
def gather_tiles_of_cores(x, ranks):
    """Each physical core gathers rows of its own in its own SBUF."""
    rows = x.shape[0] // 2
    own = slice(nl.program_id(0) * rows, (nl.program_id(0) + 1) * rows)
    out = nl.ndarray((x.shape[0], ranks * x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    later = nl.ndarray((x.shape[0], x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x[own, :])
    gathered = nl.ndarray((rows, ranks * x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    cc.all_gather([tile], [gathered], cc.ReplicaGroup([list(range(ranks))]), 1)
    nl.store(out[own, :], gathered)
    nl.store(later[own, :], tile)
    return out, later


def test_two_cores_gather_tiles_of_their_own(rng):
    xs = inputs(rng, 4)
    for x, (got, copy) in zip(xs, on_ranks(gather_tiles_of_cores, [(x, 4) for x in xs], (2,))):
        np.testing.assert_array_equal(got, np.concatenate(xs, 1))
        np.testing.assert_array_equal(copy, x)


@nki.jit
def reduce_twice(x, ranks, op):
    """The second collective uses what the first has left, and the first one's input is written again in between."""
    once = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    twice = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    group = cc.ReplicaGroup([list(range(ranks))])
    cc.all_reduce([x], [once], group, op)
    tile = nl.load(once)
    nisa.tensor_scalar(tile, tile, nl.add, 1.0)
    nisa.dma_copy(x, tile)
    cc.all_reduce([x], [twice], group, op)
    return once, twice


@pytest.mark.parametrize("op, of", [(nl.add, np.sum), (nl.maximum, np.max), (nl.minimum, np.min)])
def test_all_reduce_and_again(rng, op, of):
    xs = inputs(rng, 3)
    once = of(np.stack(xs), 0)
    twice = of(np.stack([once + 1] * 3), 0)
    for a, b in tahoma.launch_ranks(reduce_twice, [(x.copy(), 3, op) for x in xs]):
        np.testing.assert_array_equal(a, once)
        np.testing.assert_array_equal(b, twice)


@nki.jit
def scatter_and_exchange(x, ranks):
    part = nl.ndarray((x.shape[0] // ranks, x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    turned = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    passed = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    group = cc.ReplicaGroup([list(range(ranks))])
    cc.reduce_scatter([x], [part], group, 0, nl.add)
    cc.all_to_all([x], [turned], group, 0)
    cc.collective_permute([x], [passed], [(r, (r + 1) % ranks) for r in range(ranks)])
    return part, turned, passed


def test_reduce_scatter_all_to_all_and_permute(rng):
    xs = inputs(rng, 4)
    total = np.sum(xs, 0)
    for rank, (part, turned, passed) in enumerate(on_ranks(scatter_and_exchange, [(x, 4) for x in xs])):
        np.testing.assert_array_equal(part, total[16 * rank : 16 * rank + 16])
        np.testing.assert_array_equal(turned, np.concatenate([x[16 * rank : 16 * rank + 16] for x in xs]))
        np.testing.assert_array_equal(passed, xs[(rank - 1) % 4])


@nki.jit
def own_row(table):
    out = nl.ndarray((1, table.shape[1]), dtype=table.dtype, buffer=nl.shared_hbm)
    width = table.shape[1]
    nisa.dma_copy(out, table.ap([[width, 1], [1, width]], scalar_offset=cc.rank_id(), indirect_dim=0))
    return out


def test_the_rank_is_a_dynamic_offset(rng):
    table = rng.standard_normal((4, 16)).astype(np.float32)
    for rank, got in enumerate(on_ranks(own_row, [(table,)] * 4)):
        np.testing.assert_array_equal(got, table[rank : rank + 1])


@nki.jit
def two_groups(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    cc.all_reduce([x], [out], cc.ReplicaGroup([[0, 1], [2, 3]]), nl.add)
    return out


def test_groups_reduce_on_their_own(rng):
    xs = inputs(rng, 4)
    results = on_ranks(two_groups, [(x,) for x in xs])
    for rank, got in enumerate(results):
        np.testing.assert_array_equal(got, xs[rank // 2 * 2] + xs[rank // 2 * 2 + 1])


def test_more_ranks_than_were_launched_are_refused(refused, rng):
    with pytest.raises(tahoma.KernelError, match=r"E-NKI-032.*launched on 1 ranks"):
        gather(inputs(rng, 1)[0], 4)
