# SPDX-License-Identifier: Apache-2.0
"""One verification in a process of its own, which is forked from the server and so has everything loaded.

The process belongs to a new PID namespace where the host allows one: what the kernel starts ends with it, and it can reach no process
outside. Elsewhere the job is a session, which is killed as a group. There is no wall around files: a kernel may read and write what its user may.
"""
from __future__ import annotations

import contextlib
import ctypes
import functools
import json
import os
import resource
import shutil
import signal
import tempfile
import time
from typing import Any, Iterator

from tahoma.oracle import cache, requests

_NEWPID, _NEWUSER, _SUBREAPER, _DEATH_SIGNAL = 0x20000000, 0x10000000, 36, 1
_libc = ctypes.CDLL(None, use_errno=True)
MOST_OUTPUT = 4000  # characters of what a kernel prints
MOST_RESULT = 16 << 20  # bytes of a verdict
MOST_PROCESSES = 64  # of a job


def adopt_orphans() -> None:
    """Processes whose parents have ended become children of this one, which can end them."""
    _libc.prctl(_SUBREAPER, 1, 0, 0, 0)


class Job:
    """A running verification: `seconds` and `memory` (bytes, resident, of all its processes) are its limits."""

    def __init__(self, request: dict[str, Any], seconds: float, memory: int) -> None:
        self.request, self.memory, self.seconds = request, memory, seconds
        self.folder = tempfile.mkdtemp(prefix="tahoma-job-")
        self.began = time.monotonic()
        self.reason = ""  # why the server ended it
        self.pid = os.fork()
        if self.pid == 0:
            try:
                _guard(request, self.folder, memory)
            finally:
                os._exit(70)

    def overdue(self) -> str:
        """The limit that the job has passed, or ""."""
        if time.monotonic() - self.began > self.seconds:
            return "timeout"
        processes = list(_descendants(self.pid))
        if len(processes) > MOST_PROCESSES:
            return "processes"
        # What processes share counts for each of them in the first sum, which is quick, and is divided in the second.
        too_much = sum(map(_resident, processes)) > self.memory and sum(map(_proportional, processes)) > self.memory
        return "memory" if too_much else ""

    def stop(self, reason: str) -> None:
        self.reason = self.reason or reason
        processes = [self.pid, *_descendants(self.pid)]
        for pid in reversed(processes):  # the innermost first: the first process of a namespace takes the others with it
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)

    def outcome(self, status: int) -> dict[str, Any]:
        """What the server answers, after the process has ended with this wait status."""
        answer: dict[str, Any] = {"status": "done", "result": None, "text": "", "printed": self._printed()}
        found = self._result
        if self.reason:
            limit = {"timeout": f"{self.seconds:g} s", "memory": f"{self.memory} bytes", "processes": f"{MOST_PROCESSES} processes"}
            answer.update(status=self.reason, text=f"the job passed its limit of {limit[self.reason]}" if self.reason in limit else "")
        elif found is None:
            answer.update(status="died", text="the kernel ended its process, or the host did")
        elif "mistake" in found:
            answer.update(status="bad_request", text=str(found["mistake"]))
        else:
            answer["result"] = found.get("result")
        return answer

    def files(self) -> dict[str, str | None]:
        """The contents on which the verdict depends."""
        found = self._result or {}
        return {path: cache.digest(path) for path in [*found.get("files", []), *cache.named_files(self.request)]}

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def _printed(self) -> str:
        with contextlib.suppress(OSError), open(os.path.join(self.folder, "printed"), "rb") as file:
            file.seek(max(0, os.path.getsize(file.fileno()) - MOST_OUTPUT))
            return file.read(MOST_OUTPUT).decode("utf-8", "replace")
        return ""

    @functools.cached_property
    def _result(self) -> Any:
        """What the process wrote before it ended."""
        with contextlib.suppress(OSError, ValueError), open(os.path.join(self.folder, "result.json"), "rb") as file:
            if os.path.getsize(file.fileno()) <= MOST_RESULT:
                found = json.load(file)
                return found if isinstance(found, dict) else None
        return None


def _descendants(pid: int) -> Iterator[int]:
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{task}/children") as file:
                for child in map(int, file.read().split()):
                    yield child
                    yield from _descendants(child)


def _resident(pid: int) -> int:
    """Bytes in memory."""
    with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
    return 0


def _proportional(pid: int) -> int:
    """Bytes in memory; what processes share is divided among them."""
    with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/smaps_rollup") as file:
        return next((int(line.split()[1]) << 10 for line in file if line.startswith("Pss:")), 0)
    return 0


# --- in the new process -------------------------------------------------------------------------------------------------
def _guard(request: dict[str, Any], folder: str, memory: int) -> None:
    """Starts the process that runs the kernel, and waits for it."""
    signal.set_wakeup_fd(-1)  # the server's
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(name, signal.SIG_DFL)
    os.setsid()
    printed = os.open(os.path.join(folder, "printed"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    null = os.open(os.devnull, os.O_RDONLY)
    for given, number in ((null, 0), (printed, 1), (printed, 2)):
        os.dup2(given, number)
    os.closerange(3, 256)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # the host ends a job before the server
    _enter_namespace()
    child = os.fork()
    if child == 0:
        try:
            _libc.prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
            _run(request, folder, memory)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os._exit(0)


def _enter_namespace() -> None:
    """Children belong to a PID namespace of their own, if the host allows it."""
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        _libc.unshare(_NEWPID)
    elif _libc.unshare(_NEWUSER | _NEWPID) == 0:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with contextlib.suppress(OSError), open(f"/proc/self/{name}", "w") as file:
                file.write(text)


def _run(request: dict[str, Any], folder: str, memory: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    found: dict[str, Any] = {}
    try:
        found["result"] = requests.answered(request, folder)
    except requests.WrongRequest as mistake:
        found["mistake"] = str(mistake)
    found["files"] = requests.used_files(folder)
    with open(os.path.join(folder, "result.part"), "w") as file:
        json.dump(found, file)
    os.replace(os.path.join(folder, "result.part"), os.path.join(folder, "result.json"))
