#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/intervals stores the interval of a case, and finds one that is out of date or missing."""

import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
TAHOMA = ROOT / "build/tahoma"
CASE = """kind: vector_add
machine: trainium2_one_chip
mode: timing
workload: {elements: 65536, columns: 512}
"""


class Intervals(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.root = pathlib.Path(self.place.name)
        self.case = self.root / "workloads/sum/small.yaml"
        self.case.parent.mkdir(parents=True)
        self.case.write_text(CASE, encoding="utf-8")

    def intervals(self, *words):
        done = subprocess.run([ROOT / "scripts/intervals", "--binary", TAHOMA, "--root", self.root, "--jobs", "2", *words],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_a_stored_interval_is_shown_until_the_time_is_another(self):
        status, told = self.intervals("--write", self.case)
        self.assertEqual(status, 0, told)
        self.assertIn("95 % interval", told)
        self.assertEqual(self.intervals("--check"), (0, "1 intervals, 0 findings\n"))

        stored = self.case.parent / "intervals.csv"
        with stored.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        rows[0]["time_fs"] = str(int(rows[0]["time_fs"]) + 1)
        with stored.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        status, told = self.intervals("--check")
        self.assertEqual(status, 1)
        self.assertIn("workloads/sum/small.yaml: the interval is out of date", told)

    def test_nothing_to_check_and_a_case_that_fails_are_findings(self):
        self.assertEqual(self.intervals("--check"), (1, "0 intervals, 0 findings\n"))
        self.case.write_text(CASE.replace("65536", "0"), encoding="utf-8")
        for how in ("--check", "--write"):
            status, told = self.intervals(how, self.case)
            self.assertEqual(status, 1)
            self.assertIn("E-CFG-", told)


if __name__ == "__main__":
    TAHOMA = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
