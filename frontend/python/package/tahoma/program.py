# SPDX-License-Identifier: Apache-2.0
"""Starts the program `tahoma`: every call of this package that simulates something does it here.

The program runs in a process of its own, because SystemC elaborates once per process. Ctrl-C, like any other exception,
ends that process and all that it started. What a killed process left half-written is removed."""
from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import threading
from typing import Iterator, NamedTuple, Sequence

import _tahoma  # type: ignore[import]


def program() -> str:
    """The path of the program `tahoma`: beside the build's Python folder, in the installation, or on the PATH."""
    given = os.environ.get("TAHOMA_PROGRAM")
    module = os.path.dirname(os.path.abspath(_tahoma.__file__))
    built, installed = os.path.join(module, "..", "tahoma"), os.path.join(module, "..", "..", "..", "bin", "tahoma")
    for path in (given, built, installed, shutil.which("tahoma")):
        if path and os.access(path, os.X_OK) and not os.path.isdir(path):
            return os.path.normpath(path)
    raise FileNotFoundError("tahoma: the program is neither beside the Python package nor on the PATH; TAHOMA_PROGRAM may name it")


class Ended(NamedTuple):
    """How the program ended: its exit status, or minus the number of the signal that ended it; and what it wrote."""

    status: int
    out: str
    err: str


LONGEST_GOODBYE = 120  # seconds; Slurm cancels jobs in less


def execute(words: Sequence[str], out: str | None = None, given: str = "", elsewhere: bool = False) -> Ended:
    """Runs `tahoma WORDS` to its end, with `given` as its standard input. `out` is the folder that it writes, if it does.
    `elsewhere`: it has work on other hosts, which it cancels when it is interrupted."""
    child: subprocess.Popen[str] | None = None
    missing = missing_parents(out)
    try:
        with uninterrupted():
            child = subprocess.Popen([program(), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     encoding="utf-8", errors="replace", process_group=0 if elsewhere else None)
        printed, complained = child.communicate(given)
        if child.returncode < 0 and out is not None:  # the host has killed it
            remove_remains(pathlib.Path(out), child.pid, missing)
        return Ended(child.returncode, printed, complained)
    except BaseException:
        with uninterrupted():
            if child is not None:
                stop(child, elsewhere)
                if out is not None:
                    remove_remains(pathlib.Path(out), child.pid, missing)
        raise


def stop(child: subprocess.Popen[str], elsewhere: bool) -> None:
    """Ends the process. What it started on this host ends with it (runtime/host/process_start.cpp)."""
    if elsewhere:  # a second signal would end it before it has cancelled its jobs; a terminal sends none to its group
        child.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(LONGEST_GOODBYE)
    child.kill()
    child.wait()
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def missing_parents(out: str | None) -> list[pathlib.Path]:
    """The folders above `out` that do not exist yet, innermost first."""
    if out is None:
        return []
    return [folder for folder in pathlib.Path(out).absolute().parents if not folder.exists()]


def remove_remains(out: pathlib.Path, process: int, missing: list[pathlib.Path]) -> None:
    """Removes what the killed process `process` left of its output folder: the hidden folder that it had not yet renamed
    (runtime/host/output/output_dir.h), and empty folders that it made above it. An earlier run that it was about to replace is back."""
    target = pathlib.Path(os.path.realpath(out))
    old = target.with_name(f".{target.name}.old-{process}")
    if old.exists() and not target.exists():
        old.rename(target)
    for rest in (old, target.with_name(f".{target.name}.partial-{process}")):
        shutil.rmtree(rest, ignore_errors=True)
    for rest in target.glob("points/*/.out.partial-*"):  # of a sweep, whose processes have all ended
        shutil.rmtree(rest, ignore_errors=True)
    for parent in missing:
        with contextlib.suppress(OSError):
            parent.rmdir()


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C takes effect at the end. Only the main thread receives it."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    received: list[object] = []
    signal.signal(signal.SIGINT, lambda *_: received.append(None))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if received:
            before(signal.SIGINT, None)
