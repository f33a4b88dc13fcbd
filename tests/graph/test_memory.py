# SPDX-License-Identifier: Apache-2.0
"""HBM by live range: its peak beside an independent computation, and the same values with and without it."""

import json
import re

import numpy as np
import pytest

from fused_models import node, write
from graph_run import command, run

SPARE = 16  # rows behind a tensor that kernels may read
LAW = re.compile(r"HBM of a core: (\d+) bytes of inputs, constants and outputs, (\d+) of other tensors; (\d+) in all")


def default(op, inputs, output, **attributes):
    return node(op, inputs, [output], domain="", **attributes)


def memory(file):
    done = command(file, "--plan", "--out", file.parent / "plan")
    assert done.returncode == 0, done.stderr
    return [int(number) for number in LAW.search(done.stdout).groups()]


def stored(rows, columns):
    """A tensor of fp32 with its spare rows, in accesses of 64 bytes."""
    return -(-(rows + SPARE) * columns * 4 // 64) * 64


def largest_sum(lives):
    """Of (first, last, bytes): the most that is alive in one step."""
    return max(sum(size for first, last, size in lives if first <= step <= last) for step in range(1 + max(last for _, last, _ in lives)))


# Matrix products keep their nodes apart. Each case: nodes as (inputs, output), and the widths of all values but x.
GRAPHS = {
    "a_chain": ([("x", "a"), ("a", "b"), ("b", "c"), ("c", "d"), ("d", "y")], {"a": 64, "b": 64, "c": 64, "d": 64, "y": 64}),
    "a_chain_that_grows": ([("x", "a"), ("a", "b"), ("b", "c"), ("c", "y")], {"a": 32, "b": 64, "c": 128, "y": 32}),
    "a_long_life": ([("x", "a"), ("a", "b"), ("b", "c"), ("c", "d"), ("a d", "y")], {"a": 64, "b": 64, "c": 64, "d": 64, "y": 64}),
}


def build(tmp_path, name):
    nodes, widths = GRAPHS[name]
    widths = {"x": 64, **widths}
    rng, made, constants = np.random.default_rng(1), [], {}
    for number, (inputs, output) in enumerate(nodes):
        first, *others = inputs.split()
        if others:
            made.append(default("Concat", inputs.split(), f"both{number}", axis=1))
            widths[f"both{number}"] = widths[first] + sum(widths[o] for o in others)
            first = f"both{number}"
        constants[f"w{number}"] = rng.standard_normal((widths[first], widths[output])).astype(np.float32) / 8
        made.append(default("MatMul", [first, f"w{number}"], output))
    x = rng.standard_normal((40, 64)).astype(np.float32)
    file = write(tmp_path / "model.onnx", made, {"x": x}, {"y": np.zeros((40, widths["y"]), np.float32)}, constants)
    lives = []
    for step, of in enumerate(made):
        name = of.output[0]
        reads = [other for other, reader in enumerate(made) if name in reader.input]
        if reads:
            lives.append((step, max(reads), stored(40, widths[name])))
    return file, {"x": x}, lives


@pytest.mark.parametrize("name", GRAPHS)
def test_the_peak_is_that_of_the_live_tensors(tmp_path, name):
    file, _, lives = build(tmp_path, name)
    kept, passing, peak = memory(file)
    assert passing == sum(size for *_, size in lives)
    assert largest_sum(lives) <= peak - kept <= passing
    if name != "a_chain_that_grows":  # there a block grows, and its old part is not used
        assert peak - kept == largest_sum(lives)


def test_a_peak_that_keeps_all_tensors_is_seen():
    assert largest_sum([(0, 1, 10), (1, 2, 10), (2, 3, 10)]) == 20


@pytest.mark.parametrize("name", GRAPHS)
def test_values_and_checks_are_the_same(tmp_path, name):
    file, inputs, _ = build(tmp_path, name)
    for folder in ("own", "shared"):
        (tmp_path / folder).mkdir()
    checks = ("--check", "races,uninitialised")
    own, values = run(tmp_path / "own", file, inputs, *checks)
    shared, again = run(tmp_path / "shared", file, inputs, *checks, "--set", "workload.reuse=true")
    assert own["golden"]["passed"] and shared["golden"]["passed"]
    assert np.array_equal(values["y"], again["y"])
    kept, passing, peak = memory(file)
    assert own["figures"]["graph_hbm_bytes"]["value"] == kept + passing
    assert shared["figures"]["graph_hbm_bytes"]["value"] == peak
    done = command(file, "--mode", "timing", "--set", "workload.reuse=true", "--out", tmp_path / "timing", "--slim", "--format", "json")
    assert json.loads(done.stdout)["simulated_time_ns"] == shared["simulated_time_ns"]
