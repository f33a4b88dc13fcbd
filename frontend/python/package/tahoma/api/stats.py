# SPDX-License-Identifier: Apache-2.0
"""The statistics of a run by path: the instance and the name of what was counted."""
from __future__ import annotations

import fnmatch
from typing import Any, Iterable, Iterator, Mapping, NamedTuple

import numpy as np
import numpy.typing as npt

from tahoma.api.tables import frame_of
from tahoma.settings import nearest


class Statistic(NamedTuple):
    """One statistic. Counts are int, everything else is float; `float(statistic)` works, too."""

    path: str
    value: int | float
    unit: str
    description: str

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        return f"{self.value} {self.unit}".rstrip()


class Statistics(Mapping[str, Statistic]):
    """The statistics of a run, or some of them, in the order of stats.csv.

    stats["server0.chip00.core0.tensor.busy"].value     one by its path
    stats.below("server0.chip00.core0")                 those of an instance, by the rest of their paths
    stats.match("*.tensor.busy")                        those whose paths match; '*' is any text
    stats.values_of("*.tensor.busy").sum()              their values as an array
    stats.frame()                                       path, value, unit, description as a frame of pandas
    `tahoma.statistics("busy")` explains names.
    """

    def __init__(self, rows: Mapping[str, Statistic]) -> None:
        self._rows = rows

    @staticmethod
    def of_list(document: Iterable[Mapping[str, Any]]) -> Statistics:
        """From the list of stats.json, which has the digits of every number."""
        rows = (Statistic(row["path"], row["value"], row["unit"], row["description"]) for row in document)
        return Statistics({row.path: row for row in rows})

    def __getitem__(self, path: str) -> Statistic:
        if path not in self._rows:
            raise KeyError(f"no statistic {path!r}{nearest(path, self._similar(path))}")
        return self._rows[path]

    def __contains__(self, path: object) -> bool:
        return path in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def _similar(self, path: str) -> list[str]:
        """Candidates for the nearest name: of 100,000 paths, only those of about the same length are worth a comparison."""
        return [each for each in self._rows if abs(len(each) - len(path)) <= 2][:5000]

    def below(self, instance: str) -> Statistics:
        """Those of an instance and of all below it, by the rest of their paths. KeyError if it has none."""
        start = instance + "."
        found = {path[len(start):]: row for path, row in self._rows.items() if path.startswith(start)}
        if not found:
            known = {path[:n] for path in self._rows for n, letter in enumerate(path) if letter == "."}
            raise KeyError(f"no statistic is below {instance!r}{nearest(instance, sorted(known))}")
        return Statistics(found)

    def match(self, pattern: str) -> Statistics:
        """Those whose paths match a pattern as of file names; none is no error."""
        return Statistics({path: row for path, row in self._rows.items() if fnmatch.fnmatchcase(path, pattern)})

    def values_of(self, pattern: str = "*") -> npt.NDArray[Any]:
        """The values of those that match."""
        return np.array([row.value for row in self.match(pattern).values()])

    def frame(self) -> Any:
        """A frame of pandas with the columns of stats.csv. E-PYT-004 without pandas."""
        names = Statistic._fields
        return frame_of({name: [row[n] for row in self._rows.values()] for n, name in enumerate(names)})

    def __repr__(self) -> str:
        return f"<{len(self)} statistics>"
