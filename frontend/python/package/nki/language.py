# SPDX-License-Identifier: Apache-2.0
"""nki.language: tensors, memories, types, operators, and functions on tiles."""
import builtins

import numpy as np

import _tahoma
from _tahoma import DynamicSlice, NkiTensor, Register
from tahoma import context, dtypes, host_use, tiles as functions, views
from tahoma.errors import refuse
from tahoma.language import grids
from tahoma.language.composites import (all, ceil, cos, dropout, floor, fmod, gather_flattened, logical_not,  # noqa: F401
                                        mod, random_seed, rms_norm, softmax, tan, trunc)
from tahoma.language.grids import NkiBlockGrid, NkiGrid, NkiTileGrid, alloc_blocks, alloc_tiles, blocks  # noqa: F401
from tahoma.language.prints import device_print
from tahoma.loops import dynamic_range, fori_loop, while_loop
from tahoma.nki_object import NKIObject
from tahoma.operators import LATER, OPERATORS
from tahoma.refusals import refusing
from tahoma.shape import Shape

globals().update({**OPERATORS, **LATER})
for _name in ("float32", "bfloat16", "float16", "tfloat32", "float8_e4m3", "float8_e5m2", "float8_e4m3fn", "float8_e3m4", "int32",
              "uint32", "int16", "uint16", "int8", "uint8", "float8_e8m0fnu", "float8_e4m3fn_x4", "float8_e5m2_x4", "float4_e2m1fn_x4"):
    globals()[_name] = dtypes.ALL[_name]
bool_ = dtypes.ALL["bool"]
int64, uint64 = dtypes.ALL["int32"], dtypes.ALL["uint32"]  # held in 32 bits; arrays of the host are checked for their range
DType = dtypes.dtype


class Memory(str):
    """A memory in which tensors lie: sbuf, psum, private_hbm or shared_hbm."""

    __slots__ = ()

    def __repr__(self):
        return f"nl.{str(self)}"


class _Hbm(Memory):
    """nl.hbm: where a tensor is declared in it, it is private; kernels also ask whether an argument's buffer is nl.hbm, which it is."""

    __slots__ = ()
    __hash__ = Memory.__hash__

    def __eq__(self, other):
        return str(other) in ("private_hbm", "shared_hbm")

    def __ne__(self, other):
        return not self == other


MemoryRegion = Memory
sbuf, psum = Memory("sbuf"), Memory("psum")
private_hbm, hbm = Memory("private_hbm"), _Hbm("private_hbm")
shared_hbm = Memory("shared_hbm")
for _region in (sbuf, psum, private_hbm, shared_hbm):
    setattr(MemoryRegion, str(_region), _region)
MemoryRegion.hbm = hbm
_tahoma.set_names(dtypes.ALL, Shape, {str(m): m for m in (sbuf, psum, private_hbm, shared_hbm)},
                  lambda tensor, key, value: functions.assign(tensor, key, value))


_MEMORIES = {id(memory): str(memory) for memory in (sbuf, psum, private_hbm, hbm, shared_hbm)}


def _memory(buffer):
    known = _MEMORIES.get(id(buffer))
    if known is not None:
        return known
    name = str(buffer)
    name = {"hbm": "private_hbm"}.get(name, name)
    if name not in context.BUFFERS:
        refuse("E-NKI-001", f"buffer={buffer!r}; expected nl.sbuf, nl.psum, nl.private_hbm or nl.shared_hbm")
    return name


class par_dim(int):
    """Marks the partition dimension in a shape, which is the first."""


class _TensorType(type):
    def __instancecheck__(cls, value):
        return isinstance(value, NkiTensor)


