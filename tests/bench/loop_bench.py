#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The time from a kernel's source to its verdict, by stage: processor and wall seconds of `tahoma nki --verify` (cold), of a job of the
server, and of the stages of a verification.

    tests/bench/loop_bench.py [--build DIR] [--beside DIR] [--instructions N,...] [--rounds N] [--style new|old] [--no-server]

DIR is a build folder with `tahoma` and `python`. With --beside both builds are measured in turn, and the last columns are the other build's
time and the ratio. The goals for 10,000 instructions are 2 s cold and 0.5 s in the server; for 250,000 instructions, 10 s cold.
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = pathlib.Path(__file__).resolve().parent / "loop_kernels.py"
STAGES = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
start = time.perf_counter()
import tahoma
from tahoma import bundle, launch
from tahoma.oracle.verify import _settings
kernel = bundle.loaded(sys.argv[1])
imported = time.perf_counter() - start
with _settings(None, None, None):
    call = launch.Call(getattr(kernel, "launched", kernel), (), (), bundle.parsed(sys.argv[2], 1))
    prepared = launch.Prepared([call])
    start = time.perf_counter()
    result, _ = prepared.outcome()
    running = time.perf_counter() - start
entries = sum(program.tracer.entries for program in prepared.bundle.programs)
print(json.dumps({"instructions": result.instructions, "entries": entries, "import": imported, **prepared.seconds,
                  "running": running}))
"""


def address(style):
    return f"{FILE}:{style}_kernel"


def arguments(instructions):
    return {"x": "ones(1024, 128)", "n": str(instructions)}


class Build:
    """A build folder, and what runs there."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.program = self.folder / "tahoma"
        self.environment = {**os.environ, "PYTHONPATH": str(self.folder / "python"), "TAHOMA_PROGRAM": str(self.program)}

    def measured(self, words):
        """(wall seconds, processor seconds, standard output) of a command."""
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, check=True)
        seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout

    def cold(self, style, instructions):
        words = [self.program, "nki", "--verify", address(style)]
        for name, value in arguments(instructions).items():
            words += ["--arg", f"{name}={value}"]
        wall, processor, printed = self.measured(words)
        return {"cold wall": wall, "cold processor": processor, "instructions": json.loads(printed)["instructions"]}

    def stages(self, style, instructions):
        given = "; ".join(f"{name}={value}" for name, value in arguments(instructions).items())
        found = json.loads(self.measured(["/usr/bin/python3", "-c", STAGES, address(style), given])[2])
        entries = found.pop("entries")
        found.pop("instructions")
        return {**found, "tracing us/entry": 1e6 * found["tracing"] / entries, "lowering us/entry": 1e6 * found["lowering"] / entries}

    def served(self, style, instructions, jobs=3):
        """The seconds that a server needs for one job, when it is warm."""
        process = subprocess.Popen([self.program, "nki", "--serve", "--jobs", "1", "--job-seconds", "600"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True, env=self.environment)
        seconds = []
        for job in range(jobs + 1):
            request = {"id": job, "kernel": address(style), "args": arguments(instructions), "seed": job + 1}
            start = time.perf_counter()
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            assert answer["status"] == "done" and answer["result"]["status"] == "unchecked", answer
            seconds.append(time.perf_counter() - start)
        process.stdin.close()
        process.wait()
        return {"server": min(seconds[1:])}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=ROOT / "build")
    parser.add_argument("--beside", default=None)
    parser.add_argument("--instructions", default="10000")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--style", default="new", choices=("new", "old"))
    parser.add_argument("--no-server", action="store_true")
    options = parser.parse_args()
    builds = [Build(folder) for folder in (options.build, options.beside) if folder is not None]
    for instructions in map(int, options.instructions.split(",")):
        rows = [{} for _ in builds]
        for _ in range(options.rounds):
            for build, row in zip(builds, rows):
                found = {**build.cold(options.style, instructions), **build.stages(options.style, instructions)}
                if not options.no_server:
                    found.update(build.served(options.style, instructions))
                for name, value in found.items():
                    row.setdefault(name, []).append(value)
        print(f"{options.style} style, {rows[0].pop('instructions')[0]} instructions, the least of {options.rounds} rounds")
        for name, values in rows[0].items():
            line = f"  {name:20} {min(values):9.3f}"
            if len(rows) > 1:
                line += f"  beside {min(rows[1][name]):9.3f}  ratio {min(rows[1][name]) / min(values):6.2f}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
