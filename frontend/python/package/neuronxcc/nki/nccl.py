# SPDX-License-Identifier: Apache-2.0
"""neuronxcc.nki.nccl: the collectives of nki.collectives under the names and arguments of the old style."""
from neuronxcc.nki import recording
from neuronxcc.nki.tensors import as_tensor
from nki import collectives


def _views(tensors, method):
    given = tensors if isinstance(tensors, (list, tuple)) else [tensors]
    return [getattr(as_tensor(each, "nccl"), method)() for each in given]


def _collective(function):
    def call(*, srcs, dsts, replica_groups=None, dtype=None, **options):
        sources, targets = _views(srcs, "read"), _views(dsts, "target")
        recording.flush()
        if replica_groups is not None:
            options["replica_group"] = replica_groups
        return function(srcs=sources, dsts=targets, **options)

    call.__name__, call.__doc__ = function.__name__, function.__doc__
    return call


all_reduce, all_gather = _collective(collectives.all_reduce), _collective(collectives.all_gather)
reduce_scatter, all_to_all = _collective(collectives.reduce_scatter), _collective(collectives.all_to_all)
collective_permute = _collective(collectives.collective_permute)
