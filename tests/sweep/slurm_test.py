#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Sweeps on a real Slurm cluster of one node, which this test starts and stops.

    slurm_test.py --binary PATH_OF_TAHOMA [Slurm|SlurmTimeLimit]
"""

import os
import signal
import subprocess
import sys

import slurm_cluster
import sweeps

POINTS = "SELECT status, reason FROM points ORDER BY number"


class OnSlurm(sweeps.Case):
    def on(self, cluster, file, out, *options, status=0):
        done = sweeps.run(self.binary, file, out, "--executor", "slurm", *options, environment=cluster.environment)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr + cluster.logs())
        self.assertEqual(cluster.command("squeue", "--noheader"), "", "nothing of the sweep stays in the queue")
        return done

    def outcomes(self, out):
        return [outcome for outcome, in sweeps.rows(out, "SELECT outcome FROM attempts ORDER BY id, attempt")]


class Slurm(OnSlurm):
    def test_several_arrays_find_what_this_host_finds(self):
        file = sweeps.write(self.folder, sweeps.AXES_16)
        self.run_sweep(file, self.folder / "local")
        with slurm_cluster.Cluster(most_tasks=7) as cluster:  # 16 points in arrays of 6
            self.on(cluster, file, self.folder / "slurm", "--sbatch=--partition=all")
        self.assertEqual(len(list((self.folder / "slurm/slurm").glob("*.sh"))), 3)
        self.assertEqual(set(sweeps.rows(self.folder / "slurm", "SELECT executor FROM attempts")), {("slurm",)})
        self.assert_same(sweeps.dump(self.folder / "local"), sweeps.dump(self.folder / "slurm"))

    def test_a_failed_task_is_submitted_again_up_to_the_limit(self):
        # Too much memory, which an attempt on another node may have: one attempt and two more.
        file = sweeps.write(self.folder, ["workload.m: [128, 256]"], limits="memory: 1 MiB, retries: 2")
        with slurm_cluster.Cluster() as cluster:
            self.on(cluster, file, self.folder / "out", status=1)
        self.assertEqual(self.outcomes(self.folder / "out"), ["host"] * 6)
        self.assertEqual([status for status, _ in sweeps.rows(self.folder / "out", POINTS)], ["failed"] * 2)

    def test_a_task_that_is_cancelled_is_a_row_with_that_reason(self):
        file = sweeps.write(self.folder, ["workload.m: [128, 131072]"], {"n": 16384, "k": 4096}, limits="retries: 0")
        out = self.folder / "out"
        with slurm_cluster.Cluster() as cluster:
            process = subprocess.Popen(sweeps.words(self.binary, file, out, "--executor", "slurm"), text=True,
                                       env=cluster.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.cancel_when_running(cluster, process, task=1)
            text, errors = process.communicate()
            self.assertEqual(process.returncode, 1, text + errors)
        first, second = sweeps.rows(out, POINTS)
        self.assertEqual(first, ("done", ""))
        self.assertEqual(second, ("failed", "Slurm says CANCELLED"))

    def test_a_sweep_that_is_stopped_takes_its_tasks_along(self):
        file = sweeps.write(self.folder, ["workload.m: [131072, 131200]"], {"n": 16384, "k": 4096})
        with slurm_cluster.Cluster() as cluster:
            process = subprocess.Popen(sweeps.words(self.binary, file, self.folder / "out", "--executor", "slurm"),
                                       text=True, env=cluster.environment, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            self.await_running(cluster, process)
            process.send_signal(signal.SIGINT)
            text, errors = process.communicate()
            self.assertEqual(process.returncode, 6, text + errors)
            self.await_empty(cluster)

    def test_what_slurm_refuses_is_said_before_a_point_runs(self):
        file = sweeps.write(self.folder, ["workload.m: [128, 256]"])
        with slurm_cluster.Cluster() as cluster:
            done = self.on(cluster, file, self.folder / "out", "--sbatch=--partition=nowhere", status=6)
        self.assertIn("error[E-SWP-060]", done.stderr)
        self.assertIn("partition", done.stderr)

    def test_a_host_without_slurm_is_told_so(self):
        file = sweeps.write(self.folder, ["workload.m: [128, 256]"])
        nowhere = {**os.environ, "PATH": str(self.folder)}
        done = self.run_sweep(file, self.folder / "out", "--executor", "slurm", status=6, environment=nowhere)
        self.assertIn("error[E-SWP-060]", done.stderr)

    def running(self, cluster):
        return cluster.command("squeue", "--noheader", "--states=RUNNING", "--format=%i").split()

    def await_running(self, cluster, process):
        while not self.running(cluster):
            self.assertIsNone(process.poll(), "the sweep ended before its tasks ran")

    def await_empty(self, cluster):
        while cluster.command("squeue", "--noheader").strip():
            pass

    def cancel_when_running(self, cluster, process, task):
        while not any(name.endswith(f"_{task}") for name in self.running(cluster)):
            self.assertIsNone(process.poll(), "the sweep ended before its task ran")
        job = next(name for name in self.running(cluster) if name.endswith(f"_{task}"))
        cluster.command("scancel", job)


class SlurmTimeLimit(OnSlurm):
    """Takes minutes."""

    def test_a_point_over_the_time_limit_of_its_job_is_a_row_with_that_reason(self):
        # Slurm's limits are whole minutes, and it checks them twice a minute: the values of 2 * 10^13 operations take longer.
        file = sweeps.write(self.folder, ["workload.m: [128, 131072]"], {"mode": "functional", "n": 8192, "k": 8192},
                            limits="retries: 0")
        with slurm_cluster.Cluster() as cluster:
            self.on(cluster, file, self.folder / "out", "--sbatch=--time=1", status=1)
        self.assertEqual(sweeps.rows(self.folder / "out", POINTS), [("done", ""), ("failed", "Slurm says TIMEOUT")])
        self.assertIn(("out of time",), sweeps.rows(self.folder / "out", "SELECT outcome FROM attempts"))


if __name__ == "__main__":
    if slurm_cluster.missing():
        sys.exit(slurm_cluster.missing())
    sweeps.main()
