# SPDX-License-Identifier: Apache-2.0
"""What the reference of a kernel returns, and how far an output may be from it."""
import inspect

import numpy as np

from tahoma import arguments, dtypes

# Digits of the significand, the hidden one included.
DIGITS = {"fp32": 24, "tf32": 11, "bf16": 8, "fp16": 11, "fp8_e4m3": 4, "fp8_e5m2": 3, "fp8_e3m4": 5}


def outputs(function, values):
    """What a reference returns for arguments by name, of which it gets those that it has, floating-point ones as float32."""
    widened = {name: np.asarray(v, np.float32) if arguments.is_array(v) and dtypes.dtype_of(v.dtype).is_float else v for name, v in values.items()}
    accepted = inspect.signature(function).parameters
    returned = function(**{name: v for name, v in widened.items() if name in accepted})
    return list(returned) if isinstance(returned, (tuple, list)) else [returned]


def tolerance(dtype, depth):
    """Relative to the largest expected element: 8.6 deviations of the roundings of a sum as long as `depth`, plus one rounding of the output's
    dtype (runtime/golden/golden_rule.h, with the largest element as the range); 0 for integers."""
    return 8.6 * 2.0**-24 * (depth / 3) ** 0.5 + 2.0**-DIGITS[dtype] if dtype in DIGITS else 0.0
