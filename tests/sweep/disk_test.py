#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A full disk and a read-only folder: the sweep ends with a message; with --resume, once there is space, it has the
results of an undisturbed sweep. The disk is a tmpfs in the test's own mount namespace.

    disk_test.py --binary PATH_OF_TAHOMA
"""

import os
import subprocess
import sys

import sweeps

KIB_OF_16_POINTS = 4096  # more than they need


class Disk(sweeps.Case):
    def setUp(self):
        super().setUp()
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", self.disk], check=True)
        self.addCleanup(subprocess.run, ["umount", self.disk], check=True)
        self.file = sweeps.write(self.folder, sweeps.AXES_16, limits="retries: 0")
        self.out = self.disk / "out"

    def remount(self, options):
        subprocess.run(["mount", "-o", f"remount,{options}", self.disk], check=True)

    def undisturbed(self):
        self.run_sweep(self.file, self.folder / "undisturbed")
        return sweeps.dump(self.folder / "undisturbed")

    def assert_told(self, done):
        self.assertIn(done.returncode, (2, 6), done.stdout + done.stderr)
        self.assertRegex(done.stderr, r"error\[E-(OUT|SWP)-\d+\]: .*(No space left|disk is full|Read-only|I/O error|"
                                      r"readonly|unable to open)")

    def assert_resumed_like(self, expected):
        done = sweeps.run(self.binary, self.file, self.out,
                          *(["--resume"] if (self.out / "sweep.yaml").exists() else []))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assert_same(expected, sweeps.dump(self.out))
        return sweeps.counts(done.stdout)

    def test_a_full_disk_ends_the_sweep_and_loses_nothing(self):
        expected = self.undisturbed()
        # From no space for the first file to space for all but the last: every point at which the disk can get full.
        for kib in range(4, KIB_OF_16_POINTS, 500):
            with self.subTest(kib=kib):
                subprocess.run(["rm", "-rf", self.out], check=True)
                self.remount(f"size={kib}k")
                done = sweeps.run(self.binary, self.file, self.out)
                if done.returncode == 0:
                    break
                self.assert_told(done)
                self.remount("size=64m")
                counts = self.assert_resumed_like(expected)
                self.assertEqual(counts["computed"] + counts["reused"], 16)
                print(f"    {kib:5} KiB: exit status {done.returncode}, then {counts}", flush=True)
        self.assertGreater(kib, 504, "some sizes were too small, so the test has met a full disk")

    def test_a_read_only_folder_ends_the_sweep_before_it_starts(self):
        self.remount("ro")
        self.assert_told(sweeps.run(self.binary, self.file, self.out))
        self.remount("rw")
        self.assert_resumed_like(self.undisturbed())

    def test_a_finished_sweep_that_became_read_only_is_as_before_when_resumed(self):
        self.run_sweep(self.file, self.out)
        expected = sweeps.dump(self.out)
        self.remount("ro")
        self.assert_told(sweeps.run(self.binary, self.file, self.out, "--resume"))
        self.assert_same(expected, sweeps.dump(self.out))
        self.remount("rw")
        self.assertEqual(self.assert_resumed_like(expected)["computed"], 0)


if __name__ == "__main__":
    if "TAHOMA_OWN_MOUNTS" not in os.environ:
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        os.environ["TAHOMA_OWN_MOUNTS"] = "1"
        os.execvp("unshare", ["unshare", *user, "--mount", "--propagation", "private", sys.executable, "-B", *sys.argv])
    sweeps.main()
