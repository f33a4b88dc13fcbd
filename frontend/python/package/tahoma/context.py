# SPDX-License-Identifier: Apache-2.0
"""What is being traced: one program of a kernel's grid, with its tracer."""
import _tahoma

from tahoma import dtypes
from tahoma.errors import refuse

_stack = []


class Context:
    """The trace of one program."""

    def __init__(self, tracer, program_id=(), grid=(), rank=0, ranks=1):
        self.tracer, self.program_id, self.grid = tracer, program_id, grid
        self.rank, self.ranks = rank, ranks
        self.identities = {}  # square identity matrices on chip, by dtype name
        self.style = "new"
        self.named = {}  # instructions by the names that the kernel gives them
        self.prints = []  # of nl.device_print: prefixes and the tensors that keep the values
        self.waiting = None  # of the old style: the instruction that has no destination yet

    def __enter__(self):
        _stack.append(self)
        return self

    def __exit__(self, *exception):
        _stack.pop()

    # --- tensors ---------------------------------------------------------------------------------------------------
    def tensor(self, shape, dtype, buffer="sbuf", name="", address=None):
        return self.tracer.tensor([int(n) for n in shape], dtypes.element_of(dtype), BUFFERS[buffer], name, address)

    def scratch(self, shape, dtype, buffer="sbuf"):
        """A tensor that the front end needs for itself."""
        return self.tracer.tensor([int(n) for n in shape], dtypes.element_of(dtype), BUFFERS[buffer], "scratch", None,
                                  _tahoma.Role.local, None, True)

    def constant(self, array, dtype=None, name="constant", buffer="shared_hbm"):
        name_of_type, shape, data = dtypes.array_bytes(array)
        if dtype is not None and dtypes.name_of(dtype) != name_of_type:
            data = dtypes.encode(dtypes.decode(data, name_of_type, shape), dtype)
            name_of_type = dtypes.name_of(dtype)
        return self.tracer.tensor(list(shape), dtypes.element_of(name_of_type), BUFFERS[buffer], name, None,
                                  _tahoma.Role.constant, data)

    def identity(self, dtype, size=None):
        """The identity matrix of a size (of all partitions) and dtype, made at its first use."""
        from tahoma.launch import machine  # not at import: the package reads this module while it is loaded

        name, size = dtypes.name_of(dtype), size or machine().partitions
        if (name, size) not in self.identities:
            ones = self.scratch((size, size), name)
            self.tracer.emit("memset", "vector", dst=ones, value=1.0)
            made = self.scratch((size, size), name)
            self.tracer.emit("affine_select", "gpsimd", dst=made, src=ones, pattern=[(-1, size)], base=0, channel_multiplier=1,
                             compare="eq", value=0.0)
            self.identities[name, size] = made
        return self.identities[name, size]


BUFFERS = {
    "sbuf": _tahoma.Buffer.sbuf,
    "psum": _tahoma.Buffer.psum,
    "private_hbm": _tahoma.Buffer.private_hbm,
    "shared_hbm": _tahoma.Buffer.shared_hbm,
}


def active():
    """The context of the kernel that is being traced, or None."""
    return _stack[-1] if _stack else None


def current(what="this"):
    """The context, for functions that only make sense inside a kernel."""
    if not _stack:
        refuse("E-NKI-030", f"{what} outside of a kernel: call it in a function under @nki.jit")
    return _stack[-1]
