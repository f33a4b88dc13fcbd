# SPDX-License-Identifier: Apache-2.0
"""The server of verifications: answers, limits, hostile kernels, and what it remembers."""
import json
import os
import pathlib
import subprocess

import pytest

import kernels
from tahoma.oracle import cache, requests
from tahoma.program import program

HERE = pathlib.Path(__file__).resolve().parent
FILE = HERE / "kernels.py"


def verification(name, **more):
    return {"id": name, "kernel": f"{FILE}:{name}", "args": {"x": "ones(128, 64)"}, "reference": f"{FILE}:reference", **more}


class Server:
    """A server that a test talks to."""

    def __init__(self, *options):
        self.process = subprocess.Popen([program(), "nki", "--serve", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def send(self, *asked):
        for request in asked:
            self.process.stdin.write((request if isinstance(request, str) else json.dumps(request)) + "\n")
        self.process.stdin.flush()

    def answer(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, request):
        self.send(request)
        return self.answer()

    def close(self):
        self.process.stdin.close()
        rest = [json.loads(line) for line in self.process.stdout]
        assert self.process.wait(60) == 0
        return rest


@pytest.fixture
def server():
    made = Server("--jobs", "2", "--job-seconds", "20", "--job-memory", "700")
    yield made
    if made.process.poll() is None:
        made.close()


def test_answers_are_verdicts(server):
    right = server.ask(verification("right"))
    assert (right["id"], right["status"], right["cached"]) == ("right", "done", False) and right["result"]["status"] == "correct"
    wrong = server.ask({"id": 2, **{k: v for k, v in verification("wrong_from_row_256").items() if k != "id"}, "args": "x=ones(512, 64)"})
    assert wrong["id"] == 2 and wrong["result"]["first_wrong"]["index"] == [256, 0]


def test_several_jobs_at_once_answer_each_with_its_own(server):
    names = ["right", "unwritten", "raising", "too_large"]
    server.send(*(verification(name) for name in names))
    found = {answer["id"]: answer["result"]["status"] for answer in (server.answer() for _ in names)}
    assert found == {"right": "correct", "unwritten": "findings", "raising": "raised", "too_large": "refused"}


# What each hostile kernel comes to: the status of the answer, and of the verdict.
OUTCOMES = {"endless": ("timeout", None), "memory": ("memory", None), "forks": ("done", "correct"), "many_forks": ("processes", None),
            "exits": ("died", None), "kills": ("died", None), "deaf": ("timeout", None), "closes": ("done", "correct"),
            "noise": ("done", "correct"), "leaves": ("done", "raised")}


def test_hostile_kernels_end_and_the_server_answers_the_next(server):
    assert set(OUTCOMES) == set(kernels.HOSTILE)
    for name, (status, verdict) in OUTCOMES.items():
        answer = server.ask(verification(name, **({"seconds": 2} if status == "timeout" else {})))
        assert answer["id"] == name and answer["status"] == status, answer
        assert (answer["result"] or {}).get("status") == verdict
        assert server.ask(verification("right"))["result"]["status"] == "correct"
    assert children_of(server.process.pid) == 1, "the server's own process alone is left"


def children_of(pid):
    """All processes below a process."""
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        found = [int(child) for child in file.read().split()]
    return len(found) + sum(map(children_of, found))


def test_what_a_kernel_prints_is_no_answer(server):
    answer = server.ask(verification("noise"))
    assert answer["status"] == "done" and '"id": 0' in answer["printed"] and len(answer["printed"]) <= 4000


def test_verdicts_are_remembered_until_something_changes(server, tmp_path):
    file = tmp_path / "kernel.py"
    helper = tmp_path / "helper_of_it.py"
    helper.write_text("FACTOR = 2.0\n")
    file.write_text("from helper_of_it import FACTOR\n" + FILE.read_text().replace("lambda first: 2.0)", "lambda first: FACTOR)", 1))
    request = {"id": 1, "kernel": f"{file}:right", "args": "x=ones(128, 64)", "reference": f"{file}:reference"}
    first, second = server.ask(request), server.ask({**request, "id": 2})
    assert (first["cached"], second["cached"], second["id"]) == (False, True, 2)
    assert second["result"] == first["result"]
    helper.write_text("FACTOR = 3.0\n")
    third = server.ask(request)
    assert not third["cached"] and third["result"]["status"] == "wrong"
    assert not server.ask({**request, "args": "x=ones(256, 64)"})["cached"]


def test_the_source_may_be_in_the_request(server):
    request = {"id": "inline", "source": FILE.read_text(), "kernel": "right", "args": "x=ones(128, 64)", "reference": "reference"}
    assert server.ask(request)["result"]["status"] == "correct"
    broken = server.ask({**request, "source": "def right(x:\n"})
    assert broken["result"]["status"] == "raised" and "SyntaxError" in broken["result"]["error"]["text"]


@pytest.mark.parametrize("request_, says", [
    ("nonsense", "Expecting value"), ({"id": 3, "kernel": 5}, "kernel is int"), ({"id": 3}, "no kernel"), ({"id": 3, "kernl": "a"}, "did you mean 'kernel'"),
    ([1], "expected a JSON object"), ({"id": 3, "op": "stop"}, "expected verify, status or cancel"),
    ({"id": 3, "kernel": "none.py:right"}, "no such file"), ({"id": 3, "kernel": "a.py:b", "tolerance": -1}, "expected a number, or")])
def test_wrong_requests_are_answered(server, request_, says):
    answer = server.ask(request_)
    assert answer["status"] == "bad_request" and says in answer["text"]
    assert server.ask(verification("right"))["status"] == "done"


def test_a_job_can_be_cancelled(server):
    server.send(verification("endless"), {"id": "endless", "op": "cancel"}, {"id": "s", "op": "status"})
    answers = [server.answer() for _ in range(2)]
    assert {answer["id"]: answer.get("status") for answer in answers} == {"endless": "cancelled", "s": None}


def test_the_end_of_input_finishes_what_was_asked():
    server = Server("--jobs", "1")
    server.send(verification("right"), verification("too_large"))
    assert [answer["id"] for answer in server.close()] == ["right", "too_large"]


def test_the_cache_is_bounded(tmp_path):
    kept = cache.Cache()
    for n in range(cache.MOST_ENTRIES + 10):
        kept.put({"kernel": str(n)}, {}, {"status": "done"})
    assert len(kept._entries) == cache.MOST_ENTRIES and kept.get({"kernel": "0"}) is None
    assert cache.named_files({"kernel": "a/b.py:k", "reference": "c.py:r", "args": {"x": "d.npy"}}) == ["a/b.py", "c.py", "d.npy"]
    file = tmp_path / "k.py"
    file.write_text("1")
    kept.put({"kernel": "k"}, {str(file): cache.digest(str(file))}, {"status": "done"})
    assert kept.get({"kernel": "k", "id": 5, "seconds": 3}) and requests.checked({"kernel": "k"})
    os.remove(file)
    assert kept.get({"kernel": "k"}) is None
