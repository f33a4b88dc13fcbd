# SPDX-License-Identifier: Apache-2.0
"""neuronxcc.nki.isa: the instructions, which return tiles."""
import sys

import nki.isa as new
from neuronxcc.nki import products, recording
from neuronxcc.nki.arithmetic import as_tensor, binary, copied, kind_of, off_hbm, reduced, result, rows, tile_and_operand, wide
from neuronxcc.nki.cumulative import tensor_scalar_cumulative  # noqa: F401
from neuronxcc.nki.indices import Index, Mask
from neuronxcc.nki.masks import cut_by
from neuronxcc.nki.operators import TOKENS
from neuronxcc.nki.pieces import boxed_pieces
from neuronxcc.nki.products import box_is_whole
from neuronxcc.nki.searches import (local_gather, max8, nc_find_index8, nc_match_replace8, sequence_bounds)  # noqa: F401
from neuronxcc.nki.tensors import Result, boxed, tensor
from nki.isa import constants
from nki.isa.constants import *  # noqa: F403
from nki.isa.constants import (dge_mode, engine, get_nc_version, gpsimd_engine, matmul_perf_mode, nc_version, oob_mode, reduce_cmd,  # noqa: F401
                               scalar_engine, tensor_engine, unknown_engine, vector_engine)
from tahoma import dtypes, tiles
from tahoma.errors import refuse
from tahoma.operators import operator_of
from tahoma.refusals import refusing

sys.modules[f"{__name__}.constants"] = constants  # `from neuronxcc.nki.isa.constants import dge_mode`

_FP32_MIN = -3.4028234663852886e38


def _column(value, box=None):
    """A number, or the view of a tile of one element for each partition."""
    return rows(value.read(), box) if isinstance(value, tensor) else value


def _written(value, box=None):
    """A part of a tensor that an instruction writes beside its result."""
    return None if value is None else rows(value.target(), box)


# --- tensor engine ------------------------------------------------------------------------------------------------------
def nc_matmul(stationary, moving, *, is_stationary_onezero=False, is_moving_onezero=False, is_transpose=False, tile_position=(),
              tile_size=(), perf_mode=matmul_perf_mode.none, mask=None, **options):
    """stationary[K, M]^T moving[K, N] in PSUM; `t += nc_matmul(...)` accumulates there."""
    return products.product(stationary, moving, mask, is_stationary_onezero=is_stationary_onezero, is_moving_onezero=is_moving_onezero,
                            is_transpose=is_transpose, tile_position=tile_position, tile_size=tile_size,
                            perf_mode=matmul_perf_mode[perf_mode] if isinstance(perf_mode, str) else perf_mode)


def nc_transpose(data, *, mask=None, dtype=None, engine=unknown_engine, **options):
    """The transpose of partition and flattened free dimensions."""
    return products.transposed(data, dtype, engine, mask)


# --- vector, scalar and GpSimd engines ----------------------------------------------------------------------------------
def tensor_copy(src, *, mask=None, dtype=None, engine=unknown_engine, **options):
    return copied(src, dtype, mask, engine, "nisa.tensor_copy")


def tensor_tensor(data1, data2, op, *, dtype=None, mask=None, engine=unknown_engine, **options):
    off_hbm(data1, "nisa.tensor_tensor: data1"), off_hbm(data2, "nisa.tensor_tensor: data2")
    return binary(TOKENS[operator_of(op).name], data1, data2, dtype, mask, engine)


def tensor_scalar(data, op0, operand0, reverse0=False, op1=None, operand1=None, reverse1=False, *, dtype=None, mask=None,
                  engine=unknown_engine, **options):
    """(data op0 operand0) op1 operand1, each operand a number or a column."""
    view, first, second = off_hbm(data, "nisa.tensor_scalar").read(), _column(operand0), _column(operand1)
    if op1 is None and operand1 is None and operator_of(op0, "op0").arity == 2:
        return tile_and_operand(operator_of(op0, "op0"), view, first, reverse0, dtype, mask, {"engine": engine})
    kind = kind_of(dtype, view.dtype)

    def write(dst, box=None):
        for to, piece in boxed_pieces(box, dst, view):
            new.tensor_scalar(to, piece, op0, _cut(first, box), reverse0, op1, _cut(second, box), reverse1, engine)

    return result(view.shape, kind, write, _views(view, first, second), mask, "nisa.tensor_scalar", natural=wide(kind))


