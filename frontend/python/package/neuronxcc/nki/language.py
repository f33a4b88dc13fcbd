# SPDX-License-Identifier: Apache-2.0
"""neuronxcc.nki.language: tensors, index objects, masks, and functions of tiles."""
import builtins
import sys
import types

import numpy as np

import nki.language as new
from neuronxcc.nki import arithmetic, products, recording
from neuronxcc.nki.arithmetic import broadcast, copied, copy_into, scalar_fill
from neuronxcc.nki.assignment import Reduced
from neuronxcc.nki.composites import (all, ceil, cos, floor, fmod, gather_flattened, logical_not, max, mean, min, mod,  # noqa: F401
                                      negative, prod, rms_norm, softmax, sum, tan, trunc, var, where)
from neuronxcc.nki.declarations import (declared, empty_like, full, ndarray, ones, par_dim, rand, zeros, zeros_like)  # noqa: F401
from neuronxcc.nki.indices import arange, mgrid  # noqa: F401
from neuronxcc.nki.launching import nc, spmd_dim  # noqa: F401
from neuronxcc.nki.masks import cut_by
from neuronxcc.nki.operators import TOKENS
from neuronxcc.nki.tensors import Result, Stored, as_tensor, boxed, tensor
from nki.language import (is_hbm, is_on_chip, is_psum, is_sbuf, num_programs, program_id, program_ndim, psum, sbuf,  # noqa: F401
                          private_hbm, shared_hbm, tile_size)
from tahoma import context, dtypes
from tahoma.errors import refuse
from tahoma.operators import operator_of
from tahoma.refusals import refusing
from tahoma.settings import settings

globals().update(TOKENS)
for _name in ("float32", "bfloat16", "float16", "tfloat32", "float8_e4m3", "float8_e5m2", "float8_e3m4", "int32", "uint32", "int16",
              "uint16", "int8", "uint8"):
    globals()[_name] = dtypes.ALL[_name]
bool_ = dtypes.ALL["bool"]
float8_e4m3fn = dtypes.ALL["float8_e4m3fn"]
hbm = shared_hbm  # the old compilers did not tell them apart


class fp32:
    """Limits of float32."""

    min = -3.4028234663852886e38
    max = 3.4028234663852886e38
    eps = 2.0**-23


def finfo(dtype):
    """Limits of a type, as NumPy gives them."""
    kind = dtypes.dtype_of(dtype)
    if kind.numpy is not None:
        return np.finfo(kind.numpy)
    largest = dtypes._FLOAT_BITS[kind.name][3]

    class Limits:
        min, max = -largest, largest

    return Limits


def shared_constant(constant, dtype=None, **options):
    """A tensor in HBM with the values of an array, or of a .npy file."""
    return Stored(new.shared_constant(constant, dtype))


def shared_identity_matrix(n, dtype=dtypes.ALL["uint8"]):
    """An identity on chip, which nl.load takes too: releases had it in HBM."""
    recording.flush()
    identity = Stored(new.shared_identity_matrix(n, dtype))
    identity.loadable = True
    return identity


def static_cast(value, dtype):
    """A number or array of the host, or a tile, in another type."""
    if isinstance(value, tensor):
        return copied(value, dtype)
    kind = dtypes.dtype_of(dtype)
    if not kind.is_float:
        return np.asarray(value).astype(kind.numpy)
    return dtypes.rounded(value, kind).astype(kind.dtype)


# --- loops --------------------------------------------------------------------------------------------------------------
class LoopIndex(int):
    """The counter of a loop; `first` in the loop's first iteration."""

    first = False


class _Loop:
    """A loop that is unrolled while the kernel is traced."""

    def __init__(self, start, stop=None, step=1, **directives):
        self.range = range(int(start)) if stop is None else range(int(start), int(stop), int(step))

    def __iter__(self):
        for n, value in enumerate(self.range):
            index = LoopIndex(value)
            index.first = n == 0
            yield index

    def __len__(self):
        return len(self.range)

    def __getitem__(self, n):
        return self.range[n]


affine_range = sequential_range = static_range = _Loop


def loop_reduce(x, op, loop_indices, dtype=None, mask=None, **options):
    """x, combined over the iterations of the loops of `loop_indices` in the tensor that the result is stored to."""
    loops = list(loop_indices) if isinstance(loop_indices, (list, tuple)) else [loop_indices]
    if not loops or not builtins.all(isinstance(index, LoopIndex) for index in loops):
        refuse("E-NKI-013", f"nl.loop_reduce: loop_indices={loop_indices!r}; expected counters of nl.affine_range loops")
    value = arithmetic.off_hbm(x, "nl.loop_reduce")
    return Reduced(value, TOKENS[operator_of(op).name], builtins.all(index.first for index in loops), dtypes.dtype_of(dtype or value.dtype))


