#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`python3 -m tahoma.optimise` finds what a real sweep of all points finds, by the program given as the argument; resumes where it was
stopped; and refuses what it cannot search."""

import os
import pathlib
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
TAHOMA = sys.argv.pop()
os.environ["PYTHONPATH"] = str(pathlib.Path(TAHOMA).resolve().parent / "python")
sys.path.append(str(ROOT / "frontend/python/package/tahoma"))
from optimise.names import BadRequest  # noqa: E402
from optimise.points import Outcome  # noqa: E402
from optimise.study import Constraint, Goal, Search, optuna, sampler_of  # noqa: E402

BANDWIDTH, CLOCK = "machine.chip.hbm.bandwidth", "machine.chip.core.tensor.clock"
SWEEP = f"""sweep:
  workloads: {ROOT / "workloads/gemm/chip.yaml"}
  mode: timing
  set: {{workload.shard.k: 1, workload.m: 96, workload.n: 96, workload.k: 64}}
  axes:
    - {BANDWIDTH}: {{from: 400 GB/s, to: 800 GB/s, step: 200 GB/s}}
    - {CLOCK}: [1.4 GHz, 2.8 GHz]
    - {{workload.shard.m: [2, 4], workload.shard.n: [4, 2]}}
  where: '{CLOCK} <= 2 * GHz || {BANDWIDTH} <= 700 * GB / s'
  metrics: {{price: '{BANDWIDTH} * s / GB * 2 + {CLOCK} / MHz', cost: price * simulated_time_ns}}
