# SPDX-License-Identifier: Apache-2.0
"""One measured command: processor time, time, peak memory and output of a program and of the children that it waited for."""

import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass(frozen=True)
class Measured:
    cpu: float  # user and system seconds
    wall: float  # seconds
    peak: float  # MiB of the largest process
    output: bytes


def execute(program, words, folder):
    with open(folder / "stdout", "w+b") as out, open(folder / "stderr", "w+b") as err:
        begin = time.monotonic()
        process = subprocess.Popen([program, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - begin
        if process.returncode != 0:
            err.seek(0)
            sys.exit(f"scripts/bench: {program} {' '.join(words)}\nended with status {process.returncode}: {err.read().decode().strip()}")
        out.seek(0)
        return Measured(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, out.read())


def measure(program, case):
    """Runs a case once with the program of that path."""
    filled = lambda words: [word.replace("{root}", str(ROOT)) for word in words]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, text in case.files:
            (folder / file).write_text(text.replace("{root}", str(ROOT)), encoding="utf-8")
        if case.before:
            execute(program, filled(case.before), folder)
        return execute(program, filled(case.command), folder)
