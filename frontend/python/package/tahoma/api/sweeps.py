# SPDX-License-Identifier: Apache-2.0
"""The results of a sweep: points, axes and metrics, read from sweep.db."""
from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import pathlib
import sqlite3
import webbrowser
from typing import Any, Iterator, Union

import numpy as np
import numpy.typing as npt

from tahoma.api import inline
from tahoma.api.fronts import front
from tahoma.api.home import Home
from tahoma.api.runs import Run
from tahoma.api.tables import frame_of
from tahoma.errors import ConfigurationError
from tahoma.settings import nearest

Array = npt.NDArray[Any]


@dataclasses.dataclass(frozen=True)
class Point:
    """One point of a sweep. `run` opens its results."""

    number: int
    id: str
    workload: str
    status: str  # done, failed or pending
    reason: str  # why it failed
    parameters: dict[str, float | str]  # those that vary: numbers in base units (bytes, seconds, hertz), or texts
    texts: dict[str, str] = dataclasses.field(repr=False)  # the same, as written
    metrics: dict[str, float] = dataclasses.field(repr=False)  # every number of summary.json by its path, and the sweep's own
    folder: pathlib.Path = dataclasses.field(repr=False)
    home: Home | None = dataclasses.field(repr=False, compare=False)

    @property
    def run(self) -> Run:
        """E-PYT-005 for a point without a finished run."""
        return Run(self.folder / "out", self.home)


class Sweep:
    """The folder of `tahoma sweep` as an object. `tahoma.Sweep(path)` opens one that exists.

    sweep.points                     the points by number; `sweep.failed` has those without a result
    sweep.axes["PATH"]               a parameter that varies: an array over the points
    sweep.metrics["simulated_time_ns"]   a metric: an array over the points, NaN where it is missing
    sweep.front("simulated_time_ns", "max:flops.achieved_tflops")   the points of a Pareto front
    sweep.frame()                    points, axes and metrics as a frame of pandas
    sweep.path, sweep.open()         the folder; its page in a browser
    """

    def __init__(self, path: str | os.PathLike[str], home: Home | None = None) -> None:
        self.path = pathlib.Path(path)
        if not (self.path / "sweep.db").is_file():
            raise ConfigurationError("E-PYT-008", str(path), "contains no sweep: expected a folder of tahoma sweep, with sweep.db")
        self.title, self.points, self._better = read(self.path, home)

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def __getitem__(self, number: int) -> Point:
        return self.points[number]

    @property
    def done(self) -> list[Point]:
        """The points with results."""
        return [point for point in self.points if point.status == "done"]

    @property
    def failed(self) -> list[Point]:
        """The points that failed; `point.reason` says why."""
        return [point for point in self.points if point.status == "failed"]

    @functools.cached_property
    def axes(self) -> dict[str, Array]:
        """The parameters that vary, by path: arrays over the points, of numbers in base units or of texts."""
        paths = sorted({path for point in self.points for path in point.parameters})
        return {path: axis_of([point.parameters.get(path, np.nan) for point in self.points]) for path in paths}

    @functools.cached_property
    def metrics(self) -> dict[str, npt.NDArray[np.float64]]:
        """The metrics by name: arrays over the points. A point without the metric has NaN."""
        names = sorted({name for point in self.points for name in point.metrics})
        return {name: np.array([point.metrics.get(name, np.nan) for point in self.points]) for name in names}

    def better(self, name: str) -> str:
        """"less" or "more": which values of a metric or a parameter are better. Unless `tahoma stats` knows, it is "less"."""
        return self._better.get(name, "less")

    def front(self, *objectives: Union[str, Array]) -> list[Point]:
        """The Pareto front, from the best first objective on.

        An objective is the name of a metric or of a parameter. `max:` or `min:` before it gives the direction; without it, the
        one that `tahoma stats` lists, and otherwise smaller is better. An array over the points is an objective, too; smaller is
        better. A point is on the front if no other is at least as good in every objective and better in one.
        """
        return [self.points[n] for n in front([self._costs(each) for each in objectives])]

    def frame(self, *names: str) -> Any:
        """A row for each point: number, workload, status, reason, then the axes and the metrics, or only those named. E-PYT-004
        without pandas."""
        wanted = names or (*self.axes, *self.metrics)
        columns: dict[str, Any] = {field: [getattr(point, field) for point in self.points]
                                   for field in ("number", "workload", "status", "reason")}
        return frame_of({**columns, **{name: self._values(name) for name in wanted}})

    def open(self) -> bool:
        """Shows the page in a browser."""
        return webbrowser.open((self.path / "index.html").resolve().as_uri())

    def _values(self, name: str) -> Array:
        """A metric or a parameter over the points. E-PYT-006 for another name."""
        if name in self.metrics:
            return self.metrics[name]
        if name not in self.axes:
            known = [*self.axes, *self.metrics]
            raise ConfigurationError("E-PYT-006", name, f"the sweep has no such metric and no such axis{nearest(name, known)}; "
                                                        "Sweep.metrics and Sweep.axes list them")
        return self.axes[name]

    def _costs(self, objective: Union[str, Array]) -> Array:
        """Values of which smaller is better. E-PYT-009 for words and for an array of another length."""
        if not isinstance(objective, str):
            costs = np.asarray(objective)
            if costs.shape != (len(self.points),):
                raise ConfigurationError("E-PYT-009", "front",
                                         f"expected an array over the {len(self.points)} points, got the shape {costs.shape}")
            return self._finished(costs)
        direction, _, name = objective.rpartition(":")
        values = self._values(name)
        if direction not in ("", "min", "max") or values.dtype.kind == "U":
            raise ConfigurationError("E-PYT-009", objective, "expected numbers, and no direction but min: and max:")
        more = direction == "max" or (not direction and self.better(name) == "more")
        return self._finished(-values if more else values)

    def _finished(self, costs: Array) -> Array:
        """Only finished points can be on a front."""
        return np.where([point.status == "done" for point in self.points], costs, np.nan)

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return f"<sweep in {self.path}: {self._headline()}>"

    def _repr_html_(self) -> str:
        """The page for a notebook; a table of the main figures if there is no page, or if it is large."""
        rows = [("points", self._headline()), ("axes", ", ".join(self.axes)), ("folder", str(self.path))]
        return inline.page_or_table(self.path / "index.html", self.title or "sweep", rows)

    def _headline(self) -> str:
        return f"{len(self.points)} points, {len(self.done)} done, {len(self.failed)} failed"


