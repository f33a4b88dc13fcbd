# SPDX-License-Identifier: Apache-2.0
"""Searches and gathers."""
from nki.isa import common
from nki.isa.common import recorded
from tahoma import context

__all__ = ["local_gather", "max8", "nc_find_index8", "nc_match_replace8", "nc_n_gather", "nonzero_with_count", "sequence_bounds", "topk"]


def _free(tensor):
    return tensor.size // tensor.shape[0]


def max8(dst, src, name=None, **older):
    """The 8 largest elements of each partition, descending."""
    common.ignore("max8", older, ("dtype", "mask"))
    tracer = context.current("nisa.max8").tracer
    tracer.emit("max8", None, dst=dst, src=src)
    return recorded(tracer, name)


def nc_find_index8(dst, data, vals, name=None, **older):
    """Where 8 values stand in each partition."""
    common.ignore("nc_find_index8", older, ("dtype", "mask"))
    tracer = context.current("nisa.nc_find_index8").tracer
    tracer.emit("find_index8", None, dst=dst, src=data, values=vals)
    return recorded(tracer, name)


def nc_match_replace8(dst, data, vals, imm, dst_idx=None, name=None, **older):
    """Replaces the first occurrence of each of 8 values by a number."""
    common.ignore("nc_match_replace8", older, ("dtype", "mask"))
    tracer = context.current("nisa.nc_match_replace8").tracer
    tracer.emit("match_replace8", None, dst=dst, src=data, values=vals, value=float(imm), index=dst_idx)
    return recorded(tracer, name)


def nc_n_gather(dst, data, indices, name=None, **older):
    """dst[i] = data[indices[i]] inside each partition."""
    common.ignore("nc_n_gather", older, ("dtype", "mask"))
    tracer = context.current("nisa.nc_n_gather").tracer
    tracer.emit("n_gather", None, dst=dst, src=data, index=indices, extent=_free(data))
    return recorded(tracer, name)


def local_gather(dst, src_buffer, index, num_elem_per_idx=1, num_valid_indices=None, name=None, **older):
    """Each group of 16 partitions gathers by a common list of indices."""
    common.ignore("local_gather", older, ("dtype", "mask"))
    tracer = context.current("nisa.local_gather").tracer
    valid = 16 * _free(index) if num_valid_indices is None else int(num_valid_indices)
    tracer.emit("local_gather", None, dst=dst, src=src_buffer, index=index, extent=_free(src_buffer), valid=valid,
                per_index=int(num_elem_per_idx))
    return recorded(tracer, name)


def nonzero_with_count(dst, src, index_offset=0, padding_val=-1, name=None):
    """Indices of the nonzero elements of partitions 0, 16, ..., and their number."""
    tracer = context.current("nisa.nonzero_with_count").tracer
    tracer.emit("nonzero_with_count", None, dst=dst, src=src, index_offset=int(index_offset), padding=int(padding_val))
    return recorded(tracer, name)


def sequence_bounds(dst, segment_ids, name=None):
    """Start and end of the run of equal ids around each element."""
    tracer = context.current("nisa.sequence_bounds").tracer
    tracer.emit("sequence_bounds", None, dst=dst, src=segment_ids)
    return recorded(tracer, name)


def topk(val_dst, idx_dst, src, n, name=None):
    """The largest values of each group of 16 partitions."""
    tracer = context.current("nisa.topk").tracer
    tracer.emit("topk", None, dst=val_dst, index=idx_dst, src=src, n=int(n), k=16 * _free(val_dst))
    return recorded(tracer, name)
