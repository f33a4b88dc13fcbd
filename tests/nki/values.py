# SPDX-License-Identifier: Apache-2.0
"""Comparison of a kernel's results with NumPy, and of its times in both modes."""
import subprocess

import numpy as np

import tahoma
from tahoma import launch
from tahoma.program import program


def close(got, want, rtol=2e-6, atol=0.0):
    got, want = np.asarray(got, np.float64), np.asarray(want, np.float64)
    assert got.shape == want.shape
    largest = np.abs(want).max() if want.size else 0
    error = np.abs(got - want).max() if want.size else 0
    assert error <= atol + rtol * largest, f"error {error}, largest value {largest}"


def both_modes(kernel, *args, **kwargs):
    """Runs a kernel in both modes: its values, after a check that the times are equal."""
    result = kernel(*args, **kwargs)
    functional = tahoma.last().time_ns
    tahoma.configure(mode="timing")
    kernel(*args, **kwargs)
    assert tahoma.last().time_ns == functional
    tahoma.configure(mode="functional")
    return result


def disassembled(file):
    """The text of a binary program."""
    return subprocess.run([program(), "dis", str(file)], capture_output=True, text=True, check=True).stdout


def disassembly(folder, kernel, *args, **policies):
    """The text of the program that a kernel becomes."""
    lowered = launch.trace(kernel, *args)[0].tracer.lower(**policies)
    (folder / "program.bin").write_bytes(lowered["program"])
    return disassembled(folder / "program.bin")
