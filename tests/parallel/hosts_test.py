#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs on several hosts: the same files as one process, another binary on one host, a host that is lost, and the job of
runtime/README.md under Slurm.

    hosts_test.py --binary PATH_OF_TAHOMA [TwoHostsTest|SlurmTest]
"""

import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "sweep"))
import mpirun_test as one_host
import slurm_cluster
import two_hosts

ROOT = pathlib.Path(__file__).resolve().parents[2]


class TwoHostsTest(one_host.FolderCase):
    def setUp(self):
        super().setUp()
        if reason := two_hosts.missing():
            self.skipTest(reason)

    def run_words(self, name, *options):
        return [one_host.BINARY, "run", *one_host.SMALL, *options, "--out", self.folder / name]

    def test_the_files_are_those_of_one_process(self):
        for mode in ("timing", "functional"):
            subprocess.run(self.run_words("one", "--mode", mode, "--fold", "off"), check=True, capture_output=True)
            with two_hosts.TwoHosts() as hosts:
                names = hosts.mpirun("-n", 4, "hostname", environment=one_host.environment())
                self.assertEqual(sorted(set(names.stdout.split())), hosts.names)
                done = hosts.mpirun("-n", 4, *self.run_words(mode, "--mode", mode), environment=one_host.environment())
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, r"processes: 4; [1-9]\d* windows, [1-9]\d* messages")
            self.assertEqual(one_host.different(self.folder / "one", self.folder / mode), [])
            shutil.rmtree(self.folder / "one")

    def test_another_binary_on_one_host_is_refused(self):
        other = self.folder / "tahoma"
        other.write_bytes(one_host.BINARY.read_bytes() + b"\0")
        other.chmod(0o755)
        with two_hosts.TwoHosts(on_other=f"mount --bind {other} {one_host.BINARY}") as hosts:
            done = hosts.mpirun("-n", 4, *self.run_words("out", "--mode", "timing"), environment=one_host.environment())
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("error[E-PAR-002]", done.stderr)
        self.assertIn("another binary", done.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_a_host_that_is_lost_ends_the_run_by_name(self):
        """A process of the second host ends the daemon there, which started it."""
        with two_hosts.TwoHosts() as hosts:
            second = hosts.names[1]
            run = self.run_words("out", "--mode", "timing")
            done = hosts.mpirun("--map-by", "node", *one_host.each(run, ["sh", "-c", "kill -9 $PPID"]),
                                environment=one_host.environment())
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(second, done.stderr)
        self.assertFalse((self.folder / "out").exists())


class SlurmTest(one_host.FolderCase):
    def test_the_job_of_the_readme(self):
        if reason := slurm_cluster.missing():
            self.skipTest(reason)
        text = (ROOT / "runtime/README.md").read_text(encoding="utf-8")
        script = self.folder / "job.sh"
        script.write_text(re.search(r"```sh\n(#!/bin/sh\n#SBATCH.*?)```", text, re.DOTALL).group(1), encoding="utf-8")
        (self.folder / "workloads").symlink_to(ROOT / "workloads")
        with slurm_cluster.Cluster() as cluster:  # of one node with two cores
            environment = {**one_host.environment(), **cluster.environment}
            environment["PATH"] = f"{one_host.BINARY.parent}:{environment['PATH']}"
            done = subprocess.run(["sbatch", "--nodes=1", "--ntasks-per-node=2", "--wait", "--output=job.log", script], cwd=self.folder,
                                  env=environment, text=True, capture_output=True, stdin=subprocess.DEVNULL, check=False)
            log = (self.folder / "job.log").read_text(encoding="utf-8")
            self.assertEqual(done.returncode, 0, done.stderr + log + cluster.logs())
        self.assertIn("processes: 2; ", log)
        one = self.folder / "one"
        subprocess.run([one_host.BINARY, "run", ROOT / "workloads/gemm/ultraserver.yaml", "--mode", "timing", "--out", one], check=True,
                       capture_output=True)
        self.assertEqual(one_host.different(one, self.folder / "out"), [])


if __name__ == "__main__":
    one_host.main(__doc__)
