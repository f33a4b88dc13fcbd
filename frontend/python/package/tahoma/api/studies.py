# SPDX-License-Identifier: Apache-2.0
"""tahoma.serve and tahoma.cluster: an inference server and a training job, and their folders as objects."""
from __future__ import annotations

from typing import Any, Callable, Mapping

from tahoma.api import inline
from tahoma.api.folders import ResultFolder
from tahoma.api.running import Case, Path, as_given, case_word, in_folder
from tahoma.api.tables import Table
from tahoma.api.words import option_words, set_words
from tahoma.errors import ConfigurationError, failure_of
from tahoma.program import Ended
from tahoma.settings import nearest


class Study(ResultFolder):
    """A folder with a summary and tables. Keys of summary.json are attributes; print() gives the summary's text."""

    def table(self, name: str) -> Table:
        """A CSV file of the folder, by its name without the suffix. E-PYT-006 if there is none."""
        path, known = self.path / f"{name}.csv", sorted(file.stem for file in self.path.glob("*.csv"))
        if not path.is_file():
            raise ConfigurationError("E-PYT-006", name, f"the folder has no such table: expected {', '.join(known)}{nearest(name, known)}")
        return Table.of_text(name, path.read_text(encoding="utf-8"))

    def frame(self, name: str) -> Any:
        """The same as a frame of pandas. E-PYT-004 without pandas."""
        return self.table(name).frame()

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower()} in {self.path}: {self.headline}>"

    def _repr_html_(self) -> str:
        """The summary, for a notebook."""
        return inline.text(str(self))


class Server(Study):
    """The folder of `tahoma serve`: table("requests") and table("series")."""


class Training(Study):
    """The folder of `tahoma cluster`: table("spans") and table("goodput")."""


def require_success(ended: Ended) -> None:
    if ended.status != 0:
        raise failure_of(ended.status, ended.err)


def finished_server(ended: Ended, result: Callable[[], Server]) -> Server:
    require_success(ended)
    return result()


def finished_training(ended: Ended, result: Callable[[], Training]) -> Training:
    require_success(ended)
    return result()


def serve(case: Case, out: Path | None = None, *, set: Mapping[str, object] | None = None, **overrides: object) -> Server:
    """Simulates an inference server, as the command `tahoma serve` does.

    case       a YAML file with the key `serving`, or a mapping with that key; tahoma.model(..., steps=True) writes one as server.yaml
    out        folder for the results. Without it, a temporary folder that lives as long as the Server
    set        parameters by path; a keyword with a double underscore is one, too: serving__server__max_sequences=32

    Raises tahoma.Error as tahoma.run does.
    """
    name, given = case_word(case, as_given)
    words = ["serve", name] + set_words(set, overrides) + option_words(overrides)
    return in_folder(words, out, Server, finished_server, given)


def cluster(case: Case, out: Path | None = None, *, set: Mapping[str, object] | None = None, **overrides: object) -> Training:
    """Composes a training job on a fleet, as the command `tahoma cluster` does.

    case       a YAML file with the key `cluster`, or a mapping with that key
    out        folder for the results. Without it, a temporary folder that lives as long as the Training
    set        parameters by path; a keyword with a double underscore is one, too: cluster__fleet__chips=16384

        training = tahoma.cluster("job.yaml", cluster__job__schedule="zero_bubble")
        print(training.step.mfu_percent, training.goodput.goodput_percent)

    Raises tahoma.Error as tahoma.run does.
    """
    name, given = case_word(case, as_given)
    words = ["cluster", name] + set_words(set, overrides) + option_words(overrides)
    return in_folder(words, out, Training, finished_training, given)
