# SPDX-License-Identifier: Apache-2.0
"""A stand-in for ml_dtypes: each type is float32 for NumPy, with its name in the dtype's metadata (tahoma.dtypes.low_precision)."""
import numpy as np

from tahoma import dtypes


class _Type(type):
    """Types that NumPy accepts as dtypes. They are equal only to themselves; NumPy's own == ignores metadata."""

    def __repr__(cls):
        return cls.__name__

    __str__ = __repr__

    @property
    def dtype(cls):
        return dtypes.low_precision(cls.__name__)

    def __call__(cls, value=0.0):
        return np.float32(dtypes.rounded(value, cls.__name__))


def _type(name):
    return _Type(name, (), {})


bfloat16, float8_e4m3, float8_e5m2, float8_e4m3fn, float8_e3m4 = map(
    _type, ("bfloat16", "float8_e4m3", "float8_e5m2", "float8_e4m3fn", "float8_e3m4"))


class finfo:
    """Limits of a type."""

    _LIMITS = {"bfloat16": (16, 7, 3.3895313892515355e38, 2.0**-126), "float8_e4m3": (8, 3, 240.0, 2.0**-6), "float8_e4m3fn": (8, 3, 240.0, 2.0**-6),
               "float8_e5m2": (8, 2, 57344.0, 2.0**-14), "float8_e3m4": (8, 4, 15.5, 2.0**-2)}

    def __init__(self, dtype):
        self.bits, digits, largest, self.tiny = self._LIMITS[dtypes.name_of(dtype)]
        self.dtype, self.max, self.min = dtypes.low_precision(dtypes.name_of(dtype)), np.float32(largest), np.float32(-largest)
        self.eps = np.float32(2.0**-digits)
