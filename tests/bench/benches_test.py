#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/bench on commands: tables beside another program, ratios over commits, and instructions that have grown."""

import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from benches import beside, history, instructions  # noqa: E402
from benches.cases import CASES, Case  # noqa: E402
from benches.measure import measure  # noqa: E402


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)

    def program(self, name, body):
        path = self.home / name
        path.write_text(f"#!/bin/bash\n{body}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    def test_a_case_runs_in_its_own_folder_after_what_it_needs(self):
        program = self.program("tahoma", '[[ $1 == run ]] && { touch "$2"; exit; }; cat case.yaml; ls made')
        case = Case("explain", "", ("explain",), 0, before=("run", "made"), files=(("case.yaml", "in {root}\n"),))
        self.assertEqual(measure(program, case).output.decode(), f"in {ROOT}\nmade\n")

    def test_a_failing_command_ends_the_measurement(self):
        with self.assertRaisesRegex(SystemExit, "status 3: no such case"):
            measure(self.program("tahoma", "echo no such case >&2; exit 3"), Case("a", "", ("run",), 0))

    def test_the_table_tells_which_outputs_differ(self):
        base = self.program("base", 'for ((n = 0; n < 20000; n++)); do :; done; echo "$1"')
        own = self.program("own", 'for ((n = 0; n < 20000; n++)); do :; done; [[ $1 == b ]] && echo other || echo "$1"')
        cases = [Case("a", "first", ("a",), 6), Case("b", "second", ("b",), 0), Case("c", "third", ("c",), 0, same=False)]
        first, second, third = (beside.row(pair) for pair in beside.pairs_of(base, own, cases, 2))
        self.assertIn("| same | 6 |", first)
        self.assertIn("| differs | - |", second)
        self.assertIn("| - | - |", third)

    def test_ratios_of_a_commit_replace_its_earlier_ones(self):
        base, file = self.program("base", "true"), self.home / "history.csv"
        pair = next(beside.pairs_of(base, base, [Case("a", "", (), 0)], 1))
        for commit, rows in (("c1", 1), ("c1", 1), ("c2", 2)):
            with mock.patch.object(history, "commit", return_value=commit), \
                    mock.patch.object(beside.Pair, "ratio", new_callable=mock.PropertyMock, return_value=0.5):
                self.assertEqual(len(history.append(file, [pair], base)), rows)
        with open(file, encoding="utf-8", newline="") as table:
            self.assertEqual([row["commit"] for row in csv.DictReader(table)], ["c1", "c2"])
        drawn = history.draw(history.read(file), base, self.home / "history")
        self.assertEqual([path.suffix for path in drawn], [".svg", ".png"])
        self.assertTrue(all(path.stat().st_size > 1000 for path in drawn))

    def test_shipped_cases_have_names_of_their_own_and_files_that_exist(self):
        self.assertEqual(len({case.name for case in CASES}), len(CASES))
        words = [word for case in CASES for word in (*case.command, *case.before)]
        files = [word.replace("{root}", str(ROOT)) for word in words if word.startswith("{root}")]
        self.assertGreater(len(files), 5)
        for file in files:
            self.assertTrue(pathlib.Path(file).exists(), file)


class Instructions(unittest.TestCase):
    def test_growth_beyond_the_limit_fails(self):
        known = {("gcc", "a"): 1000, ("gcc", "b"): 1000, ("clang", "a"): 1}
        lines, grown = instructions.verdict(known, {"a": 1019, "b": 500}, "gcc")
        self.assertFalse(grown)
        lines, grown = instructions.verdict(known, {"a": 1021, "b": 1000, "c": 7}, "gcc")
        self.assertTrue(grown)
        self.assertIn("+2.10 %, more than 2 %", lines[0])
        self.assertTrue(lines[2].endswith("new"))

    def test_counts_of_another_toolchain_are_not_compared(self):
        with self.assertRaisesRegex(instructions.Unavailable, "no counts of this toolchain"):
            instructions.verdict({("gcc", "a"): 1}, {"a": 5}, "clang")

    def test_cases_are_in_the_order_of_their_file(self):
        for file, names in instructions.CASES.items():
            listed = instructions.listed(file)
            for name in names:
                self.assertIn(name, listed)
        recorded = {case for _, case in instructions.read()}
        self.assertEqual(recorded, {name for names in instructions.CASES.values() for name in names})

    def test_without_valgrind_nothing_is_counted(self):
        with mock.patch("shutil.which", return_value=None), self.assertRaisesRegex(instructions.Unavailable, "valgrind"):
            instructions.count("/bin/true")


class Command(unittest.TestCase):
    def test_wrong_options_are_refused(self):
        for words in ([], ["--beside", "/nowhere"], ["--beside", "/bin/true", "--only", "nothing"], ["--beside", "/bin/true", "--instructions"]):
            with self.subTest(words=words):
                done = subprocess.run([sys.executable, "-B", ROOT / "scripts/benches", *words], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 2)
                self.assertIn("expected", done.stderr)


if __name__ == "__main__":
    unittest.main()
