#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Dumps compared with NumPy: a case dumps what every instruction wrote, NumPy reads the files by their index and computes each from
its definition; the next run is compared with a reference that NumPy has written."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

BINARY = None
PROGRAM = """.program thrice
.args in out
sync:
  dma_copy shape=16x32 dst=sbuf[0, 0x0]:bf16 src=in:bf16 update=s0+=1
  dma_copy shape=16x32 dst=out:fp32 src=sbuf[0, 0x800]:fp32 wait=s1>=1 update=s2+=1
  sem_wait wait=s2>=16
scalar:
  .region scale
  tensor_scalar shape=16x32 dst=sbuf[0, 0x800]:fp32 src=sbuf[0, 0x0]:bf16 op0=mult scalar0=3 wait=s0>=16 update=s1+=1
"""
CASE = """kind: program
machine: trainium2_one_chip
workload: {file: case.tasm, tensors: "in bf16 16x32 in.npy; out fp32 16x32 zero"}
"""


class Dumps(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        (self.path / "case.tasm").write_text(PROGRAM)
        (self.path / "case.yaml").write_text(CASE)
        self.input = np.arange(16 * 32, dtype=np.float32).reshape(16, 32) % 256  # exact in bf16
        np.save(self.path / "in.npy", self.input)

    def run_case(self, *options):
        command = [BINARY, "run", "case.yaml", "--no-report", *options]
        return subprocess.run(command, cwd=self.path, capture_output=True, text=True, check=False)

    def test_are_arrays_that_numpy_reads(self):
        done = self.run_case("--dump", "results", "--dump", "core0.out")
        self.assertEqual(done.returncode, 0, done.stderr)
        dumps = self.path / "out" / "dumps"
        expected = {"core0.sync[0]": self.input, "core0.scalar[0]": 3 * self.input, "core0.sync[1]": 3 * self.input,
                    "core0.out": 3 * self.input}
        index = json.loads((dumps / "index.json").read_text())
        self.assertEqual({entry["name"] for entry in index["checkpoints"]}, set(expected))
        for entry in index["checkpoints"]:
            array = np.load(dumps / entry["file"])
            self.assertEqual(array.dtype, np.float32)
            self.assertEqual(list(array.shape), entry["shape"])
            np.testing.assert_array_equal(array, expected[entry["name"]])
        self.assertEqual({entry["dtype"] for entry in index["checkpoints"]}, {"bf16", "fp32"})

    def test_of_numpy_are_a_reference(self):
        theirs = self.path / "theirs"
        theirs.mkdir()
        np.save(theirs / "core0.scalar[0].npy", 3 * self.input)
        np.save(theirs / "core0.out@scale.npy", np.zeros((16, 32), dtype=np.float32))
        done = self.run_case("--compare-with", "theirs")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 checkpoints compared with theirs: all equal", done.stdout)
        wrong = 3 * self.input
        wrong[5, 7] += 1
        np.save(theirs / "core0.scalar[0].npy", wrong)
        done = self.run_case("--compare-with", "theirs")
        self.assertEqual(done.returncode, 1)
        self.assertIn("first difference: core0.scalar[0]", done.stderr)
        self.assertIn("element [5, 7]", done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    arguments, rest = parser.parse_known_args()
    BINARY = arguments.binary
    unittest.main(argv=sys.argv[:1] + rest)
