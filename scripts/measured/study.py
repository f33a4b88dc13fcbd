# SPDX-License-Identifier: Apache-2.0
"""Computes the correct text of every marker in a set of documents: executes runs, or reads the record."""

import dataclasses

from measured import formats, results, values
from measured.goldens import Goldens, Stored
from measured.markers import markers_of, rewritten, unmatched
from measured.problem import Problem
from measured.record import Record
from measured.runs import Executor, declared

FIGURES, ROWS, RECORD = "workloads/figures.yaml", "workloads/results.yaml", "workloads/figures.recorded.json"


@dataclasses.dataclass
class Options:
    binary: str
    cache: object
    jobs: int = 2
    quick: bool = False  # slow runs are read from goldens and the record
    whole: bool = True  # the documents are all of the repository


class Study:
    def __init__(self, root, documents, options):
        self.root = root
        self.options = options
        self.runs, self.derived, self.tables = declared(root / FIGURES)
        self.rows = results.rows_of(root / ROWS) if (root / ROWS).exists() else []
        self.pages = {name: (root / name).read_text(encoding="utf-8") for name in documents}
        self.markers = [marker for name, page in self.pages.items() for marker in markers_of(name, page)]
        self.goldens = Goldens(root)
        self.record = Record(root / RECORD, self.goldens)
        self.results = {}  # by command
        self.problems = [line for name, page in self.pages.items() for line in unmatched(name, page)]

    def needed(self, spec):
        """The runs that a marker or a cell quotes."""
        if spec == results.SPEC:
            return [run for row in self.rows for run in (row.timed, row.checked)]
        if spec in self.tables:
            return [run for cell in values.figures_in(self.tables[spec]) for run in self.needed(cell)]
        spec = self.derived.get(spec, spec)
        if "{" in spec:
            return [self._run(run) for run in values.runs_in(spec)]
        return [self._run(spec.partition(" ")[0])]

    def _run(self, name):
        if name not in self.runs:
            raise Problem(f"'{name}' is not a run of {FIGURES}")
        return self.runs[name]

    def quoted_runs(self):
        """Returns the runs that the markers quote; a marker with an unknown run is a problem."""
        found = []
        for marker in self.markers:
            try:
                found += self.needed(marker.spec)
            except Problem as problem:
                self.problems.append(f"{marker.file}:{marker.line}: {problem}")
        return found

    def execute(self, runs):
        """Runs each distinct command; slow ones only without --quick."""
        wanted = {}
        for run in runs:
            if run.command not in wanted or not run.slow:  # a command is quick if one declaration calls it quick
                wanted[run.command] = run
        stored = {command: run for command, run in wanted.items() if run.slow and self.options.quick}
        self.results = {command: Stored(run, self.goldens.statistics(run), self.record) for command, run in stored.items()}
        executor = Executor(self.root, self.options.binary, self.options.cache, self.options.jobs)
        self.results |= executor.all([run for command, run in wanted.items() if command not in stored])

    def result(self, run):
        return self.results[run.command]

    def right(self, spec):
        """The text that should stand at a marker or in a cell."""
        if spec == results.SPEC:
            return results.markdown([results.cells(row, self.result) for row in self.rows])
        if spec in self.tables:
            return values.filled(self.tables[spec], self.right)
        spec = self.derived.get(spec, spec)
        if "{" in spec:
            expression, how = values.split_format(spec)
            value = values.evaluated(expression, lambda run, figure: self.result(self._run(run)).value(figure))
            return formats.written(value, how)
        name, _, figure = spec.partition(" ")
        return self._quoted(self._run(name), figure)

    def _quoted(self, run, figure):
        if values.is_text(figure):
            return self.result(run).value(figure)
        name, how = values.split_format(figure)
        return formats.written(self.result(run).value(name), how or formats.default_format(values.path_of(name)))

    def texts(self):
        """Returns {marker: correct text}; a figure without a value is a problem."""
        found = {}
        for marker in self.markers:
            try:
                self.needed(marker.spec)
                found[marker] = self.right(marker.spec)
            except Problem as problem:
                line = f"{marker.file}:{marker.line}: {problem}"
                if line not in self.problems:
                    self.problems.append(line)
        return found

    def differences(self, texts):
        """Returns FILE:LINE with the present and the correct text."""
        found = []
        for marker, right in texts.items():
            stands = marker.stands()
            if stands == right:
                continue
            place = f"{marker.file}:{marker.line}"
            if not marker.is_block:
                found.append(f"{place}: found '{stands}', expected '{right}' ({marker.spec})")
                continue
            old, new = stands.split("\n"), right.split("\n")
            at = next((i for i, (was, now) in enumerate(zip(old, new)) if was != now), min(len(old), len(new)))
            was, now = old[at] if at < len(old) else "<end>", new[at] if at < len(new) else "<end>"
            found.append(f"{place}: line {at + 1} of the block ({marker.spec}):\n    found:    {was}\n    expected: {now}")
        return found

    def stale(self):
        """Recorded runs whose files have changed; asked after a full check, whose values need no record."""
        found = []
        for result in self.results.values():
            run = result.run
            if run.slow and not isinstance(result, Stored):
                changed = self.record.changed(run) if run.command in self.record.runs else ["no record"]
                if changed:
                    found.append(f"{RECORD}: `{run.command}` was recorded before {', '.join(changed)}")
        return found

    def write(self, texts):
        """Rewrites the pages and, when every run was executed, the record."""
        changed = []
        for name, page in self.pages.items():
            new = rewritten(page, [marker for marker in self.markers if marker.file == name], texts)
            if new != page:
                (self.root / name).write_text(new, encoding="utf-8")
                changed.append(name)
        if not self.options.quick:
            self.record.write([result for result in self.results.values() if result.run.slow], self.options.whole)
        return changed
