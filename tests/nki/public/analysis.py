# SPDX-License-Identifier: Apache-2.0
"""What limits a run, from its summary: the bound of its instructions, and the spots that the critical path spends its time at."""


def analysis_of(summary):
    whole, path = summary["whole"], summary.get("critical_path") or {}
    spots = sorted(path.get("hot_spots", []), key=lambda spot: -spot["time_ns"])[:3]
    return {"bound_us": whole["bound_ns"] / 1e3, "bound_by": whole["bound_by"],
            "needs_us": {name: round(ns / 1e3, 3) for name, ns in whole["needs_ns"].items() if ns},
            "stalls": {name: engine["largest_stall"] for name, engine in whole["engines"].items()},
            "losses": [f"{spot['share_percent']:.0f} % {spot['engine']} {spot['opcode']} {spot.get('source', '')}".strip() for spot in spots]}
