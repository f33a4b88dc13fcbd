# SPDX-License-Identifier: Apache-2.0
"""nl.tiles and nl.blocks: tensors by the coordinates of tiles, and of blocks of tiles. A grid is a view; it records nothing.

A grid that nl.alloc_tiles makes on chip has its tiles one behind the other in the free dimension, in row-major order of their
coordinates, each with the bytes of a whole tile.
"""
import dataclasses
import math

from _tahoma import NkiTensor
from tahoma import context, dtypes
from tahoma.errors import refuse
from tahoma.shape import Shape


@dataclasses.dataclass(frozen=True)
class _Axis:
    """A dimension: `count` coordinates of `unit` elements, `step` coordinates apart, from an element on. The last may be cut by `end`.

    taken  an integer has chosen the one coordinate that is left
    tile   elements of a tile; 0 for a dimension without tiles
    """

    first: int
    end: int
    unit: int
    tile: int
    count: int
    step: int = 1
    taken: bool = False

    def selected(self, key, grid):
        if isinstance(key, slice):
            start, stop, step = key.indices(self.count)
            count = len(range(start, stop, step))
            if step < 1 or count < 1:
                refuse("E-NKI-002", f"{key} of {self.count} coordinates of {grid!r}; expected a slice with a positive step and elements")
            end = self.end if step * self.step == 1 and stop >= self.count else min(self.end, self.first + ((start + (count - 1) * step) * self.step + 1) * self.unit)
            return dataclasses.replace(self, first=self.first + start * self.step * self.unit, end=end, count=count, step=self.step * step)
        number = int(key)
        if not -self.count <= number < self.count:
            refuse("E-NKI-002", f"coordinate {number} of {grid!r}; expected {-self.count} to {self.count - 1}")
        first = self.first + number % self.count * self.step * self.unit
        return dataclasses.replace(self, first=first, end=min(self.end, first + self.unit), count=1, step=1, taken=True)

    @property
    def elements(self):
        if self.step == 1:
            return self.end - self.first
        return sum(min(self.unit, self.end - first) for first in range(self.first, self.end, self.step * self.unit))

    @property
    def remainder(self):
        return self.tile != 0 and self.elements % self.unit != 0

    def regrouped(self, unit):
        """The same elements in coordinates of another size."""
        if self.tile == 0:
            return self
        return dataclasses.replace(self, unit=unit, count=math.ceil((self.end - self.first) / unit), taken=False)


class NkiGrid:
    """A tensor in coordinates. Numbers and slices as indices leave a grid; `.data` is its operand for instructions."""

    def __init__(self, place, axes, tile_shape):
        self._place, self._axes, self.tile_shape = place, tuple(axes), Shape(tile_shape)

    buffer = property(lambda self: self._place.tensor.buffer)
    dtype = property(lambda self: self._place.tensor.dtype)
    shape = property(lambda self: Shape(axis.count for axis in self._axes if not axis.taken))
    element_shape = property(lambda self: Shape(axis.elements for axis in self._axes if axis.tile or not axis.taken))
    index_step_elements = property(lambda self: Shape(axis.unit * axis.step for axis in self._axes if not axis.taken))
    is_remainder = property(lambda self: any(axis.remainder for axis in self._axes))
    is_data_representable = property(lambda self: self._place.view(self._axes) is not None)

    def __repr__(self):
        return f"<{type(self).__name__} {list(self.shape)} of {self._place.tensor!r}>"

    def __len__(self):
        return self.shape[0]

    def __iter__(self):
        return (self[n] for n in range(len(self)))

    def __getitem__(self, key):
        keys = list(key) if isinstance(key, tuple) else [key]
        free = [n for n, axis in enumerate(self._axes) if not axis.taken]
        if Ellipsis in keys:
            at = keys.index(Ellipsis)
            keys[at : at + 1] = [slice(None)] * (len(free) - len(keys) + 1)
        if len(keys) > len(free):
            refuse("E-NKI-002", f"{len(keys)} coordinates of {self!r}; expected at most {len(free)}")
        axes = list(self._axes)
        for n, part in zip(free, keys):
            axes[n] = axes[n].selected(part, self)
        return self._like(axes)

    def _like(self, axes):
        return type(self)(self._place, axes, self.tile_shape)

    @property
    def data(self):
        view = self._place.view(self._axes)
        if view is None:
            refuse("E-NKI-004", f"the data of {self!r}, {list(self.element_shape)} elements: no single operand reaches them; expected one tile, "
                                "or tiles beside one another in the free dimension")
        return view


class NkiTileGrid(NkiGrid):
    """A tensor in coordinates of tiles."""


class NkiBlockGrid(NkiGrid):
    """A tensor in coordinates of blocks, each of `block_shape` tiles."""

    def __init__(self, place, axes, tile_shape, block_shape):
        super().__init__(place, axes, tile_shape)
        self.block_shape = Shape(block_shape)

    def _like(self, axes):
        return NkiBlockGrid(self._place, axes, self.tile_shape, self.block_shape)


class _Tensor:
    """The elements of a grid in a tensor of the same dimensions."""

    def __init__(self, tensor):
        self.tensor = tensor

    def view(self, axes):
        view = self.tensor
        for d, axis in enumerate(axes):
            if axis.step != 1 and axis.unit != 1:
                return None
            view = view.slice(d, axis.first, axis.end, axis.step if axis.unit == 1 else 1)
        for d in reversed(range(len(axes))):
            if axes[d].tile == 0 and axes[d].taken:
                view = view.select(d, 0)
        return view


