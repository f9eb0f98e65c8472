"""onnxruntime.backend under ONNX's own test runner: some of the node tests through prepare, run and run_model.
SPDX-License-Identifier: MIT
"""
import unittest

import onnx.backend.test
import onnxruntime.backend as backend

assert backend.supports_device("CPU") and backend.supports_device("CPU:0")
runner = onnx.backend.test.BackendTest(backend, "client")
for pattern in ("test_add_", "test_relu_", "test_matmul_", "test_gather_", "test_reshape_", "test_softmax_", "test_conv_", "test_topk_", "test_sequence_insert"):
    runner.include(pattern)
runner.exclude("_cuda")
suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(case) for case in runner.test_cases.values())
result = unittest.TextTestRunner(verbosity=0).run(suite)
ran = result.testsRun - len(result.skipped)
print(ran, "ran")
assert result.wasSuccessful() and ran > 40
