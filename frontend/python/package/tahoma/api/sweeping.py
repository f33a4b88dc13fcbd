# SPDX-License-Identifier: Apache-2.0
"""tahoma.sweep: one call of the program, and its folder as a Sweep."""
from __future__ import annotations

import os
import pathlib
import tempfile
from typing import Any, Callable, Mapping, Union

from tahoma.api.cases import find_case, find_sweep
from tahoma.api.mappings import at_keys, json_text
from tahoma.api.running import Path, in_folder
from tahoma.api.sweeps import Sweep
from tahoma.api.words import Words, option_words
from tahoma.errors import ConfigurationError, failure_of
from tahoma.program import Ended

NAME = "sweep"  # of a mapping, in messages


def sweep(sweep: Union[Path, Mapping[str, Any]], out: Path | None = None, jobs: int | None = None, resume: bool = False, *,
          set: Mapping[str, object] | None = None, **overrides: object) -> Sweep:
    """Runs every point of a sweep and returns the results, as the command `tahoma sweep` does.

    sweep      the path of a sweep file; the name of a shipped one (`tahoma.sweeps()` lists them); or a mapping with the keys of
               a sweep file (studies/sweep/README.md):
               {"workloads": "gemm/one_core_4096", "axes": {"machine.chip.hbm.stacks": [2, 4], "workload.m": [512, 1024]}}
               Its workloads are paths, which start in the working directory, names of shipped cases, or mappings as for tahoma.run.
               Its axes are a mapping, or a list as in a file. Other files that it or such a mapping names need absolute paths.
    out        folder for the results. Without it, a temporary folder that lives as long as the Sweep
    jobs       points that run at the same time; one per host core by default
    resume     compute only the points without a result, in a folder of an earlier call
    set        parameters by path for every point, of a mapping
    overrides  a keyword with a double underscore is a parameter for every point of a mapping: workload__k=1024. Any other
               keyword is an option of the command: executor="slurm", pareto="simulated_time_ns,price"

    A point that fails is in `failed`, and the others go on. Raises tahoma.Error for everything else. Ctrl-C ends all points.
    The finished ones stay in `out`, and resume=True goes on with the others.
    """
    fixed = {**(set or {}), **{name.replace("__", "."): value for name, value in overrides.items() if "__" in name}}
    options = option_words({"jobs": jobs, "resume": resume}) + option_words(overrides)
    if isinstance(sweep, Mapping):
        with tempfile.TemporaryDirectory(prefix="tahoma-") as home:
            file = pathlib.Path(home) / "sweep.yaml"
            text = json_text(NAME, {NAME: document(sweep, fixed, pathlib.Path(home))})
            file.write_text(text, encoding="utf-8")
            return swept(str(file), out, options, text)
    if fixed:
        raise ConfigurationError("E-PYT-010", next(iter(fixed)),
                                 "a sweep file has its own key 'set': expected parameters in the file, or a mapping")
    return swept(find_sweep(sweep), out, options, "")


def document(given: Mapping[str, Any], fixed: Mapping[str, object], home: pathlib.Path) -> dict[str, Any]:
    """The contents of the key `sweep`, with absolute paths, because the file is elsewhere: in `home`, which gets a file for each
    workload that is a mapping."""
    inner: Mapping[str, Any] = given[NAME] if set(given) == {NAME} else given
    found = dict(inner)
    if isinstance(found.get("axes"), Mapping):
        found["axes"] = [{path: values} for path, values in found["axes"].items()]
    if "workloads" in found:
        names = found["workloads"]
        names = [names] if isinstance(names, (str, os.PathLike, Mapping)) else names
        found["workloads"] = [workload(name, home / f"workload{n}.yaml") for n, name in enumerate(names)]
    if "machine" in found and os.path.isfile(found["machine"]):
        found["machine"] = os.path.abspath(found["machine"])
    if fixed:
        found["set"] = {**found.get("set", {}), **fixed}
    return found


def workload(given: Union[Path, Mapping[str, Any]], file: pathlib.Path) -> str:
    """The path of a workload; a mapping is written to `file`."""
    if not isinstance(given, Mapping):
        return os.path.abspath(find_case(given))
    file.write_text(json_text(file.stem, given), encoding="utf-8")
    return str(file)


def swept(file: str, out: Path | None, options: Words, text: str) -> Sweep:
    def finish(ended: Ended, result: Callable[[], Sweep]) -> Sweep:
        if text:
            ended = at_keys(ended, text, NAME, file)
        error = failure_of(ended.status, ended.err) if ended.status else None
        # Points that failed are results, too. An error that has a code is none of a point.
        if error is None or (ended.status == 1 and not error.code):
            return result()
        raise error

    return in_folder(["sweep", file, *options], out, Sweep, finish, elsewhere="--executor=slurm" in options)
