# SPDX-License-Identifier: Apache-2.0
"""The tracks of a trace, and the laws between its events; violations are in `findings`."""

from dataclasses import dataclass, field

CLEARED, NEEDS = 1, 2  # sequence_flags
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
FS = 1_000_000  # in a nanosecond
NAMES, CATEGORIES, KEYS, TEXTS = "event_names", "event_categories", "debug_annotation_names", "debug_annotation_string_values"


@dataclass
class Slice:
    name: str
    category: str
    start: int  # ns
    depth: int
    arguments: dict
    flows: list
    end: int = -1

    def exact(self):
        """Returns femtoseconds, or None for a slice without them (a region)."""
        if "start_fs" not in self.arguments:
            return None
        return self.arguments["start_fs"], self.arguments["start_fs"] + self.arguments["length_fs"]


@dataclass
class Track:
    path: str
    unit: str  # of a counter; None: slices
    slices: list = field(default_factory=list)
    values: list = field(default_factory=list)
    instants: list = field(default_factory=list)
    open: list = field(default_factory=list)
    last: int = 0
    last_exact: int = 0


class Timeline:
    def __init__(self, packets):
        self.findings, self.tracks, self.interned = [], {0: Track("", None)}, None
        for packet in packets:
            self.take(packet)
        for track in self.tracks.values():
            for begun in track.open:
                self.wrong(track, f"'{begun.name}' at {begun.start} ns never ends")
        self.by_path = {}  # overlapping tracks share a path
        for uuid, track in self.tracks.items():
            if uuid != 0:
                self.by_path.setdefault(track.path, []).append(track)

    def slices(self, path):
        return [s for track in self.by_path.get(path, []) for s in track.slices]

    def wrong(self, track, text):
        self.findings.append(f"{track.path}: {text}")

    def take(self, packet):
        if packet.get("trusted_packet_sequence_id", 0) == 0:
            self.findings.append("a packet of no sequence")
        flags = packet.get("sequence_flags", 0)
        if flags & CLEARED:
            self.interned = {}
        for table, entries in packet.get("interned_data", {}).items():
            for entry in entries:
                known = self.interned.setdefault(table, {}).setdefault(entry["iid"], entry["text"])
                if known != entry["text"]:
                    self.findings.append(f"{table}: {entry['iid']} is '{known}' and '{entry['text']}'")
        if "track_descriptor" in packet:
            self.describe(packet["track_descriptor"])
        if "track_event" in packet:
            if not flags & NEEDS or self.interned is None:
                self.findings.append("an event outside of every state")
                return
            self.event(packet["timestamp"], packet["track_event"])

    def describe(self, described):
        uuid, parent = described["uuid"], described.get("parent_uuid", 0)
        if uuid in self.tracks:
            self.findings.append(f"track {uuid} is described twice")
        if parent not in self.tracks:
            self.findings.append(f"track {uuid} lies in track {parent}, which is not there")
            return
        above = self.tracks[parent].path
        unit = described["counter"]["unit_name"] if "counter" in described else None
        self.tracks[uuid] = Track(f"{above}.{described['name']}" if above else described["name"], unit)

    def text(self, table, iid):
        known = (self.interned or {}).get(table, {})
        if iid not in known:
            self.findings.append(f"{table}: nobody has said what {iid} is")
        return known.get(iid, "?")

    def arguments(self, event):
        said = {}
        for annotation in event.get("debug_annotations", []):
            key = self.text(KEYS, annotation["name_iid"])
            said[key] = (annotation["uint_value"] if "uint_value" in annotation
                         else self.text(TEXTS, annotation["string_value_iid"]))
        return said

    def event(self, when, event):
        track = self.tracks.get(event["track_uuid"])
        if track is None:
            self.findings.append(f"an event on track {event['track_uuid']}, which is not described")
            return
        if when < track.last:
            self.wrong(track, f"an event at {when} ns behind one at {track.last} ns")
        track.last = max(track.last, when)
        kind = event.get("type")
        if (kind == COUNTER) != (track.unit is not None):
            self.wrong(track, f"an event of type {kind} on a track {'of values' if track.unit else 'of slices'}")
        elif kind == BEGIN:
            self.begin(track, when, event)
        elif kind == END:
            self.end(track, when)
        elif kind == INSTANT:
            track.instants.append((when, self.text(NAMES, event["name_iid"]), self.arguments(event)))
        elif kind == COUNTER:
            track.values.append((when, event["double_counter_value"]))
        else:
            self.wrong(track, f"an event of type {kind}")

    def begin(self, track, when, event):
        begun = Slice(self.text(NAMES, event["name_iid"]), self.text(CATEGORIES, event["category_iids"][0]), when,
                      len(track.open), self.arguments(event), event.get("flow_ids", []))
        track.open.append(begun)
        exact = begun.exact()
        if exact is None:
            return
        if exact[0] // FS != when:
            self.wrong(track, f"'{begun.name}' begins at {when} ns and at {exact[0]} fs")
        if exact[0] < track.last_exact:
            self.wrong(track, f"'{begun.name}' at {exact[0]} fs lies over a slice that ends at {track.last_exact} fs")
        track.last_exact = exact[1]

    def end(self, track, when):
        if not track.open:
            self.wrong(track, f"an end at {when} ns of nothing")
            return
        ended = track.open.pop()
        ended.end = when
        exact = ended.exact()
        if exact is not None and exact[1] // FS != when:
            self.wrong(track, f"'{ended.name}' ends at {when} ns and at {exact[1]} fs")
        track.slices.append(ended)