def _cut(operand, box):
    return rows(operand, box) if hasattr(operand, "storage_id") else operand


def _views(*values):
    return [value for value in values if hasattr(value, "storage_id")]


def scalar_tensor_tensor(*, data, op0, operand0, op1, operand1, reverse0=False, reverse1=False, dtype=None, mask=None, **options):
    """(data op0 operand0) op1 operand1: a number or column first, then a tile."""
    view, first = off_hbm(data, "nisa.scalar_tensor_tensor").read(), _column(operand0)
    second = off_hbm(operand1, "nisa.scalar_tensor_tensor: operand1").read()
    kind = kind_of(dtype, view.dtype)

    def write(dst, box=None):
        for to, piece, beside in boxed_pieces(box, dst, view, second):
            new.scalar_tensor_tensor(to, piece, op0, _cut(first, box), op1, beside, reverse0, reverse1)

    return result(view.shape, kind, write, _views(view, first, second), mask, "nisa.scalar_tensor_tensor", natural=wide(kind))


def tensor_scalar_reduce(*, data, op0, operand0, reduce_op, reduce_res, reverse0=False, dtype=None, mask=None, **options):
    """data op0 operand0, and reduce_op over each partition's results in reduce_res."""
    view, first = off_hbm(data, "nisa.tensor_scalar_reduce").read(), _column(operand0)
    kind = kind_of(dtype, view.dtype)
    beside = reduce_res.target()

    def write(dst, box=None):
        new.tensor_scalar_reduce(dst, boxed(view, box), op0, _cut(first, box), reduce_op, rows(beside, box), reverse0)

    return result(view.shape, kind, write, _views(view, first), mask, "nisa.tensor_scalar_reduce", natural=wide(kind))


def tensor_reduce(op, data, axis, *, mask=None, dtype=None, negate=False, keepdims=False, **options):
    return reduced(op, data, axis, dtype, mask, keepdims, negate, "nisa.tensor_reduce")


def tensor_partition_reduce(op, data, *, mask=None, dtype=None, **options):
    """Reduces across partitions: one partition remains."""
    view = off_hbm(data, "nisa.tensor_partition_reduce").read()
    box_is_whole(mask, view, "nisa.tensor_partition_reduce")
    kind = kind_of(dtype, view.dtype)
    return result((1,) + tuple(view.shape[1:]), kind, lambda dst, box=None: new.tensor_partition_reduce(dst, op, view), [view],
                  natural=wide(kind))


def activation(op, data, *, bias=None, scale=1.0, reduce_op=None, reduce_res=None, reduce_cmd=reduce_cmd.idle, dtype=None, mask=None,
               **options):
    """op(data * scale + bias) on the scalar engine."""
    view, added, factor = off_hbm(data, "nisa.activation").read(), _column(bias), _column(scale)
    beside = None if reduce_res is None else reduce_res.target()
    kind = kind_of(dtype, view.dtype)

    def write(dst, box=None):
        how = {"bias": _cut(added, box), "scale": _cut(factor, box)}
        if beside is not None or int(reduce_cmd) != 0:
            new.activation(dst, op, boxed(view, box), reduce_op=reduce_op, reduce_res=beside and rows(beside, box), reduce_cmd=reduce_cmd, **how)
            return
        for to, piece in boxed_pieces(box, dst, view):
            new.activation(to, op, piece, **how)

    return result(view.shape, kind, write, _views(view, added, factor), mask, "nisa.activation", natural=wide(kind))


def activation_reduce(op, data, *, reduce_op=None, reduce_res=None, bias=None, scale=1.0, dtype=None, mask=None, **options):
    """As activation, and the sum of the results of each partition in reduce_res."""
    return activation(op, data, bias=bias, scale=scale, reduce_op=reduce_op, reduce_res=reduce_res,
                      reduce_cmd=new.reduce_cmd.reset_reduce, dtype=dtype, mask=mask)


