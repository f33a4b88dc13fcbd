# SPDX-License-Identifier: Apache-2.0
"""Busy time over time: of engines, stacks of HBM and links, as arrays over the windows of a run."""
from __future__ import annotations

from typing import Any, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from tahoma.api.tables import Table
from tahoma.settings import nearest

Array = npt.NDArray[np.float64]
SHORTEST_NS = 10_000.0
MOST_WINDOWS = 256


class Series(Mapping[str, Array]):
    """Busy percent of each window, by instance. The files have no line for a window in which an instance was idle: it is 0 here.

    series["server0.chip00.core0.tensor"]     an array over the windows
    series.start_ns, series.window_ns         start and length of each window; the last ends with the run
    series.array                              instances x windows, in the order of `list(series)`
    """

    def __init__(self, name: str, table: Table, elapsed_ns: float) -> None:
        self.name = name
        length = window_of(elapsed_ns)
        self.start_ns: Array = np.arange(0.0, elapsed_ns, length)
        self.window_ns: Array = np.minimum(self.start_ns + length, elapsed_ns) - self.start_ns
        self.instances: list[str] = list(dict.fromkeys(table["name"].tolist()))
        self._row = {instance: n for n, instance in enumerate(self.instances)}
        self.array: Array = np.zeros((len(self.instances), len(self.start_ns)))
        if table.rows:
            rows = np.array([self._row[instance] for instance in table["name"].tolist()])
            self.array[rows, np.rint(table["window_start_ns"] / length).astype(int)] = table["busy_percent"]

    def __getitem__(self, instance: str) -> Array:
        if instance not in self._row:
            raise KeyError(f"series {self.name} has no {instance!r} that was busy{nearest(instance, self.instances)}")
        row: Array = self.array[self._row[instance]]
        return row

    def __iter__(self) -> Iterator[str]:
        return iter(self.instances)

    def __len__(self) -> int:
        return len(self.instances)

    def frame(self) -> Any:
        """A frame of pandas: a row for each window, with its start and length, and a column for each instance."""
        from tahoma.api.tables import frame_of

        return frame_of({"window_start_ns": self.start_ns, "window_ns": self.window_ns,
                         **{instance: self.array[n] for n, instance in enumerate(self.instances)}})

    def __repr__(self) -> str:
        return f"<series {self.name}: {len(self.instances)} instances over {len(self.start_ns)} windows>"


def window_of(elapsed_ns: float) -> float:
    """The length of the windows of a run, in ns: the larger of 10 us and about 1/256 of the run, 10 us times a power of two
    (report/text/saturation.h)."""
    window = SHORTEST_NS
    while window * MOST_WINDOWS < elapsed_ns:
        window *= 2
    return window
