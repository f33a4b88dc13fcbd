# SPDX-License-Identifier: Apache-2.0
"""Views taken apart for instructions, which have at most four free dimensions."""
from neuronxcc.nki.tensors import boxed

FREE_DIMS = 4  # of an instruction


def pieces(*views):
    """The views in parts of at most four free dimensions, as a list of tuples. All have the same shape."""
    if views[0].ndim <= FREE_DIMS + 1 or free_dims(views) <= FREE_DIMS:
        return [views]
    shape = views[0].shape
    d = min((d for d in range(1, len(shape)) if shape[d] > 1), key=lambda d: shape[d])
    return [part for n in range(shape[d]) for part in pieces(*(view.select(d, n) for view in views))]


def boxed_pieces(box, dst, *sources):
    """The destination and the rectangle of each source, in parts of at most four free dimensions."""
    if box is not None:
        sources = [boxed(source, box) for source in sources]
    return pieces(shaped(dst, sources[0]), *sources)


def free_dims(views):
    """How many dimensions remain after those that are neighbours in every view are joined."""
    if any(tuple(view.shape) != tuple(views[0].shape) for view in views):
        return 0  # of other shapes: the recorder matches them
    dims = [d for d in range(1, views[0].ndim) if views[0].shape[d] > 1]
    joined = len(dims)
    strides = [view.strides for view in views]
    for a, b in zip(dims, dims[1:]):
        joined -= all(s[a] == s[b] * views[0].shape[b] for s in strides)
    return joined


def shaped(dst, view):
    """The destination with the shape of a source of as many elements, for taking both apart."""
    shape = view.shape
    if dst.shape == shape or dst.size != view.size or dst.shape[0] != shape[0]:
        return dst
    try:
        return dst.reshape(tuple(shape))
    except ValueError:
        return dst