def tensor_tensor_scan(data0, data1, initial, op0, op1, reverse0=False, reverse1=False, *, dtype=None, mask=None, **options):
    """state = (data0[i] op0 state) op1 data1[i] along the free dimensions."""
    first, second = off_hbm(data0, "nisa.tensor_tensor_scan").read(), off_hbm(data1, "nisa.tensor_tensor_scan").read()
    start, kind = _column(initial), kind_of(dtype, tiles.wider(first.dtype, second.dtype))

    def write(dst, box=None):
        new.tensor_tensor_scan(dst, boxed(first, box), boxed(second, box), _cut(start, box), op0, op1, reverse0, reverse1)

    return result(first.shape, kind, write, _views(first, second, start), mask, "nisa.tensor_tensor_scan", natural=wide(kind))


def reciprocal(data, *, dtype=None, mask=None, **options):
    return TOKENS["reciprocal"](off_hbm(data, "nisa.reciprocal"), dtype=dtype, mask=mask)


def memset(shape, value, dtype, *, mask=None, engine=unknown_engine, **options):
    """A new tile filled with a number."""
    shape = tuple(int(n) for n in shape)
    return result(shape, dtype, lambda dst, box=None: new.memset(dst, value, engine), (), mask, "nisa.memset")


def iota(expr, dtype, *, mask=None, **options):
    """The values of an index."""
    if not isinstance(expr, Index):
        refuse("E-NKI-013", f"nisa.iota of {expr!r}; expected an index, made with nl.arange or nl.mgrid")
    shape = expr.counts if len(expr.counts) > 1 else expr.counts + (1,)
    pattern = [(step, count) for step, count in zip(expr.steps[1:], expr.counts[1:])] or [(0, 1)]

    def write(dst, box=None):
        if box is not None:
            refuse("E-NKI-002", "nisa.iota: a mask that cuts the tile")
        new.iota(dst, pattern, expr.constant, expr.steps[0])

    return result(shape, dtype, write, (), mask, "nisa.iota")


def affine_select(pred, on_true_tile, on_false_value, *, mask=None, dtype=None, **options):
    """The tile where the predicate holds, a number elsewhere. A conjunction takes one instruction for each term."""
    view = off_hbm(on_true_tile, "nisa.affine_select").read()
    kind = kind_of(dtype, view.dtype)
    if not isinstance(pred, Mask) or pred.choices:
        refuse("E-NKI-002", f"nisa.affine_select: pred={pred!r}; expected comparisons of indices, joined by &")
    if view.buffer == "psum":  # GpSimd does not reach PSUM
        view = tiles.copied(view)
    terms = pred.terms or [Index((1,) * view.ndim, (0,) * view.ndim)]
    if any(len(term.counts) != view.ndim or any(s and c != n for s, c, n in zip(term.steps, term.counts, view.shape)) for term in terms):
        refuse("E-NKI-002", f"nisa.affine_select: pred={terms[0]!r} on {view!r}; expected indices of its dimensions")

    def write(dst, box=None):
        source = boxed(view, box)
        starts = [start for start, _ in box] if box else [0] * view.ndim
        for term in terms:
            base = term.constant + sum(step * start for step, start in zip(term.steps, starts))
            new.affine_select(dst, [(step, count) for step, count in zip(term.steps[1:], source.shape[1:])], term.steps[0], source,
                              on_false_value, "greater_equal", base)
            source = dst

    return result(view.shape, kind, write, [view] * min(len(terms), 1), mask, "nisa.affine_select", natural=view.dtype)


def range_select(*, on_true_tile, comp_op0, comp_op1, bound0, bound1, reduce_cmd=reduce_cmd.idle, reduce_res=None,
                 reduce_op=TOKENS["maximum"], range_start=0, on_false_value=_FP32_MIN, mask=None, dtype=None, **options):
    """Keeps the elements whose index satisfies both comparisons."""
    view, low, high = off_hbm(on_true_tile, "nisa.range_select").read(), _column(bound0), _column(bound1)
    beside = None if reduce_res is None else reduce_res.target()
    kind = kind_of(dtype, view.dtype)

    def write(dst, box=None):
        new.range_select(dst, boxed(view, box), comp_op0, comp_op1, _cut(low, box), _cut(high, box), reduce_cmd, beside and rows(beside, box),
                         reduce_op, range_start, on_false_value)

    return result(view.shape, kind, write, _views(view, low, high), mask, "nisa.range_select", natural=wide(kind))


def dropout(data, prob, *, mask=None, dtype=None, **options):
    view, chance = off_hbm(data, "nisa.dropout").read(), _column(prob)
    return result(view.shape, kind_of(dtype, view.dtype), lambda dst, box=None: new.dropout(dst, boxed(view, box), _cut(chance, box)),
                  _views(view, chance), mask, "nisa.dropout")


