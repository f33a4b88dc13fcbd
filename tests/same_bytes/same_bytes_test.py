#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""same_bytes.py reports programs whose results depend on a condition or on the build."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import same_bytes

WRITE = 'while [ "$1" != --out ]; do shift; done; mkdir -p "$2"; echo same > "$2/summary.txt"; date +%N > "$2/manifest.json"; '
# condition -> a program that writes other bytes under it
DEPENDENT = {
    "again": 'echo x >> "$0.runs"; wc -l < "$0.runs" > "$2/summary.txt"',
    "another working directory": 'case $PWD in /) echo root > "$2/summary.txt";; esac',
    "a long path": 'echo ${#2} > "$2/length.csv"',
    "another locale": 'echo "$LC_ALL" > "$2/summary.txt"',
    "another time zone": 'date +%Z > "$2/summary.txt"',
    "a large environment": 'env | wc -c > "$2/summary.txt"',
    "memory filled with junk": 'echo "$MALLOC_CONF" > "$2/summary.txt"',
    "aslr": 'cat /proc/self/personality > "$2/summary.txt"',
    "one processor": 'nproc > "$2/summary.txt"',
    "little stack": 'ulimit -s > "$2/summary.txt"',
}


class Planted(unittest.TestCase):
    def output(self, body, other=None, how="--other", *options):
        """What the tool prints, and its exit status, for a program with this body."""
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for name, text in (("program", body), ("other", other)):
                if text is not None:
                    path = pathlib.Path(folder) / name
                    path.write_text(f"#!/bin/sh\n{WRITE}{text}\n", encoding="utf-8")
                    path.chmod(0o755)
                    names += ["--binary" if name == "program" else how, str(path)]
            out = io.StringIO()
            with mock.patch.object(sys, "argv", ["same_bytes.py", *names, *options, "case.yaml"]), contextlib.redirect_stdout(out), \
                    self.assertRaises(SystemExit) as end:
                same_bytes.main()
        return out.getvalue(), end.exception.code

    def test_equal_bytes_pass_although_the_manifest_differs(self):
        out, status = self.output(":", ":")
        self.assertEqual(status, 0, out)
        self.assertIn(f"1 cases, {len(same_bytes.CONDITIONS) + 1} conditions, {len(same_bytes.CONDITIONS) + 1} comparisons, 0 omitted, 0 findings", out)

    def test_every_condition_can_fail(self):
        self.assertEqual(set(DEPENDENT), set(same_bytes.CONDITIONS))
        for name, body in DEPENDENT.items():
            with self.subTest(name):
                out, status = self.output(body)
                self.assertEqual(status, 1, out)
                self.assertIn(f"case.yaml: {name}: other bytes in ", out)

    def test_plainer_processors_can_fail(self):
        with mock.patch.object(same_bytes, "simd_conditions", lambda library: {"plain": same_bytes.condition(TAHOMA_SIMD_TARGET="1")}):
            out, status = self.output('echo "$TAHOMA_SIMD_TARGET" > "$2/summary.txt"')
        self.assertEqual(status, 1, out)
        self.assertIn("case.yaml: plain: other bytes in summary.txt", out)
        self.assertRegex(out, r"plain +0 of 1 cases equal")

    def test_another_build_can_fail(self):
        out, status = self.output(":", 'echo other > "$2/summary.txt"')
        self.assertEqual(status, 1, out)
        self.assertIn("other bytes in summary.txt", out)

    def test_the_libraries_of_another_system_may_differ_and_nothing_else(self):
        store = f"{sys.executable} -c 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); [c.execute(x) for x in sys.argv[2:]]; c.commit()' \"$2\"/stats.db"
        rows = '"CREATE TABLE t(x)" "INSERT INTO t VALUES(1)"'
        page = "echo '<script>/*!\n * Chart.js v{}\n*/</script> {}' > \"$2\"/report.html"
        own = f"{store} {rows}; {page.format(3, 'data')}"
        for other, told in ((f'{store} "PRAGMA page_size=8192" {rows}; {page.format(4, "data")}', "0 findings"),
                            (f'{store} {rows} "INSERT INTO t VALUES(2)"; {page.format(3, "data")}', "other bytes in stats.db (content)"),
                            (f"{store} {rows}; {page.format(3, 'more')}", "other bytes in report.html (content)")):
            with self.subTest(told):
                self.assertIn(told, self.output(own, other, "--other-system", "--builds-only")[0])

    def test_files_and_exit_statuses_count(self):
        for other, told in (('touch "$2/more"', "other bytes in more"), ('rm "$2/summary.txt"', "other bytes in summary.txt"),
                            ("exit 4", "exit status 4, without it 0")):
            with self.subTest(told):
                self.assertIn(told, self.output(":", other)[0])

    def test_no_results_are_a_finding(self):
        out, status = self.output('rm -r "$2"; exit 2')
        self.assertEqual(status, 1, out)
        self.assertIn("no results, exit status 2", out)


if __name__ == "__main__":
    unittest.main()
