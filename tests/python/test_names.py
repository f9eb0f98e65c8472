"""The names under which programs reach the module: packages, submodules, exception classes.
SPDX-License-Identifier: MIT
"""
import importlib
import unittest

import numpy as np
import onnx
from small_models import MODULE, linear, linear_answer, rt

NAMES = """InferenceSession SessionOptions RunOptions GraphOptimizationLevel ExecutionMode OrtValue IOBinding NodeArg ModelMetadata
get_available_providers get_all_providers get_device set_default_logger_severity set_default_logger_verbosity set_seed OrtMemType OrtAllocatorType
OrtMemoryInfo OrtDevice ExecutionOrder enable_telemetry_events disable_telemetry_events get_version_string get_build_info __version__""".split()
EXCEPTIONS = "Fail InvalidArgument NoSuchFile NoModel EngineError RuntimeException InvalidProtobuf ModelLoaded NotImplemented InvalidGraph EPFail".split()


class Names(unittest.TestCase):
    def test_top_level(self):
        self.assertEqual([n for n in NAMES if not hasattr(rt, n)], [])

    def test_exceptions(self):
        state = importlib.import_module(MODULE + ".capi.onnxruntime_pybind11_state")
        for n in EXCEPTIONS:
            self.assertTrue(issubclass(getattr(state, n), Exception), n)

    def test_submodules(self):
        for name in ("capi", "capi._pybind_state", "capi.onnxruntime_pybind11_state", "capi.onnxruntime_inference_collection"):
            importlib.import_module(f"{MODULE}.{name}")
        self.assertIs(importlib.import_module(MODULE + ".capi.onnxruntime_inference_collection").InferenceSession, rt.InferenceSession)
        self.assertEqual(importlib.import_module(MODULE + ".capi._pybind_state").get_available_providers(), rt.get_available_providers())

    def test_backend(self):
        """ONNX's backend interface"""
        backend = importlib.import_module(MODULE + ".backend")
        inner = importlib.import_module(MODULE + ".backend.backend")
        self.assertTrue(backend.supports_device("CPU") and backend.supports_device("CPU:0"))
        self.assertFalse(backend.supports_device("CUDA"))
        x = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)
        proto = onnx.load_model_from_string(linear())
        prepared = backend.prepare(proto, "CPU", intra_op_num_threads=1)
        for inputs in ([x], (x,), {"x": x}, x):
            np.testing.assert_allclose(prepared.run(inputs)[0], linear_answer(x), rtol=1e-6)
        for source in (proto, linear(), prepared, rt.InferenceSession(linear(), providers=["CPUExecutionProvider"])):
            np.testing.assert_allclose(backend.run(source, [x])[0], linear_answer(x), rtol=1e-6)
        self.assertIs(inner.OnnxRuntimeBackend.prepare(prepared), prepared)
        self.assertTrue(backend.is_compatible(proto))
        self.assertFalse(backend.is_compatible(b"no model"))
        with self.assertRaisesRegex(RuntimeError, "Incompatible device"):
            backend.prepare(proto, "CUDA")
        with self.assertRaises(RuntimeError):
            prepared.run([x, x])


if __name__ == "__main__":
    unittest.main()
