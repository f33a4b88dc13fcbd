# SPDX-License-Identifier: Apache-2.0
"""Instructions that return tiles. The latest one waits for the statement that follows it: if that stores the tile into a tensor
(`t[...] = nisa.activation(...)`), the instruction writes there; otherwise it writes to a tile of its own.

At most one instruction waits, and everything else that is recorded comes after it: program order is the kernel's.
"""
import sys

from tahoma import context, dtypes, tiles
from tahoma.shape import Shape


class Waiting:
    """An instruction that has no destination yet. `write(view)` records it; its line is the one that made it.

    matmul    of matmuls and transposes: what their destination may be (products.Matmul)
    natural   the dtype in which the result is before it is rounded: a destination of any type may take it
    operands  what it reads, to see whether a destination overlaps them
    partial   a mask leaves a part of the result as it was
    partition the first partition of a tile of its own
    """

    __slots__ = ("shape", "dtype", "buffer", "operands", "partial", "partition", "matmul", "natural", "view", "current", "line", "_write")

    def __init__(self, shape, dtype, write, operands=(), buffer="sbuf", natural=None, partial=False, matmul=None, partition=0):
        self.shape = shape if isinstance(shape, Shape) else Shape(shape)
        self.dtype, self.buffer = dtypes.dtype_of(dtype), buffer
        self.operands, self.partial, self.matmul = operands, partial, matmul
        self.natural = natural
        self.partition = partition
        self.view = None
        self._write = write
        self.current = context.current()
        self.line = self.current.tracer.at_caller()

    def exact(self, dtype):
        """Whether a destination of this type gets what a tile of its own and a copy would give it."""
        return dtype is self.dtype or self.natural is None or self.natural is self.dtype

    def into(self, view, **how):
        """Records the instruction with this destination."""
        tracer = self.current.tracer
        tracer.hold_line(self.line)
        try:
            self.view = view
            self._write(view, **how)
        finally:
            tracer.hold_line(None)

    def materialise(self):
        """Records the instruction with a tile of its own as its destination."""
        tracer = self.current.tracer
        tracer.hold_line(self.line)
        try:
            self.view = view = tiles.new_tile(self.shape, self.dtype, self.buffer, self.partition)
            if self.partial:
                tracer.emit("memset", None, dst=view, value=0.0)
            self._write(view, **({"accumulate": False} if self.partial and self.matmul is not None else {}))
        finally:
            tracer.hold_line(None)


class held:
    """What is recorded inside belongs to one line."""

    __slots__ = ("tracer", "line")

    def __init__(self, tracer, line):
        self.tracer, self.line = tracer, line

    def __enter__(self):
        self.tracer.hold_line(self.line)

    def __exit__(self, *mistake):
        self.tracer.hold_line(None)


def flush():
    """Records the waiting instruction with a tile of its own. Returns the context."""
    current = context.current()
    waiting = current.waiting
    if waiting is not None:
        current.waiting = None
        waiting.materialise()
    return current


def wait(waiting):
    flush()
    waiting.current.waiting = waiting
    if waiting.current.style != "old":
        flush()
    return waiting


def take(waiting):
    """The waiting instruction is about to be recorded by the caller."""
    assert waiting.current.waiting is waiting
    waiting.current.waiting = None
    return waiting


def is_waiting(waiting):
    return waiting.view is None and waiting.current.waiting is waiting


class _Probe:
    """How many references a value has when it is only the value of `t[...] = value` or `t += value`."""

    def __setitem__(self, key, value):
        self.stored = sys.getrefcount(value)

    def __iadd__(self, value):
        self.added = sys.getrefcount(value)
        return self


_probe = _Probe()
_probe[0] = object()
_probe += object()
STORED, ADDED = _probe.stored, _probe.added
