# SPDX-License-Identifier: Apache-2.0
"""Instructions of the vector, scalar and GpSimd engines that compute element by element or reduce."""
from nki.isa import common
from nki.isa.common import column, command, handle, need_tensor, queue, recorded
from nki.isa.constants import engine as engines
from nki.isa.constants import reduce_cmd as reduce_commands
from tahoma import context, dtypes
from tahoma.errors import refuse
from tahoma.operators import OPERATORS, activation_of, alu_of, compare_of, operator_of
from tahoma.refusals import need_trainium3

__all__ = ["NkiInstruction", "activation", "activation_reduce", "affine_select", "bn_aggr", "bn_stats", "dropout", "iota", "memset",
           "range_select", "reciprocal", "rand_get_state", "rand_set_state", "rng", "scalar_tensor_tensor", "select_reduce",
           "set_rng_seed", "tensor_copy", "tensor_copy_predicated", "tensor_partition_reduce", "tensor_reduce", "tensor_scalar",
           "tensor_scalar_cumulative", "tensor_scalar_reduce", "tensor_tensor", "tensor_tensor_scan"]

NkiInstruction = common.NkiInstruction
_IDLE = reduce_commands.idle  # members of enumerations are slow to get
_SQUARE, _RELU = OPERATORS["square"], OPERATORS["relu"]
_FP32_MIN = -3.4028234663852886e38


def tensor_copy(dst, src, engine=engines.unknown, name=None, **older):
    """dst = src on chip, converting."""
    if older:
        common.ignore("tensor_copy", older, ("dtype", "mask"))
    tracer = context.current("nisa.tensor_copy").tracer
    number = tracer.emit("tensor_copy", queue(engine), dst=need_tensor(dst, "tensor_copy", "dst"), src=need_tensor(src, "tensor_copy", "src"))
    return handle(number, name)


