"""OrtValue and IoBinding.
SPDX-License-Identifier: MIT
"""
import ctypes
import unittest

import numpy as np
from onnx import TensorProto as T
from onnx import helper
from small_models import identity, linear, linear_answer, model, node, rt

CPU = ["CPUExecutionProvider"]
X = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)


class Values(unittest.TestCase):
    def test_from_numpy(self):
        v = rt.OrtValue.ortvalue_from_numpy(X)
        self.assertEqual((v.shape(), v.data_type(), v.device_name(), v.is_tensor(), v.has_value()), ([2, 3], "tensor(float)", "cpu", True, True))
        self.assertEqual(v.element_type(), T.FLOAT)
        np.testing.assert_array_equal(v.numpy(), X)
        self.assertFalse(v.is_tensor_sequence() or v.is_sparse_tensor())

    def test_made_by_shape(self):
        v = rt.OrtValue.ortvalue_from_shape_and_type([2, 5], np.int64)
        self.assertEqual((v.shape(), v.data_type(), v.numpy().dtype), ([2, 5], "tensor(int64)", np.dtype(np.int64)))

    def test_update_inplace(self):
        v = rt.OrtValue.ortvalue_from_numpy(X.copy())
        v.update_inplace(X * 2)
        np.testing.assert_array_equal(v.numpy(), X * 2)

    def test_run_with_values(self):
        s = rt.InferenceSession(linear(), providers=CPU)
        (y,) = s.run_with_ort_values(["y"], {"x": rt.OrtValue.ortvalue_from_numpy(X)})
        np.testing.assert_allclose(y.numpy(), linear_answer(X), rtol=1e-6)
        self.assertEqual(y.shape(), [2, 4])

    def test_values_fed_to_run(self):
        s = rt.InferenceSession(linear(), providers=CPU)
        np.testing.assert_allclose(s.run(None, {"x": rt.OrtValue.ortvalue_from_numpy(X)})[0], linear_answer(X), rtol=1e-6)

    def test_answers_go_in_again(self):
        s = rt.InferenceSession(model([node("Add", ["s", "x"], ["t"])], [("s", T.FLOAT, [2]), ("x", T.FLOAT, [2])], [("t", T.FLOAT, [2])]), providers=CPU)
        x = rt.OrtValue.ortvalue_from_numpy(np.array([1, 2], np.float32))
        state = rt.OrtValue.ortvalue_from_numpy(np.zeros(2, np.float32))
        for _ in range(10):
            (state,) = s.run_with_ort_values(["t"], {"s": state, "x": x})
        self.assertEqual(state.numpy().tolist(), [10, 20])


class SmallTypes(unittest.TestCase):
    def test_numbers_are_those_of_onnx(self):
        for onnx, name, size in ((T.UINT4, "uint4", 2), (T.INT4, "int4", 2), (T.FLOAT4E2M1, "float4e2m1", 2), (T.FLOAT8E8M0, "float8e8m0", 3),
                                 (T.UINT2, "uint2", 1), (T.INT2, "int2", 1), (T.BFLOAT16, "bfloat16", 6), (T.FLOAT8E5M2, "float8e5m2", 3)):
            v = rt.OrtValue.ortvalue_from_shape_and_type([3], onnx)
            self.assertEqual((v.element_type(), v.data_type(), v.tensor_size_in_bytes()), (onnx, f"tensor({name})", size))

    def test_small_inputs(self):
        for onnx, bits, wanted in ((T.INT2, 0b00_10_01_11, [-1, 1, -2]), (T.UINT2, 0b00_10_01_11, [3, 1, 2])):
            m = model([node("Cast", ["x"], ["y"], to=T.FLOAT)], [("x", onnx, [3])], [("y", T.FLOAT, [3])], opset=25)
            s = rt.InferenceSession(m, providers=CPU)
            v = rt.OrtValue.ortvalue_from_shape_and_type([3], onnx)
            ctypes.cast(v.data_ptr(), ctypes.POINTER(ctypes.c_uint8))[0] = bits
            self.assertEqual(s.run(None, {"x": v})[0].tolist(), wanted)