class ndarray(metaclass=_TensorType):
    """A new tensor, without values. On chip, dimension 0 is the partition; `address` is (first partition, byte)."""

    def __new__(cls, shape, dtype, buffer=sbuf, name="", address=None, **older):
        if isinstance(shape, (int, np.integer)):
            shape = (shape,)
        if par_dim in map(type, shape[1:]):
            refuse("E-NKI-001", f"shape {list(shape)} with nl.par_dim behind other dimensions: blocks are of the older style; expected the "
                                "partition first, or a list of tensors")
        place = None
        if address is not None:
            place = (int(address[0]), int(address[1]))
            if place[0] < 0 or place[1] < 0:
                refuse("E-NKI-001", f"address={address}; expected (first partition, byte), neither negative")
        return context.current("nl.ndarray").tensor(shape, dtype, _memory(buffer), name or "", place)


def zeros(shape, dtype, buffer=sbuf, name="", **older):
    return full(shape, 0, dtype, buffer, name)


def ones(shape, dtype, buffer=sbuf, name=""):
    return full(shape, 1, dtype, buffer, name)


def full(shape, fill_value, dtype, buffer=sbuf, name=""):
    """A new tensor filled with a number."""
    from nki.isa.compute import memset

    tensor = ndarray(shape, dtype, buffer, name)
    if tensor.on_chip:
        memset(tensor, fill_value)
        return tensor
    filled = context.current().constant(np.full(shape, fill_value, np.float32), dtype)
    context.current().tracer.copy(tensor, filled)
    return tensor


def zeros_like(x, dtype=None, buffer=None, name=""):
    return zeros(x.shape, dtype or x.dtype, buffer or x.buffer, name)


def empty_like(x, dtype=None, buffer=None, name="", *, transpose_axes=None, address=None):
    """A new tensor with the shape of x, permuted by transpose_axes, or a new grid with the coordinates of a grid."""
    if isinstance(x, NkiGrid):
        return grids.empty_like(x, dtype, buffer, name, address)
    shape = x.shape if transpose_axes is None else [x.shape[d] for d in transpose_axes]
    return ndarray(shape, dtype or x.dtype, buffer or x.buffer, name, address)


def rand(shape, dtype, buffer=sbuf, name=""):
    """Random numbers from 0 to 1."""
    tracer = context.current("nl.rand").tracer
    bits, out = ndarray(shape, dtypes.ALL["uint32"]), ndarray(shape, dtype, buffer, name)
    tracer.emit("rng", "vector", dst=bits)
    tracer.emit("tensor_scalar", None, dst=bits, src=bits, op0="shift_right", scalar0=8.0)
    tracer.emit("tensor_scalar", None, dst=out, src=bits, op0="mult", scalar0=2.0**-24)
    return out


def shared_constant(constant, dtype=None):
    """A tensor in HBM with the values of an array, or of a .npy file."""
    array = np.load(constant) if isinstance(constant, str) else constant
    return context.current("nl.shared_constant").constant(array, dtype)


def shared_identity_matrix(n, dtype=dtypes.ALL["uint8"], dst=None):
    """The n x n identity matrix in SBUF, or written to dst."""
    current = context.current("nl.shared_identity_matrix")
    if dst is None:
        return current.identity(dtype, n)
    current.tracer.emit("memset", None, dst=dst, value=1.0)
    current.tracer.emit("affine_select", "gpsimd", dst=dst, src=dst, pattern=[(-1, n)], base=0, channel_multiplier=1, compare="eq", value=0.0)
    return dst


def ds(start, size):
    """The slice from start to start + size; start may be a register."""
    if isinstance(start, Register):
        return DynamicSlice(start, int(size))
    return slice(int(start), int(start) + int(size))


def _range(start, stop=None, step=1, **directives):
    for bound in (start, stop, step):
        if isinstance(bound, Register):
            refuse("E-NKI-015", "a loop over a register is unrolled when the kernel is traced, before the register has a value; "
                                "use nl.dynamic_range")
    return range(int(start)) if stop is None else range(int(start), int(stop), int(step))


affine_range = sequential_range = static_range = _range


