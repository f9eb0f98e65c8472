"""Tests of the Python module: values in and out, options, errors. Models are made here with the package onnx.

Run with the built package first on PYTHONPATH; TENON_MODULE names another module with the same interface.
"""
# SPDX-License-Identifier: MIT
import gc
import importlib
import os
import tempfile
import threading
import time
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper

ort = importlib.import_module(os.environ.get("TENON_MODULE", "tenon"))
errors = importlib.import_module(ort.__name__ + ".capi.onnxruntime_pybind11_state")


def model(nodes, inputs, outputs, initializers=(), opset=17, more=(), **kwargs):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), *more], ir_version=8, **kwargs)
    return made.SerializeToString()


def tensor(name, element=TensorProto.FLOAT, shape=None):
    return helper.make_tensor_value_info(name, element, shape)


def identity(element, shape=None, **kwargs):
    return model([helper.make_node("Identity", ["x"], ["y"])], [tensor("x", element, shape)], [tensor("y", element, shape)], **kwargs)


ADD = model([helper.make_node("Add", ["x", "w"], ["y"])], [tensor("x", shape=["n", 2])], [tensor("y", shape=["n", 2])],
            [helper.make_tensor("w", TensorProto.FLOAT, [2], [1, 2])])
LOOP = None


def endless():
    """A loop that runs for minutes unless it is stopped."""
    body = helper.make_graph(
        [helper.make_node("Identity", ["c"], ["co"]), helper.make_node("Add", ["s", "s"], ["t"]), helper.make_node("Mul", ["t", "half"], ["so"])],
        "body", [tensor("i", TensorProto.INT64, []), tensor("c", TensorProto.BOOL, []), tensor("s", shape=[1])],
        [tensor("co", TensorProto.BOOL, []), tensor("so", shape=[1])], [helper.make_tensor("half", TensorProto.FLOAT, [1], [0.5])])
    return model([helper.make_node("Loop", ["n", "", "x"], ["y"], body=body)], [tensor("n", TensorProto.INT64, []), tensor("x", shape=[1])],
                 [tensor("y", shape=[1])])


