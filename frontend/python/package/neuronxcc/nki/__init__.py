# SPDX-License-Identifier: Apache-2.0
"""neuronxcc.nki: the old style of NKI (0.1), in which instructions return tiles."""
from neuronxcc.nki.assignment import assign
from neuronxcc.nki.launching import OldKernel, baremetal, benchmark, jit, profile, simulate_kernel
from neuronxcc.nki.tensors import tensor
from neuronxcc.nki import compiler, isa, language, typing
from tahoma.dtypes import dtype
from tahoma.refusals import refusing

simulate = cpu_simulate = simulate_kernel
trace = jit  # the first releases' name
tensor.assign = staticmethod(assign)

__all__ = ["OldKernel", "baremetal", "benchmark", "compiler", "cpu_simulate", "dtype", "isa", "jit", "language", "profile", "simulate",
           "simulate_kernel", "tensor", "trace", "typing"]

_lookup = refusing("neuronxcc.nki", {
    "nki_call": "calls from frameworks go through nki.jit",
    "jax": "kernels take NumPy and torch arrays",
    "benchmark_with_profile": "nki.benchmark and nki.profile are the two",
})


def __getattr__(name):
    if name == "kernels":
        raise AttributeError("neuronxcc.nki.kernels: the vendor's kernels are not part of this package; take them from nki-samples")
    return _lookup(name)
