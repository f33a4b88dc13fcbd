# SPDX-License-Identifier: Apache-2.0
"""Methods of NkiTensor that take dtypes, in any spelling (tahoma.dtypes.name_of), and rearrange."""
import _tahoma
from _tahoma import NkiTensor
from tahoma import dtypes
from tahoma.errors import refuse
from tahoma.refusals import need_trainium3

access_pattern, _reinterpret, _listed = NkiTensor.ap, NkiTensor.reinterpret, NkiTensor.indirect


def _element(dtype):
    return dtype if isinstance(dtype, _tahoma.Element) else dtypes.element_of(dtype)


def _ap(self, pattern, offset=None, scalar_offset=None, vector_offset=None, indirect_dim=0, dtype=None):
    """A view of the storage's elements: [[stride, count], ...] from `offset`."""
    return access_pattern(self, pattern, None if offset is None else int(offset), scalar_offset, vector_offset, int(indirect_dim),
                          None if dtype is None else _element(dtype))


def _view(self, dtype):
    """The same bytes as elements of another dtype."""
    return _reinterpret(self, _element(dtype))


def _indirect(self, index, num_elem=None):
    """The columns at the offsets of an index [P, K]: offset i is index[i % G, i // G], G 32 for the tensor engine and 16 for others."""
    need_trainium3("NkiTensor.indirect")
    return _listed(self, index, None if num_elem is None else int(num_elem))


def _names(group):
    return list(group) if isinstance(group, (tuple, list)) else [group]


def _split_sizes(names, size, fixed, pattern):
    """Sizes of the names that share a dimension; at most one is not given."""
    known = 1
    for name in names:
        known *= fixed.get(name, 1)
    open_names = [name for name in names if name not in fixed]
    if len(open_names) > 1 or size % known or (not open_names and known != size):
        refuse("E-NKI-002", f"rearrange: the sizes of {pattern} do not give {size}; at most one name of a group may lack a size")
    return [fixed[name] if name in fixed else size // known for name in names]


def _rearrange(self, src_pattern, dst_pattern, fixed_sizes=None):
    """Splits, permutes and joins dimensions: tuples of names, nested tuples for the parts of a dimension."""
    fixed, view, order = dict(fixed_sizes or {}), self, []
    if len(src_pattern) != self.ndim:
        refuse("E-NKI-002", f"rearrange: {src_pattern} has {len(src_pattern)} dimensions; {self!r} has {self.ndim}")
    for group in src_pattern:
        names = _names(group)
        sizes = _split_sizes(names, view.shape[len(order)], fixed, group)
        if len(names) > 1:
            view = view.reshape_dim(len(order), sizes)
        order += names
    wanted = [name for group in dst_pattern for name in _names(group)]
    if sorted(wanted) != sorted(order):
        refuse("E-NKI-002", f"rearrange: {dst_pattern} does not have the names of {src_pattern}, each once")
    view = view.permute([order.index(name) for name in wanted])
    for at, group in enumerate(dst_pattern):
        if len(_names(group)) > 1:
            view = view.flatten_dims(at, at + len(_names(group)) - 1)
    return view


NkiTensor.ap = _ap
NkiTensor.indirect = _indirect
NkiTensor.view = NkiTensor.reinterpret = NkiTensor.reinterpret_cast = _view
NkiTensor.rearrange = _rearrange
