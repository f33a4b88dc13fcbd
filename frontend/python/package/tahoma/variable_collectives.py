# SPDX-License-Identifier: Apache-2.0
"""nki.collectives with sizes of each rank: all_to_all_v and all_gather_v, in one step or as prepare and trigger.

Tensors are flat buffers of elements in HBM. The metadata tensor has a column for each rank of the group and the rows send counts, send
displacements, receive counts (not read here) and, with has_rdispls, receive displacements; without these, the part of the n-th rank of the
group begins at n * (elements of dst / ranks). The sizes must be known while the kernel is traced: the metadata are an argument of the
kernel, which must not write them. On the device they are read when the collective runs.
"""
import numpy as np

from nki.isa.common import NkiInstruction
from tahoma.collectives import _collective, _exchange, _group, _list
from tahoma.errors import refuse


class Prepared(NkiInstruction):
    """What a prepare returns: an instruction that a trigger carries out."""

    __slots__ = ("carry_out",)


def _metadata(current, tensor, name, group, rows):
    """The metadata of each rank of the group, as arrays of whole numbers."""
    inputs = current.call.inputs.arrays
    if tensor.storage_id >= len(inputs) or tensor.size != np.size(inputs[tensor.storage_id]):
        refuse("E-NKI-014", f"nkc.{name}: metadata_tensor {tensor!r}; the sizes must be known while the kernel is traced: expected an argument of "
                            "the kernel, as a whole")
    found = [np.asarray(current.call.peers[rank].inputs.arrays[tensor.storage_id], np.int64) for rank in group]
    for rank, array in zip(group, found):
        if array.ndim != 2 or array.shape[0] < rows or array.shape[1] != len(group):
            refuse("E-NKI-013", f"nkc.{name}: the metadata of rank {rank} have the shape {list(array.shape)}; expected at least {rows} rows and "
                                f"{len(group)} columns")
    return found


def _part(flat, start, count, what):
    if start < 0 or count < 0 or start + count > flat.shape[0]:
        refuse("E-NKI-013", f"nkc.{what}: elements {start} to {start + count} of {flat!r}; expected parts inside it")
    return flat[start : start + count]


def _flat(tensors, name, side):
    tensors = _list(tensors)
    if len(tensors) != 1 or tensors[0].on_chip:
        refuse("E-NKI-014", f"nkc.{name}: {side} {tensors!r}; expected one tensor in HBM")
    return tensors[0].reshape((tensors[0].size,))


def _variable(name, sizes):
    """sizes(metadata of a rank, number of the receiver) gives count and displacement of what that rank sends there."""

    def carry_out(current, srcs, dsts, replica_group, metadata_tensor, has_rdispls):
        group = _group(replica_group, current)
        me = group.index(current.rank)
        src, dst = _flat(srcs, name, "srcs"), _flat(dsts, name, "dsts")
        metadata = _metadata(current, metadata_tensor, name, group, 4 if has_rdispls else 2)
        slot = dst.shape[0] // len(group)
        place = lambda receiver, sender: int(metadata[receiver][3, sender]) if has_rdispls else sender * slot
        sends, senders, received = [], [], []
        for other, rank in enumerate(group):
            count, displacement = sizes(metadata[me], other)
            if count and other == me:
                current.tracer.copy(_part(dst, place(me, me), count, name), _part(src, displacement, count, name))
            elif count:
                sends.append((_part(src, displacement, count, name), _part(dst, place(other, me), count, name), rank))
            count, _ = sizes(metadata[other], me)
            if count and other != me:
                senders.append(rank)
                received.append(_part(dst, place(me, other), count, name))
        if sends or senders:
            _exchange(current, sends, senders, received)

    def once(current, srcs, dsts, replica_group=None, metadata_tensor=None, recv_counts_known=False, has_rdispls=False, priority=None, name=None):
        carry_out(current, srcs, dsts, replica_group, metadata_tensor, has_rdispls)

    def prepare(srcs, dsts, replica_group=None, metadata_tensor=None, recv_counts_known=False, has_rdispls=False, priority=None, name=None):
        from tahoma import context

        current = context.current(f"nki.collectives.{once.__name__}_prepare")
        made = Prepared(max(0, current.tracer.entries - 1))
        made.carry_out = lambda **named: collective(srcs, dsts, replica_group, metadata_tensor, recv_counts_known, has_rdispls, priority, **named)
        if name is not None:
            current.named.setdefault(str(name), []).append(made)
        return made

    def trigger(prepare_instr, name=None):
        if not isinstance(prepare_instr, Prepared):
            refuse("E-NKI-013", f"nkc.{once.__name__}_trigger: {prepare_instr!r}; expected what the prepare returned")
        return prepare_instr.carry_out(name=name)

    once.__name__, once.__doc__ = name, sizes.__doc__
    collective = _collective(name)(once)
    prepare.__name__, trigger.__name__ = f"{name}_prepare", f"{name}_trigger"
    prepare.__doc__, trigger.__doc__ = f"{name}, to be carried out by {name}_trigger.", f"Carries out what {name}_prepare has prepared."
    return collective, prepare, trigger


def _to_each(metadata, receiver):
    """Every rank sends a part of its own size to each rank."""
    return int(metadata[0, receiver]), int(metadata[1, receiver])


def _to_all(metadata, receiver):
    """Every rank sends one part of its own size to all ranks."""
    return int(metadata[0, 0]), int(metadata[1, 0])


all_to_all_v, all_to_all_v_prepare, all_to_all_v_trigger = _variable("all_to_all_v", _to_each)
all_gather_v, all_gather_v_prepare, all_gather_v_trigger = _variable("all_gather_v", _to_all)
__all__ = ["all_gather_v", "all_gather_v_prepare", "all_gather_v_trigger", "all_to_all_v", "all_to_all_v_prepare", "all_to_all_v_trigger"]
