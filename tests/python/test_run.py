# SPDX-License-Identifier: Apache-2.0
"""A Run has what the files of its folder have, and tahoma.run does what the command does."""
import concurrent.futures
import csv
import gc
import io
import json
import pathlib
import shutil

import numpy as np
import pytest

import tahoma
from tahoma.api.series import Series, window_of
from tahoma.api.tables import Table

from conftest import command, refused

TABLES_OF_A_RUN = ("links", "regions")  # members of a Run with the names of keys of summary.json


def test_attributes_are_those_of_summary_json(linked):
    summary = json.loads((linked.path / "summary.json").read_text())
    assert linked.summary.plain == summary
    for key, value in summary.items():
        found = linked.summary[key] if key in TABLES_OF_A_RUN else getattr(linked, key)
        if key == "headline":  # of a Run, the line that the command prints
            value = (linked.path / "summary.txt").read_text().splitlines()[0]
        assert getattr(found, "plain", found) == value or isinstance(value, list)
        assert key in dir(linked)
    assert linked.hbm.rows.plain == summary["hbm"]["rows"]
    assert linked.whole.engines.plain == summary["whole"]["engines"]
    assert linked.time_ns == summary["simulated_time_ns"] == linked.time_us * 1000
    assert (linked.mfu, linked.mbu) == (summary["mfu_estimated_percent"], summary["mbu_estimated_percent"])


def test_an_unknown_attribute_names_the_nearest(linked):
    with pytest.raises(AttributeError, match="did you mean 'instructions'"):
        linked.instruction
    with pytest.raises(AttributeError, match=r"summary.json.hbm has no key 'row'.*did you mean 'rows'"):
        linked.hbm.row


def test_statistics_are_those_of_stats_csv(linked):
    rows = list(csv.DictReader(io.StringIO(linked.text("stats.csv"))))
    assert list(linked.stats) == [row["path"] for row in rows]
    for row in rows:
        found = linked.stats[row["path"]]
        assert (found.path, found.unit, found.description) == (row["path"], row["unit"], row["description"])
        assert float(found) == float(row["value"])


def test_statistics_of_an_instance_and_of_a_pattern(linked):
    stats = linked.stats
    core = stats.below("server0.chip00.core0")
    assert {f"server0.chip00.core0.{path}" for path in core} == {path for path in stats if path.startswith("server0.chip00.core0.")}
    busy = stats.match("*.tensor.busy")
    assert list(busy) == [path for path in stats if path.endswith(".tensor.busy")]
    assert np.array_equal(stats.values_of("*.tensor.busy"), [row.value for row in busy.values()])
    with pytest.raises(KeyError, match="did you mean 'server0.chip00.core0'"):
        stats.below("server0.chip00.coree0")
    with pytest.raises(KeyError, match="did you mean 'instructions'"):
        stats["instruction"]


def test_every_table_has_the_cells_of_its_file(linked):
    assert {"links", "regions", "hbm", "collectives", "traffic", "engines"} <= set(linked.tables)
    for name in linked.tables:
        header, *rows = list(csv.reader(io.StringIO(linked.text(name + ".csv"))))
        table = linked.table(name)
        assert list(table) == header and table.rows == len(rows)
        for n, column in enumerate(header):
            texts = [row[n] for row in rows]
            if table[column].dtype.kind in "if":
                assert np.array_equal(table[column], [float(text or "nan") for text in texts], equal_nan=True)
            else:
                assert table[column].tolist() == texts
    assert np.array_equal(linked.links["payload_bytes"], linked.table("links")["payload_bytes"])
    assert linked.links["payload_bytes"].sum() == linked.summary.links.bytes > 0


def test_windows_tile_the_run_and_have_the_lines_of_the_file(linked):
    for name, file in (("engines", "engines"), ("hbm", "hbm_windows"), ("links", "links_windows")):
        series, table = linked.series(name), linked.table(file)
        assert series.start_ns[0] == 0 and series.window_ns.sum() == pytest.approx(linked.time_ns)
        assert np.allclose(series.start_ns[1:], np.cumsum(series.window_ns)[:-1])
        assert len(series) > 0 and np.count_nonzero(series.array) == np.count_nonzero(table["busy_percent"])
        for n in range(table.rows):
            row = table.row(n)
            window = int(np.searchsorted(series.start_ns, row["window_start_ns"] + row["window_ns"] / 2) - 1)
            assert series[row["name"]][window] == row["busy_percent"]
            assert series.window_ns[window] == pytest.approx(row["window_ns"])


def test_the_length_of_windows_is_their_definition():
    for elapsed in (1.0, 9_999.0, 10_000.0, 2_560_000.0, 2_560_001.0, 1e9):
        window = window_of(elapsed)
        assert np.log2(window / 10_000).is_integer() and window * 256 >= elapsed
        assert window == 10_000 or window / 2 * 256 < elapsed


def test_a_series_of_which_only_the_last_window_was_busy():
    table = Table("engines", {"name": np.array(["a"]), "window_start_ns": np.array([30_000.0]), "window_ns": np.array([5_000.0]),
                              "busy_percent": np.array([7.0])})
    series = Series("engines", table, 35_000.0)
    assert series["a"].tolist() == [0, 0, 0, 7] and series.window_ns.tolist() == [10_000, 10_000, 10_000, 5_000]


def test_an_empty_table_and_an_empty_series(small):
    run = tahoma.run(small)
    assert run.links.rows == 0 and list(run.links)[0] == "name"
    assert len(run.series("links")) == 0 and run.series("links").array.shape == (0, 1)


