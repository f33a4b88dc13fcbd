# SPDX-License-Identifier: Apache-2.0
"""Random chains of operations on views: the addresses of the elements, in order, are those of the same operations in NumPy on an
array that holds its own addresses. A view that NumPy can only make by a copy must be refused, and no other.

TAHOMA_VIEWS_SEED and TAHOMA_VIEWS_CASES replace the seed and the number of cases.
"""
import os
import random

import numpy as np
import pytest

import nki.language  # noqa: F401  # it names the classes of shapes and dtypes
import tahoma
from tahoma import context, launch

import _tahoma

SEED = int(os.environ.get("TAHOMA_VIEWS_SEED", "1"))
CASES = int(os.environ.get("TAHOMA_VIEWS_CASES", "100000"))
ELEMENTS = {1: "uint8", 2: "bfloat16", 4: "float32"}
SHAPES = 300  # tensors that the cases share


class Case:
    """A view beside an array of its addresses, in elements. On chip, dimension 0 stays the partition and there are at least two."""

    def __init__(self, rng, tensor):
        self.rng, self.view = rng, tensor
        self.on_chip, self.row = tensor.on_chip, int(np.prod(tensor.shape[1:]))  # elements of a partition
        self.total = tensor.size
        self.wanted = np.arange(self.total).reshape(tuple(tensor.shape))
        self.steps = []

    @property
    def least(self):
        return 2 if self.on_chip else 1

    def padded(self, wanted):
        return wanted.reshape(wanted.shape + (1,) * (self.least - wanted.ndim)) if wanted.ndim < self.least else wanted

    def dim(self, first=0):
        return self.rng.randrange(first, self.wanted.ndim)

    def check(self):
        offset, strides, shape = self.view.offset, self.view.strides, tuple(self.view.shape)
        got = np.array(offset)
        for stride, count in zip(strides, shape):
            got = got[..., None] + np.arange(count) * stride
        assert shape == self.wanted.shape and np.array_equal(got, self.wanted), (
            f"TAHOMA_VIEWS_SEED={SEED}: {'.'.join(self.steps)}: shape {shape}, offset {offset}, strides {strides}; "
            f"expected {self.wanted.shape}, addresses {self.wanted.ravel()[:20]}...")

    def step(self, text, view, wanted):
        """The next view, made by a call; without `wanted`, the call must be refused."""
        self.steps.append(text)
        try:
            made = view()
        except tahoma.KernelError as error:
            assert wanted is None, f"TAHOMA_VIEWS_SEED={SEED}: {'.'.join(self.steps)}: refused: {error}"
            self.steps[-1] += " (refused)"
            return
        assert wanted is not None, f"TAHOMA_VIEWS_SEED={SEED}: {'.'.join(self.steps)}: expected a refusal, got {made!r}"
        self.view, self.wanted = made, wanted

    # --- operations --------------------------------------------------------------------------------------------------
    def slice_of(self, count):
        rng = self.rng
        start, stop = rng.randint(0, count), rng.randint(0, count)
        start, stop = (min(start, stop), max(start, stop)) if rng.random() < 0.9 else (start, stop)
        as_negative = lambda at: at - count if at < count and rng.random() < 0.2 else at
        return slice(rng.choice((None, as_negative(start))), rng.choice((None, as_negative(stop))), rng.choice((None, 1, 2, 3)))

    def index(self):
        rng, shape = self.rng, self.wanted.shape
        key, wanted = [], []
        for d in range(rng.randint(1, len(shape))):
            if shape[d] and rng.random() < 0.4:
                at = rng.randrange(-shape[d], shape[d])
                key.append(at)
                wanted.append(slice(at % shape[d], at % shape[d] + 1) if d == 0 and self.on_chip else at)
            else:
                key.append(self.slice_of(shape[d]))
                wanted.append(key[-1])
        if rng.random() < 0.2:  # the same from behind
            key.append(...)
            wanted.append(...)
        key = tuple(key) if len(key) > 1 or rng.random() < 0.5 else key[0]
        self.step(f"index({key})", lambda: self.view[key], self.padded(np.asarray(self.wanted[tuple(wanted)])))

    def index_beyond(self):
        d = self.dim()
        count = self.wanted.shape[d]
        bad = self.rng.choice((count, -count - 1, slice(0, count + 1), slice(0, count, -1), slice(count + 1, None)))
        key = (slice(None),) * d + (bad,)
        self.step(f"index({key})", lambda: self.view[key], None)

    def slice(self):
        d = self.dim()
        count, step = self.wanted.shape[d], self.rng.randint(1, 3)
        start = self.rng.randint(0, count)
        end = self.rng.randint(start, count)
        self.step(f"slice({d}, {start}, {end}, {step})", lambda: self.view.slice(d, start, end, step),
                  self.wanted[(slice(None),) * d + (slice(start, end, step),)])

    def select(self):
        d = self.dim()
        count = self.wanted.shape[d]
        if not count:
            return
        at = self.rng.randrange(-count, count)
        kept = slice(at % count, at % count + 1) if d == 0 and self.on_chip else at
        self.step(f"select({d}, {at})", lambda: self.view.select(d, at), self.padded(np.asarray(self.wanted[(slice(None),) * d + (kept,)])))

    def permute(self):
        order = list(range(self.wanted.ndim))
        self.rng.shuffle(order)
        allowed = not self.on_chip or order[0] == 0
        self.step(f"permute({order})", lambda: self.view.permute(order), self.wanted.transpose(order) if allowed else None)

    def broadcast(self):
        d, size = self.dim(), self.rng.randint(1, 5)
        count = self.wanted.shape[d]
        allowed = count in (1, size) and not (d == 0 and self.on_chip)
        shape = self.wanted.shape[:d] + (size,) + self.wanted.shape[d + 1:]
        self.step(f"broadcast({d}, {size})", lambda: self.view.broadcast(d, size), np.broadcast_to(self.wanted, shape) if allowed else None)

    def expand_dim(self):
        at = self.rng.randint(0, self.wanted.ndim)
        self.step(f"expand_dim({at})", lambda: self.view.expand_dim(at),
                  None if at == 0 and self.on_chip else np.expand_dims(self.wanted, at))

    def squeeze_dim(self):
        d = self.dim()
        allowed = self.wanted.shape[d] == 1 and not (d == 0 and self.on_chip)
        self.step(f"squeeze_dim({d})", lambda: self.view.squeeze_dim(d), self.padded(self.wanted.squeeze(d)) if allowed else None)

    def factors(self, count, parts):
        """`parts` numbers whose product is `count`."""
        sizes = [1] * parts
        rest, prime = count, 2
        while rest > 1:
            while rest % prime:
                prime += 1
            sizes[self.rng.randrange(parts)] *= prime
            rest //= prime
        return sizes

    def as_view(self, shape):
        """NumPy's reshape, or None where it needs a copy."""
        view = self.wanted.view()
        try:
            view.shape = shape
        except AttributeError:
            return None
        return view

    def reshape(self):
        rng, old = self.rng, self.wanted.shape
        if self.wanted.size == 0:
            return
        if self.on_chip and rng.random() < 0.9:
            shape = [old[0]] + self.factors(self.wanted.size // old[0], rng.randint(1, 3))
        else:
            shape = self.factors(self.wanted.size, rng.randint(self.least, 4))
        allowed = not self.on_chip or shape[0] == old[0]
        wanted = self.as_view(tuple(shape)) if allowed else None
        asked = list(shape)
        if rng.random() < 0.3:
            asked[rng.randrange(len(asked))] = -1
        self.step(f"reshape({asked})", lambda: self.view.reshape(asked), wanted)

    def reshape_dim(self):
        d, old = self.dim(), self.wanted.shape
        if not old[d]:
            return
        parts = self.factors(old[d], self.rng.randint(1, 3))
        asked = list(parts)
        if self.rng.random() < 0.3:
            asked[self.rng.randrange(len(asked))] = -1
        allowed = not (self.on_chip and d == 0) or parts[0] == old[0]
        self.step(f"reshape_dim({d}, {asked})", lambda: self.view.reshape_dim(d, asked),
                  self.as_view(old[:d] + tuple(parts) + old[d + 1:]) if allowed else None)

    def flatten_dims(self):
        first = self.dim()
        last = self.rng.randrange(first, self.wanted.ndim)
        old = self.wanted.shape
        if not self.wanted.size or (self.on_chip and first == 0):
            return
        self.step(f"flatten_dims({first}, {last})", lambda: self.view.flatten_dims(first, last),
                  self.as_view(old[:first] + (int(np.prod(old[first:last + 1])),) + old[last + 1:]))

    def ap(self):
        """Any pattern that stays inside of the tensor, and on chip inside of the partitions."""
        if not self.wanted.size:
            return
        rng = self.rng
        start = self.view.offset
        room, pattern = (self.row if self.on_chip else self.total), []
        offset = None
        if rng.random() < 0.5:
            target = rng.randrange(self.total)
            if self.on_chip and target // self.row < start // self.row:
                target = start
            offset, start = target - start, target
            if self.on_chip:  # offsets count from the view's place in its partition, across partitions
                offset = start - self.view.offset
        place = start % room if self.on_chip else start
        if self.on_chip:
            partitions = self.total // self.row
            first = start // self.row
            step = rng.randint(1, 3)
            pattern.append([self.row * step, rng.randint(1, (partitions - 1 - first) // step + 1)])
        for _ in range(rng.randint(1, 3)):
            stride = rng.choice((0, 1, 1, 2, 3, 4, 8, 16))
            most = (room - 1 - place) // stride + 1 if stride else 4
            count = rng.randint(1, min(most, 6))
            place += stride * (count - 1)
            pattern.append([stride, count])
        flat = np.arange(self.total)[start:]
        wanted = np.lib.stride_tricks.as_strided(flat, tuple(c for _, c in pattern), tuple(s * flat.itemsize for s, _ in pattern))
        self.step(f"ap({pattern}, {offset})", lambda: self.view.ap(pattern=pattern, offset=offset), wanted)

    def reinterpret(self):
        """The same bytes as elements of another size, where the last dimension is dense and its bytes divide."""
        wanted, old = self.wanted, self.view.itemsize
        new = self.rng.choice([size for size in ELEMENTS if size != old])
        if not wanted.size or self.row * old % new:
            return
        last, size = wanted.shape[-1], wanted.itemsize
        first = wanted.flat[0] * old
        dense = last == 1 or wanted.strides[-1] == size
        if not dense or last * old % new or first % new or any(
                count > 1 and stride // size * old % new for count, stride in zip(wanted.shape[:-1], wanted.strides[:-1])):
            return
        self.row, self.total = self.row * old // new, self.total * old // new
        shape = wanted.shape[:-1] + (last * old // new,)
        strides = tuple(stride * old // new for stride in wanted.strides[:-1]) + (size,)
        self.step(f"reinterpret({ELEMENTS[new]})", lambda: self.view.reinterpret(tahoma.dtypes.element_of(ELEMENTS[new])),
                  np.lib.stride_tricks.as_strided(np.arange(self.total)[first // new:], shape, strides))


OPERATIONS = [Case.index] * 4 + [Case.index_beyond, Case.slice, Case.select, Case.permute, Case.broadcast, Case.expand_dim, Case.squeeze_dim,
                                 Case.reshape, Case.reshape, Case.reshape_dim, Case.flatten_dims, Case.ap, Case.ap, Case.reinterpret]


def tensors(rng, active):
    """Small tensors of every memory, with sizes that have factors."""
    sizes = (1, 2, 3, 4, 6, 8, 12, 16)
    for _ in range(SHAPES):
        buffer = rng.choice(("shared_hbm", "private_hbm", "sbuf", "psum"))
        shape = [rng.choice(sizes) for _ in range(rng.randint(2 if buffer in ("sbuf", "psum") else 1, 4))]
        yield active.tensor(shape, "float32" if buffer == "psum" else rng.choice(list(ELEMENTS.values())), buffer)


def test_views_have_the_addresses_that_numpy_says():
    print(f"TAHOMA_VIEWS_SEED={SEED} TAHOMA_VIEWS_CASES={CASES}")
    rng = random.Random(SEED)
    refused = 0
    with context.Context(_tahoma.Tracer(launch.machine(), "views", launch.PACKAGE)) as active:
        pool = list(tensors(rng, active))
        for _ in range(CASES):
            case = Case(rng, rng.choice(pool))
            for _ in range(rng.randint(1, 4)):
                rng.choice(OPERATIONS)(case)
            case.check()
            refused += any("(refused)" in step for step in case.steps)
    assert CASES < 1000 or 0.05 * CASES < refused < 0.6 * CASES  # both outcomes are tested


def test_a_pattern_of_a_slice_counts_partitions_in_the_elements_of_the_slice():
    with context.Context(_tahoma.Tracer(launch.machine(), "views", launch.PACKAGE)) as active:
        tensor = active.tensor([4, 12], "float32", "sbuf")
        part = tensor[0:4, 6:12]
        for pattern in ([[6, 4], [1, 6]], [[12, 4], [1, 6]]):
            case = Case(random.Random(1), part)
            case.view, case.wanted = part.ap(pattern=pattern), np.arange(48).reshape(4, 12)[:, 6:]
            case.check()


@pytest.mark.parametrize("wrong", ["offset", "stride"])
def test_the_comparison_can_fail(wrong):
    with context.Context(_tahoma.Tracer(launch.machine(), "views", launch.PACKAGE)) as active:
        tensor = active.tensor([4, 6, 8], "float32", "sbuf")
        case = Case(random.Random(1), tensor)
        case.wanted = np.arange(4 * 6 * 8).reshape(4, 6, 8)
        case.check()
        case.wanted = case.wanted + 1 if wrong == "offset" else case.wanted.reshape(4, 8, 6).transpose(0, 2, 1)
        with pytest.raises(AssertionError, match="SEED"):
            case.check()
