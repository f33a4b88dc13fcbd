# SPDX-License-Identifier: Apache-2.0
"""A stand-in for neuron_dtypes: casts of arrays to the core's types, over tahoma.dtypes."""
import numpy as np

import ml_dtypes
from tahoma import dtypes

bfloat16, float8_e4m3, float8_e5m2, float8_e4m3fn = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn
float8e4, float8e5, tfloat32 = float8_e4m3, float8_e5m2, np.float32
# Packed types of Trainium3: records of their bits, with the type's name (tahoma.dtypes).
float8_e4m3fn_x4, float8_e5m2_x4 = np.dtype([("float8_e4m3fn_x4", np.uint32)]), np.dtype([("float8_e5m2_x4", np.uint32)])
float4_e2m1fn_x4 = np.dtype([("float4_e2m1fn_x4", np.uint16)])
_QUADS = {"float8_e4m3fn_x4": float8_e4m3fn, "float8_e5m2_x4": float8_e5m2, "float4_e2m1fn_x4": ml_dtypes.float4_e2m1fn}


def _low(dtype):
    """The name of a type that NumPy lacks, or None."""
    try:
        name = dtypes.name_of(dtype)
    except TypeError:
        return None
    return name if dtypes.is_low_precision(name) else None


def _quads_of(dtype):
    """The type of the four numbers in an element of a packed type, or None."""
    try:
        return _QUADS.get(dtypes.name_of(dtype))
    except TypeError:
        return None


def _packed(array, dtype):
    """Four neighbours along the last dimension in each element."""
    codes = np.ascontiguousarray(array.astype(np.float32).astype(_quads_of(dtype))).view(np.uint8)
    if _quads_of(dtype) is ml_dtypes.float4_e2m1fn:
        codes = codes[..., 0::2] | codes[..., 1::2] << 4
    return np.ascontiguousarray(codes).view(np.dtype(dtype))


def _unpacked(array, numbers):
    codes = np.ascontiguousarray(array).view(np.uint8).reshape(*array.shape[:-1], -1)
    if numbers is ml_dtypes.float4_e2m1fn:
        codes = np.stack([codes & 15, codes >> 4], axis=-1).reshape(*codes.shape[:-1], -1)
    return codes.view(numbers).astype(np.float32)


def static_cast(array, dtype):
    """The array in another type, rounded to nearest even; values beyond the largest of an fp8 type become infinity. An element of a packed
    type is four numbers along the last dimension."""
    array = np.asarray(array)
    if _quads_of(array.dtype) is not None:
        array = _unpacked(array, _quads_of(array.dtype))
    return _packed(array, dtype) if _quads_of(dtype) is not None else array.astype(dtype)


def sizeinbytes(dtype):
    """Bytes of an element on the device."""
    return dtypes.dtype_of(dtype).itemsize


def is_float_type(dtype):
    name = _low(dtype)
    return name is not None or np.issubdtype(np.dtype(dtype), np.floating)


def finfo(dtype):
    return ml_dtypes.finfo(dtype) if _low(dtype) else np.finfo(dtype)
