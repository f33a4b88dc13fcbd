# SPDX-License-Identifier: Apache-2.0
"""nl.add and the like as functions of tiles, and Python's operators on tiles."""
import sys

from neuronxcc.nki import arithmetic, recording
from neuronxcc.nki.assignment import update
from neuronxcc.nki.tensors import tensor
from tahoma.errors import refuse
from tahoma.operators import OPERATORS, Operator


class OldOperator(Operator):
    """A token for the op arguments of instructions, which as a function combines tiles and takes a mask."""

    def __call__(self, *operands, dtype=None, mask=None, **options):
        if options:
            options.pop("name", None)
        if options or len(operands) != self.arity:
            refuse("E-NKI-013", f"nl.{self.name} with {len(operands)} operands and {sorted(options)}; expected {self.arity} and dtype, mask")
        if self.arity == 2:
            return arithmetic.binary(self, *operands, dtype, mask)
        return arithmetic.unary(self, *operands, dtype, mask)


TOKENS = {name: OldOperator(name, o.arity, o.alu, o.activation, o.compare) for name, o in OPERATORS.items()}

_PYTHON = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "pow": "power", "and": "bitwise_and", "or": "bitwise_or",
    "xor": "bitwise_xor", "lshift": "left_shift", "rshift": "right_shift",
}
_COMPARING = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal"}


def _operand(value):
    return isinstance(value, tensor) or arithmetic.common.is_number(value)


def _infix(name, swapped=False):
    def combine(self, other):
        if not _operand(other):
            return NotImplemented
        return TOKENS[name](other, self) if swapped else TOKENS[name](self, other)

    return combine


def _in_place(name):
    def combine(self, other):
        alone = sys.getrefcount(other) <= recording.ADDED
        return update(self, other, TOKENS[name], alone)

    return combine


for _name, _operator in _PYTHON.items():
    setattr(tensor, f"__{_name}__", _infix(_operator))
    setattr(tensor, f"__r{_name}__", _infix(_operator, swapped=True))
    setattr(tensor, f"__i{_name}__", _in_place(_operator))
for _name, _operator in _COMPARING.items():
    setattr(tensor, f"__{_name}__", _infix(_operator))
tensor.combining = {name: TOKENS[name] for name in (
    "add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift",
    "right_shift", "less", "less_equal", "greater", "greater_equal", "equal", "not_equal")}
tensor.__neg__ = lambda self: TOKENS["multiply"](self, -1.0)
tensor.__abs__ = lambda self: TOKENS["abs"](self)
tensor.__invert__ = lambda self: TOKENS["invert"](self)


def _matmul(self, other):
    from neuronxcc.nki.products import matmul

    return matmul(self, other)


tensor.__matmul__ = _matmul