def program_id(axis=0):
    """The number of this program in the grid."""
    ids = context.current("nl.program_id").program_id
    return ids[int(axis)] if int(axis) < len(ids) else 0


def num_programs(axes=0):
    """The size of the grid along one axis, or a tuple of them."""
    grid = context.current("nl.num_programs").grid
    if isinstance(axes, (tuple, list)):
        return tuple(num_programs(a) for a in axes)
    return grid[int(axes or 0)] if int(axes or 0) < len(grid) else 1


def program_ndim():
    """The number of axes of the grid: 0 without a grid."""
    return len(context.current("nl.program_ndim").grid)


from nki.compiler import no_reorder  # noqa: E402


def is_hbm(buffer):
    return str(buffer) in ("private_hbm", "shared_hbm", "hbm")


def is_sbuf(buffer):
    return str(buffer) == "sbuf"


def is_psum(buffer):
    return str(buffer) == "psum"


def is_on_chip(buffer):
    return str(buffer) in ("sbuf", "psum")


class _TileSize:
    """Limits of the machine of the settings (AWS NKI, nki.language.tile_size); those without a parameter are Trainium2's.

    pmax is what every engine takes: of a machine whose array has fewer rows than SBUF has partitions, the rows of the array.
    """

    psum_fmax = psum_bank_fmax = 512
    psum_bank_fmax_bytes = 2048
    psum_num_banks = 8
    gemm_moving_fmax = 512
    bn_stats_fmax = 512
    psum_min_align = 4
    sbuf_min_align = 1

    @property
    def _machine(self):
        from tahoma.launch import machine  # not at import: the package reads this module while it is loaded

        return machine()

    pmax = property(lambda self: builtins.min(self._machine.partitions, self._machine.array_rows))
    gemm_stationary_fmax = property(lambda self: builtins.min(self._machine.partitions, self._machine.array_columns))
    total_available_sbuf_size = property(lambda self: self._machine.sbuf_bytes)
    sbuf_fmax_bytes = total_available_sbuf_size
    sbuf_fmax = property(lambda self: self.total_available_sbuf_size // 4)
    sbuf_size_bytes = property(lambda self: self.total_available_sbuf_size * self._machine.partitions)


tile_size = _TileSize()


load, store, matmul, transpose, where = functions.load, functions.store, functions.matmul, functions.transposed, functions.where


def load_transpose2d(src, dtype=None):
    """A load of a 2-D view with rows and columns exchanged."""
    tile = functions.new_tile((src.shape[1], src.shape[0]), dtype or src.dtype)
    context.current("nl.load_transpose2d").tracer.transpose(tile, src, [1, 0], 0)
    return tile


def max(x, axis, dtype=None, keepdims=False, **older):
    return functions.reduce(x, axis, "max", dtype, keepdims)


def min(x, axis, dtype=None, keepdims=False, **older):
    return functions.reduce(x, axis, "min", dtype, keepdims)


def sum(x, axis, dtype=None, keepdims=False, **older):
    return functions.reduce(x, axis, "add", dtype, keepdims)


def prod(x, axis, dtype=None, keepdims=False, **older):
    return functions.reduce(x, axis, "mult", dtype, keepdims)


mean, var = functions.mean, functions.variance


def negative(x, dtype=None):
    return functions.apply(OPERATORS["multiply"], (x, -1.0), dtype)


def broadcast_to(x, shape, dtype=None):
    """A view or tile with dimensions of size 1 repeated."""
    return functions.broadcast(x, tuple(shape), "nl.broadcast_to")


def expand_dims(x, axis):
    return x.expand_dim(axis)


def static_cast(value, dtype):
    """A number or array of the host in another type."""
    return dtypes.rounded(value, dtype) if dtypes.dtype_of(dtype).is_float else np.asarray(value).astype(dtypes.dtype_of(dtype).numpy)


tiles = grids.tiles
__getattr__ = refusing("nki.language", {
    "average": "no engine averages: nl.add, and a factor",
})
