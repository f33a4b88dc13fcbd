# SPDX-License-Identifier: Apache-2.0
"""Searches and gathers of the old nki.isa."""
import nki.isa as new
from neuronxcc.nki.arithmetic import kind_of, off_hbm, result
from neuronxcc.nki.products import box_is_whole
from tahoma import dtypes


def max8(*, src, mask=None, dtype=None, **options):
    """The 8 largest elements of each partition, descending."""
    view = off_hbm(src, "nisa.max8").read()
    box_is_whole(mask, view, "nisa.max8")
    return result((view.shape[0], 8), kind_of(dtype, view.dtype), lambda dst, box=None: new.max8(dst, view), [view])


def nc_find_index8(*, data, vals, mask=None, dtype=None, **options):
    """Where 8 values stand in each partition."""
    view, values = off_hbm(data, "nisa.nc_find_index8").read(), vals.read()
    box_is_whole(mask, view, "nisa.nc_find_index8")
    return result((view.shape[0], 8), kind_of(dtype, dtypes.ALL["uint32"]), lambda dst, box=None: new.nc_find_index8(dst, view, values), [view, values])


def nc_match_replace8(*, data, vals, imm, dst_idx=None, mask=None, dtype=None, **options):
    """Replaces the first occurrence of each of 8 values by a number."""
    view, values = off_hbm(data, "nisa.nc_match_replace8").read(), vals.read()
    places = None if dst_idx is None else dst_idx.target()
    box_is_whole(mask, view, "nisa.nc_match_replace8")
    return result(view.shape, kind_of(dtype, view.dtype), lambda dst, box=None: new.nc_match_replace8(dst, view, values, imm, places), [view, values])


def local_gather(src_buffer, index, num_elem_per_idx=1, num_valid_indices=None, *, mask=None, **options):
    """Each group of 16 partitions gathers by a common list of indices."""
    view, numbers = off_hbm(src_buffer, "nisa.local_gather").read(), index.read()
    box_is_whole(mask, view, "nisa.local_gather")
    count = 16 * (numbers.size // numbers.shape[0]) * int(num_elem_per_idx)
    return result((view.shape[0], count), view.dtype,
                  lambda dst, box=None: new.local_gather(dst, view, numbers, num_elem_per_idx, num_valid_indices), [view, numbers])


def sequence_bounds(*, segment_ids, dtype=None, **options):
    view = off_hbm(segment_ids, "nisa.sequence_bounds").read()
    return result((view.shape[0], 2 * (view.size // view.shape[0])), kind_of(dtype, dtypes.ALL["float32"]),
                  lambda dst, box=None: new.sequence_bounds(dst, view), [view])
