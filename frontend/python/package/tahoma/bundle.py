# SPDX-License-Identifier: Apache-2.0
"""Traces a kernel into a bundle, for cases of the workload `nki` and the command `tahoma nki`.

python3 -m tahoma.bundle REQUEST.json    with the keys of frontend/nki/bundle/tracing.h
"""
import ast
import importlib.util
import inspect
import json
import math
import os
import sys
import traceback

import numpy as np

from tahoma import dtypes, reference
from tahoma.errors import KernelError, ended_program
from tahoma.kernel import Kernel, Launch, grid_of
from tahoma.launch import PACKAGE, Call, programs_of
from tahoma.program_bundle import Bundle, checked_outputs
from tahoma.settings import configure, nearest, policies


MISTAKE = 64  # the exit status of a wrong request, which frontend/nki/bundle/tracing.cpp knows


class Mistake(Exception):
    """The request is wrong: printed without a traceback."""


class WrongReference(Exception):
    """The reference does not fit the kernel: printed without a traceback."""


def loaded(address):
    """The object that FILE.py:NAME names."""
    path, _, name = address.rpartition(":")
    if not path or not name:
        raise Mistake(f"{address!r}: expected FILE.py:NAME")
    if not path.endswith(".py"):
        raise Mistake(f"{address!r}: {path} is not a Python file; expected FILE.py:NAME")
    if not os.path.isfile(path):
        raise Mistake(f"{path}: no such file; expected FILE.py:NAME")
    folder = os.path.dirname(os.path.abspath(path))
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module_name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(module_name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    spec.loader.exec_module(module)
    if not hasattr(module, name):
        raise Mistake(f"{path}: no function {name!r}{nearest(name, [n for n in vars(module) if not n.startswith('_')])}")
    return getattr(module, name)


def generators(seed):
    """What expressions of arguments may use: randn(128, 512), randn(128, 512, 'bfloat16'), randint(low, high, shape), zeros(...)."""
    rng = np.random.default_rng(seed)

    def made(values, dtype):
        kind = dtypes.dtype_of(dtype)
        return dtypes.rounded(values, kind).astype(kind.dtype) if kind.numpy is None else values.astype(kind.numpy)

    def split(shape):
        dtype = "float32"
        if shape and isinstance(shape[-1], (str, dtypes.dtype)):
            dtype, shape = shape[-1], shape[:-1]
        return tuple(int(n) for n in shape), dtype

    def filled(make):
        def function(*shape):
            sizes, dtype = split(shape)
            return made(make(sizes), dtype)

        return function

    names = {
        "randn": filled(lambda sizes: rng.standard_normal(sizes).astype(np.float32)),
        "uniform": filled(lambda sizes: rng.random(sizes, np.float32)),
        "zeros": filled(lambda sizes: np.zeros(sizes, np.float32)),
        "ones": filled(lambda sizes: np.ones(sizes, np.float32)),
        "arange": lambda n, dtype="int32": made(np.arange(n), dtype),
        "randint": lambda low, high, *shape: rng.integers(low, high, split(shape)[0]).astype(
            dtypes.dtype_of("int32" if split(shape)[1] == "float32" else split(shape)[1]).numpy),
        "np": np,
    }
    names.update({name: kind for name, kind in dtypes.ALL.items()})
    return names


def array_of_rows(name, value):
    """A list of lists of numbers, which is an array; any other literal is what it is."""
    if not (isinstance(value, (list, tuple)) and value and all(isinstance(row, (list, tuple)) for row in value)):
        return value
    try:
        array = np.array(value)
    except ValueError:
        array = np.array(None)
    if array.dtype.kind not in "iuf":
        raise Mistake(f"argument {name}: rows of different lengths, or of something else than numbers; expected a rectangle of numbers")
    return array.astype(np.float32 if array.dtype.kind == "f" else np.int32)


def parsed(text, seed):
    """The arguments of "x=x.npy; n=5": .npy files, expressions of the generators, literals."""
    names, values = generators(seed), {}
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name.isidentifier():
            raise Mistake(f"argument {part!r}: expected NAME=VALUE")
        if value.endswith(".npy"):
            if not os.path.exists(value):
                raise Mistake(f"argument {name}: {value}: no such file")
            try:
                values[name] = np.load(value)
            except (ValueError, OSError, EOFError) as mistake:
                raise Mistake(f"argument {name}: {value}: {mistake}; expected an array as numpy.save writes it") from None
            continue
        try:
            values[name] = array_of_rows(name, ast.literal_eval(value))
        except (ValueError, SyntaxError):
            try:
                values[name] = eval(value, {"__builtins__": {}}, names)
            except Exception as mistake:
                meant = nearest(mistake.name or "", list(names)) if isinstance(mistake, NameError) else ""
                raise Mistake(f"argument {name}={value}: {mistake}; expected FILE.npy, a literal, or one of "
                              f"{', '.join(n for n in names if n not in dtypes.ALL)} with a shape{meant}") from None
    return values


def trace(request):
    configure(**request["policies"], out="", mode="functional" if request["values"] else "timing")
    configure(machine=request["machine"], set=())
    kernel = loaded(request["kernel"])
    if isinstance(kernel, Launch):
        kernel = kernel.kernel
    kernel = getattr(kernel, "launched", kernel)
    if not isinstance(kernel, Kernel):
        if not callable(kernel):
            raise Mistake(f"{request['kernel']}: {type(kernel).__name__}; expected a kernel under @nki.jit")
        kernel = Kernel(kernel)
    values = parsed(request["args"], request["seed"])
    signature = inspect.signature(kernel.function)
    for name in values:
        if name not in signature.parameters:
            raise Mistake(f"{request['kernel']} has no argument {name!r}; expected {', '.join(signature.parameters)}"
                          f"{nearest(name, list(signature.parameters))}")
    try:
        signature.bind(**values)
    except TypeError as mistake:
        raise Mistake(f"{request['kernel']}: {mistake}; expected {', '.join(signature.parameters)}") from None
    grid = grid_of(request["grid"], kernel.style) if request["grid"] else ()
    expected = golden(request, values)
    call = Call(kernel, grid, (), values)
    programs = programs_of([call])
    lowered = [p.tracer.lower(**policies()) for p in programs]
    bundle = Bundle([call], call.cores, programs, lowered)
    bundle.write(request["out"], "functional" if request["values"] else "timing")
    if expected is not None:
        add_expected(request, bundle, expected)
    for text in bundle.warnings:
        print(f"warning: {text}", file=sys.stderr)


def golden(request, values):
    """What the reference returns for the same arguments, as a list of arrays; None without a reference."""
    if not request["reference"] or not request["values"]:
        return None
    return reference.outputs(loaded(request["reference"]), values)


def add_expected(request, bundle, expected):
    views = checked_outputs(bundle.programs[0].returned, bundle.calls[0].kernel)
    tensors = [bundle._tensor(0, view) for view in views] or sorted(bundle.in_place[0])
    if len(tensors) != len(expected):
        raise WrongReference(f"{request['reference']} returns {len(expected)} arrays, the kernel {len(tensors)}")
    path = os.path.join(request["out"], "bundle.json")
    with open(path) as file:
        description = json.load(file)
    depth = max([a["shape"][-1] for l in bundle.lowered for a in l["arguments"]] + [1])
    for tensor, want in zip(tensors, expected):
        entry = description["tensors"][tensor]
        want = np.asarray(want, np.float32)
        if want.size != math.prod(entry["shape"]):
            raise WrongReference(f"{request['reference']} returns {list(want.shape)} for an output of shape {entry['shape']}")
        entry["expect"] = f"expect{tensor}.bin"
        given = request["rtol"] or request["atol"]
        entry["rtol"], entry["atol"] = (request["rtol"], request["atol"]) if given else (reference.tolerance(entry["dtype"], depth), 0.0)
        want.tofile(os.path.join(request["out"], entry["expect"]))
    with open(path, "w") as file:
        json.dump(description, file)


def print_outside(mistake):
    """Prints an exception with the lines of the kernel's files; all lines, if it is not theirs."""
    report = traceback.TracebackException.from_exception(mistake)
    theirs = [frame for frame in report.stack if not frame.filename.startswith(PACKAGE) and not frame.filename.startswith("<frozen")]
    if theirs:
        report.stack[:] = theirs
    print("".join(report.format()), end="", file=sys.stderr)


def main(path):
    with open(path) as file:
        request = json.load(file)
    try:
        trace(request)
    except Mistake as mistake:
        print(mistake, file=sys.stderr)
        return MISTAKE
    except (WrongReference, KernelError) as mistake:
        print(mistake, file=sys.stderr)
        return 1
    except SystemExit as end:
        print(ended_program(end), file=sys.stderr)
        return 1
    except Exception as mistake:
        print_outside(mistake)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