class Tensors(unittest.TestCase):
    def test_every_number_type(self):
        for dtype in ("f4", "f8", "f2", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"):
            x = np.array([[0, 1, 1], [1, 0, 1]], dtype)
            session = ort.InferenceSession(identity(helper.np_dtype_to_tensor_dtype(x.dtype), [2, 3]))
            (y,) = session.run(None, {"x": x})
            self.assertEqual(y.dtype, x.dtype)
            np.testing.assert_array_equal(x, y)

    def test_layouts(self):
        session = ort.InferenceSession(identity(TensorProto.FLOAT))
        x = np.arange(24, dtype="f4").reshape(2, 3, 4)
        for view in (x.transpose(2, 0, 1), x[:, ::2], x[::-1], x.astype(">f4"), np.frombuffer(b"\0" + x.tobytes(), "f4", offset=1, count=24)):
            np.testing.assert_array_equal(view, session.run(None, {"x": view})[0])
        for empty in (np.zeros((0, 3), "f4"), np.zeros((), "f4")):
            self.assertEqual(session.run(None, {"x": empty})[0].shape, empty.shape)

    def test_lists_and_scalars(self):
        session = ort.InferenceSession(identity(TensorProto.INT64))
        np.testing.assert_array_equal(session.run(None, {"x": [[1, 2], [3, 4]]})[0], [[1, 2], [3, 4]])

    def test_strings(self):
        session = ort.InferenceSession(identity(TensorProto.STRING))
        for x in (np.array(["a", "", "grüße \N{SNOWMAN}"]), np.array(["a", 1.5], object), np.array([b"abc"]), np.array([["a\0b"]], object)):
            (y,) = session.run(None, {"x": x})
            self.assertEqual(y.dtype, object)
            self.assertEqual(y.shape, x.shape)
            self.assertEqual([str(i, "utf-8") if isinstance(i, bytes) else str(i) for i in x.ravel()], list(y.ravel()))
        np.testing.assert_array_equal(session.run(None, {"x": ["p", "q"]})[0], ["p", "q"])

    def test_small_floats(self):
        try:
            import ml_dtypes
        except ImportError:
            self.skipTest("ml_dtypes is not installed")
        for name, element in (("bfloat16", TensorProto.BFLOAT16), ("float8_e4m3fn", TensorProto.FLOAT8E4M3FN), ("float8_e5m2", TensorProto.FLOAT8E5M2)):
            x = np.array([1, -2, 0.5], getattr(ml_dtypes, name))
            (y,) = ort.InferenceSession(identity(element, opset=19)).run(None, {"x": x})
            self.assertEqual(y.dtype, x.dtype)
            np.testing.assert_array_equal(x, y)

    def test_int4(self):
        try:
            import ml_dtypes
        except ImportError:
            self.skipTest("ml_dtypes is not installed")
        x = np.array([-8, 7, 3], ml_dtypes.int4)
        v = ort.OrtValue.ortvalue_from_numpy(x)
        self.assertEqual(v.data_type(), "tensor(int4)")
        np.testing.assert_array_equal(v.numpy(), x)

    def test_outputs_outlive_the_session(self):
        session = ort.InferenceSession(ADD)
        (y,) = session.run(["y"], {"x": np.ones((3, 2), "f4")})
        del session
        gc.collect()
        y += 1
        np.testing.assert_array_equal(y, [[3, 4]] * 3)

    def test_large_input_from_threads(self):
        session = ort.InferenceSession(ADD)
        x = np.random.default_rng(0).random((100000, 2), "f4")
        bad = []

        def work():
            for _ in range(10):
                if not np.array_equal(session.run(None, {"x": x})[0], x + np.float32([1, 2])):
                    bad.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertFalse(bad)


class Containers(unittest.TestCase):
    def test_sequence(self):
        seq = helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, None)
        m = model([helper.make_node("SequenceAt", ["s", "i"], ["y"]), helper.make_node("Identity", ["s"], ["t"])],
                  [seq, tensor("i", TensorProto.INT64, [])], [tensor("y"), helper.make_tensor_sequence_value_info("t", TensorProto.FLOAT, None)])
        session = ort.InferenceSession(m)
        self.assertEqual(session.get_inputs()[0].type, "seq(tensor(float))")
        items = [np.ones((2, 2), "f4"), np.zeros((1,), "f4")]
        y, t = session.run(None, {"s": items, "i": np.array(1)})
        np.testing.assert_array_equal(y, items[1])
        self.assertEqual([i.shape for i in t], [(2, 2), (1,)])

    def test_zipmap(self):
        m = model([helper.make_node("ZipMap", ["x"], ["y"], domain="ai.onnx.ml", classlabels_strings=["a", "b"])], [tensor("x", shape=[None, 2])],
                  [helper.make_value_info("y", helper.make_sequence_type_proto(helper.make_map_type_proto(
                      TensorProto.STRING, helper.make_tensor_type_proto(TensorProto.FLOAT, []))))], more=[helper.make_opsetid("ai.onnx.ml", 1)])
        session = ort.InferenceSession(m)
        self.assertEqual(session.get_outputs()[0].type, "seq(map(string,tensor(float)))")
        self.assertEqual(session.run(None, {"x": np.array([[1, 2], [3, 4]], "f4")})[0], [{"a": 1, "b": 2}, {"a": 3, "b": 4}])

    def test_map_input(self):
        m = model([helper.make_node("DictVectorizer", ["x"], ["y"], domain="ai.onnx.ml", string_vocabulary=["a", "b", "c"])],
                  [helper.make_value_info("x", helper.make_map_type_proto(TensorProto.STRING, helper.make_tensor_type_proto(TensorProto.FLOAT, [])))],
                  [tensor("y", shape=[1, 3])], more=[helper.make_opsetid("ai.onnx.ml", 1)])
        (y,) = ort.InferenceSession(m).run(None, {"x": {"c": 3.0, "a": 1.0}})
        np.testing.assert_array_equal(y, [[1, 0, 3]])


