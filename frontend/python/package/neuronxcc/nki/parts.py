# SPDX-License-Identifier: Apache-2.0
"""Parts of tensors: what index objects choose, rows that a tile chooses, and blocks."""
from neuronxcc.nki.indices import Index, bounds_in
from neuronxcc.nki.tensors import Result, Stored, boxed, tensor
from tahoma import dtypes, tiles, views
from tahoma.errors import refuse
from tahoma.shape import Shape


class Indexed(tensor):
    """A part of a tensor that index objects choose."""

    def __init__(self, base, indices):
        ndim = max([len(index.counts) for index in indices])
        aligned = [index if len(index.counts) == ndim else index + Index((1,) * ndim, (0,) * ndim) for index in indices]
        counts = aligned[0].counts
        for index in aligned:
            if index.counts != counts:
                counts = tuple(map(max, *[index.counts for index in aligned]))
                break
        for index in aligned:
            for count, whole in zip(index.counts, counts):
                if count != whole and count != 1:
                    refuse("E-NKI-002", f"indices of {base!r} have different shapes: {indices}")
        # Dimensions of the tensor that have no index follow those of the indices.
        for d in range(len(indices), base.ndim):
            aligned = [index[(slice(None),) * len(index.counts) + (None,)] for index in aligned]
            aligned.append(Index((1,) * len(counts) + (base.shape[d],), (0,) * len(counts) + (1,)))
            counts += (base.shape[d],)
        self.base, self.indices, self.shape, self.dtype, self.buffer = base, aligned, Shape(counts), base.dtype, base.buffer

    on_chip = property(lambda self: self.base.on_chip)

    def read(self, box=None):
        return self._of(self.base.read(), box)

    def target(self, box=None):
        return self.base.origin.writing(self._of(self.base.unfilled(), box, True))

    def unfilled(self):
        return self._of(self.base.unfilled(), None, True)

    def _of(self, view, box, writing=False):
        if box is None:
            counts = list(self.shape)
        elif len(box) != len(self.shape):
            refuse("E-NKI-002", f"a mask of {len(box)} dimensions on {self!r}")
        else:
            counts = [stop - start for start, stop in box]
        offset, steps, on_chip = 0, [0] * len(counts), self.on_chip
        for k, (index, stride, size) in enumerate(zip(self.indices, view.strides, self.base.shape)):
            low, high = index.bounds if box is None else bounds_in(index, box)
            if low < 0 or high >= size:
                refuse("E-NKI-002", f"index {k} of {view!r} runs from {low} to {high}; expected 0 to {size - 1}")
            offset += stride * index.constant
            for d, step in enumerate(index.steps):
                if step != 0:
                    if box is not None:
                        offset += stride * step * box[d][0]
                    steps[d] += stride * step
                    if on_chip and counts[d] > 1 and (k == 0) != (d == 0):
                        refuse("E-NKI-002", f"{view!r}: index 0 is the partition; expected dimension 0 of the tile there, and nowhere else")
        if on_chip and counts[0] > 1 and steps[0] == 0:
            if writing:
                refuse("E-NKI-002", f"{counts[0]} partitions of a tile are one of {view!r}, which is written")
            row = self._pattern(view, [1] + counts[1:], steps, offset)
            return tiles.over_partitions(row, counts[0])
        return self._pattern(view, counts, steps, offset)

    @staticmethod
    def _pattern(view, counts, steps, offset):
        return views.access_pattern(view, list(zip(steps, counts)), offset)


def _slices(indices, base):
    """Slices in place of the index objects beside a tile of row numbers: each runs along a dimension of its own, in order."""
    last = 0
    for index in indices:
        if not isinstance(index, Index):
            yield index
            continue
        along = [d for d, step in enumerate(index.steps) if step != 0]
        if len(along) > 1 or (along and (along[0] <= last or index.steps[along[0]] < 0)):
            refuse("E-NKI-002", f"{index!r} beside a tile as index of {base!r}; expected indices that run along one dimension each, in order, "
                                "and not along the partition")
        last = along[0] if along else last
        low, high = index.bounds
        yield slice(low, high + 1, index.steps[last] if along else 1)


class Gathered(tensor):
    """Rows of a tensor in HBM that a tile of row numbers chooses: t[rows, i, ...]."""

    def __init__(self, base, rows, rest):
        self.base, self.rows = base, rows
        if str(base.buffer) == "sbuf":
            refuse("E-NKI-002", f"{base!r} with a tile as index; expected a tensor in HBM")
        self.inner = base[(slice(0, 1),) + tuple(_slices(rest, base))]

    shape = property(lambda self: Shape((self.rows.shape[0],) + tuple(self.inner.shape[1:])))
    dtype = property(lambda self: self.base.dtype)
    buffer = property(lambda self: self.base.buffer)

    def read(self, box=None):
        return self.target(box)

    def target(self, box=None):
        rows = boxed(self.rows.read(), box and box[:1] + [(0, 1)] * (self.rows.ndim - 1))
        inner = self.inner.read()
        pattern = [[0, rows.shape[0]]] + [[s, c] for s, c in zip(inner.strides, inner.shape)][1:]
        whole = self.base.read()
        return boxed(whole.ap(pattern, inner.offset - whole.offset, vector_offset=rows, indirect_dim=0),
                     box and [(0, rows.shape[0])] + box[1:])


