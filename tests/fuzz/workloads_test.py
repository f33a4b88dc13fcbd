#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""workloads.py reports planted findings: wrong values, races, signals, kinds without cases; and its cases follow from the seed."""

import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import workloads

KINDS = ", ".join([*workloads.KINDS, *workloads.WITHOUT_SIZES])


class Planted(unittest.TestCase):
    def findings(self, body, cases=27, kinds=KINDS):
        """Runs the tool on a program of which `body` is the part that runs a case; returns its output and exit status."""
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program"
            program.write_text(f'#!/bin/sh\nif [ "$1" = params ]; then echo "text: one of: {kinds}; chosen"; exit 0; fi\n{body}\n',
                               encoding="utf-8")
            program.chmod(0o755)
            out = io.StringIO()
            arguments = ["workloads.py", "--binary", str(program), "--cases", str(cases)]
            with mock.patch.object(sys, "argv", arguments), contextlib.redirect_stdout(out), self.assertRaises(SystemExit) as end:
                workloads.main()
        return out.getvalue(), end.exception.code

    def test_a_program_without_findings_passes(self):
        out, status = self.findings("exit 0")
        self.assertEqual(status, 0, out)
        self.assertIn("27 passed, 0 refused, 0 findings", out)

    def test_every_other_end_is_a_finding(self):
        for body, told in [("echo 'tahoma: golden check: error[E-RUN-070]: wrong' >&2; exit 1", "exit status 1"),
                           ("echo 'E-CHK-001 race' >&2; echo 'tahoma: error[E-RUN-071]: 1 findings' >&2; exit 3", "E-CHK-001 race"),
                           ("exit 4", "exit status 4"), ("exit 5", "exit status 5"), ("exit 6", "exit status 6"),
                           ("exit 2", "exit status 2"), ("kill -SEGV $$", "exit status -11")]:
            with self.subTest(body):
                out, status = self.findings(body)
                self.assertEqual(status, 1)
                self.assertEqual(out.count(told), 27, out)

    def test_a_kind_that_is_mostly_refused_is_a_finding(self):
        out, status = self.findings("case $* in *gemm.yaml*) echo 'tahoma: error[E-CFG-013]: no' >&2; exit 2;; esac; exit 0")
        self.assertEqual(status, 1)
        self.assertIn("gemm: 1 of 1 cases are refused", out)

    def test_a_kind_without_a_generator_is_a_finding(self):
        out, status = self.findings("exit 0", kinds=KINDS + ", novelty")
        self.assertEqual(status, 1)
        self.assertIn("1 findings", out)


class Cases(unittest.TestCase):
    def test_follow_from_number_and_seed_and_differ(self):
        kinds = list(workloads.KINDS)
        cases = [workloads.case_of(n, 1, kinds) for n in range(270)]
        self.assertEqual(cases, [workloads.case_of(n, 1, kinds) for n in range(270)])
        self.assertGreater(len({repr(case) for case in cases}), 260)
        self.assertNotEqual(cases, [workloads.case_of(n, 2, kinds) for n in range(270)])
        self.assertEqual({kind for kind, _, _ in cases}, set(kinds))


if __name__ == "__main__":
    os.environ.pop("TAHOMA_CONFIGS", None)
    unittest.main()
