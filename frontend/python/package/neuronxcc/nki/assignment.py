# SPDX-License-Identifier: Apache-2.0
"""t[...] = value and t += value. An instruction whose result only goes there writes there; other tiles are copied."""
import math

from neuronxcc.nki import recording
from neuronxcc.nki.arithmetic import binary, copy_into, scalar_fill
from neuronxcc.nki.parts import Blocks, Indexed
from neuronxcc.nki.tensors import Result, Stored, tensor
from tahoma.errors import refuse


def assign(target, value, alone=False):
    """target[...] = value; `alone`: nobody else holds the value."""
    if not isinstance(value, tensor):
        if isinstance(target, Blocks):
            refuse("E-NKI-002", f"an assignment to {target!r}; expected an index of one block")
        recording.flush()
        return scalar_fill(target.target(), value)
    if isinstance(value, Reduced):
        return value.into(target)
    if same_place(target, value):
        return None
    if alone and isinstance(value, Result) and recording.is_waiting(value.waiting) and redirect(target, value.waiting):
        return None
    source = value.read()
    recording.flush()
    return copy_into(target.target(), source)


def same_place(target, value):
    """`t[i] += x` stores what `+=` has updated already."""
    if not isinstance(value, (Stored, Indexed)) or not isinstance(target, (Stored, Indexed)):
        return False
    return value is target or target.unfilled().same_elements(value.unfilled())


def redirect(target, waiting):
    """Records a waiting instruction with `target` as its destination. False if it cannot write there."""
    if not isinstance(target, (Stored, Indexed)) or not waiting.exact(target.dtype):
        return False
    if target.buffer != waiting.buffer or not holds(target, waiting):
        return False
    view = target.unfilled()
    for operand in waiting.operands:
        if view.overlaps(operand):
            return False
    matmul = waiting.matmul
    if matmul is not None and not matmul.fits(target):
        return False
    origin = origin_of(target)
    recording.take(waiting)
    if waiting.partial:
        origin.rest_is_zero(waiting.line)
    origin.writing(view)
    if matmul is not None:
        waiting.into(view, accumulate=False)
        origin.matmuls = True
    else:
        waiting.into(view)
    return True


def origin_of(target):
    return (target.base if isinstance(target, Indexed) else target).origin


def same_shape(a, b):
    """Equal but for free dimensions of one element."""
    return a is b or a == b or (a[0] == b[0] and [n for n in a[1:] if n != 1] == [n for n in b[1:] if n != 1])


def holds(target, waiting):
    """Whether a result has the shape of the target. The columns of a matmul may be divided into other dimensions."""
    return same_shape(target.shape, waiting.shape) or (
        waiting.matmul is not None and target.shape[0] == waiting.shape[0] and math.prod(target.shape) == math.prod(waiting.shape))


def update(target, value, operator, alone):
    """target op= value. Matmuls add to what matmuls have left in PSUM."""
    if isinstance(target, Result):
        target = target.stored()
    if isinstance(value, Result) and isinstance(target, (Stored, Indexed)) and operator.name == "add" and alone and \
            recording.is_waiting(value.waiting) and value.waiting.matmul is not None and value.waiting.matmul.adds and target.buffer == "psum":
        origin = origin_of(target)
        if origin.matmuls and value.waiting.matmul.fits(target) and holds(target, value.waiting):
            waiting, view = recording.take(value.waiting), target.unfilled()
            if origin.fill is not None and view.size != origin.whole.size:
                origin.filled()
            origin.fill = None
            waiting.into(view, accumulate=None)
            return target
    result = binary(operator, target, value, target.dtype)
    assign(target, result, True)
    return target


class Reduced(tensor):
    """What nl.loop_reduce returns: the first iteration stores the value, later ones combine it with what is there."""

    def __init__(self, value, operator, first, dtype):
        self.value, self.operator, self.first = value, operator, first
        self.dtype = dtype

    shape = property(lambda self: self.value.shape)
    buffer = property(lambda self: "sbuf")

    def into(self, target):
        if self.first:
            source = self.value.read()
            recording.flush()
            return copy_into(target.target(), source)
        return assign(target, binary(self.operator, target, self.value, target.dtype), True)

    def _tile(self):
        """Without an assignment, a tile that belongs to the line of the call."""
        current = recording.flush()
        tiles = current.__dict__.setdefault("loop_reduced", {})
        place = current.tracer.at_caller()
        if self.first:
            tiles[place] = Stored(current.tensor(self.shape, self.dtype))
        if not hasattr(self, "_made"):
            self.into(tiles[place])
            self._made = tiles[place]
        return self._made

    def read(self, box=None):
        return self._tile().read(box)

    def target(self, box=None):
        return self._tile().target(box)
