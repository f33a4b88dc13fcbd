# SPDX-License-Identifier: Apache-2.0
"""CSV files as columns: NumPy arrays, and a frame of pandas where pandas is there."""
from __future__ import annotations

import csv
import io
from typing import Any, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tahoma.errors import MissingLibrary
from tahoma.settings import nearest

Column = npt.NDArray[Any]


class Table(Mapping[str, Column]):
    """The columns of a table by name, in the order of the file. A column of whole numbers is int64, one of numbers float64 (an
    empty cell is NaN), any other one text.

    table["bytes"].sum()      a column
    table.rows                the number of rows
    table.row(0)              one row, as a dictionary
    table.frame()             all as a frame of pandas
    """

    def __init__(self, name: str, columns: Mapping[str, Column]) -> None:
        self.name, self._columns = name, dict(columns)
        self.rows = len(next(iter(self._columns.values()), ()))

    @staticmethod
    def of_text(name: str, text: str) -> Table:
        """The table of a CSV file with a header."""
        header, *rows = list(csv.reader(io.StringIO(text, newline=""))) or [[]]
        cells = list(zip(*rows)) if rows else [()] * len(header)
        return Table(name, {name: column_of(texts) for name, texts in zip(header, cells)})

    def __getitem__(self, name: str) -> Column:
        if name not in self._columns:
            raise KeyError(f"table {self.name} has no column {name!r}: expected {', '.join(self._columns)}"
                           f"{nearest(name, list(self._columns))}")
        return self._columns[name]

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        """The number of columns, as of any mapping by column."""
        return len(self._columns)

    def row(self, number: int) -> dict[str, Any]:
        """One row by column."""
        return {name: column[number].item() for name, column in self._columns.items()}

    def frame(self) -> Any:
        """The table as a frame of pandas. E-PYT-004 without pandas."""
        return frame_of(self._columns)

    def __repr__(self) -> str:
        return f"<table {self.name}: {self.rows} rows of {', '.join(self._columns)}>"


def column_of(texts: Sequence[str]) -> Column:
    """The cells of a column as numbers if all are; as texts otherwise."""
    try:
        return np.array([int(text) for text in texts], dtype=np.int64)
    except (ValueError, OverflowError):
        pass
    try:
        return np.array([float(text) if text else np.nan for text in texts], dtype=np.float64)
    except ValueError:
        return np.array(texts, dtype=np.str_)


def frame_of(columns: Mapping[str, Any]) -> Any:
    """A frame of pandas with these columns. Text columns hold Python's texts, as pandas' own do."""
    try:
        import pandas  # type: ignore[import]
    except ImportError as missing:
        raise MissingLibrary("frame", "pandas", "python3-pandas; tables are also NumPy arrays by column") from missing
    return pandas.DataFrame({name: values.astype(object) if isinstance(values, np.ndarray) and values.dtype.kind == "U" else values
                             for name, values in columns.items()})
