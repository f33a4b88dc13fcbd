#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/plot draws the page of a real `tahoma check` and a real `tahoma sweep`, the program given as the argument, and
refuses what it cannot draw."""

import contextlib
import csv
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import re
import statistics
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

BANDWIDTH, CLOCK = "machine.chip.hbm.bandwidth", "machine.chip.core.tensor.clock"
SWEEP = f"""sweep:
  title: A sweep of a test
  workloads: {ROOT / "workloads/gemm/chip.yaml"}
  mode: timing
  axes:
    - {BANDWIDTH}: [400 GB/s, 800 GB/s]
    - {CLOCK}: [1.4 GHz, 2.8 GHz]
    - {{workload.shard.m: [2, 4], workload.shard.n: [4, 2]}}
    - workload.dtype: [bf16, fp32]
  set: {{workload.shard.k: 1, workload.m: 96, workload.n: 96, workload.k: 64}}
  metrics: {{price: '{BANDWIDTH} * s / GB * 2 + {CLOCK} / MHz'}}
"""

# All drawings but one run in this process: loading the library takes longer than any test.
LOADER = importlib.machinery.SourceFileLoader("plot", str(ROOT / "scripts/plot"))
plot_script = importlib.util.module_from_spec(importlib.util.spec_from_loader("plot", LOADER))
LOADER.exec_module(plot_script)


class Drawing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)

        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.home)

    def plot(self, *arguments):
        """(status, standard output, standard error)"""
        out, err = io.StringIO(), io.StringIO()
        sys.argv = ["plot", *arguments]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = plot_script.main()
        return status, out.getvalue(), err.getvalue()


class AccuracyPlots(Drawing):
    def refused(self, text):
        (self.home / "bad.json").write_text(text, encoding="utf-8")
        status, _, said = self.plot("accuracy", "bad.json", "--out", "plots")
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
        self.assertEqual(check.returncode, 1, check.stdout + check.stderr)  # because of the event that does not happen
        self.assertEqual(self.plot("accuracy", "out/accuracy.json", "--out", "first"),
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
        status, _, said = self.plot("accuracy", "nothing.json", "--out", "plots")
        self.assertEqual(status, 2)
        self.assertIn("nothing.json: cannot read the file", said)


class SweepPlots(Drawing):
    """All tests use one sweep, whose axes include two numbers, a linked pair and a word."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        home = pathlib.Path(cls.folder.name)
        (home / "s.yaml").write_text(SWEEP, encoding="utf-8")
        made = subprocess.run([TAHOMA, "sweep", "s.yaml", "--out", "sweep"], cwd=home, capture_output=True, text=True,
                              check=False)
        assert made.returncode == 0, made.stdout + made.stderr
        cls.sweep = str(home / "sweep")

    def drawn(self, kind, *arguments):
        """Returns the texts of the SVG."""
        self.assertEqual(self.plot(kind, self.sweep, *arguments, "--out", "p/x"), (0, "p/x.svg\np/x.png\n", ""))
        self.assertTrue((self.home / "p/x.png").read_bytes().startswith(b"\x89PNG"))
        svg = (self.home / "p/x.svg").read_text(encoding="utf-8")
        # Matplotlib writes a text as a comment above its outline.
        return [text.strip() for text in re.findall("<!--(.*?)-->", svg, re.DOTALL)]

    def not_drawn(self, *arguments):
        status, out, said = self.plot(*arguments, "--out", "p/x")
        self.assertEqual((status, out, (self.home / "p").exists()), (2, "", False))
        self.assertEqual(said.count("\n"), 1, said)
        return said

    def test_a_front_lists_what_varies_for_each_of_its_points(self):
        texts = self.drawn("pareto", "simulated_time_ns", "price")
        self.assertIn("simulated time [us]", texts)
        for heading in ("hbm.bandwidth", "tensor.clock", "shard.m, n", "workload.dtype"):
            self.assertIn(heading, texts)
        self.assertIn("400 GB/s", texts)  # the cheapest is on the front
        self.assertTrue(any(re.fullmatch(r"\d+ of 16 points are Pareto-optimal", text) for text in texts))

    def test_a_front_has_what_no_other_point_equals_or_beats(self):
        class Row:
            def __init__(self, number, x, y):
                self.number, self.metrics = number, {"x": x, "y": y}
        rows = [Row(at, *pair) for at, pair in enumerate([(3, 1), (1, 3), (2, 3), (2, 2), (2, 2), (4, 1)])]
        self.assertEqual([row.number for row in plot_script.pareto.front_of(rows, "x", "y")], [1, 3, 0])

    def test_lines_have_readable_units_and_a_key(self):
        texts = self.drawn("line", BANDWIDTH, "simulated_time_ns", "--by", CLOCK, "--fix", "workload.dtype=bf16")
        for text in ("hbm.bandwidth [GB/s]", "400", "800", "tensor.clock", "1.4 GHz", "2.8 GHz"):
            self.assertIn(text, texts)
        self.assertIn("line: median, band: min. to max. over shard.m, n; workload.dtype = bf16", texts)

    def test_cells_of_a_heat_map_carry_their_median(self):
        with open(self.sweep + "/points.csv", encoding="utf-8") as table:
            median = statistics.median(float(row["price"]) for row in csv.DictReader(table)
                                       if row[BANDWIDTH] == "400 GB/s" and row["workload.dtype"] == "bf16")
        self.assertIn(f"{median:.4g}", self.drawn("heat", BANDWIDTH, "workload.dtype", "price"))

    def test_a_tornado_moves_one_axis_at_a_time(self):
        texts = self.drawn("tornado", "price", "--base", "0")
        self.assertIn("base: point 0, 2200; one axis moves at a time; ends: the value there", texts)
        self.assertIn("800 GB/s", texts)
        self.assertEqual(texts.count("no difference"), 2)  # prices do not depend on shards and types

    def test_one_file_is_written_where_one_is_asked_for(self):
        status, out, _ = self.plot("tornado", self.sweep, "price", "--out", "only.png")
        self.assertEqual((status, out, [file.name for file in self.home.glob("only*")]), (0, "only.png\n", ["only.png"]))

    def test_what_cannot_be_drawn_is_refused_with_the_nearest_name(self):
        self.assertIn("no metric 'simulated_time'; did you mean simulated_time_ns",
                      self.not_drawn("pareto", self.sweep, "simulated_time", "price"))
        self.assertIn(f"no parameter that varies 'machine.hbm.bandwidth'; did you mean {BANDWIDTH}?",
                      self.not_drawn("line", self.sweep, "machine.hbm.bandwidth", "price"))
        self.assertIn("no parameter that varies", self.not_drawn("heat", self.sweep, BANDWIDTH, "x", "price"))
        self.assertIn("no such folder", self.not_drawn("tornado", "nowhere", "price"))
        self.assertIn("holds no sweep.db", self.not_drawn("tornado", ".", "price"))
        self.assertIn("the nearest is 15", self.not_drawn("tornado", self.sweep, "price", "--base", "99"))
        self.assertIn("no value 'fp8'; did you mean fp32?",
                      self.not_drawn("line", self.sweep, BANDWIDTH, "price", "--fix", "workload.dtype=fp8"))
        self.assertIn("expected PATH=VALUE", self.not_drawn("line", self.sweep, BANDWIDTH, "price", "--fix", "a"))
        self.assertIn("no workload 'x'", self.not_drawn("tornado", self.sweep, "price", "--workload", "x"))
        (self.home / "broken").mkdir()
        (self.home / "broken/sweep.db").write_text("no database, whatever its name says", encoding="utf-8")
        self.assertIn("not a sweep's database", self.not_drawn("tornado", "broken", "price"))


if __name__ == "__main__":
    unittest.main()
