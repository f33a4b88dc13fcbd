#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tools report planted findings: wrong values, races, signals, other times and bytes, broken laws; cases follow from the seed."""

import contextlib
import io
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import compositions
import law_directions
import laws
import legal_values
import parsers
import workloads

KINDS = ", ".join([*workloads.KINDS, *workloads.WITHOUT_SIZES])


# Writes the summary of a run into the folder behind --out, the last argument.
DONE = 'for last; do :; done; mkdir -p "$last"; echo "{\\"simulated_time_ns\\": ${time:-1}}" >"$last/summary.json"; exit 0'


class Planted(unittest.TestCase):
    def findings(self, body, cases=27, kinds=KINDS, tool=workloads, options=()):
        """Runs a tool on a program of which `body` is the part that runs a case; returns its output and exit status."""
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program"
            program.write_text('#!/bin/sh\nif [ "$1" = params ]; then\n  case $* in *json*) echo "[]";; '
                               f'*) echo "text: one of: {kinds}; chosen";; esac\n  exit 0\nfi\n{body}\n', encoding="utf-8")
            program.chmod(0o755)
            out = io.StringIO()
            arguments = [tool.__file__, "--binary", str(program), "--cases", str(cases), *options]
            with mock.patch.object(sys, "argv", arguments), contextlib.redirect_stdout(out), self.assertRaises(SystemExit) as end:
                tool.main()
        return out.getvalue(), end.exception.code

    def test_a_program_without_findings_passes(self):
        out, status = self.findings(DONE)
        self.assertEqual(status, 0, out)
        self.assertIn("27 passed, 0 refused, 0 refused by a machine, 0 findings", out)

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
        out, status = self.findings("case $* in *gemm.yaml*) echo 'tahoma: error[E-CFG-013]: no' >&2; exit 2;; esac; " + DONE)
        self.assertEqual(status, 1)
        self.assertIn("gemm: 1 of 1 cases are refused", out)

    def test_other_times_in_timing_mode_are_a_finding(self):
        out, status = self.findings(f"case $* in *timing*) time=2;; esac; {DONE}")
        self.assertEqual(status, 1)
        self.assertEqual(out.count("1 ns in functional and 2 ns in timing mode"), 27, out)

    def test_runs_are_recorded_and_count_since_the_last_finding(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(workloads, "RECORD", pathlib.Path(folder) / "cases.csv"):
            for seed, body in ((3, DONE), (4, "exit 5"), (5, DONE), (6, DONE)):
                self.findings(body, 27, options=["--record", "--seed", str(seed)])
            self.assertEqual(workloads.recorded(), ("108 recorded random cases, the last 54 without a finding", 54))

    def test_other_bytes_in_another_environment_are_a_finding(self):
        out, status = self.findings(f'case $* in *functional|*repeated) time="1, \\"zone\\": \\"$TZ\\"";; esac; {DONE}')
        self.assertEqual(status, 1)
        self.assertEqual(out.count("another environment: summary.json differs"), 6, out)

    def test_laws_that_do_not_hold_are_findings(self):
        rising = f'time=$(($(cat "$0.count" 2>/dev/null || echo 0) + 1)); echo $time >"$0.count"; {DONE}'
        out, status = self.findings(rising, 40, tool=laws, options=["--law", "more", "--law", "permuted"])
        self.assertEqual(status, 1)
        self.assertIn("ns instead of at most", out)
        self.assertIn("permuted collective", out)
        out, status = self.findings(DONE, 40, tool=laws, options=["--law", "more", "--law", "split", "--law", "permuted"])
        self.assertEqual(status, 0, out)

    def test_a_wider_part_that_slows_a_run_is_a_finding(self):
        rows = {path: {"path": path, "type": "count", "range": "1 .. 100", "default": "4"} for path in law_directions.COUNTS}
        slower = f'case $* in *--set*machine.*) time=102;; *) time=100;; esac; {DONE}'
        with mock.patch.object(laws.legal_values, "declared", return_value=rows):
            out, status = self.findings(slower, 20, tool=laws, options=["--law", "wider"])
            self.assertEqual(status, 1)
            self.assertIn("102 ns instead of at most 100 ns", out)
            out, status = self.findings(slower.replace("102", "101"), 20, tool=laws, options=["--law", "wider"])
            self.assertEqual(status, 0, out)

    def test_compositions_that_break_their_laws_are_findings(self):
        def shares(lost):
            summary = f'{{\\"goodput\\": {{\\"goodput_percent\\": 90.0, \\"lost_percent\\": {lost}}}, \\"step\\": {{\\"seconds\\": 1.0}}}}'
            return f'for last; do :; done; mkdir -p "$last"; echo "{summary}" >"$last/summary.json"; exit 0'
        for body, status, told in [(shares("10.0"), 0, "0 findings"), (shares("11.0"), 1, "add up to 101.0 percent"),
                                   (shares("null"), 1, "is not finite"), ("exit 5", 1, "exit status 5")]:
            with self.subTest(told):
                out, code = self.findings(body, 5, tool=compositions, options=["--command", "cluster"])
                self.assertEqual(code, status, out)
                self.assertIn(told, out)

    def test_a_kind_without_a_generator_is_a_finding(self):
        out, status = self.findings(DONE, kinds=KINDS + ", novelty")
        self.assertEqual(status, 1)
        self.assertIn("1 findings", out)


class Cases(unittest.TestCase):
    def test_follow_from_number_and_seed_and_differ(self):
        kinds = list(workloads.KINDS)
        cases = [workloads.case_of(n, 1, kinds) for n in range(270)]
        self.assertEqual(cases, [workloads.case_of(n, 1, kinds) for n in range(270)])
        self.assertGreater(len({repr(case) for case in cases}), 260)
        self.assertNotEqual(cases, [workloads.case_of(n, 2, kinds) for n in range(270)])
        self.assertEqual({kind for kind, *_ in cases}, set(kinds))


class Values(unittest.TestCase):
    def test_are_inside_the_range_and_in_whole_units(self):
        rng = random.Random(1)
        row = {"type": "bandwidth", "range": "1 MB/s .. 2 GB/s", "default": "1 GB/s", "may_be_ideal": True}
        values = {legal_values.value(rng, row) for _ in range(300)}
        self.assertIn("ideal", values)
        numbers = [legal_values.amount(value, "bandwidth") for value in values - {"ideal"}]
        self.assertTrue(all(1e6 <= number <= 2e9 and number == int(number) for number in numbers))
        near = {legal_values.value(rng, {**row, "may_be_ideal": False}, 2) for _ in range(100)}
        self.assertGreaterEqual(min(legal_values.amount(value, "bandwidth") for value in near), 0.5e9)

    def test_of_every_type_are_legal(self):
        rng = random.Random(2)
        self.assertIn(legal_values.value(rng, {"type": "switch", "range": "true or false"}), {"true", "false"})
        self.assertIn(legal_values.value(rng, {"type": "text", "range": "one of: a, b"}), {"a", "b"})
        self.assertIsNone(legal_values.value(rng, {"type": "text", "range": "any text"}))


class ParserRuns(unittest.TestCase):
    def row(self, status, told):
        return parsers.row_of("npy", 1, subprocess.CompletedProcess([], status, "", told))

    def test_count_executions_and_report_crashes(self):
        told = "#12 DONE cov: 77 ft: 9\nstat::number_of_executed_units: 1234\n"
        row, found = self.row(0, told)
        self.assertEqual((row["executions"], row["edges"], found), (1234, 77, []))
        row, found = self.row(77, "==1== ERROR: AddressSanitizer: planted\nTest unit written to here\n" + told)
        self.assertIn("AddressSanitizer: planted; input here", found[0])
        self.assertEqual(self.row(0, "")[0]["findings"], 1)  # a run that says nothing shows nothing

    def test_add_up_to_the_recorded_executions(self):
        rows = [{"parser": "a", "executions": "5"}, {"parser": "b", "executions": "7"}, {"parser": "a", "executions": "6"}]
        self.assertEqual(parsers.summary(rows), "2 parsers, 18 recorded executions; fewest 7 (b)")


if __name__ == "__main__":
    os.environ.pop("TAHOMA_CONFIGS", None)
    unittest.main()
