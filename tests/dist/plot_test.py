#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/plot draws the page of a real `tahoma check`, the program given as the argument, and refuses what is none."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
TAHOMA = sys.argv.pop()

CHECKS = """accuracy:
  title: A title of a test
  machine: trainium2_one_chip
  families:
    one: {doc: d, table: t.csv, rows: one_*, phases: 2}
    two: {doc: d, table: t.csv, rows: two_*}
"""
CASE = str(ROOT / "workloads/gemm/one_core_4096.yaml")
TABLE = f"""id,what,case,probe,silicon,unit,samples,low,high,use,source
one_a,a whole run,{CASE},time,1801,us,3,1790,1805,check,AGT
one_b,an instruction,{CASE},tensor[3].end - tensor[3].start,100,ns,1,,,calibration,TRACE
two_a,a rate,{CASE},tflops,77.2,TFLOPS,1,,,check,AGT
two_b,an event that does not happen,{CASE},cc0[0].end - cc0[0].start,5,ns,1,,,check,AGT
"""

# In this process for all but one drawing: loading the library takes longer than anything that is tested.
LOADER = importlib.machinery.SourceFileLoader("plot", str(ROOT / "scripts/plot"))
plot_script = importlib.util.module_from_spec(importlib.util.spec_from_loader("plot", LOADER))
LOADER.exec_module(plot_script)


class Plots(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)

        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.home)

    def plot(self, *arguments):
        """(status, standard output, standard error)"""
        out, err = io.StringIO(), io.StringIO()
        sys.argv = ["plot", "accuracy", *arguments]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = plot_script.main()
        return status, out.getvalue(), err.getvalue()

    def refused(self, text):
        (self.home / "bad.json").write_text(text, encoding="utf-8")
        status, _, said = self.plot("bad.json", "--out", "plots")
        self.assertEqual(status, 2)
        self.assertFalse((self.home / "plots").exists())
        self.assertEqual(said.count("\n"), 1, said)
        self.assertIn("scripts/plot: bad.json", said)
        return said

    def test_a_real_page_becomes_two_files_and_twice_the_same(self):
        (self.home / "checks.yaml").write_text(CHECKS, encoding="utf-8")
        (self.home / "t.csv").write_text(TABLE, encoding="utf-8")
        check = subprocess.run([TAHOMA, "check", "checks.yaml", "--out", "out"], cwd=self.home, capture_output=True,
                               text=True, check=False)
        self.assertEqual(check.returncode, 1, check.stdout + check.stderr)  # for the event that does not happen
        self.assertEqual(self.plot("out/accuracy.json", "--out", "first"),
                         (0, "first/accuracy.svg\nfirst/accuracy.png\n", ""))
        environment = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
        subprocess.run([ROOT / "scripts/plot", "accuracy", "out/accuracy.json", "--out", "second"], check=True,
                       stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=environment)
        svg = (self.home / "first/accuracy.svg").read_bytes()
        png = (self.home / "first/accuracy.png").read_bytes()
        self.assertIn(b"<svg", svg)
        self.assertTrue(png.startswith(b"\x89PNG"))
        self.assertGreater(min(len(svg), len(png)), 10000)
        self.assertEqual(svg, (self.home / "second/accuracy.svg").read_bytes())
        self.assertEqual(png, (self.home / "second/accuracy.png").read_bytes())

    def test_what_is_no_page_is_refused_by_name(self):
        self.assertIn("bad.json:1:2: not JSON", self.refused("{"))
        self.assertIn("not an accuracy.json", self.refused("[]"))
        self.assertIn("'schema_version'", self.refused("{}"))
        self.assertIn("expected schema_version 1, got 2", self.refused('{"schema_version": 2}'))
        page = {"schema_version": 1, "title": "t", "headline": "h", "families": []}
        self.assertIn("no figure", self.refused(json.dumps(page)))
        traffic = {"name": "a", "figures": [{"model": 1.0, "reference": 1.0, "traffic": {}}]}
        self.assertIn("no figure of silicon", self.refused(json.dumps({**page, "families": [traffic]})))
        self.assertIn("'figures'", self.refused(json.dumps({**page, "families": [{"name": "a"}]})))

    def test_a_missing_file_is_refused_by_name(self):
        status, _, said = self.plot("nothing.json", "--out", "plots")
        self.assertEqual(status, 2)
        self.assertIn("nothing.json: cannot read the file", said)


if __name__ == "__main__":
    unittest.main()
