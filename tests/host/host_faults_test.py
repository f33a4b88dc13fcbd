#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A failing host: whatever fails, a command ends with the documented exit status, leaves nothing unfinished, never changes an
earlier result, and writes the same bytes once the host is sound.

    host_faults_test.py --binary PATH_OF_TAHOMA --faults PATH_OF_LIBRARY [--kills N] [--allocations N] [TEST]...
"""

import argparse
import collections
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

SIZES = ["--set", "workload.m=64", "--set", "workload.n=64", "--set", "workload.k=64"]
HOST, OK, USAGE = 6, 0, 2
arguments = argparse.Namespace()


def files_of(folder):
    """The bytes of every file but manifests, by path; nothing if there is no folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*")
            if path.is_file() and path.name != "manifest.json"} if folder.is_dir() else {}


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        (self.folder / "gemm.yaml").write_text("kind: gemm\nmachine: trainium2_one_chip\n", encoding="utf-8")
        self.rng = random.Random(1)

    def words(self, out, *options):
        return [arguments.binary, "run", "gemm.yaml", *SIZES, "--out", str(out), *options]

    def run_words(self, words, fault=None, **more):
        environment = {**os.environ, **more}
        if fault:
            environment.update({"LD_PRELOAD": arguments.faults, "TAHOMA_HOST_FAULT": fault})
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, errors="replace", check=False,
                              stdin=subprocess.DEVNULL, env=environment, timeout=600)

    def sound(self, *options):
        """The files of a run on a sound host."""
        out = self.folder / "sound"
        done = self.run_words(self.words(out, *options))
        self.assertEqual(done.returncode, OK, done.stderr)
        return files_of(out)

    def counts(self, words):
        """(allocations, writes) of a command."""
        counts = self.folder / "counts"
        self.run_words(words, "count:0", TAHOMA_HOST_COUNTS=str(counts))
        return [max(column) for column in zip(*(map(int, line.split()) for line in counts.read_text().splitlines()))]

    def assert_nothing_unfinished(self, out, expected):
        """The output is missing or complete, and no hidden or partial file is left."""
        found = files_of(out)
        self.assertIn(found, ({}, expected))
        self.assertEqual(self.unfinished(), [])

    def unfinished(self):
        """The names of what was left unfinished, which is removed."""
        left = [path.name for path in self.folder.iterdir() if path.name.startswith(".") or "partial" in path.name]
        subprocess.run(["rm", "-rf", *(str(self.folder / name) for name in left)], check=True)
        return left


class Interrupted(Case):
    def test_calls_that_signals_interrupt_are_repeated(self):
        expected = self.sound()
        for every in (2, 3, 7):
            with self.subTest(every=every):
                done = self.run_words(self.words("out"), f"interrupt:{every}")
                self.assertEqual(done.returncode, OK, done.stderr)
                self.assertEqual(files_of(self.folder / "out"), expected)

    def test_short_reads_and_writes_are_continued(self):
        expected = self.sound()
        for most in (1, 7):
            with self.subTest(most=most):
                done = self.run_words(self.words("out"), f"short:{most}")
                self.assertEqual(done.returncode, OK, done.stderr)
                self.assertEqual(files_of(self.folder / "out"), expected)

    def test_a_clock_that_goes_back_changes_nothing(self):
        expected = self.sound()
        done = self.run_words(self.words("out"), "back:3600")
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual(files_of(self.folder / "out"), expected)


