# SPDX-License-Identifier: Apache-2.0
"""t[...] = value and t += value. An instruction whose result only goes there writes there; other tiles are copied."""
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
    return value is target or same_elements(target.unfilled(), value.unfilled())


def redirect(target, waiting):
    """Records a waiting instruction with `target` as its destination. False if it cannot write there."""
    if not isinstance(target, (Stored, Indexed)) or not waiting.exact(target.dtype):
        return False
    if target.buffer != waiting.buffer or not same_shape(target.shape, waiting.shape):
        return False
    view = target.unfilled()
    for operand in waiting.operands:
        if overlaps(view, operand):
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
    return a == b or (a[0] == b[0] and [n for n in a[1:] if n != 1] == [n for n in b[1:] if n != 1])


def same_elements(a, b):
    """Whether two views have the same elements of one tensor in the same order."""
    return a is b or (a.storage_id == b.storage_id and a.offset == b.offset and a.dtype == b.dtype and a.shape == b.shape
                      and a.strides == b.strides)


def overlaps(destination, operand):
    """Whether they share bytes without being the same elements in the same order."""
    if destination is operand:
        return False
    if destination.storage_id == operand.storage_id:
        if same_elements(destination, operand):
            return False
    elif destination.address is None or operand.address is None or destination.buffer != operand.buffer:
        return False  # only tensors that are placed by hand share bytes
    a, b = reach(destination), reach(operand)
    return all(x[0] < y[1] and y[0] < x[1] for x, y in zip(a, b))


def reach(view):
    """The partitions and the bytes of a partition that a view lies in."""
    row = 1
    for count in view.storage_shape[1:]:
        row *= count
    base = view.address[1] if view.address is not None else 0
    low = high = view.offset % max(row, 1)
    for stride, count in list(zip(view.strides, view.shape))[1:]:
        low, high = low + min(0, stride * (count - 1)), high + max(0, stride * (count - 1))
    first = view.first_partition
    return (first, first + view.shape[0]), (base + low * view.itemsize, base + (high + 1) * view.itemsize)


def update(target, value, operator, alone):
    """target op= value. Matmuls add to what matmuls have left in PSUM."""
    if isinstance(target, Result):
        target = target.stored()
    if isinstance(value, Result) and isinstance(target, (Stored, Indexed)) and operator.name == "add" and alone and \
            recording.is_waiting(value.waiting) and value.waiting.matmul is not None and value.waiting.matmul.adds and target.buffer == "psum":
        origin = origin_of(target)
        if origin.matmuls and value.waiting.matmul.fits(target) and same_shape(target.shape, value.waiting.shape):
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
        current.tracer.at_caller()
        tiles = current.__dict__.setdefault("loop_reduced", {})
        place = current.tracer.line
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
