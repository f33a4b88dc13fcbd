# SPDX-License-Identifier: Apache-2.0
"""tahoma.run: one call of the program, and its folder as a Run."""
from __future__ import annotations

import os
from typing import Any, Callable, Mapping, TypeVar, Union

from tahoma.api.cases import find_case
from tahoma.api.home import Home
from tahoma.api.mappings import at_keys, json_text
from tahoma.api.runs import Run
from tahoma.api.words import Words, option_words, set_words
from tahoma.errors import failure_of
from tahoma.program import Ended, execute

Path = Union[str, "os.PathLike[str]"]
Case = Union[Path, Mapping[str, Any]]
Result = TypeVar("Result")


def run(case: Case, machine: Path | None = None, mode: str | None = None, out: Path | None = None, seed: int | None = None, *,
        set: Mapping[str, object] | None = None, **overrides: object) -> Run:
    """Runs a case and returns its results, as the command `tahoma run` does.

    case       a path; the name of a shipped case (`tahoma.cases()` lists them); or a mapping with the keys of a case file:
               {"kind": "gemm", "machine": "trainium2_chip", "workload": {"m": 512, "n": 512, "k": 512}}
    machine    preset or path of a machine, instead of the case's own
    mode       "functional" (values and times) or "timing" (times only), instead of the case's own
    out        folder for the results; an earlier run's is replaced. Without it, a temporary folder that lives as long as the Run
    seed       of generated inputs
    set        parameters by path: {"workload.m": 512, "machine.chip.hbm.stacks": 6}
    overrides  a keyword with a double underscore is a parameter: workload__m=512. Any other keyword is an option of the command:
               save_outputs=True, check="races,uninitialised", explain=True, slim=True, trace_from="10 us"

        run = tahoma.run("gemm/chip", mode="timing", workload__m=2048)
        print(run.time_us, run.mfu)

    Raises tahoma.Error: ConfigurationError, ProgramError, CheckFailed, Deadlock, HostError or InternalError. Where the run
    itself ended, as with a failed golden check, `error.run` has its results. Ctrl-C ends the run and leaves no folder.
    """
    name, given = case_word(case, find_case)
    words = ["run", name] + option_words({"machine": machine, "mode": mode, "seed": seed})
    words += set_words(set, overrides) + option_words(overrides)
    return in_folder(words, out, Run, finished_run, given)


def case_word(case: Case, found: Callable[[Path], str]) -> tuple[str, str]:
    """A case as a word of the command line, and what the program gets as standard input: the text of a mapping."""
    return ("-", json_text("case", case)) if isinstance(case, Mapping) else (found(case), "")


def as_given(path: Path) -> str:
    return os.fspath(path)


def executed(words: Words, folder: str | None = None, given: str = "", elsewhere: bool = False) -> Ended:
    """Runs the program. Errors of a mapping are at its keys."""
    ended = execute(words, folder, given, elsewhere)
    return at_keys(ended, given, "case") if given else ended


def in_folder(words: Words, out: Path | None, opened: Callable[[Path, Home | None], Result],
              finish: Callable[[Ended, Callable[[], Result]], Result], given: str = "", elsewhere: bool = False) -> Result:
    """Runs the program with --out and returns what `finish` makes of its end; its second argument opens the folder. Without
    `out` the folder is temporary."""
    home = Home() if out is None else None
    folder = str(home.path / "out") if home is not None else os.fspath(out or "")
    try:
        return finish(executed([*words, f"--out={folder}"], folder, given, elsewhere), lambda: opened(folder, home))
    except BaseException as error:
        if home is not None and getattr(error, "run", None) is None:
            home.remove()
        raise


def finished_run(ended: Ended, result: Callable[[], Run]) -> Run:
    """The run, or the exception for how it ended. The program prints the summary once the folder is complete."""
    if ended.status == 0:
        return result()
    error = failure_of(ended.status, ended.err)
    if ended.out:
        error.run = result()
    raise error
