# SPDX-License-Identifier: Apache-2.0
"""Element types of nki.language, and arrays of them on the host.

NumPy has neither bfloat16 nor fp8. An array of such a type may be a torch tensor (bfloat16), an array of ml_dtypes or of our own
module _tahoma_types (`tahoma.dtypes.host_type`), or void bytes of the type's size (what ml_dtypes saves).

Packed types of micro-scaling are given as their bits, or as records with one field of the type's name; results have their bits.
"""
import importlib

import numpy as np

import _tahoma

_NUMPY = {
    "float32": np.float32, "tfloat32": np.float32, "float16": np.float16, "int32": np.int32, "uint32": np.uint32,
    "int16": np.int16, "uint16": np.uint16, "int8": np.int8, "uint8": np.uint8, "bool": np.uint8,
    # Types of micro-scaling: their bits.
    "float8_e8m0fnu": np.uint8, "float8_e4m3fn_x4": np.uint32, "float8_e5m2_x4": np.uint32, "float4_e2m1fn_x4": np.uint16,
}
# NumPy's 64-bit types enter as 32-bit ones, with a check of their range.
_NARROWED = {"int64": "int32", "uint64": "uint32", "float64": "float32"}


class dtype:
    """An element type. It prints as its name, and equals its name and NumPy's type of the same values."""

    __slots__ = ("name", "element", "itemsize", "is_float")
    _by_name = {}

    def __new__(cls, name="float32"):
        if isinstance(name, dtype):
            return name
        return dtype_of(name)

    def __repr__(self):
        return self.name

    __str__ = __repr__

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        if self is other:
            return True
        try:
            return name_of(other) == self.name
        except TypeError:
            return False

    def __reduce__(self):
        return (dtype_of, (self.name,))

    @property
    def numpy(self):
        """NumPy's type of the same values, or None."""
        return _NUMPY.get(self.name)

    @property
    def dtype(self):
        """NumPy's dtype for arrays of the host: NumPy asks for it where this type is given as a dtype."""
        return host_type(self.name) if is_low_precision(self.name) else np.dtype(self.numpy)


def _make(element):
    made = object.__new__(dtype)
    made.name, made.element, made.itemsize, made.is_float = element.name, element, element.bytes, "float" in element.name
    dtype._by_name[element.name] = made
    return made


ALL = {element.name: _make(element) for element in _tahoma.ELEMENTS}
_ALIASES = {"bool_": "bool", "fp32": "float32", "bf16": "bfloat16", "fp16": "float16", "tf32": "tfloat32",
            "float8e4": "float8_e4m3", "float8e5": "float8_e5m2", "float8e3": "float8_e3m4"}


def name_of(value):
    """The name of a dtype given as one of ours, as text, or as NumPy's, torch's or ml_dtypes' type. TypeError for others."""
    if isinstance(value, dtype):
        return value.name
    if isinstance(value, str):
        name = _ALIASES.get(value, value)
        if name in ALL:
            return name
        raise TypeError(f"no dtype {value!r}")
    text = str(value)
    if text.startswith("torch."):
        return name_of(text[len("torch."):])
    try:
        as_numpy = np.dtype(value)
    except TypeError:
        raise TypeError(f"{value!r} is no dtype") from None
    if as_numpy.names and len(as_numpy.names) == 1:
        return name_of(as_numpy.names[0])
    return name_of(_NARROWED.get(as_numpy.name, as_numpy.name))


def dtype_of(value):
    """The dtype of a name or of another library's type."""
    return value if isinstance(value, dtype) else ALL[name_of(value)]


def element_of(value):
    return dtype_of(value).element


# --- arrays ---------------------------------------------------------------------------------------------------------

_FLOAT_BITS = {  # exponent bits, mantissa bits, bias, largest finite value
    "bfloat16": (8, 7, 127, 3.3895313892515355e38), "float8_e4m3": (4, 3, 7, 240.0), "float8_e4m3fn": (4, 3, 7, 240.0),
    "float8_e5m2": (5, 2, 15, 57344.0), "float8_e3m4": (3, 4, 3, 15.5),
}


def _has_ocp_e4m3():
    """Whether float8_e4m3fn is the OCP's type on the machine, with numbers up to 448. Before Trainium3 it is float8_e4m3."""
    from tahoma.launch import machine  # not at import: that module imports this one

    return machine().core_version >= 4


def is_low_precision(name):
    """Whether NumPy lacks the type of this name."""
    return name_of(name) in _FLOAT_BITS


def host_type(name):
    """NumPy's dtype of a low-precision type: of ml_dtypes where it is installed, else of our own module _tahoma_types."""
    name = name_of(name)
    for module in ("ml_dtypes", "_tahoma_types"):
        try:
            return np.dtype(getattr(importlib.import_module(module), name))
        except (ImportError, AttributeError):
            pass
    raise TypeError(f"{name} needs ml_dtypes, or _tahoma_types, which is built where NumPy's headers are")