class Empty(unittest.TestCase):
    def test_empty_sequence(self):
        seq = helper.make_tensor_sequence_value_info("s", T.FLOAT, None)
        out = helper.make_tensor_value_info("n", T.INT64, [])
        g = helper.make_graph([node("SequenceLength", ["s"], ["n"])], "g", [seq], [out])
        m = helper.make_model(g, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        s = rt.InferenceSession(m.SerializeToString(), providers=CPU)
        self.assertEqual(int(s.run(None, {"s": []})[0]), 0)
        self.assertEqual(int(s.run(None, {"s": [X, X]})[0]), 2)

    def test_none_for_an_optional(self):
        for inner, full in ((helper.make_tensor_type_proto(T.FLOAT, [2]), np.ones(2, np.float32)),
                            (helper.make_sequence_type_proto(helper.make_tensor_type_proto(T.FLOAT, [2])), [np.ones(2, np.float32)])):
            opt = helper.make_value_info("o", helper.make_optional_type_proto(inner))
            out = helper.make_tensor_value_info("has", T.BOOL, [])
            g = helper.make_graph([node("OptionalHasElement", ["o"], ["has"])], "g", [opt], [out])
            m = helper.make_model(g, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
            s = rt.InferenceSession(m.SerializeToString(), providers=CPU)
            self.assertFalse(s.run(None, {"o": None})[0])
            self.assertTrue(s.run(None, {"o": full})[0])


class Binding(unittest.TestCase):
    def setUp(self):
        self.s = rt.InferenceSession(linear(), providers=CPU)

    def test_cpu_input_and_output(self):
        b = self.s.io_binding()
        b.bind_cpu_input("x", X)
        b.bind_output("y")
        self.s.run_with_iobinding(b)
        np.testing.assert_allclose(b.copy_outputs_to_cpu()[0], linear_answer(X), rtol=1e-6)
        self.assertEqual([o.shape() for o in b.get_outputs()], [[2, 4]])

    def test_given_output_is_written_in_place(self):
        out = rt.OrtValue.ortvalue_from_shape_and_type([2, 4], np.float32)
        b = self.s.io_binding()
        b.bind_ortvalue_input("x", rt.OrtValue.ortvalue_from_numpy(X))
        b.bind_ortvalue_output("y", out)
        self.s.run_with_iobinding(b)
        np.testing.assert_allclose(out.numpy(), linear_answer(X), rtol=1e-6)
        b.clear_binding_inputs()
        b.bind_cpu_input("x", X * 3)
        self.s.run_with_iobinding(b)
        np.testing.assert_allclose(out.numpy(), linear_answer(X * 3), rtol=1e-6)

    def test_pointers(self):
        x, y = np.ascontiguousarray(X), np.zeros((2, 4), np.float32)
        b = self.s.io_binding()
        b.bind_input("x", "cpu", 0, np.float32, x.shape, x.ctypes.data)
        b.bind_output("y", "cpu", 0, np.float32, y.shape, y.ctypes.data)
        self.s.run_with_iobinding(b)
        np.testing.assert_allclose(y, linear_answer(X), rtol=1e-6)

    def test_output_that_is_bound_to_an_input(self):
        s = rt.InferenceSession(identity(T.FLOAT), providers=CPU)
        out = rt.OrtValue.ortvalue_from_shape_and_type([3], np.float32)
        b = s.io_binding()
        b.bind_cpu_input("x", np.array([1, 2, 3], np.float32))
        b.bind_ortvalue_output("y", out)
        s.run_with_iobinding(b)
        self.assertEqual(out.numpy().tolist(), [1, 2, 3])

    def test_growing_output(self):
        b = self.s.io_binding()
        for rows in (1, 4, 2):
            x = np.ones((rows, 3), np.float32)
            b.clear_binding_inputs()
            b.clear_binding_outputs()
            b.bind_cpu_input("x", x)
            b.bind_output("y")
            self.s.run_with_iobinding(b)
            np.testing.assert_allclose(b.copy_outputs_to_cpu()[0], linear_answer(x), rtol=1e-6)


if __name__ == "__main__":
    unittest.main()
