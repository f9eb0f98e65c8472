"""InferenceSession: loading, signature, running, element types, shapes.
SPDX-License-Identifier: MIT
"""
import os
import pathlib
import tempfile
import unittest

import numpy as np
from onnx import TensorProto as T
from small_models import add, choice, identity, linear, linear_answer, loop, model, node, rt

CPU = ["CPUExecutionProvider"]
X = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)


def session(data, options=None, **kw):
    return rt.InferenceSession(data, options, providers=CPU, **kw)


class Loading(unittest.TestCase):
    def test_from_bytes_and_from_path(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "größe mit space.onnx")
            open(path, "wb").write(linear())
            for source in (linear(), path, pathlib.Path(path)):
                got = session(source).run(None, {"x": X})
                np.testing.assert_allclose(got[0], linear_answer(X), rtol=1e-6)

    def test_file_may_go_after_loading(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.onnx")
            open(path, "wb").write(linear())
            s = session(path)
        np.testing.assert_allclose(s.run(None, {"x": X})[0], linear_answer(X), rtol=1e-6)

    def test_buffer_may_change_after_loading(self):
        data = bytearray(linear())
        s = session(bytes(data))
        data[:] = bytes(len(data))
        np.testing.assert_allclose(s.run(None, {"x": X})[0], linear_answer(X), rtol=1e-6)

    def test_external_data(self):
        import onnx
        big = np.arange(4096, dtype=np.float32).reshape(64, 64)
        m = onnx.load_from_string(model([node("MatMul", ["x", "B"], ["y"])], [("x", T.FLOAT, [1, 64])], [("y", T.FLOAT, [1, 64])], {"B": big}))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.onnx")
            onnx.save(m, path, save_as_external_data=True, location="m.data", size_threshold=16)
            x = np.ones((1, 64), np.float32)
            np.testing.assert_allclose(session(path).run(None, {"x": x})[0], x @ big, rtol=1e-6)

    def test_newest_and_oldest_versions(self):
        for opset, ir in ((7, 3), (8, 3), (13, 7), (17, 8), (21, 10)):
            with self.subTest(opset=opset):
                a = np.array([1, 2], np.float32)
                data = model([node("Add", ["a", "b"], ["y"])], [("a", T.FLOAT, [2]), ("b", T.FLOAT, [2])], [("y", T.FLOAT, [2])], opset=opset, ir=ir)
                self.assertEqual(session(data).run(None, {"a": a, "b": a})[0].tolist(), [2, 4])


class Signature(unittest.TestCase):
    def test_names_shapes_types(self):
        s = session(linear())
        (i,), (o,) = s.get_inputs(), s.get_outputs()
        self.assertEqual((i.name, i.shape, i.type), ("x", ["rows", 3], "tensor(float)"))
        self.assertEqual((o.name, o.shape, o.type), ("y", ["rows", 4], "tensor(float)"))

    def test_type_names(self):
        for elem, text in ((T.DOUBLE, "double"), (T.INT64, "int64"), (T.INT32, "int32"), (T.UINT8, "uint8"), (T.BOOL, "bool"),
                           (T.FLOAT16, "float16"), (T.STRING, "string"), (T.INT8, "int8"), (T.UINT16, "uint16")):
            self.assertEqual(session(identity(elem)).get_inputs()[0].type, f"tensor({text})")

    def test_unknown_dimension_is_none_and_scalar_is_empty(self):
        s = session(model([node("Identity", ["x"], ["y"]), node("Identity", ["z"], ["w"])], [("x", T.FLOAT, [None, 2]), ("z", T.FLOAT, [])],
                          [("y", T.FLOAT, [None, 2]), ("w", T.FLOAT, [])]))
        self.assertEqual([i.shape for i in s.get_inputs()], [[None, 2], []])

    def test_initializer_is_not_an_input(self):
        s = session(linear())
        self.assertEqual([i.name for i in s.get_inputs()], ["x"])

    def test_initializer_that_may_be_overridden(self):
        data = model([node("Add", ["x", "w"], ["y"])], [("x", T.FLOAT, [2]), ("w", T.FLOAT, [2])], [("y", T.FLOAT, [2])],
                     {"w": np.array([1, 2], np.float32)})
        s = session(data)
        self.assertEqual([i.name for i in s.get_inputs()], ["x"])
        self.assertEqual([i.name for i in s.get_overridable_initializers()], ["w"])
        x = np.zeros(2, np.float32)
        self.assertEqual(s.run(None, {"x": x})[0].tolist(), [1, 2])
        self.assertEqual(s.run(None, {"x": x, "w": np.array([5, 6], np.float32)})[0].tolist(), [5, 6])
        self.assertEqual(s.run(None, {"x": x})[0].tolist(), [1, 2])

    def test_metadata(self):
        data = linear(props={"author": "we", "größe": "1"}, producer_name="maker", domain="test.domain", model_version=7, doc_string="a text")
        m = session(data).get_modelmeta()
        self.assertEqual((m.producer_name, m.domain, m.version, m.description, m.graph_name), ("maker", "test.domain", 7, "a text", "small"))
        self.assertEqual(m.custom_metadata_map, {"author": "we", "größe": "1"})

    def test_providers(self):
        s = session(linear())
        self.assertEqual(s.get_providers(), CPU)
        self.assertIn("CPUExecutionProvider", rt.get_available_providers())
        self.assertIn("CPUExecutionProvider", s.get_provider_options())
        self.assertEqual(rt.get_device(), "CPU")
        self.assertTrue(rt.__version__)


class Running(unittest.TestCase):
    def test_chosen_outputs_in_the_asked_order(self):
        s = session(model([node("Relu", ["x"], ["a"]), node("Tanh", ["x"], ["b"])], [("x", T.FLOAT, [2])], [("a", T.FLOAT, [2]), ("b", T.FLOAT, [2])]))
        x = np.array([-1, 2], np.float32)
        a, b = np.maximum(x, 0), np.tanh(x)
        for names, want in ((None, [a, b]), (["b"], [b]), (["b", "a"], [b, a]), ([], [a, b])):
            got = s.run(names, {"x": x})
            self.assertEqual(len(got), len(want))
            for g, w in zip(got, want):
                np.testing.assert_allclose(g, w, rtol=1e-6)

    def test_sizes_may_change_from_run_to_run(self):
        s = session(linear())
        for rows in (1, 5, 2, 0, 64, 1):
            x = np.random.default_rng(rows).standard_normal((rows, 3)).astype(np.float32)
            np.testing.assert_allclose(s.run(None, {"x": x})[0], linear_answer(x), rtol=1e-5, atol=1e-6)

    def test_arrays_that_are_not_contiguous(self):
        s = session(linear())
        wide = np.arange(24, dtype=np.float32).reshape(4, 6)
        for x in (wide[::2, ::2], wide[:, 3:], np.asfortranarray(wide[:, :3]), wide[::-1, :3], wide.T[:3].T):
            np.testing.assert_allclose(s.run(None, {"x": x})[0], linear_answer(np.ascontiguousarray(x)), rtol=1e-6)

    def test_outputs_are_the_callers(self):
        s = session(linear())
        first = s.run(None, {"x": X})[0]
        keep = first.copy()
        second = s.run(None, {"x": X * 2})[0]
        np.testing.assert_array_equal(first, keep)
        second[:] = 0
        np.testing.assert_array_equal(s.run(None, {"x": X})[0], keep)
        del s
        np.testing.assert_array_equal(first, keep)

    def test_inputs_stay_unchanged(self):
        s = session(model([node("Relu", ["x"], ["y"])], [("x", T.FLOAT, [4])], [("y", T.FLOAT, [4])]))
        x = np.array([-1, 2, -3, 4], np.float32)
        x.flags.writeable = False
        self.assertEqual(s.run(None, {"x": x})[0].tolist(), [0, 2, 0, 4])
        self.assertEqual(x.tolist(), [-1, 2, -3, 4])

    def test_output_that_is_an_input_or_a_constant(self):
        s = session(model([node("Identity", ["x"], ["y"]), node("Identity", ["w"], ["z"])], [("x", T.FLOAT, [2])],
                          [("y", T.FLOAT, [2]), ("z", T.FLOAT, [3])], {"w": np.array([1, 2, 3], np.float32)}))
        x = np.array([7, 8], np.float32)
        y, z = s.run(None, {"x": x})
        z[:] = 0
        y[:] = 0
        self.assertEqual(x.tolist(), [7, 8])
        self.assertEqual([v.tolist() for v in s.run(None, {"x": x})], [[7, 8], [1, 2, 3]])

    def test_scalars_and_empty_arrays(self):
        s = session(add(shape=()))
        y = s.run(None, {"a": np.array(2, np.float32), "b": np.array(3, np.float32)})[0]
        self.assertEqual((y.shape, float(y)), ((), 5.0))
        y = session(add()).run(None, {"a": np.zeros(0, np.float32), "b": np.zeros(0, np.float32)})[0]
        self.assertEqual(y.shape, (0,))

    def test_names_of_dimensions_bind_nobody(self):
        """Files name dimensions carelessly: two inputs of "n" may have different sizes where the operators can take them."""
        y = session(add()).run(None, {"a": np.array([1], np.float32), "b": np.array([1, 2, 3], np.float32)})[0]
        self.assertEqual(y.tolist(), [2, 3, 4])

    def test_scalar_input_takes_an_array(self):
        """Rank 0 in a signature is not enforced: many files say it for inputs that are fed with one element in an array."""
        s = session(model([node("Identity", ["x"], ["y"])], [("x", T.INT64, [])], [("y", T.INT64, None)]))
        self.assertEqual(s.run(None, {"x": np.array([16000])})[0].reshape(-1).tolist(), [16000])

    def test_element_types(self):
        for elem, dtype in ((T.FLOAT, np.float32), (T.DOUBLE, np.float64), (T.INT32, np.int32), (T.INT64, np.int64)):
            a = np.array([1, 2, 3], dtype)
            y = session(add(elem)).run(None, {"a": a, "b": a * 10})[0]
            self.assertEqual((y.dtype, y.tolist()), (np.dtype(dtype), [11, 22, 33]))
        for elem, dtype in ((T.UINT8, np.uint8), (T.INT8, np.int8), (T.UINT16, np.uint16), (T.INT16, np.int16), (T.UINT32, np.uint32),
                            (T.UINT64, np.uint64), (T.BOOL, np.bool_), (T.FLOAT16, np.float16), (T.FLOAT, np.float32)):
            a = np.array([0, 1, 100], np.float64).astype(dtype)
            y = session(identity(elem)).run(None, {"x": a})[0]
            self.assertEqual((y.dtype, y.tolist()), (a.dtype, a.tolist()))

    def test_strings(self):
        s = session(identity(T.STRING, ("a", "b")))
        for words in (np.array([["a", "größe"], ["", "much longer than a small string holds"]], dtype=object), np.array([["x", "yz"]])):
            y = s.run(None, {"x": words})[0]
            self.assertEqual((y.dtype, y.tolist()), (np.dtype(object), words.tolist()))

    def test_reshape_slice_gather_concat(self):
        nodes = [node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["rows"], axis=0), node("Concat", ["rows", "rest"], ["to"], axis=0),
                 node("Reshape", ["x", "to"], ["flat"]), node("Slice", ["flat", "from", "end", "axis"], ["y"])]
        s = session(model(nodes, [("x", T.FLOAT, ["n", 2, 3])], [("y", T.FLOAT, ["n", "m"])],
                          {"zero": np.array([0]), "rest": np.array([-1]), "from": np.array([1]), "end": np.array([-1]), "axis": np.array([1])}))
        x = np.arange(24, dtype=np.float32).reshape(4, 2, 3)
        np.testing.assert_array_equal(s.run(None, {"x": x})[0], x.reshape(4, 6)[:, 1:-1])

    def test_loop(self):
        s = session(loop())
        for n in (0, 1, 5):
            x, s0 = np.array([1, 2], np.float32), np.array([10, 20], np.float32)
            y, rows = s.run(None, {"rounds": np.array(n), "go": np.array(True), "s0": s0, "x": x})
            np.testing.assert_array_equal(y, s0 + n * x)
            self.assertEqual(rows.shape[0], n)
            if n:
                self.assertEqual(rows.shape, (n, 2))
                np.testing.assert_array_equal(rows[-1], y)

    def test_if_with_results_of_different_shapes(self):
        s = session(choice())
        x = np.array([1, 2], np.float32)
        self.assertEqual(s.run(None, {"c": np.array(True), "x": x})[0].tolist(), [2, 3])
        self.assertEqual(s.run(None, {"c": np.array(False), "x": x})[0].tolist(), [1, 2, 1, 2])

    def test_weights_of_every_storage(self):
        from onnx import helper
        for raw in (False, True):
            t = helper.make_tensor("w", T.FLOAT, [2], np.array([1, 2], np.float32).tobytes() if raw else [1, 2], raw=raw)
            g = helper.make_graph([node("Add", ["x", "w"], ["y"])], "g", [helper.make_tensor_value_info("x", T.FLOAT, [2])],
                                  [helper.make_tensor_value_info("y", T.FLOAT, [2])], [t])
            data = helper.make_model(g, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
            self.assertEqual(session(data).run(None, {"x": np.zeros(2, np.float32)})[0].tolist(), [1, 2])

    def test_model_function(self):
        from onnx import helper
        f = helper.make_function("own", "Twice", ["a"], ["b"], [node("Add", ["a", "a"], ["b"])], [helper.make_opsetid("", 17)])
        g = helper.make_graph([helper.make_node("Twice", ["x"], ["m"], domain="own"), helper.make_node("Twice", ["m"], ["y"], domain="own")], "g",
                              [helper.make_tensor_value_info("x", T.FLOAT, [2])], [helper.make_tensor_value_info("y", T.FLOAT, [2])])
        m = helper.make_model(g, functions=[f], opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("own", 1)], ir_version=8)
        self.assertEqual(session(m.SerializeToString()).run(None, {"x": np.array([1, 2], np.float32)})[0].tolist(), [4, 8])

    def test_sparse_weight(self):
        from onnx import helper
        sparse = helper.make_sparse_tensor(helper.make_tensor("w", T.FLOAT, [2], [5, 7]), helper.make_tensor("", T.INT64, [2], [1, 3]), [4])
        g = helper.make_graph([node("Add", ["x", "w"], ["y"])], "g", [helper.make_tensor_value_info("x", T.FLOAT, [4])],
                              [helper.make_tensor_value_info("y", T.FLOAT, [4])], sparse_initializer=[sparse])
        data = helper.make_model(g, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
        self.assertEqual(session(data).run(None, {"x": np.zeros(4, np.float32)})[0].tolist(), [0, 5, 0, 7])


if __name__ == "__main__":
    unittest.main()
