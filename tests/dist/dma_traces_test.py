#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/dma_traces finds what is planted in records of DMA engines."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts/dma_traces"
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("dma_traces", str(SCRIPT))
traces = importlib.util.module_from_spec(importlib.util.spec_from_loader("dma_traces", loader))
loader.exec_module(traces)

ELEMENTS = traces.Elements(ring=2, bytes=128, count=64, loads=0, load_bytes=2056)
SECOND = traces.Second(ring=1, bytes=256)
HEADER = "dma_engine,ring,bytes,start_ns,read_done_ns,write_done_ns\n"


def record(ring, start, size=256, read=90.0, write=300.0):
    return traces.Record(ring, size, start, start + read, start + write)


def element(written):
    return traces.Record(ELEMENTS.ring, ELEMENTS.bytes, written - 6000, written - 5900, written)


def load(start, written):
    return traces.Record(ELEMENTS.loads, ELEMENTS.load_bytes, start, start + 100, written)


class Traces(unittest.TestCase):
    def test_records_of_the_kernel_are_in_the_order_of_their_starts(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x_dma.csv"
            path.write_text(HEADER + "3,1,256,127000,127090,127300\n3,0,256,126500,126600,126800\n3,0,256,900,990,1200\n", encoding="utf-8")
            engines = traces.read(path)
        self.assertEqual([(r.ring, r.start) for r in engines[3]], [(0, 126500.0), (1, 127000.0)])

    def test_a_change_of_ring_that_costs_time_is_told_from_one_that_costs_none(self):
        same, other = traces.gaps({0: [record(0, 0.0), record(0, 86.0), record(1, 172.0), record(0, 272.0)]})
        self.assertEqual((same, other), ([-4.0], [-4.0, 10.0]))

    def test_an_engine_that_waits_is_not_back_to_back(self):
        self.assertEqual(traces.gaps({0: [record(0, 0.0), record(1, 105.0)]}), ([], []))

    def test_bytes_count_until_they_are_written(self):
        found = traces.unwritten({0: [record(0, 0.0, 1000), record(0, 100.0, 2000), record(0, 310.0, 4000)]})
        self.assertEqual(found, [(0, 0), (1000, 1), (2000, 1)])

    def test_turns_differ_from_the_order_of_doorbells(self):
        first = lambda n: record(0, float(n), 512)
        second = lambda n: record(SECOND.ring, float(n), SECOND.bytes)
        in_turns = [first(0), first(1), second(2), first(3), second(4), first(5), second(6)]
        in_order = [first(0), first(1), first(2), second(3), second(4), second(5), first(6)]
        self.assertEqual(traces.turns({0: in_turns, 1: in_order, 2: [first(0)]}, SECOND), [(2, 2), (3, 0)])

    def test_a_stop_is_no_slower_pace(self):
        steady = [6400.0 * n for n in range(11)]
        self.assertEqual(traces.pace(steady, 64), (100.0, 100.0, 0.0))
        stopped = steady + [steady[-1] + 64000.0 + 6400.0 * n for n in range(1)]
        overall, moving, stops = traces.pace(stopped, 64)
        self.assertGreater(overall, 110.0)
        self.assertEqual((moving, stops), (100.0, 64000.0))

    def test_elements_are_split_at_the_first_load_of_any_engine(self):
        ends = [6400.0 * n for n in range(1, 9)]
        engines = {0: [element(t) for t in ends], 1: [load(26000.0, 30000.0)]}
        self.assertEqual(traces.paces(engines, ELEMENTS), [((100.0, 100.0, 0.0), (100.0, 100.0, 0.0))])

    def test_shares_that_end_together_are_told_from_elements_that_do_not(self):
        engines = {0: [element(10000.0), load(12000.0, 90000.0)], 1: [element(80000.0), load(81000.0, 91000.0)]}
        self.assertEqual(traces.shared_ends(engines, ELEMENTS), [(1000.0, 70000.0)])

    def test_a_folder_without_records_is_refused_by_name(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([SCRIPT, folder, "--trace", "stream_256k_fd1k"], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertIn("has no stream_256k_fd1k_dma.csv", run.stderr)

    def test_a_trace_is_printed_with_its_figures(self):
        with tempfile.TemporaryDirectory() as folder:
            rows = "".join(f"0,{n % 2},512,{127000 + 90 * n},{127093 + 90 * n},{127400 + 90 * n}\n" for n in range(8))
            (pathlib.Path(folder) / "stream_256k_fd1k_dma.csv").write_text(HEADER + rows, encoding="utf-8")
            run = subprocess.run([SCRIPT, folder, "--trace", "stream_256k_fd1k"], capture_output=True, text=True, check=True)
        self.assertIn("back to back, other ring: 7 pairs, median -3.00 ns", run.stdout)
        self.assertIn("at most 2.0 KiB and 4 records", run.stdout)


if __name__ == "__main__":
    unittest.main()