def rounded(values, name):
    """float32 values rounded to the nearest value of a type, ties to even; beyond the largest value, infinity."""
    name = name_of(name)
    values = np.asarray(values, np.float32)
    if name == "float16":
        return values.astype(np.float16).astype(np.float32)
    if name not in _FLOAT_BITS:
        return values
    exponent_bits, mantissa, bias, largest = _FLOAT_BITS[name]
    with np.errstate(all="ignore"):
        wide = values.astype(np.float64)
        _, exponent = np.frexp(wide)
        step = np.ldexp(1.0, np.maximum(exponent - 1, 1 - bias) - mantissa)
        nearest = np.rint(wide / step) * step
        nearest = np.where(np.abs(nearest) > largest, np.copysign(np.inf, wide), nearest)
        return np.where(np.isfinite(wide), nearest, wide).astype(np.float32)


def encode(values, name):
    """The bytes of an array in a type: C order, little endian."""
    name = name_of(name)
    if name not in _FLOAT_BITS:
        return np.ascontiguousarray(values, _NUMPY[name]).tobytes()
    if name == "float8_e4m3fn" and _has_ocp_e4m3():
        return np.asarray(values, np.float32).astype(host_type(name)).tobytes()
    exponent_bits, mantissa, bias, _ = _FLOAT_BITS[name]
    values = rounded(values, name)
    if name == "bfloat16":
        return (np.ascontiguousarray(values).view(np.uint32) >> 16).astype(np.uint16).tobytes()
    with np.errstate(all="ignore"):
        sign = np.signbit(values).astype(np.uint8) << 7
        size = np.abs(values.astype(np.float64))
        _, exponent = np.frexp(np.where(np.isfinite(size), size, 1.0))
        field = np.maximum(exponent - 1 + bias, 0)
        subnormal = (field < 1) | (size == 0)
        step = np.ldexp(1.0, np.where(subnormal, 1 - bias, exponent - 1) - mantissa)
        digits = np.where(np.isfinite(size), size, 0) / step
        code = np.where(subnormal, digits, (np.maximum(field, 1) * (1 << mantissa)) + digits - (1 << mantissa))
        code = np.where(np.isinf(size), ((1 << exponent_bits) - 1) << mantissa, code)
        code = np.where(np.isnan(size), (((1 << exponent_bits) - 1) << mantissa) | (1 << (mantissa - 1)), code)
        return (code.astype(np.uint8) | sign).tobytes()


def decode(data, name, shape):
    """The array that bytes of a type stand for."""
    name = name_of(name)
    if name == "float8_e4m3fn" and not _has_ocp_e4m3():
        data = np.frombuffer(data, np.uint8)
        data = np.where(data & 0x78 == 0x78, 0x7F, data).astype(np.uint8).tobytes()  # infinities, which the host's type has not
    return np.frombuffer(data, ALL[name].dtype).reshape(shape).copy()


def array_name(array):
    """The dtype name of an array or torch tensor of the host."""
    return name_of(array.dtype)


def array_bytes(array, name=None):
    """An array or torch tensor of the host as (dtype name, shape, bytes). `name`: of void bytes, which do not say."""
    if hasattr(array, "detach"):  # torch
        import torch

        array = array.detach().cpu().contiguous()
        if array.dtype == torch.bfloat16:
            return "bfloat16", tuple(array.shape), array.view(torch.int16).numpy().tobytes()
        array = array.numpy()
    array = np.asarray(array)
    if array.dtype.type is np.void and not array.dtype.names:
        name = name or {2: "bfloat16", 1: "float8_e4m3"}.get(array.dtype.itemsize)
        if name is None:
            raise TypeError(f"an array of {array.dtype}: the kernel's argument needs a dtype")
        return name_of(name), array.shape, np.ascontiguousarray(array).tobytes()
    own = name_of(array.dtype)
    if array.dtype.names:
        return own, array.shape, np.ascontiguousarray(array).tobytes()
    if array.dtype.name in _NARROWED and array.dtype.kind in "iu" and array.size:
        limits = np.iinfo(_NUMPY[own])
        if array.min() < limits.min or array.max() > limits.max:
            raise TypeError(f"an array of {array.dtype} with values beyond {own}, the widest integer of the core")
    if array.dtype.type.__module__.startswith("ml_dtypes"):
        if own == "float8_e4m3fn":
            return own, array.shape, encode(array.astype(np.float32), own)
        return own, array.shape, np.ascontiguousarray(array).tobytes()
    return own, array.shape, encode(array, own)


def result_array(data, name, shape, like=None):
    """An output in the framework of `like`: a torch tensor for a torch tensor, else NumPy."""
    if like is not None and hasattr(like, "detach"):
        import torch

        if name == "bfloat16":
            return torch.from_numpy(np.frombuffer(data, np.int16).reshape(shape).copy()).view(torch.bfloat16)
        if ALL[name].numpy in (np.uint16, np.uint32):
            return torch.from_numpy(decode(data, name, shape).astype({np.uint16: np.int32, np.uint32: np.int64}[ALL[name].numpy]))
        values = decode(data, name, shape)
        return torch.from_numpy(values.astype(np.float32) if name in _FLOAT_BITS else values.astype(np.bool_) if name == "bool" else values)
    values = decode(data, name, shape)
    return values.astype(np.bool_) if name == "bool" else values
