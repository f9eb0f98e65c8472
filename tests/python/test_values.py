"""OrtValue and IoBinding.
SPDX-License-Identifier: MIT
"""
import unittest

import numpy as np
from onnx import TensorProto as T
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
