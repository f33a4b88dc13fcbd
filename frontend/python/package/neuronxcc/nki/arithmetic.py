# SPDX-License-Identifier: Apache-2.0
"""Functions on tiles, element by element and along dimensions. Each makes an instruction that waits for its destination."""
from neuronxcc.nki import recording
from neuronxcc.nki.masks import cut_by
from neuronxcc.nki.pieces import FREE_DIMS, boxed_pieces, free_dims, pieces
from neuronxcc.nki.recording import Waiting
from neuronxcc.nki.tensors import Result, Stored, as_tensor, boxed, tensor
from nki.isa import common, compute
from tahoma import dtypes, tiles
from tahoma.errors import refuse

ON_CHIP = ("sbuf", "psum")


def result(shape, dtype, write, operands=(), mask=None, what="", **more):
    """A tile that `write(dst, box)` fills where the mask holds; without a box, all of it."""
    some, box = cut_by(mask, shape, what)
    if not some:
        return Result(recording.wait(Waiting(shape, dtype, lambda dst: None, partial=True, **more)))

    def write_box(dst):
        write(boxed(dst if dst.shape == shape else dst.reshape(tuple(shape)), box), box)

    return Result(recording.wait(Waiting(shape, dtype, write if box is None else write_box, operands, partial=box is not None, **more)))


def off_hbm(value, what):
    if not isinstance(value, tensor):
        value = as_tensor(value, what)
    if value.buffer not in ON_CHIP:
        refuse("E-NKI-014", f"{what} of {value!r}; expected a tile on chip: load it with nl.load")
    return value


def kind_of(dtype, default):
    return dtypes.dtype_of(dtype) if dtype is not None else default


def wide(dtype):
    """The dtype of results before they are rounded: engines compute in fp32."""
    return dtypes.ALL["float32"] if dtype.is_float else dtype


# --- copies -------------------------------------------------------------------------------------------------------------
def copy_into(dst, src):
    """Records a copy of one view to another, by the engine that reaches both."""
    tracer = recording.flush().tracer
    if dst.on_chip and src.on_chip:
        if src.size != dst.size:
            src = tiles.broadcast(src, tuple(dst.shape), "an assignment")
        for to, piece in boxed_pieces(None, dst, src):
            compute.tensor_copy(to, piece)
        return
    if src.size != dst.size:
        refuse("E-NKI-011", f"{src!r} is stored to {dst!r}: {src.size} elements to {dst.size}; expected the same number")
    for side in (dst, src):
        if side.buffer == "psum":  # the DMA engines do not reach PSUM
            through = tiles.new_tile(side.shape, side.dtype)
            if side is src:
                compute.tensor_copy(through, src)
                return copy_into(dst, through)
            tracer.copy(through, src)
            return copy_into(dst, through)
    tracer.copy(dst, src)


def scalar_fill(dst, number):
    """Records the filling of a view with a number."""
    if not common.is_number(number):
        refuse("E-NKI-013", f"{type(number).__name__} {number!r} is stored to {dst!r}; expected a tile or a number")
    if not dst.on_chip:
        filled = tiles.new_tile(dst.shape if dst.ndim > 1 else (1, dst.shape[0]), dst.dtype)
        compute.memset(filled, number)
        return copy_into(dst, filled)
    for (piece,) in pieces(dst):
        compute.memset(piece, number)


def copied(value, dtype=None, mask=None, engine=None, what="nl.copy"):
    view = off_hbm(value, what).read()

    def write(dst, box=None):
        for to, piece in boxed_pieces(box, dst, view):
            compute.tensor_copy(to, piece, **({} if engine is None else {"engine": engine}))

    return result(view.shape, dtype or view.dtype, write, [view], mask, what, natural=view.dtype)


def broadcast(value, shape):
    """A view, or a tile if the partitions are repeated."""
    value = off_hbm(value, "broadcast_to")
    shape = tuple(int(n) for n in shape)
    if value.shape == shape:
        return value
    view = value.read()
    if view.shape[0] == 1 and shape[0] > 1 and view.buffer == "psum":
        view = tiles.copied(view)
    return Stored(tiles.broadcast(view, shape, "broadcast_to"))


# --- element by element -------------------------------------------------------------------------------------------------
def padded(x, y):
    while x.ndim < y.ndim:
        x = x.expand_dim(1)
    while y.ndim < x.ndim:
        y = y.expand_dim(1)
    return x, y, tuple(map(max, x.shape, y.shape))


def binary(operator, x, y, dtype=None, mask=None, engine=None):
    """x operator y: two tiles, or a tile and a number."""
    if not isinstance(x, tensor) and not isinstance(y, tensor):
        refuse("E-NKI-013", f"{operator} of {x!r} and {y!r}: expected a tile")
    how = {} if engine is None else {"engine": engine}
    if not isinstance(y, tensor):
        return tile_and_number(operator, x, y, False, dtype, mask, how)
    if not isinstance(x, tensor):
        return tile_and_number(operator, y, x, True, dtype, mask, how)
    first, second = off_hbm(x, operator).read(), off_hbm(y, operator).read()
    shape, kind = x.shape, kind_of(dtype, tiles.wider(x.dtype, y.dtype))
    if shape != y.shape:
        first, second, shape = padded(first, second)
        if operator.alu not in common.BITWISE:
            for tile, column, reverse in ((first, second, False), (second, first, True)):
                if column.size == column.shape[0] == shape[0] and tile.size > tile.shape[0] and tile.shape == shape:
                    return tile_and_operand(operator, tile, column, reverse, kind, mask, how)
        first, second = tiles.broadcast(first, shape, operator), tiles.broadcast(second, shape, operator)
    if first.buffer == "psum" and second.buffer == "psum":
        second = tiles.copied(second)

    def write(dst, box=None):
        for to, a, b in boxed_pieces(box, dst, first, second):
            compute.tensor_tensor(to, a, b, operator, **how)

    return result(shape, kind, write, [first, second], mask, operator, natural=wide(kind) if kind.is_float else None)