class Sessions(unittest.TestCase):
    def test_signature(self):
        session = ort.InferenceSession(identity(TensorProto.FLOAT, ["batch", None, 3]))
        arg = session.get_inputs()[0]
        self.assertEqual((arg.name, arg.type, arg.shape), ("x", "tensor(float)", ["batch", None, 3]))
        self.assertEqual(str(arg), "NodeArg(name='x', type='tensor(float)', shape=['batch', None, 3])")
        self.assertIn("CPUExecutionProvider", session.get_providers())
        self.assertIn("CPUExecutionProvider", session.get_provider_options())

    def test_overridable(self):
        m = model([helper.make_node("Add", ["x", "w"], ["y"])], [tensor("x", shape=[2]), tensor("w", shape=[2])], [tensor("y", shape=[2])],
                  [helper.make_tensor("w", TensorProto.FLOAT, [2], [1, 2])])
        session = ort.InferenceSession(m)
        self.assertEqual([i.name for i in session.get_inputs()], ["x"])
        self.assertEqual([i.name for i in session.get_overridable_initializers()], ["w"])
        np.testing.assert_array_equal(session.run(None, {"x": np.zeros(2, "f4")})[0], [1, 2])
        np.testing.assert_array_equal(session.run(None, {"x": np.zeros(2, "f4"), "w": np.float32([5, 6])})[0], [5, 6])

    def test_metadata(self):
        made = onnx.load_model_from_string(ADD)
        made.producer_name, made.domain, made.model_version, made.doc_string = "maker", "dom", 7, "what"
        made.graph.doc_string = "graph doc"
        helper.set_model_props(made, {"k": "v"})
        meta = ort.InferenceSession(made.SerializeToString()).get_modelmeta()
        self.assertEqual((meta.producer_name, meta.domain, meta.version, meta.description, meta.graph_name, meta.graph_description),
                         ("maker", "dom", 7, "what", "g", "graph doc"))
        self.assertEqual(meta.custom_metadata_map, {"k": "v"})

    def test_path_and_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "größe.onnx")
            with open(path, "wb") as f:
                f.write(ADD)
            for source in (path, ADD):
                self.assertEqual(ort.InferenceSession(source, providers=["CPUExecutionProvider"]).run(None, {"x": np.zeros((1, 2), "f4")})[0].tolist(), [[1, 2]])

    def test_options(self):
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.assertEqual(options.get_session_config_entry("session.intra_op.allow_spinning"), "0")
        with self.assertRaisesRegex(RuntimeError, "does not have configuration with key: none"):
            options.get_session_config_entry("none")
        options.add_free_dimension_override_by_name("n", 4)
        session = ort.InferenceSession(ADD, options)
        self.assertEqual(session.get_inputs()[0].shape, [4, 2])
        self.assertIs(session.get_session_options(), options)
        self.assertEqual(int(ort.GraphOptimizationLevel.ORT_ENABLE_ALL), 99)

    def test_initializer_given(self):
        options = ort.SessionOptions()
        value = ort.OrtValue.ortvalue_from_numpy(np.float32([7, 8]))
        options.add_initializer("w", value)
        session = ort.InferenceSession(ADD, options)
        np.testing.assert_array_equal(session.run(None, {"x": np.zeros((1, 2), "f4")})[0], [[7, 8]])

    def test_profile(self):
        with tempfile.TemporaryDirectory() as folder:
            options = ort.SessionOptions()
            options.enable_profiling = True
            options.profile_file_prefix = os.path.join(folder, "p")
            session = ort.InferenceSession(ADD, options)
            session.run(None, {"x": np.zeros((1, 2), "f4")})
            self.assertGreater(session.get_profiling_start_time_ns(), 0)
            self.assertTrue(os.path.getsize(session.end_profiling()) > 2)

    def test_terminate(self):
        session = ort.InferenceSession(endless())
        options = ort.RunOptions()
        timer = threading.Timer(0.2, lambda: setattr(options, "terminate", True))
        timer.start()
        begin = time.monotonic()
        with self.assertRaisesRegex(Exception, "terminate"):
            session.run(None, {"n": np.array(1 << 40), "x": np.ones(1, "f4")}, options)
        self.assertLess(time.monotonic() - begin, 20)
        options.terminate = False
        session.run(None, {"n": np.array(3), "x": np.ones(1, "f4")}, options)

    def test_async(self):
        options = ort.SessionOptions()
        options.intra_op_num_threads = 2
        session = ort.InferenceSession(ADD, options)
        done, got = threading.Event(), []

        def callback(results, user, fault):
            got.append((results, user, fault))
            done.set()

        session.run_async(["y"], {"x": np.zeros((1, 2), "f4")}, callback, "user")
        self.assertTrue(done.wait(20))
        (results, user, fault) = got[0]
        self.assertEqual((user, fault), ("user", ""))
        np.testing.assert_array_equal(results[0], [[1, 2]])


