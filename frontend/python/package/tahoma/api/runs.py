# SPDX-License-Identifier: Apache-2.0
"""A finished run: its figures, statistics, tables, series and tensors, read from its folder when they are first used."""
from __future__ import annotations

import functools
import os
import pathlib
import webbrowser
from typing import Any

from tahoma.api import inline
from tahoma.api.folders import ResultFolder
from tahoma.api.home import Home
from tahoma.api.series import Series
from tahoma.api.stats import Statistics
from tahoma.api.tables import Table
from tahoma.api.tensors import Tensors
from tahoma.api.words import option_words
from tahoma.errors import ConfigurationError, failure_of
from tahoma.program import execute
from tahoma.settings import nearest

# Series by the name of their table.
SERIES = {"engines": "engines", "hbm": "hbm_windows", "links": "links_windows"}


class Run(ResultFolder):
    """The folder of `tahoma run` as an object. `tahoma.Run(path)` opens one that exists.

    run.time_ns, run.mfu         the main figures; `run.summary` has all of summary.json, whose keys are attributes of the run,
    run.hbm.rows.hit_percent     too, unless the run has a member of that name
    run.stats["PATH"].value      a statistic by instance and name; .match("*.tensor.*"), .below("server0.chip00")
    run.links, run.regions       tables: columns by name, as NumPy arrays; `run.table("hbm")` for any CSV file
    run.series("engines")        busy time over time: arrays over the windows, by instance
    run.tensors["c"]             an output tensor, of a run with save_outputs=True
    run.frame("stats")           any table as a frame of pandas
    run.export("links.csv")      files of the run that its folder has on demand, as files
    run.path, run.open()         the folder; its page in a browser
    """

    def __init__(self, path: str | os.PathLike[str], home: Home | None = None) -> None:
        super().__init__(path, home)
        self._read: dict[str, Table] = {}
        self._inputs: Home | None = None  # what the run has read and a repetition needs

    @property
    def time_ns(self) -> float:
        """Simulated time in nanoseconds: from the first instruction to the last completion."""
        return float(self.summary["simulated_time_ns"])

    @property
    def time_us(self) -> float:
        """The same in microseconds."""
        return self.time_ns / 1e3

    @property
    def mfu(self) -> float | None:
        """Useful FLOPs as percent of the machine's peak: mfu_estimated_percent; None if the peak is ideal."""
        value: float | None = self.summary.get("mfu_estimated_percent")
        return value

    @property
    def mbu(self) -> float | None:
        """HBM traffic as percent of its peak bandwidth: mbu_estimated_percent; None if that is ideal."""
        value: float | None = self.summary.get("mbu_estimated_percent")
        return value

    @functools.cached_property
    def stats(self) -> Statistics:
        """Every statistic, by path."""
        return Statistics.of_list(self._json("stats.json"))

    @functools.cached_property
    def tables(self) -> list[str]:
        """The names for `table` and `frame`: of the CSV files that the run has, in its folder or on demand."""
        names = [file.name for file in self.path.glob("*.csv")] + list(self.manifest.plain.get("on_demand", []))
        return sorted({name[:-len(".csv")] for name in names if name.endswith(".csv")})

    def export(self, *names: str, to: str | os.PathLike[str] | None = None) -> list[pathlib.Path]:
        """Writes files that the folder has on demand, as `tahoma export` does: statistics, tables, series. All of them without
        names, and to the folder itself without `to`. E-REP-007 if the run has no such file."""
        ended = execute(["export", str(self.path), *names] + option_words({"to": to}))
        if ended.status != 0:
            raise failure_of(ended.status, ended.err)
        return [pathlib.Path(line) for line in ended.out.splitlines()]

    def table(self, name: str) -> Table:
        """A CSV file of the run as columns: "links", "regions", "hbm", "collectives", "traffic", "lines" and others. E-PYT-006 if
        the run has none of that name."""
        if name not in self.tables:
            raise ConfigurationError("E-PYT-006", name, f"the run has no such table: expected {', '.join(self.tables)}{nearest(name, self.tables)}")
        if name not in self._read:
            self._read[name] = Table.of_text(name, self.text(name + ".csv"))
        return self._read[name]

    @property
    def links(self) -> Table:
        """Directions of links. (`run.summary.links` has their sums.)"""
        return self.table("links")

    @property
    def regions(self) -> Table:
        """Regions of programs and their bounds. (`run.summary.regions` is the list of summary.json.)"""
        return self.table("regions")

    def series(self, name: str) -> Series:
        """Busy time over time of "engines", "hbm" or "links". E-PYT-006 for another name, and for a run with `slim`."""
        table = SERIES.get(name, "")
        if table not in self.tables:
            raise ConfigurationError("E-PYT-006", name, f"the run has no such series: expected {', '.join(SERIES)}, of a run with its "
                                                        f"report{nearest(name, list(SERIES))}")
        return Series(name, self.table(table), self.time_ns)

    @functools.cached_property
    def tensors(self) -> Tensors:
        """The output tensors, of a run with save_outputs=True."""
        return Tensors({file.stem: file for file in sorted(self.path.glob("*.npy"))})

    def frame(self, name: str) -> Any:
        """"stats" or the name of a table as a frame of pandas. E-PYT-004 without pandas, E-PYT-006 for an unknown name."""
        return self.table(name).frame()

    def open(self) -> bool:
        """Shows the page in a browser. E-PYT-007 for a run with `slim`."""
        page = self.path / "report.html"
        if not page.is_file():
            raise ConfigurationError("E-PYT-007", str(self.path), "the run has no page: expected a run without slim")
        return webbrowser.open(page.resolve().as_uri())

    def __repr__(self) -> str:
        return f"<run of {self.summary['workload']} in {self.path}: {self.headline}>"

    def _repr_html_(self) -> str:
        """The page for a notebook; a table of the main figures if there is no page, or if it is large."""
        rows = [("result", self.headline), ("mode", str(self.summary["mode"])), ("machine", str(self.summary["machine"])),
                ("folder", str(self.path))]
        return inline.page_or_table(self.path / "report.html", str(self.summary["workload"]), rows)
