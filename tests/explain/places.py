# SPDX-License-Identifier: Apache-2.0
"""The bottlenecks that each place of a run names: {"": of the whole run, region: of the region}, as text."""

import json
import re

UNKNOWN = "not measured"
# Words for a verdict that is not the measured bottleneck.
OTHER_VERDICTS = re.compile(r"\b\w+[- ]bound\b|\bbound by\b|\blimited by\b|\blimiting (factor|resource)\b", re.IGNORECASE)


def text_of(bottleneck):
    """The text of a JSON entry {resource, shorter_percent}, as the program writes it."""
    if bottleneck is None:
        return UNKNOWN
    if not bottleneck["resource"]:
        return "no single resource"
    return f"{bottleneck['resource']} ({bottleneck['shorter_percent']:.1f} % shorter if ideal)"


def of_json(document):
    """summary.json, explain.json, or a summary in the data of a page."""
    named = {"": text_of(document["bottleneck"])}
    for region in document["regions"]:
        if "bottleneck" in region:
            named[region["name"]] = text_of(region["bottleneck"])
    return named


def of_headline(text):
    """The verdict in a headline: "explain agrees: 31.2 % shorter if HBM is ideal", or "disagrees" and the saving of the path's resource."""
    if "explain" not in text:
        return {"": UNKNOWN}
    if "explain: no single resource" in text:
        return {"": "no single resource"}
    found = re.search(r"explain (?:agrees|disagrees): ([\d.]+) % shorter if (.+?) is ideal", text)
    return {"": f"{found[2]} ({found[1]} % shorter if ideal)" if found else text}


def of_summary_text(text):
    """The first lines, up to the first empty one."""
    return of_headline(" ".join(text.partition("\n\n")[0].split()))


def of_explain_text(text, regions):
    """What `tahoma explain` prints: the first line, and the table of regions."""
    named = {"": next(line for line in text.splitlines() if ", bottleneck: " in line).split(", bottleneck: ")[1]}
    for row in text.partition("   bottleneck\n")[2].splitlines():
        name = max((name for name in regions if row.startswith(f"  {name} ")), key=len, default=None)
        if name is not None:
            named[name] = row.split("   ")[-1].strip().partition("; ")[0]  # what follows is the saving of another resource
    return named


def page_data(page):
    """The data in a page, whose texts have no '<'."""
    return json.loads(page.partition('<script type="application/json" id="data">')[2].partition("</script>")[0])


def disagreements(reference, places):
    """Lines for each place that names something else than the reference; a place may leave out regions, not add any."""
    found = []
    for place, named in places.items():
        for what, text in named.items():
            if reference.get(what) != text:
                found.append(f"{place}: {what or 'the run'}: '{text}', tahoma explain says '{reference.get(what)}'")
    return found


def other_verdicts(places):
    """Lines for each text that judges in other words."""
    return [f"{place} says '{found[0]}'" for place, text in places.items() for found in OTHER_VERDICTS.finditer(text)]


def path_gap(summary):
    """Femtoseconds by which the rows of the critical path miss the simulated time, gaps and overlaps included."""
    rows = summary["critical_path"]["rows"]
    if not rows:
        return 0 if summary["instructions"] == 0 else fs(summary["simulated_time_ns"])
    gap = abs(fs(rows[0]["end_ns"]) - fs(summary["simulated_time_ns"])) + abs(fs(rows[-1]["start_ns"]))
    for later, earlier in zip(rows, rows[1:]):
        gap += abs(fs(later["start_ns"]) - fs(earlier["end_ns"]))
    return gap


def fs(ns):
    return round(ns * 1e6)
