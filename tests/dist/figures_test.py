#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/figures and scripts/results find planted wrong and stale figures, and --write repairs them. A program of a few lines
replaces tahoma: the time of a run is that of its case file."""

import pathlib
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
PROGRAM = '''#!/usr/bin/python3
import json, pathlib, re, sys
case = pathlib.Path(sys.argv[2])
pathlib.Path("executed").open("a").write(" ".join(sys.argv[1:sys.argv.index("--out")]) + "\\n")
time = float(re.search("time: (.*)", case.read_text())[1])
out = pathlib.Path(sys.argv[sys.argv.index("--out") + 1])
out.mkdir(parents=True)
(out / "summary.json").write_text(json.dumps({
    "workload": "w", "simulated_time_ns": time, "mfu_estimated_percent": 50, "whole": {"bound_by": "tensor", "bound_percent": 90},
    "golden": {"max_rel_error": 0.01, "tolerance": 0.02}, "regions": [{"name": "first", "time_ns": 10}]}))
(out / "summary.txt").write_text(f"answer\\n\\nmemory\\n  HBM {time}\\n\\nlinks\\n  x\\n")
'''
FIGURES = """runs:
  quick: tahoma run workloads/quick.yaml --mode timing
  same: tahoma run workloads/quick.yaml --mode timing
  slow: {command: tahoma run workloads/slow.yaml --mode timing, slow: true}
  other: {command: tahoma run workloads/slow.yaml --set workload.n=2, slow: true}
derived: {ratio: '{quick time} / {quick regions[first].time_ns}:number.1'}
tables:
  both: |
    | run | time, us | ratio |
    |---|---|---|
    | quick | {quick time:us} | {ratio} |
    | slow | {slow time:us} | |
