# SPDX-License-Identifier: Apache-2.0
"""Results of single points: run by tahoma and stored, or taken from a finished sweep."""

import hashlib
import json
import pathlib
import re
import subprocess
import tempfile

import yaml

from .folder import SweepFolder
from .names import KNOWN, SPEC, BadRequest, workload_names
from .space import Space

FILTERED = "E-SWP-030"  # the sweep's own filters exclude this point
REFUSED = ("E-SWP-040", "E-SWP-031")  # values that exclude each other in any machine or workload
PROBES = 50  # refused points after which a sweep counts as empty


class Outcome:
    """The result of a point: `state` is done, failed or filtered. A point that is done has `measures`: numbers by name, by workload.
    `parameters` are texts by path, with derived ones, by workload."""

    def __init__(self, state, reason="", measures=None, parameters=None):
        self.state, self.reason, self.measures, self.parameters = state, reason, measures or {}, parameters or {}


def outcome_of(rows, workloads):
    """Combines the rows of a point, one for each workload. What one workload refuses, all refuse."""
    rows, names = {row.workload: row for row in rows}, workload_names(workloads)
    for workload in workloads:
        if workload not in rows:
            return Outcome("filtered", f"{names[workload]}: left out by the sweep's 'where'")
        if rows[workload].status != "done":
            return Outcome("failed", f"{names[workload]}: {rows[workload].reason}")
    return Outcome("done", measures={workload: numbers_of(rows[workload]) for workload in workloads},
                   parameters={workload: rows[workload].texts for workload in workloads})


def numbers_of(row):
    return {**{path: value for path, value in row.values.items() if value is not None}, **row.metrics}


def tahoma_sweep(program, file, out):
    """Starts or resumes the sweep of a file."""
    resume = ["--resume"] if (out / "sweep.yaml").is_file() else []
    return subprocess.run([program, "sweep", str(file), "--out", str(out), "--jobs", "1", *resume], check=False,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)


def resolve(program, sweep_file):
    """Returns the space of a sweep file as tahoma resolves it. Only a sweep that starts reports this, so
    one random point of it is started with a time limit of 0.01 s."""
    try:
        content = yaml.safe_load(pathlib.Path(sweep_file).read_text(encoding="utf-8"))
    except OSError as error:
        raise BadRequest(f"{sweep_file}: cannot read the file: {error.strerror}", SPEC) from error
    except yaml.YAMLError as error:
        raise BadRequest(f"{sweep_file}: not YAML: {' '.join(str(error).split())}", SPEC) from error
    if not isinstance(content, dict) or not isinstance(content.get("sweep"), dict):
        raise BadRequest(f"{sweep_file}: expected a sweep file, with the key 'sweep'", SPEC)
    kept = {key: content["sweep"][key] for key in ("where", "sample", "limits") if key in content["sweep"]}
    probe = {key: value for key, value in content["sweep"].items() if key not in kept}
    probe = with_absolute_paths(probe, pathlib.Path(sweep_file).resolve().parent)
    probe["limits"] = {"time": "0.01 s", "retries": 0}
    with tempfile.TemporaryDirectory() as home:
        file, out = pathlib.Path(home) / "probe.yaml", pathlib.Path(home) / "out"
        for seed in range(1, PROBES + 1):
            probe["sample"] = {"method": "random", "points": 1, "seed": seed}
            file.write_text(yaml.safe_dump({"sweep": probe}, sort_keys=False), encoding="utf-8")
            said = tahoma_sweep(program, file, out)
            if (out / "sweep.yaml").is_file():
                space = Space(out / "sweep.yaml")
                del space.sweep["limits"]  # the probe's
                space.sweep.update(kept)
                return space
            if not any(code in said.stderr for code in REFUSED):
                break
    # The line numbers in the message are those of the probe, not of the file.
    raise BadRequest(re.sub(re.escape(str(file)) + r"(:\d+)*", str(sweep_file), said.stderr.strip()), "")


def with_absolute_paths(sweep, folder):
    workloads = sweep.get("workloads", [])
    workloads = [workloads] if isinstance(workloads, str) else workloads
    sweep = {**sweep, "workloads": [str(folder / str(name)) for name in workloads]}
    if (folder / str(sweep.get("machine", ""))).is_file():
        sweep["machine"] = str(folder / sweep["machine"])
    return sweep


class KnownPoints:
    """Takes the points of a finished sweep over the same workloads and machine."""

    def __init__(self, folder, space):
        try:
            sweep = SweepFolder(folder)
        except BadRequest as error:
            raise BadRequest(f"--known: {error}", KNOWN) from error
        other = Space(sweep.folder / "sweep.yaml")
        for key, value in space.fixed().items():
            if other.fixed()[key] != value:
                raise BadRequest(f"{folder}: its '{key}' differs from the search's: {other.fixed()[key]}", KNOWN)
        self.paths, self.workloads = space.paths, space.workloads
        if set(self.paths) != set(other.paths):
            raise BadRequest(f"{folder}: its axes are {', '.join(other.paths)}; the search's {', '.join(self.paths)}", KNOWN)
        self.rows = {}
        for row in sweep.points:
            if row.status != "pending":
                self.rows.setdefault(self.key(row.texts), []).append(row)

    def key(self, texts):
        return tuple(texts[path] for path in self.paths)

    def find(self, texts):
        rows = self.rows.get(self.key(texts), [])
        return outcome_of(rows, self.workloads) if len(rows) == len(self.workloads) else None


class Runner:
    """Runs each point as a separate sweep below `folder`; existing results are not run again."""

    def __init__(self, program, folder, space, expressions):
        self.program, self.folder, self.space, self.expressions = program, folder, space, expressions

    def outcome(self, texts):
        sweep = self.space.point(texts, self.expressions)
        key = hashlib.sha256(json.dumps(sweep, sort_keys=True).encode()).hexdigest()[:32]
        file, out = self.folder / f"{key}.yaml", self.folder / key
        if not (out / "manifest.json").is_file():  # the last file of a finished sweep
            self.folder.mkdir(parents=True, exist_ok=True)
            file.write_text(yaml.safe_dump(sweep, sort_keys=False), encoding="utf-8")
            said = tahoma_sweep(self.program, file, out)
            if FILTERED in said.stderr:
                return Outcome("filtered", "left out by the sweep's 'where'")
            if any(code in said.stderr for code in REFUSED):
                return Outcome("failed", said.stderr.strip())
            if not (out / "manifest.json").is_file():
                raise BadRequest(said.stderr.strip() or f"tahoma: sweep: {file}: ended with {said.returncode}", "")
        return outcome_of(SweepFolder(out).points, self.space.workloads)