class Memory(Case):
    def test_any_allocation_may_fail(self):
        expected = self.sound()
        allocations, _ = self.counts(self.words("out"))
        numbers = {round(allocations ** (n / 30)) for n in range(31)}
        numbers |= {self.rng.randint(1, allocations) for _ in range(arguments.allocations)}
        ends, hidden = {}, 0
        for number in sorted(numbers):
            with self.subTest(allocation=number):
                subprocess.run(["rm", "-rf", str(self.folder / "out"), str(self.folder / "counts")], check=True)
                done = self.run_words(self.words("out"), f"memory:{number}")
                ends[done.returncode] = ends.get(done.returncode, 0) + 1
                # The library may do without, such as the buffer of a sort.
                self.assertIn(done.returncode, (OK, HOST), f"{done.stderr} (allocation {number} of {allocations})")
                if done.returncode == HOST:
                    self.assertRegex(done.stderr, r"error\[E-[A-Z]+-\d+\]")
                self.assertIn(files_of(self.folder / "out"), ({}, expected))
                # Where a library may not throw, the program ends at once and leaves its hidden folder, as if it had been killed.
                hidden += len(self.unfinished())
        print(f"    {len(numbers)} of {allocations} allocations failed: exit status {ends}, {hidden} hidden folders", flush=True)
        self.assertLess(hidden, len(numbers) // 4)
        self.assertGreater(ends.get(HOST, 0), len(numbers) // 2, "the fault reaches the program")

    def test_any_allocation_before_main_may_fail(self):
        words = [arguments.binary, "--version"]  # almost all of its allocations are those of static objects
        allocations, _ = self.counts(words)
        ends = collections.Counter()
        for number in range(1, allocations + 1, max(1, allocations // 150)):
            with self.subTest(allocation=number):
                done = self.run_words(words, f"memory:{number}")
                ends[done.returncode] += 1
                self.assertIn(done.returncode, (OK, HOST), f"{done.stderr} (allocation {number} of {allocations})")
        self.assertGreater(ends[HOST], 0, "the fault reaches the program")


class Disk(Case):
    def test_a_disk_may_get_full_at_any_write_and_an_earlier_result_stays(self):
        expected = self.sound()
        _, writes = self.counts(self.words("out"))
        out = self.folder / "out"
        self.run_words(self.words("out"))
        before = files_of(out), (out / "manifest.json").read_bytes()
        for number in range(1, writes + 1, max(1, writes // 25)):
            with self.subTest(write=number):
                done = self.run_words(self.words("out", "--seed", "2"), f"full:{number}")
                self.assertEqual(done.returncode, HOST, done.stderr)
                self.assertIn("No space left on device", done.stderr)
                self.assertEqual((files_of(out), (out / "manifest.json").read_bytes()), before)
                self.assert_nothing_unfinished(out, expected)
        print(f"    every write of {writes} met a full disk", flush=True)

    def test_a_read_only_folder_is_refused_before_the_simulation(self):
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(disk)], capture_output=True, check=False).returncode != 0:
            self.skipTest("this user may not mount a tmpfs")
        self.addCleanup(subprocess.run, ["umount", str(disk)], check=True)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        done = self.run_words(self.words(disk / "out"))
        self.assertEqual(done.returncode, USAGE, done.stderr)
        self.assertRegex(done.stderr, r"error\[E-OUT-001\].*Read-only file system")


class Killed(Case):
    """kill -9 at random moments: the folder has the earlier result or the new one, completely, and the next run is sound."""

    def kill_at_random(self, words, longest):
        process = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   stdin=subprocess.DEVNULL)
        time.sleep(self.rng.uniform(0, longest))  # the random moment
        process.send_signal(signal.SIGKILL)
        return process.wait() == -signal.SIGKILL

    def took(self, words):
        start = time.monotonic()
        self.assertEqual(self.run_words(words).returncode, OK)
        return time.monotonic() - start

    def test_a_run(self):
        versions = [self.sound("--seed", str(seed)) for seed in (1, 2)]
        self.assertNotEqual(*versions)
        out, killed = self.folder / "out", 0
        self.run_words(self.words("out"))
        longest = 1.2 * self.took(self.words("out"))
        for number in range(arguments.kills):
            killed += self.kill_at_random(self.words("out", "--seed", str(number % 2 + 1)), longest)
            self.assertIn(files_of(out), [{}, *versions], f"kill {number}")
        done = self.run_words(self.words("out", "--seed", "2"))
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual(files_of(out), versions[1])
        print(f"    {killed} of {arguments.kills} runs killed: 0 results damaged", flush=True)

    def test_a_page_and_a_check(self):
        self.run_words(self.words("out"))
        (self.folder / "cases.yaml").write_text("cases:\n  title: t\n  runs:\n    a: {workload: gemm.yaml}\n", encoding="utf-8")
        for words, file in [([arguments.binary, "report", "out", "--out", "page.html"], "page.html"),
                            ([arguments.binary, "check", "cases.yaml", "--junit", "junit.xml"], "junit.xml")]:
            with self.subTest(file=file):
                first = self.run_words(words)
                self.assertIn(first.returncode, (OK, 1), first.stderr)
                path = self.folder / file
                whole = path.read_bytes()
                for number in range(arguments.kills // 2):
                    self.kill_at_random(words, 0.3)
                    self.assertEqual(path.read_bytes()[-20:], whole[-20:], f"kill {number}: cut")
                self.assertEqual(self.run_words(words).returncode, first.returncode)


def waited_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return condition()


def holds_a_file(folder, prefix):
    """Whether a folder in `folder` whose name begins with `prefix` holds anything; a command may remove either meanwhile."""
    try:
        return any(os.listdir(folder / name) for name in os.listdir(folder) if name.startswith(prefix))
    except FileNotFoundError:
        return False


class Signalled(Case):
    """SIGINT, SIGTERM and SIGHUP leave nothing of a command that was writing its folder: no hidden folder, no child, no parent."""

    MODEL = {"architectures": ["LlamaForCausalLM"], "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 2,
             "num_attention_heads": 16, "num_key_value_heads": 8, "vocab_size": 4096, "max_position_embeddings": 4096}

    def check_signalled(self, words, number):
        out = self.folder / "made" / "out"
        before = files_of(self.folder)
        process = subprocess.Popen([*words, "--out", str(out)], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   stdin=subprocess.DEVNULL, start_new_session=True)
        self.addCleanup(process.kill)
        written = waited_for(lambda: process.poll() is not None or holds_a_file(out.parent, ".out.partial-"))
        self.assertTrue(written and process.poll() is None, "it has ended before it could be signalled")
        process.send_signal(number)
        self.assertEqual(process.wait(60), -number)
        self.assertFalse(out.parent.exists(), list(self.folder.rglob("*")))
        self.assertEqual(files_of(self.folder), before)
        with self.assertRaises(ProcessLookupError):  # nothing of its session is left
            os.killpg(process.pid, 0)

    def test_commands(self):
        (self.folder / "config.json").write_text(json.dumps(self.MODEL), encoding="utf-8")
        commands = {"model": [arguments.binary, "model", "config.json", "--prompt", "2048", "--batch", "64", "--jobs", "2"],
                    "run": [arguments.binary, *self.words("out")[1:3], "--trace", "--set", "workload.m=8192", "--set", "workload.n=8192"]}
        for command, words in commands.items():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                with self.subTest(command=command, signal=number):
                    self.check_signalled(words, number)


class Together(Case):
    def test_two_runs_to_one_folder_leave_the_result_of_one(self):
        versions = [self.sound("--seed", str(seed)) for seed in (1, 2)]
        for _ in range(max(3, arguments.kills // 4)):
            ends = []
            threads = [threading.Thread(target=lambda seed=seed: ends.append(self.run_words(self.words("out", "--seed", str(seed)))))
                       for seed in (1, 2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertIn(files_of(self.folder / "out"), versions)
            for done in ends:
                self.assertIn(done.returncode, (OK, USAGE, HOST), done.stderr)
                if done.returncode != OK:
                    self.assertIn("error[E-OUT-004]", done.stderr)
                    subprocess.run(f"rm -rf {self.folder}/.out*", shell=True, check=True)  # the message says where its results are
            self.assertIn(OK, [done.returncode for done in ends])
            self.assert_nothing_unfinished(self.folder / "out", files_of(self.folder / "out"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--faults", required=True, help="the library of faulty_host.cpp")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--allocations", type=int, default=60, help="random allocations that fail, beside 31 fixed ones")
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
