# SPDX-License-Identifier: Apache-2.0
"""The bottlenecks that each place of a run names: {"": of the whole run, region: of the region}, as text."""

import json
import re

UNKNOWN = "run tahoma explain"
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


def of_summary_text(text, regions):
    """The first line, or two, and the table of regions, whose rows end with the resource and minus the percentage."""
    answer = " ".join(text[text.index(" MFU "):].partition("\n\n")[0].split())
    named = {"": answer.split(", bottleneck: ")[1]}
    if "bottleneck, if ideal" not in text:
        return named
    for row in text.partition("bottleneck, if ideal\n")[2].partition("\n\n")[0].splitlines():
        name = next((name for name in regions if shown(name) == row[2:26].rstrip()), None)
        if name is not None:
            last = row.rpartition(" %  ")[2]
            found = re.fullmatch(r"(.+) -([\d.]+) %", last)
            named[name] = f"{found[1]} ({found[2]} % shorter if ideal)" if found else last
    return named


def shown(name, width=24):
    """A name as a column of the text shows it."""
    half = (width - 2) // 2
    return name if len(name) <= width else f"{name[:width - 2 - half]}..{name[-half:]}"


def of_explain_text(text, regions):
    """What `tahoma explain` prints: the first line, and the table of regions."""
    named = {"": next(line for line in text.splitlines() if ", bottleneck: " in line).split(", bottleneck: ")[1]}
    for row in text.partition("   bottleneck\n")[2].splitlines():
        name = max((name for name in regions if row.startswith(f"  {name} ")), key=len, default=None)
        if name is not None:
            named[name] = row.split("   ")[-1].strip()
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
