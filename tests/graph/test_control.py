# SPDX-License-Identifier: Apache-2.0
"""If and Loop that are known before the run: what their bodies compute, pass by pass."""

import numpy as np
import pytest

from graph_run import refusal, run

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper  # noqa: E402
from onnx.numpy_helper import from_array  # noqa: E402

FLOAT = TensorProto.FLOAT


def value(name, shape, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def saved(folder, nodes, outputs, constants, inputs=(("x", [4, 8]),)):
    graph = helper.make_graph(nodes, "g", [value(name, shape) for name, shape in inputs], [value(name, None) for name in outputs],
                              [from_array(np.asarray(array), name) for name, array in constants.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), folder / "m.onnx")
    return folder / "m.onnx"


def branch(name, nodes, output, inputs=()):
    return helper.make_graph(nodes, name, list(inputs), [value(output, None)])


X = np.random.default_rng(1).standard_normal((4, 8)).astype(np.float32)


# Both branches call their value `y`, and read `x` and `c` from outside.
def choice(condition):
    then = branch("then", [helper.make_node("Add", ["x", "c"], ["y"])], "y")
    other = branch("else", [helper.make_node("Mul", ["x", "c"], ["t"]), helper.make_node("Neg", ["t"], ["y"])], "y")
    return helper.make_node("If", [condition], ["z"], then_branch=then, else_branch=other)


@pytest.mark.parametrize("condition, want", [(True, X + 3), (False, X * -3)])
def test_a_constant_condition_chooses_a_branch(tmp_path, condition, want):
    model = saved(tmp_path, [choice("b")], ["z"], {"b": np.array(condition), "c": np.float32(3)})
    summary, outputs = run(tmp_path, model, {"x": X})
    assert summary["golden"]["passed"]
    np.testing.assert_allclose(outputs["z"], want, rtol=1e-6)


def test_a_branch_may_return_a_value_twice(tmp_path):
    twice = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "twice", [], [value("y", None), value("y", None)])
    node = helper.make_node("If", ["b"], ["one", "two"], then_branch=twice, else_branch=twice)
    _, outputs = run(tmp_path, saved(tmp_path, [node], ["one", "two"], {"b": np.array(True)}), {"x": X})
    assert np.array_equal(outputs["one"], -X) and np.array_equal(outputs["two"], -X)


def test_a_condition_of_shapes_is_known(tmp_path):
    nodes = [helper.make_node("Shape", ["x"], ["s"]), helper.make_node("Size", ["s"], ["n"]), helper.make_node("Equal", ["n", "two"], ["b"]), choice("b")]
    _, outputs = run(tmp_path, saved(tmp_path, nodes, ["z"], {"two": np.int64(2), "c": np.float32(3)}), {"x": X})
    np.testing.assert_allclose(outputs["z"], X + 3, rtol=1e-6)


def test_a_condition_of_values_is_refused(tmp_path):
    nodes = [helper.make_node("ReduceMax", ["x"], ["most"], keepdims=0), helper.make_node("Greater", ["most", "c"], ["b"]), choice("b")]
    error = refusal(saved(tmp_path, nodes, ["z"], {"c": np.float32(3)}), "--out", tmp_path / "out")
    assert "E-ONX-010" in error and "chooses by a value of the run" in error


# v = v * 0.5 + x on even passes, v = v - c on odd ones; each pass's v is collected.
def loop(passes):
    even = branch("even", [helper.make_node("Mul", ["v", "half"], ["h"]), helper.make_node("Add", ["h", "x"], ["r"])], "r")
    odd = branch("odd", [helper.make_node("Sub", ["v", "c"], ["r"])], "r")
    body = helper.make_graph(
        [helper.make_node("Mod", ["i", "two"], ["rest"]), helper.make_node("Equal", ["rest", "zero"], ["is_even"]),
         helper.make_node("If", ["is_even"], ["next"], then_branch=even, else_branch=odd), helper.make_node("Identity", ["go"], ["on"]),
         helper.make_node("Identity", ["next"], ["seen"])],
        "body", [value("i", [], TensorProto.INT64), value("go", [], TensorProto.BOOL), value("v", [4, 8])],
        [value("on", [], TensorProto.BOOL), value("next", [4, 8]), value("seen", [4, 8])])
    constants = {"n": np.int64(passes), "half": np.float32(0.5), "c": np.float32(3), "two": np.int64(2), "zero": np.int64(0)}
    return [helper.make_node("Loop", ["n", "", "x"], ["last", "all"], body=body)], constants


def test_a_loop_is_its_passes(tmp_path):
    nodes, constants = loop(5)
    summary, outputs = run(tmp_path, saved(tmp_path, nodes, ["last", "all"], constants), {"x": X})
    assert summary["golden"]["passed"]
    v, seen = X, []
    for i in range(5):
        v = v * np.float32(0.5) + X if i % 2 == 0 else v - np.float32(3)
        seen.append(v)
    np.testing.assert_allclose(outputs["last"], v, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(outputs["all"], np.stack(seen), rtol=1e-5, atol=1e-6)


def test_a_loop_of_too_many_passes_is_refused(tmp_path):
    nodes, constants = loop(10**9)
    assert "E-ONX-007" in refusal(saved(tmp_path, nodes, ["last"], constants), "--out", tmp_path / "out")


def test_a_missing_operator_inside_a_branch_is_named(tmp_path):
    then = branch("then", [helper.make_node("NonZero", ["x"], ["y"], name="inner")], "y")
    node = helper.make_node("If", ["b"], ["z"], then_branch=then, else_branch=then)
    error = refusal(saved(tmp_path, [node], ["z"], {"b": np.array(False)}), "--out", tmp_path / "out")
    assert "E-ONX-003" in error and "'inner'" in error


def test_branches_that_nest_without_end_are_refused(tmp_path):
    inner = branch("b", [helper.make_node("Identity", ["x"], ["y"])], "y")
    for depth in range(20):
        inner = branch("b", [helper.make_node("If", ["b"], [f"y{depth}"], then_branch=inner, else_branch=branch("e", [], "x"))], f"y{depth}")
    node = helper.make_node("If", ["b"], ["z"], then_branch=inner, else_branch=inner)
    assert "E-ONX-007" in refusal(saved(tmp_path, [node], ["z"], {"b": np.array(True)}), "--out", tmp_path / "out")