def ds(start, size):
    """The slice from start to start + size."""
    return slice(int(start), int(start) + int(size))


# --- data movement ------------------------------------------------------------------------------------------------------
def load(src, *, mask=None, dtype=None, **options):
    """A tile with the contents of a part of a tensor in HBM. What a mask leaves out is zero."""
    src = as_tensor(src, "nl.load")
    if src.loadable:
        return copied(src, dtype, mask)
    if src.on_chip:
        refuse("E-NKI-014", f"nl.load of {src!r}; expected a tensor in HBM")
    shape = src.shape if src.ndim > 1 else (src.shape[0], 1)
    some, box = cut_by(mask, src.shape, "nl.load")
    view = src.read(box) if some else None
    kind = dtypes.dtype_of(dtype) if dtype is not None else src.dtype

    def write(dst):
        if box is not None:
            dst = boxed(dst if dst.shape == shape else dst.reshape(shape), box + [(0, 1)] * (len(shape) - len(box)))
        if some:
            context.current().tracer.copy(dst, view)

    return Result(recording.wait(recording.Waiting(shape, kind, write, partial=not some or box is not None, natural=src.dtype)))


def store(dst, value, *, mask=None, **options):
    """Writes a tile to a part of a tensor in HBM."""
    dst = as_tensor(dst, "nl.store")
    if dst.on_chip:
        refuse("E-NKI-014", f"nl.store to {dst!r}; expected a tensor in HBM")
    some, cut = cut_by(mask, dst.shape, "nl.store")
    if not some:
        return
    if not isinstance(value, tensor):
        scalar_fill(dst.target(cut), value)
        return
    if cut is None:
        source = value.read()
    elif value.size == dst.size and value.ndim != dst.ndim:
        source = boxed(value.read().reshape(tuple(dst.shape)), cut)
    else:
        source = value.read(cut)
    copy_into(dst.target(cut), source)


def load_transpose2d(src, *, mask=None, dtype=None, **options):
    """A load of a 2-D part with rows and columns exchanged. The shipped compiler lets the tensor engine transpose 4-byte elements (kernels of
    NKIBench have as many matmuls with it as with a transpose of their own)."""
    view = as_tensor(src, "nl.load_transpose2d").read()
    if settings().compiler == "neuron" and view.dtype.itemsize == 4 and builtins.all(size <= new.tile_size.pmax for size in view.shape):
        return products.turned(load(src, mask=mask, dtype=dtype))
    products.box_is_whole(mask, view, "nl.load_transpose2d")
    recording.flush()
    return Stored(new.load_transpose2d(view, dtype))


def copy(src, *, mask=None, dtype=None, **options):
    return copied(src, dtype, mask)


def broadcast_to(src, shape, **options):
    return broadcast(src, shape)


def expand_dims(data, axis):
    return data.expand_dims(axis)


def device_print(prefix, x, **options):
    """Prints the prefix and the values that a tensor has here."""
    new.device_print(prefix, as_tensor(x, "nl.device_print").read())


def random_seed(seed, *, mask=None, **options):
    """Seeds the generators with the one element of a tile."""
    import nki.isa

    if not isinstance(seed, tensor):
        made = arithmetic.tiles.new_tile((1, 1), "int32")
        recording.flush()
        nki.isa.memset(made, int(seed))
        seed = Stored(made)
    nki.isa.set_rng_seed(seed.read())


# --- functions of tiles -------------------------------------------------------------------------------------------------
matmul, transpose = products.matmul, products.transpose


def dropout(x, rate, *, dtype=None, mask=None, **options):
    import neuronxcc.nki.isa as isa

    return isa.dropout(x, rate, dtype=dtype, mask=mask)


def sizeinbytes(dtype):
    """The bytes of an element."""
    return dtypes.dtype_of(dtype).itemsize


constants = types.ModuleType(f"{__name__}.constants", "What the old releases had in a module of its own.")
constants.sizeinbytes = sizeinbytes
sys.modules[constants.__name__] = constants  # `from neuronxcc.nki.language.constants import sizeinbytes`

__getattr__ = refusing("neuronxcc.nki.language", {
    **{name: "of Trainium3, and of the newer style" for name in ("abs_max", "abs_min")},
    "atomic_rmw": "an update through indices is nisa.dma_copy with dst_rmw_op",
    "all_reduce": "collectives are in nki.collectives, of the newer style",
    "all_gather": "collectives are in nki.collectives, of the newer style",
    "reduce_scatter": "collectives are in nki.collectives, of the newer style",
    "all_to_all": "collectives are in nki.collectives, of the newer style",
    "while_loop": "loops on the device are of the newer style",
    "fori_loop": "loops on the device are of the newer style",
    "dynamic_range": "loops on the device are of the newer style",
    "shuffle": "nisa.nc_stream_shuffle moves partitions",
})
