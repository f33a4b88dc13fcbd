# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends the program, is a KeyboardInterrupt, and leaves no process and no half-written folder. Nothing here depends on how
long anything takes: each step waits for what it needs, and the deadlines only end a test that hangs."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import uuid

import pytest

import tahoma

LONG = {"kind": "gemm", "machine": "trainium2_one_chip", "mode": "timing", "workload": {"m": 65536, "n": 16384, "k": 16384}}
MARK = "TAHOMA_TEST_MARK"
DEADLINE = 300  # seconds

SCRIPT = """
import json, signal, sys, tahoma
signal.signal(signal.SIGINT, signal.default_int_handler)
case, kind, options = json.loads(sys.argv[1])
try:
    getattr(tahoma, kind)(case, **options)
except (KeyboardInterrupt, tahoma.HostError) as error:
    print("interrupted" if isinstance(error, KeyboardInterrupt) else error, flush=True)
    sys.stdin.readline()  # the test looks at what is left while this process lives
    sys.exit(7)
print("not interrupted")
"""


def marked(mark):
    """The command lines of the living processes that inherited the mark, by their numbers."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has just ended
            if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found[int(folder.name)] = (folder / "cmdline").read_bytes().decode().split("\0")
    return found


def wait_for(condition, what):
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, f"never seen: {what}"
        time.sleep(0.01)


class Script:
    """A process of Python that calls the package, and the processes that it starts."""

    def __init__(self, case, kind="run", **options):
        self.mark = uuid.uuid4().hex
        self.process = subprocess.Popen([sys.executable, "-c", SCRIPT, json.dumps([case, kind, options])], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, start_new_session=True, env={**os.environ, MARK: self.mark})

    def programs(self):
        """How the living processes of `tahoma` were called, by their numbers."""
        return {number: words for number, words in marked(self.mark).items() if number != self.process.pid and words[0].endswith("tahoma")}

    def interrupt(self, group):
        """Ctrl-C for this process only, as in a notebook, or for all processes, as in a terminal."""
        if group:
            os.killpg(self.process.pid, signal.SIGINT)
        else:
            os.kill(self.process.pid, signal.SIGINT)
        assert self.process.stdout.readline() == "interrupted\n"
        wait_for(lambda: set(marked(self.mark)) == {self.process.pid}, "the end of every process that the call started")

    def end(self):
        self.process.communicate("\n")
        assert self.process.returncode == 7
        assert not marked(self.mark)


@pytest.fixture
def started():
    scripts = []

    def start(*args, **options):
        scripts.append(Script(*args, **options))
        return scripts[-1]

    yield start
    for script in scripts:
        for number in marked(script.mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)


def entries(folder="."):
    return sorted(str(path) for path in pathlib.Path(folder).rglob("*"))


@pytest.mark.parametrize("group", [False, True], ids=["process", "terminal"])
def test_an_interrupted_run_leaves_nothing(started, group, monkeypatch):
    pathlib.Path("tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(pathlib.Path("tmp").absolute()))
    script = started(LONG, out="new/folders/out", trace=True)
    wait_for(lambda: list(pathlib.Path("new/folders").glob(".out.partial-*")), "the unfinished folder")
    script.interrupt(group)
    assert entries() == ["tmp"]
    script.end()


def test_an_interrupted_run_without_out_leaves_nothing(started, monkeypatch):
    pathlib.Path("tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(pathlib.Path("tmp").absolute()))
    script = started(LONG, trace=True)
    wait_for(lambda: list(pathlib.Path("tmp").glob("tahoma-*/.out.partial-*")), "the unfinished folder")
    script.interrupt(False)
    assert entries() == ["tmp"]
    script.end()


def test_an_interrupted_run_keeps_the_earlier_one(started, small):
    tahoma.run(small, out="out")
    before = {path: path.read_bytes() for path in pathlib.Path("out").iterdir()}
    script = started(LONG, out="out", trace=True)
    wait_for(lambda: list(pathlib.Path().glob(".out.partial-*")), "the unfinished folder")
    script.interrupt(False)
    assert entries() == sorted(["out", *map(str, before)]) and {path: path.read_bytes() for path in before} == before
    script.end()


def test_a_run_that_the_host_kills_leaves_nothing(started):
    script = started(LONG, out="new/out", trace=True)
    wait_for(lambda: list(pathlib.Path("new").glob(".out.partial-*")), "the unfinished folder")
    (program,) = script.programs()
    os.kill(program, signal.SIGKILL)
    assert "SIGKILL" in script.process.stdout.readline()
    assert not entries()
    script.end()


def test_the_repetitions_of_explain_end_too(started):
    tahoma.run({**LONG, "workload": {"m": 2048, "n": 2048, "k": 16384}}, out="out", no_report=True)
    script = started("out", "explain", jobs=2)
    wait_for(lambda: len(script.programs()) > 2, "the repetitions")
    script.interrupt(False)
    script.end()


@pytest.mark.parametrize("group", [False, True], ids=["process", "terminal"])
def test_an_interrupted_sweep_goes_on_where_it_was(started, group):
    sizes = [128, 256, 512, 16384, 16512, 16640]
    case = {"kind": "gemm", "machine": "trainium2_one_chip", "mode": "timing", "workload": {"m": 128, "n": 2048, "k": 4096}}
    pathlib.Path("case.yaml").write_text(json.dumps(case))
    sweep = {"workloads": "case.yaml", "axes": {"workload.m": sizes}}
    script = started(sweep, "sweep", out="out", jobs=1)
    wait_for(lambda: len(list(pathlib.Path("out").glob("points/*/result.json"))) >= 2, "finished points")
    script.interrupt(group)
    assert not [path for path in entries("out") if ".partial-" in path]
    finished = len(list(pathlib.Path("out").glob("points/*/result.json")))
    script.end()
    assert 2 <= finished < len(sizes)
    resumed = tahoma.sweep(sweep, out="out", resume=True)
    whole = tahoma.sweep(sweep, out="whole")
    assert [point.status for point in resumed] == ["done"] * len(sizes)
    assert resumed.metrics["simulated_time_ns"].tolist() == whole.metrics["simulated_time_ns"].tolist()


def test_an_interrupted_sweep_without_out_leaves_nothing(started, monkeypatch):
    pathlib.Path("tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(pathlib.Path("tmp").absolute()))
    pathlib.Path("case.yaml").write_text(json.dumps(LONG))
    script = started({"workloads": "case.yaml", "axes": {"workload.m": [8192, 65536]}}, "sweep", jobs=2)
    wait_for(lambda: any(words[1] == "run" for words in script.programs().values()), "a running point")
    script.interrupt(True)
    assert entries() == ["case.yaml", "tmp"]
    script.end()


def test_a_sweep_on_a_cluster_is_asked_to_cancel_its_jobs(started, monkeypatch):
    impostor = pathlib.Path("tahoma")
    impostor.write_text("#!/bin/sh\ntrap 'echo cancelled >> cancelled; exit 6' INT\ntouch ready\nwhile true; do sleep 0.01; done\n")
    impostor.chmod(0o755)
    monkeypatch.setenv("TAHOMA_PROGRAM", str(impostor.absolute()))
    script = started({"workloads": "gemm/chip", "axes": {"workload.m": [128]}}, "sweep", out="out", executor="slurm")
    wait_for(pathlib.Path("ready").exists, "the program")
    script.interrupt(True)
    assert pathlib.Path("cancelled").read_text() == "cancelled\n"
    script.end()


def test_a_process_that_is_left_is_found(started):
    mark = uuid.uuid4().hex
    left = subprocess.Popen(["sleep", "600"], env={**os.environ, MARK: mark})
    try:
        wait_for(lambda: marked(mark), "the process")
        assert marked(mark) == {left.pid: ["sleep", "600", ""]}
    finally:
        left.kill()
        left.wait()
    assert not marked(mark)
