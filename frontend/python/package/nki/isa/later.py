# SPDX-License-Identifier: Apache-2.0
"""Instructions of Trainium3 (NeuronCore-v4), which other machines refuse by name."""
from nki.isa import common
from nki.isa.common import column, command, is_number, need_tensor, recorded
from nki.isa.constants import reduce_cmd as reduce_commands
from tahoma import context
from tahoma.errors import refuse
from tahoma.operators import activation_of, alu_of, operator_of
from tahoma.refusals import need_trainium3

__all__ = ["activate2", "exponential", "quantize_mx", "rand2"]

_COMMUTE = ("mult", "add", "bypass")


def _tracer(name):
    tracer = context.current(f"nisa.{name}").tracer
    need_trainium3(f"nisa.{name}")
    return tracer


def _stage(which, op, operand, reverse):
    """The fields of one operation before the function."""
    alu = "bypass" if op is None else alu_of(op, f"op{which}")
    if reverse and alu not in _COMMUTE:
        refuse("E-NKI-014", f"nisa.activate2: reverse{which} of {alu}; expected False")
    return {} if alu == "bypass" else {f"op{which}": alu, f"scalar{which}": column(operand)}


def activate2(dst, op, data, imm0=None, imm1=None, op0=None, op1=None, relu_param=0.0, reverse0=False, reverse1=False, reduce_op=None,
              reduce_res=None, reduce_cmd=reduce_commands.idle, name=None):
    """dst = op((data op0 imm0) op1 imm1), with reduce_op over each partition's results in reduce_res. op0 multiplies, op1 adds or subtracts;
    nl.bypass leaves a stage out."""
    tracer = _tracer("activate2")
    if operator_of(op).name == "prelu":
        fields = {"alpha": float(relu_param)}
    else:
        fields = {}
    fields.update(_stage(0, op0, imm0, reverse0), **_stage(1, op1, imm1, reverse1))
    if reduce_op is not None:
        fields["reduce"] = alu_of(reduce_op, "reduce_op")
    if int(reduce_cmd) != reduce_commands.idle or reduce_res is not None:
        fields["command"] = command(reduce_cmd if int(reduce_cmd) != reduce_commands.idle else reduce_commands.reset_reduce)
    common.narrow_result(reduce_res, lambda result: tracer.emit(
        "activate2", None, dst=need_tensor(dst, "activate2", "dst"), src=need_tensor(data, "activate2", "data"), func=activation_of(op),
        result=result, **fields))
    return recorded(tracer, name)


def exponential(dst, src, max_value=0.0, reduce_res=None, reduce_cmd=reduce_commands.idle, reduce_init=0.0, name=None):
    """dst = exp(src - max_value), with the sum of each partition's results in reduce_res. reduce_cmd load_reduce begins with reduce_init."""
    tracer = _tracer("exponential")
    wanted = reduce_cmd if int(reduce_cmd) != reduce_commands.idle or reduce_res is None else reduce_commands.reset_reduce
    loads = command(wanted) == "load_reduce"
    if not loads and not (is_number(reduce_init) and reduce_init == 0):
        refuse("E-NKI-014", f"nisa.exponential: reduce_init={reduce_init} with reduce_cmd={command(wanted)}; expected reduce_cmd=load_reduce, "
                            "or 0.0")
    common.narrow_result(reduce_res, lambda result: tracer.emit(
        "exponential", None, dst=need_tensor(dst, "exponential", "dst"), src=need_tensor(src, "exponential", "src"), maximum=column(max_value),
        sum=result, command=command(wanted), init=column(reduce_init) if loads else None))
    return recorded(tracer, name)


def quantize_mx(dst, src, dst_scale, name=None):
    """dst = src as packed elements of MXFP8, and their scales: one for 8 partitions by 4 elements."""
    tracer = _tracer("quantize_mx")
    tracer.quantize_mx(need_tensor(dst, "quantize_mx", "dst"), need_tensor(src, "quantize_mx", "src"),
                       need_tensor(dst_scale, "quantize_mx", "dst_scale"))
    return recorded(tracer, name)


def rand2(dst, min, max, name=None):
    """Random numbers from min to max."""
    tracer = _tracer("rand2")
    tracer.emit("rand2", None, dst=need_tensor(dst, "rand2", "dst"), low=column(min), high=column(max))
    return recorded(tracer, name)
