# SPDX-License-Identifier: Apache-2.0
"""New tensors of the old style: on chip with block dimensions (those before nl.par_dim) and places by hand, in HBM shared by the points
of a grid."""
import math

import numpy as np

import nki.language as new
from neuronxcc.nki import recording
from neuronxcc.nki.compiler import Placement
from neuronxcc.nki.parts import Blocks
from neuronxcc.nki.tensors import Fill, Origin, Stored, tensor
from nki.language import Memory, par_dim, sbuf
from tahoma import context, dtypes
from tahoma.errors import refuse


class _TensorType(type):
    def __instancecheck__(cls, value):
        return isinstance(value, tensor)


class ndarray(metaclass=_TensorType):
    """A new tensor without values. `buffer` is a memory, or a place in one (neuronxcc.nki.compiler)."""

    def __new__(cls, shape, dtype=dtypes.ALL["float32"], *, buffer=sbuf, name="", **options):
        return declared(shape, dtype, buffer, name)


def declared(shape, dtype, buffer=sbuf, name="", number=None):
    current = context.current("nl.ndarray")
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    memory = new._memory({"hbm": "shared_hbm"}.get(str(buffer), buffer if isinstance(buffer, Memory) else str(buffer)))
    sizes = tuple(int(n) for n in shape)
    line = current.tracer.at_caller()
    fill = lambda: None if number is None else Fill(number, line)
    if memory not in ("sbuf", "psum"):
        made = Stored(in_hbm(current, sizes, dtype, memory, name))
        if number is not None:
            scalar_fill_hbm(made, number)
        return made
    at = next((d for d, n in enumerate(shape) if isinstance(n, par_dim)), 0)
    counts, tile = sizes[:at], sizes[at:] if len(sizes) > at + 1 else sizes[at:] + (1,)

    def make(block):
        with recording.held(current.tracer, line):
            label = name and name + "".join(f".{n}" for n in block)
            place = None
            if isinstance(buffer, Placement):
                at = buffer.place(block, tile[0], math.prod(tile[1:]) * dtypes.dtype_of(dtype).itemsize)
                place = int(at[0]), int(at[1])
            view = current.tensor(tile, dtype, memory, label, place)
        return Stored(view, Origin(view, fill(), matmuls=memory == "psum" and (number is None or number == 0), written=False))

    return Blocks(counts, make, tile, dtype, buffer if isinstance(buffer, Memory) else Memory(memory)) if counts else make(())


def in_hbm(current, shape, dtype, memory, name):
    """A tensor in HBM; those in shared HBM are the same for all points of a grid, in order of declaration."""
    if memory != "shared_hbm" or not hasattr(current, "shared"):
        return current.tensor(shape, dtype, memory, name)
    if current.declared == len(current.shared):
        current.shared.append(current.tensor(shape, dtype, memory, name))
    found = current.shared[current.declared]
    current.declared += 1
    if tuple(found.shape) != tuple(shape) or found.dtype != dtypes.dtype_of(dtype):
        refuse("E-NKI-034", f"point {current.program_id} of the grid declares {dtype}{list(shape)} as tensor {current.declared - 1} in "
                            f"shared_hbm, an earlier one {found!r}")
    return found


def scalar_fill_hbm(made, number):
    view = made.read()
    filled = context.current().constant(np.full(tuple(view.shape), number, np.float32), view.dtype)
    recording.flush().tracer.copy(view, filled)


def full(shape, fill_value, dtype=dtypes.ALL["float32"], *, buffer=sbuf, name="", **options):
    """A new tensor filled with a number. The filling is recorded when something reads it or writes a part of it."""
    return declared(shape, dtype, buffer, name, fill_value)


def zeros(shape, dtype=dtypes.ALL["float32"], *, buffer=sbuf, name="", **options):
    return declared(shape, dtype, buffer, name, 0)


def ones(shape, dtype=dtypes.ALL["float32"], *, buffer=sbuf, name="", **options):
    return declared(shape, dtype, buffer, name, 1)


def zeros_like(a, dtype=None, *, buffer=None, name="", **options):
    return declared(a.shape, dtype or a.dtype, buffer or a.buffer, name, 0)


def empty_like(a, dtype=None, *, buffer=None, name="", **options):
    return declared(a.shape, dtype or a.dtype, buffer or a.buffer, name)


def rand(shape, dtype=dtypes.ALL["float32"], **options):
    """Random numbers from 0 to 1."""
    recording.flush()
    return Stored(new.rand(tuple(int(n) for n in shape), dtype))
