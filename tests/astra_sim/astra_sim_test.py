#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Whether ASTRA-sim 2 can execute the traces of runs (README.md)."""

import argparse
import collections
import functools
import importlib.machinery
import importlib.util
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/astra_sim"
loader = importlib.machinery.SourceFileLoader("astra_sim", str(SCRIPT))
astra_sim = importlib.util.module_from_spec(importlib.util.spec_from_loader("astra_sim", loader))
loader.exec_module(astra_sim)

COMPUTE, SEND, RECEIVE, COLLECTIVE = 4, 5, 6, 7
ALL_REDUCE = 0
RING = "kind: collective\nworkload: {operation: all_reduce, algorithm: ring, bytes: 1 MiB, ranks: chips, over: 0-%d}\n"
TINY, TRAINING = ROOT / "workloads/transformer/tiny.yaml", ROOT / "workloads/transformer/training_tiny.yaml"
CASES = {  # by name: a file or a text, and settings
    "ring of 4": (RING % 3, []),
    "ring of 16": (RING % 15, []),
    "layer": (TINY, ["machine.chip.lnc=2", "workload.parallel.tensor=4", "workload.overlap=2", "workload.tokens=128"]),
    "shared sequences": (TINY, ["machine.chip.lnc=2", "workload.parallel.tensor=2", "workload.parallel.sequence=2",
                                "workload.tokens=128"]),
    "pipeline": (TINY, ["workload.parallel.tensor=2", "workload.parallel.pipeline=2", "workload.microbatches=2",
                        "workload.batch=2"]),
    "training": (TRAINING, ["machine.chip.lnc=2", "workload.parallel.data=4", "workload.batch=4", "workload.recompute=layer"]),
    "training pipeline": (ROOT / "workloads/transformer/training_fleet.yaml", []),
    "permutation": (ROOT / "workloads/collective/permute.yaml", []),
}
LACKING = {"barrier": (ROOT / "workloads/collective/barrier.yaml", [])}  # what ASTRA-sim cannot simulate
TAHOMA = None
FOLDER = tempfile.TemporaryDirectory()
OUT = pathlib.Path(FOLDER.name) / "out"


