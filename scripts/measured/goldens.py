# SPDX-License-Identifier: Apache-2.0
"""The regression cases of workloads/regression and their golden statistics: the case with the settings of a run, and the files
on which the figures of a run depend."""

import csv
import dataclasses
import fnmatch
import functools
import json
import os

import yaml

from measured import values
from measured.problem import Problem
from measured.runs import file_digest

FOLDER = "workloads/regression"
CONFIGS = "model/configs"


@dataclasses.dataclass(frozen=True)
class Settings:
    """The settings that determine the times of a run. The mode is not among them, because both modes give the same times."""
    workload: str
    machine: str
    seed: str
    set: frozenset


def _read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8")) or {}


def settings_of(root, words):
    """The settings of `tahoma run CASE ...`, or None if an option is more than a setting."""
    if words[:2] != ["tahoma", "run"]:
        return None
    workload, said, rest = words[2], {}, list(words[3:])
    overrides = set()
    while rest:
        option = rest.pop(0)
        if option == "--set":
            overrides.add(rest.pop(0))
        elif option in ("--mode", "--machine", "--seed"):
            said[option] = rest.pop(0)
        else:
            return None
    return _settings(root, workload, said.get("--machine"), said.get("--seed"), overrides)


def _settings(root, workload, machine, seed, overrides):
    case = _read(root / workload)
    machine = machine or case.get("machine", "")
    return Settings(workload, machine.removesuffix(".yaml") if isinstance(machine, str) else json.dumps(machine),
                    str(seed or case.get("seed", 1)), frozenset(overrides))


def _override(path, value):
    return f"{path}={str(value).lower() if isinstance(value, bool) else value}"


class Goldens:
    def __init__(self, root):
        self.root = root

    @functools.cached_property
    def cases(self):
        """{FILE:CASE: Settings}"""
        found = {}
        for file in sorted((self.root / FOLDER).glob("*.yaml")):
            for name, case in _read(file)["cases"]["runs"].items():
                workload = os.path.normpath(f"{FOLDER}/{case['workload']}")
                overrides = {_override(path, value) for path, value in case.get("set", {}).items()}
                found[f"{file.stem}:{name}"] = _settings(self.root, workload, case.get("machine"), case.get("seed"), overrides)
        return found

    def path(self, name):
        file, _, case = name.partition(":")
        return f"{FOLDER}/goldens/{file}/{case}.csv"

    def statistics(self, run):
        """The golden statistics of the regression case with the run's settings; empty without one. Figures of the golden check and
        zeros are not among them."""
        wanted = settings_of(self.root, run.words)
        name = next((name for name, settings in self.cases.items() if settings == wanted), None) if wanted else None
        if not name or not (self.root / self.path(name)).exists():
            return {}
        found = {}
        with open(self.root / self.path(name), encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if not row["statistic"].startswith(("golden.", "mode")):
                    found[row["statistic"]] = _parsed(row["value"])
        return _with_names(found)

    def rests_on(self, run):
        """{path: digest} of the files on which the figures of a run depend: its case and machine, the goldens of every
        regression case of the same workload file, and the files of its declaration."""
        words = run.words
        paths = set()
        goldens = set()
        if words[0] == "tahoma" and words[1] in ("run", "check"):
            paths.add(words[2])
        if words[:2] == ["tahoma", "nki"]:
            paths.add(words[2].rpartition(":")[0])
        wanted = settings_of(self.root, words)
        if wanted:
            paths |= self._machine_files(wanted) | self._kernel_files(wanted)
            goldens |= {name for name, settings in self.cases.items() if settings.workload == wanted.workload}
        for pattern in run.rests_on:
            matching = fnmatch.filter(self.cases, pattern)
            goldens |= set(matching)
            files = [str(path.relative_to(self.root)) for path in self.root.glob(pattern)] if ":" not in pattern else []
            paths |= set(files)
            if not matching and not files:
                raise Problem(f"{run.name}: no file or case matches '{pattern}' of its rests_on")
        if not goldens:
            raise Problem(f"{run.name}: its figures depend on no golden: name regression cases (rests_on) or add one of {words[2]}")
        paths |= {self.path(name) for name in goldens}
        return {path: file_digest(self.root / path) if (self.root / path).exists() else "missing" for path in sorted(paths)}

    def _kernel_files(self, settings):
        """Returns the Python files of a case of the kind nki: FILE.py:FUNCTION names each."""
        said = _read(self.root / settings.workload).get("workload") or {}
        return {said[key].rpartition(":")[0] for key in ("kernel", "reference") if isinstance(said.get(key), str) and ".py:" in said[key]}

    def _machine_files(self, settings):
        """Returns the machine's file and the files that it extends; a machine is a preset or a file beside the case."""
        found, folder, name = set(), os.path.dirname(settings.workload), settings.machine
        if name.startswith("{"):  # written in the case itself
            name = str(json.loads(name).get("extends", "")).removesuffix(".yaml")
        while name:
            beside, preset = os.path.normpath(f"{folder}/{name}.yaml"), f"{CONFIGS}/{name}.yaml"
            file = beside if (self.root / beside).exists() else preset
            if file in found or not (self.root / file).exists():
                break
            found.add(file)
            folder, name = os.path.dirname(file), str(_read(self.root / file).get("extends", "")).removesuffix(".yaml")
        return found


def _parsed(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"true": True, "false": False}.get(text, text)


def _with_names(found):
    """Elements of lists also by their names, as values.flat() has them."""
    for path, name in list(found.items()):
        if path.endswith("].name") and isinstance(name, str):
            prefix = path.removesuffix(".name")
            named = prefix.rpartition("[")[0] + f"[{name}]"
            for other in [key for key in found if key.startswith(prefix + ".")]:
                found.setdefault(named + other.removeprefix(prefix), found[other])
    return found


class Stored:
    """A slow run that is not executed: its values come from the golden statistics of the same settings, or from the record."""

    def __init__(self, run, golden, record):
        self.run = run
        self.golden = golden
        self.record = record

    def value(self, figure):
        path = values.path_of(figure)
        if path in self.golden:
            return self.golden[path]
        return self.record.value(self.run, figure)
