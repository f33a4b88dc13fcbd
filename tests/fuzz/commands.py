#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Legal and nearly legal inputs for every command: options, cases, models, servers, jobs, sweeps, checks and programs.

    commands.py --binary PATH [--cases N] [--seed S] [--command NAME]... [--keep FOLDER]

A case passes if the command succeeds and what it writes is within the bounds of physics, or if it is refused in the words of its user
(error_words.py). A finding is: exit status 5, a signal, a traceback, more than the budget of seconds, an error that names what nobody
wrote, a share of time or of a peak above 100 %, energy that is not power times time, or a value that was given and is not in
config.resolved.yaml. One seed gives the same cases on every host. --keep writes the files of the findings.
"""

import argparse
import collections
import json
import math
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import command_inputs
import error_words

BUDGET = 120  # seconds, within which each of these small cases ends
OK, FAILED, USAGE, PROGRAM, NO_PROGRESS, INVARIANT, HOST = range(7)
HIDDEN = {"run": "summary.json", "model": "summary.json", "serve": "summary.json", "cluster": "summary.json"}
# Percentages that are no share: of a change, of a mean over a reference, or of a sum over several.
UNBOUNDED = re.compile(r"change|error|over_|ratio|speed|moves|gain|longer|shorter|slower")


def shares(value, path=""):
    """(path, number) of everything that is in percent."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from shares(part, f"{path}.{key}")
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from shares(part, f"{path}[{number}]")
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and "percent" in path and not UNBOUNDED.search(path):
        yield path, value


def impossible(summary):
    """What no machine could do; None if there is nothing."""
    for path, value in shares(summary):
        if not math.isfinite(value) or not -1e-6 <= value <= 100 + 1e-6:
            return f"{path} is {value} percent"
    hbm = summary.get("hbm", {})
    if isinstance(hbm, dict) and hbm.get("peak_bytes_per_second") and \
            (hbm.get("achieved_bytes_per_second") or 0) > hbm["peak_bytes_per_second"] * (1 + 1e-9):
        return "HBM is faster than its peak"
    energy, time = summary.get("energy"), summary.get("simulated_time_ns")
    if energy and time:
        joules = energy["machine_watts"] * time * 1e-9
        if not math.isclose(joules, energy["joules"], rel_tol=1e-6, abs_tol=1e-15):
            return f"the energy is {energy['joules']} J, power times time is {joules} J"
    return None


def resolved(text):
    """The values of config.resolved.yaml by path."""
    values, above = {}, []
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        depth = (len(line) - len(line.lstrip())) // 2
        key, _, value = line.strip().partition(":")
        above = [*above[:depth], key]
        if value.strip():
            values[".".join(above)] = value.strip().strip("'\"")
    return values


def forgotten(words, folder):
    """A whole number that was given by --set and is not in the resolved configuration; None if there is none."""
    file = folder / "config.resolved.yaml"
    if not file.is_file():
        return None
    values = resolved(file.read_text(encoding="utf-8"))
    given = dict(match.groups() for word in words if (match := re.fullmatch(r"--set=([\w.]+)=(\d+)", word)))
    for path, text in given.items():
        if values.get(path) != str(int(text)):
            return f"{path} was given as {text} and is {values.get(path)}"
    return None


def defaults_of(binary, command, known={}):
    if command not in known:
        known[command] = subprocess.run([binary, command, "--help"], capture_output=True, text=True, check=False).stdout
    return known[command]


def verdict(binary, command, words, folder):
    """"passed", "refused", or what was found."""
    out = folder / "out"
    whole = [*words, f"--out={out}"] if command in command_inputs.WRITE_FOLDERS and not any(w.startswith("--out") for w in words) else words
    try:
        done = subprocess.run([binary, *whole], cwd=folder, capture_output=True, text=True, errors="replace", timeout=BUDGET, check=False,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return f"it has not ended within {BUDGET} s"
    except ValueError:  # a word that no command line can have
        return "refused"
    if done.returncode not in (OK, FAILED, USAGE, PROGRAM, NO_PROGRESS, HOST):
        return f"exit status {done.returncode}: {done.stderr.strip()[-300:]}"
    left = [path.name for path in folder.rglob(".*partial*")]
    if left:
        return f"it left {left}"
    if done.returncode == OK or (done.returncode == FAILED and "error[" not in done.stderr):
        file = out / "summary.json"
        summary = json.loads(file.read_text(encoding="utf-8")) if command in HIDDEN and file.is_file() else {}
        return impossible(summary) or forgotten(words, out) or "passed"
    found = error_words.complaint(command, words, folder, said(done), defaults_of(binary, command))
    return f"{found}: {said(done).strip()[-400:]}" if found else "refused"


def said(done):
    """The error of a command. That of a case of `tahoma check` is a line of its page: "! NAME  ERROR"."""
    lines = [line for line in done.stdout.splitlines() if line.startswith("!") and "error[" in line]
    return done.stderr if "error[" in done.stderr or not lines else "tahoma: " + lines[0].split(maxsplit=2)[2]


def prepared(binary, folder):
    """A folder with a finished run, which some commands read."""
    (folder / "gemm.yaml").write_text(json.dumps(command_inputs.GEMM), encoding="utf-8")
    subprocess.run([binary, "run", "gemm.yaml", "--out", "done"], cwd=folder, capture_output=True, check=True)
    return folder / "done"


def examine(binary, command, rng, done, keep):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if command in ("compare", "report"):
            shutil.copytree(done, folder / "done")
        words = command_inputs.case_of(rng, command, folder)
        found = verdict(binary, command, words, folder)
        if found not in ("passed", "refused") and keep is not None:
            shutil.copytree(folder, keep)
        return words, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--command", action="append", choices=sorted(command_inputs.COMMANDS))
    parser.add_argument("--keep", type=pathlib.Path, help="an empty folder for the files of findings")
    options = parser.parse_args()
    commands = options.command or list(command_inputs.COMMANDS)
    count, findings = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as name:
        done = prepared(options.binary, pathlib.Path(name))
        for number in range(options.cases):
            command = commands[number % len(commands)]
            keep = options.keep / str(number) if options.keep else None
            words, found = examine(options.binary, command, random.Random(f"{options.seed}/{number}"), done, keep)
            count[found if found in ("passed", "refused") else "wrong"] += 1
            if found not in ("passed", "refused"):
                findings += 1
                print(f"case {number}, seed {options.seed}: {found}\n  tahoma {shlex.join(words)}", flush=True)
    print(f"{options.cases} cases of {len(commands)} commands, seed {options.seed}: {count['passed']} passed, {count['refused']} refused, "
          f"{findings} findings")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
