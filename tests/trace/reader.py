#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the wire format of Perfetto traces by hand, independently of the program's own schema and of protobuf.

Field numbers are those of Perfetto's public definitions. A field that is not in the tables below is an error: a
trace must not contain anything that Perfetto does not understand. As a program, it prints a line for each event of a trace.
"""

import struct
import sys


class TraceError(Exception):
    pass


# message -> field number -> (name, kind); kinds ending in * may be repeated. Small letters are scalars.
MESSAGES = {
    "Trace": {1: ("packet", "TracePacket*")},
    "TracePacket": {8: ("timestamp", "varint"), 10: ("trusted_packet_sequence_id", "varint"), 11: ("track_event", "TrackEvent"),
                    12: ("interned_data", "InternedData"), 13: ("sequence_flags", "varint"),
                    60: ("track_descriptor", "TrackDescriptor")},
    "TrackDescriptor": {1: ("uuid", "varint"), 2: ("name", "string"), 5: ("parent_uuid", "varint"),
                        8: ("counter", "CounterDescriptor")},
    "CounterDescriptor": {6: ("unit_name", "string")},
    "TrackEvent": {3: ("category_iids", "varint*"), 4: ("debug_annotations", "DebugAnnotation*"), 9: ("type", "varint"),
                   10: ("name_iid", "varint"), 11: ("track_uuid", "varint"), 44: ("double_counter_value", "double"),
                   47: ("flow_ids", "fixed64*")},
    "DebugAnnotation": {1: ("name_iid", "varint"), 3: ("uint_value", "varint"), 17: ("string_value_iid", "varint")},
    "InternedData": {1: ("event_categories", "Interned*"), 2: ("event_names", "Interned*"),
                     3: ("debug_annotation_names", "Interned*"), 29: ("debug_annotation_string_values", "Interned*")},
    "Interned": {1: ("iid", "varint"), 2: ("text", "string")},
}
WIRE = {"varint": 0, "fixed64": 1, "double": 1, "string": 2}  # messages: 2


def varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise TraceError(f"byte {at}: a number does not end")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data, message):
    """Yields (name, value, may be repeated) for each field."""
    table, at = MESSAGES[message], 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if number not in table:
            raise TraceError(f"{message} has no field {number}")
        name, kind = table[number]
        repeated, kind = kind.endswith("*"), kind.rstrip("*")
        if wire != WIRE.get(kind, 2):
            raise TraceError(f"{message}.{name}: wire type {wire}")
        if wire == 0:
            value, at = varint(data, at)
        else:
            length, at = varint(data, at) if wire == 2 else (8, at)
            part, at = data[at:at + length], at + length
            if len(part) < length:
                raise TraceError(f"{message}.{name}: the trace ends in it")
            if kind == "string":
                value = bytes(part).decode()
            elif kind == "double":
                value = struct.unpack("<d", part)[0]
            elif kind == "fixed64":
                value = struct.unpack("<Q", part)[0]
            else:
                value = parse(part, kind)
        yield name, value, repeated


def parse(data, message):
    parsed = {}
    for name, value, repeated in fields(data, message):
        if repeated:
            parsed.setdefault(name, []).append(value)
        elif name in parsed:
            raise TraceError(f"{message}.{name} stands twice")
        else:
            parsed[name] = value
    return parsed


def packets(data):
    for _, packet, _ in fields(memoryview(data), "Trace"):
        yield packet


def main():
    from timeline import Timeline  # which needs this module

    timeline = Timeline(packets(open(sys.argv[1], "rb").read()))
    for finding in timeline.findings:
        print("WRONG:", finding)
    for path, track in sorted(timeline.by_path.items()):
        for lane in track:
            for s in lane.slices:
                print(f"{path} {s.start} ns +{s.end - s.start} {'  ' * s.depth}{s.name} [{s.category}] {s.arguments} {s.flows or ''}")
            for when, value in lane.values:
                print(f"{path} {when} ns = {value:g} {lane.unit}")
            for when, name, arguments in lane.instants:
                print(f"{path} {when} ns {name} {arguments}")


if __name__ == "__main__":
    main()
