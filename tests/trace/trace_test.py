#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Timelines of real runs: well-formed, in order, nested, consistent with the statistics, and explicit about what they leave
out. Each law fails on a trace that breaks it."""

import argparse
import copy
import pathlib
import subprocess
import sys
import tempfile
import unittest

import arrows
from reader import TraceError, packets
from timeline import COUNTER, END, FS, Timeline
from totals import Totals

WORKLOADS = pathlib.Path(__file__).resolve().parents[2] / "workloads"
RUNS = {
    "chip": ["gemm/chip.yaml"],
    "softmax": ["norm/softmax.yaml"],
    "ring": ["collective/all_reduce_ring.yaml"],
    "attention": ["attention/flash_16k.yaml"],
    "loop": ["rms_norm/first_kernel.yaml"],
}
options = argparse.Namespace(binary="")


class Runs(unittest.TestCase):
    """Shared by all test classes: runs with a trace, each made once."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)

    @classmethod
    def run_of(cls, name, *words, folder=None):
        out = pathlib.Path(cls.folder.name) / (folder or name)
        if not out.exists():
            workload, *more = RUNS[name]
            command = [options.binary, "run", WORKLOADS / workload, *more, "--mode", "timing", "--out", out, "--trace", *words]
            cls.said = subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORKLOADS.parent).stderr
            subprocess.run([options.binary, "export", out], check=True, capture_output=True)
        return out

    @staticmethod
    def packets_of(out):
        return list(packets((out / "trace.pftrace").read_bytes()))

    @classmethod
    def timeline_of(cls, out):
        return Timeline(packets((out / "trace.pftrace").read_bytes()))


class WholeRuns(Runs):
    def test_tracks_are_in_order_nested_and_add_up_to_the_statistics(self):
        for name in RUNS:
            with self.subTest(name):
                out = self.run_of(name)
                timeline = self.timeline_of(out)
                self.assertEqual(timeline.findings, [])
                self.assertEqual(Totals(timeline, out).findings, [])
                self.assertGreater(sum(len(track.slices) for track in timeline.tracks.values()), 20)

    def test_tracks_bear_the_names_of_instances(self):
        timeline = self.timeline_of(self.run_of("ring"))
        for path in ("server0.chip00.core0.cc0", "server0.chip13.link.yp", "server0.chip00.hbm0.bandwidth"):
            self.assertTrue(path in timeline.by_path, path)

    def test_slices_say_instruction_tile_region_and_reason(self):
        slices = self.timeline_of(self.run_of("chip")).slices("server0.chip00.core0.tensor")
        matmul = next(s for s in slices if s.name == "matmul")
        self.assertEqual(matmul.arguments["region"], "gemm")
        self.assertIn("shape=128x350", matmul.arguments["instruction"])
        waiting = next(s for s in slices if s.name == "wait_dma")
        self.assertIn("wait=", waiting.arguments["instruction"])
        region = next(s for s in slices if s.name == "gemm")
        self.assertEqual(region.depth, 0)
        self.assertTrue(all(region.start <= s.start and s.end <= region.end and s.depth == 1
                            for s in slices if s.arguments.get("region") == "gemm"))

    def test_slices_say_the_functions_of_nki_that_their_instruction_implements(self):
        functions = {"matmul": "nki.isa.nc_matmul", "load_weights": "nki.isa.nc_matmul", "dma_copy": "nki.isa.dma_copy"}
        seen = set()
        for track in self.timeline_of(self.run_of("chip")).tracks.values():
            for s in track.slices:
                mnemonic = s.arguments.get("instruction", "").partition(" ")[0]
                if mnemonic in functions:
                    self.assertEqual(s.arguments.get("nki_isa"), functions[mnemonic], s)
                    seen.add(mnemonic)
                elif mnemonic in ("", "nop", "sem_wait", "sem_set", "jump", "branch"):
                    self.assertNotIn("nki_isa", s.arguments, s)
        self.assertEqual(seen, set(functions))

    def test_the_same_run_writes_the_same_bytes_and_no_other_output(self):
        first, second = self.run_of("chip"), self.run_of("chip", folder="again")
        for file in sorted(first.iterdir()):
            if file.name != "manifest.json":
                self.assertEqual(file.read_bytes(), (second / file.name).read_bytes(), file.name)
        plain = pathlib.Path(self.folder.name) / "plain"
        subprocess.run([options.binary, "run", WORKLOADS / RUNS["chip"][0], "--mode", "timing", "--out", plain], check=True,
                       capture_output=True, cwd=WORKLOADS.parent)
        for file in plain.iterdir():
            if file.name != "manifest.json":
                self.assertEqual(file.read_bytes(), (first / file.name).read_bytes(), file.name)

    def test_where_equal_chips_are_simulated_once_the_trace_is_that_of_the_whole_machine(self):
        # 403 rows on 40 cores: three cores have one row more, so chips that differ act at the same time.
        words = ["--machine", "trainium2_ultraserver", "--set", "workload.cores=40", "--set", "workload.rows=403"]
        folded = self.run_of("softmax", *words, "--fold", "auto", folder="folded")
        self.assertIn("the other 61 are equal", self.said)
        whole = self.run_of("softmax", *words, "--fold", "off", folder="whole")
        self.assertEqual((folded / "trace.pftrace").read_bytes(), (whole / "trace.pftrace").read_bytes())

    def test_memories_are_watched_for_the_trace_alone_too(self):
        out = self.run_of("chip", "--no-report", folder="bare")
        self.assertEqual((out / "trace.pftrace").read_bytes(), (self.run_of("chip") / "trace.pftrace").read_bytes())

    def test_arrows_join_what_changes_a_semaphore_with_what_waited(self):
        for name in RUNS:
            with self.subTest(name):
                timeline = self.timeline_of(self.run_of(name, "--trace-flows", folder=name + "-flows"))
                self.assertEqual(arrows.findings(timeline), [])
                self.assertGreater(len(arrows.arrows(timeline)), 0)
        self.assertEqual(arrows.arrows(self.timeline_of(self.run_of("chip"))), {})


