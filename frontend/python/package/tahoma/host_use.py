# SPDX-License-Identifier: Apache-2.0
"""What Python and NumPy cannot do with a tile while a kernel is traced: its values are known only while the kernel runs."""
from _tahoma import NkiTensor
from tahoma.errors import refuse

_FUNCTIONS = {
    "add": "nl.add(x, y)", "sub": "nl.subtract(x, y)", "mul": "nl.multiply(x, y)", "truediv": "nl.divide(x, y)", "pow": "nl.power(x, y)",
    "matmul": "nl.matmul(x, y)", "mod": "nl.mod(x, y)", "and": "nl.bitwise_and(x, y)", "or": "nl.bitwise_or(x, y)",
    "xor": "nl.bitwise_xor(x, y)", "lt": "nl.less(x, y)", "le": "nl.less_equal(x, y)", "gt": "nl.greater(x, y)", "ge": "nl.greater_equal(x, y)",
}
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "matmul": "@", "mod": "%", "and": "&", "or": "|", "xor": "^",
          "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def refused_condition(tensor):
    refuse("E-NKI-015", f"{tensor!r} as a condition: its values are known only while the kernel runs; expected nl.where, a predicated copy, "
                        "or nl.while_loop")


def refused_iteration(tensor):
    refuse("E-NKI-015", f"a loop over {tensor!r}; expected nl.affine_range and an index")


def refused_ufunc(tensor, ufunc, method, *operands, **options):
    _refused_numpy(tensor, f"np.{ufunc.__name__}", f"nl.{ufunc.__name__}")


def refused_array(tensor, *options, **more):
    _refused_numpy(tensor, "an array of NumPy", "nisa.dma_copy and nl.* functions")


def _refused_numpy(tensor, what, instead):
    refuse("E-NKI-015", f"{what} of {tensor!r}: NumPy computes on the host, where the tile has no values; expected {instead}")


def _condition(tensor):
    # `if bias:` asks whether there is a tensor; the condition of one element on chip can only be its value.
    return not tensor.on_chip or tensor.size != 1 or refused_condition(tensor)


def _operator(name):
    def refused(self, other):
        refuse("E-NKI-015", f"{self!r} {_SIGNS[name]} ...: tiles of this style have no operators; expected {_FUNCTIONS[name]}")

    return refused


def _number(kind):
    def refused(self):
        refuse("E-NKI-015", f"{kind}() of {self!r}: its values are known only while the kernel runs")

    return refused


for _name in _SIGNS:
    setattr(NkiTensor, f"__{_name}__", _operator(_name))
    if _name not in ("lt", "le", "gt", "ge"):
        setattr(NkiTensor, f"__r{_name}__", _operator(_name))
for _kind in ("float", "int"):
    setattr(NkiTensor, f"__{_kind}__", _number(_kind))
NkiTensor.__bool__ = _condition
NkiTensor.__iter__ = refused_iteration
NkiTensor.__array_ufunc__ = refused_ufunc
NkiTensor.__array__ = refused_array
