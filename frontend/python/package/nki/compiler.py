# SPDX-License-Identifier: Apache-2.0
"""nki.compiler: directives. Program order is kept on every queue, so those about order are satisfied already."""
import contextlib

from tahoma.refusals import refusing


@contextlib.contextmanager
def no_reorder():
    """Operations in the block keep their order."""
    yield


def _unchanged(function=None, **options):
    return function if function is not None else lambda f: f


skip_middle_end_transformations = enable_stack_allocator = force_auto_alloc = _unchanged

__getattr__ = refusing("nki.compiler", {
    "sbuf": "hand placement by nki.compiler is of the older style (neuronxcc.nki.compiler); use nl.ndarray(..., address=...)",
    "psum": "hand placement by nki.compiler is of the older style (neuronxcc.nki.compiler); use nl.ndarray(..., address=...)",
})