"""


class Line:
    """A space of the numbers from 0 up, for laws that need no program."""

    paths, axes = ["x"], []

    def __init__(self, count):
        self.count = count

    def size(self):
        return self.count

    def suggest(self, trial):
        return {"x": str(trial.suggest_int("x", 0, self.count - 1))}


def search_of(count, goal, source, sampler="tpe"):
    made = optuna.create_study(sampler=sampler_of(sampler, 1, count, constrained=bool(goal.constraints)),
                               directions=["minimize"] * len(goal.minimised))
    return Search(made, Line(count), goal, source, seed=1)


class Laws(unittest.TestCase):
    def test_no_point_is_asked_for_twice_and_all_are_found(self):
        for sampler in ("tpe", "nsga2"):
            asked = []

            def source(texts):
                asked.append(texts["x"])
                return Outcome("done", numbers={"y": float(texts["x"])})

            search = search_of(12, Goal(["y"], []), source, sampler)
            search.run(100, jobs=3)
            self.assertEqual(sorted(asked, key=int), [str(at) for at in range(12)])
            self.assertEqual([trial.values for trial in search.best()], [[0.0]])

    def test_a_point_that_breaks_a_constraint_is_never_the_best(self):
        for sampler in ("tpe", "nsga2"):
            search = search_of(12, Goal(["y"], ["y >= 4"]), lambda texts: Outcome("done", numbers={"y": int(texts["x"])}),
                               sampler)
            search.run(12, jobs=1)
            self.assertEqual(search.best()[0].values, [4])

    def test_a_front_has_no_point_that_another_beats(self):
        search = search_of(9, Goal(["a", "b"], []), lambda texts: Outcome(
            "done", numbers={"a": int(texts["x"]), "b": abs(int(texts["x"]) - 3)}), "nsga2")
        search.run(9, jobs=1)
        self.assertEqual([trial.values for trial in search.best()], [[0, 3], [1, 2], [2, 1], [3, 0]])

    def test_failed_points_count_and_filtered_ones_do_not(self):
        states = {0: "filtered", 1: "failed"}
        search = search_of(6, Goal(["y"], []), lambda texts: Outcome(
            states.get(int(texts["x"]), "done"), numbers={"y": int(texts["x"])}))
        search.run(100, jobs=1)
        self.assertEqual((search.evaluated, search.best()[0].values), (5, [2]))

    def test_constraints_are_one_comparison_with_a_number(self):
        self.assertEqual(Constraint("a + b <= 3").excess(5), 2)
        self.assertEqual(Constraint("a >= 3").excess(5), -2)
        for text in ("a < 3", "a <= b", "<= 3", "1 <= a <= 3"):
            with self.assertRaises(BadRequest):
                Constraint(text)


class Searches(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        (self.home / "s.yaml").write_text(SWEEP, encoding="utf-8")

    def command(self, *arguments, sweep="s.yaml", program=TAHOMA):
        return ["/usr/bin/python3", "-m", "tahoma.optimise", sweep, "--tahoma", program, *arguments]

    def search(self, *arguments, **names):
        return subprocess.run(self.command(*arguments, **names), cwd=self.home, capture_output=True, text=True,
                              check=False)

    def sweep(self):
        subprocess.run([TAHOMA, "sweep", "s.yaml", "--out", "grid"], cwd=self.home, check=True, capture_output=True)
        with sqlite3.connect(self.home / "grid/sweep.db") as database:
            return database.execute("SELECT min(value), count(*) FROM metrics WHERE name = 'cost'").fetchone()

    def test_all_points_searched_the_best_is_the_sweeps_and_its_command_runs(self):
        best, count = self.sweep()
        self.assertEqual(count, 10)  # 12 points, of which 2 are filtered
        for known in ([], ["--known", "grid"]):
            result = self.search("--minimise", "cost", "--trials", "50", "--jobs", "2", "--out", f"o{len(known)}", *known)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(f"{count} points evaluated of 12, {count if known else 0} of them known before", result.stdout)
            self.assertIn(f"cost = {best:.7g}", result.stdout)
        command = shlex.split(re.search("tahoma run .*", result.stdout).group())
        ran = subprocess.run([TAHOMA, *command[1:], "--out", "again"], cwd=self.home, capture_output=True, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertTrue((self.home / "again/summary.json").is_file())

    def test_a_killed_search_goes_on_with_what_it_knows(self):
        arguments = ("--minimise", "price * simulated_time_ns", "--trials", "8", "--out", "o")
        killed = subprocess.Popen(self.command(*arguments), cwd=self.home, stdout=subprocess.DEVNULL)
        while killed.poll() is None and len(list(self.home.glob("o/points/*/manifest.json"))) < 3:
            os.sched_yield()  # until there is something to resume
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        ran = {file: file.stat().st_mtime_ns for file in self.home.glob("o/points/*/manifest.json")}
        result = self.search(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("8 points evaluated of 12", result.stdout)
        self.assertEqual(ran, {file: file.stat().st_mtime_ns for file in ran})
        self.assertEqual(self.search(*arguments).stdout.splitlines()[1:], result.stdout.splitlines()[1:])

    def test_what_cannot_be_searched_is_refused(self):
        def refusal(*arguments, **names):
            result = self.search(*arguments, "--out", "o", **names)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertTrue(result.stderr.startswith("tahoma optimise: "), result.stderr)
            self.assertNotIn("Traceback", result.stderr)
            return result.stderr

        self.assertIn("no metric or parameter 'prise'; did you mean price?", refusal("--minimise", "prise"))
        self.assertIn("cannot read the file", refusal("--minimise", "cost", sweep="none.yaml"))
        self.assertIn("no such program", refusal("--minimise", "cost", program="./none"))
        self.assertIn("no such folder", refusal("--minimise", "cost", "--known", "none"))
        self.assertIn("'EXPR <= NUMBER'", refusal("--minimise", "cost", "--subject-to", "price"))
        (self.home / "w.yaml").write_text("kind: gemm\n", encoding="utf-8")
        self.assertIn("with the key 'sweep'", refusal("--minimise", "cost", sweep="w.yaml"))
        (self.home / "bad.yaml").write_text(SWEEP.replace("hbm.bandwidth: ", "hbm.bandwith: "), encoding="utf-8")
        self.assertIn("E-CFG", refusal("--minimise", "cost", sweep="bad.yaml"))
        self.assertEqual(self.search("--minimise", "cost", "--trials", "1", "--out", "p").returncode, 0)
        other = self.search("--minimise", "price", "--trials", "1", "--out", "p")
        self.assertEqual((other.returncode, "study.db belongs to another search" in other.stderr), (2, True))


if __name__ == "__main__":
    unittest.main()
