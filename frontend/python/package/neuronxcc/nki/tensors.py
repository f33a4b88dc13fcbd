# SPDX-License-Identifier: Apache-2.0
"""nki.tensor: tensors and tiles of the old style: views of tensors, and results of instructions."""
import sys

import numpy as np

from _tahoma import NkiTensor
from neuronxcc.nki import recording
from tahoma import dtypes, host_use
from tahoma.errors import refuse
from tahoma.shape import Shape


class tensor:
    """A tensor, a part of one, or the result of an instruction.

    `read(box)` gives the view that an instruction reads, `target(box)` the one that it writes; a box is the
    rectangle that a mask leaves, [(start, stop), ...].
    """

    __hash__ = object.__hash__
    loadable = False  # on chip already, and nl.load takes it
    part = assign = broadcasting = copying = None  # functions of parts.py, assignment.py and arithmetic.py, which set them
    combining = {}  # of operators.py: functions of two tiles by the names of NumPy's ufuncs

    def __class_getitem__(cls, shape):  # annotations: nt.tensor[128, 512]
        return cls

    def read(self, box=None):
        raise NotImplementedError

    def target(self, box=None):
        raise NotImplementedError

    ndim = property(lambda self: len(self.shape))
    itemsize = property(lambda self: self.dtype.itemsize)
    on_chip = property(lambda self: self.buffer in ("sbuf", "psum"))

    @property
    def size(self):
        total = 1
        for count in self.shape:
            total *= count
        return total

    def __len__(self):
        return self.shape[0]

    def __repr__(self):
        return f"tensor {self.dtype}{list(self.shape)} in {self.buffer}"

    def __bool__(self):
        if not self.on_chip:
            return True  # `if bias:` asks whether there is one
        host_use.refused_condition(self)

    __iter__, __array__ = host_use.refused_iteration, host_use.refused_array

    def __array_ufunc__(self, ufunc, method, *operands, **options):
        """A number of NumPy and a tile: the tile's operator. Functions of NumPy are refused."""
        function = tensor.combining.get(ufunc.__name__)
        if function is None or method != "__call__" or options:
            host_use.refused_ufunc(self, ufunc, method)
        return function(*(operand.item() if isinstance(operand, np.generic) else operand for operand in operands))

    # --- parts ---
    def __getitem__(self, key):
        return tensor.part(self, key)

    def __setitem__(self, key, value):
        alone = sys.getrefcount(value) <= recording.STORED
        tensor.assign(tensor.part(self, key), value, alone)

    def _view(self, method, *arguments):
        return Stored(getattr(self.read(), method)(*arguments))

    def reshape(self, *sizes, shape=None):
        return self._view("reshape", _sizes(sizes if shape is None else (shape,)))

    def expand_dims(self, axis):
        return self._view("expand_dim", axis)

    expand_dim = expand_dims

    def view(self, dtype):
        return self._view("reinterpret", dtypes.element_of(dtype))

    def broadcast_to(self, *shape):
        return tensor.broadcasting(self, _sizes(shape))

    def broadcast(self, dim, size):
        return self._view("broadcast", dim, size)

    def permute(self, *dims):
        return self._view("permute", _sizes(dims))

    def astype(self, dtype):
        return tensor.copying(self, dtype)


def _sizes(given):
    """f(2, 3) and f((2, 3)) mean the same, and so do whole numbers of any type: kernels divide sizes with `/`."""
    sizes = tuple(given[0]) if len(given) == 1 and isinstance(given[0], (tuple, list)) else tuple(given)
    for size in sizes:
        if isinstance(size, float) and not size.is_integer():
            refuse("E-NKI-003", f"{size} among the sizes {list(sizes)}; expected whole numbers")
    return tuple(int(size) if isinstance(size, float) else size for size in sizes)


def as_tensor(value, what):
    if isinstance(value, tensor):
        return value
    if isinstance(value, NkiTensor):
        return Stored(value)
    refuse("E-NKI-013", f"{what}: {type(value).__name__} {value!r}; expected a tensor")


def boxed(view, box, what="a mask"):
    """The rectangle of a view; dimensions of one element stand for any number."""
    if box is None:
        return view
    shape = view.shape
    if len(shape) != len(box):
        refuse("E-NKI-002", f"{what} of {len(box)} dimensions on {view!r}")
    for d, (start, stop) in enumerate(box):
        if shape[d] != 1 and (start != 0 or stop != shape[d]):
            view = view.slice(d, start, stop)
    return view


class Fill:
    """The number that fills a tensor that nothing else has written yet: recorded when it is needed."""

    __slots__ = ("number", "line")

    def __init__(self, number, line):
        self.number, self.line = number, line


class Origin:
    """What the parts of a tensor share.

    fill      a Fill that is still to be recorded, or None
    matmuls   everything in it is from matmuls, or zero before the first
    written   something has been recorded that writes it
    """

    __slots__ = ("whole", "fill", "matmuls", "written")

    def __init__(self, whole, fill=None, matmuls=False, written=True):
        self.whole, self.fill, self.matmuls, self.written = whole, fill, matmuls, written

    def filled(self):
        if self.fill is not None:
            fill, self.fill, self.written = self.fill, None, True
            tracer = recording.flush().tracer
            with recording.held(tracer, fill.line):
                from nki.isa.compute import memset

                memset(self.whole, fill.number)

    def rest_is_zero(self, line):
        """A masked instruction is going to be the first that writes here: what the mask leaves out is zero."""
        if not self.written and self.fill is None:
            self.fill = Fill(0, line)
        self.filled()

    def writing(self, view):
        """An instruction other than a matmul is going to write `view`."""
        if self.fill is not None:
            if view.size == self.whole.size:
                self.fill = None
            else:
                self.filled()
        self.matmuls, self.written = False, True
        return view


class Stored(tensor):
    """A view of a tensor."""

    def __init__(self, view, origin=None):
        self._place, self.origin = view, Origin(view) if origin is None else origin
        self.shape, self.dtype, self.buffer = view.shape, view.dtype, view.buffer  # asked often, and slow to make from the view

    name = property(lambda self: self._place.name)
    on_chip = property(lambda self: self._place.on_chip)

    def __repr__(self):
        return repr(self._place)

    def read(self, box=None):
        recording.flush()
        if self.origin.fill is not None:
            self.origin.filled()
        return self._place if box is None else boxed(self._place, box)

    def target(self, box=None):
        return self.origin.writing(boxed(self._place, box))

    def unfilled(self):
        """The view itself, without recording the number that fills it."""
        return self._place


class Result(tensor):
    """What an instruction returns."""

    def __init__(self, waiting):
        self.waiting, self._stored = waiting, None

    shape = property(lambda self: self.waiting.shape)
    dtype = property(lambda self: self.waiting.dtype)
    buffer = property(lambda self: self.waiting.buffer)

    def stored(self):
        if self.waiting.view is None:
            recording.flush()
        if self._stored is None:
            self._stored = Stored(self.waiting.view, Origin(self.waiting.view, matmuls=self.waiting.matmul is not None))
        return self._stored

    def read(self, box=None):
        return self.stored().read(box)

    def target(self, box=None):
        return self.stored().target(box)
