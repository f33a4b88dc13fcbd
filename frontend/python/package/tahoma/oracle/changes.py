# SPDX-License-Identifier: Apache-2.0
"""A verdict beside an earlier one."""
from __future__ import annotations

from typing import Any, Mapping

Verdict = Mapping[str, Any]


def _pair(before: Any, after: Any) -> dict[str, Any]:
    return {"before": before, "after": after}


def changes(before: Verdict, after: Verdict, most: int = 5) -> dict[str, Any]:
    """Time and bytes before and after, and the lines and resources whose time on the critical path changed most."""
    paths = [{(row["place"], row["resource"]): row["time_us"] for row in verdict.get("path") or []} for verdict in (before, after)]
    rows = [{"place": place, "resource": resource, **_pair(paths[0].get((place, resource), 0.0), paths[1].get((place, resource), 0.0))}
            for place, resource in {**paths[0], **paths[1]}]
    rows = sorted((row for row in rows if row["before"] != row["after"]), key=lambda row: -abs(row["after"] - row["before"]))
    old, new = before.get("time_us"), after.get("time_us")
    return {"time_us": _pair(old, new), "speedup": old / new if old and new else None, "status": _pair(before.get("status"), after.get("status")),
            "instructions": _pair(before.get("instructions"), after.get("instructions")), "hbm": _pair(before.get("hbm"), after.get("hbm")),
            "path": rows[:most]}
