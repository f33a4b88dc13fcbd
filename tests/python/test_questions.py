# SPDX-License-Identifier: Apache-2.0
"""The functions that answer with data give what the commands print as JSON."""
import json
import pathlib

import pytest

import tahoma

from conftest import command, refused

CHECKS = """
cases:
  title: one small case
  runs:
    small: {workload: case.yaml}
"""


def printed(*words):
    return json.loads(command(*words, "--format", "json")[0])


def plain(records):
    return [record.plain for record in records]


def test_parameters_instructions_and_statistics():
    assert plain(tahoma.params("machine.chip.hbm")) == printed("params", "machine.chip.hbm")
    assert plain(tahoma.params()) == printed("params")
    assert plain(tahoma.statistics("tensor.busy")) == printed("stats", "tensor.busy")
    assert plain(tahoma.isa()) == printed("isa")
    assert {row.mnemonic for row in tahoma.isa("nki.isa.nc_matmul")} == {"load_weights", "matmul"}
    (matmul,) = tahoma.isa("matmul")
    assert "tensor" in matmul.queues and all(set(operand) == {"form", "doc", "bits"} for operand in matmul.operands)


def test_questions_about_nothing():
    assert "did you mean 'machine.chip.hbm'?" in refused(tahoma.ConfigurationError, "E-CFG-002", tahoma.params, "machine.chip.hbn").text
    assert "did you mean 'matmul'?" in refused(tahoma.ConfigurationError, "E-ISA-001", tahoma.isa, "matmull").text
    refused(tahoma.ConfigurationError, "E-REP-003", tahoma.statistics, "no such statistic")


def test_a_comparison_takes_runs_and_folders(small):
    a, b = tahoma.run(small, out="a"), tahoma.run(small, out="b", workload__m=256)
    expected = printed("compare", "a", "b")
    assert tahoma.compare(a, b).plain == tahoma.compare("a", b).plain == expected
    refused(tahoma.ConfigurationError, "E-REG-013", tahoma.compare, a, "none")


def test_a_comparison_of_sweeps(small):
    pathlib.Path("case.yaml").write_text(json.dumps(small))
    sweep = {"workloads": "case.yaml", "axes": {"workload.m": [128, 256]}}
    a, b = (tahoma.sweep(sweep, out=name, workload__n=n) for name, n in (("a", 512), ("b", 1024)))
    assert tahoma.compare(a, b, metric="hbm_read_bytes").plain == printed("compare", "a", "b", "--metric", "hbm_read_bytes")


def test_explain_says_what_limits_a_run(small):
    run = tahoma.run(small, out="out")
    found = tahoma.explain(run, jobs=1)
    assert found.plain == printed("explain", "out") and found.time_ns == run.time_ns
    refused(tahoma.ConfigurationError, "E-CLI-006", tahoma.explain, "none")


def test_checks_pass_and_fail(small, monkeypatch):
    monkeypatch.delenv("CI", raising=False)  # goldens are not written there
    pathlib.Path("case.yaml").write_text(json.dumps(small))
    pathlib.Path("checks.yaml").write_text(CHECKS)
    command("check", "checks.yaml", "--bless", "--reason", "a test")
    passed = tahoma.check("checks.yaml", jobs=1)
    assert passed and passed.passed and len(passed.pages) == 1
    assert tahoma.check("checks.yaml", cases=["small"]).passed
    failed = tahoma.check("checks.yaml", machine__chip__hbm__stacks=2, workload__m=256, out="out")
    assert not failed and failed.pages[0].plain != passed.pages[0].plain and any(pathlib.Path("out").iterdir())
    refused(tahoma.ConfigurationError, "E-REG-012", tahoma.check, "checks.yaml", cases=["smal"])


def test_a_key_that_is_no_attribute_has_brackets():
    record = tahoma.params("machine.chip.hbm.stacks")[0]
    assert record["path"] == record.path == "machine.chip.hbm.stacks" and "path" in dir(record)
    with pytest.raises(AttributeError, match="did you mean 'default'"):
        record.defaults
