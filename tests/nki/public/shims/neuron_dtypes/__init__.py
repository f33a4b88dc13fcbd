# SPDX-License-Identifier: Apache-2.0
"""A stand-in for neuron_dtypes: casts of arrays to the core's types, over tahoma.dtypes."""
import numpy as np

import ml_dtypes
from tahoma import dtypes

bfloat16, float8_e4m3, float8_e5m2, float8_e4m3fn = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn
float8e4, float8e5, tfloat32 = float8_e4m3, float8_e5m2, np.float32


def _low(dtype):
    """The name of a type that NumPy lacks, or None."""
    try:
        name = dtypes.name_of(dtype)
    except TypeError:
        return None
    return name if dtypes.is_low_precision(name) else None


def static_cast(array, dtype):
    """The array in another type, rounded to nearest even; values beyond the largest of an fp8 type become infinity."""
    name = _low(dtype)
    if name is not None:
        return dtypes.rounded(array, name).astype(dtypes.low_precision(name))
    kind = dtype if isinstance(dtype, (np.dtype, type)) else dtypes.dtype_of(dtype).numpy
    return np.asarray(array).astype(kind)


def sizeinbytes(dtype):
    """Bytes of an element on the device."""
    return dtypes.dtype_of(dtype).itemsize


def is_float_type(dtype):
    name = _low(dtype)
    return name is not None or np.issubdtype(np.dtype(dtype), np.floating)


def finfo(dtype):
    return ml_dtypes.finfo(dtype) if _low(dtype) else np.finfo(dtype)


def __getattr__(name):
    if name.endswith("_x4"):
        return _Packed(name)  # of Trainium3: tests name it in branches for that chip
    raise AttributeError(f"module 'neuron_dtypes' has no attribute {name!r}")


class _Packed:
    """A packed type of Trainium3: a name, without arrays."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name

    def __eq__(self, other):
        return str(other) == self.name

    def __hash__(self):
        return hash(self.name)
