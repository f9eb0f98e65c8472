"""Writes the models that the clients in other languages run.
SPDX-License-Identifier: MIT

usage: make_models.py FOLDER
linear.onnx   x f32[rows, 3] -> y f32[rows, 2] = x W + 1, W = [[1, 2], [3, 4], [5, 6]]; metadata k = v
text.onnx     a, b string[n] -> c = a joined with b; n int64 = a + a of input "count" int64[m]; flag bool[m] = count > 1
labels.onnx   x f32[rows, 3] -> seq(map(int64, float)): each column under its number
steps.onnx    trips int64, x f32[2] -> y f32[2] = x doubled `trips` times; every f32[trips, 2]
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper


def value(name, elem, shape):
    return helper.make_tensor_value_info(name, elem, shape)


def save(path, nodes, inputs, outputs, weights=(), opset=17, ml=False, props=None):
    g = helper.make_graph(nodes, "client", inputs, outputs, [numpy_helper.from_array(a, n) for n, a in weights])
    imports = [helper.make_opsetid("", opset)] + ([helper.make_opsetid("ai.onnx.ml", 1)] if ml else [])
    m = helper.make_model(g, opset_imports=imports, ir_version=9, producer_name="clients")
    if props:
        helper.set_model_props(m, props)
    onnx.save(m, path)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    node = helper.make_node
    save(folder + "/linear.onnx", [node("Gemm", ["x", "W", "one"], ["y"])], [value("x", T.FLOAT, ["rows", 3])], [value("y", T.FLOAT, ["rows", 2])],
         [("W", np.arange(1, 7, dtype=np.float32).reshape(3, 2)), ("one", np.ones(1, np.float32))], props={"k": "v"})
    save(folder + "/text.onnx", [node("StringConcat", ["a", "b"], ["c"]), node("Add", ["count", "count"], ["twice"]), node("Greater", ["count", "one"], ["flag"])],
         [value("a", T.STRING, ["n"]), value("b", T.STRING, ["n"]), value("count", T.INT64, ["m"])],
         [value("c", T.STRING, ["n"]), value("twice", T.INT64, ["m"]), value("flag", T.BOOL, ["m"])], [("one", np.array(1, np.int64))], opset=20)
    labels = helper.make_value_info("maps", helper.make_sequence_type_proto(helper.make_map_type_proto(T.INT64, helper.make_tensor_type_proto(T.FLOAT, []))))
    save(folder + "/labels.onnx", [node("ZipMap", ["x"], ["maps"], domain="ai.onnx.ml", classlabels_int64s=[7, 8, 9])],
         [value("x", T.FLOAT, ["rows", 3])], [labels], ml=True)
    body = helper.make_graph([node("Identity", ["go"], ["on"]), node("Add", ["s", "s"], ["t"]), node("Identity", ["t"], ["each"])], "body",
                             [value("i", T.INT64, []), value("go", T.BOOL, []), value("s", T.FLOAT, [2])],
                             [value("on", T.BOOL, []), value("t", T.FLOAT, [2]), value("each", T.FLOAT, [2])])
    save(folder + "/steps.onnx", [node("Loop", ["trips", "", "x"], ["y", "every"], body=body)], [value("trips", T.INT64, []), value("x", T.FLOAT, [2])],
         [value("y", T.FLOAT, [2]), value("every", T.FLOAT, [None, 2])])


if __name__ == "__main__":
    main()
