"""onnxruntime-extensions: a library of custom operators, built by others, is loaded and gives exact answers.
SPDX-License-Identifier: MIT
"""
import numpy as np
import onnxruntime as ort
from onnx import TensorProto as T
from onnx import helper
from onnxruntime_extensions import get_library_path

DOMAIN = "ai.onnx.contrib"


def run(op, inputs, output_type):
    types = {n: (T.STRING if a.dtype == object else T.FLOAT) for n, a in inputs.items()}
    g = helper.make_graph([helper.make_node(op, list(inputs), ["y"], domain=DOMAIN)], "g",
                          [helper.make_tensor_value_info(n, t, [None] * inputs[n].ndim) for n, t in types.items()],
                          [helper.make_tensor_value_info("y", output_type, None)])
    m = helper.make_model(g, opset_imports=[helper.make_opsetid("", 16), helper.make_opsetid(DOMAIN, 1)], ir_version=8)
    options = ort.SessionOptions()
    options.register_custom_ops_library(get_library_path())
    return ort.InferenceSession(m.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, inputs)[0]


def texts(*values):
    return np.array(values, dtype=object)


assert list(run("StringUpper", {"x": texts("abc", "tenon")}, T.STRING)) == ["ABC", "TENON"]
assert list(run("StringLength", {"x": texts("abc", "tenon!")}, T.INT64)) == [3, 6]
assert list(run("StringRegexReplace", {"x": texts("a1b22"), "p": texts(r"\d+"), "r": texts("#")}, T.STRING)) == ["a#b#"]
np.testing.assert_allclose(run("Inverse", {"x": np.float32([[2, 0], [0, 4]])}, T.FLOAT), [[.5, 0], [0, .25]])