class Values(unittest.TestCase):
    def test_ortvalue(self):
        x = np.arange(6, dtype="f4").reshape(2, 3)
        v = ort.OrtValue.ortvalue_from_numpy(x)
        self.assertEqual((v.data_type(), v.element_type(), v.shape(), v.device_name(), v.is_tensor(), v.has_value(), v.tensor_size_in_bytes()),
                         ("tensor(float)", 1, [2, 3], "cpu", True, True, 24))
        self.assertEqual(v.data_ptr(), x.ctypes.data)
        v.update_inplace(np.full((2, 3), 9, "f4"))
        self.assertEqual(x[0, 0], 9)
        made = ort.OrtValue.ortvalue_from_shape_and_type([2, 2], np.int32)
        made.update_inplace(np.ones((2, 2), "i4"))
        np.testing.assert_array_equal(made.numpy(), np.ones((2, 2)))

    def test_run_with_ort_values(self):
        session = ort.InferenceSession(ADD)
        (y,) = session.run_with_ort_values(["y"], {"x": ort.OrtValue.ortvalue_from_numpy(np.zeros((1, 2), "f4"))})
        np.testing.assert_array_equal(y.numpy(), [[1, 2]])
        np.testing.assert_array_equal(session.run(None, {"x": y})[0], [[2, 4]])

    def test_binding(self):
        session = ort.InferenceSession(ADD)
        binding = session.io_binding()
        x = np.zeros((2, 4), "f4")[:, ::2]
        binding.bind_cpu_input("x", x)
        binding.bind_output("y")
        gc.collect()
        session.run_with_iobinding(binding)
        np.testing.assert_array_equal(binding.copy_outputs_to_cpu()[0], [[1, 2], [1, 2]])
        self.assertEqual(binding.get_outputs()[0].shape(), [2, 2])
        out = np.zeros((2, 2), "f4")
        binding.bind_output("y", "cpu", 0, np.float32, out.shape, out.ctypes.data)
        session.run_with_iobinding(binding)
        np.testing.assert_array_equal(out, [[1, 2], [1, 2]])
        binding.clear_binding_outputs()
        value = ort.OrtValue.ortvalue_from_numpy(out)
        binding.bind_ortvalue_output("y", value)
        binding.bind_ortvalue_input("x", ort.OrtValue.ortvalue_from_numpy(np.ones((2, 2), "f4")))
        session.run_with_iobinding(binding)
        np.testing.assert_array_equal(out, [[2, 3], [2, 3]])
        with self.assertRaises(RuntimeError):
            binding.bind_cpu_input("none", x)


class Sparse(unittest.TestCase):
    def test_parts(self):
        values, places = np.float32([1, 2, 3]), np.array([3, 5, 15])
        t = ort.SparseTensor.sparse_coo_from_numpy([4, 4], values, places, None)
        self.assertEqual((t.format(), t.dense_shape().tolist(), t.data_type()), (ort.OrtSparseFormat.ORT_SPARSE_COO, [4, 4], "sparse_tensor(float)"))
        np.testing.assert_array_equal(t.values(), values)
        np.testing.assert_array_equal(t.as_coo_view().indices(), places)
        v = ort.OrtValue.ort_value_from_sparse_tensor(t)
        self.assertTrue(v.is_sparse_tensor())
        np.testing.assert_array_equal(v.as_sparse_tensor().values(), values)
        r = ort.SparseTensor.sparse_csr_from_numpy([3, 3], values, np.array([1, 1, 2]), np.array([0, 1, 2, 3]), None)
        np.testing.assert_array_equal(r.as_csrc_view().inner(), [1, 1, 2])
        np.testing.assert_array_equal(r.as_csrc_view().outer(), [0, 1, 2, 3])


class Errors(unittest.TestCase):
    def test_codes(self):
        session = ort.InferenceSession(ADD)
        x = np.zeros((1, 2), "f4")

        def fails(cls, text, call):
            with self.assertRaisesRegex(cls, text):
                call()

        fails(errors.InvalidArgument, r"\[ONNXRuntimeError\] : 2 : INVALID_ARGUMENT : Unexpected input data type", lambda: session.run(None, {"x": x.astype("f8")}))
        fails(errors.InvalidArgument, "Invalid rank for input: x", lambda: session.run(None, {"x": x[0]}))
        fails(errors.InvalidArgument, "Got invalid dimensions for input: x", lambda: session.run(None, {"x": np.zeros((1, 3), "f4")}))
        fails(errors.InvalidArgument, "Invalid output name", lambda: session.run(["none"], {"x": x}))
        fails(errors.InvalidArgument, "Invalid input name", lambda: session.run(None, {"x": x, "none": x}))
        fails(ValueError, r"Required inputs \(\['x'\]\) are missing", lambda: session.run(None, {}))
        fails(errors.NoSuchFile, "NO_SUCHFILE.*doesn't exist", lambda: ort.InferenceSession("/none/model.onnx"))
        fails(errors.InvalidProtobuf, "INVALID_PROTOBUF", lambda: ort.InferenceSession(b"\xff\xff\xff"))
        fails(errors.InvalidArgument, "No graph was found", lambda: ort.InferenceSession(b""))
        fails(TypeError, "Unable to load from type", lambda: ort.InferenceSession(5))
        unknown = model([helper.make_node("NoSuchOp", ["x"], ["y"])], [tensor("x", shape=[1])], [tensor("y", shape=[1])])
        fails((errors.InvalidGraph, errors.Fail), "NoSuchOp", lambda: ort.InferenceSession(unknown))

    def test_providers(self):
        import warnings

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            session = ort.InferenceSession(ADD, providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
        self.assertEqual(session.get_providers(), ["CPUExecutionProvider"])
        self.assertTrue(any("CUDAExecutionProvider" in str(w.message) for w in caught))


if __name__ == "__main__":
    unittest.main()
