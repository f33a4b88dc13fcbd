# SPDX-License-Identifier: Apache-2.0
"""A stand-in for ml_dtypes: the types of our own module _tahoma_types, which behave alike."""
import os

import numpy as np

from _tahoma_types import bfloat16, float4_e2m1fn, float8_e3m4, float8_e4m3, float8_e4m3fn, float8_e5m2

# np.dtype("bfloat16") works once ml_dtypes is imported.
np.sctypeDict.update({kind.__name__: kind for kind in (bfloat16, float4_e2m1fn, float8_e3m4, float8_e4m3, float8_e4m3fn, float8_e5m2)})


class finfo:
    """Limits of a type."""

    _LIMITS = {"bfloat16": (16, 7, 3.3895313892515355e38, 2.0**-126), "float8_e4m3": (8, 3, 240.0, 2.0**-6),
               # Of Trainium2, as the tests of public repositories use it, unless they run for Trainium3.
               "float8_e4m3fn": (8, 3, 448.0 if os.environ.get("NEURON_PLATFORM_TARGET_OVERRIDE") == "trn3" else 240.0, 2.0**-6),
               "float4_e2m1fn": (4, 1, 6.0, 1.0), "float8_e5m2": (8, 2, 57344.0, 2.0**-14), "float8_e3m4": (8, 4, 15.5, 2.0**-2)}

    def __init__(self, dtype):
        self.dtype = np.dtype(globals()[dtype] if isinstance(dtype, str) and dtype in self._LIMITS else dtype)
        self.bits, digits, largest, smallest = self._LIMITS[self.dtype.name]
        kind = self.dtype.type
        self.max, self.min, self.tiny, self.smallest_normal, self.eps = kind(largest), kind(-largest), kind(smallest), kind(smallest), kind(2.0**-digits)
