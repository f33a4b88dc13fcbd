# SPDX-License-Identifier: Apache-2.0
"""Functions of the old nki.language that take several instructions, and reductions."""
import functools
import math

from neuronxcc.nki import recording
from neuronxcc.nki.arithmetic import off_hbm, reduced
from neuronxcc.nki.operators import TOKENS
from neuronxcc.nki.products import box_is_whole
from neuronxcc.nki.tensors import Stored, tensor
from tahoma import dtypes, tiles
from tahoma.errors import refuse
from tahoma.language import composites

_FP32, _INT32 = dtypes.ALL["float32"], dtypes.ALL["int32"]


def _reduction(name, op):
    def reduce(x, axis, *, dtype=None, mask=None, keepdims=False, **options):
        return reduced(op, x, axis, dtype, mask, keepdims, what=f"nl.{name}")

    reduce.__name__ = name
    return reduce


def mean(x, axis, *, dtype=None, mask=None, keepdims=False, **options):
    total = reduced("add", x, axis, _FP32, mask, keepdims, what="nl.mean")
    return TOKENS["multiply"](total, total.size / x.size, dtype=dtype or x.dtype)


def var(x, axis, *, dtype=None, mask=None, **options):
    view = off_hbm(x, "nl.var").read()
    axes = axis if isinstance(axis, (tuple, list)) else [axis]
    if mask is not None or sorted(int(a) % view.ndim for a in axes) != list(range(1, view.ndim)):
        refuse("E-NKI-014", f"nl.var along {axis} of {view!r}; expected all free dimensions, without a mask")
    return Stored(tiles.variance(view, axis, dtype))


def softmax(x, axis, *, dtype=None, mask=None, **options):
    """exp(x - max) / sum, of the last dimensions."""
    highest = _reduction("max", "maximum")(x, axis, mask=mask, keepdims=True)
    powers = TOKENS["exp"](TOKENS["subtract"](x, highest, dtype=_FP32))
    total = _reduction("sum", "add")(powers, axis, keepdims=True)
    return TOKENS["divide"](powers, total, dtype=dtype or x.dtype)


def negative(x, *, dtype=None, mask=None, **options):
    return TOKENS["multiply"](x, -1.0, dtype=dtype, mask=mask)


def logical_not(x, *, dtype=None, mask=None, **options):
    return TOKENS["equal"](x, 0.0, dtype=dtype, mask=mask)


def where(condition, x, y, *, dtype=None, mask=None, **options):
    box_is_whole(mask, condition, "nl.where")
    views = [value.read() if isinstance(value, tensor) else value for value in (condition, x, y)]
    recording.flush()
    return Stored(tiles.where(*views, dtypes.dtype_of(dtype) if dtype is not None else None))


def floor(x, *, dtype=None, mask=None, **options):
    """The largest whole number that is not above x: x rounded, less 1 where that is above."""
    return _whole_number(x, "greater", "subtract", dtype, mask)


def ceil(x, *, dtype=None, mask=None, **options):
    return _whole_number(x, "less", "add", dtype, mask)


def _whole_number(x, beyond, step, dtype, mask):
    x = off_hbm(x, "nl.floor")
    nearest = TOKENS["copy"](x, dtype=_INT32, mask=mask)
    return TOKENS[step](nearest, TOKENS[beyond](nearest, x, dtype=_FP32, mask=mask), dtype=dtype or x.dtype, mask=mask)


def trunc(x, *, dtype=None, mask=None, **options):
    """x rounded towards 0."""
    x = off_hbm(x, "nl.trunc")
    return TOKENS["multiply"](floor(TOKENS["abs"](x, mask=mask), mask=mask), TOKENS["sign"](x, mask=mask), dtype=dtype or x.dtype, mask=mask)


def _rest(x, y, whole, dtype, mask):
    turns = whole(TOKENS["divide"](x, y, dtype=_FP32, mask=mask), mask=mask)
    kind = dtype or (x if isinstance(x, tensor) else y).dtype
    return TOKENS["subtract"](x, TOKENS["multiply"](turns, y, dtype=_FP32, mask=mask), dtype=kind, mask=mask)


def mod(x, y, *, dtype=None, mask=None, **options):
    """x - y floor(x / y)."""
    return _rest(x, y, floor, dtype, mask)


def fmod(x, y, *, dtype=None, mask=None, **options):
    """x - y trunc(x / y)."""
    return _rest(x, y, trunc, dtype, mask)


def cos(x, *, dtype=None, mask=None, **options):
    return TOKENS["sin"](TOKENS["add"](x, math.pi / 2, dtype=_FP32, mask=mask), dtype=dtype or x.dtype)


def _as_in_the_newer_style(function):
    """A function of nki.language, on tiles of this style."""

    @functools.wraps(function)
    def call(*operands, mask=None, **options):
        name = f"nl.{function.__name__}"
        if mask is not None:
            refuse("E-NKI-002", f"{name}: a mask; slice the tile")
        views = [off_hbm(value, name).read() if isinstance(value, tensor) else value for value in operands]
        recording.flush()
        return Stored(function(*views, **options))

    return call


tan, all, rms_norm, gather_flattened = map(_as_in_the_newer_style, (composites.tan, composites.all, composites.rms_norm, composites.gather_flattened))
max, min, sum, prod = (_reduction(n, op) for n, op in (("max", "maximum"), ("min", "minimum"), ("sum", "add"), ("prod", "multiply")))
