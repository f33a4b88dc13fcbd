#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The comparisons of agreement.py hold for a small case, and each of them can fail."""

import argparse
import json
import pathlib
import sys
import tempfile
import unittest

import agreement
import places

options = argparse.Namespace(binary="")
CASE = "gemm/chip.yaml"


class Agreement(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name)
        program, case = agreement.Program(options.binary, []), agreement.cases_in([CASE])[0]
        cls.plain = program.run(cls.root, case, "plain")
        cls.output = program.run(cls.root, case, "out", "--explain")
        cls.explained = program(cls.root, "explain", "out")
        program.run(cls.root, case, "later")
        program(cls.root, "explain", "later")

    def troubles(self):
        return agreement.explained_troubles(self.root / "out", self.output, self.explained)[0]

    def test_every_place_agrees(self):
        self.assertEqual(self.troubles(), [])
        self.assertEqual(agreement.plain_troubles(self.root / "plain", self.plain), [])
        found, reference, summary = agreement.explained_troubles(self.root / "out", self.output, self.explained)
        self.assertGreater(len(reference), 1, "regions are compared, too")
        self.assertEqual(places.path_gap(summary), 0)

    def changed(self, name, change):
        """What is found after a change of a file of the run."""
        file = self.root / "out" / name
        before = file.read_text(encoding="utf-8")
        after = change(before)
        self.assertNotEqual(before, after)
        file.write_text(after, encoding="utf-8")
        try:
            return self.troubles()
        finally:
            file.write_text(before, encoding="utf-8")

    def test_any_other_verdict_is_found(self):
        resource = json.loads((self.root / "out/summary.json").read_text(encoding="utf-8"))["bottleneck"]["resource"]
        other = "links" if resource != "links" else "HBM"
        for name in ("summary.txt", "summary.json", "explain.json", "report.html"):
            with self.subTest(name):
                self.assertTrue(self.changed(name, lambda text: text.replace(resource, other)))
        self.assertTrue(self.changed("summary.txt", lambda text: text + "memory-bound\n"))

    def test_a_verdict_of_a_region_that_differs_is_found(self):
        def change(text):
            summary = json.loads(text)
            summary["regions"][-1]["bottleneck"] = {"resource": "links", "shorter_percent": 99.9}
            return json.dumps(summary)

        self.assertTrue(self.changed("summary.json", change))

    def test_a_verdict_without_explain_is_found(self):
        words = "explain agrees: 3.0 % shorter if HBM is ideal"
        self.assertTrue(agreement.plain_troubles(self.root / "plain", self.plain.replace("\n\n", f"; {words}\n\n", 1)))

    def test_a_later_explanation_leaves_the_same_files(self):
        self.assertEqual(agreement.different_files(self.root / "later", self.root / "out"), [])
        self.assertIn("summary.json", agreement.different_files(self.root / "plain", self.root / "out"))

    def test_a_gap_in_the_path_is_found(self):
        summary = json.loads((self.root / "out/summary.json").read_text(encoding="utf-8"))
        summary["critical_path"]["rows"][1]["end_ns"] += 0.001
        self.assertEqual(places.path_gap(summary), 1000)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="the tahoma to test")
    known, rest = parser.parse_known_args()
    options.binary = known.binary
    unittest.main(argv=[sys.argv[0], *rest])