def events(timeline):
    """All that a selection may leave out: (category, path, start, end, name, arguments) of slices."""
    return sorted((s.category, path, *s.exact(), s.name, str(s.arguments)) for path, tracks in timeline.by_path.items()
                  for track in tracks for s in track.slices if s.exact())


def left_out(timeline, reason):
    return {name: said[reason] for _, name, said in timeline.by_path["trace"][0].instants}


class Selections(Runs):
    def setUp(self):
        self.whole = self.timeline_of(self.run_of("ring"))

    def select(self, *words):
        timeline = self.timeline_of(self.run_of("ring", *words, folder="-".join(words).replace("/", "")))
        self.assertEqual(timeline.findings, [])
        return timeline

    def check_slices(self, selected, reason, belongs):
        expected = [event for event in events(self.whole) if belongs(event)]
        self.assertEqual(events(selected), expected)
        self.assertTrue(0 < len(expected) < len(events(self.whole)))
        missing = [event[0] for event in events(self.whole) if not belongs(event)]
        for kind in ("engines", "waits", "dma", "links"):
            self.assertEqual(left_out(selected, reason)[kind], missing.count(kind), kind)

    def test_a_window_keeps_what_lies_in_it_and_counts_the_rest(self):
        middle = max(event[3] for event in events(self.whole)) // 2
        selected = self.select("--trace-from", f"{middle // FS}ns", "--trace-until", f"{middle // FS + 5000}ns")
        begin, end = middle // FS * FS, (middle // FS + 5000) * FS
        self.check_slices(selected, "outside_window", lambda e: e[3] >= begin and e[2] < end)

    def test_cores_keep_their_own_tracks_and_the_links_of_their_chips(self):
        selected = self.select("--trace-cores", "server0.chip00.core0")
        self.check_slices(selected, "other_cores", lambda e: e[1].startswith("server0.chip00.core0.") or (
            e[0] == "links" and 0 in [int(word) for word in e[4].split() if word.isdigit()]))
        self.assertEqual(events(self.select("--trace-cores", "0")), events(selected))
        self.assertEqual(events(self.select("--trace-cores", "0-0")), events(selected))

    def test_kinds_keep_their_own_events(self):
        selected = self.select("--trace-kinds", "engines,links")
        self.check_slices(selected, "other_kinds", lambda e: e[0] in ("engines", "links"))
        self.assertFalse(any(track.values for track in selected.tracks.values()))
        values = sum(len(track.values) for track in self.whole.tracks.values())
        self.assertGreaterEqual(sum(left_out(selected, "other_kinds")[k] for k in ("queues", "bandwidth", "occupancy")), values)

    def test_a_limit_keeps_the_first_events_and_counts_the_rest(self):
        selected = self.select("--trace-limit", "100")
        self.assertEqual(sum(left_out(selected, "written").values()), 100)
        self.assertEqual(len(events(selected)) + sum(len(t.values) for t in selected.tracks.values()), 100)
        for kind in ("engines", "waits", "dma", "links"):
            self.assertEqual(left_out(selected, "written")[kind] + left_out(selected, "beyond_limit")[kind],
                             left_out(self.whole, "written")[kind])

    def test_what_is_left_out_is_said_on_standard_error(self):
        self.run_of("ring", "--trace-limit", "7", folder="said")
        beyond = sum(sum(said.values()) for said in [left_out(self.select("--trace-limit", "7"), "beyond_limit")])
        self.assertIn(f"7 events; omitted: {beyond} beyond the limit", self.said)