def _gathered(base, key):
    """base[a, b, rows, ...]: numbers before the tile of row numbers choose where the rows begin."""
    at = next(n for n, item in enumerate(key) if isinstance(item, tensor))
    for item in key[:at]:
        if any(item.steps) if isinstance(item, Index) else not hasattr(item, "__index__"):
            refuse("E-NKI-002", f"a tile as index {at} of {base!r} behind {item!r}; expected it first, or behind numbers")
    numbers = tuple(item.constant if isinstance(item, Index) else int(item) for item in key[:at])
    return Gathered(base[numbers] if numbers else base, key[at], key[at + 1:])


class Blocks(tensor):
    """A tensor of block dimensions: independent tiles, each with an address of its own, made when they are first used."""

    def __init__(self, counts, make, shape, dtype, buffer, at=(), made=None):
        self.counts, self.make, self.tile, self.at = tuple(counts), make, tuple(shape), tuple(at)
        self.dtype, self.buffer, self.made = dtypes.dtype_of(dtype), buffer, {} if made is None else made

    shape = property(lambda self: Shape(self.counts[len(self.at):] + self.tile))

    def block(self, *numbers):
        at = self.at
        for number in numbers:
            count = self.counts[len(at)]
            number = int(number)
            if not -count <= number < count:
                refuse("E-NKI-002", f"block {number} of dimension {len(at)} of {self!r}; expected 0 to {count - 1}")
            at += (number % count,)
        if len(at) < len(self.counts):
            return Blocks(self.counts, self.make, self.tile, self.dtype, self.buffer, at, self.made)
        if at not in self.made:
            self.made[at] = self.make(at)
        return self.made[at]

    def read(self, box=None):
        refuse("E-NKI-002", f"{self!r} as an operand: its first {len(self.counts) - len(self.at)} dimensions are blocks; expected an index of one block")

    target = read


def part(base, key):
    """base[key], with numbers, slices, None, index objects or a tile of row numbers in the key."""
    key = key if isinstance(key, tuple) else (key,)
    if isinstance(base, Blocks):
        return _of_blocks(base, key)
    everything = len(key) == 1 and key[0] is Ellipsis
    if everything and not isinstance(base, Result):
        return base
    plain, whole, indices = True, True, False
    for item in key:
        if isinstance(item, slice):
            whole = whole and item.start is None and item.stop is None and item.step is None
            continue
        whole = False
        if isinstance(item, Index):
            plain, indices = False, True
        elif item is None:
            plain = False
        elif isinstance(item, tensor):
            return _gathered(base, key)
    if isinstance(base, Result):
        base = base.stored()
    elif not isinstance(base, Stored):
        base = Stored(base.unfilled(), base.base.origin) if isinstance(base, Indexed) else Stored(base.read())
    if base.ndim > 1 and (everything or (whole and len(key) <= base.ndim)):
        return base
    if plain:
        if any(isinstance(item, slice) and item.stop is not None and item.stop > size for item, size in zip(key, base.shape)):
            return Indexed(base, _ranges(base, key))  # a mask may leave what is within bounds
        return Stored(base.unfilled()[key], base.origin)
    return Indexed(base, _indices(base, key)) if indices else _with_new_dims(base, key)


def _of_blocks(base, key):
    if len(key) == 1 and key[0] is Ellipsis:
        return base
    missing = len(base.counts) - len(base.at)
    for item in key[:missing]:
        if any(item.steps) if isinstance(item, Index) else not hasattr(item, "__index__"):
            refuse("E-NKI-002", f"{item!r} as an index of the block dimensions of {base!r}; expected a number")
    inner = base.block(*(item.constant if isinstance(item, Index) else item for item in key[:missing]))
    return part(inner, key[missing:]) if len(key) > missing else inner


def _indices(base, key):
    if len(key) > base.ndim:
        refuse("E-NKI-002", f"{len(key)} indices of {base!r}; expected at most {base.ndim}")
    found = []
    for d, item in enumerate(key):
        if isinstance(item, Index):
            found.append(item)
        elif hasattr(item, "__index__"):
            number, ndim = int(item), max([len(index.counts) for index in key if isinstance(index, Index)])
            found.append(Index((1,) * ndim, (0,) * ndim, number + base.shape[d] if number < 0 else number))
        else:
            refuse("E-NKI-002", f"{item!r} beside index objects, as index {d} of {base!r}; expected numbers or index objects")
    return found


def _ranges(base, key):
    """Indices in place of slices, each along a dimension of its own, and numbers."""
    ndim = sum(isinstance(item, slice) for item in key)
    found, d = [], 0
    for item, size in zip(key, base.shape):
        if not isinstance(item, slice):
            found.append(Index((1,) * ndim, (0,) * ndim, int(item)))
            continue
        start, step = item.start or 0, item.step or 1
        stop = size if item.stop is None else item.stop + size if item.stop < 0 else item.stop
        count = len(range(start + size if start < 0 else start, stop, step))
        found.append(Index(tuple(count if k == d else 1 for k in range(ndim)), tuple(step if k == d else 0 for k in range(ndim)), start))
        d += 1
    return found


def _with_new_dims(base, key):
    view = base[tuple(item for item in key if item is not None)]
    at = 0
    for item in key:
        if item is None:
            view = view.expand_dims(at)
        if item is None or not hasattr(item, "__index__"):
            at += 1
    return view


tensor.part = staticmethod(part)
