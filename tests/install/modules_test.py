#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A program that was built without modules, as scripts/run builds it, builds one when it is first used and goes on with what it was
asked. Checked in a copy of the checkout, by its own build."""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
options = argparse.Namespace(cmake="cmake")
CASE = "{kind: gemm, machine: trainium2_one_chip, workload: {m: 128, n: 128, k: 128, shard: {m: 1, n: 1, k: 1}}}"
SUM = "{kind: vector_add, machine: trainium2_one_chip}"


class Modules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.home = pathlib.Path(folder.name)
        tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
        for name in tracked:
            target = cls.home / "checkout" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
        cls.checkout = cls.home / "checkout"
        build = [[options.cmake, "--preset", "release", "-DTAHOMA_MODULES="],
                 [options.cmake, "--build", "build", "--target", "tahoma", "-j", str(os.cpu_count())]]
        for words in build:
            subprocess.run(words, cwd=cls.checkout, check=True, stdout=subprocess.DEVNULL)

    def tahoma(self, *words, text=None, script=None):
        """The program, beside a scripts/modules that is `script` for this call."""
        modules = self.checkout / "scripts/modules"
        kept = modules.read_text(encoding="utf-8")
        if script is not None:
            modules.write_text(script, encoding="utf-8")
        try:
            return subprocess.run([self.checkout / "build/tahoma", *words], cwd=self.home, capture_output=True, text=True,
                                  check=False, input=text)
        finally:
            modules.write_text(kept, encoding="utf-8")

    def test_1_what_needs_no_module_runs_without(self):
        never = "#!/bin/sh\nexit 1\n"
        self.assertEqual(self.tahoma("run", "-", "--out", "out", text=CASE, script=never).returncode, 0)
        self.assertEqual(self.tahoma("params", "machine.chip.hbm", script=never).returncode, 0)
        helped = self.tahoma("--help", script=never)
        self.assertEqual(helped.returncode, 0)
        for command in ("run", "explain", "model", "sweep", "serve"):
            self.assertIn(f"\n  {command} ", helped.stdout)

    def test_2_a_build_that_fails_is_the_users_error(self):
        failed = self.tahoma("sweep", "nothing.yaml", script="#!/bin/sh\necho no compiler >&2; exit 3\n")
        self.assertEqual(failed.returncode, 6)
        self.assertIn("no compiler", failed.stderr)
        self.assertIn("E-MOD-002", failed.stderr)
        self.assertIn("studies", failed.stderr)

    def test_3_a_program_elsewhere_names_the_remedy(self):
        shutil.copy2(self.checkout / "build/tahoma", self.home / "tahoma")
        alone = subprocess.run([self.home / "tahoma", "sweep", "nothing.yaml"], cwd=self.home, capture_output=True, text=True, check=False)
        self.assertEqual(alone.returncode, 6)
        self.assertIn("E-MOD-001", alone.stderr)
        self.assertIn("scripts/modules studies", alone.stderr)

    def test_4_a_module_is_built_and_the_case_from_a_pipe_still_runs(self):
        added = self.tahoma("run", "-", "--out", "out-sum", "--format", "json", text=SUM)
        self.assertEqual(added.returncode, 0, added.stderr)
        self.assertIn("building the module 'kernels'", added.stderr)
        self.assertTrue(json.loads(added.stdout)["golden"]["passed"])
        again = self.tahoma("run", "-", "--out", "out-sum", text=SUM, script="#!/bin/sh\nexit 1\n")
        self.assertEqual(again.returncode, 0, again.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmake", default="cmake")
    options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
