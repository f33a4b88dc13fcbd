# SPDX-License-Identifier: Apache-2.0
"""nki.typing: names for annotations of a kernel's arguments. They mean nothing when the kernel runs."""


class tensor:
    """A tensor argument; `tensor[128, 512]` gives its shape."""

    def __class_getitem__(cls, shape):
        return cls


class mutable_tensor(tensor):
    """A tensor argument that the kernel may write in place."""