def memset(dst, value, engine=engines.unknown, name=None, **older):
    """Fills dst with a number of its dtype."""
    common.ignore("memset", older, ("mask",))
    tracer = context.current("nisa.memset").tracer
    need_tensor(dst, "memset", "dst")
    if not dst.dtype.is_float and abs(int(value)) > 1 << 24 and dst.dtype.itemsize == 4:
        number = int(value)
        flat = [(0, dst.size // dst.shape[0])]
        tracer.emit("iota", "gpsimd", dst=dst, pattern=flat, base=number - (1 << 32) if number >= 1 << 31 else number)
    else:
        tracer.emit("memset", queue(engine), dst=dst, value=float(value))
    return recorded(tracer, name)


def tensor_tensor(dst, data1, data2, op, engine=engines.unknown, name=None, **older):
    """dst = data1 op data2."""
    if older:
        common.ignore("tensor_tensor", older, ("dtype", "mask"))
    tracer = context.current("nisa.tensor_tensor").tracer
    number = tracer.emit("tensor_tensor", queue(engine), dst=need_tensor(dst, "tensor_tensor", "dst"),
                         src0=need_tensor(data1, "tensor_tensor", "data1"), src1=need_tensor(data2, "tensor_tensor", "data2"), op=alu_of(op))
    return handle(number, name)


_UNARY = {"rsqrt", "reciprocal", "abs", "bitwise_not", "bypass"}


def _operand(alu, operand, bitwise, partitions, what):
    if alu in _UNARY:
        return None
    if operand is None:
        refuse("E-NKI-013", f"nisa.{what}: operation {alu} needs an operand")
    return common.bits(operand, partitions) if bitwise else column(operand)


def tensor_scalar(dst, data, op0, operand0=None, reverse0=False, op1=None, operand1=None, reverse1=False, engine=engines.unknown,
                  name=None, **older):
    """dst = (data op0 operand0) op1 operand1, each operand a number or a column."""
    if older:
        common.ignore("tensor_scalar", older, ("dtype", "mask"))
    tracer = context.current("nisa.tensor_scalar").tracer
    need_tensor(data, "tensor_scalar", "data")
    if op0 is _SQUARE or op0 is _RELU:
        data, op0, operand0, reverse0, op1, operand1, reverse1 = _function_first(
            tracer, data, op0, op1, operand1, reverse1)
    first, second = alu_of(op0, "op0"), None if op1 is None else alu_of(op1, "op1")
    bitwise = first in common.BITWISE or second in common.BITWISE
    partitions = data.shape[0]
    fields = {"op0": first, "scalar0": _operand(first, operand0, bitwise, partitions, "tensor_scalar")}
    if first not in _UNARY:
        fields["reverse0"] = bool(reverse0)
    if second is not None:
        fields.update(op1=second, scalar1=_operand(second, operand1, bitwise, partitions, "tensor_scalar"))
        if second not in _UNARY:
            fields["reverse1"] = bool(reverse1)
    number = tracer.emit("tensor_scalar", queue(engine), dst=need_tensor(dst, "tensor_scalar", "dst"), src=data, **fields)
    return handle(number, name)


def _function_first(tracer, data, function, op1, operand1, reverse1):
    """Trainium3's functions as op0: the arguments of a tensor_scalar with the same result. A square takes an instruction of its own, because
    the machine's ALUs have none (assumed)."""
    need_trainium3(f"nisa.tensor_scalar: op0={function!r}")
    if function is _RELU:
        return data, "maximum", 0.0, False, op1, operand1, reverse1
    squared = context.current().scratch(tuple(data.shape), "float32")
    tracer.emit("tensor_tensor", "vector", dst=squared, src0=data, src1=data, op="mult")
    if op1 is None:
        return squared, "bypass", None, False, None, None, False
    return squared, op1, operand1, reverse1, None, None, False


def scalar_tensor_tensor(dst, data, op0, operand0, op1, operand1, reverse0=False, reverse1=False, name=None, **older):
    """dst = (data op0 operand0) op1 operand1: a number or column first, then a tile."""
    common.ignore("scalar_tensor_tensor", older, ("dtype", "engine", "mask"))
    tracer = context.current("nisa.scalar_tensor_tensor").tracer
    first = alu_of(op0, "op0")
    fields = {"scalar0": _operand(first, operand0, False, data.shape[0], "scalar_tensor_tensor")}
    if first not in _UNARY:
        fields["reverse0"] = bool(reverse0)
    tracer.emit("scalar_tensor_tensor", None, dst=dst, src0=data, op0=first, op1=alu_of(op1, "op1"), src1=operand1,
                reverse1=bool(reverse1), **fields)
    return recorded(tracer, name)


def _reduced_axes(data, axis, whole):
    ndim = data.ndim
    axes = sorted({int(a) % ndim for a in (axis if isinstance(axis, (list, tuple, range)) else [axis])})
    tail = list(range(ndim - len(axes), ndim))
    if axes != tail and axes == [1] and whole:
        axes = tail = list(range(1, ndim))  # before NKI 0.3: axis 1 is all free dimensions
    if axes != tail or axes[0] == 0:
        refuse("E-NKI-014", f"nisa.tensor_reduce over axes {axes} of {data!r}; expected the last free dimensions")
    return len(axes)


def tensor_reduce(dst, op, data, axis, negate=False, keepdims=False, name=None, **older):
    """Reduces the last free dimensions."""
    if older:
        common.ignore("tensor_reduce", older, ("dtype", "mask"))
    tracer = context.current("nisa.tensor_reduce").tracer
    axes = _reduced_axes(need_tensor(data, "tensor_reduce", "data"), axis, dst.size == dst.shape[0])
    number = tracer.emit("tensor_reduce", None, dst=need_tensor(dst, "tensor_reduce", "dst"), src=data, op=alu_of(op), axes=axes, negate=bool(negate))
    return handle(number, name)


def tensor_partition_reduce(dst, op, data, name=None, **older):
    """Reduces across partitions."""
    common.ignore("tensor_partition_reduce", older, ("dtype", "mask"))
    tracer = context.current("nisa.tensor_partition_reduce").tracer
    tracer.emit("tensor_partition_reduce", None, dst=dst, src=data, op=alu_of(op))
    return recorded(tracer, name)


def activation(dst, op, data, bias=None, scale=1.0, reduce_op=None, reduce_res=None, reduce_cmd=reduce_commands.idle, name=None, **older):
    """dst = op(data * scale + bias) on the scalar engine."""
    if older:
        common.ignore("activation", older, ("dtype", "mask"))
    if reduce_res is not None or (reduce_cmd is not _IDLE and int(reduce_cmd) != _IDLE):
        return _activation_reduce(dst, op, data, reduce_op, reduce_res, bias, scale,
                                  reduce_cmd if int(reduce_cmd) != _IDLE else reduce_commands.reset_reduce, name)
    tracer = context.current("nisa.activation").tracer
    number = tracer.emit("activation", None, dst=need_tensor(dst, "activation", "dst"), src=need_tensor(data, "activation", "data"),
                         func=activation_of(op), scale=column(scale), bias=column(bias))
    return handle(number, name)


def activation_reduce(dst, op, data, reduce_op=None, reduce_res=None, bias=None, scale=1.0, name=None, **older):
    """As activation, and the sum of the results of each partition in reduce_res."""
    common.ignore("activation_reduce", older, ("dtype", "mask"))
    return _activation_reduce(dst, op, data, reduce_op, reduce_res, bias, scale, reduce_commands.reset_reduce, name)


def _activation_reduce(dst, op, data, reduce_op, reduce_res, bias, scale, cmd, name):
    if reduce_op is not None and operator_of(reduce_op).alu != "add":
        refuse("E-NKI-014", f"nisa.activation: reduce_op={reduce_op}; the scalar engine only adds")
    tracer = context.current("nisa.activation_reduce").tracer
    scale, bias, function = column(scale), column(bias), activation_of(op)
    common.narrow_result(reduce_res, lambda result: tracer.emit(
        "activation_reduce", None, dst=dst, src=data, func=function, scale=scale, bias=bias, sum=result, command=command(cmd)))
    return recorded(tracer, name)


def tensor_scalar_reduce(dst, data, op0, operand0, reduce_op, reduce_res=None, reverse0=False, reduce_cmd=reduce_commands.reset_reduce,
                         reduce_init=None, reduce_res_negate=False, name=None, **older):
    """dst = data op0 operand0, and reduce_op over each partition's results in reduce_res."""
    common.ignore("tensor_scalar_reduce", older, ("dtype", "mask"))
    tracer = context.current("nisa.tensor_scalar_reduce").tracer
    first = alu_of(op0, "op0")
    fields = {"scalar0": _operand(first, operand0, False, data.shape[0], "tensor_scalar_reduce")}
    if first not in _UNARY:
        fields["reverse0"] = bool(reverse0)
    tracer.emit("tensor_scalar_reduce", None, dst=dst, src=data, op0=first, op1=alu_of(reduce_op, "reduce_op"), result=reduce_res,
                command=command(reduce_cmd), init=column(reduce_init), **fields)
    if reduce_res_negate:
        tracer.emit("tensor_scalar", None, dst=reduce_res, src=reduce_res, op0="mult", scalar0=-1.0)
    return recorded(tracer, name)


def tensor_scalar_cumulative(dst, src, op0, op1, imm0, imm1=None, reduce_cmd=reduce_commands.reset_reduce, name=None):
    """Running op1 over (src op0 imm0). Only load_reduce begins with imm1; other commands take it and do not use it."""
    tracer = context.current("nisa.tensor_scalar_cumulative").tracer
    first = alu_of(op0, "op0")
    tracer.emit("tensor_scalar_cumulative", None, dst=dst, src=src, op0=first,
                scalar0=_operand(first, imm0, False, src.shape[0], "tensor_scalar_cumulative"), op1=alu_of(op1, "op1"),
                command=command(reduce_cmd), init=column(imm1) if command(reduce_cmd) == "load_reduce" else None)
    return recorded(tracer, name)


def tensor_tensor_scan(dst, data0, data1, initial, op0, op1, reverse0=False, reverse1=False, name=None, **older):
    """state = (data0[i] op0 state) op1 data1[i] along the free dimensions."""
    common.ignore("tensor_tensor_scan", older, ("dtype", "mask"))
    tracer = context.current("nisa.tensor_tensor_scan").tracer
    tracer.emit("tensor_tensor_scan", None, dst=dst, src0=data0, src1=data1, initial=column(initial), op0=alu_of(op0, "op0"),
                op1=alu_of(op1, "op1"), reverse0=bool(reverse0), reverse1=bool(reverse1))
    return recorded(tracer, name)


def reciprocal(dst, data, name=None, **older):
    """dst = 1 / data on the vector engine, correctly rounded."""
    common.ignore("reciprocal", older, ("dtype", "mask"))
    tracer = context.current("nisa.reciprocal").tracer
    tracer.emit("reciprocal", None, dst=dst, src=data)
    return recorded(tracer, name)


def iota(dst, pattern, offset=0, channel_multiplier=0, name=None):
    """dst[p, i] = offset + p * channel_multiplier + the pattern's steps times the indices."""
    tracer = context.current("nisa.iota").tracer
    tracer.emit("iota", None, dst=dst, pattern=pattern, base=offset, channel_multiplier=channel_multiplier)
    return recorded(tracer, name)


def affine_select(dst, pattern, channel_multiplier, on_true_tile, on_false_value, cmp_op="equal", offset=0, name=None):
    """dst = on_true_tile where (offset + p * channel_multiplier + pattern) cmp_op 0, else on_false_value."""
    if not isinstance(pattern, (list, tuple)):  # before NKI 0.3: (dst, offset, pattern, ...) in this order
        refuse("E-NKI-013", f"nisa.affine_select: pattern={pattern!r}; expected a list of [step, count]")
    tracer = context.current("nisa.affine_select").tracer
    tracer.emit("affine_select", None, dst=dst, src=on_true_tile, pattern=pattern, base=offset, channel_multiplier=channel_multiplier,
                compare=compare_of(cmp_op), value=float(on_false_value))
    return recorded(tracer, name)


def range_select(dst, on_true_tile, comp_op0, comp_op1, bound0, bound1, reduce_cmd=reduce_commands.reset_reduce, reduce_res=None,
                 reduce_op="maximum", range_start=0, on_false_value=_FP32_MIN, name=None, **older):
    """Keeps the elements whose index satisfies both comparisons; fills the others with the smallest fp32."""
    common.ignore("range_select", older, ("dtype", "mask"))
    if float(on_false_value) > _FP32_MIN / 2:
        refuse("E-NKI-014", f"nisa.range_select: on_false_value={on_false_value}; the engine only writes {_FP32_MIN}")
    tracer = context.current("nisa.range_select").tracer
    b0, b1 = column(bound0), column(bound1)
    common.narrow_result(reduce_res, lambda result: tracer.emit(
        "range_select", None, dst=dst, src=on_true_tile, compare0=compare_of(comp_op0, "comp_op0"), bound0=b0,
        compare1=compare_of(comp_op1, "comp_op1"), bound1=b1, start=int(range_start), result=result, command=command(reduce_cmd)))
    return recorded(tracer, name)


def select_reduce(dst, predicate, on_true, on_false, reduce_res=None, reduce_cmd=reduce_commands.idle, reduce_op="maximum",
                  reverse_pred=False, name=None, **older):
    """dst = predicate ? on_true : on_false, with the maximum of each partition in reduce_res."""
    predicate = _unsigned(predicate)
    common.ignore("select_reduce", older, ("dtype", "mask"))
    tracer = context.current("nisa.select_reduce").tracer
    tracer.emit("select_reduce", None, dst=dst, src=on_true, predicate=predicate, on_false=column(on_false), result=reduce_res,
                command=command(reduce_cmd), reverse=bool(reverse_pred))
    return recorded(tracer, name)


def _unsigned(predicate):
    """A predicate of signed integers asks for the same bits as one of unsigned ones."""
    name = getattr(getattr(predicate, "dtype", None), "name", "")
    return predicate.reinterpret(dtypes.element_of(f"u{name}")) if name in ("int8", "int16", "int32") else predicate


def tensor_copy_predicated(dst, src, predicate, reverse_pred=False, name=None, **older):
    """dst = src where the predicate is not 0."""
    predicate = _unsigned(predicate)
    common.ignore("tensor_copy_predicated", older, ("dtype", "mask"))
    tracer = context.current("nisa.tensor_copy_predicated").tracer
    if common.is_number(src):
        filled = context.current().scratch((dst.shape[0], 1), dst.dtype)
        tracer.emit("memset", None, dst=filled, value=float(src))
        src = filled.broadcast(1, dst.size // dst.shape[0])
    tracer.emit("tensor_copy_predicated", None, dst=dst, src=src, predicate=predicate, reverse=bool(reverse_pred))
    return recorded(tracer, name)


def bn_stats(dst, data, name=None, **older):
    """Count, mean and variance * count of the even and of the odd elements."""
    common.ignore("bn_stats", older, ("dtype", "mask"))
    tracer = context.current("nisa.bn_stats").tracer
    tracer.emit("bn_stats", None, dst=dst, src=data)
    return recorded(tracer, name)


def bn_aggr(dst, data, name=None, **older):
    """Mean and variance from the triples of bn_stats."""
    common.ignore("bn_aggr", older, ("dtype", "mask"))
    tracer = context.current("nisa.bn_aggr").tracer
    tracer.emit("bn_aggr", None, dst=dst, src=data)
    return recorded(tracer, name)


def dropout(dst, data, prob, name=None, **older):
    """Zeroes elements at random."""
    common.ignore("dropout", older, ("dtype", "mask"))
    tracer = context.current("nisa.dropout").tracer
    tracer.emit("dropout", None, dst=dst, src=data, probability=column(prob))
    return recorded(tracer, name)


def rng(dst, engine=engines.vector, name=None):
    """Random bits."""
    tracer = context.current("nisa.rng").tracer
    tracer.emit("rng", queue(engine), dst=dst)
    return recorded(tracer, name)


def set_rng_seed(src_seeds, name=None):
    """Seeds the vector engine's generators."""
    tracer = context.current("nisa.set_rng_seed").tracer
    tracer.emit("rand_seed", None, src=src_seeds)
    return recorded(tracer, name)


def _on_gpsimd(name, engine):
    if queue(engine) == "vector":
        refuse("E-NKI-031", f"nisa.{name}: engine=vector: what the 24 words of a lane's state are is not published; expected engine=gpsimd, "
                            "with 6 words")


def rand_set_state(src_seeds, engine=engines.gpsimd, name=None):
    """Sets GpSimd's generators."""
    tracer = context.current("nisa.rand_set_state").tracer
    _on_gpsimd("rand_set_state", engine)
    tracer.emit("rand_set_state", queue(engine), src=src_seeds)
    return recorded(tracer, name)


def rand_get_state(dst, engine=engines.gpsimd, name=None):
    """Stores the state of GpSimd's generators."""
    tracer = context.current("nisa.rand_get_state").tracer
    _on_gpsimd("rand_get_state", engine)
    tracer.emit("rand_get_state", queue(engine), dst=dst)
    return recorded(tracer, name)
