# SPDX-License-Identifier: Apache-2.0
"""The arrows of a trace: from the instruction that changes a semaphore, through its transfer if it starts one, to the
one that waits for it. The text of the instructions names the semaphore."""

import re

WAIT, CHANGE = re.compile(r" wait=s(\d+)"), re.compile(r"[a-z]update=s(\d+)|update=s(\d+)")


def changed(text):
    return {int(a or b) for a, b in CHANGE.findall(text)}


def arrows(timeline):
    """Maps each flow id to its slices, the earliest first."""
    joined = {}
    for path, tracks in timeline.by_path.items():
        for s in (s for track in tracks for s in track.slices):
            for flow in s.flows:
                joined.setdefault(flow, []).append((s.arguments["start_fs"], path, s))
    return {flow: sorted(slices, key=lambda item: item[0]) for flow, slices in joined.items()}


def findings(timeline):
    found, ended = [], set()
    for flow, slices in arrows(timeline).items():
        source = slices[0][2]
        for _, path, s in slices[1:]:
            text = s.arguments["instruction"]
            if ".dma." in path:
                if text != source.arguments["instruction"]:
                    found.append(f"{path}: '{text}' is not what '{source.arguments['instruction']}' began")
                continue
            ended.add(id(s))
            wait = WAIT.search(text)
            if not wait or int(wait.group(1)) not in changed(source.arguments["instruction"]):
                found.append(f"{path}: '{source.arguments['instruction']}' does not release '{text}'")
    for path, tracks in timeline.by_path.items():
        for s in (s for track in tracks for s in track.slices if s.category == "engines" and "_behind" not in path):
            if WAIT.search(s.arguments.get("instruction", "")) and id(s) not in ended:
                found.append(f"{path}: nobody releases '{s.arguments['instruction']}'")
    return found
