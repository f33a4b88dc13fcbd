# SPDX-License-Identifier: Apache-2.0
"""Commands that answer with data: comparisons, bottlenecks, checks, parameters, instructions, statistics."""
from __future__ import annotations

import dataclasses
import json
import os
from typing import Any, Iterator, Mapping, Sequence

from tahoma.api.cases import find_case
from tahoma.api.records import Record, wrapped
from tahoma.api.running import Case, Path, case_word, executed
from tahoma.api.words import Words, option_words, set_words
from tahoma.errors import failure_of
from tahoma.program import execute


@dataclasses.dataclass(frozen=True)
class Checks:
    """What `tahoma check` found: whether every check passed, and a page for each file of checks, as its JSON has it."""

    passed: bool
    pages: list[Record]

    def __bool__(self) -> bool:
        return self.passed


def check(checks: Path, out: Path | None = None, jobs: int | None = None, *, cases: Sequence[str] = (), families: Sequence[str] = (),
          set: Mapping[str, object] | None = None, **overrides: object) -> Checks:
    """Compares regression cases with their goldens, or the model with measurements, as `tahoma check` does.

    checks     a file of checks, or a folder of some
    cases      only these regression cases; families: only these families of figures
    set        parameters by path, in every case; a keyword with a double underscore is one, too

    A check that fails is in the result, whose truth value is `passed`. Raises tahoma.Error for everything else.
    """
    words = ["check", os.fspath(checks), "--format=json"] + option_words({"out": out, "jobs": jobs})
    for option, names in (("--case", cases), ("--family", families)):
        for name in names:
            words += [option, name]
    words += set_words(set, overrides) + option_words(overrides)
    ended = execute(words)
    if ended.status > 1 or ended.status < 0 or "error[" in ended.err:
        raise failure_of(ended.status, ended.err)
    return Checks(ended.status == 0, [Record(page) for page in documents_in(ended.out)])


def compare(a: Path, b: Path, metric: str | None = None) -> Any:
    """Two runs by subsystem, or two sweeps by point, largest relative change first, as `tahoma compare --format json` has them. A
    run or a sweep is given as an object or as its folder; `metric` is that of sweeps."""
    return answer(["compare", os.fspath(a), os.fspath(b), "--format=json"] + option_words({"metric": metric}))


def explain(run: Path, jobs: int | None = None) -> Any:
    """Repeats a run with one resource at a time made ideal: what limits it, and each of its regions, as
    `tahoma explain --format json` has it. Adds the verdict to the files of the run. `jobs` repetitions run at the same time."""
    return answer(["explain", os.fspath(run), "--format=json"] + option_words({"jobs": jobs}))


def sensitivity(case: Case, of: str = "assumed", jobs: int | None = None, *, set: Mapping[str, object] | None = None,
                **overrides: object) -> Any:
    """What the time of a case (a path, a name or a mapping, as for tahoma.run) or of a finished run rests on, as `tahoma sensitivity --format json` has it: its interval, and the change
    by each uncertain parameter. `of`: "assumed", "derived", "measured" or "all"."""
    name, given = case_word(case, lambda path: os.fspath(path) if os.path.isdir(path) else find_case(path))
    words = ["sensitivity", name, "--format=json"] + option_words({"of": of, "jobs": jobs})
    return answer(words + set_words(set, overrides) + option_words(overrides), given)


def cards(table: str = "cards") -> list[Record]:
    """Other accelerators by their published figures, or, for "claims", claims about Trainium2 with their verdicts."""
    rows: list[Record] = answer(["cards", f"--table={table}", "--format=json"])
    return rows


def params(path: str = "") -> list[Record]:
    """The parameters below a path, each with path, type, default, range, doc, provenance and source: params("machine.chip.hbm")."""
    rows: list[Record] = answer(["params", *([path] if path else []), "--format=json"])
    return rows


def isa(name: str = "") -> list[Record]:
    """The instructions with this mnemonic, or that implement this function of nki.isa ("nki.isa.nc_matmul"), each with its
    operands, queues and limits; all of them without a name."""
    rows: list[Record] = answer(["isa", *([name] if name else []), "--format=json"])
    return rows


def statistics(pattern: str = "") -> list[Record]:
    """The statistics and the columns of tables whose paths contain the pattern, each with unit, direction and description."""
    rows: list[Record] = answer(["stats", *([pattern] if pattern else []), "--format=json"])
    return rows


def answer(words: Words, given: str = "") -> Any:
    """The JSON that a command prints, as records."""
    ended = executed(words, given=given)
    if ended.status != 0:
        raise failure_of(ended.status, ended.err)
    return wrapped(json.loads(ended.out), words[0])


def documents_in(text: str) -> Iterator[Any]:
    """The JSON documents that a text consists of."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        found, at = decoder.raw_decode(text, at)
        yield found
