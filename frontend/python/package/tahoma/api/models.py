# SPDX-License-Identifier: Apache-2.0
"""tahoma.model: a model by its Hugging Face configuration, and its folder as a Model."""
from __future__ import annotations

import functools
from typing import Any, Callable, Mapping

from tahoma.api import inline
from tahoma.api.folders import ResultFolder
from tahoma.api.running import Case, Path, as_given, case_word, in_folder
from tahoma.api.runs import Run
from tahoma.api.tables import frame_of
from tahoma.api.words import option_words, set_words
from tahoma.errors import failure_of
from tahoma.program import Ended


class Model(ResultFolder):
    """The folder of `tahoma model` as an object. `tahoma.Model(path)` opens one that exists.

    model.layouts[0].ttft_ns     keys of summary.json are attributes
    model.runs["study/runs/..."] the runs behind the figures, by their folders
    model.frame()                a row for each layout, as a frame of pandas
    print(model)                 the table that the command prints
    """

    @functools.cached_property
    def runs(self) -> dict[str, Run]:
        """The runs in the folder, by their paths in it."""
        found = sorted(file.parent for file in self.path.rglob("summary.json") if any((file.parent / store).is_file() for store in ("stats.db", "stats.json")))
        return {folder.relative_to(self.path).as_posix(): Run(folder, self._home) for folder in found}

    def frame(self) -> Any:
        """A row for each layout; keys of nested objects are joined by dots. E-PYT-004 without pandas."""
        rows = [dict(flattened(layout)) for layout in self.summary.plain.get("layouts", [])]
        names = dict.fromkeys(name for row in rows for name in row)
        return frame_of({name: [row.get(name) for row in rows] for name in names})

    def __repr__(self) -> str:
        return f"<model in {self.path}: {self.headline}>"

    def _repr_html_(self) -> str:
        """The table that the command prints, for a notebook."""
        return inline.text(str(self))


def flattened(mapping: Mapping[str, Any], start: str = "") -> list[tuple[str, Any]]:
    """The values of nested mappings by their keys, joined by dots."""
    found: list[tuple[str, Any]] = []
    for key, value in mapping.items():
        found += flattened(value, f"{start}{key}.") if isinstance(value, Mapping) else [(start + key, value)]
    return found


def model(config: Case, out: Path | None = None, *, set: Mapping[str, object] | None = None, **overrides: object) -> Model:
    """Runs a model by its Hugging Face configuration, as the command `tahoma model` does.

    config     config.json, the folder that contains it, or a mapping with its keys
    out        folder for the results. Without it, a temporary folder that lives as long as the Model
    set        parameters by path, of all runs
    overrides  a keyword with a double underscore is a parameter, too. Any other keyword is an option of the command, whose
               `tahoma model --help` lists them: chips=[1, 4], batch=8, prompt=1024

        study = tahoma.model("config.json", chips=[1, 4], batch=8)
        print(study)
        study.layouts[0].tpot_ns

    Raises tahoma.Error as tahoma.run does. Ctrl-C ends all runs and leaves no folder.
    """
    name, given = case_word(config, as_given)
    words = ["model", name] + set_words(set, overrides) + option_words(overrides)
    return in_folder(words, out, Model, finished, given)


def finished(ended: Ended, result: Callable[[], Model]) -> Model:
    if ended.status != 0:
        raise failure_of(ended.status, ended.err)
    return result()
