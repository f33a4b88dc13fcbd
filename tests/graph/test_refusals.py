# SPDX-License-Identifier: Apache-2.0
"""Files and settings that must be refused, with the code, the node and the reason."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from graph_run import command, refusal

FLOAT = TensorProto.FLOAT


def model_of(nodes, inputs, outputs=("y",), constants=(), opset=13):
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(n, FLOAT, d) for n, d in inputs.items()],
                              [helper.make_tensor_value_info(n, FLOAT, None) for n in outputs], list(constants))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def refused(tmp_path, model, *words):
    file = tmp_path / "model.onnx"
    file.write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
    return refusal(file, "--out", tmp_path / "out", *words)


def relu(**attributes):
    return helper.make_node("Relu", ["x"], ["y"], name="act", **attributes)


def test_a_truncated_file_is_no_model(tmp_path):
    whole = model_of([relu()], {"x": [2, 3]}).SerializeToString()
    for length in (0, 1, len(whole) // 2, len(whole) - 1):
        assert "E-ONX-001" in refused(tmp_path, whole[:length])
    assert "E-ONX-001" in refused(tmp_path, b"no protobuf at all")


def test_an_opset_beyond_the_supported_ones(tmp_path):
    assert "opset 99" in refused(tmp_path, model_of([relu()], {"x": [2]}, opset=99))


def test_a_cycle_names_a_node(tmp_path):
    nodes = [helper.make_node("Add", ["x", "b"], ["a"], name="first"), helper.make_node("Relu", ["a"], ["b"], name="second")]
    text = refused(tmp_path, model_of(nodes, {"x": [2]}, outputs=["b"]))
    assert "E-ONX-002" in text and "cycle" in text and "first" in text


def test_a_value_without_a_source_or_with_two(tmp_path):
    text = refused(tmp_path, model_of([helper.make_node("Add", ["x", "gone"], ["y"], name="sum")], {"x": [2]}))
    assert "E-ONX-002" in text and "'gone'" in text and "'sum'" in text
    text = refused(tmp_path, model_of([relu(), relu()], {"x": [2]}))
    assert "E-ONX-002" in text and "twice" in text


def test_all_missing_operators_are_named_with_their_nodes(tmp_path):
    nodes = [helper.make_node("NonZero", ["x"], ["a"], name="one"), helper.make_node("NonZero", ["a"], ["b"], name="two"),
             helper.make_node("Fancy", ["b"], ["y"], name="three", domain="com.example")]
    text = refused(tmp_path, model_of(nodes, {"x": [2]}))
    assert "E-ONX-003" in text
    for word in ("NonZero (2 nodes: 'one', 'two')", "com.example.Fancy", "'three'"):
        assert word in text


def test_shapes_that_contradict(tmp_path):
    product = helper.make_node("MatMul", ["x", "w"], ["y"], name="product")
    weights = numpy_helper.from_array(np.zeros((4, 5), np.float32), "w")
    text = refused(tmp_path, model_of([product], {"x": [2, 3]}, constants=[weights]))
    assert "E-ONX-004" in text and "product" in text and "2x3" in text


def test_a_dimension_without_a_size(tmp_path):
    text = refused(tmp_path, model_of([relu()], {"x": ["n", "seq"]}), "--batch", "2")
    assert "E-ONX-004" in text and "--dim seq=N" in text


def test_rows_that_cannot_be_divided(tmp_path):
    assert "E-ONX-004" in refused(tmp_path, model_of([relu()], {"x": [3, 4]}), "--cores", "2")


def test_chips_and_cores_are_refused_in_the_words_of_the_options(tmp_path):
    model = model_of([relu()], {"x": [32, 4]})
    assert "--chips 2: error[E-ONX-008]: 2 chips and 4 cores" in refused(tmp_path, model, "--chips", "2", "--cores", "4")
    assert "--chips 65: error[E-RUN-063]: 65 chips; the machine has 64" in refused(tmp_path, model, "--chips", "65")
    assert "--cores 9: error[E-RUN-063]: 9 cores; the machine has 8" in refused(tmp_path, model, "--cores", "9")
    assert "--set workload.cores=9: error[E-RUN-063]" in refused(tmp_path, model, "--set", "workload.cores=9")


def test_an_illegal_axis(tmp_path):
    node = helper.make_node("Concat", ["x", "x"], ["y"], name="both", axis=7)
    text = refused(tmp_path, model_of([node], {"x": [2, 3]}))
    assert "E-ONX-005" in text and "both" in text and "axis 7" in text


def test_tensors_that_are_too_large(tmp_path):
    text = refused(tmp_path, model_of([relu()], {"x": [1 << 20, 1 << 20]}))
    assert "E-ONX-007" in text and "act" in text


def external(location, length=None):
    tensor = TensorProto(name="w", data_type=FLOAT, dims=[4], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", location), ("length", length)):
        if value is not None:
            tensor.external_data.add(key=key, value=str(value))
    return model_of([helper.make_node("Add", ["x", "w"], ["y"], name="sum")], {"x": [4]}, constants=[tensor])


def test_external_data_stay_in_the_folder(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.bin").write_bytes(bytes(16))
    (inside / "link.bin").symlink_to(tmp_path / "secret.bin")
    (inside / "short.bin").write_bytes(bytes(15))
    for location in ("../secret.bin", str(tmp_path / "secret.bin"), "link.bin", "short.bin", "missing.bin", ""):
        text = refused(inside, external(location))
        assert "E-ONX-006" in text and "'w'" in text, location


def test_timing_mode_needs_no_external_data(tmp_path):
    (tmp_path / "model.onnx").write_bytes(external("missing.bin").SerializeToString())
    done = command(tmp_path / "model.onnx", "--out", tmp_path / "out", "--mode", "timing", "--slim")
    assert done.returncode == 0, done.stderr


def test_unknown_inputs_and_dimensions(tmp_path):
    model = model_of([relu()], {"pixels": ["n"]}, opset=13)
    model.graph.node[0].input[0] = "pixels"
    assert "did you mean 'pixels'" in refused(tmp_path, model, "--batch", "2", "--input", "pixel=x.npy")
    assert "E-ONX-008" in refused(tmp_path, model, "--batch", "2", "--dim", "m=3")


def test_an_element_type_that_is_not_supported(tmp_path):
    model = model_of([relu()], {"x": [2]})
    model.graph.input[0].type.tensor_type.elem_type = TensorProto.COMPLEX64
    text = refused(tmp_path, model)
    assert "E-ONX-009" in text and "'x'" in text


def test_values_that_are_needed_before_the_run(tmp_path):
    text = refused(tmp_path, model_of([helper.make_node("Reshape", ["x", "shape"], ["y"], name="view")],
                                      {"x": [2, 3], "shape": [2]}))
    assert "E-ONX-010" in text and "view" in text and "'shape'" in text



def test_too_many_nodes(tmp_path):
    count = 1_000_001
    # One node's bytes, repeated: a field of the graph (tag 7 of the model) of that many nodes (tag 1 of the graph).
    node = relu().SerializeToString()
    body = (b"\x0a" + bytes([len(node)]) + node) * count
    length, size = len(body), bytearray()
    while length:
        size.append((length & 0x7f) | (0x80 if length > 0x7f else 0))
        length >>= 7
    text = refused(tmp_path, b"\x08\x08\x42\x02\x10\x0d\x3a" + bytes(size) + body)
    assert "E-ONX-007" in text and str(count) in text