def axis_of(values: list[float | str]) -> Array:
    """Numbers if all are, texts otherwise."""
    if any(isinstance(value, str) for value in values):
        return np.array([str(value) for value in values], dtype=np.str_)
    return np.array(values, dtype=float)


def read(folder: pathlib.Path, home: Home | None) -> tuple[str, list[Point], dict[str, str]]:
    """Title, points and directions of metrics from sweep.db (studies/sweep/results/store.h), which is never written."""
    uri = f"{(folder / 'sweep.db').resolve().as_uri()}?mode=ro"
    with contextlib.closing(sqlite3.connect(uri, uri=True)) as database:
        try:
            rows = database.execute("SELECT number, id, workload, status, reason FROM points ORDER BY number").fetchall()
            points = {number: Point(number, key, workload, status, reason, {}, {}, {}, folder / "points" / key, home)
                      for number, key, workload, status, reason in rows}
            for number, path, text, value in database.execute("SELECT number, path, text, value FROM parameters ORDER BY number, path"):
                points[number].parameters[path] = text if value is None else value
                points[number].texts[path] = text
            for number, name, value in database.execute("SELECT number, name, value FROM metrics"):
                points[number].metrics[name] = value
            better = dict(database.execute("SELECT name, better FROM statistics").fetchall())
            title = database.execute("SELECT value FROM meta WHERE key = 'title'").fetchone()
        except sqlite3.Error as error:
            raise ConfigurationError("E-PYT-008", str(folder / "sweep.db"), f"is not the database of a sweep: {error}") from error
    return title[0] if title else "", list(points.values()), better
