# SPDX-License-Identifier: Apache-2.0
"""nki.collectives: data exchange between ranks. A rank is a logical core; tahoma.launch_ranks runs a kernel on several.

Every rank pushes its part directly into the memory of the others (the mesh algorithm), once they have said that it is ready; a
reduction then adds what has arrived, in the order of the group. Of a logical core of two physical cores, the first one moves the
data of tensors in HBM, between two barriers of both. Tensors in SBUF belong to one physical core, which exchanges them with the
core of the same number of the other ranks.
"""
import inspect

import numpy as np

from _tahoma import NkiTensor
from tahoma import context
from tahoma.errors import refuse
from tahoma.operators import alu_of

__all__ = ["ReplicaGroup", "all_gather", "all_reduce", "all_to_all", "collective_permute", "collective_permute_implicit",
           "collective_permute_implicit_current_processing_rank_id", "collective_permute_implicit_reduce", "rank_id", "reduce_scatter"]


class ReplicaGroup:
    """Ranks that take part: a list of lists of ranks, which do not overlap."""

    def __init__(self, groups):
        self.groups = [list(map(int, group)) for group in groups]
        members = [rank for group in self.groups for rank in group]
        if len(members) != len(set(members)):
            refuse("E-NKI-013", f"ReplicaGroup({self.groups}): a rank stands twice")

    def __repr__(self):
        return f"ReplicaGroup({self.groups})"

    def of(self, rank):
        for group in self.groups:
            if rank in group:
                return group
        return [rank]


def _group(replica_group, current):
    groups = replica_group if isinstance(replica_group, ReplicaGroup) else ReplicaGroup(replica_group or [[current.rank]])
    group = groups.of(current.rank)
    if max(group) >= current.ranks:
        refuse("E-NKI-032", f"rank {max(group)} of {groups} in a kernel that was launched on {current.ranks} ranks: use tahoma.launch_ranks")
    return group


def _list(tensors):
    return list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]


class _Staged:
    """Tensors in SBUF go through HBM; those in HBM stay where they are."""

    def __init__(self, current):
        self.current = current

    def source(self, tensor):
        if not tensor.on_chip:
            return tensor
        stage = self.current.tensor(tensor.shape, tensor.dtype, "private_hbm", "collective_source")
        self.current.tracer.copy(stage, tensor)
        return stage

    def target(self, tensor):
        if not tensor.on_chip:
            return tensor, lambda: None
        stage = self.current.tensor(tensor.shape, tensor.dtype, "private_hbm", "collective_target")
        return stage, lambda: self.current.tracer.copy(tensor, stage)


def _exchange(current, sends, senders, received):
    """sends: (source here, destination view, rank); senders: the ranks that send to this one; received: what they write here. Everything
    that is sent has the class of service of the collective's priority."""
    ranks = current.ranks
    if getattr(current, "mailbox", None) is None:
        current.mailbox = current.constant(np.zeros((ranks, 16), np.int32), name="mailbox", buffer="private_hbm")
    own = current.mailbox[current.rank : current.rank + 1, :]
    cores = max(1, current.grid[0] if current.grid else 1)
    distance = lambda rank: (rank - current.rank) * cores
    current.tracer.exchange([(own, own, rank, distance(rank)) for rank in senders],
                            [(src, dst, rank, distance(rank)) for src, dst, rank in sends], received, getattr(current, "service", 0))


def _any_on_chip(value):
    if isinstance(value, (list, tuple)):
        return any(_any_on_chip(item) for item in value)
    return isinstance(value, NkiTensor) and value.on_chip


def _collective(name):
    """Wraps a collective of tensors in HBM: both physical cores meet before and after; only the first moves data."""

    from nki.isa.common import recorded, service_of  # not at import: nki reads this module while it is loaded

    def wrap(function):
        parameters = inspect.signature(function)

        def collective(*args, **kwargs):
            current = context.current(f"nki.collectives.{name}")
            pair = len(current.grid) == 1 and current.grid[0] == 2 and not _any_on_chip([*args, *kwargs.values()])
            if pair:
                current.tracer.barrier(0, None)
            given = parameters.bind(current, *args, **kwargs).arguments
            current.service = service_of(given.get("priority"), f"collectives.{name}")
            if not pair or current.program_id[0] == 0:
                function(current, *args, **kwargs)
            if pair:
                current.tracer.barrier(0, None)
            return recorded(current.tracer, kwargs.get("name"))

        collective.__name__, collective.__doc__ = name, function.__doc__
        return collective

    return wrap


