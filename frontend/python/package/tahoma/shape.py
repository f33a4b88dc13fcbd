# SPDX-License-Identifier: Apache-2.0
"""The shapes of tensors and tiles."""


class Shape(tuple):
    """A shape: equal to a tuple or a list of the same numbers."""

    __slots__ = ()

    def __eq__(self, other):
        if isinstance(other, tuple):
            return tuple.__eq__(self, other)
        return tuple.__eq__(self, tuple(other)) if isinstance(other, list) else NotImplemented

    def __ne__(self, other):
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    __hash__ = tuple.__hash__
