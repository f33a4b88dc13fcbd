#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs cases with --explain and prints a table: the bottleneck, and whether every place names it and the critical path adds up."""

import argparse
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import places

WORKLOADS = pathlib.Path(__file__).resolve().parents[2] / "workloads"


class CannotRun(Exception):
    """A case without a row of figures; the text says why."""


def cases_in(names):
    """The case files below workloads/ that the names select: files or folders; all without names."""
    found = sorted(file for file in WORKLOADS.rglob("*.yaml") if re.search(r"^kind:", file.read_text(encoding="utf-8"), re.MULTILINE))
    if not names:
        return found
    chosen = [file for file in found if any(name == part for name in names
              for part in (str(file.relative_to(WORKLOADS)), *map(str, file.relative_to(WORKLOADS).parents)))]
    if not chosen:
        sys.exit(f"no case below {WORKLOADS} is called {' or '.join(names)}")
    return chosen


class Program:
    def __init__(self, binary, settings):
        self.binary = str(pathlib.Path(binary).resolve())
        self.settings = [word for setting in settings for word in ("--set", setting)]

    def __call__(self, folder, *words, seconds=None):
        limit = None if seconds is None else lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        done = subprocess.run([self.binary, *map(str, words)], cwd=folder, text=True, capture_output=True, preexec_fn=limit,
                              stdin=subprocess.DEVNULL, check=False)
        if done.returncode < 0:
            raise CannotRun(f"takes more than {seconds} s")
        if done.returncode != 0:
            raise CannotRun(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit status {done.returncode}")
        return done.stdout

    def run(self, folder, case, out, *words, seconds=None):
        return self(folder, "run", case, "--mode", "timing", *self.settings, *words, "--out", out, seconds=seconds)


def texts_of(folder, output):
    read = lambda name: (folder / name).read_text(encoding="utf-8")
    return {"standard output": output, "summary.txt": read("summary.txt")}, json.loads(read("summary.json")), places.page_data(read("report.html"))


def headlines_of(texts, summary, page):
    return {**{place: places.of_summary_text(text) for place, text in texts.items()},
            "headline of summary.json": places.of_headline(summary["headline"]["text"]),
            "headline of report.html": places.of_headline(page["runs"][0]["summary"]["headline"]["text"])}


def plain_troubles(folder, output):
    """A run that was not explained has the limit of its path, and no bottleneck anywhere."""
    texts, summary, page = texts_of(folder, output)
    named = {**headlines_of(texts, summary, page),
             "summary.json": places.of_json(summary), "report.html": places.of_json(page["runs"][0]["summary"])}
    return places.disagreements({"": places.UNKNOWN}, named) + places.other_verdicts(texts)


def explained_troubles(folder, output, explained):
    """Every place names what `tahoma explain` printed. Also returns that, and the summary."""
    texts, summary, page = texts_of(folder, output)
    regions = [region["name"] for region in summary["regions"]]
    reference = places.of_explain_text(explained, regions)
    named = {**headlines_of(texts, summary, page),
             "summary.json": places.of_json(summary), "report.html": places.of_json(page["runs"][0]["summary"]),
             "explain.json": places.of_json(json.loads((folder / "explain.json").read_text(encoding="utf-8")))}
    # The text of tahoma explain shows the first 24 regions.
    for place, found in named.items():
        named[place] = {what: text for what, text in found.items() if what in reference or len(regions) <= 24}
    if len(regions) == 1:  # its bottleneck is printed once, as that of the run
        named = {place: {what: text for what, text in found.items() if what == ""} for place, found in named.items()}
    return places.disagreements(reference, named) + places.other_verdicts({**texts, "tahoma explain": explained}), reference, summary


def different_files(one, other):
    """Names of files whose bytes differ. The manifest has the command line, explain.json the name of what was explained."""
    names = {file.name for folder in (one, other) for file in folder.iterdir()} - {"manifest.json", "explain.json"}
    read = lambda file: file.read_bytes() if file.is_file() else None
    return sorted(name for name in names if read(one / name) != read(other / name))


def row_of(program, case, seconds):
    """(cells, troubles) of a case."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        troubles = plain_troubles(folder / "plain", program.run(folder, case, "plain", seconds=seconds))
        output = program.run(folder, case, "out", "--explain")
        more, reference, summary = explained_troubles(folder / "out", output, program(folder, "explain", "plain"))
        troubles += more + ["run --explain and explain leave different files: " + name for name in different_files(folder / "plain", folder / "out")]
        gap = places.path_gap(summary)
        if gap:
            troubles.append(f"the critical path misses the simulated time by {gap} fs")
        time = summary["headline"]["time"]
        return [time, reference[""], str(len(reference) - 1), "no" if more else "yes", f"{summary['critical_path']['steps']}",
                f"{gap} fs"], troubles


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="the tahoma to test")
    parser.add_argument("--cases", nargs="*", default=[], metavar="NAME", help="cases or folders below workloads/; default: all")
    parser.add_argument("--seconds", type=int, default=30, help="most processor time of a run; default: %(default)s")
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="for every case, as for tahoma run")
    options = parser.parse_args()
    program, failed, counted = Program(options.binary, options.set), 0, 0
    print("| case | time | bottleneck | regions | same everywhere | steps of the path | its rows miss the time by |\n|---|---|---|---|---|---|---|")
    for case in cases_in(options.cases):
        name = str(case.relative_to(WORKLOADS))
        try:
            cells, troubles = row_of(program, case, options.seconds)
            counted += 1
        except CannotRun as reason:
            cells, troubles = [f"not run: {reason}"], []
        print(f"| {name} | {' | '.join(cells)} |", *(f"    {trouble}" for trouble in troubles), sep="\n", flush=True)
        failed += bool(troubles)
    print(f"\n{counted} cases, {failed} of them with disagreements")
    return 1 if failed or not counted else 0


if __name__ == "__main__":
    sys.exit(main())
