# SPDX-License-Identifier: Apache-2.0
"""neuronxcc.nki.typing: names for annotations."""
from neuronxcc.nki.tensors import tensor


class mutable_tensor(tensor):
    """A tensor argument that the kernel may write in place."""


class scalar:
    """A number."""

    def __class_getitem__(cls, kind):
        return cls


__all__ = ["mutable_tensor", "scalar", "tensor"]
