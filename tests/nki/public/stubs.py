# SPDX-License-Identifier: Apache-2.0
"""Modules that the public repositories import and that running a kernel does not need: packages of AWS, plotting, remote hosts.

An installed package is always preferred. A stub gives a class for every name that is asked of it; names that end in Error
or Exception are exceptions.
"""
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import itertools
import sys
import types

NAMES = ("allpairspy", "aws_embedded_metrics", "boto3", "botocore", "debugpy", "fabric2", "filelock", "matplotlib", "neuronxcc.starfish",
         "neuronpy", "pandas", "paramiko", "plotext", "pytest_html", "torch_neuronx", "torch_xla", "test.utils")


class Anything:
    """An object that can be called, subclassed, indexed and used in a `with`, and does nothing."""

    def __init__(self, *arguments, **options):
        pass

    def __call__(self, *arguments, **options):
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) else Anything()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __getitem__(self, key):
        return Anything()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False

    def __iter__(self):
        return iter(())


class StubModule(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if f"{self.__name__}.{name}" in _FILLED:
            return importlib.import_module(f"{self.__name__}.{name}")
        if name.endswith(("Error", "Exception")):
            made = type(name, (Exception,), {})
        else:
            made = type(name, (Anything,), {})
        setattr(self, name, made)
        return made


class StubFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a stub where no package of the name is installed. It stands last on sys.meta_path."""

    def find_spec(self, name, path=None, target=None):
        if not any(name == stub or name.startswith(stub + ".") for stub in NAMES):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = StubModule(spec.name)
        module.__path__ = []
        return module

    def exec_module(self, module):
        fill = _FILLED.get(module.__name__)
        if fill is not None:
            fill(module)


# --- stubs that have to do something -------------------------------------------------------------------------------------


class AllPairs:
    """Rows in which every pair of values of two parameters occurs at least once, where the filter allows it (allpairspy)."""

    def __init__(self, parameters, filter_func=None, **options):
        self._values = [list(p) for p in parameters]
        self._allowed = filter_func or (lambda row: True)
        self._open = {(i, a, j, b) for i, j in itertools.combinations(range(len(self._values)), 2)
                      for a in range(len(self._values[i])) for b in range(len(self._values[j]))}

    def __iter__(self):
        for pair in sorted(self._open):
            if pair not in self._open:
                continue
            self._steps = 2000
            row = self._extended([], {pair[0]: pair[1], pair[2]: pair[3]})
            self._open.discard(pair)
            if row is not None:
                self._open -= {(i, row[i], j, row[j]) for i, j in itertools.combinations(range(len(row)), 2)}
                yield [values[n] for values, n in zip(self._values, row)]

    def _extended(self, row, fixed):
        """The first row of value numbers that the filter allows, preferring values that cover open pairs."""
        at = len(row)
        if at == len(self._values):
            return row
        choices = [fixed[at]] if at in fixed else sorted(
            range(len(self._values[at])), key=lambda n: -sum((i, row[i], at, n) in self._open for i in range(at)))
        for n in choices:
            self._steps -= 1
            if self._steps < 0:
                return None
            longer = row + [n]
            if self._allowed([self._values[i][v] for i, v in enumerate(longer)]):
                found = self._extended(longer, fixed)
                if found is not None:
                    return found
        return None


def _fill_allpairspy(module):
    module.AllPairs = AllPairs


def _fill_torch_xla(module):
    """XLA's devices are the CPU."""
    import torch

    for name in ("device", "xla_device"):
        setattr(module, name, lambda *arguments: torch.device("cpu"))
    for name in ("sync", "mark_step", "wait_device_ops"):
        setattr(module, name, lambda *arguments, **options: None)


    if not hasattr(torch, "exact_in_fp32"):
        torch.exact_in_fp32 = True
        for owner, name in ((torch, "matmul"), (torch, "mm"), (torch, "bmm"), (torch.Tensor, "matmul"), (torch.Tensor, "__matmul__")):
            setattr(owner, name, _in_fp32(getattr(owner, name)))


def _in_fp32(function):
    """A product that adds in fp32 and rounds once, as the device does; torch's own on the CPU adds in bfloat16."""
    import torch

    def product(a, b, **options):
        narrow = a.dtype in (torch.bfloat16, torch.float16) and a.dtype == b.dtype
        return function(a.float(), b.float(), **options).to(a.dtype) if narrow else function(a, b, **options)

    return product


def _fill_torch_neuronx(module):
    import nki

    module.nki_jit = nki.jit
    module.nki_op = lambda *arguments, **options: (lambda function: function)
    module.wrap_nki = lambda kernel: kernel


def _fill_static_cast(module):
    from neuron_dtypes import static_cast

    module.static_cast = static_cast


_FILLED = {"allpairspy": _fill_allpairspy, "torch_xla": _fill_torch_xla, "torch_xla.core.xla_model": _fill_torch_xla,
           "torch_neuronx": _fill_torch_neuronx, "neuronxcc.starfish.support.dtype": _fill_static_cast}


def install():
    if not any(isinstance(finder, StubFinder) for finder in sys.meta_path):
        sys.meta_path.append(StubFinder())
