"""Faulty files and calls: the peer's exception class, and a text that names what a person needs to find the fault.
SPDX-License-Identifier: MIT

The words in brackets after "tenon" are demanded of Tenon only: the peer's texts say less.
"""
import contextlib
import io
import os
import tempfile
import unittest
import warnings

import numpy as np
from onnx import TensorProto as T
from small_models import add_any, errors, identity, linear, loop, message, model, node, rt

CPU = ["CPUExecutionProvider"]
OURS = "site-packages" not in rt.__file__
X = np.zeros((2, 3), np.float32)


def load(source):
    so = rt.SessionOptions()
    so.log_severity_level = 4
    return rt.InferenceSession(source, so, providers=CPU)


class Faults(unittest.TestCase):
    def fails(self, cls, words, call, *args, tenon=()):
        """the call raises the class of this name (a ValueError for what the Python layer finds itself), the text has all the words"""
        e = message(call, *args)
        want = getattr(errors(), cls, None) or {"ValueError": ValueError, "TypeError": TypeError}[cls]
        self.assertIsInstance(e, want, f"{type(e).__name__}: {e}")
        for w in list(words) + (list(tenon) if OURS else []):
            self.assertIn(w.lower(), str(e).lower())
        return str(e)


class Files(Faults):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, data):
        path = os.path.join(self.folder.name, "some model.onnx")
        open(path, "wb").write(data)
        return path

    def test_missing(self):
        path = os.path.join(self.folder.name, "not there.onnx")
        self.fails("NoSuchFile", [path, "doesn't exist", "failed"], load, path)

    def test_empty_path(self):
        e = message(load, "")
        self.assertIsInstance(e, (errors().NoSuchFile, ValueError, TypeError))

    def test_directory(self):
        e = message(load, self.folder.name)
        self.assertIsInstance(e, (errors().InvalidArgument, errors().Fail, errors().InvalidProtobuf, errors().NoSuchFile))
        self.assertIn(self.folder.name, str(e))

    def test_truncated(self):
        for part in (0.3, 0.5, 0.9):
            data = linear()
            path = self.file(data[:int(len(data) * part)])
            e = message(load, path)
            self.assertIsInstance(e, (errors().InvalidProtobuf, errors().Fail, errors().InvalidGraph))
            self.assertIn(path, str(e))

    def test_not_onnx(self):
        path = self.file(bytes((k * 73 + 41) & 255 for k in range(4096)))
        self.fails("InvalidProtobuf", [path], load, path)
        self.fails("InvalidProtobuf", [], load, b"this is no model at all")

    def test_empty(self):
        e = message(load, self.file(b""))
        self.assertIsInstance(e, (errors().Fail, errors().InvalidProtobuf, errors().InvalidGraph, errors().InvalidArgument))

    def test_wrong_kind_of_source(self):
        self.fails("TypeError", [], load, 17)


