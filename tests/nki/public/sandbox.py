# SPDX-License-Identifier: Apache-2.0
"""Runs a function in a process of its own, with limits. A crash, a hang or a lack of memory is a result, never an end.

Memory is limited by the resident sets of the process and its children: the program `tahoma` reserves address space that it
never touches.
"""
import json
import os
import resource
import select
import signal
import time
import traceback


class Ended:
    """How the process ended: `reason` is "" if the function returned, else what happened; `log` has the end of its output."""

    def __init__(self, reason, log):
        self.reason, self.log = reason, log


def resident_bytes(group):
    """The resident sets of all processes of a group."""
    total = 0
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group:
            total += int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
    return total


def peak_bytes():
    """The largest resident set of this process, or of one of its children."""
    return 1024 * max(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)


def run_isolated(function, seconds, most_bytes, on_message, log_path):
    """Forks and calls function(send); send(value) hands a JSON value to on_message here. Returns Ended."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _be_child(function, writing, log_path)
    os.close(writing)
    exceeded = _read_messages(reading, time.monotonic() + seconds, on_message, lambda: resident_bytes(child) > most_bytes)
    os.close(reading)
    if exceeded:
        _kill_group(child)
    _, status = os.waitpid(child, 0)
    _kill_group(child)
    log = tail(log_path)
    if exceeded:
        return Ended(f"time limit: {seconds:.0f} s" if exceeded == "time" else f"memory limit: {most_bytes >> 20} MiB", log)
    if os.WIFSIGNALED(status):
        return Ended(f"crash: {signal.Signals(os.WTERMSIG(status)).name}", log)
    if os.WEXITSTATUS(status) != 0:
        return Ended(f"crash: exit status {os.WEXITSTATUS(status)}: {last_line(log)}", log)
    return Ended("", log)


def _be_child(function, writing, log_path):
    status = 1
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        log = os.open(log_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1), os.dup2(log, 2)
        with os.fdopen(writing, "w") as pipe:

            def send(value):
                pipe.write(json.dumps(value) + "\n")
                pipe.flush()

            function(send)
        status = 0
    except MemoryError:
        os.write(2, b"memory limit\n")
    except BaseException:
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(status)


def _read_messages(reading, deadline, on_message, too_large):
    """Reads lines until the writer closes. Returns "time" or "memory" if a limit came first, else ""."""
    rest = b""
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            return "time"
        if not select.select([reading], [], [], min(left, 1.0))[0]:
            if too_large():
                return "memory"
            continue
        data = os.read(reading, 1 << 16)
        if not data:
            return ""
        rest += data
        *lines, rest = rest.split(b"\n")
        for line in lines:
            on_message(json.loads(line))


def _kill_group(leader):
    """The child is the leader of a session of its own: its group holds what it started, and nothing else."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def tail(path, most=4000):
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - most))
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
