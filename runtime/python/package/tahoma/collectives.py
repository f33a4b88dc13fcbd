# SPDX-License-Identifier: Apache-2.0
"""Collectives of kernels. One rank: they copy. Several ranks: see tahoma.launch_ranks."""
from tahoma import context
from tahoma.errors import refuse

__all__ = ["ReplicaGroup", "all_gather", "all_reduce", "all_to_all", "collective_permute", "rank_id", "reduce_scatter"]


class ReplicaGroup:
    """Ranks that take part: a list of lists of ranks, which do not overlap."""

    def __init__(self, groups):
        self.groups = [list(map(int, group)) for group in groups]

    def __repr__(self):
        return f"ReplicaGroup({self.groups})"

    def of(self, rank):
        for group in self.groups:
            if rank in group:
                return group
        return [rank]


def _alone(name, replica_group):
    current = context.current(f"nki.collectives.{name}")
    group = replica_group.of(current.rank) if isinstance(replica_group, ReplicaGroup) else [current.rank]
    if len(group) > 1:
        refuse("E-NKI-032", f"nki.collectives.{name} over {len(group)} ranks in a kernel that was launched on {current.ranks}")
    return current


def _copy_each(name, srcs, dsts, replica_group):
    current = _alone(name, replica_group)
    for src, dst in zip(srcs, dsts):
        current.tracer.copy(dst, src)


def all_reduce(srcs, dsts, replica_group, op, priority=None, name=None):
    """dsts = the sum, minimum or maximum of srcs over the ranks."""
    _copy_each("all_reduce", srcs, dsts, replica_group)


def all_gather(srcs, dsts, replica_group, collective_dim, priority=None, name=None):
    """dsts = srcs of all ranks, one after another."""
    _copy_each("all_gather", srcs, dsts, replica_group)


def reduce_scatter(srcs, dsts, replica_group, collective_dim, op, priority=None, name=None):
    """dsts = this rank's part of the reduced srcs."""
    _copy_each("reduce_scatter", srcs, dsts, replica_group)


def all_to_all(srcs, dsts, replica_group, collective_dim, priority=None, name=None):
    """Part r of srcs goes to rank r."""
    _copy_each("all_to_all", srcs, dsts, replica_group)


def collective_permute(srcs, dsts, source_target_pairs, priority=None, name=None):
    """srcs of the source of each pair go to dsts of its target."""
    _copy_each("collective_permute", srcs, dsts, None)


def rank_id(name=None):
    """The own rank, in a register."""
    current = context.current("nki.collectives.rank_id")
    return current.tracer.set_register(current.rank)
