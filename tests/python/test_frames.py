# SPDX-License-Identifier: Apache-2.0
"""Frames of pandas have what the files have; without pandas, everything else works."""
import csv
import subprocess
import sys

import numpy as np
import pytest

import tahoma

from conftest import refused


def cells(file):
    with open(file, newline="") as text:
        return list(csv.DictReader(text))


def test_frames_are_the_csv_files(linked):
    pandas = pytest.importorskip("pandas")
    for name, file in linked.tables.items():
        frame, rows = linked.frame(name), cells(file)
        assert isinstance(frame, pandas.DataFrame) and len(frame) == len(rows)
        for column in frame.columns:
            if frame[column].dtype == object:
                assert frame[column].tolist() == [row[column] for row in rows]
            else:
                assert np.array_equal(frame[column], [float(row[column] or "nan") for row in rows], equal_nan=True)


def test_frames_are_what_pandas_reads(linked):
    pandas = pytest.importorskip("pandas")
    for name in ("stats", "links", "regions", "hbm"):
        expected = pandas.read_csv(linked.tables[name], keep_default_na=False, na_values={})
        pandas.testing.assert_frame_equal(linked.frame(name), expected, check_dtype=False)


def test_the_frame_of_statistics_and_of_a_part(linked):
    pandas = pytest.importorskip("pandas")
    pandas.testing.assert_frame_equal(linked.stats.frame(), linked.frame("stats"), check_dtype=False)
    part = linked.stats.match("*.tensor.busy")
    assert part.frame()["path"].tolist() == list(part)


def test_the_frame_of_a_series(linked):
    pytest.importorskip("pandas")
    series = linked.series("links")
    frame = series.frame()
    assert list(frame.columns) == ["window_start_ns", "window_ns", *series] and len(frame) == len(series.window_ns)
    assert all(np.array_equal(frame[name], series[name]) for name in series)


def test_the_frame_of_a_sweep():
    pytest.importorskip("pandas")
    axes = {"workload.m": [128, 256], "workload.dtype": ["bf16", "fp32"]}
    sweep = tahoma.sweep({"workloads": "gemm/one_core_4096", "mode": "timing", "axes": axes}, workload__n=512, workload__k=256)
    frame = sweep.frame()
    assert list(frame.columns) == ["number", "workload", "status", "reason", *sweep.axes, *sweep.metrics]
    assert frame["workload.dtype"].tolist() == ["bf16", "fp32"] * 2
    assert frame["simulated_time_ns"].tolist() == [point.metrics["simulated_time_ns"] for point in sweep]
    assert list(sweep.frame("workload.m", "flops.achieved_tflops").columns)[4:] == ["workload.m", "flops.achieved_tflops"]
    refused(tahoma.ConfigurationError, "E-PYT-006", sweep.frame, "workload.n")


def test_without_pandas_a_frame_says_what_is_missing(linked, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    for frame in (lambda: linked.frame("links"), linked.stats.frame, linked.series("links").frame):
        with pytest.raises(ImportError, match="python3-pandas") as caught:
            frame()
        assert isinstance(caught.value, tahoma.ConfigurationError) and caught.value.code == "E-PYT-004"


def test_pandas_is_not_imported_without_a_frame():
    program = "import sys, tahoma; run = tahoma.run('gemm/one_core_4096', mode='timing', workload__m=128, workload__n=512, workload__k=128); " \
              "run.links, run.stats, run._repr_html_(); assert 'pandas' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
