# SPDX-License-Identifier: Apache-2.0
"""Reports of kernels name their source: hot spots, lines.csv, the page, and findings of the checks."""
import csv
import inspect
import json
import os
import re

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import tahoma
from tahoma import results

X = np.ones((128, 2048), np.float32)
FILE = os.path.basename(__file__)


def line_of(function, mark):
    """The line of a function that ends with `# mark`."""
    lines, first = inspect.getsourcelines(function)
    return next(first + n for n, line in enumerate(lines) if line.rstrip().endswith(f"# {mark}"))


def twice(tile):
    nisa.tensor_tensor(tile, tile, tile, nl.add)  # called


@nki.jit
def one_slow_line(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(tile, x)
    twice(tile[:, 0:16])
    for _ in range(20):
        nisa.tensor_scalar(tile, tile, nl.add, 1.0)  # slow
    twice(tile[:, 0:16])
    nisa.dma_copy(out, tile)
    return out


def run_in(folder, kernel, *args):
    tahoma.configure(out=str(folder))
    kernel(*args)
    return results.last().summary, results.last().folder


def test_the_hot_spot_is_the_slow_line(tmp_path):
    summary, folder = run_in(tmp_path, one_slow_line, X)
    spot = summary["lines"][0]
    assert (os.path.basename(spot["file"]), spot["line"]) == (FILE, line_of(one_slow_line.function, "slow"))
    assert spot["function"] == "one_slow_line"
    assert summary["lines_share_of"] == "vector"
    assert spot["instructions"] >= 20 and spot["share_percent"] > 50
    text = open(os.path.join(folder, "summary.txt")).read()
    assert "hot spots" in text and f"{FILE}:{spot['line']}" in text


def test_lines_csv_has_each_line_with_its_callers(tmp_path):
    _, folder = run_in(tmp_path, one_slow_line, X)
    with open(os.path.join(folder, "lines.csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    called = [row for row in rows if row["line"] == str(line_of(twice, "called"))]
    first = inspect.getsourcelines(one_slow_line.function)[1]
    assert [row["callers"] for row in called] == [f"{FILE}:{first + n} one_slow_line" for n in (5, 8)]
    assert {row["function"] for row in called} == {"twice"}
    assert sum(int(row["bytes"]) for row in rows) == 2 * X.nbytes
    reasons = [name for name in rows[0] if re.match("vector_.*_ns", name)]
    assert len(reasons) == 19


def test_the_page_has_the_text_of_the_lines(tmp_path):
    _, folder = run_in(tmp_path, one_slow_line, X)
    with open(os.path.join(folder, "report.json")) as file:
        lines = json.load(file)["lines"]
    (source,) = [s for s in lines["sources"] if os.path.basename(s["file"]) == FILE]
    text = {part["first"] + n: line for part in source["parts"] for n, line in enumerate(part["text"])}
    slow = line_of(one_slow_line.function, "slow")
    assert text[slow].strip() == "nisa.tensor_scalar(tile, tile, nl.add, 1.0)  # slow"
    assert "nisa.tensor_scalar(tile, tile, nl.add, 1.0)  # slow" in open(os.path.join(folder, "report.html")).read()


def test_a_page_says_that_the_source_is_gone(tmp_path):
    file = tmp_path / "gone.py"
    file.write_text("import nki.isa as nisa\n\ndef fill(tile):\n    nisa.memset(tile, 1.0)\n")
    scope = {}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    file.unlink()

    @nki.jit
    def filled():
        out = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.shared_hbm)
        tile = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
        scope["fill"](tile)
        nisa.dma_copy(out, tile)
        return out

    summary, folder = run_in(tmp_path / "out", filled)
    with open(os.path.join(folder, "report.json")) as text:
        (source,) = [s for s in json.load(text)["lines"]["sources"] if s["file"] == str(file)]
    assert source["problem"] and not source["parts"]


def test_a_trace_names_slices_by_line(tmp_path):
    tahoma.configure(trace=True)
    _, folder = run_in(tmp_path, one_slow_line, X)
    slow = f"tensor_scalar {FILE}:{line_of(one_slow_line.function, 'slow')}"
    with open(os.path.join(folder, "trace.pftrace"), "rb") as file:
        assert slow.encode() in file.read()


@nki.jit
def reads_what_nothing_wrote(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_scalar(tile, tile, nl.add, 1.0)  # unwritten
    nisa.dma_copy(out, tile)
    return out


def test_a_finding_names_the_line():
    with pytest.raises(tahoma.KernelError) as caught:
        reads_what_nothing_wrote(X[:, :64])
    assert f"{FILE}:{line_of(reads_what_nothing_wrote.function, 'unwritten')}" in str(caught.value)
