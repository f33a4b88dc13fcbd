# SPDX-License-Identifier: Apache-2.0
"""nki.simulator: calls of kernels under the name that frameworks use."""
from tahoma.kernel import Kernel, Launch, jit

__all__ = ["simulate_kernel"]


def simulate_kernel(func, args=(), kwargs=None, _lnc=None):
    """func(*args, **kwargs), on _lnc physical cores if that is given."""
    kernel = func if isinstance(func, (Kernel, Launch)) else jit(func)
    launched = kernel if _lnc is None or isinstance(kernel, Launch) else kernel[int(_lnc)]
    return launched(*args, **(kwargs or {}))
