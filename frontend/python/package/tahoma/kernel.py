# SPDX-License-Identifier: Apache-2.0
"""nki.jit and the other ways to launch a kernel."""
import functools

from tahoma import context
from tahoma.environment import logical_cores
from tahoma.errors import refuse
from tahoma.settings import settings


class Kernel:
    """A kernel: calling it on arrays runs it on the emulated core and returns its results.

    kernel[n](...)  launches it on n physical cores of a logical core (1 or 2)
    Inside another kernel it is a plain function.
    """

    def __init__(self, function, style="new"):
        functools.update_wrapper(self, function)
        self.function, self.style = function, style
        self.schedule = ()

    def with_schedule(self, schedule):
        """Orders instructions by their names: pairs (consumer, producer or a list of them), with a kind of dependency as a third or without.
        Returns the kernel."""
        self.schedule = tuple(schedule)
        return self

    def __repr__(self):
        return f"<kernel {self.__name__}>"

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def __getitem__(self, grid):
        return Launch(self, grid_of(grid, self.style))

    def __call__(self, *args, **kwargs):
        return Launch(self, ())(*args, **kwargs)


class Launch:
    """A kernel with its grid."""

    def __init__(self, kernel, grid):
        self.kernel, self.grid = kernel, grid
        self.__name__ = kernel.__name__

    def __call__(self, *args, **kwargs):
        if context.active() is not None:
            inside_grid(self.kernel, self.grid)
            return self.kernel.function(*args, **kwargs)
        from tahoma import launch

        configured = logical_cores()
        if self.kernel.style == "new" and self.grid and configured not in (None, self.grid[0]):
            refuse("E-NKI-043", f"kernel {self.__name__}[{self.grid[0]}] with NEURON_LOGICAL_NC_CONFIG={configured}; expected a grid of "
                                f"{configured}")
        return launch.launch(self.kernel, self.grid, args, kwargs)


def inside_grid(kernel, grid):
    """A kernel inside a kernel is part of the caller's programs: its grid can only be theirs."""
    around = context.active().grid
    if grid not in ((), around) and not (set(grid) == {1} and not around):
        refuse("E-NKI-014", f"kernel {kernel.__name__}[{', '.join(map(str, grid))}] inside a kernel, which is part of the programs of its caller; "
                            f"expected no grid or the caller's, {list(around) if around else 'which has none'}")


def grid_of(grid, style):
    axes = tuple(grid) if isinstance(grid, (tuple, list)) else (grid,)
    sizes = tuple(int(a) for a in axes)
    if any(n < 1 for n in sizes):
        raise ValueError(f"tahoma: a grid of {sizes}; expected positive sizes")
    if style == "new" and (len(sizes) != 1 or sizes[0] > 2):
        raise ValueError(f"tahoma: a grid of {sizes}; expected 1 or 2 physical cores of a logical core")
    return sizes


_IGNORED = ("mode", "platform_target", "debug_kernel", "show_compiler_tb", "experimental_flags", "additional_compile_opt",
            "enable_out_of_bound_check", "save_neff_name", "save_trace_name", "artifacts_dir", "warmup", "iters", "working_directory",
            "profile_nth", "grid", "kernel_return", "platform", "device_count", "benchmark_args", "opt_level")


def jit(function=None, **options):
    """Marks a function as a kernel. Options of the vendor's compiler are accepted and mean nothing."""
    for name in options:
        if name not in _IGNORED:
            raise TypeError(f"nki.jit() has no option {name!r}")
    if function is None:
        return jit
    if isinstance(function, Kernel):
        return function
    return Kernel(function)


def simulate(kernel, *args, **kwargs):
    """simulate(kernel)(...): the call itself. The older simulate_kernel(kernel, ...) calls at once."""
    launched = kernel if isinstance(kernel, (Kernel, Launch)) else jit(kernel)
    return launched(*args, **kwargs) if args or kwargs else launched


def baremetal(kernel=None, **options):
    """As jit."""
    return _timed(kernel, options, baremetal)


def benchmark(kernel=None, **options):
    """As jit; the callable's benchmark_result then has the latency. One run tells every percentile: simulated time does not vary."""
    return _timed(kernel, options, benchmark)


def profile(func=None, **options):
    """As benchmark; the report of the run is the profile."""
    return _timed(func, options, profile)


def _timed(kernel, options, decorator):
    for name in options:
        if name not in _IGNORED:
            raise TypeError(f"nki.{decorator.__name__}() has no option {name!r}")
    if kernel is None:
        return decorator
    return Timed(kernel if isinstance(kernel, (Kernel, Launch)) else jit(kernel))


class Latency:
    """Latencies of a benchmark, in microseconds."""

    def __init__(self, microseconds):
        self.microseconds = microseconds

    def get_latency_percentile(self, percentile):
        if not 0 <= float(percentile) <= 100:
            raise ValueError(f"a percentile of {percentile}; expected 0 to 100")
        return self.microseconds


class BenchmarkResult:
    def __init__(self, result):
        self.nc_latency = Latency(result.time_ns / 1e3)
        self.result = result


class Timed:
    """A kernel whose calls leave a benchmark_result."""

    def __init__(self, launched):
        self.launched, self.benchmark_result = launched, None
        self.__name__ = launched.__name__

    def __getitem__(self, grid):
        return Timed(self.launched[grid])

    def __call__(self, *args, **kwargs):
        from tahoma.results import last

        returned = self.launched(*args, **kwargs)
        if context.active() is None:
            self.benchmark_result = BenchmarkResult(last())
        return returned
