# SPDX-License-Identifier: Apache-2.0
"""nki.meta: arguments that have a shape and a dtype, and no values that matter."""
import numpy as np

from tahoma import dtypes

__all__ = ["tensor"]


def tensor(shape, dtype="float32", **options):
    """Zeros of a shape and dtype, as an argument of a kernel."""
    return np.zeros(tuple(shape), dtypes.dtype_of(dtype).dtype)
