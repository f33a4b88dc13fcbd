# SPDX-License-Identifier: Apache-2.0
"""Ratios over commits: a table that grows by a row for each case and commit, and its plot. Ratios are to one base program, measured
in the same run, because seconds of different days and hosts cannot be compared."""

import csv
import datetime
import hashlib
import subprocess
import sys

from benches.measure import ROOT

FIELDS = ("date", "commit", "base", "case", "base_cpu_s", "cpu_s", "ratio")


def commit():
    done = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty=+"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def version_of(program):
    """The first digits of the program's hash, which its runs have in their manifests."""
    return hashlib.sha256(program.read_bytes()).hexdigest()[:12]


def read(file):
    if not file.exists():
        return []
    with open(file, encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows))


def append(file, pairs, base):
    """Replaces the rows of this commit and base, and returns all rows."""
    own, at = commit(), version_of(base)
    kept = [r for r in read(file) if not (r["commit"] == own and r["base"] == at and r["case"] in {p.case.name for p in pairs})]
    today = datetime.date.today().isoformat()
    kept += [dict(zip(FIELDS, (today, own, at, p.case.name, f"{p.base.cpu:.3f}", f"{p.own.cpu:.3f}", f"{p.ratio:.4f}"))) for p in pairs]
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)
    return kept


def draw(rows, base, out):
    """A line for each case over the commits, in the order of the rows."""
    from matplotlib import pyplot
    sys.path.append(str(ROOT / "frontend/python/package/tahoma"))  # as scripts/plot
    from optimise.style import STYLES, save
    rows = [r for r in rows if r["base"] == version_of(base)]
    commits = list(dict.fromkeys(r["commit"] for r in rows))
    chart, axes = pyplot.subplots(figsize=(max(5, 0.5 * len(commits) + 3), 3.8))
    for number, case in enumerate(dict.fromkeys(r["case"] for r in rows)):
        colour, marker = STYLES[number % len(STYLES)]
        points = [(commits.index(r["commit"]), float(r["ratio"])) for r in rows if r["case"] == case]
        axes.plot(*zip(*points), color=colour, marker=marker, label=case)
    axes.axhline(1, color="#909090", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_xticks(range(len(commits)), commits, rotation=45, ha="right")
    axes.set_ylabel("processor time / that of the base")
    axes.legend(fontsize=7, frameon=False)
    axes.grid(color="#ececec", linewidth=0.6)
    chart.tight_layout()
    return save(chart, out)
