# SPDX-License-Identifier: Apache-2.0
"""A Server and a Training have what the folders of their commands have; sensitivities and cards are what the commands print."""
import json
import pathlib

import pytest

import tahoma

from conftest import MODEL, SMALL, command, refused

STEPS = "phase,batch,context,tokens,seconds\n" + "".join(
    f"decode,{batch},{context},0,{0.01 + 0.001 * batch}\n" for batch in (1, 4) for context in (1, 4096)) + "".join(
    f"prefill,1,0,{tokens},{1e-5 * tokens}\n" for tokens in (1, 2048))
SERVER = {"serving": {"requests": {"poisson": {"rate": 2, "requests": 20, "seed": 1, "prompt": {"distribution": "constant", "value": 100},
                                               "output": {"distribution": "constant", "value": 10}}},
                      "steps": "steps.csv", "server": {"max_sequences": 4, "max_tokens": 2048, "prefill": "whole"},
                      "slo": {"ttft": "1 s", "tpot": "50 ms"}}}
JOB = {"cluster": {"job": {"model": "config.json", "sequence": 64, "global_batch": 8, "tensor": 1, "pipeline": 1},
                   "fleet": {"chips": 4}, "faults": {"trials": 5}}}


@pytest.fixture
def files():
    pathlib.Path("config.json").write_text(json.dumps(MODEL))
    pathlib.Path("steps.csv").write_text(STEPS)
    pathlib.Path("server.yaml").write_text(json.dumps(SERVER))
    pathlib.Path("job.yaml").write_text(json.dumps(JOB))


def same_files(a, b, *names):
    for name in names:
        assert pathlib.Path(a, name).read_bytes() == pathlib.Path(b, name).read_bytes()


def test_a_server_is_its_folder(files):
    server = tahoma.serve("server.yaml", out="out", serving__server__max_sequences=3)
    command("serve", "server.yaml", "--out", "command", "--set", "serving.server.max_sequences=3")
    same_files("out", "command", "summary.json", "summary.txt", "requests.csv")
    assert server.summary.plain == json.loads(pathlib.Path("out/summary.json").read_text())
    assert server.requests == 20 and server.table("requests").rows == 20
    assert server.headline in repr(server)
    assert "did you mean 'series'?" in refused(tahoma.ConfigurationError, "E-PYT-006", server.table, "serie").text


def test_a_training_is_its_folder(files):
    training = tahoma.cluster("job.yaml", out="out", cluster__job__global_batch=16)
    command("cluster", "job.yaml", "--out", "command", "--set", "cluster.job.global_batch=16")
    same_files("out", "command", "summary.json", "summary.txt", "spans.csv")
    assert training.replicas == 4 and training.microbatches == 4
    assert training.table("spans")["end_s"].max() == pytest.approx(training.step.seconds)
    refused(tahoma.ConfigurationError, "E-CLU-002", tahoma.cluster, "job.yaml", cluster__job__tensor=3)


def test_mappings_do_what_files_do(files, small):
    """Their relative paths start in the working directory."""
    tahoma.serve(SERVER, out="served"), tahoma.cluster(JOB, out="trained"), tahoma.model(MODEL, out="model", prompt=64, batch=4)
    tahoma.serve("server.yaml", out="served_file"), tahoma.cluster("job.yaml", out="trained_file")
    tahoma.model("config.json", out="model_file", prompt=64, batch=4)
    same_files("served", "served_file", "summary.json", "requests.csv")
    same_files("trained", "trained_file", "summary.json", "spans.csv")
    assert json.loads(pathlib.Path("model/summary.json").read_text())["layouts"] == \
        json.loads(pathlib.Path("model_file/summary.json").read_text())["layouts"]
    pathlib.Path("case.yaml").write_text(json.dumps(small))
    assert tahoma.sensitivity(small, of="derived").plain["parameters"] == \
        tahoma.sensitivity("case.yaml", of="derived").plain["parameters"]
    axes = {"workload.m": [128, 256]}
    found, of_file = (tahoma.sweep({"workloads": case, "axes": axes}) for case in (small, "case.yaml"))
    assert list(found.metrics["simulated_time_ns"]) == list(of_file.metrics["simulated_time_ns"])


def changed(mapping, path, value):
    copy = json.loads(json.dumps(mapping))
    group = copy
    *above, last = path.split(".")
    for key in above:
        group = group[key]
    group[last] = value
    return copy


@pytest.mark.parametrize("function, mapping, path, value", [
    (tahoma.run, SMALL, "workload.m", "many"), (tahoma.run, SMALL, "workload.mm", 3), (tahoma.sensitivity, SMALL, "machine", "trainium9"),
    (tahoma.serve, SERVER, "serving.slo.ttft", "5 GB"), (tahoma.serve, SERVER, "serving.server.max_tokens", 2),
    (tahoma.cluster, JOB, "cluster.job.tensor", 3), (tahoma.cluster, JOB, "cluster.fleet.chip", 3)])
def test_an_error_of_a_mapping_is_at_its_key(files, function, mapping, path, value):
    with pytest.raises(tahoma.ConfigurationError) as caught:
        function(changed(mapping, path, value))
    assert caught.value.place == path, caught.value
    for nobody_wrote in ("standard input", "/tmp/", ":1:"):
        assert nobody_wrote not in str(caught.value)


def test_a_sensitivity_takes_a_case_and_a_run(small):
    pathlib.Path("case.yaml").write_text(json.dumps(small))
    found = tahoma.sensitivity("case.yaml", of="derived")
    assert found.plain == json.loads(command("sensitivity", "case.yaml", "--of", "derived", "--format", "json")[0])
    run = tahoma.run(small, out="out", mode="timing")
    assert tahoma.sensitivity(run, of="derived").time_ns == found.time_ns
    refused(tahoma.ConfigurationError, "E-CLI-003", tahoma.sensitivity, "case.yaml", of="guessed")


def test_cards_are_what_the_command_prints():
    assert [card.plain for card in tahoma.cards()] == json.loads(command("cards", "--format", "json")[0])
    assert {claim.verdict for claim in tahoma.cards("claims")} <= {"reached", "not reached", "undecidable"}