class Checker(Runs):
    """The checks detect a trace that breaks a law."""

    def broken(self, change):
        out = self.run_of("chip")
        stream = copy.deepcopy(self.packets_of(out))
        change(stream)
        timeline = Timeline(stream)
        return "\n".join(timeline.findings or Totals(timeline, out).findings)

    @staticmethod
    def index(stream, kind, skip=5):
        return [n for n, packet in enumerate(stream) if packet.get("track_event", {}).get("type") == kind][skip]

    @staticmethod
    def leaf(stream):
        """Returns the beginning of a slice that states its time."""
        return next(packet for packet in stream if len(packet.get("track_event", {}).get("debug_annotations", [])) == 6)

    def test_a_lost_end(self):
        self.assertIn("never ends", self.broken(lambda stream: stream.pop(self.index(stream, END))))

    def test_an_end_of_nothing(self):
        def change(stream):
            stream.append(copy.deepcopy(stream[self.index(stream, END)]))
            stream[-1]["timestamp"] += FS
        self.assertIn("of nothing", self.broken(change))

    def test_events_out_of_order(self):
        def change(stream):
            stream[self.index(stream, END)]["timestamp"] += 1_000_000_000
        self.assertIn("behind one at", self.broken(change))

    def test_a_slice_over_another(self):
        def change(stream):
            self.leaf(stream)["track_event"]["debug_annotations"][1]["uint_value"] += FS
        self.assertIn("lies over a slice", self.broken(change))

    def test_a_slice_twice(self):
        def change(stream):
            at = stream.index(self.leaf(stream))
            stream[at:at] = copy.deepcopy(stream[at:at + 2])
        self.assertIn("lies over a slice", self.broken(change))

    def test_a_femtosecond_too_little_of_an_engine(self):
        def change(stream):
            for packet in stream:
                for said in packet.get("track_event", {}).get("debug_annotations", [])[1:2]:
                    if said["name_iid"] == 2 and said["uint_value"] % FS > 1:
                        said["uint_value"] -= 1
                        return
        self.assertIn("in the statistics", self.broken(change))

    def test_a_lost_value(self):
        self.assertIn("by one transfer", self.broken(lambda stream: stream.pop(self.index(stream, COUNTER))))

    def test_a_track_nobody_described(self):
        self.assertIn("not described", self.broken(lambda stream: stream.pop(
            [n for n, packet in enumerate(stream) if "track_descriptor" in packet][-1])))

    def test_a_string_nobody_told(self):
        def change(stream):
            for packet in stream:
                packet.get("interned_data", {}).pop("event_names", None)
        self.assertIn("nobody has said", self.broken(change))

    def test_a_lost_transfer(self):
        def change(stream):
            at = next(n for n, packet in enumerate(stream)
                      if len(packet.get("track_event", {}).get("debug_annotations", [])) == 10)  # a transfer
            for packet in stream[at:at + 2]:
                del packet["track_event"]
        self.assertIn("dma.transfers", self.broken(change))

    def test_an_arrow_to_the_wrong_slice(self):
        timeline = self.timeline_of(self.run_of("chip", "--trace-flows", folder="chip-arrows"))
        joined = [slices[0][2] for slices in arrows.arrows(timeline).values()]
        other = next(s for s in joined if s.arguments["instruction"] != joined[0].arguments["instruction"])
        joined[0].flows, other.flows = other.flows, joined[0].flows
        self.assertNotEqual(arrows.findings(timeline), [])

    def test_bytes_that_are_no_trace(self):
        whole = (self.run_of("chip") / "trace.pftrace").read_bytes()
        for broken in (whole[:-1], b"\x0a\x02\xa8\x06", whole[:7] + b"\xff" + whole[8:]):
            with self.assertRaises((TraceError, UnicodeDecodeError)):
                list(packets(broken))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
