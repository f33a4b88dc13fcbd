#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The assertions of kill_test.py fail when they should: lost, duplicated or different results are planted.

    kill_checks_test.py --binary PATH_OF_TAHOMA
"""

import sqlite3

import kill_test
import sweeps


class Planted(sweeps.Case):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"
        self.run_sweep(sweeps.write(self.folder, ["workload.m: [128, 256]"]), self.out)
        self.expected = sweeps.dump(self.out)

    def plant(self, sql):
        with sqlite3.connect(self.out / "sweep.db") as database:
            database.execute(sql)
        database.close()

    def assert_found(self, what):
        with self.assertRaisesRegex(SystemExit, what):
            kill_test.check(self.out, self.expected, 2)

    def test_nothing_is_found_where_nothing_is_planted(self):
        kill_test.check(self.out, self.expected, 2)

    def test_a_lost_point_is_found(self):
        self.plant("DELETE FROM points WHERE number = 1")
        self.assert_found("points done")

    def test_a_point_that_is_not_done_is_found(self):
        self.plant("UPDATE points SET status = 'pending' WHERE number = 1")
        self.assert_found("points done")

    def test_a_point_done_twice_is_found(self):
        self.plant("INSERT INTO attempts SELECT id, attempt + 1, executor, host, seconds, peak_bytes, outcome "
                   "FROM attempts LIMIT 1")
        self.assert_found("done twice")

    def test_another_value_is_found(self):
        self.plant("UPDATE metrics SET value = value + 1 WHERE name = 'simulated_time_ns' AND number = 0")
        self.assert_found("not what the undisturbed sweep found")

    def test_a_folder_too_many_is_found(self):
        (self.out / "points/another").mkdir()
        self.assert_found("folders of points")

    def test_a_file_left_over_is_found(self):
        point = next((self.out / "points").iterdir())
        (point / ".out.partial-1").mkdir()
        self.assert_found("left over")


if __name__ == "__main__":
    sweeps.main()
