# SPDX-License-Identifier: Apache-2.0
"""tahoma.graph: an ONNX file as a Run. tahoma.compile: a module of PyTorch as a function that runs on the machine."""
from __future__ import annotations

import inspect
import itertools
import os
import warnings
from typing import Any, Iterator, Mapping, Sequence

import numpy as np

from tahoma.api.home import Home
from tahoma.api.running import Path, finished_run, in_folder
from tahoma.api.runs import Run
from tahoma.api.words import option_words, set_words
from tahoma.errors import ConfigurationError, MissingLibrary

OPSET = 17  # the newest that PyTorch 1.13 writes
# How the program holds elements that it does not have.
HELD = {"int64": np.int32, "bool": np.uint8, "float64": np.float32}


def graph(model: Path, inputs: Mapping[str, Any] | None = None, out: Path | None = None, *, set: Mapping[str, object] | None = None,
          **overrides: object) -> Run:
    """Runs an ONNX model, as the command `tahoma graph` does.

    model      the file
    inputs     arrays by the names of the model's inputs; the others are generated from the seed
    out        folder for the results. Without it, a temporary folder that lives as long as the Run
    set        parameters by path
    overrides  options of the command: batch=8, cores=2, mode="timing", floats="bf16", save_outputs=True

        run = tahoma.graph("resnet50.onnx", {"image": x}, floats="bf16", save_outputs=True)
        run.tensors["logits"]

    Raises tahoma.Error as tahoma.run does.
    """
    home = Home()
    words = ["graph", os.fspath(model)]
    for name, array in (inputs or {}).items():
        file = home.path / f"input{len(words)}.npy"
        np.save(file, held(array))
        words.append(f"--input={name}={file}")
    run = in_folder(words + set_words(set, overrides) + option_words(overrides), out, Run, finished_run)
    run._inputs = home
    return run


def compile(module: Any, example_inputs: Sequence[Any], *, set: Mapping[str, object] | None = None, **overrides: object) -> Compiled:
    """A module of PyTorch as a function that runs on the machine.

    module          a torch.nn.Module, or a function of tensors; in evaluation, with the weights that it has when a shape is first seen
    example_inputs  tensors for the positional arguments
    set, overrides  as those of tahoma.graph: floats="bf16", cores=2, machine="trainium3_chip"

        net = tahoma.compile(module, (x,), floats="bf16")
        y = net(x)              the values, computed by the machine's instructions, in the structure that the module returns
        net.last.time_us        the run behind them
        net.time(x).time_us     times alone, without values
        net.file(x)             the ONNX file

    Other shapes of inputs are exported when they are first seen. Raises tahoma.Error as tahoma.graph does, and E-PYT-011 for what PyTorch
    cannot export.
    """
    compiled = Compiled(module, set, overrides)
    compiled.file(*example_inputs)
    return compiled


class Compiled:
    """A module that tahoma.compile has exported. `last` is the latest Run."""

    def __init__(self, module: Any, set: Mapping[str, object] | None, overrides: Mapping[str, Any]) -> None:
        self.module = module
        self.last: Run | None = None
        self._set, self._overrides = set, dict(overrides)
        self._home = Home()
        self._exports: dict[Any, tuple[str, Any]] = {}  # the file and the returned structure, by shapes and types of the inputs

    def __call__(self, *inputs: Any) -> Any:
        """The values that the module returns."""
        file, returned = self._exported(inputs)
        run = self.last = self._run(file, inputs, {"mode": "functional", "save_outputs": True})
        return like(returned, (run.tensors[f"out{number}"] for number in itertools.count()))

    def time(self, *inputs: Any) -> Run:
        """A run in timing mode, of inputs with these shapes."""
        run = self.last = self._run(self._exported(inputs)[0], (), {"mode": "timing"})
        return run

    def file(self, *inputs: Any) -> str:
        """The ONNX file for inputs of these shapes, which lives as long as this object."""
        return self._exported(inputs)[0]

    def _run(self, file: str, inputs: Sequence[Any], options: Mapping[str, Any]) -> Run:
        return graph(file, {f"in{number}": value for number, value in enumerate(inputs)}, set=self._set, **{**self._overrides, **options})

    def _exported(self, inputs: Sequence[Any]) -> tuple[str, Any]:
        key = tuple((tuple(value.shape), str(value.dtype)) for value in inputs)
        if key not in self._exports:
            path = str(self._home.path / f"model{len(self._exports)}.onnx")
            self._exports[key] = path, exported(self.module, tuple(inputs), path)
        return self._exports[key]


def exported(module: Any, inputs: tuple[Any, ...], path: str) -> Any:
    """Writes the ONNX file; returns what the module returns for these inputs."""
    try:
        import torch
    except ImportError as missing:
        raise MissingLibrary("tahoma.compile", "torch", "python3-torch") from missing
    if not isinstance(module, torch.nn.Module):
        module = function_module(torch, module)
    trained = module.training
    module.eval()
    options = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            returned = module(*inputs)
            names = [f"out{number}" for number, _ in enumerate(tensors_in(returned))]
            torch.onnx.export(module, inputs, path, input_names=[f"in{number}" for number in range(len(inputs))], output_names=names,
                              opset_version=OPSET, **options)
    except Exception as error:
        # Raised below, without this exception: its frames keep graphs of PyTorch 1.13, and their addresses break later exports.
        mistake = f"PyTorch cannot export the module: {type(error).__name__}: {error}"
    else:
        return returned
    finally:
        module.train(trained)
    raise ConfigurationError("E-PYT-011", type(module).__name__, mistake)


def function_module(torch: Any, function: Any) -> Any:
    """A function of tensors as a module."""
    class Function(torch.nn.Module):  # type: ignore[misc]
        def forward(self, *inputs: Any) -> Any:
            return function(*inputs)

    return Function()


def tensors_in(value: Any) -> Iterator[Any]:
    """The tensors of nested tuples, lists and mappings, in the order in which PyTorch exports them."""
    if hasattr(value, "detach"):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from tensors_in(each)
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from tensors_in(each)


def like(value: Any, arrays: Iterator[Any]) -> Any:
    """The structure of `value` with tensors of these values in the places of its tensors."""
    if hasattr(value, "detach"):
        return value.new_tensor(next(arrays)).reshape(value.shape)
    if isinstance(value, Mapping):
        return {key: like(each, arrays) for key, each in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(like(each, arrays) for each in value))
    if isinstance(value, (tuple, list)):
        return type(value)(like(each, arrays) for each in value)
    return value


def held(value: Any) -> Any:
    """An array in a type that the program has; bf16 as float32, exactly."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = (value.float() if str(value.dtype) == "torch.bfloat16" else value).numpy()
    array = np.asarray(value)
    wide = HELD.get(array.dtype.name)
    if wide is np.int32 and (largest := np.abs(array).max(initial=0)) > np.iinfo(np.int32).max:
        raise ConfigurationError("E-PYT-002", "inputs", f"a 64-bit integer is {largest}; expected what 32 bits hold")
    return np.ascontiguousarray(array if wide is None else array.astype(wide))
