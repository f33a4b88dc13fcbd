# SPDX-License-Identifier: Apache-2.0
"""nki: AWS's Neuron Kernel Interface on an emulated Trainium2. See `tahoma` for settings and results."""
from tahoma.dtypes import dtype
from tahoma.kernel import Kernel, baremetal, benchmark, jit, profile, simulate

from nki import collectives, compiler, isa, language, meta, simulator, typing

cpu_simulate = simulate
simulate_kernel = simulate


__all__ = ["Kernel", "baremetal", "benchmark", "collectives", "compiler", "cpu_simulate", "dtype", "isa", "jit", "language", "meta",
           "profile", "simulate", "simulate_kernel", "simulator", "typing"]
