#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/claims: claims that do not hold, tests that do not exist, and pages that are not up to date are found."""

import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "claims"
CLAIM = "- id: R1\n  claim: all is well\n  figure: two tests\n"
# A ctest with two tests, of which the second fails where the file `bad` is.
CTEST = """#!/bin/sh
case "$*" in
*show-only*) echo '{"tests": [{"name": "law: one"}, {"name": "law: two (of 2)"}]}';;
*) if [ -e "$FOLDER/bad" ]; then echo '50% tests passed, 1 tests failed out of 2'; exit 8; fi
   echo '100% tests passed, 0 tests failed out of 2';;
esac
"""


class Claims(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        (self.root / "tests/claims").mkdir(parents=True)
        (self.root / "ctest").write_text(CTEST, encoding="utf-8")
        (self.root / "ctest").chmod(0o755)
        self.declare("  tests: ['^law: ']\n")

    def tearDown(self):
        self.folder.cleanup()

    def declare(self, rest):
        (self.root / "tests/claims/claims.yaml").write_text(CLAIM + rest, encoding="utf-8")

    def claims(self, *words):
        environment = {**os.environ, "PATH": f"{self.root}:{os.environ['PATH']}", "FOLDER": str(self.root)}
        return subprocess.run(["/usr/bin/python3", "-B", SCRIPT, "--root", self.root, *words], env=environment, capture_output=True,
                              text=True, check=False)

    def test_a_claim_holds_while_its_tests_pass(self):
        ended = self.claims()
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertIn("R1   holds          all is well: 2 of 2 tests pass", ended.stdout)
        (self.root / "bad").touch()
        ended = self.claims("R1")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("does not hold  all is well: 1 of 2 tests pass", ended.stdout)

    def test_a_claim_holds_while_its_commands_succeed(self):
        self.declare("  commands: ['echo so it is']\n")
        self.assertIn("holds          all is well: so it is", self.claims().stdout)
        self.declare("  commands: ['echo so it is', 'false']\n")
        self.assertEqual(self.claims().returncode, 1)

    def test_a_claim_with_something_missing_holds_in_part(self):
        self.declare("  tests: ['^law: ']\n  missing: more\n")
        self.assertIn("R1   in part", self.claims().stdout)
        self.declare("  missing: all of it\n")
        self.assertIn("R1   not shown", self.claims().stdout)

    def test_declarations_that_show_nothing_are_refused(self):
        for rest, told in (("  tests: ['^law: ', '^lore: ']\n", "R1: no test is named like '^lore: '"),
                           ("", "R1: expected tests, commands, or what is missing"),
                           ("  test: ['^law: ']\n", "R1: unknown key 'test'")):
            self.declare(rest)
            ended = self.claims("--check")
            self.assertEqual(ended.returncode, 2, ended.stdout)
            self.assertIn(told, ended.stderr)

    def test_a_page_that_is_not_up_to_date_is_found(self):
        self.assertEqual(self.claims("--check").returncode, 1)
        self.assertEqual(self.claims("--write").returncode, 0)
        self.assertIn("| R1 | all is well | two tests | holds | 2 of 2 tests pass |", (self.root / "tests/claims.md").read_text())
        self.assertEqual(self.claims("--check").returncode, 0)
        self.declare("  tests: ['^law: ']\n  missing: more\n")
        self.assertEqual(self.claims("--check").returncode, 1)


if __name__ == "__main__":
    unittest.main()
