#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`python3 -m tahoma.optimise` finds what a real sweep of all points finds, by the program given as the argument; resumes where it was
stopped; and refuses what it cannot search."""

import csv
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
from optimise.bands import Banded, at_end, banded_metric, front_of  # noqa: E402
from optimise.folder import Point  # noqa: E402
from optimise.goal import Constraint, Goal, Term, objective, weights_of  # noqa: E402
from optimise.names import BadRequest  # noqa: E402
from optimise.points import Outcome, outcome_of, resolve  # noqa: E402
from optimise.study import Search, directions_of, optuna, sampler_of  # noqa: E402

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

    paths, axes, workloads, sweep = ["x"], [], ["w"], {}

    def __init__(self, count):
        self.count = count

    def size(self):
        return self.count

    def suggest(self, trial):
        return {"x": str(trial.suggest_int("x", 0, self.count - 1))}


def done(**numbers):
    return Outcome("done", measures={"w": numbers}, parameters={"w": {}})


def search_of(count, goal, source, sampler="tpe"):
    made = optuna.create_study(sampler=sampler_of(sampler, 1, count, constrained=bool(goal.constraints)),
                               directions=directions_of(goal))
    return Search(made, Line(count), goal, source, seed=1)


class Laws(unittest.TestCase):
    def test_no_point_is_asked_for_twice_and_all_are_found(self):
        for sampler in ("tpe", "nsga2"):
            asked = []

            def source(texts):
                asked.append(texts["x"])
                return done(y=float(texts["x"]))

            search = search_of(12, Goal(["y"], []), source, sampler)
            search.run(100, jobs=3)
            self.assertEqual(sorted(asked, key=int), [str(at) for at in range(12)])
            self.assertEqual([trial.values for trial in search.best()], [[0.0]])

    def test_a_point_that_breaks_a_constraint_is_never_the_best(self):
        for sampler in ("tpe", "nsga2"):
            search = search_of(12, Goal(["y"], ["y >= 4"]), lambda texts: done(y=int(texts["x"])), sampler)
            search.run(12, jobs=1)
            self.assertEqual(search.best()[0].values, [4])

    def test_a_front_has_no_point_that_another_beats(self):
        search = search_of(9, Goal(["a", "b"], []), lambda texts: done(a=int(texts["x"]), b=abs(int(texts["x"]) - 3)),
                           "nsga2")
        search.run(9, jobs=1)
        self.assertEqual([trial.values for trial in search.best()], [[0, 3], [1, 2], [2, 1], [3, 0]])

    def test_failed_points_count_and_filtered_ones_do_not(self):
        states = {0: "filtered", 1: "failed"}
        search = search_of(6, Goal(["y"], []), lambda texts: Outcome(
            states.get(int(texts["x"]), "done"), measures={"w": {"y": int(texts["x"])}}))
        search.run(100, jobs=1)
        self.assertEqual((search.evaluated, search.best()[0].values), (5, [2]))
        self.assertEqual(len(search.reasons()), 1)

    def test_constraints_are_one_comparison_with_a_number(self):
        self.assertEqual(Constraint("a + b <= 3").excess(5), 2)
        self.assertEqual(Constraint("a >= 3").excess(5), -2)
        for text in ("a < 3", "a <= b", "<= 3", "1 <= a <= 3"):
            with self.assertRaises(BadRequest):
                Constraint(text)

    def test_an_objective_that_grows_is_maximised(self):
        for sampler in ("tpe", "nsga2"):
            search = search_of(9, Goal(["max:y"], ["y <= 6"]), lambda texts: done(y=int(texts["x"])), sampler)
            search.run(9, jobs=1)
            self.assertEqual([trial.values for trial in search.best()], [[6]])
        search = search_of(5, Goal(["max:a", "min:b"], []), lambda texts: done(a=int(texts["x"]) % 3, b=int(texts["x"])))
        search.run(5, jobs=1)
        self.assertEqual([trial.values for trial in search.best()], [[2, 2], [1, 1], [0, 0]])
        self.assertEqual(objective("a > 1 ? b : c").text, "a > 1 ? b : c")  # the colon of a choice
        with self.assertRaises(BadRequest):
            objective("most:y")


class Weights(unittest.TestCase):
    MEASURES = {"a/one.yaml": {"y": 1.0, "simulated_time_ns": 10.0, "band.low_ns": 8.0, "band.high_ns": 20.0},
                "two.yaml": {"y": 5.0, "simulated_time_ns": 30.0, "band.low_ns": 28.0, "band.high_ns": 32.0}}

    def test_a_value_of_several_workloads_is_their_weighted_mean(self):
        weights = weights_of(["two=3"], list(self.MEASURES))
        goal = Goal(["y", "simulated_time_ns"], ["y <= 3"], weights)
        self.assertEqual(goal.values(self.MEASURES), [Banded(4, 4, 4), Banded(25, 23, 29)])  # (1 + 3 * 5) / 4, ...
        self.assertEqual(goal.excesses(self.MEASURES), [1])
        self.assertEqual(Goal(["y"], []).values(self.MEASURES), [Banded(3, 3, 3)])  # without weights, all are equal

    def test_the_worst_is_that_of_the_direction(self):
        goal = Goal(["worst(y)", "max:worst(y)"], ["worst(y) <= 4", "worst(y) >= 4"], weights_of(["two=3"], list(self.MEASURES)))
        self.assertEqual([value.value for value in goal.values(self.MEASURES)], [5, 1])
        self.assertEqual(goal.excesses(self.MEASURES), [1, 3])
        self.assertFalse(Term("(a) + (b)", False).worst)
        for text in ("worst(a) + worst(b)", "1 + worst(a)", "worst()"):
            with self.assertRaises(BadRequest):
                Term(text, False)

    def test_a_weight_is_a_number_above_0_of_a_workload(self):
        for text in ("none=1", "two", "two=0", "two=-1", "two=many", "two=inf", "two=nan"):
            with self.assertRaises(BadRequest):
                weights_of([text], list(self.MEASURES))
        self.assertEqual(weights_of(["b/x.yaml=2"], ["a/x.yaml", "b/x.yaml"]), {"a/x.yaml": 1, "b/x.yaml": 2})

    def test_what_one_workload_refuses_is_refused(self):
        rows = [Point(0, "a", "done", ""), Point(1, "b", "failed", "too large")]
        outcome = outcome_of(rows, ["a", "b"])
        self.assertEqual((outcome.state, outcome.reason), ("failed", "b: too large"))
        self.assertEqual(outcome_of(rows[:1], ["a", "b"]).state, "filtered")
        self.assertEqual(list(outcome_of(rows[:1], ["a"]).measures), ["a"])


class Bands(unittest.TestCase):
    def test_values_inside_each_others_band_are_equal(self):
        def point(time, half, price):
            return [Banded(time, time - half, time + half), Banded(price, price, price)]

        points = [point(100, 5, 7), point(103, 1, 6), point(120, 1, 6), point(90, 1, 9), point(104, 1, 7)]
        # 1 is inside the band of 0 and cheaper, so that 0 is not on the front; 4 is inside the band of 0 and of 1, and dearer.
        self.assertEqual(front_of(points, [False, False]), [3, 1])
        self.assertEqual(front_of([each[:1] for each in points[:2]], [False]), [0, 1])  # not distinguishable
        self.assertEqual(front_of([each[:1] for each in points], [True]), [2])
        exact = [[Banded(each[0].value, *[each[0].value] * 2), each[1]] for each in points]
        self.assertEqual(front_of(exact, [False, False]), [3, 0, 1])

    def test_equal_points_are_all_on_the_front(self):
        one = [Banded(1, 1, 1)]
        self.assertEqual(front_of([one, one, [Banded(2, 2, 2)]], [False]), [0, 1])

    def test_the_band_of_a_rate_is_inverse_to_that_of_the_time(self):
        numbers = {"simulated_time_ns": 100.0, "band.low_ns": 80.0, "band.high_ns": 125.0, "mfu_estimated_percent": 40.0, "y": 1.0}
        self.assertEqual(banded_metric("simulated_time_ns", numbers), Banded(100, 80, 125))
        self.assertEqual(banded_metric("mfu_estimated_percent", numbers), Banded(40, 32, 50))
        self.assertEqual(banded_metric("y", numbers), Banded(1, 1, 1))

    def test_an_expression_is_also_asked_for_at_the_ends_of_the_band(self):
        self.assertEqual(at_end("price * simulated_time_ns + 1e9", "low"), "price * band.low_ns + 1e9")
        self.assertIsNone(at_end("price * my.simulated_time_ns", "low"))
        goal = Goal(["price * simulated_time_ns"], [], repeat=True)
        self.assertEqual(list(goal.expressions), ["search_0", "search_0_low", "search_0_high"])
        value = goal.values({"w": {"search_0": 5.0, "search_0_low": 4.0, "search_0_high": 7.0}})
        self.assertEqual(value, [Banded(5, 4, 7)])
        self.assertEqual(list(Goal(["price * 2"], [], repeat=True).expressions), ["search_0"])

    def test_a_search_returns_all_points_that_cannot_be_distinguished(self):
        def source(texts):
            time = 100.0 + int(texts["x"])
            return done(**{"simulated_time_ns": time, "band.low_ns": time - 1.5, "band.high_ns": time + 1.5})

        search = search_of(5, Goal(["simulated_time_ns"], []), source)
        search.run(5, jobs=1)
        self.assertEqual([trial.values for trial in search.best()], [[100], [101]])


class Searches(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        (self.home / "s.yaml").write_text(SWEEP, encoding="utf-8")

    def command(self, *arguments, sweep="s.yaml", program=TAHOMA):
        return ["/usr/bin/python3", "-B", "-m", "tahoma.optimise", sweep, "--tahoma", program, *arguments]

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

    def test_the_space_has_the_limits_of_the_file_alone(self):
        self.assertNotIn("limits", resolve(TAHOMA, self.home / "s.yaml").sweep)
        (self.home / "s.yaml").write_text(SWEEP + "  limits: {time: 3 min}\n", encoding="utf-8")
        self.assertEqual(resolve(TAHOMA, self.home / "s.yaml").sweep["limits"], {"time": "3 min"})

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
        def refusal(*arguments, status=2, **names):
            result = self.search(*arguments, "--out", "o", **names)
            self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
            self.assertTrue(result.stderr.startswith("tahoma: "), result.stderr)
            self.assertNotIn("Traceback", result.stderr)
            return result.stderr

        self.assertIn("E-OPT-003]: no metric or parameter 'prise'; did you mean price?", refusal("--minimise", "prise"))
        self.assertIn("E-OPT-002]: none.yaml: cannot read the file", refusal("--minimise", "cost", sweep="none.yaml"))
        self.assertIn("E-OPT-007]: ./none: No such file", refusal("--minimise", "cost", program="./none", status=6))
        self.assertIn("E-OPT-005]: --known: none: no such folder", refusal("--minimise", "cost", "--known", "none"))
        self.assertIn("'EXPR <= NUMBER'", refusal("--minimise", "cost", "--subject-to", "price"))
        self.assertIn("E-OPT-001]: --weight 'chop=2': no workload 'chop'; did you mean chip?",
                      refusal("--minimise", "cost", "--weight", "chop=2"))
        self.assertIn("E-OPT-001]: the following arguments are required: --minimise", refusal())
        (self.home / "w.yaml").write_text("kind: gemm\n", encoding="utf-8")
        self.assertIn("with the key 'sweep'", refusal("--minimise", "cost", sweep="w.yaml"))
        (self.home / "bad.yaml").write_text(SWEEP.replace("hbm.bandwidth: ", "hbm.bandwith: "), encoding="utf-8")
        self.assertIn("E-CFG", refusal("--minimise", "cost", sweep="bad.yaml"))
        self.assertEqual(self.search("--minimise", "cost", "--trials", "1", "--out", "p").returncode, 0)
        other = self.search("--minimise", "price", "--trials", "1", "--out", "p")
        self.assertEqual((other.returncode, "E-OPT-004]: study.db belongs to another search" in other.stderr), (2, True))
        (self.home / "optuna.py").write_text("raise ImportError('planted')\n", encoding="utf-8")
        self.assertIn("E-OPT-006]: needs Debian's python3-optuna", refusal("--minimise", "cost", status=6))

    def test_two_workloads_count_with_their_weights(self):
        gemm, add = (ROOT / "workloads" / name for name in ("gemm/chip.yaml", "vector_add/trace_256k.yaml"))
        (self.home / "two.yaml").write_text(f"""sweep:
  workloads: [{gemm}, {add}]
  mode: timing
  axes:
    - {BANDWIDTH}: [400 GB/s, 800 GB/s]
    - {CLOCK}: [1.4 GHz, 2.8 GHz]
