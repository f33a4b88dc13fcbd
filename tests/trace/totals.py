# SPDX-License-Identifier: Apache-2.0
"""Compares the sums over the slices and values of a whole trace with the statistics of its run."""

import csv
import json
import re

ENGINES = ("tensor", "vector", "scalar", "gpsimd", "sync", "cc0", "cc1")
KINDS = ("engines", "waits", "dma", "queues", "links", "bandwidth", "occupancy")
FS = 1_000_000


def rows(folder, name):
    with open(folder / name, newline="") as file:
        return list(csv.DictReader(file))


def statistics(folder):
    with open(folder / "stats.csv", newline="") as file:
        return {row[0]: row[1] for row in csv.reader(file)}


def integral(track, elapsed_ns):
    """Returns value times seconds."""
    points = track.values + [(elapsed_ns, 0.0)]
    return sum(value * (until - when) * 1e-9 for (when, value), (until, _) in zip(points, points[1:]))


class Totals:
    def __init__(self, timeline, folder):
        self.timeline, self.folder, self.findings = timeline, folder, []
        self.stats = statistics(folder)
        self.elapsed = json.loads((folder / "summary.json").read_text())["simulated_time_ns"]
        for law in (self.engines, self.rings, self.held, self.links, self.memories, self.occupancy, self.tally):
            law()

    def same(self, what, seen, expected, tolerance=0.0):
        if abs(seen - expected) > tolerance * max(abs(expected), 1):
            self.findings.append(f"{what}: {seen} in the trace, {expected} in the statistics")

    def engines(self):
        """Busy and every reason, of every engine, to the femtosecond; all but idle."""
        booked = {}
        for path, tracks in self.timeline.by_path.items():
            if path.rpartition(".")[2] not in ENGINES:
                continue
            for s in (s for track in tracks for s in track.slices if s.exact()):
                name = f"{path}.{'busy' if s.category == 'engines' else s.name}"
                booked[name] = booked.get(name, 0) + s.arguments["length_fs"]
        for path, value in self.stats.items():
            engine, _, name = path.rpartition(".")
            if engine.rpartition(".")[2] in ENGINES and (name == "busy" or name.startswith("wait_") or name in (
                    "handover", "weight_load", "throttle", "table_load", "bank_conflict", "port_conflict", "dispatch",
                    "queue_full", "drain")):
                self.same(path, booked.pop(path, 0), round(float(value) * FS))
        self.findings += [f"{path}: in the trace alone" for path in booked]

    def rings(self):
        cores = {}
        for path, tracks in self.timeline.by_path.items():
            if ".dma.ring" in path and tracks[0].unit is None:
                cores.setdefault(path.rpartition(".")[0], []).extend(s for track in tracks for s in track.slices)
        for path in (path for path in self.stats if path.endswith(".dma.transfers")):
            dma = path.rpartition(".")[0]
            slices = cores.get(dma, [])
            self.same(path, len(slices), int(self.stats[path]))
            self.same(dma + ".packets", sum(s.arguments["packets"] for s in slices), int(self.stats[dma + ".packets"]))

    def held(self):
        for path, tracks in self.timeline.by_path.items():
            if not path.endswith("_held"):
                continue
            values = [0.0] + [value for _, value in tracks[0].values]
            if values[-1] != 0 or any(abs(b - a) != 1 for a, b in zip(values, values[1:])):
                self.findings.append(f"{path}: does not go up and down by one transfer, and to none")

    def links(self):
        for row in rows(self.folder, "links.csv"):
            slices = self.timeline.slices(row["name"])
            for ours, column in (("packets", "packets"), ("bytes", "payload_bytes"), ("wire_bytes", "wire_bytes")):
                self.same(f"{row['name']}.{column}", sum(s.arguments[ours] for s in slices), int(row[column]))
            busy = sum(s.arguments["length_fs"] for s in slices) / FS
            self.same(f"{row['name']}.busy", busy, float(row["busy_percent"]) / 100 * self.elapsed, 1e-6)
            self.curve(row["name"], int(row["wire_bytes"]))

    def memories(self):
        for path in (path for path in self.stats if re.fullmatch(r".*\.hbm\d+\.read_bytes", path)):
            stack = path.rpartition(".")[0]
            self.curve(stack, int(self.stats[path]) + int(self.stats[stack + ".write_bytes"]))

    def curve(self, path, expected):
        """Checks the bytes under a curve of bandwidth. DRAM moves whole bursts, which are slightly more than was requested."""
        tracks = self.timeline.by_path.get(path + ".bandwidth", [])
        self.same(path + ".bandwidth", sum(integral(track, self.elapsed) for track in tracks), expected, 0.03)

    def occupancy(self):
        for space in json.loads((self.folder / "report.json").read_text()).get("occupancy", []):
            suffix = ".live" if space["space"] == "hbm" else f".{space['space']}_live"
            seen = [value for path, tracks in self.timeline.by_path.items() if path.endswith(suffix)
                    for _, value in tracks[0].values]
            self.same("most live in " + space["space"], round(max(seen, default=0)), space["most_live"])

    def tally(self):
        """Checks that the trace holds what it declares, and has left out nothing."""
        counted = dict.fromkeys(KINDS, 0)
        for path, tracks in self.timeline.by_path.items():
            for track in tracks:
                for s in track.slices:
                    counted[s.category] += 1 if s.exact() else 0
                kind = "queues" if path.endswith("_held") else "bandwidth" if path.endswith(".bandwidth") else "occupancy"
                counted[kind] += len(track.values)
        said = {name: arguments for track in self.timeline.by_path.get("trace", []) for _, name, arguments in track.instants}
        for kind in KINDS:
            self.same("written " + kind, said.get(kind, {}).get("written", -1), counted[kind])
            self.same("left out of " + kind, sum(said.get(kind, {}).values()), counted[kind])