class _Tiles:
    """The elements of a grid on chip, tile behind tile."""

    def __init__(self, tensor, counts, tile):
        self.tensor, self.counts, self.tile = tensor, counts, tile

    def view(self, axes):
        at = [axis.first // size for axis, size in zip(axes, self.tile)]
        inside = [(axis.first - n * size, axis.end - n * size) for axis, n, size in zip(axes, at, self.tile)]
        row = len(axes) == 2 and axes[1].step == 1 and inside[0][1] <= self.tile[0]  # tiles of a row lie beside one another
        if not row and any(stop > size for (_, stop), size in zip(inside, self.tile)):
            return None
        slot = 0
        for n, count in zip(at, self.counts):
            slot = slot * count + n
        size = math.prod(self.tile[1:])
        if row:
            return self.tensor[inside[0][0] : inside[0][1], slot * size + inside[1][0] : slot * size + inside[1][1]]
        whole = self.tensor[0 : self.tile[0], slot * size : (slot + 1) * size].reshape(self.tile)
        return whole[tuple(slice(start, stop) for start, stop in inside)]


def _sizes(name, value, rank=None):
    if not isinstance(value, (tuple, list)) or not all(type(n) is int and n > 0 for n in value) or (rank is not None and len(value) != rank):
        refuse("E-NKI-013", f"{name}={value!r}; expected a tuple of {'' if rank is None else f'{rank} '}positive numbers")
    return tuple(value)


def _tile_axes(element_shape, tile_shape):
    tile_shape = _sizes("tile_shape", tile_shape)
    if not 2 <= len(tile_shape) <= len(element_shape):
        refuse("E-NKI-013", f"tile_shape={tile_shape} of {list(element_shape)} elements; expected 2 to {len(element_shape)} dimensions")
    before = len(element_shape) - len(tile_shape)
    tiled = [_Axis(0, size, tile, tile, math.ceil(size / tile)) for size, tile in zip(element_shape[before:], tile_shape)]
    return [_Axis(0, size, 1, 0, size) for size in element_shape[:before]] + tiled, tile_shape


def tiles(source, *, tile_shape=None):
    """A tensor in coordinates of tiles, or the tiles inside a selection of blocks."""
    if isinstance(source, NkiGrid):
        if tile_shape is not None and tuple(tile_shape) != source.tile_shape:
            refuse("E-NKI-013", f"nl.tiles: tile_shape={tile_shape} of {source!r}, whose tiles are {list(source.tile_shape)}; expected none")
        return NkiTileGrid(source._place, [axis.regrouped(axis.tile) for axis in source._axes], source.tile_shape)
    if not isinstance(source, NkiTensor) or tile_shape is None:
        refuse("E-NKI-013", f"nl.tiles of {source!r}, tile_shape={tile_shape}; expected a tensor with a tile_shape, or a grid")
    return NkiTileGrid(_Tensor(source), *_tile_axes(source.shape, tile_shape))


def blocks(source, *, block_shape, tile_shape=None):
    """A tensor or a grid of tiles in coordinates of blocks of tiles."""
    grid = tiles(source, tile_shape=tile_shape)
    block_shape = _sizes("block_shape", block_shape, len(grid.tile_shape))
    before = len(grid._axes) - len(block_shape)
    axes = [axis.regrouped(axis.tile * count) for axis, count in zip(grid._axes[before:], block_shape)]
    return NkiBlockGrid(grid._place, list(grid._axes[:before]) + axes, grid.tile_shape, block_shape)


def alloc_tiles(*, tile_shape, element_shape, buffer, dtype, address=None, name=""):
    """New storage in coordinates of tiles."""
    import nki.language as nl

    element_shape = _sizes("element_shape", element_shape)
    axes, tile_shape = _tile_axes(element_shape, tile_shape)
    memory = nl._memory(buffer)
    if memory not in ("sbuf", "psum"):
        return NkiTileGrid(_Tensor(nl.ndarray(element_shape, dtype, buffer, name)), axes, tile_shape)
    if len(tile_shape) != len(element_shape):
        refuse("E-NKI-013", f"nl.alloc_tiles: tile_shape={tile_shape} of {list(element_shape)} elements on chip; expected as many dimensions")
    counts = [axis.count for axis in axes]
    storage = context.current("nl.alloc_tiles").tensor((tile_shape[0], math.prod(counts) * math.prod(tile_shape[1:])), dtypes.dtype_of(dtype),
                                                       memory, name, None if address is None else (int(address[0]), int(address[1])))
    return NkiTileGrid(_Tiles(storage, counts, tile_shape), axes, tile_shape)


def alloc_blocks(*, tile_shape, block_shape, element_shape, buffer, dtype, address=None, name=""):
    """New storage in coordinates of blocks of tiles."""
    return blocks(alloc_tiles(tile_shape=tile_shape, element_shape=element_shape, buffer=buffer, dtype=dtype, address=address, name=name),
                  block_shape=block_shape)


def empty_like(grid, dtype, buffer, name, address):
    """New storage with the coordinates of a grid."""
    made = alloc_tiles(tile_shape=tuple(grid.tile_shape), element_shape=tuple(grid.element_shape), buffer=buffer or grid.buffer,
                       dtype=dtype or grid.dtype, address=address, name=name)
    return blocks(made, block_shape=tuple(grid.block_shape)) if isinstance(grid, NkiBlockGrid) else made


NkiTensor.data = property(lambda tensor: tensor)
