# SPDX-License-Identifier: Apache-2.0
"""A folder of results with a summary: what the folders of several commands have in common."""
from __future__ import annotations

import functools
import json
import os
import pathlib
from typing import Any

from tahoma.api.home import Home
from tahoma.api.records import Record
from tahoma.errors import ConfigurationError, failure_of
from tahoma.program import execute
from tahoma.settings import nearest


class ResultFolder:
    """The keys of summary.json are attributes, unless the class has a member of that name."""

    def __init__(self, path: str | os.PathLike[str], home: Home | None = None) -> None:
        self.path, self._home = pathlib.Path(path), home
        if not (self.path / "summary.json").is_file():
            raise ConfigurationError("E-PYT-005", str(path), "contains no finished run: expected a folder that tahoma has written, with summary.json")

    @functools.cached_property
    def summary(self) -> Record:
        """summary.json."""
        return Record(self._json("summary.json"), "summary.json")

    @functools.cached_property
    def manifest(self) -> Record:
        """manifest.json: version, host, command line, files, and what the run cost the host."""
        return Record(self._json("manifest.json"), "manifest.json")

    @property
    def headline(self) -> str:
        """The first line of the summary."""
        return next((line.strip() for line in str(self).splitlines() if line.strip()), "")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "path" not in self.__dict__:
            raise AttributeError(name)
        summary = self.summary
        if name in summary:
            return summary[name]
        legal = [each for each in dir(self) if not each.startswith("_")]
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}, and summary.json has no such key{nearest(name, legal)}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.summary})

    def __fspath__(self) -> str:
        return str(self.path)

    def __str__(self) -> str:
        return (self.path / "summary.txt").read_text(encoding="utf-8")

    def text(self, name: str) -> str:
        """A file by its name: of the folder, or, of a run, one that `tahoma export` makes of its store. E-REP-007 if there is none."""
        if (self.path / name).is_file():
            return (self.path / name).read_text(encoding="utf-8")
        ended = execute(["export", str(self.path), name, "--to=-"])
        if ended.status != 0:
            raise failure_of(ended.status, ended.err)
        return ended.out

    def _json(self, name: str) -> Any:
        return json.loads(self.text(name))
