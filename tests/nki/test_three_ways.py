# SPDX-License-Identifier: Apache-2.0
"""One kernel in NKI, in assembler and in C++ gives the same instructions. The C++ side is tests/system/builder/three_ways_test.cpp,
which compares with the same assembler text."""
import pathlib
import subprocess

import numpy as np

from tahoma.program import program
from values import disassembled, disassembly

from three_ways.vector_add import vector_add

TEXT = pathlib.Path(__file__).parent / "three_ways/vector_add.tasm"


def test_nki_gives_the_instructions_of_the_assembler_text(tmp_path):
    nki = disassembly(tmp_path, vector_add, *(np.zeros((128, 1000), np.float32) for _ in "ab"), descriptors="host")
    subprocess.run([program(), "asm", str(TEXT), "-o", str(tmp_path / "text.bin")], check=True, capture_output=True)
    assert nki == disassembled(tmp_path / "text.bin")


def test_nki_adds():
    a, b = (np.arange(128_000, dtype=np.float32).reshape(128, 1000) * n for n in (1, 2))
    np.testing.assert_array_equal(vector_add(a, b), a + b)
