# SPDX-License-Identifier: Apache-2.0
"""Functions of nki.language on tiles: each makes a new tile in SBUF and records the instructions that fill it."""
from _tahoma import NkiTensor
from tahoma import context, dtypes
from tahoma.errors import refuse

_COMPARING = {"is_equal", "is_not_equal", "is_lt", "is_le", "is_gt", "is_ge", "logical_and", "logical_or", "logical_xor"}


def partitions_first(tensor):
    return (tensor.shape[0], tensor.size // tensor.shape[0])


def new_tile(shape, dtype, buffer="sbuf", partition=0):
    """A tile that starts at this partition."""
    if partition == 0:
        return context.current().tensor(shape, dtype, buffer)
    return new_tile((partition + shape[0],) + tuple(shape[1:]), dtype, buffer)[partition : partition + shape[0]]


def moved_to(partition, tensor):
    """The tensor if it starts at this partition, otherwise a copy that does."""
    return tensor if tensor.first_partition == partition else copied(tensor, partition=partition)


def wider(a, b):
    """The dtype of a result: the wider operand's, floats before integers."""
    rank = lambda d: (d.is_float, d.itemsize, d.name == "float32")
    return a if a is b or rank(a) >= rank(b) else b


def on_chip(tensor, what):
    if not tensor.on_chip:
        refuse("E-NKI-014", f"{what} of {tensor!r}; expected a tile on chip: load it with nl.load")
    return tensor


def broadcast(tensor, shape, what):
    """A view of `shape`, with dimensions of size 1 repeated."""
    view = tensor
    while view.ndim < len(shape):
        view = view.expand_dim(1)
    if tuple(view.shape) == tuple(shape):
        return view
    for d in range(1, len(shape)):
        if view.shape[d] == 1 and shape[d] != 1:
            view = view.broadcast(d, shape[d])
    if view.shape[0] == 1 and shape[0] > 1:
        view = over_partitions(view, shape[0])
    if tuple(view.shape) != tuple(shape):
        refuse("E-NKI-011", f"{what}: {tensor!r} does not broadcast to {list(shape)}")
    return view


def over_partitions(row, partitions):
    """A tile of which every partition holds the one partition of `row`: ones[1, P]^T row on the tensor engine."""
    current = context.current()
    flat = row.reshape((1, row.size)) if row.is_contiguous() else copied(row).reshape((1, row.size))
    kind = flat.dtype if flat.dtype.is_float else dtypes.dtype_of("float32")
    if flat.dtype != kind:
        converted = new_tile((1, flat.shape[1]), kind)
        current.tracer.emit("tensor_copy", None, dst=converted, src=flat)
        flat = converted
    start = flat.first_partition
    ones = current.scratch((start + 1, partitions), kind)
    current.tracer.emit("memset", None, dst=ones[start : start + 1, :] if start % 32 == 0 else ones, value=1.0)
    out = new_tile((partitions, flat.shape[1]), row.dtype)
    for first in range(0, flat.shape[1], 512):
        width = min(512, flat.shape[1] - first)
        psum = new_tile((partitions, width), "float32", "psum")
        current.tracer.matmul(psum, ones[start : start + 1, :], flat[0:1, first : first + width], "dense", None, False)
        current.tracer.emit("tensor_copy", None, dst=out[:, first : first + width], src=psum)
    return out.reshape((partitions,) + tuple(row.shape[1:]))


def copied(tensor, dtype=None, partition=0):
    tile = new_tile(tensor.shape, dtype or tensor.dtype, partition=partition)
    context.current().tracer.emit("tensor_copy", None, dst=tile, src=tensor)
    return tile


def _common_shape(a, b):
    shape = [max(x, y) for x, y in zip(a.shape, b.shape)]
    return tuple(shape)


def _binary(operator, x, y, dtype):
    tracer = context.current(f"nl.{operator.name}").tracer
    if not isinstance(x, NkiTensor):
        if not isinstance(y, NkiTensor):
            refuse("E-NKI-013", f"{operator} of {x!r} and {y!r}: expected a tile")
        return _with_scalar(operator, y, x, True, dtype)
    if not isinstance(y, NkiTensor):
        return _with_scalar(operator, x, y, False, dtype)
    on_chip(x, str(operator)), on_chip(y, str(operator))
    rank = max(x.ndim, y.ndim)
    while x.ndim < rank:
        x = x.expand_dim(1)
    while y.ndim < rank:
        y = y.expand_dim(1)
    shape = _common_shape(x, y)
    out = new_tile(shape, dtype or wider(x.dtype, y.dtype))
    # A column beside a tile is an operand of tensor_scalar.
    for tile, column, reverse in ((x, y, False), (y, x, True)):
        is_column = column.size == column.shape[0] == shape[0] and tile.size > tile.shape[0]
        if is_column and tuple(tile.shape) == shape and operator.alu not in ("bitwise_and", "bitwise_or", "bitwise_xor"):
            tracer.emit("tensor_scalar", None, dst=out, src=tile, op0=operator.alu, scalar0=as_column(column), reverse0=reverse)
            return out
    x, y = broadcast(x, shape, str(operator)), broadcast(y, shape, str(operator))
    if str(x.buffer) == "psum" and str(y.buffer) == "psum":
        y = copied(y)
    tracer.emit("tensor_tensor", None, dst=out, src0=x, src1=y, op=operator.alu)
    return out


def as_column(column):
    if column.dtype.name == "float32":
        return column
    return copied(column.reshape((column.shape[0], 1)), "float32")


def _with_scalar(operator, tile, number, reverse, dtype):
    from nki.isa.common import BITWISE, bits

    tracer = context.current().tracer
    on_chip(tile, str(operator))
    out = new_tile(tile.shape, dtype or tile.dtype)
    operand = bits(number, tile.shape[0]) if operator.alu in BITWISE else float(number)
    tracer.emit("tensor_scalar", None, dst=out, src=tile, op0=operator.alu, scalar0=operand, reverse0=reverse)
    return out


def _unary(operator, x, dtype):
    tracer = context.current(f"nl.{operator.name}").tracer
    on_chip(x, str(operator))
    out = new_tile(x.shape, dtype or x.dtype)
    if operator.name == "reciprocal":
        tracer.emit("reciprocal", None, dst=out, src=x)
    elif operator.name == "rsqrt":
        source = copied(x) if str(x.buffer) == "psum" else x  # GpSimd does not reach PSUM
        tracer.emit("tensor_scalar", "gpsimd", dst=out, src=source, op0="rsqrt")
    elif operator.name == "sin":
        _sin(out, x)
    elif operator.name == "copy":
        tracer.emit("tensor_copy", None, dst=out, src=x)
    elif operator.activation is not None:
        tracer.emit("activation", None, dst=out, src=x, func=operator.activation, scale=1.0)
    else:
        tracer.emit("tensor_scalar", None, dst=out, src=x, op0=operator.alu)
    return out


def _sin(out, x):
    """The scalar engine's polynomial holds from -pi to pi: x - 2 pi round(x / (2 pi)) comes first."""
    tracer = context.current().tracer
    turns = new_tile(x.shape, "int32")
    tracer.emit("tensor_scalar", None, dst=turns, src=x, op0="mult", scalar0=0.15915494309189535)
    reduced = new_tile(x.shape, "float32")
    # 2 pi in two parts, so that the product of the first with a small integer is exact.
    tracer.emit("scalar_tensor_tensor", None, dst=reduced, src0=turns, op0="mult", scalar0=-6.28125, op1="add", src1=x)
    tracer.emit("scalar_tensor_tensor", None, dst=reduced, src0=turns, op0="mult", scalar0=-0.0019353071795864769, op1="add", src1=reduced)
    tracer.emit("tensor_scalar", None, dst=reduced, src=reduced, op0="min", scalar0=3.1415925, op1="max", scalar1=-3.1415925)
    tracer.emit("activation", None, dst=out, src=reduced, func="sin", scale=1.0)


def apply(operator, operands, dtype=None, **options):
    """nl.add(x, y) and the like, as a function on tiles."""
    options.pop("mask", None)
    if options:
        refuse("E-NKI-013", f"{operator}() has no argument {next(iter(options))!r}")
    if operator.arity == 2:
        if len(operands) != 2:
            refuse("E-NKI-013", f"{operator}: {len(operands)} operands; expected 2")
        return _binary(operator, *operands, dtype)
    if len(operands) != 1 or not isinstance(operands[0], NkiTensor):
        refuse("E-NKI-013", f"{operator}{operands!r}; expected one tile")
    return _unary(operator, operands[0], dtype)


def load(src, dtype=None):
    current = context.current("nl.load")
    if src.on_chip:
        refuse("E-NKI-014", f"nl.load of {src!r}; expected a tensor in HBM")
    shape = tuple(src.shape) if src.ndim > 1 else (src.shape[0], 1)
    tile = new_tile(shape, dtype or src.dtype)
    current.tracer.copy(tile, src)
    return tile


def store(dst, value):
    current = context.current("nl.store")
    if not isinstance(value, NkiTensor):
        refuse("E-NKI-014", f"nl.store of {value!r}; expected a tile")
    if dst.on_chip:
        refuse("E-NKI-014", f"nl.store to {dst!r}; expected a tensor in HBM")
    if dst.size != value.size:
        refuse("E-NKI-011", f"nl.store: dst {dst!r} has {dst.size} elements, value {value!r} has {value.size}; expected the same number")
    current.tracer.copy(dst, copied(value) if str(value.buffer) == "psum" else value)


def reduce(x, axis, alu, dtype=None, keepdims=False):
    from nki.isa.compute import _reduced_axes

    tracer = context.current().tracer
    on_chip(x, "a reduction")
    axes = _reduced_axes(x, axis, False)
    kept = tuple(x.shape[: x.ndim - axes])
    out = new_tile(kept + (1,) * (axes if keepdims else max(0, 2 - len(kept))), dtype or x.dtype)
    tracer.emit("tensor_reduce", None, dst=out, src=x, op=alu, axes=axes)
    return out


def mean(x, axis, dtype=None, keepdims=False):
    total = reduce(x, axis, "add", "float32", keepdims)
    count = x.size // total.size
    out = new_tile(total.shape, dtype or x.dtype)
    context.current().tracer.emit("tensor_scalar", None, dst=out, src=total, op0="mult", scalar0=1.0 / count)
    return out


def variance(x, axis, dtype=None, keepdims=False):
    """The population variance, by bn_stats and bn_aggr over pieces of 512 elements."""
    tracer = context.current().tracer
    rows, columns = partitions_first(x)
    flat = x.reshape((rows, columns))
    pieces = -(-columns // 512)
    stats = new_tile((rows, 6 * pieces), "float32")
    for n in range(pieces):
        tracer.emit("bn_stats", None, dst=stats[:, 6 * n : 6 * n + 6], src=flat[:, 512 * n : min(columns, 512 * n + 512)])
    both = new_tile((rows, 2), "float32")
    tracer.emit("bn_aggr", None, dst=both, src=stats)
    return copied(both[:, 1:2], dtype or x.dtype)


def matmul(x, y, transpose_x=False):
    """x @ y in PSUM; x is [M, K], or [K, M] with transpose_x."""
    current = context.current("nl.matmul")
    stationary = x if transpose_x else transposed(x)
    if str(stationary.buffer) == "psum":
        stationary = copied(stationary)
    out = new_tile((stationary.size // stationary.shape[0], y.size // y.shape[0]), "float32", "psum")
    current.tracer.matmul(out, stationary, y, "dense", None, False)
    return out


def transposed(x, dtype=None):
    """A tile with partition and free dimensions exchanged."""
    current = context.current("nl.transpose")
    rows, columns = partitions_first(x)
    if str(x.buffer) == "psum":
        x = copied(x)
    psum = new_tile((columns, rows), x.dtype, "psum")
    from nki.isa.tensor_engine import nc_transpose

    nc_transpose(psum, x)
    return copied(psum, dtype or x.dtype)


def where(condition, x, y, dtype=None):
    tracer = context.current("nl.where").tracer
    kind = dtype or (x if isinstance(x, NkiTensor) else y).dtype
    out = new_tile(condition.shape, kind)
    if isinstance(y, NkiTensor):
        tracer.emit("tensor_copy", None, dst=out, src=broadcast(y, condition.shape, "nl.where"))
    else:
        tracer.emit("memset", None, dst=out, value=float(y))
    predicate = condition if not condition.dtype.is_float else copied(condition, "uint8")
    if isinstance(x, NkiTensor):
        source = broadcast(x, condition.shape, "nl.where")
        source = source if source.dtype == out.dtype else copied(source, out.dtype)
    else:
        source = new_tile((condition.shape[0], 1), kind)
        tracer.emit("memset", None, dst=source, value=float(x))
        source = source.broadcast(1, out.size // out.shape[0])
    tracer.emit("tensor_copy_predicated", None, dst=out, src=source, predicate=predicate)
    return out


def assign(dst, key, value):
    """t[key] = value: stores the result of an nl function."""
    target = dst[key]
    if isinstance(value, NkiTensor):
        if value.storage_id == target.storage_id and value.offset == target.offset and tuple(value.shape) == tuple(target.shape):
            return
        tracer = context.current("an assignment").tracer
        if target.on_chip and value.on_chip:
            tracer.emit("tensor_copy", None, dst=target, src=broadcast(value, target.shape, "an assignment") if value.size != target.size else value)
        elif not target.on_chip and value.on_chip:
            store(target, value)
        else:
            tracer.copy(target, value)
        return
    context.current("an assignment").tracer.emit("memset", None, dst=target, value=float(value))
