# SPDX-License-Identifier: Apache-2.0
"""Arguments of a kernel: arrays become tensors in HBM, everything else stays; lists and objects are copied, never changed."""
import copy

import numpy as np

from tahoma import dtypes
from tahoma.nki_object import NKIObject


def is_array(value):
    return isinstance(value, np.ndarray) or type(value).__module__.split(".")[0] == "torch" and hasattr(value, "detach")


class Inputs:
    """The arrays of a call, each once, in the order of the arguments."""

    def __init__(self):
        self.arrays, self.names, self._numbers = [], [], {}

    def number(self, array, name):
        key = id(array)
        if key not in self._numbers:
            self._numbers[key] = len(self.arrays)
            self.arrays.append(array)
            self.names.append(name)
        return self._numbers[key]


def collect(value, name, inputs):
    """Numbers every array inside a value."""
    if is_array(value):
        inputs.number(value, name)
    elif isinstance(value, (list, tuple)):
        for n, item in enumerate(value):
            collect(item, f"{name}.{n}", inputs)
    elif isinstance(value, dict):
        for key, item in value.items():
            collect(item, f"{name}.{key}", inputs)
    elif isinstance(value, NKIObject):
        for key, item in vars(value).items():
            collect(item, f"{name}.{key}", inputs)


def converted(value, tensor_of):
    """The value with tensor_of(array) in place of every array."""
    if is_array(value):
        return tensor_of(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(converted(item, tensor_of) for item in value))
    if isinstance(value, (list, tuple)):
        return type(value)(converted(item, tensor_of) for item in value)
    if isinstance(value, dict):
        return {key: converted(item, tensor_of) for key, item in value.items()}
    if isinstance(value, NKIObject):
        made = copy.copy(value)
        for key, item in vars(value).items():
            object.__setattr__(made, key, converted(item, tensor_of))
        return made
    if isinstance(value, np.dtype) or (isinstance(value, type) and (issubclass(value, np.generic) or isinstance(getattr(value, "dtype", None), np.dtype))):
        return dtypes.dtype_of(value)
    if isinstance(value, np.generic):
        return value.item()
    return value