def tile_and_number(operator, tile, number, reverse, dtype, mask, how):
    if not common.is_number(number):
        refuse("E-NKI-013", f"{operator} of {tile!r} and {type(number).__name__} {number!r}; expected a tile or a number")
    return tile_and_operand(operator, off_hbm(tile, operator).read(), number, reverse, dtype, mask, how)


def tile_and_operand(operator, tile, operand, reverse, dtype, mask, how):
    kind = kind_of(dtype, tile.dtype)
    column = operand if not common.is_number(operand) else None

    def write(dst, box=None):
        with_what = operand if column is None else rows(column, box)
        for to, piece in boxed_pieces(box, dst, tile):
            compute.tensor_scalar(to, piece, operator, with_what, reverse, **how)

    operands = [tile] if column is None else [tile, column]
    return result(tile.shape, kind, write, operands, mask, operator, natural=wide(kind))


def rows(column, box):
    """The partitions of a column that a box leaves, as one element each."""
    column = column.reshape((column.shape[0], 1)) if column.ndim != 2 else column
    return boxed(column, box and [box[0], (0, 1)])


def unary(operator, x, dtype=None, mask=None):
    what = f"nl.{operator.name}"
    if operator.name == "sin":
        view = off_hbm(x, what).read()
        recording.flush()
        return Stored(tiles.apply(operator, (view,), dtype))
    view = off_hbm(x, what).read()
    kind = kind_of(dtype, view.dtype)

    def write(dst, box=None):
        for to, piece in boxed_pieces(box, dst, view):
            if operator.name == "reciprocal":
                compute.reciprocal(to, piece)
            elif operator.name == "copy":
                compute.tensor_copy(to, piece)
            elif operator.activation is not None:
                compute.activation(to, operator, piece)
            else:
                compute.tensor_scalar(to, piece, operator)

    return result(view.shape, kind, write, [view], mask, what, natural=wide(kind))


# --- along dimensions ---------------------------------------------------------------------------------------------------
def reduced(op, x, axis, dtype=None, mask=None, keepdims=False, negate=False, what="a reduction"):
    view = off_hbm(x, what).read()
    sizes = view.shape
    ndim = len(sizes)
    axes = sorted({int(a) % ndim if -ndim <= int(a) < ndim else int(a) for a in (axis if isinstance(axis, (tuple, list, range)) else [axis])})
    if not axes or axes[0] < 1 or axes[-1] >= ndim:
        refuse("E-NKI-014", f"{what} along {axes} of {view!r}; expected free dimensions, 1 to {ndim - 1}")
    kept = [d for d in range(ndim) if d not in axes]
    last = axes == list(range(len(kept), ndim))
    some, box = cut_by(mask, sizes, what)
    shape = tuple([1 if d in axes else sizes[d] for d in range(ndim)]) if keepdims else \
        tuple([sizes[d] for d in kept]) + ((1,) if len(kept) == 1 else ())
    kind = kind_of(dtype, view.dtype)
    cut = box and [(0, 1) if d in axes else box[d] for d in range(ndim)] if keepdims else \
        box and [box[d] for d in kept] + ([(0, 1)] if len(kept) == 1 else [])
    partial = not some or (cut is not None and cut != [(0, n) for n in shape])

    def write(dst):
        if not some:
            return
        source = boxed(view, box) if last else boxed(view, box).permute(kept + axes)
        to = boxed(dst if dst.shape == shape else dst.reshape(shape), cut) if partial else dst
        for target, piece, count in reduced_pieces(to, source, len(axes)):
            compute.tensor_reduce(target, op, piece, range(piece.ndim - count, piece.ndim), negate)

    return Result(recording.wait(Waiting(shape, kind, write, [view], partial=partial, natural=wide(kind))))


def reduced_pieces(dst, src, axes):
    """Source and destination in parts of at most four free dimensions; kept dimensions are taken apart."""
    if src.ndim <= FREE_DIMS + 1 or free_dims((src,)) <= FREE_DIMS:
        yield dst, src, axes
        return
    kept = [d for d in range(1, src.ndim - axes) if src.shape[d] > 1]
    if not kept:
        refuse("E-NKI-011", f"a reduction of {src!r} along {axes} dimensions; an instruction takes {FREE_DIMS}")
    dst = dst.reshape(tuple(src.shape[: src.ndim - axes]) + (1,) * (dst.ndim - src.ndim + axes)) if dst.ndim < src.ndim - axes else dst
    d = min(kept, key=lambda k: src.shape[k])
    for n in range(src.shape[d]):
        yield from reduced_pieces(dst.slice(d, n, n + 1), src.slice(d, n, n + 1), axes)


tensor.broadcasting = staticmethod(broadcast)
tensor.copying = staticmethod(copied)
