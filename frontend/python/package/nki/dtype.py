# SPDX-License-Identifier: Apache-2.0
"""nki.dtype: the element types as a module; called, or as an annotation, it is the class of them."""
import sys
import types

from tahoma import dtypes


class _Module(types.ModuleType):
    def __call__(self, name):
        return dtypes.dtype_of(name)

    def __or__(self, other):
        return dtypes.dtype | other

    def __getattr__(self, name):
        if name in dtypes.ALL:
            return dtypes.ALL[name]
        raise AttributeError(f"module 'nki.dtype' has no attribute {name!r}")


sys.modules[__name__].__class__ = _Module
