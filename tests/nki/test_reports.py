# SPDX-License-Identifier: Apache-2.0
"""Reports of kernels name their source: hot spots, lines.csv, the page, and findings of the checks."""
import csv
import inspect
import io
import json
import os
import re

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import tahoma
from tahoma import results, variables

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
    tahoma.configure(out=str(folder), compiler="plain")
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
    rows = list(csv.DictReader(io.StringIO(tahoma.Run(folder).text("lines.csv"))))
    called = [row for row in rows if row["line"] == str(line_of(twice, "called"))]
    first = inspect.getsourcelines(one_slow_line.function)[1]
    assert [row["callers"] for row in called] == [f"{FILE}:{first + n} one_slow_line" for n in (5, 8)]
    assert {row["function"] for row in called} == {"twice"}
    assert sum(int(row["bytes"]) for row in rows) == 2 * X.nbytes
    reasons = [name for name in rows[0] if re.match("vector_.*_ns", name)]
    assert len(reasons) == 19


def test_the_critical_path_adds_up_to_the_simulated_time(tmp_path):
    summary, folder = run_in(tmp_path, one_slow_line, X)
    rows = list(csv.DictReader(io.StringIO(tahoma.Run(folder).text("lines.csv"))))
    critical = {}
    for row in rows:
        critical[int(row["line"])] = critical.get(int(row["line"]), 0) + float(row["critical_ns"])
    assert sum(critical.values()) == pytest.approx(summary["simulated_time_ns"], abs=1)
    # The load, the additions and the store depend on one another.
    first = inspect.getsourcelines(one_slow_line.function)[1]
    for line in (first + 4, line_of(twice, "called"), line_of(one_slow_line.function, "slow"), first + 9):
        assert critical[line] > 0
    assert summary["lines"][0]["critical_ns"] > 0


def test_explain_repeats_a_kernel_that_python_ran(tmp_path):
    summary, folder = run_in(tmp_path, one_slow_line, X)
    assert summary["limits"]["resource"] == "vector engine"
    assert summary["limits"]["operation"] == f"{FILE}:{line_of(one_slow_line.function, 'slow')}"
    explained = tahoma.explain(folder)
    assert explained["time_ns"] == summary["simulated_time_ns"]
    assert explained["bottleneck"]["resource"] == "vector engine"
    with open(os.path.join(folder, "summary.json")) as file:
        assert json.load(file)["headline"]["explained"].startswith("explain agrees: ")


def padded(shape):
    return nl.ndarray(shape, dtype=nl.float32, buffer=nl.sbuf)


class Buffers:
    def __init__(self):
        self.sums = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)


@nki.jit
def names_its_variables(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    held, tiles = Buffers(), []
    for _ in range(3):
        tiles.append(nl.ndarray((128, 64), dtype=x.dtype,
                                buffer=nl.sbuf))
    given = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf, name="by_name")
    returned = padded((128, 64))
    product = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.psum)
    for tile in tiles:
        nisa.dma_copy(tile, x)
    nisa.tensor_tensor(given, tiles[0], tiles[1], nl.add)
    nisa.activation_reduce(returned, nl.copy, given, reduce_op=nl.add, reduce_res=held.sums)
    nisa.nc_matmul(product, returned, tiles[2])
    nisa.tensor_copy(given[0:64, :], product)
    nisa.tensor_scalar(given, given, nl.add, held.sums)
    nisa.dma_copy(out, given)
    return out


def page_data(folder):
    return json.loads(tahoma.Run(folder).text("report.json"))


def fillings(folder):
    return {space["space"]: {filling["what"]: filling["bytes"] for filling in space["fillings"]} for space in page_data(folder)["occupancy"]}


def test_occupancy_has_the_names_of_variables(tmp_path):
    _, folder = run_in(tmp_path, names_its_variables, X[:, :64])
    tile = 128 * 64 * 4
    found = fillings(folder)
    assert found["sbuf"] == {"tiles": 3 * tile, "by_name": tile, "returned": tile, "self.sums": 128 * 4}
    assert found["psum"] == {"product": 64 * 64 * 4}


@nki.jit
def reuses_the_bytes(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    first = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(first, x)
    nisa.dma_copy(out, first)
    second = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(second, x)
    nisa.dma_copy(out, second)
    return out


def test_variables_that_share_bytes_are_live_one_after_the_other(tmp_path):
    tahoma.configure(allocation="first_fit")
    _, folder = run_in(tmp_path, reuses_the_bytes, X[:, :64])
    sbuf = next(space for space in page_data(folder)["occupancy"] if space["space"] == "sbuf")
    assert sbuf["footprint"] == 128 * 64 * 4
    live = {filling["what"]: filling["mean_bytes"] for filling in sbuf["fillings"]}
    assert set(live) == {"first", "second"}
    full = [{name: bytes > 0.99 * sbuf["footprint"] for name, bytes in zip(live, both)} for both in zip(*live.values())]
    assert any(now["first"] for now in full) and any(now["second"] for now in full)
    assert not any(now["first"] and now["second"] for now in full)


@nki.jit
def needs_too_much(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    wide = nl.ndarray((128, 40000), dtype=x.dtype, buffer=nl.sbuf)
    wider = nl.ndarray((128, 40000), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(wide, 1.0)
    nisa.memset(wider, 2.0)
    nisa.tensor_tensor(wide, wide, wider, nl.add)
    nisa.dma_copy(out, wide[:, 0:2048])
    return out


def test_an_error_names_the_variable():
    with pytest.raises(tahoma.KernelError, match="E-NKI-020") as caught:
        needs_too_much(X)
    assert "'wider'" in str(caught.value) and "'wide'" in str(caught.value)


def test_the_variable_of_a_line(tmp_path):
    cases = [("qk = f()", "qk"), ("self.buf = f()", "self.buf"), ("tiles.append(f())", "tiles"), ("tiles[i] = f()", "tiles"),
             ("a, b = f(), f()", "a, b"), ("t: int = f()", "t"), ("return f()", None), ("f()", ""), ("if x: y = f()", "y")]
    file = tmp_path / "lines.py"
    file.write_text("".join(f"{text}\n" for text, _ in cases))
    assert [variables.variable_of(str(file), n, "kernel") for n in range(1, len(cases) + 1)] == [name for _, name in cases]
    assert variables.variable_of(str(file), 1, "<lambda>") is None
    assert variables.variable_of(str(tmp_path / "none.py"), 1, "kernel") == ""


def test_the_page_has_the_text_of_the_lines(tmp_path):
    _, folder = run_in(tmp_path, one_slow_line, X)
    lines = page_data(folder)["lines"]
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
    (source,) = [s for s in page_data(folder)["lines"]["sources"] if s["file"] == str(file)]
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
