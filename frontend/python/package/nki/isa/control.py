# SPDX-License-Identifier: Apache-2.0
"""Registers of the sequencers: virtual registers, and the scalars of NKI 0.7, which are registers that are never written twice."""
from _tahoma import NkiTensor, Register
from tahoma import context, dtypes
from tahoma.errors import refuse

__all__ = ["NkiScalar", "VirtualRegister", "register_alloc", "register_load", "register_move", "register_store", "scalar_load",
           "scalar_store"]

NkiScalar = VirtualRegister = Register
_SCALARS = ("int32", "uint32")


def register_alloc(x=None):
    """A register: empty, with a number, or with the element of a tensor."""
    tracer = context.current("nisa.register_alloc").tracer
    if x is None:
        return tracer.new_register()
    if isinstance(x, NkiTensor):
        register = tracer.new_register()
        tracer.load_register(register, x)
        return register
    return tracer.set_register(int(x))


def register_load(dst, src):
    """dst = the one element of a tensor in SBUF or HBM."""
    if src.size != 1:
        refuse("E-NKI-014", f"nisa.register_load: src {src!r} has {src.size} elements; expected 1")
    context.current("nisa.register_load").tracer.load_register(dst, src)


def register_store(dst, src):
    """The one element of a tensor = a register."""
    if dst.size != 1:
        refuse("E-NKI-014", f"nisa.register_store: dst {dst!r} has {dst.size} elements; expected 1")
    context.current("nisa.register_store").tracer.store_register(dst, src)


def register_move(dst, src):
    """dst = a number or another register."""
    tracer = context.current("nisa.register_move").tracer
    if isinstance(src, Register):
        tracer.copy_register(dst, src)
    else:
        tracer.move_register(dst, int(src))


def _word(tensor, instruction, name):
    if not isinstance(tensor, NkiTensor) or tensor.size != 1 or tensor.dtype.name not in _SCALARS:
        refuse("E-NKI-014", f"nisa.{instruction}: {name} {tensor!r}; expected one element of nl.int32 or nl.int64 in SBUF or HBM")
    return tensor


def scalar_load(src):
    """The one element of a tensor as a scalar, whose arithmetic is recorded. Its 32 bits wrap, also those of nl.int64."""
    tracer = context.current("nisa.scalar_load").tracer
    scalar = tracer.new_register()
    tracer.load_register(scalar, _word(src, "scalar_load", "src"))
    return scalar


def scalar_store(dst, value):
    """The one element of a tensor = a scalar."""
    if not isinstance(value, Register):
        refuse("E-NKI-014", f"nisa.scalar_store: value {value!r}; expected a scalar (nisa.memset writes a number)")
    context.current("nisa.scalar_store").tracer.store_register(_word(dst, "scalar_store", "dst"), value)


def _combining(op, swapped=False):
    def combine(self, other):
        if not isinstance(other, (int, Register)) and not hasattr(other, "__index__"):
            return NotImplemented
        other = other if isinstance(other, Register) else int(other)
        tracer = context.current("register arithmetic").tracer
        return tracer.combine(other, op, self) if swapped else tracer.combine(self, op, other)

    return combine


def _refusing(what):
    def refused(self, *others):
        refuse("E-NKI-015", f"{what} of a register: its value is known only while the kernel runs")

    return refused


for _name, _op in (("add", "add"), ("sub", "subtract"), ("mul", "mult"), ("and", "bitwise_and"), ("or", "bitwise_or"),
                   ("xor", "bitwise_xor"), ("lshift", "shift_left"), ("rshift", "shift_right")):
    setattr(Register, f"__{_name}__", _combining(_op))
    setattr(Register, f"__r{_name}__", _combining(_op, swapped=True))
Register.__neg__ = lambda self: 0 - self
Register.__pos__ = lambda self: self
Register.dtype = property(lambda self: dtypes.ALL["int32"])
Register.is_comparison = False
for _name in ("bool", "int", "float", "index", "floordiv", "truediv", "mod", "lt", "le", "gt", "ge"):
    setattr(Register, f"__{_name}__", _refusing(f"__{_name}__"))
