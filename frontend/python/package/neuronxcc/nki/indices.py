# SPDX-License-Identifier: Apache-2.0
"""Index objects: nl.arange and nl.mgrid, their affine arithmetic, and the masks that comparisons of them make.

An index is an affine expression of the dimensions of a tile: constant + sum of step[d] * i[d], with i[d] from 0 to count[d] - 1.
"""
import operator

from tahoma.errors import refuse


def padded(index, ndim):
    extra = ndim - len(index.counts)
    return (1,) * extra + index.counts, (0,) * extra + index.steps


class Index:
    __slots__ = ("counts", "steps", "constant", "_bounds")
    __array_ufunc__ = None  # NumPy's numbers leave the arithmetic to this class
    __hash__ = object.__hash__

    def __init__(self, counts, steps, constant=0):
        self.counts, self.steps, self.constant, self._bounds = tuple(counts), tuple(steps), constant, None
        if 1 in self.counts:
            self.steps = tuple([0 if count == 1 else step for count, step in zip(self.counts, self.steps)])

    def __repr__(self):
        parts = [f"{step} * i{d}" for d, step in enumerate(self.steps) if step] + ([str(self.constant)] if self.constant else [])
        return f"index({' + '.join(parts) or 0} of {list(self.counts)})"

    shape = property(lambda self: self.counts)

    @property
    def bounds(self):
        """The smallest and the largest value."""
        if self._bounds is None:
            self._bounds = bounds_in(self, [(0, count) for count in self.counts])
        return self._bounds

    def __getitem__(self, key):
        """[:, None] and the like: new dimensions of one element."""
        counts, steps, old = [], [], 0
        for item in key if isinstance(key, tuple) else (key,):
            if item is None:
                counts.append(1), steps.append(0)
            elif item == slice(None) and old < len(self.counts):
                counts.append(self.counts[old]), steps.append(self.steps[old])
                old += 1
            else:
                refuse("E-NKI-002", f"{item!r} as an index of {self!r}; expected : and None")
        return Index(counts + list(self.counts[old:]), steps + list(self.steps[old:]), self.constant)

    def _scaled(self, factor):
        return made(self.counts, tuple([step * factor for step in self.steps]), self.constant * factor)

    def _below(self, other, least):
        """other - self - least."""
        if isinstance(other, Index):
            return other + self._scaled(-1) + -least
        return made(self.counts, tuple([-step for step in self.steps]), _whole(other, "<") - self.constant - least)

    def __add__(self, other):
        if not isinstance(other, Index):
            return made(self.counts, self.steps, self.constant + _whole(other, "+"))
        counts, steps, others, more = self.counts, self.steps, other.counts, other.steps
        if len(counts) != len(others):
            ndim = max(len(counts), len(others))
            (counts, steps), (others, more) = padded(self, ndim), padded(other, ndim)
        if counts != others:
            for a, b in zip(counts, others):
                if a != b and a != 1 and b != 1:
                    refuse("E-NKI-002", f"{self!r} and {other!r} have different shapes")
            counts = tuple(map(max, counts, others))
        return made(counts, tuple(map(operator.add, steps, more)), self.constant + other.constant)

    __radd__ = __add__

    def __neg__(self):
        return self._scaled(-1)

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        if isinstance(other, Index):
            if not any(other.steps):
                return self._scaled(other.constant) + other._scaled(0)
            if any(self.steps):
                refuse("E-NKI-002", f"{self!r} * {other!r}: indices are affine, a product of two is not")
            return other * self
        return self._scaled(_whole(other, "*"))

    __rmul__ = __mul__

    def __floordiv__(self, other):
        by = _whole(other, "//")
        low, high = self.bounds
        if low // by == high // by:
            return Index(self.counts, [0] * len(self.steps), low // by)
        if any(step % by for step in self.steps):
            refuse("E-NKI-002", f"{self!r} // {by}: the steps are no multiples of {by}, so that the result is not affine")
        return Index(self.counts, [step // by for step in self.steps], self.constant // by)

    def __mod__(self, other):
        by = _whole(other, "%")
        return self - (self // by) * by

    def __ge__(self, other):
        return Mask([self - other])

    def __le__(self, other):
        return Mask([self._below(other, 0)])

    def __gt__(self, other):
        return Mask([self - other - 1])

    def __lt__(self, other):
        return Mask([self._below(other, 1)])

    def __eq__(self, other):
        return Mask([self - other, self._below(other, 0)])

    def __ne__(self, other):
        return ~(self == other)

    def __bool__(self):
        refuse("E-NKI-002", f"{self!r} as a condition: an index stands for many numbers; use mask=")


def made(counts, steps, constant):
    """An index of which dimensions of one element have a step of 0 already."""
    index = object.__new__(Index)
    index.counts, index.steps, index.constant, index._bounds = counts, steps, constant, None
    return index


def _whole(value, sign):
    if type(value) is int:
        return value
    if not hasattr(value, "__index__"):
        refuse("E-NKI-002", f"an index {sign} {type(value).__name__} {value!r}; expected a whole number")
    return int(value)


def bounds_in(index, box):
    """The smallest and the largest value over a box, which is [(start, stop), ...]."""
    low = high = index.constant
    for step, (start, stop) in zip(index.steps, box):
        if step > 0:
            low, high = low + step * start, high + step * (stop - 1)
        elif step < 0:
            low, high = low + step * (stop - 1), high + step * start
    return low, high


class Mask:
    """What a comparison of indices says: all of `terms`, each an index that is at least 0."""

    __array_ufunc__ = None

    def __init__(self, terms, choices=()):
        self.terms, self.choices = list(terms), list(choices)  # choices: lists of masks of which one must hold

    def __and__(self, other):
        if isinstance(other, Mask):
            return Mask(self.terms + other.terms, self.choices + other.choices)
        return self if other else Mask([Index((), (), -1)])

    __rand__ = __and__

    def __or__(self, other):
        if isinstance(other, Mask):
            return Mask([], [[self, other]])
        return Mask([]) if other else self

    __ror__ = __or__

    def __invert__(self):
        parts = [Mask([-term - 1]) for term in self.terms]
        parts += [_all(~mask for mask in masks) for masks in self.choices]
        return parts[0] if len(parts) == 1 else Mask([], [parts])

    def __bool__(self):
        refuse("E-NKI-002", "a comparison of indices as a condition, also by `and`, `or` or `not`: it holds for some elements only; "
                            "use mask=, and combine masks with &, | and ~")


def _all(masks):
    result = Mask([])
    for mask in masks:
        result = result & mask
    return result


def arange(start, stop=None, step=1):
    """The indices from start to stop, to be given dimensions by [:, None] and the like."""
    start, stop = (0, start) if stop is None else (start, stop)
    count = -(-(int(stop) - int(start)) // int(step))
    if count < 1:
        refuse("E-NKI-002", f"nl.arange({start}, {stop}, {step}) has no elements")
    return Index((count,), (int(step),), int(start))


class Grid(tuple):
    """The indices of nl.mgrid: also .p for the first dimension, .x, .y, .z, ... for the others."""


def _axis(number, name):
    def axis(grid):
        if number >= len(grid):
            raise AttributeError(name)
        return grid[number]

    return property(axis)


for _number, _name in enumerate(("p", "x", "y", "z", "w", "v")):
    setattr(Grid, _name, _axis(_number, _name))


class _MGrid:
    """nl.mgrid[a:b, c:d, ...]: one index for each dimension."""

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        ends = [arange(part.start or 0, part.stop, part.step or 1) for part in key]
        counts = [end.counts[0] for end in ends]
        return Grid(Index(counts, [end.steps[0] if k == d else 0 for k in range(len(key))], end.constant)
                    for d, end in enumerate(ends))


mgrid = _MGrid()
