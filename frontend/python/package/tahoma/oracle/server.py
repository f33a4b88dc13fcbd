# SPDX-License-Identifier: Apache-2.0
"""The server of `tahoma nki --serve`: requests come as lines of JSON on standard input, answers go to standard output as they are ready.

The server itself never runs a kernel: it forks a process for each job (jobs.py), ends those that pass their limits, and remembers verdicts
(cache.py). The end of standard input ends it when all jobs are done.
"""
from __future__ import annotations

import collections
import json
import os
import select
import signal
import sys
import time
from typing import Any

from tahoma.oracle import jobs, requests
from tahoma.oracle.cache import Cache

POLL_SECONDS = 0.05  # how often limits are looked at
LONGEST_LINE = 64 << 20  # bytes of a request


class Server:
    def __init__(self, most_jobs: int, seconds: float, memory: int) -> None:
        self.most_jobs, self.seconds, self.memory = most_jobs, seconds, memory
        self.waiting: collections.deque[dict[str, Any]] = collections.deque()
        self.running: list[jobs.Job] = []
        self.cache = Cache()
        self.answers = 0

    def serve(self, source: int, target: Any) -> None:
        self.target = target
        ended = self.wake_at_ends()
        jobs.adopt_orphans()
        rest, open_ = b"", True
        while open_ or self.waiting or self.running:
            ready = select.select([ended, source] if open_ else [ended], [], [], POLL_SECONDS if self.running else None if open_ else 0)[0]
            if ended in ready:
                os.read(ended, 1 << 12)
            if source in ready:
                data = os.read(source, 1 << 20)
                open_ = bool(data)
                *lines, rest = (rest + data).split(b"\n")
                if not open_ and rest:
                    lines.append(rest)
                for line in lines:
                    self.received(line)
                if len(rest) > LONGEST_LINE:
                    self.answer(None, status="bad_request", text=f"a line of more than {LONGEST_LINE} bytes")
                    rest = b""
            self.advance()

    @staticmethod
    def wake_at_ends() -> int:
        """A descriptor that can be read when a child has ended."""
        read, write = os.pipe()
        os.set_blocking(write, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        return read

    def received(self, line: bytes) -> None:
        if not line.strip():
            return
        name = None
        try:
            request = json.loads(line)
            name = request.get("id") if isinstance(request, dict) else None
            operation = request.get("op", "verify") if isinstance(request, dict) else "verify"
            if operation == "status":
                self.answer(name, running=[job.request.get("id") for job in self.running], waiting=len(self.waiting), answers=self.answers)
            elif operation == "cancel":
                self.cancel(name)
            elif operation == "verify":
                self.waiting.append(requests.checked(request))
            else:
                raise requests.WrongRequest(f"op={operation!r}; expected verify, status or cancel")
        except ValueError as mistake:  # also of JSON
            self.answer(name, status="bad_request", text=str(mistake))

    def cancel(self, name: Any) -> None:
        """Ends the jobs with this identifier. Each answers as cancelled."""
        for request in [r for r in self.waiting if r.get("id") == name]:
            self.waiting.remove(request)
            self.answer(name, status="cancelled")
        for job in self.running:
            if job.request.get("id") == name:
                job.stop("cancelled")

    def advance(self) -> None:
        """Ends and answers jobs, and starts others."""
        ended: dict[int, int] = {}
        while len(ended) < len(self.running) + jobs.MOST_PROCESSES:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            ended[pid] = status
        for job in [job for job in self.running if job.pid in ended]:
            self.running.remove(job)
            self.finish(job, ended[job.pid])
        for job in self.running:
            reason = job.overdue()
            if reason:
                job.stop(reason)
        while self.waiting and len(self.running) < self.most_jobs:
            self.start(self.waiting.popleft())

    def start(self, request: dict[str, Any]) -> None:
        known = self.cache.get(request)
        if known is not None:
            self.answer(request.get("id"), **known, cached=True, seconds=0.0)
            return
        self.running.append(jobs.Job(request, float(request.get("seconds") or self.seconds), int(request.get("memory") or self.memory)))

    def finish(self, job: jobs.Job, status: int) -> None:
        self.end_orphans()
        outcome = job.outcome(status)
        if outcome["status"] == "done":
            self.cache.put(job.request, job.files(), outcome)
        self.answer(job.request.get("id"), **outcome, cached=False, seconds=round(time.monotonic() - job.began, 3))
        job.remove()

    def end_orphans(self) -> None:
        """Ends children that are no jobs: what a job left behind on a host without namespaces."""
        own = {job.pid for job in self.running}
        try:
            with open(f"/proc/{os.getpid()}/task/{os.getpid()}/children") as file:
                orphans = [pid for pid in map(int, file.read().split()) if pid not in own]
        except OSError:
            return
        for pid in orphans:
            os.kill(pid, signal.SIGKILL)

    def answer(self, name: Any, **parts: Any) -> None:
        self.answers += 1
        self.target.write(json.dumps({"id": name, **parts}) + "\n")
        self.target.flush()


def warm() -> None:
    """Loads what jobs need, once for all of them."""
    import neuronxcc.nki  # noqa: F401
    import nki  # noqa: F401
    from tahoma.launch import machine

    machine()


def main(most_jobs: int, seconds: float, memory: int) -> int:
    warm()
    Server(most_jobs, seconds, memory).serve(sys.stdin.fileno(), sys.stdout)
    return 0
