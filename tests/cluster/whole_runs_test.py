#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Some random jobs are composed as they run, and a wrong composition is found."""

import argparse
import pathlib
import sys
import tempfile
import unittest

import fleet_jobs
import whole_runs

BINARY = None
SEEDS = (15, 18, 31, 2)  # on 2, 4 and 16 UltraServers
SHARING = (18, 4)  # on 2 and 4 UltraServers, with two replicas in each


class Compositions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.program = whole_runs.Program(BINARY)
        cls.network = whole_runs.network_of(cls.program, cls.folder / "network")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def compared(self, seed, folder, network, settings=()):
        return whole_runs.compared(self.program, self.folder / folder, fleet_jobs.job_of(seed), network, settings)

    def test_compositions_are_within_the_limit(self):
        for seed in SEEDS:
            times = self.compared(seed, f"job{seed}", self.network)
            self.assertLessEqual(abs(whole_runs.error_of(*times)), whole_runs.LIMIT, whole_runs.row(fleet_jobs.job_of(seed), *times))

    def test_replicas_that_share_an_ultraserver_are_composed_within_the_limit(self):
        for seed in SHARING:
            job = fleet_jobs.sharing_job_of(seed)
            self.assertEqual((job.replicas, job.pipeline), (2, job.servers))
            times = whole_runs.compared(self.program, self.folder / f"sharing{seed}", job, self.network)
            self.assertLessEqual(abs(whole_runs.error_of(*times)), whole_runs.LIMIT, whole_runs.row(job, *times))

    def test_another_network_is_found(self):
        slow = {**self.network, "efa": (self.network["efa"][0] * 3, self.network["efa"][1] / 3)}
        times = self.compared(SEEDS[0], "slow", slow)
        self.assertGreater(abs(whole_runs.error_of(*times)), whole_runs.LIMIT)

    def test_other_passes_are_found(self):
        times = self.compared(SEEDS[0], "straggler", self.network, ["cluster.times.straggler=1.5"])
        self.assertGreater(abs(whole_runs.error_of(*times)), whole_runs.LIMIT)

    def test_jobs_take_all_fleets_and_are_reproducible(self):
        jobs = [fleet_jobs.job_of(seed) for seed in range(50)]
        self.assertEqual(jobs, [fleet_jobs.job_of(seed) for seed in range(50)])
        self.assertEqual({job.servers for job in jobs}, set(fleet_jobs.SERVERS))
        self.assertEqual({job.shape for job in jobs}, set(fleet_jobs.SHAPES))
        self.assertEqual({job.schedule for job in jobs}, {"1f1b", "gpipe"})
        self.assertTrue(any(job.pipeline > 1 and job.replicas > 1 for job in jobs))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    arguments, rest = parser.parse_known_args()
    BINARY = arguments.binary
    unittest.main(argv=[sys.argv[0], *rest])
