# SPDX-License-Identifier: Apache-2.0
"""Reads the results of a sweep from the sweep.db in its folder, which is never written."""

import contextlib
import pathlib
import sqlite3

import yaml

from .names import BadRequest, choose


class Point:
    """One row of a sweep: `texts` and `values` of its parameters by path, `metrics` by name."""

    def __init__(self, number, workload, status, reason):
        self.number, self.workload, self.status, self.reason = number, workload, status, reason
        self.texts, self.values, self.metrics = {}, {}, {}


class SweepFolder:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        database = self.folder / "sweep.db"
        if not self.folder.is_dir():
            raise BadRequest(f"{folder}: no such folder; expected one that tahoma sweep --out has written")
        if not database.is_file():
            raise BadRequest(f"{folder}: holds no sweep.db; expected a folder that tahoma sweep --out has written")
        try:
            self.title, self.points = read(database)
        except sqlite3.Error as error:
            raise BadRequest(f"{database}: not a sweep's database: {error}") from error
        self.done = [point for point in self.points if point.status == "done"]

    def paths(self):
        return sorted({path for point in self.points for path in point.texts})

    def metric_names(self):
        return sorted({name for point in self.done for name in point.metrics})

    def workloads(self):
        return list(dict.fromkeys(point.workload for point in self.points))

    def path(self, name):
        return choose(name, self.paths(), "parameter that varies", self.folder)

    def metric(self, name):
        if not self.done:
            raise BadRequest(f"{self.folder}: none of its {len(self.points)} points is done")
        return choose(name, self.metric_names(), "metric", self.folder)

    def with_metrics(self, *names):
        """Returns the points that have all of the metrics."""
        points = [point for point in self.done if all(name in point.metrics for name in names)]
        if not points:
            raise BadRequest(f"{self.folder}: no point has all of {', '.join(names)}")
        return points

    def axes(self):
        """Returns lists of paths that vary together, in the order of the sweep."""
        file = self.folder / "sweep.yaml"
        try:
            return [list(item) for item in yaml.safe_load(file.read_text(encoding="utf-8"))["sweep"]["axes"]]
        except (OSError, yaml.YAMLError, KeyError, TypeError) as error:
            raise BadRequest(f"{file}: not the sweep.yaml of tahoma sweep: {error!r}") from error


def read(database):
    """Returns (title, points in their order)."""
    # Without a lock and a journal a read-only folder works, too.
    with contextlib.closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        points = {row[0]: Point(*row) for row in
                  connection.execute("SELECT number, workload, status, reason FROM points ORDER BY number")}
        for number, path, text, value in connection.execute("SELECT number, path, text, value FROM parameters"):
            points[number].texts[path] = text
            points[number].values[path] = value
        for number, name, value in connection.execute("SELECT number, name, value FROM metrics"):
            points[number].metrics[name] = value
        title = connection.execute("SELECT value FROM meta WHERE key = 'title'").fetchone()
    return title[0] if title else "", list(points.values())
