# SPDX-License-Identifier: Apache-2.0
"""Matmuls and transposes as functions that return tiles in PSUM."""
from neuronxcc.nki import recording
from neuronxcc.nki.arithmetic import off_hbm
from neuronxcc.nki.indices import Mask
from neuronxcc.nki.masks import cut_by, fits
from neuronxcc.nki.recording import Waiting
from neuronxcc.nki.tensors import Result, Stored
from nki.isa import compute, tensor_engine
from nki.isa.constants import engine as engines
from nki.isa.constants import matmul_perf_mode
from tahoma import context, dtypes, tiles
from tahoma.errors import refuse

_DOUBLE_ROW = (matmul_perf_mode.double_row, matmul_perf_mode.double_row_gen3)


class Matmul:
    """What the destination of a matmul may be: one of `kinds` in PSUM. `adds`: it can add to what is there. `partition`: where it
    must start, for a part of the array."""

    __slots__ = ("kinds", "adds", "partition")

    def __init__(self, kinds, adds=False, partition=None):
        self.kinds, self.adds, self.partition = kinds, adds, partition

    def fits(self, target):
        return (target.buffer == "psum" and target.dtype in self.kinds
                and self.partition in (None, target.unfilled().first_partition))


def in_sbuf(value, what):
    """The view of an operand of the tensor engine, which does not read PSUM: the old compiler copied such tiles."""
    value = off_hbm(value, what)
    view = value.read()
    return tiles.copied(view) if value.buffer == "psum" else view


