#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Memory of the server over many verifications: its processes before, after half of them, and at the end.

    PYTHONPATH=build/python TAHOMA_PROGRAM=build/tahoma tests/nki/oracle/many_verifications.py [COUNT] [--jobs N]

Each verification has a seed of its own, so that none is answered from the cache. The server keeps the latest 1000 verdicts: its memory grows
until the cache is full, and must not grow afterwards. The exit status is 1 if the second half adds more than 1 MiB, or if a verdict is wrong.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys
import time

from tahoma.oracle.cache import MOST_ENTRIES
from tahoma.program import program

FILE = pathlib.Path(__file__).resolve().parent / "kernels.py"
ALLOWED = 1 << 20  # bytes; the allocator's own noise


def processes_below(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        for child in map(int, file.read().split()):
            yield child
            yield from processes_below(child)


def resident(pid):
    """Bytes of a process in memory that no file backs."""
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("RssAnon:"))


def descriptors(pid):
    return sum(1 for _ in pathlib.Path(f"/proc/{pid}/fd").iterdir())


class Served:
    """A server, and what it takes when no job runs."""

    def __init__(self, jobs):
        self.process = subprocess.Popen([program(), "nki", "--serve", "--jobs", str(jobs)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.statuses = collections.Counter()

    def verify(self, first, end, jobs):
        """Verifications with the seeds from `first` to below `end`, so many at once."""
        sent = first
        for done in range(first, end):
            while sent < min(end, done + jobs):
                request = {"id": sent, "kernel": f"{FILE}:right", "args": {"x": "randn(128, 64)"}, "reference": f"{FILE}:reference", "seed": sent}
                self.process.stdin.write(json.dumps(request) + "\n")
                self.process.stdin.flush()
                sent += 1
            answer = json.loads(self.process.stdout.readline())
            self.statuses[(answer.get("result") or {}).get("status", answer["status"]), answer["cached"]] += 1

    def taken(self):
        """(bytes, open descriptors, processes) of the server, which has answered everything."""
        all_ = [self.process.pid, *processes_below(self.process.pid)]
        return sum(map(resident, all_)), sum(map(descriptors, all_)), len(all_)

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


def grown(half, end):
    """Whether the second half has left something behind: memory, descriptors or processes."""
    return end[0] - half[0] > ALLOWED or end[1] > half[1] or end[2] > half[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", type=int, nargs="?", default=2 * MOST_ENTRIES)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    server, start, taken = Served(options.jobs), time.perf_counter(), []
    quarters = [1 + options.count * n // 4 for n in range(5)]
    server.verify(0, 1, 1)
    taken.append(server.taken())
    for first, end in zip(quarters, quarters[1:]):
        server.verify(first, end, options.jobs)
        taken.append(server.taken())
        print(f"{end - 1:6} verifications, {time.perf_counter() - start:7.1f} s: {taken[-1][0] / 1024:9.0f} KiB, {taken[-1][1]} descriptors, "
              f"{taken[-1][2]} processes; after one: {taken[0][0] / 1024:.0f} KiB", flush=True)
    wrong = {status: n for status, n in server.statuses.items() if status != ("correct", False)}
    ended = server.close()
    print(f"verdicts that are not correct: {wrong or 'none'}; the server ended with {ended}")
    return 1 if wrong or ended != 0 or grown(taken[2], taken[4]) else 0


if __name__ == "__main__":
    sys.exit(main())
