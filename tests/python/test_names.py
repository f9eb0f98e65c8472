"""The names under which programs reach the module: packages, submodules, exception classes.
SPDX-License-Identifier: MIT
"""
import importlib
import unittest

from small_models import MODULE, rt

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


if __name__ == "__main__":
    unittest.main()