def test_outputs_are_arrays_of_the_files(small):
    run = tahoma.run(small, mode="functional", save_outputs=True, out="out")
    (name,) = run.tensors
    assert run.tensors[name].shape == (128, 512)
    assert np.array_equal(run.tensors[name], np.load(f"out/{name}.npy"))
    assert run.golden.outcome == "passed"
    with pytest.raises(KeyError, match=f"expected {name}"):
        run.tensors["x"]
    with pytest.raises(KeyError, match="save_outputs=True"):
        tahoma.run(small).tensors["c"]


def test_the_files_are_those_of_the_command(small):
    pathlib.Path("case.yaml").write_text(json.dumps(small))
    command("run", "case.yaml", "--out", "command", "--set", "workload.m=256", "--set", "machine.chip.hbm.stacks=2", "--seed", "3")
    runs = [tahoma.run("case.yaml", out="path", seed=3, workload__m=256, machine__chip__hbm__stacks=2),
            tahoma.run("case", out="without_suffix", seed=3, set={"workload.m": 256, "machine.chip.hbm.stacks": np.int64(2)}),
            tahoma.run(small, out="mapping", seed=3, set={"workload": {"m": 256}, "machine": {"chip": {"hbm": {"stacks": 2}}}}),
            tahoma.run({**small, "seed": 3, "workload": {**small["workload"], "m": np.int32(256)}}, machine__chip__hbm__stacks=2,
                       out=pathlib.Path("o"))]
    for run in runs:
        assert {file.name for file in run.path.iterdir()} == {file.name for file in pathlib.Path("command").iterdir()}
        for file in run.path.iterdir():
            if file.name != "manifest.json":
                assert file.read_bytes() == pathlib.Path("command", file.name).read_bytes(), file


def test_a_mapping_names_files_from_the_working_directory():
    pathlib.Path("add.tasm").write_text(".program none\n.args in out\nsync:\n  dma_copy shape=64x512 dst=out:fp32 src=in:fp32 update=s0+=1\n"
                                        "  sem_wait wait=s0>=16\n")
    np.save("in.npy", np.ones((64, 512), np.float32))
    run = tahoma.run({"kind": "program", "machine": "trainium2_one_chip",
                      "workload": {"file": "add.tasm", "cores": 1, "tensors": "in fp32 64x512 in.npy; out fp32 64x512 zero"}}, save_outputs=True)
    assert (run.tensors["out"] == 1).all()


def test_shipped_cases_are_found_by_name():
    names = tahoma.cases()
    assert {"gemm/chip", "attention/causal", "program/scale_by_two"} <= set(names) and "sweeps/gemm_256" not in names
    assert "sweeps/gemm_256" in tahoma.sweeps() and not set(tahoma.sweeps()) & set(names)
    assert tahoma.run("gemm/one_core_4096", mode="timing", workload__m=128, no_report=True).workload.startswith("gemm 128x")


def test_a_run_without_out_is_gone_with_its_object(small):
    run = tahoma.run(small)
    folder = run.path
    assert folder.is_dir() and not list(pathlib.Path().iterdir())
    del run
    gc.collect()
    assert not folder.exists() and not folder.parent.exists()


def test_an_existing_folder_opens(linked):
    again = tahoma.Run(str(linked.path))
    assert again.summary.plain == linked.summary.plain and str(linked.path) in repr(again)
    assert str(again) == (linked.path / "summary.txt").read_text()
    assert again.manifest.seed == linked.seed


def test_several_threads_run_at_once(small):
    sizes = [128, 256, 384, 512]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda m: tahoma.run(small, workload__m=m, no_report=True), sizes))
    assert [run.time_ns for run in runs] == [tahoma.run(small, workload__m=m, no_report=True).time_ns for m in sizes]
    assert [run.workload.split("x")[0] for run in runs] == [f"gemm {m}" for m in sizes]


def test_options_of_the_command_are_keywords(small):
    run = tahoma.run(small, explain=True, no_report=True, trace=True, trace_from="1 us", page_cores=None, fold="off")
    assert run.bottleneck.resource and (run.path / "trace.pftrace").is_file() and not (run.path / "report.html").exists()
    assert "--trace-from=1 us" in run.manifest.command_line


def test_files_on_demand_are_written_on_request(linked):
    (file,) = linked.export("links.csv", to="tables")
    assert file == pathlib.Path("tables/links.csv") and file.read_text() == linked.text("links.csv")
    assert not (linked.path / "links.csv").exists()
    assert {path.stem for path in linked.export(to="all") if path.suffix == ".csv"} == set(linked.tables)
    assert "did you mean 'links.csv'" in refused(tahoma.ConfigurationError, "E-REP-007", linked.export, "link.csv").text


def test_a_folder_from_before_the_store_opens(linked):
    linked.export(to="old")
    for name in ("summary.json", "summary.txt", "config.resolved.yaml"):
        shutil.copy(linked.path / name, "old")
    pathlib.Path("old/manifest.json").write_text('{"program": "tahoma run", "files": []}')
    old = tahoma.Run("old")
    assert dict(old.stats) == dict(linked.stats) and old.tables == linked.tables
    assert old.links["payload_bytes"].tolist() == linked.links["payload_bytes"].tolist()
    assert np.array_equal(old.series("hbm").array, linked.series("hbm").array)


def test_a_slim_run_has_tables_and_no_series(small):
    run = tahoma.run(small, slim=True)
    assert "links" in run.tables and run.stats["elapsed"].value > 0
    refused(tahoma.ConfigurationError, "E-PYT-006", run.series, "engines")
