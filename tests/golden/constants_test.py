#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""constants.py finds planted errors: a parameter without a row, a row without its parameter, a step that no case sees."""

import pathlib
import tempfile
import unittest

import constants

PARAMETERS = [
    {"path": "machine.link.wire", "type": "time", "default": "50 ns"},
    {"path": "machine.chip.core.sequencer.clock", "type": "frequency", "default": "1.2 GHz"},
    {"path": "machine.chip.core.dma.clock", "type": "frequency", "default": "800 MHz"},
    {"path": "machine.chip.core.dma.start_up", "type": "time", "default": "700 ns"},
]
DEFAULTS = {parameter["path"]: parameter["default"] for parameter in PARAMETERS}


def row(parameter, seen_by="laws:a", to="", why=""):
    return {"parameter": parameter, "seen_by": seen_by, "to": to, "why": why}


def page(passed, failure=None, name="simulated_time_ns"):
    groups = [] if passed else [{"subsystem": "run", "differences": [{"name": name}]}]
    return {"cases": [{"passed": passed, "failure": failure, "groups": groups}]}


class Steps(unittest.TestCase):
    def step(self, path, kind, default):
        return constants.steps({"path": path, "type": kind, "default": default}, DEFAULTS)

    def test_are_the_smallest_of_their_kind(self):
        self.assertEqual(self.step("machine.x", "cycles", "6 cyc"), ["7 cyc", "5 cyc"])
        self.assertEqual(self.step("machine.x", "count", "0"), ["1"])
        self.assertEqual(self.step("machine.x", "size", "4 KiB"), ["4097 B", "4095 B"])
        self.assertEqual(self.step("machine.x", "switch", "true"), ["false"])
        self.assertEqual(self.step("machine.x", "bandwidth", "128 GB/s"), ["129.28 GB/s", "126.72 GB/s"])
        self.assertEqual(self.step("machine.x", "text", "open"), [])

    def test_of_a_time_are_a_cycle_of_its_clock(self):
        self.assertEqual(self.step("machine.link.wire", "time", "50 ns"), ["51.00000 ns", "49.00000 ns"])
        self.assertEqual(self.step("machine.chip.core.dma.start_up", "time", "0.7 us"), ["701.25000 ns", "698.75000 ns"])
        self.assertEqual(self.step("machine.chip.core.meeting.barrier", "time", "0 ns"), ["0.83333 ns"])


class Tables(unittest.TestCase):
    def bad(self, rows):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "laws.yaml").write_text("")
            return constants.bad_rows(PARAMETERS[:1], rows, folder)

    def test_name_every_parameter_once(self):
        self.assertEqual(self.bad([row("machine.link.wire")]), [])
        self.assertIn("no row", self.bad([])[0])
        self.assertIn("no such parameter", self.bad([row("machine.link.wire"), row("machine.link.wires")])[0])
        self.assertIn("two rows", self.bad([row("machine.link.wire")] * 2)[0])

    def test_say_who_sees_it(self):
        for seen_by in ("", "laws", "lows:a"):
            self.assertIn("is not FILE:CASE", self.bad([row("machine.link.wire", seen_by)])[0])
        self.assertEqual(self.bad([row("machine.link.wire", "witness")]), [])
        self.assertIn("no reason", self.bad([row("machine.link.wire", "nobody")])[0])
        self.assertEqual(self.bad([row("machine.link.wire", "nobody", why="a name")]), [])


class Findings(unittest.TestCase):
    def found(self, outcomes, **columns):
        asked = iter(outcomes)
        return constants.findings(PARAMETERS, [row("machine.link.wire", **columns)], lambda *_: next(asked))

    def test_none_where_either_step_turns_the_case_red(self):
        self.assertEqual(self.found([page(False)]), [])
        self.assertEqual(self.found([page(True), page(False)]), [])
        self.assertEqual(self.found([None, page(False)]), [])

    def test_a_step_that_nobody_sees(self):
        self.assertIn("49.00000 ns changes nothing", self.found([page(True), page(True)])[0])

    def test_a_figure_that_quotes_the_configuration_is_none(self):
        quote = page(False, name="flops.peak_tflops")
        self.assertIn("changes nothing", self.found([quote, quote])[0])

    def test_a_case_that_cannot_be_run_sees_nothing(self):
        self.assertIn("is refused", self.found([page(False, "error"), None])[0])

    def test_the_value_of_the_table_is_the_step(self):
        self.assertEqual(self.found([page(False)], to="90 ns"), [])
        self.assertIn("90 ns changes nothing", self.found([page(True)], to="90 ns")[0])
        self.assertIn("is its default", self.found([], to="50 ns")[0])


if __name__ == "__main__":
    unittest.main()
