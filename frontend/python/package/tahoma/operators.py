# SPDX-License-Identifier: Apache-2.0
"""Operators of nki.language: tokens for the op arguments of instructions, and functions on tiles."""
from tahoma.errors import refuse
from tahoma.refusals import need_trainium3


class Operator:
    """`nl.add` and the like: compared by identity, usable as a dictionary key.

    alu         the operation of vector, scalar and GpSimd instructions, or None
    activation  the function of the scalar engine, or None
    compare     the comparison of selections, or None
    """

    def __init__(self, name, arity, alu=None, activation=None, compare=None):
        self.name, self.arity = name, arity
        self.alu, self.activation, self.compare = alu, activation, compare
        self.__name__ = name

    def __repr__(self):
        return f"nl.{self.name}"

    def __reduce__(self):
        return (operator_of, (self.name,))

    def __call__(self, *operands, dtype=None, **options):
        from tahoma import tiles

        return tiles.apply(self, operands, dtype, **options)


class OperatorOfTrainium3(Operator):
    """An operation that other machines refuse by name when it is used."""

    @property
    def alu(self):
        need_trainium3(f"nl.{self.name}")
        return self.name

    @alu.setter
    def alu(self, value):
        pass


_BINARY = {
    "add": "add", "subtract": "subtract", "multiply": "mult", "divide": "divide", "maximum": "max", "minimum": "min",
    "power": "power", "equal": "is_equal", "not_equal": "is_not_equal", "less": "is_lt", "less_equal": "is_le",
    "greater": "is_gt", "greater_equal": "is_ge", "logical_and": "logical_and", "logical_or": "logical_or",
    "logical_xor": "logical_xor", "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or", "bitwise_xor": "bitwise_xor",
    "left_shift": "shift_left", "right_shift": "shift_right", "bypass": "bypass",
}
_COMPARISONS = {"equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge"}
_UNARY = {"abs": ("abs", "abs"), "rsqrt": ("rsqrt", "rsqrt"), "reciprocal": ("reciprocal", "reciprocal"),
          "invert": ("bitwise_not", None), "square": (None, "square")}
# Functions of the scalar engine alone, under the same names as in the instruction table.
_ACTIVATIONS = (
    "exp", "log", "sqrt", "tanh", "sigmoid", "relu", "gelu", "gelu_apprx_sigmoid", "gelu_apprx_tanh", "gelu_dx",
    "gelu_apprx_sigmoid_dx", "silu", "silu_dx", "softplus", "mish", "erf", "erf_dx", "sin", "arctan", "sign", "copy", "prelu",
)

OPERATORS = {}
for _name, _alu in _BINARY.items():
    OPERATORS[_name] = Operator(_name, 2, alu=_alu, compare=_COMPARISONS.get(_name))
for _name, (_alu, _act) in _UNARY.items():
    OPERATORS[_name] = Operator(_name, 1, alu=_alu, activation=_act)
for _name in _ACTIVATIONS:
    OPERATORS[_name] = Operator(_name, 1, activation=_name)

LATER = {name: OperatorOfTrainium3(name, 2) for name in ("abs_max", "abs_min")}

# Functions of NumPy and other spellings that kernels pass as operators.
_SPELLINGS = {
    "true_divide": "divide", "max": "maximum", "amax": "maximum", "min": "minimum", "amin": "minimum", "sum": "add",
    "prod": "multiply", "absolute": "abs", "float_power": "power", "bitwise_not": "invert", "mult": "multiply",
    "gelu_tanh": "gelu_apprx_tanh", "negative": "negative",
}


def operator_of(value, what="op"):
    """The operator of a token, a NumPy function or a name."""
    if isinstance(value, Operator):
        return value
    name = value if isinstance(value, str) else getattr(value, "__name__", "")
    name = _SPELLINGS.get(name, name)
    if name in LATER:
        return LATER[name]
    if name not in OPERATORS:
        refuse("E-NKI-013", f"{what}={value!r}; expected an operator of nki.language, such as nl.add")
    return OPERATORS[name]


def alu_of(value, what="op"):
    operator = value if isinstance(value, Operator) else operator_of(value, what)
    if operator.alu is None:
        refuse("E-NKI-013", f"{what}={operator}: the engines' ALUs do not have this operation; it is a function of the scalar engine "
                            "(nisa.activation)")
    return operator.alu


def activation_of(value, what="op"):
    operator = operator_of(value, what)
    if operator.activation is None:
        refuse("E-NKI-013", f"{what}={operator} is no function of the scalar engine")
    return operator.activation


def compare_of(value, what="cmp_op"):
    operator = operator_of(value, what)
    if operator.compare is None:
        refuse("E-NKI-013", f"{what}={operator} is no comparison")
    return operator.compare
