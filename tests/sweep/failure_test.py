#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Points that fail are rows with their reasons, and the sweep continues.

    failure_test.py --binary PATH_OF_TAHOMA
"""

import time

import sweeps

POINTS = "SELECT number, status, reason FROM points ORDER BY number"


class Failures(sweeps.Case):
    def statuses(self, out):
        return [status for _, status, _ in sweeps.rows(out, POINTS)]

    def test_a_point_without_a_legal_configuration_is_a_row_and_the_rest_goes_on(self):
        # Five shards do not divide the chip's eight cores.
        file = sweeps.write(self.folder, ["workload.shard.m: [1, 5, 2]"])
        done = self.run_sweep(file, self.folder / "out", status=1)
        self.assertEqual(self.statuses(self.folder / "out"), ["done", "failed", "done"])
        reason = sweeps.rows(self.folder / "out", POINTS)[1][2]
        self.assertRegex(reason, r"error\[E-[A-Z]+-\d+\]")
        self.assertIn(reason, done.stdout)

    def test_a_refused_point_is_not_computed_again(self):
        file = sweeps.write(self.folder, ["workload.shard.m: [1, 5, 2]"])
        self.run_sweep(file, self.folder / "out", status=1)
        before = sweeps.dump(self.folder / "out")
        done = self.run_sweep(file, self.folder / "out", "--resume", status=1)
        self.assertEqual(sweeps.counts(done.stdout)["computed"], 0)
        self.assert_same(before, sweeps.dump(self.folder / "out"))

    def test_a_point_that_needs_too_much_memory_is_a_row_and_the_rest_goes_on(self):
        # A result of 800 MiB plus its golden one, and tensors of 10 MiB.
        file = sweeps.write(self.folder, ["workload.m: [128, 20480]"], {"mode": "functional", "n": 20480, "k": 128},
                            limits="memory: 1 GiB, retries: 1")
        self.run_sweep(file, self.folder / "out", status=1)
        first, second = sweeps.rows(self.folder / "out", POINTS)
        self.assertEqual(first[1:], ("done", ""))
        self.assertEqual(second[1], "failed")
        self.assertIn("memory", second[2])

    def test_points_alike_are_computed_once(self):
        file = sweeps.write(self.folder, ["workload.m: [128, 256]"])
        text = file.read_text(encoding="utf-8").replace("workload.yaml", "[workload.yaml, again.yaml]")
        (self.folder / "again.yaml").write_text((self.folder / "workload.yaml").read_text(encoding="utf-8"),
                                                encoding="utf-8")
        file.write_text(text, encoding="utf-8")
        self.run_sweep(file, self.folder / "out")
        self.assertEqual(self.statuses(self.folder / "out"), ["done"] * 4)
        self.assertEqual(sweeps.rows(self.folder / "out", "SELECT count(*) FROM attempts"), [(2,)])

    def test_a_difference_between_two_sweeps_is_seen(self):
        for name, m in (("a", 128), ("b", 256)):
            (self.folder / name).mkdir()
            self.run_sweep(sweeps.write(self.folder / name, [f"workload.m: [{m}]"]), self.folder / name / "out")
        self.assertIn("lines missing", sweeps.difference(sweeps.dump(self.folder / "a/out"),
                                                         sweeps.dump(self.folder / "b/out")))


class TimeLimit(sweeps.Case):
    def limit_for(self, *arguments):
        """Seconds that are ten times what a sweep takes here and now, on a host that others may use."""
        started = time.monotonic()
        self.run_sweep(sweeps.write(self.folder, *arguments), self.folder / "short")
        return 1 + int(10 * (time.monotonic() - started))

    def test_a_point_that_takes_too_long_is_a_row_and_the_rest_goes_on(self):
        limit = self.limit_for(["workload.m: [128]"], {"n": 16384, "k": 4096})
        # The second point has 1,024 times the work of the first.
        file = sweeps.write(self.folder, ["workload.m: [128, 131072]"], {"n": 16384, "k": 4096},
                            limits=f"time: {limit} s, retries: 1")
        self.run_sweep(file, self.folder / "out", status=1)
        first, second = sweeps.rows(self.folder / "out", POINTS)
        self.assertEqual(first[1:], ("done", ""))
        self.assertEqual(second[1:], ("failed", f"ran out of time: more than {limit} s"))
        outcomes = sweeps.rows(self.folder / "out", "SELECT outcome FROM attempts a JOIN points p USING (id) "
                                                    "WHERE number = 1 ORDER BY attempt")
        self.assertEqual(outcomes, [("out of time",)] * 2, "the first attempt and one retry")


if __name__ == "__main__":
    sweeps.main()
