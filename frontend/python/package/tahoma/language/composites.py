# SPDX-License-Identifier: Apache-2.0
"""Functions of nki.language that take several instructions. Each makes a new tile in SBUF."""
import math

from _tahoma import NkiTensor
from tahoma import context, dtypes, tiles
from tahoma.errors import refuse
from tahoma.operators import OPERATORS


def _apply(name, *operands, dtype=None):
    return tiles.apply(OPERATORS[name], operands, dtype)


def _type(x, dtype):
    return dtype or x.dtype


def _axes(x, axis):
    return [int(a) % x.ndim for a in (axis if isinstance(axis, (tuple, list)) else [axis])]


def softmax(x, axis=-1, dtype=None):
    """exp(x - max) / sum along the last free dimensions."""
    axes = _axes(x, axis)
    shifted = _apply("subtract", x, tiles.reduce(x, axes, "max", "float32", keepdims=True), dtype="float32")
    powers = _apply("exp", shifted)
    return _apply("multiply", powers, _apply("reciprocal", tiles.reduce(powers, axes, "add", "float32", keepdims=True)), dtype=_type(x, dtype))


def rms_norm(x, w, axis, n, epsilon=1e-6, dtype=None, compute_dtype=None):
    """x / sqrt(sum(x^2) / n + epsilon) * w."""
    inner = compute_dtype or "float32"
    squares = tiles.reduce(_apply("square", x, dtype=inner), _axes(x, axis), "add", "float32", keepdims=True)
    mean = _apply("add", _apply("multiply", squares, 1.0 / n), epsilon)
    return _apply("multiply", _apply("multiply", x, _apply("rsqrt", mean), dtype=inner), w, dtype=_type(x, dtype))


def cos(x, dtype=None):
    return _apply("sin", _apply("add", x, math.pi / 2, dtype="float32"), dtype=_type(x, dtype))


def tan(x, dtype=None):
    return _apply("multiply", _apply("sin", x, dtype="float32"), _apply("reciprocal", cos(x, "float32")), dtype=_type(x, dtype))


def floor(x, dtype=None):
    """The largest whole number that is not above x: x rounded, less 1 where that is above. Exact below 2^31."""
    nearest = _apply("copy", x, dtype="int32")
    return _apply("subtract", nearest, _apply("greater", nearest, x, dtype="float32"), dtype=_type(x, dtype))


def ceil(x, dtype=None):
    nearest = _apply("copy", x, dtype="int32")
    return _apply("add", nearest, _apply("less", nearest, x, dtype="float32"), dtype=_type(x, dtype))


def trunc(x, dtype=None):
    """x rounded towards 0."""
    return _apply("multiply", floor(_apply("abs", x)), _apply("sign", x), dtype=_type(x, dtype))


def _remainder(x, y, whole, dtype):
    turns = whole(_apply("divide", x, y, dtype="float32"))
    kind = dtype or (x if isinstance(x, NkiTensor) else y).dtype
    return _apply("subtract", x, _apply("multiply", turns, y, dtype="float32"), dtype=kind)


def mod(x, y, dtype=None):
    """x - y floor(x / y). The device has no such instruction; the vendor has it in its simulator only."""
    return _remainder(x, y, floor, dtype)


def fmod(x, y, dtype=None):
    """x - y trunc(x / y). The device has no such instruction; the vendor has it in its simulator only."""
    return _remainder(x, y, trunc, dtype)


def logical_not(x, dtype=None):
    return _apply("equal", x, 0.0, dtype=dtype)


def all(x, axis, dtype=None):
    """Whether all elements along the last free dimensions differ from 0."""
    return tiles.reduce(_apply("not_equal", x, 0.0, dtype="float32"), _axes(x, axis), "min", dtype or "bool")


def gather_flattened(data, indices, axis=0, dtype=None):
    """Of each partition, the elements of the flattened data that the indices name."""
    from nki.isa.search import nc_n_gather

    if axis != 0:
        refuse("E-NKI-014", f"nl.gather_flattened: axis={axis}; expected 0, each partition by itself")
    tiles.on_chip(data, "nl.gather_flattened"), tiles.on_chip(indices, "nl.gather_flattened")
    out = tiles.new_tile(indices.shape, data.dtype)
    nc_n_gather(out, data, indices)
    return out if dtype is None or dtypes.dtype_of(dtype) == data.dtype else tiles.copied(out, dtype)


def random_seed(seed):
    """Seeds the generators with the one element of a tile."""
    from nki.isa.compute import set_rng_seed

    set_rng_seed(tiles.on_chip(seed, "nl.random_seed"))


def dropout(x, rate, dtype=None):
    """Zeroes elements at random, with the probability `rate`: a number, or one element of each partition."""
    tracer = context.current("nl.dropout").tracer
    tiles.on_chip(x, "nl.dropout")
    out = tiles.new_tile(x.shape, _type(x, dtype))
    tracer.emit("dropout", None, dst=out, src=x, probability=tiles.as_column(rate) if isinstance(rate, NkiTensor) else float(rate))
    return out
