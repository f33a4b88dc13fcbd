#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""commands.py finds what is planted: a program that fails, hangs, or writes what no machine could do, and errors in words of nobody."""

import json
import pathlib
import random
import tempfile
import unittest

import command_inputs
import commands
import error_words

GOOD = {"mfu_estimated_percent": 50, "hbm": {"achieved_bytes_per_second": 1, "peak_bytes_per_second": 2}, "simulated_time_ns": 1e9,
        "energy": {"machine_watts": 2, "joules": 2}}


class FolderCase(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def program(self, text):
        file = self.folder / "program"
        file.write_text("#!/bin/sh\n" + text, encoding="utf-8")
        file.chmod(0o755)
        return str(file)


class Verdicts(FolderCase):
    def verdict(self, text, words=("run", "gemm.yaml")):
        return commands.verdict(self.program(text), "run", list(words), self.folder)

    def writes(self, summary, resolved=""):
        (self.folder / "out").mkdir(exist_ok=True)
        (self.folder / "out/summary.json").write_text(json.dumps(summary), encoding="utf-8")
        (self.folder / "out/config.resolved.yaml").write_text(resolved, encoding="utf-8")
        return "exit 0\n"

    def test_a_sound_program_passes_and_a_clear_refusal_is_one(self):
        self.assertEqual(self.verdict(self.writes(GOOD)), "passed")
        self.assertEqual(self.verdict("echo 'tahoma: run: error[E-CLI-002]: unknown option' >&2; exit 2\n"), "refused")

    def test_failures_are_found(self):
        for text, found in (("exit 5\n", "exit status 5"), ("kill -SEGV $$\n", "exit status -11"), ("exit 2\n", "no error with a code"),
                            ("echo 'Traceback (most recent call last) error[E-X-001]: x' >&2; exit 1\n", "a traceback"),
                            ("mkdir .out.partial-7; exit 0\n", "it left")):
            with self.subTest(text=text):
                self.assertIn(found, self.verdict(text))

    def test_a_hang_is_found(self):
        budget, commands.BUDGET = commands.BUDGET, 0.2
        self.addCleanup(setattr, commands, "BUDGET", budget)
        self.assertIn("has not ended", self.verdict("exec sleep 600\n"))

    def test_what_no_machine_could_do_is_found(self):
        for change, found in (({"mfu_estimated_percent": 304.5}, "304.5 percent"), ({"step": {"mfu_percent": -1}}, "-1 percent"),
                              ({"hbm": {"achieved_bytes_per_second": 3, "peak_bytes_per_second": 2}}, "faster than its peak"),
                              ({"energy": {"machine_watts": 2, "joules": 9}}, "power times time")):
            with self.subTest(change=change):
                self.assertIn(found, self.verdict(self.writes({**GOOD, **change})))

    def test_a_value_that_is_not_taken_is_found(self):
        text = "workload:\n  m: 64\n  shard:\n    m: 2\n"
        self.assertEqual(self.verdict(self.writes(GOOD, text), ["run", "c.yaml", "--set=workload.m=64", "--set=workload.shard.m=2"]), "passed")
        self.assertIn("is 64", self.verdict(self.writes(GOOD, text), ["run", "c.yaml", "--set=workload.m=96"]))
        self.assertIn("is None", self.verdict(self.writes(GOOD, text), ["run", "c.yaml", "--set=workload.k=96"]))


class Words(FolderCase):
    def complaint(self, err, words=("model", "config.json", "--batch=30"), defaults="[1024]"):
        (self.folder / "config.json").write_text(json.dumps(command_inputs.MODEL, indent=1), encoding="utf-8")
        return error_words.complaint(words[0], words, self.folder, "tahoma: " + err, defaults)

    def test_the_words_of_the_user_pass(self):
        for err in ("--batch 30: error[E-HFC-011]: expected a multiple of 4, got 30", "config.json:2:3: error[E-X-001]: wrong",
                    "config.json:hidden_size: error[E-HFC-006]: expected a multiple of 7, got 512",
                    "--prompt 1024: error[E-X-001]: expected at most 512, got 1024",
                    "--set workload.overlap: error[E-MDL-001]: expected 1"):
            self.assertIsNone(self.complaint(err), err)

    def test_words_of_nobody_are_found(self):
        for err, found in (("config.json:99:1: error[E-MDL-001]: wrong", "line that does not exist"),
                           ("case.yaml:1:1: error[E-X-001]: wrong", "file that does not exist"),
                           ("config.json:window: error[E-X-001]: wrong", "key that the file does not have"),
                           ("--batch: error[E-MDL-001]: 'workload.batch': expected 4", "workload.batch"),
                           ("out/.out.partial-12/study/cases/x.yaml: error[E-X-001]: wrong", "file that nobody wrote"),
                           ("--batch: error[E-MDL-001]: expected 4, got 99", "got 99"),
                           ("run: error[E-HFC-020]: --batch: error[E-MDL-001]: wrong", "error inside an error")):
            self.assertIn(found, self.complaint(err) or "nothing", err)


class Inputs(FolderCase):
    def test_each_command_has_legal_cases_and_one_seed_gives_the_same(self):
        for command in command_inputs.COMMANDS:
            texts = []
            for _ in range(2):
                words = command_inputs.case_of(random.Random(f"7/{command}"), command, self.folder)
                texts.append((words, [file.read_bytes() for file in sorted(self.folder.iterdir())]))
            self.assertEqual(*texts)

    def test_a_mutation_changes_one_place(self):
        rng = random.Random(1)
        changed = [command_inputs.mutated(rng, command_inputs.JOB) for _ in range(50)]
        self.assertGreater(sum(each != command_inputs.JOB for each in changed), 40)


if __name__ == "__main__":
    unittest.main()