def _part(tensor, dim, index, parts):
    size = tensor.shape[dim]
    if size % parts != 0:
        refuse("E-NKI-013", f"a collective over {parts} ranks of {tensor!r}: dimension {dim} is no multiple of {parts}")
    return tensor.slice(dim=dim, start=index * (size // parts), end=(index + 1) * (size // parts))


@_collective("all_gather")
def all_gather(current, srcs, dsts, replica_group=None, collective_dim=0, priority=None, name=None):
    """dsts = srcs of all ranks of the group, one after another along a dimension."""
    group = _group(replica_group, current)
    me, stage = group.index(current.rank), _Staged(current)
    for src, dst in zip(_list(srcs), _list(dsts)):
        source, (target, finish) = stage.source(src), stage.target(dst)
        current.tracer.copy(_part(target, collective_dim, me, len(group)), source)
        others = [r for r in group if r != current.rank]
        if others:
            _exchange(current, [(source, _part(target, collective_dim, me, len(group)), r) for r in others], others,
                      [_part(target, collective_dim, group.index(r), len(group)) for r in others])
        finish()


def _reduced(current, group, parts, target, op):
    """target = op over what every rank of the group sends to this one: parts[rank] goes to the rank."""
    others = [r for r in group if r != current.rank]
    shape = tuple(target.shape)
    scratch = current.tensor((len(group),) + shape, target.dtype, "private_hbm", "collective_scratch")
    slot = lambda rank: scratch.select(0, group.index(rank))
    if others:
        _exchange(current, [(parts[r], slot(current.rank), r) for r in others], others, [slot(r) for r in others])
    terms = [parts[r] if r == current.rank else slot(r) for r in group]
    while len(terms) > 1:
        total = target if len(terms) <= 16 else current.tensor(shape, target.dtype, "private_hbm", "collective_sum")
        current.tracer.fold(total, terms[:16], op)
        terms = [total] + terms[16:]
    if len(group) == 1:
        current.tracer.copy(target, terms[0])


@_collective("all_reduce")
def all_reduce(current, srcs, dsts, replica_group=None, op="add", priority=None, name=None):
    """dsts = the sum, minimum or maximum of srcs over the ranks of the group."""
    group, stage = _group(replica_group, current), _Staged(current)
    for src, dst in zip(_list(srcs), _list(dsts)):
        source, (target, finish) = stage.source(src), stage.target(dst)
        _reduced(current, group, {r: source for r in group}, target, alu_of(op))
        finish()


@_collective("reduce_scatter")
def reduce_scatter(current, srcs, dsts, replica_group=None, collective_dim=0, op="add", priority=None, name=None):
    """dsts = this rank's part, along a dimension, of the reduced srcs."""
    group, stage = _group(replica_group, current), _Staged(current)
    for src, dst in zip(_list(srcs), _list(dsts)):
        source, (target, finish) = stage.source(src), stage.target(dst)
        _reduced(current, group, {r: _part(source, collective_dim, group.index(r), len(group)) for r in group}, target, alu_of(op))
        finish()


@_collective("all_to_all")
def all_to_all(current, srcs, dsts, replica_group=None, collective_dim=0, priority=None, name=None):
    """Part r of srcs goes to rank r of the group, where it is part of the own rank."""
    group = _group(replica_group, current)
    me, others, stage = group.index(current.rank), [r for r in group if r != current.rank], _Staged(current)
    for src, dst in zip(_list(srcs), _list(dsts)):
        source, (target, finish) = stage.source(src), stage.target(dst)
        part = lambda tensor, rank: _part(tensor, collective_dim, group.index(rank), len(group))
        current.tracer.copy(part(target, current.rank), part(source, current.rank))
        if others:
            _exchange(current, [(part(source, r), part(target, current.rank), r) for r in others], others, [part(target, r) for r in others])
        finish()


def _permute(current, srcs, dsts, pairs):
    stage = _Staged(current)
    targets = [int(t) for s, t in pairs if int(s) == current.rank]
    senders = [int(s) for s, t in pairs if int(t) == current.rank]
    for src, dst in zip(_list(srcs), _list(dsts)):
        source, (target, finish) = stage.source(src), stage.target(dst)
        if current.rank in targets:
            current.tracer.copy(target, source)
        _exchange(current, [(source, target, r) for r in targets if r != current.rank], [r for r in senders if r != current.rank],
                  [target] if any(r != current.rank for r in senders) else [])
        finish()


@_collective("collective_permute")
def collective_permute(current, srcs, dsts, source_target_pairs=(), priority=None, name=None):
    """srcs of the source of each pair go to dsts of its target."""
    _permute(current, srcs, dsts, source_target_pairs)


def _ring(current, replica_group):
    group = _group(replica_group, current)
    return [(group[n], group[(n + 1) % len(group)]) for n in range(len(group))]


@_collective("collective_permute_implicit")
def collective_permute_implicit(current, srcs_by_channel, dsts_by_channel, replica_group=None, channel_ids=(0,), priority=None, name=None,
                                **older):
    """A step of a ring: srcs go to dsts of the successor in the group, channel by channel."""
    for srcs, dsts in zip(srcs_by_channel, dsts_by_channel):
        _permute(current, srcs, dsts, _ring(current, replica_group))


@_collective("collective_permute_implicit_reduce")
def collective_permute_implicit_reduce(current, srcs0_by_channel, srcs1_by_channel, dsts_by_channel, replica_group=None, op="add",
                                       channel_ids=(0,), priority=None, name=None, **older):
    """A step of a ring that reduces: op(srcs0, srcs1) goes to dsts of the successor."""
    for first, second, dsts in zip(srcs0_by_channel, srcs1_by_channel, dsts_by_channel):
        sums = []
        for a, b in zip(_list(first), _list(second)):
            total = current.tensor(a.shape, a.dtype, "private_hbm", "collective_sum")
            current.tracer.fold(total, [_Staged(current).source(a), _Staged(current).source(b)], alu_of(op))
            sums.append(total)
        _permute(current, sums, dsts, _ring(current, replica_group))


def collective_permute_implicit_current_processing_rank_id(iteration_id, replica_group=None, channel_id=0, **older):
    """The rank whose data are at hand in this step of the ring, in a register."""
    current = context.current("nki.collectives")
    group = _group(replica_group, current)
    return current.tracer.set_register(group[(group.index(current.rank) - int(iteration_id)) % len(group)])


def rank_id(name=None):
    """The own rank, in a register."""
    current = context.current("nki.collectives.rank_id")
    return current.tracer.set_register(current.rank)
