#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 of any process of a sweep at random moments, and --resume if the sweep itself was killed: no point is lost, none
is done twice, and the results are those of an undisturbed sweep.

    kill_test.py --binary PATH_OF_TAHOMA [--kills 50] [--points 64] [--seed 1]
"""

import argparse
import collections
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import sweeps

ROLES = ("sweep", "point", "run")  # how `tahoma` was called
LONGEST_WAIT = 0.4  # seconds from one kill to the next: about what a few points take


def processes():
    """Returns the parent and the command line of every process."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            after_name = (folder / "stat").read_text().rpartition(")")[2].split()
            found[int(folder.name)] = (int(after_name[1]), (folder / "cmdline").read_bytes().split(b"\0"))
        except OSError:  # it has just ended
            continue
    return found


def family(root):
    """Returns the sweep's processes by role. A fork that is not yet a run counts as its parent's role."""
    known = processes()
    members, grown = {root}, True
    while grown:
        grown = {p for p, (parent, _) in known.items() if parent in members} - members
        members |= grown
    by_role = collections.defaultdict(list)
    for process in members:
        role = known.get(process, (0, [b"", b""]))[1][1:2]
        if role and role[0].decode() in ROLES:
            by_role[role[0].decode()].append(process)
    return by_role


class Disturbed:
    """A sweep whose processes are killed until a given number is reached, and which then ends by itself."""

    def __init__(self, binary, file, dice):
        self.binary, self.file, self.dice = binary, file, dice
        self.killed = collections.Counter()
        self.calls = []  # the report of each call that ended by itself

    def run(self, out, kills):
        """Returns the number of kills before the sweep was done."""
        hit = 0
        while True:
            resume = ["--resume"] if (out / "sweep.yaml").exists() else []
            process = subprocess.Popen(sweeps.words(self.binary, self.file, out, "--jobs", "2", *resume),
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while hit < kills and process.poll() is None:
                time.sleep(self.dice.uniform(0, LONGEST_WAIT))  # the random moment of the kill
                hit += self.kill_one(process)
            text, errors = process.communicate()
            if process.returncode == -signal.SIGKILL:
                continue
            if process.returncode not in (0, 1):
                sys.exit(f"exit status {process.returncode}: {text}{errors}")
            self.calls.append(sweeps.counts(text))
            if process.returncode == 0:
                return hit

    def kill_one(self, sweep):
        """Draws a role and kills a process of it as soon as there is one, so that every role gets its turn."""
        role = self.dice.choice(ROLES)
        while sweep.poll() is None:
            victims = sorted(family(sweep.pid)[role])
            if not victims:
                continue
            try:
                os.kill(self.dice.choice(victims), signal.SIGKILL)
            except ProcessLookupError:  # it has just ended
                continue
            self.killed[role] += 1
            return 1
        return 0


def check(out, expected, points):
    """Ends the test if any result is lost, duplicated or different."""
    ids = sweeps.rows(out, "SELECT count(*), count(DISTINCT id) FROM points WHERE status = 'done'")
    if ids != [(points, points)]:
        sys.exit(f"points done and different ones: {ids}, expected {points}")
    twice = sweeps.rows(out, "SELECT id, count(*) FROM attempts WHERE outcome = 'done' GROUP BY id HAVING count(*) > 1")
    if twice:
        sys.exit(f"done twice: {twice}")
    folders = {path.name for path in (out / "points").iterdir()}
    if len(folders) != points:
        sys.exit(f"{len(folders)} folders of points, expected {points}")
    leftovers = [path for path in out.rglob("*partial*")]
    if leftovers:
        sys.exit(f"left over: {leftovers[:3]}")
    different = sweeps.difference(expected, sweeps.dump(out))
    if different:
        sys.exit(f"not what the undisturbed sweep found: {different}")


def axes_of(points):
    """A grid of two columns with that many different points."""
    return ["workload.m: [" + ", ".join(str(1024 + 128 * i) for i in range(points // 2)) + "]",
            "workload.k: [512, 1024]"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--points", type=int, default=64, help="an even number")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        # More retries than kills: a point that is killed every time is retried within the same call.
        file = sweeps.write(folder, axes_of(options.points), {"n": 1024}, limits="retries: 100")
        done = sweeps.run(options.binary, file, folder / "undisturbed", "--jobs", "2")
        if done.returncode != 0:
            sys.exit(f"undisturbed: exit status {done.returncode}: {done.stdout}{done.stderr}")
        expected = sweeps.dump(folder / "undisturbed")
        print(f"undisturbed: {done.stdout.splitlines()[0]}")
        disturbed = Disturbed(options.binary, file, random.Random(options.seed))
        hit = sweep = 0
        while hit < options.kills:  # a fast host finishes one sweep before that
            sweep += 1
            out = folder / f"disturbed{sweep}"
            hit += disturbed.run(out, options.kills - hit)
            check(out, expected, options.points)
        print(f"{hit} kills ({dict(disturbed.killed)}) in {sweep} sweeps of {options.points} points: "
              f"0 lost, 0 duplicated, same dump")
        print(f"calls that ended by themselves: {disturbed.calls}")


if __name__ == "__main__":
    main()
