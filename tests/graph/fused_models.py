# SPDX-License-Identifier: Apache-2.0
"""Models of nodes from any domain, with inputs and constants from NumPy."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

MICROSOFT = "com.microsoft"


def node(op, inputs, outputs=("y",), domain=MICROSOFT, **attributes):
    return helper.make_node(op, list(inputs), list(outputs), name=op.lower(), domain=domain, **attributes)


TYPES = {"float32": TensorProto.FLOAT, "float64": TensorProto.FLOAT, "float16": TensorProto.FLOAT16, "int32": TensorProto.INT32,
         "int64": TensorProto.INT64, "bool": TensorProto.BOOL, "uint8": TensorProto.UINT8}


def typed(name, array):
    return helper.make_tensor_value_info(name, TYPES[np.asarray(array).dtype.name], np.asarray(array).shape)


def write(file, nodes, inputs, outputs, constants=None, opset=17):
    """`inputs`, `outputs` and `constants` are arrays by name."""
    graph = helper.make_graph(list(nodes), "g", [typed(*item) for item in inputs.items()], [typed(*item) for item in outputs.items()],
                              [numpy_helper.from_array(np.asarray(a), n) for n, a in (constants or {}).items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid(MICROSOFT, 1)])
    file.write_bytes(model.SerializeToString())
    return file


HELD = {"int64": np.int32, "bool": np.uint8}


def held(inputs):
    """As a case gives them: HBM has 32 bits for integers of 64, and bytes for bool."""
    return {name: values.astype(HELD.get(values.dtype.name, values.dtype)) for name, values in inputs.items()}
