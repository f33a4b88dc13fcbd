# SPDX-License-Identifier: Apache-2.0
"""Runs by their commands: their declarations, their execution, and the results that are kept.

Each distinct command is executed once. Its results are kept under build/figures, in a folder named by a digest of the program, the
command and every case, program, kernel, table and machine below workloads/ and model/configs/, and the Python package."""

import concurrent.futures
import contextlib
import dataclasses
import functools
import hashlib
import json
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import threading

import yaml

from measured import values
from measured.problem import Problem

KEEP = ("summary.json", "summary.txt", "accuracy.json", "links.csv")
INPUTS = ("workloads", "model/configs", "frontend/python/package")
INPUT_TYPES = (".yaml", ".tasm", ".csv", ".py")
NO_INPUTS = ("workloads/regression/", "workloads/figures.yaml", "workloads/results.yaml")
TIME_LIMIT = 3600  # seconds, against a hang


@dataclasses.dataclass(frozen=True)
class Run:
    name: str
    command: str
    slow: bool = False
    prepare: tuple = ()  # commands before it
    rests_on: tuple = ()  # FILE:CASE of regression cases, or paths; both may be patterns
    status: int = 0  # the expected exit status

    @property
    def words(self):
        return shlex.split(self.command)


def command_of(case, mode=None, settings=()):
    words = ["tahoma", "run", f"workloads/{case}"]
    words += ["--mode", mode] if mode else []
    for path, value in dict(settings).items():
        words += ["--set", f"{path}={str(value).lower() if isinstance(value, bool) else value}"]
    return shlex.join(words)


def declared(file):
    """({name: Run}, {name: expression}, {name: table}) of a figures.yaml."""
    content = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
    runs = {}
    for name, said in content.get("runs", {}).items():
        said = {"command": said} if isinstance(said, str) else dict(said)
        unknown = set(said) - {"command", "slow", "prepare", "rests_on", "status"}
        if unknown or "command" not in said:
            raise Problem(f"{file.name}: run {name}: expected command, slow, prepare, rests_on, status; got {', '.join(said)}")
        runs[name] = Run(name, " ".join(said["command"].split()), bool(said.get("slow", False)), tuple(said.get("prepare", ())),
                         tuple(said.get("rests_on", ())), int(said.get("status", 0)))
    derived = {name: str(expression) for name, expression in content.get("derived", {}).items()}
    return runs, derived, {name: str(text).rstrip() for name, text in content.get("tables", {}).items()}


def file_digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


class Executed:
    """The results of a finished run. `used` collects the requested figures for the record."""

    def __init__(self, run, folder):
        self.run = run
        self.folder = folder
        self.used = {}

    @functools.cached_property
    def statistics(self):
        found = {}
        for name in ("summary.json", "accuracy.json"):
            if (self.folder / name).exists():
                found |= values.flat(json.loads((self.folder / name).read_text(encoding="utf-8")))
        if (self.folder / "links.csv").exists():
            found |= values.links((self.folder / "links.csv").read_text(encoding="utf-8"))
        return found

    @functools.cached_property
    def sources(self):
        return {name: (self.folder / file).read_text(encoding="utf-8")
                for name, file in (("summary", "summary.txt"), ("output", "output.txt")) if (self.folder / file).exists()}

    def value(self, figure):
        if values.is_text(figure):
            if figure.split(" ")[0] not in self.sources:
                raise Problem(f"{self.run.name} has no {figure.split(' ')[0]}")
            found = values.text_of(figure, self.sources, self.run.name)
        else:
            found = values.number(self.statistics, figure, self.run.name)
        self.used[figure] = found
        return found


class Executor:
    def __init__(self, root, binary, cache, jobs):
        self.root = root
        self.binary = pathlib.Path(binary).resolve()
        self.cache = cache
        self.jobs = jobs
        self.preparing = threading.Lock()  # runs with a preparation may share its files

    @functools.cached_property
    def inputs(self):
        """Digest of the program and of every file that a run may read."""
        digest = hashlib.sha256(self.binary.read_bytes())
        for module in sorted(self.binary.parent.glob("python/_tahoma*.so")):
            digest.update(module.read_bytes())
        for file in sorted(path for folder in INPUTS for path in (self.root / folder).rglob("*")):
            name = str(file.relative_to(self.root))
            if name.endswith(INPUT_TYPES) and not name.startswith(NO_INPUTS):
                digest.update(name.encode() + b"\0" + file.read_bytes())
        return digest.hexdigest()

    def all(self, runs):
        """{command: Executed} of distinct commands, several at a time."""
        distinct = {run.command: run for run in runs}
        self.inputs  # once, before the threads  # pylint: disable=pointless-statement
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            return dict(zip(distinct, pool.map(self.one, distinct.values())))

    def one(self, run):
        scripts = {word: file_digest(self.root / word) for command in (run.command, *run.prepare)
                   for word in shlex.split(command)[:1] if (self.root / word).is_file()}
        key = hashlib.sha256(repr((self.inputs, run.command, run.prepare, scripts)).encode()).hexdigest()[:24]
        kept = self.cache / key
        if not kept.exists():
            self.cache.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self.cache, prefix="run-") as folder:
                with self.preparing if run.prepare else contextlib.nullcontext():
                    self._execute(run, pathlib.Path(folder))
                shutil.copytree(pathlib.Path(folder, "kept"), kept, dirs_exist_ok=True)
        return Executed(run, kept)

    def _execute(self, run, folder):
        for command in run.prepare:
            self._call(run, shlex.split(command), {0})
        words = [str(self.binary) if word == "tahoma" else word for word in run.words]
        if run.words[:2] in (["tahoma", "run"], ["tahoma", "nki"], ["tahoma", "check"], ["tahoma", "model"]):
            words += ["--out", str(folder / "out")] + ([] if words[1] in ("check", "model") else ["--no-report"])
        output = self._call(run, words, {run.status})
        (folder / "kept").mkdir()
        (folder / "kept" / "output.txt").write_text(output, encoding="utf-8")
        if (folder / "out" / "stats.db").exists():
            self._call(run, [str(self.binary), "export", str(folder / "out"), "links.csv"], {0})
        for name in KEEP:
            if (folder / "out" / name).exists():
                shutil.copy(folder / "out" / name, folder / "kept" / name)

    def _call(self, run, words, expected):
        done = subprocess.run(words, cwd=self.root, capture_output=True, text=True, check=False, timeout=TIME_LIMIT)
        if done.returncode not in expected:
            raise Problem(f"{run.name}: exit status {done.returncode}: {shlex.join(words)}\n{done.stdout[-2000:]}{done.stderr}")
        return done.stdout + (done.stderr if run.status else "")