class Graphs(Faults):
    def one(self, n, opset=17, **more):
        return model([n], [("x", T.FLOAT, [2])], [("y", T.FLOAT, [2])], opset=opset, **more)

    def test_unknown_operator(self):
        self.fails("InvalidGraph", ["NoSuchOp", "the node"], load, self.one(node("NoSuchOp", ["x"], ["y"], "the node")), tenon=["17"])

    def test_unknown_domain(self):
        e = message(load, self.one(node("Relu", ["x"], ["y"], "the node", domain="no.such")))
        self.assertIsInstance(e, (errors().Fail, errors().InvalidGraph))
        self.assertIn("no.such", str(e))

    def test_operator_newer_than_the_opset(self):
        e = message(load, self.one(node("HardSwish", ["x"], ["y"], "the node"), opset=9, ir=4))
        self.assertIsInstance(e, (errors().Fail, errors().InvalidGraph))
        self.assertIn("HardSwish", str(e))

    def test_undefined_input(self):
        self.fails("InvalidArgument", ["ghost"], load, self.one(node("Add", ["x", "ghost"], ["y"], "the node")), tenon=["the node"])

    def test_wrong_types(self):
        data = model([node("Add", ["x", "k"], ["y"], "the node")], [("x", T.FLOAT, [2]), ("k", T.INT64, [2])], [("y", T.FLOAT, [2])])
        self.fails("Fail", ["Add", "the node", "Type Error"], load, data, tenon=["x", "k"])

    def test_wrong_attribute(self):
        e = message(load, model([node("Softmax", ["x"], ["y"], "the node", axis="zero")], [("x", T.FLOAT, [2])], [("y", T.FLOAT, [2])]))
        self.assertIsInstance(e, (errors().Fail, errors().InvalidGraph))
        self.assertIn("axis", str(e))

    def test_shapes_that_cannot_match(self):
        w = np.zeros((4, 5), np.float32)
        data = model([node("MatMul", ["x", "w"], ["y"], "the node")], [("x", T.FLOAT, [2, 3])], [("y", T.FLOAT, [2, 5])], {"w": w})
        e = message(lambda: load(data).run(None, {"x": X}))
        self.assertIsInstance(e, errors().Fail)
        for word in ["MatMul", "the node"] + (["2,3", "4,5"] if OURS else []):
            self.assertIn(word, str(e))

    def test_future_opset_and_ir(self):
        for kw in (dict(opset=999), dict(ir=999)):
            e = message(load, self.one(node("Relu", ["x"], ["y"]), **kw))
            self.assertIsInstance(e, errors().Fail)
            self.assertIn("999", str(e))

    def test_two_producers_and_cycles(self):
        twice = model([node("Relu", ["x"], ["y"]), node("Tanh", ["x"], ["y"])], [("x", T.FLOAT, [2])], [("y", T.FLOAT, [2])])
        self.assertIsInstance(message(load, twice), (errors().Fail, errors().InvalidGraph))
        ring = model([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"])], [("x", T.FLOAT, [2])], [("b", T.FLOAT, [2])])
        self.assertIsInstance(message(load, ring), (errors().Fail, errors().InvalidGraph))


class Runs(Faults):
    def setUp(self):
        self.s = load(linear())

    def test_wrong_input_name(self):
        self.fails("ValueError", ["x"], self.s.run, None, {"z": X})  # a required input is missing
        self.fails("InvalidArgument", ["Invalid input name", "z"], self.s.run, None, {"x": X, "z": X})

    def test_missing_input(self):
        self.fails("ValueError", ["x"], self.s.run, None, {})

    def test_wrong_output_name(self):
        self.fails("InvalidArgument", ["Invalid output name", "nothing"], self.s.run, ["nothing"], {"x": X})

    def test_wrong_rank(self):
        self.fails("InvalidArgument", ["Invalid rank for input: x", "Got: 3", "Expected: 2"], self.s.run, None, {"x": X[None]})

    def test_wrong_dimension(self):
        self.fails("InvalidArgument", ["Got invalid dimensions for input: x", "index: 1", "Got: 5", "Expected: 3"],
                   self.s.run, None, {"x": np.zeros((2, 5), np.float32)})

    def test_wrong_element_type(self):
        self.fails("InvalidArgument", ["Unexpected input data type", "tensor(double)", "tensor(float)"], self.s.run, None, {"x": X.astype(np.float64)})
        self.fails("InvalidArgument", ["Unexpected input data type", "tensor(int64)"], self.s.run, None, {"x": X.astype(np.int64)})

    def test_strings_for_numbers(self):
        self.assertIsInstance(message(self.s.run, None, {"x": np.array([["a"] * 3] * 2)}), Exception)

    def test_a_kernel_that_cannot(self):
        s = load(add_any())
        e = message(s.run, None, {"a": np.zeros(2, np.float32), "b": np.zeros(3, np.float32)})
        self.assertIsInstance(e, (errors().Fail, errors().RuntimeException, errors().InvalidArgument))
        for word in ["Add", "sum"] + (["f32[2]", "f32[3]"] if OURS else []):
            self.assertIn(word, str(e))

    def test_index_out_of_range(self):
        s = load(model([node("Gather", ["x", "i"], ["y"], "the node")], [("x", T.FLOAT, [4]), ("i", T.INT64, [1])], [("y", T.FLOAT, [1])]))
        for at in (4, -5, 2**62, -2**62):
            self.fails("InvalidArgument", ["Gather", "the node", str(at)], s.run, None, {"x": np.zeros(4, np.float32), "i": np.array([at])})
        self.assertEqual(s.run(None, {"x": np.arange(4, dtype=np.float32), "i": np.array([-1])})[0].tolist(), [3])

    def test_a_session_survives_its_failures(self):
        s = load(add_any())
        for _ in range(3):
            message(s.run, None, {"a": np.zeros(2, np.float32), "b": np.zeros(3, np.float32)})
            self.assertEqual(s.run(None, {"a": np.ones(2, np.float32), "b": np.ones(2, np.float32)})[0].tolist(), [2, 2])

    def test_a_fault_inside_a_loop_names_the_inner_node(self):
        s = load(loop())
        e = message(s.run, None, {"rounds": np.array(2), "go": np.array(True), "s0": np.zeros(2, np.float32), "x": np.zeros(3, np.float32)})
        for word in ["Add"] + (["f32[2]", "f32[3]"] if OURS else []):
            self.assertIn(word, str(e))

    def test_reshape_that_does_not_fit(self):
        s = load(model([node("Reshape", ["x", "to"], ["y"], "the node")], [("x", T.FLOAT, ["n"]), ("to", T.INT64, [2])], [("y", T.FLOAT, None)]))
        e = message(s.run, None, {"x": np.zeros(6, np.float32), "to": np.array([4, -1])})
        for word in ["Reshape", "the node"] + (["f32[6]"] if OURS else []):
            self.assertIn(word, str(e))

    def test_the_text_names_the_model(self):
        if not OURS:
            self.skipTest("the peer's texts do not name the model")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "named.onnx")
            open(path, "wb").write(add_any())
            e = message(load(path).run, None, {"a": np.zeros(2, np.float32), "b": np.zeros(3, np.float32)})
        for word in ("named.onnx", "sum", "Add", "f32[2]", "f32[3]"):
            self.assertIn(word, str(e))


class Providers(Faults):
    def test_unknown_provider_falls_back(self):
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            s = rt.InferenceSession(linear(), providers=["NoSuchProvider"])
        self.assertEqual(s.get_providers(), CPU)

    def test_identity_of_a_type_nobody_feeds(self):
        self.assertIsInstance(message(load(identity(T.FLOAT)).run, None, {"x": None}), Exception)


if __name__ == "__main__":
    unittest.main()