def product(stationary, moving, mask=None, what="nisa.nc_matmul", **options):
    """stationary^T moving."""
    stationary, moving = in_sbuf(stationary, what), in_sbuf(moving, what)
    row, column = options.get("tile_position") or (None, None)
    if row is not None:  # a part of the array takes its operands from the partitions of its rows
        stationary, moving = tiles.moved_to(int(row), stationary), tiles.moved_to(int(row), moving)
    transpose = bool(options.get("is_transpose"))
    slices = 2 if options.get("perf_mode") in _DOUBLE_ROW else 1
    shape = flat = (stationary.size // stationary.shape[0] // slices, moving.size // moving.shape[0] // slices)
    if mask is None and slices == 1:
        shape = (flat[0], *moving.shape[1:])  # the free dimensions of the moving operand
    some, result_rows, columns = True, None, None
    if mask is not None:
        some, rows, result_rows, columns = _cut(mask, moving, shape, what)
        if rows is not None:
            stationary, moving = stationary[rows], moving[rows]
        if result_rows is not None:
            stationary = stationary.reshape((stationary.shape[0], shape[0]))[:, result_rows]
        if columns is not None:
            moving = moving.reshape((moving.shape[0], shape[1]))[:, columns]
    cut = result_rows is not None or columns is not None
    full = dtypes.ALL["float32"]
    kind = stationary.dtype if transpose else full

    def write(dst, accumulate=None):
        if not some:
            return
        if cut:
            dst = dst.reshape(shape)[result_rows or slice(None), columns or slice(None)]
        how = options
        if transpose and dst.dtype == stationary.dtype:  # data moves; what the identity holds is known
            how = dict(options, is_moving_onezero=False, is_stationary_onezero=False)
        elif transpose:  # into fp32, of narrower data: a matmul by the identity, which is exact
            how = dict(options, is_transpose=False)
        tensor_engine.nc_matmul(dst, stationary, moving, accumulate=accumulate, **how)

    kinds = (kind, full) if stationary.dtype.is_float else (kind,)
    return Result(recording.wait(Waiting(shape, kind, write, [], "psum", natural=kind, matmul=Matmul(kinds, not transpose, column),
                                         partial=not some or cut, partition=int(column or 0))))


def _cut(mask, moving, result, what):
    """What a mask leaves: whether anything; of the rows of both operands, the rows of the result and its columns a slice, or None for
    all. A mask is over the elements of the moving operand, or over those of the result."""
    plane = (moving.shape[0], moving.size // moving.shape[0])
    over_operand = not isinstance(mask, Mask) or fits(mask, plane)
    some, box = cut_by(mask, plane if over_operand else result, what)
    if box is None:
        return some, None, None, None
    first, columns = (None if part == (0, size) else slice(*part) for part, size in zip(box, plane if over_operand else result))
    return (some, first, None, columns) if over_operand else (some, None, first, columns)


VECTOR_BLOCK = 32  # partitions and elements that the vector engine transposes at once


def transposed(data, dtype=None, engine=engines.unknown, mask=None, what="nisa.nc_transpose"):
    """Partitions and flattened free dimensions exchanged: in PSUM by the tensor engine, in SBUF by the vector engine."""
    view = off_hbm(data, what).read()
    box_is_whole(mask, view, what)
    rows, columns = view.shape[0], view.size // view.shape[0]
    by_vector = int(engine) == engines.vector
    if not by_vector and view.buffer == "psum":
        if int(engine) == engines.unknown and rows <= 32 and columns <= 32:
            by_vector = True
        else:
            view = tiles.copied(view)
    if by_vector:
        plane = view.reshape((rows, columns))

        def turn(dst, **how):
            for row in range(0, rows, VECTOR_BLOCK):
                for column in range(0, columns, VECTOR_BLOCK):
                    block = slice(row, min(rows, row + VECTOR_BLOCK)), slice(column, min(columns, column + VECTOR_BLOCK))
                    tensor_engine.nc_transpose(dst[block[1], block[0]], plane[block], engines.vector)

        return Result(recording.wait(Waiting((columns, rows), dtype or view.dtype, turn, [view])))
    kinds = (view.dtype, dtypes.ALL["float32"]) if view.dtype.is_float else (view.dtype,)

    def write(dst, accumulate=None):
        if dst.dtype == view.dtype:
            tensor_engine.nc_transpose(dst, view, engines.tensor)
        else:
            start = view.first_partition
            tensor_engine.nc_matmul(dst, view, context.current().identity(view.dtype)[start : start + rows, start : start + rows],
                                    accumulate=False)

    kind = dtypes.dtype_of(dtype) if dtype is not None else view.dtype
    if kind not in kinds:
        refuse("E-NKI-014", f"{what}: dtype={kind} of {view!r}; the tensor engine keeps the type, or writes float32")
    return Result(recording.wait(Waiting((columns, rows), kind, write, [], "psum", natural=view.dtype, matmul=Matmul(kinds))))


def turned(loaded):
    """The transpose of a tile in SBUF, by the tensor engine, into SBUF."""
    view = loaded.read()

    def write(dst, **how):
        made = tiles.new_tile((view.shape[1], view.shape[0]), view.dtype, "psum")
        tensor_engine.nc_transpose(made, view, engines.tensor)
        compute.tensor_copy(dst, made)

    return Result(recording.wait(Waiting((view.shape[1], view.shape[0]), view.dtype, write, [view])))


def box_is_whole(mask, view, what):
    if cut_by(mask, view.shape, what) != (True, None):
        refuse("E-NKI-002", f"{what}: a mask that cuts the tile; slice it")


def matmul(x, y, transpose_x=False, mask=None, **older):
    """nl.matmul: x @ y, with x transposed on the way unless it is given as [K, M]."""
    x, y = off_hbm(x, "nl.matmul"), off_hbm(y, "nl.matmul")
    if not transpose_x:
        turned = transposed(x, what="nl.matmul").read()
        x = Stored(tiles.copied(turned, x.dtype))
    return product(x, y, mask, "nl.matmul")


def transpose(x, dtype=None, mask=None, **older):
    """nl.transpose: a tile in SBUF."""
    x = off_hbm(x, "nl.transpose")
    turned = transposed(x, mask=mask, what="nl.transpose").read()
    return Stored(turned if turned.buffer == "sbuf" and dtype is None else tiles.copied(turned, dtypes.dtype_of(dtype) if dtype else None))