""", encoding="utf-8")
        subprocess.run([TAHOMA, "sweep", "two.yaml", "--out", "grid"], cwd=self.home, check=True, capture_output=True)
        with sqlite3.connect(self.home / "grid/sweep.db") as database:
            rows = database.execute("SELECT workload, number, value FROM metrics NATURAL JOIN points "
                                    "WHERE name = 'simulated_time_ns' ORDER BY number").fetchall()
        times = [[value for workload, _, value in rows if workload == str(file)] for file in (gemm, add)]
        means = [(2.5 * one + other) / 3.5 for one, other in zip(*times)]
        for known in ([], ["--known", "grid"]):
            result = self.search("--minimise", "simulated_time_ns", "--weight", "chip=2.5", "--trials", "9", "--out",
                                 f"o{len(known)}", *known, sweep="two.yaml")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(f"4 points evaluated of 4, {4 if known else 0} of them known before", result.stdout)
            with open(self.home / f"o{len(known)}/front.csv", encoding="utf-8", newline="") as file:
                best = next(csv.DictReader(file))
            self.assertAlmostEqual(float(best["simulated_time_ns"]), min(means), delta=1e-9 * min(means))
            at = means.index(min(means))
            self.assertEqual([float(best[f"simulated_time_ns of {name}"]) for name in ("chip", "trace_256k")],
                             [times[0][at], times[1][at]])

    def test_the_front_is_drawn_beside_its_table(self):
        result = self.search("--minimise", "simulated_time_ns", "--minimise", "max:price", "--subject-to", "area.die_mm2 <= 700",
                             "--trials", "12", "--out", "o")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("results in o: front.csv, front.svg, front.pdf", result.stdout)
        svg = (self.home / "o/front.svg").read_text(encoding="utf-8")
        self.assertTrue((self.home / "o/front.pdf").read_bytes().startswith(b"%PDF"))
        self.assertIn("<!-- simulated time [us] -->", svg)
        with open(self.home / "o/front.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        places = [(float(row["simulated_time_ns"]), float(row["price"])) for row in rows]
        self.assertEqual(places, sorted(places))  # a longer time only for a higher price
        self.assertEqual(len(set(price for _, price in places)), len(places))

    def test_the_command_of_the_program_passes_its_words_on(self):
        arguments = ["--minimise", "max:price", "--minimise", "cost", "--subject-to", "price <= 4000", "--weight", "chip=2",
                     "--trials", "3", "--sampler", "nsga2", "--seed", "7", "--jobs", "1", "--known", "grid", "--out", "o"]
        self.sweep()
        module = self.search(*arguments)
        self.assertEqual(module.returncode, 0, module.stderr)
        (self.home / "o").rename(self.home / "first")
        command = subprocess.run([TAHOMA, "optimise", "s.yaml", *arguments], cwd=self.home, capture_output=True, text=True, check=False)
        self.assertEqual((command.returncode, command.stdout), (0, module.stdout), command.stderr)
        killing = self.home / "optuna.py"
        killing.write_text("import os\nos.kill(os.getpid(), 9)\n", encoding="utf-8")
        ended = subprocess.run([TAHOMA, "optimise", "s.yaml", "--minimise", "cost"], cwd=self.home, capture_output=True, text=True,
                               check=False)
        self.assertEqual((ended.returncode, "E-ORA-002" in ended.stderr), (6, True), ended.stderr)


if __name__ == "__main__":
    unittest.main()