"""
REGRESSION = "cases:\n  runs:\n    slow: {workload: ../slow.yaml}\n    quick: {workload: ../quick.yaml, set: {workload.n: 9}}\n"
GOLDEN = ("statistic,value\nworkload,w\nsimulated_time_ns,4000\nmfu_estimated_percent,50\nwhole.bound_by,tensor\n"
          "whole.bound_percent,90\n")
ROWS = "rows:\n  a: {case: quick.yaml, dtype: bf16}\n  b: {case: slow.yaml, dtype: bf16, slow: true}\n"


class Figures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.golden = "workloads/regression/goldens/cases/slow.csv"
        self.plant({"tahoma": PROGRAM, "workloads/figures.yaml": FIGURES, "workloads/regression/cases.yaml": REGRESSION,
                    self.golden: GOLDEN, self.golden.replace("slow", "quick"): GOLDEN,
                    "workloads/quick.yaml": "machine: m\ntime: 2500\n",
                    "workloads/slow.yaml": "machine: m\ntime: 4000\n", "model/configs/m.yaml": "extends: base\n",
                    "model/configs/base.yaml": "chips: 1\n"})
        (self.root / "tahoma").chmod(0o755)

    def plant(self, files):
        for name, text in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text, encoding="utf-8")

    def call(self, script, *arguments):
        return subprocess.run([SCRIPTS / script, "--root", self.root, "--binary", self.root / "tahoma", "--cache",
                               self.root / "cache", *arguments], capture_output=True, text=True, check=False, timeout=600)

    def figures(self, page, *arguments):
        """The script over one page; its status, output and the page afterwards."""
        self.plant({"a.md": page})
        done = self.call("figures", *arguments, "a.md")
        return done.returncode, done.stdout + done.stderr, (self.root / "a.md").read_text(encoding="utf-8")

    def executed(self):
        file = self.root / "executed"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    def test_figures_are_written_and_then_stand(self):
        status, said, page = self.figures(
            "takes <!--=quick time-->?<!--/--> or <!--=quick time:us-->?<!--/-->, <!--=quick summary line 1-->`?`<!--/-->,\n"
            "<!--=quick mfu:percent.0-->?<!--/-->, <!--=ratio-->?<!--/-->, <!--=quick regions[first].time_ns-->?<!--/-->\n"
            "<!--=quick summary section memory-->\n```text\nold\n```\n<!--/-->\nend\n", "--write")
        self.assertEqual(status, 0, said)
        self.assertEqual(page, "takes <!--=quick time-->2.5 us<!--/--> or <!--=quick time:us-->2.5<!--/-->, "
                         "<!--=quick summary line 1-->`answer`<!--/-->,\n"
                         "<!--=quick mfu:percent.0-->50 %<!--/-->, <!--=ratio-->250.0<!--/-->, "
                         "<!--=quick regions[first].time_ns-->10 ns<!--/-->\n"
                         "<!--=quick summary section memory-->\n```text\nmemory\n  HBM 2500.0\n```\n<!--/-->\nend\n")
        self.assertEqual(self.figures(page, "--check")[0], 0)
        self.assertEqual(self.figures(page, "--write")[2], page)

    def test_a_table_is_filled_from_its_declaration(self):
        status, said, page = self.figures("<!--=both-->\n?\n<!--/-->\n", "--write")
        self.assertEqual(status, 0, said)
        self.assertEqual(page, "<!--=both-->\n| run | time, us | ratio |\n|---|---|---|\n| quick | 2.5 | 250.0 |\n"
                         "| slow | 4 | |\n<!--/-->\n")
        self.assertEqual(self.figures(page, "--check")[0], 0)
        status, said, _ = self.figures(page.replace("| slow | 4 |", "| slow | 5 |"), "--check", "--quick")
        self.assertEqual(status, 1)
        self.assertIn("expected: | slow | 4 | |", said)
        self.plant({"workloads/figures.yaml": FIGURES.replace("{slow time:us}", "{slew time:us}")})
        self.assertIn("'slew' is not a run", self.figures(page, "--check")[1])

    def test_a_wrong_figure_is_found_with_its_place(self):
        status, said, page = self.figures("one\ntakes <!--=quick time-->2.4 us<!--/-->\n", "--check")
        self.assertEqual(status, 1)
        self.assertIn("a.md:2: found '2.4 us', expected '2.5 us'", said)
        self.assertIn("2.4 us", page)

    def test_a_wrong_line_of_a_block_is_found(self):
        status, said, _ = self.figures("<!--=quick summary section memory-->\n```\nmemory\n  HBM 1\n```\n<!--/-->\n", "--check")
        self.assertEqual(status, 1)
        self.assertIn("line 2 of the block", said)
        self.assertIn("expected:   HBM 2500.0", said)

    def test_markers_that_cannot_be_served_are_found(self):
        for marker, why in (("nothing time", "is not a run"), ("quick wings", "has no figure 'wings'"),
                            ("quick summary section nowhere", "selects no line"), ("quick summary line 99", "selects no line")):
            status, said, _ = self.figures(f"<!--={marker}-->1<!--/-->\n", "--check")
            self.assertEqual(status, 1, marker)
            self.assertIn(f"a.md:1: ", said)
            self.assertIn(why, said)
        self.assertIn("no partner", self.figures("<!--=quick time-->2.5 us\n", "--check")[1])

    def test_examples_and_figures_of_the_host_are_left_alone(self):
        page = "```markdown\n<!--=nothing time-->1<!--/-->\n```\n<!--host cmd, 2026-01-01-->3 s<!--/-->\n"
        status, said, after = self.figures(page, "--write")
        self.assertEqual((status, after), (0, page), said)

    def test_a_command_is_executed_once_and_again_when_an_input_changes(self):
        page = "<!--=quick time-->2.5 us<!--/--> <!--=quick mfu-->50.0 %<!--/--> <!--=same time-->2.5 us<!--/-->\n"
        self.assertEqual(self.figures(page, "--check")[0], 0)
        self.assertEqual(self.figures(page, "--check")[0], 0)
        self.assertEqual(len(self.executed()), 1)
        self.plant({"workloads/quick.yaml": "machine: m\ntime: 3000\n"})
        self.assertIn("expected '3 us'", self.figures(page, "--check")[1])
        self.assertEqual(len(self.executed()), 2)

    def test_a_run_that_fails_is_named(self):
        self.plant({"workloads/quick.yaml": "no time\n"})
        status, said, _ = self.figures("<!--=quick time-->1<!--/-->\n", "--check")
        self.assertEqual(status, 2)
        self.assertIn("quick: exit status 1", said)

    def test_a_slow_figure_is_compared_with_the_golden_of_the_same_settings(self):
        self.assertEqual(self.figures("<!--=slow time-->4 us<!--/-->\n", "--check", "--quick")[0], 0)
        self.plant({self.golden: GOLDEN.replace("4000", "5000")})
        status, said, _ = self.figures("<!--=slow time-->4 us<!--/-->\n", "--check", "--quick")
        self.assertEqual(status, 1)
        self.assertIn("expected '5 us'", said)
        self.assertEqual(self.executed(), [])

    def test_a_slow_figure_without_a_golden_of_its_own_is_compared_with_the_record(self):
        page = "<!--=other time-->?<!--/-->\n"
        self.assertIn("no value is recorded", self.figures(page, "--check", "--quick")[1])
        _, _, page = self.figures(page, "--write")
        self.assertEqual(page, "<!--=other time-->4 us<!--/-->\n")
        self.assertEqual(self.figures(page, "--check", "--quick")[0], 0)
        status, said, _ = self.figures(page.replace("4 us", "4.1 us"), "--check", "--quick")
        self.assertEqual(status, 1)
        self.assertIn("expected '4 us'", said)
        self.assertEqual(len(self.executed()), 1)

    def test_a_recorded_figure_is_stale_when_what_it_rests_on_changes(self):
        _, _, page = self.figures("<!--=other time-->?<!--/-->\n", "--write")
        for file in (self.golden, "workloads/slow.yaml", "model/configs/base.yaml"):
            text = (self.root / file).read_text(encoding="utf-8")
            self.plant({file: text + "\n"})
            status, said, _ = self.figures(page, "--check", "--quick")
            self.assertEqual(status, 1, file)
            self.assertIn(f"was recorded before {file} changed", said)
            self.assertIn("was recorded before", self.figures(page, "--check")[1])
            self.plant({file: text})
            self.assertEqual(self.figures(page, "--check", "--quick")[0], 0, file)
        self.plant({self.golden: GOLDEN + "instructions,7\n"})
        self.assertEqual(self.figures(page, "--write")[0], 0)
        self.assertEqual(self.figures(page, "--check", "--quick")[0], 0)

    def test_a_slow_run_that_rests_on_no_golden_is_refused(self):
        self.plant({"workloads/regression/cases.yaml": "cases:\n  runs: {}\n"})
        self.assertIn("depend on no golden", self.figures("<!--=other time-->4 us<!--/-->\n", "--write")[1])

    def test_the_table_of_results_covers_slow_rows(self):
        self.plant({"workloads/results.yaml": ROWS, "workloads/README.md": "<!--=results-->\n<!--/-->\n"})
        done = self.call("figures", "--write", "workloads/README.md")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        page = (self.root / "workloads/README.md").read_text(encoding="utf-8")
        self.assertIn("| b | w | bf16 | 4 us | 50.0 % | tensor | 90.0 % | 0.01 | 0.02 |", page)
        before = len(self.executed())
        self.assertEqual(self.call("results", "--check").returncode, 0)
        self.assertEqual(len(self.executed()), before)
        self.plant({"workloads/README.md": page.replace("4 us", "3 us")})
        done = self.call("results", "--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("b: time is 4 us, the page has 3 us", done.stdout)
        self.assertEqual(self.call("figures", "--check", "--quick", "workloads/README.md").returncode, 1)


if __name__ == "__main__":
    unittest.main()
