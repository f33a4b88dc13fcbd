# SPDX-License-Identifier: Apache-2.0
"""One kernel in NKI, in assembler and in C++ gives the same instructions. The C++ side is tests/system/builder/three_ways_test.cpp,
which compares with the same assembler text."""
import pathlib
import subprocess

import numpy as np

from tahoma import launch
from tahoma.program import program

from three_ways.vector_add import vector_add

TEXT = pathlib.Path(__file__).parent / "three_ways/vector_add.tasm"


def disassembled(file):
    return subprocess.run([program(), "dis", str(file)], capture_output=True, text=True, check=True).stdout


def test_nki_gives_the_instructions_of_the_assembler_text(tmp_path):
    traced = launch.trace(vector_add, *(np.zeros((128, 1000), np.float32) for _ in "ab"))
    (tmp_path / "nki.bin").write_bytes(traced[0].tracer.lower("rotating", "balanced", "program", "host")["program"])
    subprocess.run([program(), "asm", str(TEXT), "-o", str(tmp_path / "text.bin")], check=True, capture_output=True)
    assert disassembled(tmp_path / "nki.bin") == disassembled(tmp_path / "text.bin")


def test_nki_adds():
    a, b = (np.arange(128_000, dtype=np.float32).reshape(128, 1000) * n for n in (1, 2))
    np.testing.assert_array_equal(vector_add(a, b), a + b)
