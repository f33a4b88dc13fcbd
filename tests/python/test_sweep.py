# SPDX-License-Identifier: Apache-2.0
"""A Sweep has what sweep.db has, and tahoma.sweep does what the command does."""
import gc
import json
import pathlib
import sqlite3

import numpy as np
import pytest

import tahoma

from conftest import command, refused

AXES = {"machine.chip.hbm.stacks": [2, 4], "workload.m": [128, 256, 512]}


@pytest.fixture
def case(small):
    pathlib.Path("case.yaml").write_text(json.dumps(small))
    return "case"


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A sweep over two axes with a metric of its own, made once."""
    return tahoma.sweep({"workloads": "gemm/one_core_4096", "mode": "timing", "axes": AXES, "metrics": {"price": "machine.chip.hbm.stacks * 120"}},
                        out=tmp_path_factory.mktemp("sweeps") / "done", workload__n=512, workload__k=256)


def rows(folder, query):
    with sqlite3.connect(f"file:{folder}/sweep.db?mode=ro", uri=True) as database:
        found = database.execute(query).fetchall()
    database.close()
    return found


def test_points_axes_and_metrics_are_those_of_the_database(done):
    assert [(p.number, p.id, p.workload, p.status, p.reason) for p in done.points] == \
        rows(done.path, "SELECT number, id, workload, status, reason FROM points ORDER BY number")
    assert [(p.parameters["machine.chip.hbm.stacks"], p.parameters["workload.m"]) for p in done] == \
        [(stacks, m) for stacks in AXES["machine.chip.hbm.stacks"] for m in AXES["workload.m"]]
    metrics = rows(done.path, "SELECT number, name, value FROM metrics")
    assert {name for _, name, _ in metrics} == set(done.metrics)
    for number, name, value in metrics:
        assert done.metrics[name][number] == done[number].metrics[name] == value
    assert done.axes["workload.m"].tolist() == [128, 256, 512] * 2
    assert np.array_equal(done.metrics["price"], done.axes["machine.chip.hbm.stacks"] * 120)


def test_each_point_opens_its_run(done):
    for point in done:
        assert point.run.time_ns == point.metrics["simulated_time_ns"] and point.run.path.parent.name == point.id
        assert f"gemm {point.texts['workload.m']}x512x256" in point.run.workload


def test_the_database_is_that_of_the_command(case):
    pathlib.Path("sweep.yaml").write_text(json.dumps({"sweep": {"workloads": ["case.yaml"], "set": {"workload.n": 256},
                                                               "axes": [{path: values} for path, values in AXES.items()]}}))
    command("sweep", "sweep.yaml", "--out", "command", "--jobs", "1")
    tables = ["SELECT number, id, status, reason FROM points", "SELECT * FROM parameters", "SELECT * FROM metrics"]
    given = [tahoma.sweep("sweep.yaml", out="file"), tahoma.sweep("sweep", out="without_suffix", jobs=2),
             tahoma.sweep({"workloads": case, "axes": AXES}, out="mapping", workload__n=256),
             tahoma.sweep({"sweep": {"workloads": [case], "axes": {"machine.chip.hbm.stacks": np.array([2, 4]), "workload.m": (128, 256, 512)},
                                     "set": {"workload.n": 256}}}, out=pathlib.Path("arrays"))]
    for sweep in given:
        for query in tables:
            assert rows(sweep.path, query) == rows("command", query)
        assert all(pathlib.Path(point.workload).samefile("case.yaml") for point in sweep)


def test_the_front_is_that_of_the_command(case):
    axes = [{path: values} for path, values in AXES.items()]
    pathlib.Path("sweep.yaml").write_text(json.dumps({"sweep": {"workloads": ["case.yaml"], "axes": axes}}))
    for objectives in (("simulated_time_ns", "machine.chip.hbm.stacks"), ("max:flops.achieved_tflops", "simulated_time_ns"),
                       ("mfu_estimated_percent", "min:machine.chip.hbm.stacks"), ("simulated_time_ns",)):
        out = "-".join(objectives).replace(":", "_")
        printed, _ = command("sweep", "sweep.yaml", "--out", out, f"--pareto={','.join(objectives)}")
        lines = [line.split() for line in printed.split("Pareto", 1)[1].splitlines()]
        expected = [int(words[0]) for words in lines if words and words[0].isdigit()]
        assert [point.number for point in tahoma.Sweep(out).front(*objectives)] == expected and expected


def test_an_array_is_an_objective(done):
    costs = done.axes["machine.chip.hbm.stacks"] * done.metrics["simulated_time_ns"]
    (best,) = done.front(costs)
    assert costs[best.number] == costs.min()


def test_a_failed_point_is_a_row_and_on_no_front(case):
    sweep = tahoma.sweep({"workloads": case, "axes": {"workload.shard.m": [1, 5]}}, out="out")
    assert [point.status for point in sweep] == ["done", "failed"] and len(sweep.done) == 1
    (failed,) = sweep.failed
    assert failed.number == 1 and "error[E-" in failed.reason
    assert np.isnan(sweep.metrics["simulated_time_ns"][1]) and sweep.front("workload.shard.m") == [sweep[0]]
    refused(tahoma.ConfigurationError, "E-PYT-005", lambda: failed.run)


def test_words_of_an_axis_are_texts(case):
    sweep = tahoma.sweep({"workloads": case, "axes": {"workload.dtype": ["bf16", "fp32"]}})
    assert sweep.axes["workload.dtype"].tolist() == ["bf16", "fp32"]
    refused(tahoma.ConfigurationError, "E-PYT-009", sweep.front, "workload.dtype")


def test_resume_computes_nothing_again(done):
    before = rows(done.path, "SELECT id, attempt FROM attempts ORDER BY id")
    again = tahoma.sweep({"workloads": "gemm/one_core_4096", "mode": "timing", "axes": AXES, "metrics": {"price": "machine.chip.hbm.stacks * 120"}},
                         out=done.path, resume=True, workload__n=512, workload__k=256)
    assert rows(again.path, "SELECT id, attempt FROM attempts ORDER BY id") == before and len(again) == 6


def test_a_run_of_a_temporary_sweep_outlives_the_sweep(case):
    run = tahoma.sweep({"workloads": case, "axes": {"workload.m": [128, 256]}})[1].run
    gc.collect()
    assert len(run.stats) > 0
    folder = run.path
    del run
    gc.collect()
    assert not folder.exists()


def test_mistakes_in_a_sweep(case, done):
    error = refused(tahoma.ConfigurationError, "E-CFG-002", tahoma.sweep, {"workloads": case, "axes": {"workload.mm": [1]}})
    assert error.place.startswith("sweep.axes[") and "did you mean 'workload.m'?" in error.text
    refused(tahoma.ConfigurationError, "E-SWP-041", tahoma.sweep, {"workloads": case, "axes": AXES}, out=done.path)
    refused(tahoma.ConfigurationError, "E-SWP-042", tahoma.sweep, {"workloads": case, "axes": AXES}, out="none", resume=True)
    refused(tahoma.ConfigurationError, "E-PYT-003", tahoma.sweep, {"workloads": "gemm/one_core", "axes": AXES})
    refused(tahoma.ConfigurationError, "E-PYT-010", tahoma.sweep, "sweeps/gemm_256", workload__m=3)
    assert "did you mean 'sweeps/gemm_256'?" in refused(tahoma.ConfigurationError, "E-PYT-003", tahoma.sweep, "sweeps/gemm_265").text
    refused(tahoma.ConfigurationError, "E-PYT-008", tahoma.Sweep, "none")
    assert "did you mean 'simulated_time_ns'?" in refused(tahoma.ConfigurationError, "E-PYT-006", done.front, "simulated_time").text
    refused(tahoma.ConfigurationError, "E-PYT-009", done.front, "best:simulated_time_ns")
    refused(tahoma.ConfigurationError, "E-PYT-009", done.front, np.array([1.0, 2.0]))
    pathlib.Path("broken").mkdir()
    pathlib.Path("broken/sweep.db").write_text("no database, but long enough to be taken for one" * 100)
    refused(tahoma.ConfigurationError, "E-PYT-008", tahoma.Sweep, "broken")
