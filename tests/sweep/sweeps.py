# SPDX-License-Identifier: Apache-2.0
"""A sweep under test: its file, the command, and its output."""

import argparse
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

# A GEMM so small that a point takes some 20 ms.
SMALL = {"kind": "gemm", "machine": "trainium2_one_chip", "mode": "timing", "m": 128, "n": 512, "k": 256}
# 16 points of it, all different.
AXES_16 = ("machine.chip.hbm.stacks: [2, 4]", "workload.m: [128, 256]", "workload.n: [256, 512]",
           "workload.k: [128, 256]")


def write(folder, axes, workload=None, limits="", rest=""):
    """Writes workload.yaml and sweep.yaml to the folder; returns the latter."""
    w = {**SMALL, **(workload or {})}
    sizes = "".join(f"  {key}: {value}\n" for key, value in w.items() if key not in ("kind", "machine", "mode"))
    (folder / "workload.yaml").write_text(
        f"kind: {w['kind']}\nmachine: {w['machine']}\nmode: {w['mode']}\nworkload:\n{sizes}", encoding="utf-8")
    text = "sweep:\n  workloads: workload.yaml\n  axes:\n" + "".join(f"    - {axis}\n" for axis in axes)
    if limits:
        text += f"  limits: {{{limits}}}\n"
    file = folder / "sweep.yaml"
    file.write_text(text + rest, encoding="utf-8")
    return file


def words(binary, file, out, *options):
    return [str(binary), "sweep", str(file), "--out", str(out), *options]


def run(binary, file, out, *options, environment=None):
    return subprocess.run(words(binary, file, out, *options), capture_output=True, text=True, check=False,
                          env=environment, stdin=subprocess.DEVNULL)


def dump(out):
    """Returns the contents of sweep.db except `attempts`, which depends on hosts."""
    with sqlite3.connect(f"file:{out / 'sweep.db'}?mode=ro", uri=True) as database:
        lines = list(database.iterdump())
    database.close()
    return [line for line in lines if not re.match(r'(CREATE TABLE|INSERT INTO) "?attempts\b', line)]


def rows(out, query):
    with sqlite3.connect(f"file:{out / 'sweep.db'}?mode=ro", uri=True) as database:
        found = database.execute(query).fetchall()
    database.close()
    return found


def counts(text):
    """Returns the counts that the command reports: points, done, failed, computed, reused."""
    found = re.search(r"(\d+) points: (\d+) done, (\d+) failed.*; (\d+) computed, (\d+) reused", text)
    return dict(zip(("points", "done", "failed", "computed", "reused"), map(int, found.groups())))


def difference(expected, found):
    """Returns the first lines of two dumps that differ; nothing if none do."""
    if expected == found:
        return ""
    missing, extra = set(expected) - set(found), set(found) - set(expected)
    return (f"{len(missing)} lines missing, {len(extra)} extra:\n" +
            "\n".join([f"- {line[:300]}" for line in sorted(missing)[:3]] +
                      [f"+ {line[:300]}" for line in sorted(extra)[:3]]))


class Case(unittest.TestCase):
    """A test with the program and its own folder."""
    binary = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_sweep(self, file, out, *options, status=0, environment=None):
        done = run(self.binary, file, out, *options, environment=environment)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def assert_same(self, expected, found):
        self.assertEqual(difference(expected, found), "")


def main(module="__main__"):
    """Runs unittest.main with --binary PATH before the names of tests."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True, type=pathlib.Path)
    options, rest = parser.parse_known_args()
    Case.binary = os.path.abspath(options.binary)
    unittest.main(module, argv=[sys.argv[0], *rest])