def bn_stats(data, *, mask=None, dtype=None, **options):
    """Count, mean and variance * count of the even and of the odd elements."""
    view = off_hbm(data, "nisa.bn_stats").read()
    box_is_whole(mask, view, "nisa.bn_stats")
    return result((view.shape[0], 6), kind_of(dtype, dtypes.ALL["float32"]), lambda dst, box=None: new.bn_stats(dst, view), [view])


def bn_aggr(data, *, mask=None, dtype=None, **options):
    """Mean and variance from the triples of bn_stats."""
    view = off_hbm(data, "nisa.bn_aggr").read()
    box_is_whole(mask, view, "nisa.bn_aggr")
    return result((view.shape[0], 2), kind_of(dtype, dtypes.ALL["float32"]), lambda dst, box=None: new.bn_aggr(dst, view), [view])


# --- instructions with a destination ------------------------------------------------------------------------------------
def dma_copy(*, dst, src, mask=None, dst_rmw_op=None, oob_mode=oob_mode.error, dge_mode=dge_mode.unknown, **options):
    """dst = src through the DMA engines."""
    dst, src = as_tensor(dst, "nisa.dma_copy: dst"), as_tensor(src, "nisa.dma_copy: src")
    some, box = cut_by(mask, src.shape, "nisa.dma_copy")
    if some:
        source = src.read(box)
        new.dma_copy(dst.target(box), source, oob_mode=oob_mode, dge_mode=dge_mode, dst_rmw_op=dst_rmw_op)


def dma_transpose(src, *, axes=None, mask=None, dtype=None, **options):
    """The transpose of a 2-D part of a tensor, through the DMA engines."""
    view = as_tensor(src, "nisa.dma_transpose").read()
    box_is_whole(mask, view, "nisa.dma_transpose")
    axes = tuple(axes) if axes is not None else tuple(reversed(range(view.ndim)))
    shape = tuple(view.shape[a] for a in axes)
    return Result(recording.wait(recording.Waiting(shape, kind_of(dtype, view.dtype), lambda dst: new.dma_transpose(dst, view, axes))))


def tensor_copy_predicated(*, src, dst, predicate, mask=None, dtype=None, reverse_pred=False, **options):
    """dst = src where the predicate is not 0."""
    some, box = cut_by(mask, dst.shape, "nisa.tensor_copy_predicated")
    if some:
        source, chosen = src.read(box) if isinstance(src, tensor) else src, predicate.read(box)
        dst.read()
        new.tensor_copy_predicated(dst.target(box), source, chosen, reverse_pred)


def select_reduce(*, dst, predicate, on_true, on_false, reduce_res=None, reduce_cmd=reduce_cmd.idle, reduce_op=TOKENS["maximum"],
                  reverse_pred=False, mask=None, dtype=None, **options):
    """dst = predicate ? on_true : on_false, with the maximum of each partition in reduce_res."""
    box_is_whole(mask, dst, "nisa.select_reduce")
    chosen, source, other = predicate.read(), on_true.read(), _column(on_false)
    new.select_reduce(dst.target(), chosen, source, other, _written(reduce_res), reduce_cmd, reduce_op, reverse_pred)


def nc_stream_shuffle(src, dst, shuffle_mask, *, dtype=None, mask=None, **options):
    """Moves partitions inside each group of 32."""
    source = src.read()
    box_is_whole(mask, source, "nisa.nc_stream_shuffle")
    new.nc_stream_shuffle(dst.target(), source, shuffle_mask)


__getattr__ = refusing("neuronxcc.nki.isa", {
    "tensor_copy_dynamic_src": "an address that is known only while the kernel runs; supported in the newer style, nki.isa.tensor_copy",
    "tensor_copy_dynamic_dst": "an address that is known only while the kernel runs; supported in the newer style, nki.isa.tensor_copy",
    "builtin_custom_op": "a program of the vendor's for GpSimd, which this package does not have",
    "sendrecv": "grid points run one after another; exchange between cores is of the newer style, nki.isa.sendrecv",
    "core_barrier": "grid points run one after another; barriers between cores are of the newer style, nki.isa.core_barrier",
    "nc_matmul_mx": "an instruction of Trainium3", "quantize_mx": "an instruction of Trainium3",
})
