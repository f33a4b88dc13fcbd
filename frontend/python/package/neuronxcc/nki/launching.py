# SPDX-License-Identifier: Apache-2.0
"""Kernels of the old style: their grids, and the functions that run or time them.

The points of a grid are independent programs. They run one after another in one program of one core, whatever axes the grid
has: the n-th tensor in shared HBM that a point declares is the n-th of every other point.
"""
import functools
import json

from _tahoma import NkiTensor
from neuronxcc.nki import recording
from neuronxcc.nki.conditions import with_joined_masks
from neuronxcc.nki.parts import Blocks
from neuronxcc.nki.tensors import Stored, tensor
from tahoma import context
from tahoma import kernel as launches
from tahoma.arguments import NKIObject
from tahoma.errors import refuse


def replaced(value, kind, change):
    """The value with change(item) for every item of a class, inside lists, tuples, dictionaries and objects too."""
    if isinstance(value, kind):
        return change(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(replaced(item, kind, change) for item in value))
    if isinstance(value, (list, tuple)):
        return type(value)(replaced(item, kind, change) for item in value)
    if isinstance(value, dict):
        return {key: replaced(item, kind, change) for key, item in value.items()}
    if isinstance(value, NKIObject):
        for key, item in vars(value).items():
            object.__setattr__(value, key, replaced(item, kind, change))
    return value


def in_hbm(value):
    if isinstance(value, Blocks) or value.on_chip:
        refuse("E-NKI-033", f"the kernel returns {value!r}; expected a tensor in shared_hbm")
    return value.read()


def points_of(grid):
    """All indices of a grid, the last axis fastest."""
    points = [()]
    for size in grid:
        points = [point + (n,) for point in points for n in range(size)]
    return points


def over_grid(function, grid):
    """The function that runs every point of a grid in one trace."""

    @functools.wraps(function)
    def run(*args, **kwargs):
        current, body = context.current(), with_joined_masks(function)
        current.shared = []  # tensors in shared HBM, by order of declaration in a point
        returned = None
        for number, point in enumerate(points_of(grid)):
            current.grid, current.program_id, current.declared = grid, point, 0
            given = replaced((args, kwargs), NkiTensor, Stored)
            result = body(*given[0], **given[1])
            recording.flush()
            if number == 0:
                returned = result
        return replaced(returned, tensor, in_hbm)

    return run


class OldKernel(launches.Kernel):
    """A kernel of the old style. kernel[a, b, ...] gives it a grid."""

    def __init__(self, function, grid=()):
        super().__init__(over_grid(function, grid), "old")
        functools.update_wrapper(self, function)
        self.body, self.grid = function, grid

    def __getitem__(self, grid):
        axes = tuple(grid) if isinstance(grid, (tuple, list)) else (grid,)
        return OldKernel(self.body, launches.grid_of(tuple(int(axis) for axis in axes), "old"))

    def __call__(self, *args, **kwargs):
        if context.active() is not None:
            launches.inside_grid(self, self.grid)
            return with_joined_masks(self.body)(*args, **kwargs)
        from tahoma import launch

        return launch.launch(self, (), args, kwargs)


class spmd_dim(int):
    """An axis of a grid, spread over physical cores: spmd_dim(n, nc(2)). Here its size alone counts."""

    def __new__(cls, *sizes):
        total = 1
        for size in sizes:
            total *= int(size)
        made = int.__new__(cls, total)
        made.sizes = sizes
        return made


class nc(int):
    """A number of physical cores, in an axis of a grid."""


def jit(function=None, **options):
    """Marks a function as a kernel. Options of the vendor's compiler are accepted and mean nothing."""
    launches.jit(**options)  # checks the options
    if function is None:
        return lambda f: jit(f)
    if isinstance(function, (launches.Kernel, launches.Launch, Timed)):
        return function
    return OldKernel(function)


class Timed(launches.Timed):
    """A kernel whose calls leave a benchmark_result, and the files that its decorator names."""

    def __init__(self, launched, files=()):
        super().__init__(launched)
        functools.update_wrapper(self, launched, updated=())
        self.files = [file for file in files if file]

    def __getitem__(self, grid):
        return Timed(self.launched[grid], self.files)

    def __call__(self, *args, **kwargs):
        if context.active() is not None:
            return self.launched(*args, **kwargs)
        returned = super().__call__(*args, **kwargs)
        for file in self.files:
            with open(file, "w") as out:
                json.dump(self.benchmark_result.result.summary, out, indent=1)
        return returned


def timed(kernel, options, decorator):
    launches._timed(None, options, decorator)  # checks the options
    files = (options.get("save_neff_name"), options.get("save_trace_name"))
    if kernel is None:
        return lambda f: timed(f, options, decorator)
    return Timed(kernel.launched if isinstance(kernel, launches.Timed) else jit(kernel), files)


def baremetal(kernel=None, **options):
    """As jit."""
    return timed(kernel, {n: v for n, v in options.items() if not n.startswith("save_")}, baremetal)


def benchmark(kernel=None, **options):
    """As jit; benchmark_result.nc_latency then has the simulated time, the same for every percentile. The files that `save_neff_name`
    and `save_trace_name` name get the summary of the run."""
    return timed(kernel, options, benchmark)


def profile(func=None, **options):
    """As benchmark."""
    return timed(func, options, profile)


def simulate_kernel(kernel, *args, **kwargs):
    """Calls a kernel, which may have a grid."""
    return jit(kernel)(*args, **kwargs)
