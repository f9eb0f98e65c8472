"""Small ONNX models for the tests, as bytes, and the module under test.
SPDX-License-Identifier: MIT
"""
import importlib
import os

import numpy as np
from onnx import TensorProto as T
from onnx import helper, numpy_helper

MODULE = os.environ.get("TENON_MODULE", "tenon")
rt = importlib.import_module(MODULE)


def errors():
    """the module that holds the exception classes (Fail, InvalidArgument, ...)"""
    return importlib.import_module(MODULE + ".capi.onnxruntime_pybind11_state")


def info(name, elem, shape):
    return helper.make_tensor_value_info(name, elem, shape)


def model(nodes, inputs, outputs, weights=(), opset=17, ir=8, props=None, name="small", **more):
    """nodes: list of NodeProto; inputs, outputs: (name, element type, shape); weights: name -> array"""
    g = helper.make_graph(nodes, name, [info(*i) for i in inputs], [info(*o) for o in outputs],
                          [numpy_helper.from_array(np.asarray(a), k) for k, a in dict(weights).items()])
    m = helper.make_model(g, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir, **more)
    if props:
        helper.set_model_props(m, props)
    return m.SerializeToString()


def node(op, inputs, outputs, name="", **attributes):
    return helper.make_node(op, inputs, outputs, name=name, **attributes)


W = (np.arange(12, dtype=np.float32).reshape(3, 4) - 5) / 4


def linear(**more):
    """y = relu(x W), x f32[rows, 3], W f32[3, 4]"""
    return model([node("MatMul", ["x", "W"], ["m"], "product"), node("Relu", ["m"], ["y"], "floor")],
                 [("x", T.FLOAT, ["rows", 3])], [("y", T.FLOAT, ["rows", 4])], {"W": W}, **more)


def linear_answer(x):
    return np.maximum(x @ W, 0)


def add(elem=T.FLOAT, shape=("n",), opset=17):
    """y = a + b"""
    return model([node("Add", ["a", "b"], ["y"], "sum")], [("a", elem, list(shape)), ("b", elem, list(shape))], [("y", elem, list(shape))], opset=opset)


def add_any():
    """y = a + b, sizes of a and b unrelated"""
    return model([node("Add", ["a", "b"], ["y"], "sum")], [("a", T.FLOAT, ["p"]), ("b", T.FLOAT, ["q"])], [("y", T.FLOAT, [None])])


def identity(elem, shape=("n",)):
    return model([node("Identity", ["x"], ["y"])], [("x", elem, list(shape))], [("y", elem, list(shape))])


def loop():
    """s grows by x for n rounds: s = s0 + n x; all holds s after each round"""
    body = helper.make_graph([node("Add", ["s_in", "x"], ["s_out"]), node("Identity", ["keep"], ["keep_out"]), node("Identity", ["s_out"], ["row"])],
                             "body", [info("k", T.INT64, []), info("keep", T.BOOL, []), info("s_in", T.FLOAT, ["n"])],
                             [info("keep_out", T.BOOL, []), info("s_out", T.FLOAT, ["n"]), info("row", T.FLOAT, ["n"])])
    return model([node("Loop", ["rounds", "go", "s0"], ["s", "all"], "repeat", body=body)],
                 [("rounds", T.INT64, []), ("go", T.BOOL, []), ("s0", T.FLOAT, ["n"]), ("x", T.FLOAT, ["m"])],
                 [("s", T.FLOAT, ["n"]), ("all", T.FLOAT, ["rounds", "n"])])


def choice():
    """y = c ? x + 1 : concat(x, x)"""
    yes = helper.make_graph([node("Add", ["x", "one"], ["a"])], "yes", [], [info("a", T.FLOAT, None)])
    no = helper.make_graph([node("Concat", ["x", "x"], ["b"], axis=0)], "no", [], [info("b", T.FLOAT, None)])
    return model([node("If", ["c"], ["y"], "choose", then_branch=yes, else_branch=no)],
                 [("c", T.BOOL, []), ("x", T.FLOAT, ["n"])], [("y", T.FLOAT, None)], {"one": np.ones(1, np.float32)})


def message(call, *args, **kw):
    """the exception a call raises, or AssertionError"""
    try:
        call(*args, **kw)
    except Exception as e:
        return e
    raise AssertionError("no error was raised")
