# SPDX-License-Identifier: Apache-2.0
"""What masks leave of a tile: a rectangle, as [(start, stop), ...]."""
from neuronxcc.nki.indices import Index, Mask, bounds_in, made, padded
from tahoma.errors import refuse


def cut_by(mask, shape, what):
    """What a mask leaves of a tile: whether that is anything, and its rectangle, or None for the whole tile."""
    if mask is None or mask is True:
        return True, None
    whole = [(0, count) for count in shape]
    if isinstance(mask, Mask):
        box = _cut(mask, list(whole), tuple(shape), what)
    elif isinstance(mask, (bool, int)) or type(mask).__name__ == "bool_":
        box = whole if mask else None
    else:
        refuse("E-NKI-002", f"{what}: mask={mask!r}; expected a comparison of indices")
    return box is not None, None if box == whole else box


def fits(mask, shape):
    """Whether the terms of a mask have the dimensions of a tile of this shape."""
    return all(len(term.counts) <= len(shape) and all(step == 0 or count == size for step, count, size in
                                                      zip(term.steps[::-1], term.counts[::-1], shape[::-1])) for term in mask.terms)


def _cut(mask, box, shape, what):
    waiting = [_fitted(term, shape, what) for term in mask.terms]
    before = None
    while waiting and before != len(waiting):  # a cut in one dimension may decide another term
        before, again = len(waiting), []
        for term in waiting:
            low, high = bounds_in(term, box)
            if low >= 0:
                continue
            if high < 0:
                return None
            free = [d for d, step in enumerate(term.steps) if step and box[d][1] - box[d][0] > 1]
            if len(free) > 1:
                again.append(term)
                continue
            d, step = free[0], term.steps[free[0]]
            rest = term.constant + sum(s * box[k][0] for k, s in enumerate(term.steps) if k != d)
            start, stop = box[d]
            box[d] = (max(start, -(rest // step)), stop) if step > 0 else (start, min(stop, rest // -step + 1))
            if box[d][0] >= box[d][1]:
                return None
        waiting = again
    if waiting:
        refuse("E-NKI-002", f"{what}: the mask leaves no rectangle: {waiting[0]!r} >= 0 joins several dimensions; "
                            "nisa.affine_select takes such a predicate")
    for masks in mask.choices:
        rests = [rest for rest in (_cut(m, list(box), shape, what) for m in masks) if rest is not None]
        if not rests:
            return None
        widest = max(rests, key=lambda rest: [stop - start for start, stop in rest])
        if any(r[0] < w[0] or r[1] > w[1] for rest in rests for r, w in zip(rest, widest)):
            refuse("E-NKI-002", f"{what}: the mask with | leaves no rectangle")
        box = widest
    return box


def _fitted(term, shape, what):
    """The term with one step for each dimension of the tile."""
    if term.counts == shape:
        return term
    extra = len(shape) - len(term.counts)
    if extra < 0:
        if any(count != 1 for count in term.counts[:-extra]):
            refuse("E-NKI-002", f"{what}: a mask of {len(term.counts)} dimensions on a tile of {len(shape)}")
        term, extra = Index(term.counts[-extra:], term.steps[-extra:], term.constant), 0
    counts, steps = padded(term, len(shape))
    for d, (count, size) in enumerate(zip(counts, shape)):
        if steps[d] and count != size:
            refuse("E-NKI-002", f"{what}: the mask has {count} elements in dimension {d}, the tile {size}")
    return made(counts, steps, term.constant)