@functools.cache
def traces_of(case):
    """The folder of a run of the case."""
    source, settings = {**CASES, **LACKING}[case]
    out = pathlib.Path(FOLDER.name) / case.replace(" ", "_")
    if isinstance(source, str):
        file = out.with_suffix(".yaml")
        file.write_text(source)
        source = file
    words = [TAHOMA, "run", source, "--mode", "timing", "--no-report", "--chakra", "--out", out]
    for setting in settings:
        words += ["--set", setting]
    subprocess.run(list(map(str, words)), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return out


def read(folder):
    """The traces by rank, and the groups."""
    ranks = [list(astra_sim.nodes(file)) for file in astra_sim.trace_files(folder)]
    groups = json.loads((folder / "chakra.groups.json").read_text())
    return ranks, groups


def broken_rules(ranks, groups):
    """What ASTRA-sim would refuse or misread, one sentence each."""
    found, messages, collectives = [], collections.Counter(), collections.defaultdict(list)
    for name in groups:
        if not re.fullmatch("[1-9][0-9]*", name):
            found.append(f"group {name}: its name is no number from 1 on")
    for rank, trace in enumerate(ranks):
        ids = {node["id"] for node in trace}
        if not trace or len(ids) != len(trace):
            found.append(f"rank {rank}: no node, or an id twice")
        for node in trace:
            where = f"rank {rank}, node {node['id']}"
            if not set(node["after"]) <= ids:
                found.append(f"{where}: depends on a node that does not exist")
            if node["is_cpu_op"] != 0:
                found.append(f"{where}: on the host")
            if node["type"] in (SEND, RECEIVE):
                if node["comm_src" if node["type"] == SEND else "comm_dst"] != rank or node["comm_src"] == node["comm_dst"]:
                    found.append(f"{where}: a message whose own end is another rank")
                sign = 1 if node["type"] == SEND else -1
                messages[node["comm_src"], node["comm_dst"], node["comm_tag"], node["comm_size"]] += sign
            if node["type"] == COLLECTIVE:
                group = node["pg_name"].decode()
                if rank not in groups.get(group, []):
                    found.append(f"{where}: rank {rank} is not in group {group}")
                collectives[group, rank].append((node["comm_type"], node["comm_size"]))
    found += [f"message {key}: {count} sends more than receives" for key, count in messages.items() if count != 0]
    for group, members in groups.items():
        if len({tuple(collectives[group, rank]) for rank in members}) > 1:
            found.append(f"group {group}: its ranks perform different collectives")
    return found


def stuck(ranks, groups):
    """Ranks that do not finish by ASTRA-sim's scheduling: a rank starts nodes whose dependences have ended, the lowest id first, one
    computation and one collective or send at a time; the n-th collective that a rank starts in a group is the n-th of the others; a
    receive waits for its message. Every step here ends all that can end, so time plays no part."""
    left = [{node["id"]: node for node in trace} for trace in ranks]
    running = [{} for _ in ranks]
    turns, joined, sent = collections.Counter(), collections.Counter(), collections.Counter()

    def starts(rank):
        for key in sorted(left[rank]):
            node = left[rank][key]
            kind = node["type"]
            kinds = {COMPUTE: {COMPUTE}, RECEIVE: set()}.get(kind, {SEND, COLLECTIVE})
            if any(before in left[rank] or before in running[rank] for before in node["after"]):
                continue
            if any(other["type"] in kinds for other, _ in running[rank].values()):
                continue
            turn = None
            if kind == COLLECTIVE:
                group = node["pg_name"].decode()
                turn = (group, turns[group, rank])
                turns[group, rank] += 1
                joined[turn] += 1
            yield key, turn

    def ends(node, turn):
        if node["type"] == COLLECTIVE:
            return joined[turn] == len(groups[turn[0]])
        return node["type"] != RECEIVE or sent[node["comm_src"], node["comm_dst"], node["comm_tag"]] > 0

    moved = True
    while moved:
        moved = False
        for rank in range(len(ranks)):
            for key, turn in starts(rank):
                running[rank][key] = (left[rank].pop(key), turn)
                moved = True
        for rank, nodes in enumerate(running):
            for key in [key for key, (node, turn) in nodes.items() if ends(node, turn)]:
                node, _ = nodes.pop(key)
                if node["type"] == SEND:
                    sent[node["comm_src"], node["comm_dst"], node["comm_tag"]] += 1
                moved = True
    return [rank for rank in range(len(ranks)) if left[rank] or running[rank]]


class TracesTest(unittest.TestCase):
    def test_every_case_keeps_the_rules_and_finishes(self):
        for case in CASES:
            with self.subTest(case):
                ranks, groups = read(traces_of(case))
                self.assertEqual(broken_rules(ranks, groups), [])
                self.assertEqual(stuck(ranks, groups), [])

    def test_the_cases_contain_every_kind_of_node(self):
        kinds = {node["type"] for case in CASES for trace in read(traces_of(case))[0] for node in trace}
        self.assertEqual(kinds, {COMPUTE, SEND, RECEIVE, COLLECTIVE})

    def test_a_pipeline_has_a_message_for_each_micro_batch_and_core(self):
        ranks, _ = read(traces_of("pipeline"))
        # Two stages of two logical cores; two micro-batches from each core of the first stage.
        sends = [len([node for node in trace if node["type"] == SEND]) for trace in ranks]
        self.assertEqual(sends, [2, 2, 0, 0])
        ranks, _ = read(traces_of("training pipeline"))
        # Three micro-batches: activations from one stage, gradients from the other, on each of eight cores.
        self.assertEqual([len([node for node in trace if node["type"] == SEND]) for trace in ranks], [3] * 8)

    def test_tahoma_reads_what_it_wrote(self):
        for case in ("layer", "shared sequences", "pipeline", "training"):
            with self.subTest(case):
                folder, out = traces_of(case), OUT / "replayed"
                subprocess.run([TAHOMA, "chakra", folder / "chakra", "--groups", folder / "chakra.groups.json", "--machine",
                                "trainium2_one_chip", "--ranks", "cores", "--exchanges", "estimated", "--out", out], check=True,
                               stdout=subprocess.DEVNULL)
                replayed = json.loads((out / "summary.json").read_text())["time_ns"]
                ran = json.loads((folder / "summary.json").read_text())["simulated_time_ns"]
                self.assertAlmostEqual(replayed / ran, 1, delta=0.15)  # exchanges are estimated, and computation beside them is not shown

    def test_planted_errors_are_found(self):
        def node(number, kind, after=(), **attributes):
            return {"id": number, "type": kind, "after": list(after), "is_cpu_op": 0, **attributes}

        def total(number, group, size, after=()):
            return node(number, COLLECTIVE, after, comm_type=ALL_REDUCE, comm_size=size, pg_name=group)

        def message(kind, tag):
            return node(1, kind, comm_src=0, comm_dst=1, comm_tag=tag, comm_size=64)

        both = {"1": [0, 1]}
        self.assertEqual(broken_rules([[total(1, b"1", 64)]] * 2, both), [])
        self.assertIn("different collectives", broken_rules([[total(1, b"1", 64)], [total(1, b"1", 32)]], both)[0])
        self.assertIn("not in group 2", broken_rules([[total(1, b"2", 64)], []], {"2": [1]})[0])
        self.assertIn("no number", broken_rules([[node(1, COMPUTE)]], {"tensor": [0]})[0])
        self.assertIn("does not exist", broken_rules([[node(1, COMPUTE, [2])]], {})[0])
        self.assertIn("1 sends more", broken_rules([[message(SEND, 1)], [message(RECEIVE, 2)]], {})[0])
        self.assertIn("own end", broken_rules([[message(RECEIVE, 1)]], {})[0])
        # Two groups of the same ranks, which each begins with another one.
        crossed = [[total(1, b"1", 64), total(2, b"2", 64)], [total(1, b"2", 64), total(2, b"1", 64)]]
        self.assertEqual(stuck(crossed, {"1": [0, 1], "2": [0, 1]}), [0, 1])
        self.assertEqual(stuck([[message(SEND, 1)], [message(RECEIVE, 2)]], {}), [1])
        self.assertEqual(stuck([[node(1, COMPUTE, [2]), node(2, COMPUTE, [1])]], {}), [0])


# Logs every node of the traces, except as many as the variable LOST says, and reports every rank.
STAND_IN = """#!/usr/bin/python3
import os, pathlib, re, sys
named = dict(word[2:].split("=", 1) for word in sys.argv[1:])
pathlib.Path(named["logging-folder"]).mkdir(exist_ok=True)
for name in ("system-configuration", "network-configuration", "remote-memory-configuration", "comm-group-configuration"):
    assert pathlib.Path(named[name]).exists(), name
count = int(os.environ["NODES"]) - int(os.environ.get("LOST", 0))
(pathlib.Path(named["logging-folder"]) / "log.log").write_text("callback,sys->id=0, tick=1\\n" * count)
for rank in range(int(os.environ["RANKS"])):
    print(f"sys[{rank}] finished, {1000 + rank} cycles, exposed communication 1 cycles.")
sys.exit(int(os.environ.get("STATUS", 0)))
"""


def script(folder, *words, **environment):
    return subprocess.run([SCRIPT, folder, "--out", OUT, *words], text=True, capture_output=True, check=False,
                          env={"PATH": "/usr/bin:/bin", **environment})


class ScriptTest(unittest.TestCase):
    def setUp(self):
        self.folder = traces_of("ring of 4")
        self.program = pathlib.Path(FOLDER.name) / "stand_in"
        self.program.write_text(STAND_IN)
        self.program.chmod(0o755)
        nodes = [node for trace in read(self.folder)[0] for node in trace]
        self.nodes = len(nodes)
        self.empty = len([node for node in nodes if node["type"] == COMPUTE and node.get("duration_micros", 0) == 0])

    def run_script(self, *words, **environment):
        return script(self.folder, "--binary", self.program, *words, NODES=str(self.nodes), **{"RANKS": "4", **environment})

    def test_everything_executed_is_a_success_whatever_happens_at_the_end(self):
        for status in ("0", "134"):
            done = self.run_script(STATUS=status)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"{self.nodes} nodes executed, 4 ranks finished", done.stdout)
            self.assertIn("1.003 us", done.stdout)
        self.assertIn("exit status was 134", done.stdout)

    def test_a_lost_node_or_rank_fails(self):
        self.assertGreater(self.empty, 0)
        done = self.run_script(LOST=str(self.empty))  # computations of 0 us, which older versions do not log
        self.assertEqual(done.returncode, 0)
        self.assertIn(f"the other {self.empty} are computations of 0 us", done.stdout)
        self.assertEqual(self.run_script(LOST=str(self.empty + 1)).returncode, 1)
        done = self.run_script(RANKS="3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("did not execute every node", done.stderr)

    def test_bad_input_is_refused(self):
        def refused(done, why):
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(why, done.stderr)

        refused(script(self.folder), "TAHOMA_ASTRA_SIM")
        refused(script(self.folder, "--binary", self.folder / "none"), "No such file")
        refused(script(FOLDER.name, "--binary", self.program), "no chakra.0.et")
        refused(self.run_script("--shape", "3x2"), "6 ranks, but the traces have 4")
        refused(self.run_script("--shape", "2x2", "--bandwidth", "100"), "each of 2 dimensions")

    def test_an_operation_that_it_lacks_is_refused(self):
        done = script(traces_of("barrier"), "--binary", self.program)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no barrier", done.stderr)


class ProgramTest(unittest.TestCase):
    def setUp(self):
        if astra_sim.VARIABLE not in os.environ:
            self.skipTest(f"{astra_sim.VARIABLE} names no program")

    def run_script(self, case, *words):
        done = script(traces_of(case), *words, **{astra_sim.VARIABLE: os.environ[astra_sim.VARIABLE]})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_every_node_of_every_case_is_executed(self):
        for case in CASES:
            with self.subTest(case):
                self.run_script(case)

    def test_a_ring_takes_the_time_of_its_closed_form(self):
        """s splits of an all_reduce of S bytes over n ranks, one after the other, with messages of m = S / (s n): n - 1 steps that
        reduce, with three accesses of the local memory, n - 1 steps that do not, and a delay at the end. The program counts whole
        nanoseconds; its GB of links has 2^30 bytes, which the script's network file allows for."""
        latency, endpoint, link = 700, 10, 128.0
        for ranks in (4, 16):
            for splits in (1, 4):
                with self.subTest(ranks=ranks, splits=splits):
                    folder = traces_of(f"ring of {ranks}")
                    said = self.run_script(f"ring of {ranks}", "--latency", str(latency), "--splits", str(splits))
                    memory = json.loads((OUT / "system.json").read_text())["local-mem-bw"]
                    message = 2**20 / (splits * ranks)
                    step = math.floor(latency + message / link) + endpoint
                    ring = splits * (2 * (ranks - 1) * step + 3 * (ranks - 1) * math.floor(message / memory) + endpoint)
                    computed = max(sum(max(1, 1000 * node.get("duration_micros", 0)) for node in trace if node["type"] == COMPUTE)
                                   for trace in read(folder)[0])
                    took = float(re.search(r"time +([0-9.]+) us", said).group(1)) * 1e3
                    self.assertAlmostEqual(took, ring + computed, delta=1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    known, rest = parser.parse_known_args()
    TAHOMA = known.binary
    with FOLDER:
        unittest.main(argv=[sys.argv[0], *rest])
