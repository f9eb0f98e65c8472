"""SessionOptions, RunOptions, threads, concurrency, cancellation.
SPDX-License-Identifier: MIT
"""
import os
import tempfile
import threading
import unittest

import numpy as np
from onnx import TensorProto as T
from small_models import errors, linear, linear_answer, loop, message, model, node, rt

CPU = ["CPUExecutionProvider"]
X = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)


def wide(n=96, layers=3):
    """a stack of n x n products with softmax: enough work for two threads"""
    rng = np.random.default_rng(1)
    nodes, weights, at = [], {}, "x"
    for k in range(layers):
        weights[f"w{k}"] = (rng.standard_normal((n, n)) / n**0.5).astype(np.float32)
        nodes += [node("MatMul", [at, f"w{k}"], [f"m{k}"]), node("Softmax", [f"m{k}"], [f"s{k}"], axis=-1), node("Add", [f"m{k}", f"s{k}"], [f"a{k}"])]
        at = f"a{k}"
    nodes.append(node("Identity", [at], ["y"]))
    return model(nodes, [("x", T.FLOAT, ["rows", n])], [("y", T.FLOAT, ["rows", n])], weights)


class Options(unittest.TestCase):
    def test_defaults_and_setting(self):
        so = rt.SessionOptions()
        self.assertEqual(so.graph_optimization_level, rt.GraphOptimizationLevel.ORT_ENABLE_ALL)
        self.assertEqual(so.execution_mode, rt.ExecutionMode.ORT_SEQUENTIAL)
        self.assertEqual((so.intra_op_num_threads, so.inter_op_num_threads), (0, 0))
        self.assertTrue(so.enable_cpu_mem_arena and so.enable_mem_pattern)
        so.intra_op_num_threads = 2
        so.inter_op_num_threads = 1
        so.log_severity_level = 3
        so.logid = "mine"
        so.enable_cpu_mem_arena = False
        so.enable_mem_pattern = False
        so.execution_mode = rt.ExecutionMode.ORT_PARALLEL
        for level in ("ORT_DISABLE_ALL", "ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED", "ORT_ENABLE_ALL"):
            so.graph_optimization_level = getattr(rt.GraphOptimizationLevel, level)
            s = rt.InferenceSession(linear(), so, providers=CPU)
            np.testing.assert_allclose(s.run(None, {"x": X})[0], linear_answer(X), rtol=1e-6)
        self.assertEqual((so.intra_op_num_threads, so.logid, so.log_severity_level), (2, "mine", 3))

    def test_config_entries(self):
        so = rt.SessionOptions()
        so.add_session_config_entry("session.intra_op.allow_spinning", "0")
        so.add_session_config_entry("a key nobody knows", "x")
        self.assertEqual(so.get_session_config_entry("session.intra_op.allow_spinning"), "0")
        self.assertIsInstance(message(so.get_session_config_entry, "missing"), Exception)
        rt.InferenceSession(linear(), so, providers=CPU).run(None, {"x": X})

    def test_options_by_keyword_and_reuse(self):
        so = rt.SessionOptions()
        a = rt.InferenceSession(linear(), sess_options=so, providers=CPU)
        b = rt.InferenceSession(linear(), sess_options=so, providers=CPU)
        np.testing.assert_array_equal(a.run(None, {"x": X})[0], b.run(None, {"x": X})[0])
        self.assertIsInstance(a.get_session_options(), rt.SessionOptions)

    def test_free_dimension_override(self):
        so = rt.SessionOptions()
        so.add_free_dimension_override_by_name("rows", 2)
        s = rt.InferenceSession(linear(), so, providers=CPU)
        self.assertEqual(s.get_inputs()[0].shape, [2, 3])
        np.testing.assert_allclose(s.run(None, {"x": X})[0], linear_answer(X), rtol=1e-6)
        self.assertIsInstance(message(s.run, None, {"x": X[:1]}), errors().InvalidArgument)

    def test_provider_forms(self):
        for providers in (["CPUExecutionProvider"], [("CPUExecutionProvider", {})], None):
            s = rt.InferenceSession(linear(), providers=providers)
            self.assertIn("CPUExecutionProvider", s.get_providers())

    def test_run_options(self):
        s = rt.InferenceSession(linear(), providers=CPU)
        ro = rt.RunOptions()
        ro.logid = "r"
        ro.log_severity_level = 3
        ro.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
        self.assertFalse(ro.terminate)
        np.testing.assert_allclose(s.run(None, {"x": X}, ro)[0], linear_answer(X), rtol=1e-6)


class Threads(unittest.TestCase):
    def test_same_bits_for_any_thread_count(self):
        x = np.random.default_rng(2).standard_normal((50, 96)).astype(np.float32)
        answers = []
        for n in (1, 2, 3, 4, 0):
            so = rt.SessionOptions()
            so.intra_op_num_threads = n
            answers.append(rt.InferenceSession(wide(), so, providers=CPU).run(None, {"x": x})[0].tobytes())
        self.assertEqual(len(set(answers)), 1)

    def test_concurrent_runs_of_one_session(self):
        so = rt.SessionOptions()
        so.intra_op_num_threads = 2
        s = rt.InferenceSession(wide(), so, providers=CPU)
        inputs = [np.random.default_rng(k).standard_normal((k % 7 + 1, 96)).astype(np.float32) for k in range(24)]
        want = [s.run(None, {"x": x})[0].tobytes() for x in inputs]
        wrong = []

        def work(first):
            for k in list(range(first, 24)) + list(range(first)):
                if s.run(None, {"x": inputs[k]})[0].tobytes() != want[k]:
                    wrong.append(k)

        threads = [threading.Thread(target=work, args=(k * 6,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_sessions_may_come_and_go_on_threads(self):
        def work():
            for _ in range(5):
                rt.InferenceSession(linear(), providers=CPU).run(None, {"x": X})

        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()

    def test_run_async(self):
        so = rt.SessionOptions()
        so.intra_op_num_threads = 2
        s = rt.InferenceSession(linear(), so, providers=CPU)
        done, box = threading.Event(), []

        def callback(results, user, err):
            box.append((results, user, err))
            done.set()

        s.run_async(["y"], {"x": X}, callback, "tag")
        self.assertTrue(done.wait(20))
        results, user, err = box[0]
        np.testing.assert_allclose(results[0], linear_answer(X), rtol=1e-6)
        self.assertEqual((user, err), ("tag", ""))

    def test_a_forked_child_can_run(self):
        so = rt.SessionOptions()
        so.intra_op_num_threads = 1
        s = rt.InferenceSession(wide(), so, providers=CPU)
        x = np.ones((3, 96), np.float32)
        want = s.run(None, {"x": x})[0].tobytes()
        pid = os.fork()
        if pid == 0:
            os._exit(0 if s.run(None, {"x": x})[0].tobytes() == want else 1)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)


class Cancellation(unittest.TestCase):
    def test_terminate_before_the_run(self):
        s = rt.InferenceSession(linear(), providers=CPU)
        ro = rt.RunOptions()
        ro.terminate = True
        e = message(s.run, None, {"x": X}, ro)
        self.assertIsInstance(e, errors().Fail)
        self.assertIn("terminate", str(e))
        ro.terminate = False
        s.run(None, {"x": X}, ro)

    def test_terminate_from_another_thread(self):
        s = rt.InferenceSession(loop(), providers=CPU)
        ro = rt.RunOptions()
        timer = threading.Timer(0.2, lambda: setattr(ro, "terminate", True))
        timer.start()
        one = np.ones(1, np.float32)
        e = message(s.run, ["s"], {"rounds": np.array(2**40), "go": np.array(True), "s0": one, "x": one}, ro)
        timer.join()
        self.assertIsInstance(e, errors().Fail)
        self.assertIn("terminate", str(e))


class OptimisedModel(unittest.TestCase):
    def test_saved_model_gives_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            so = rt.SessionOptions()
            so.optimized_model_filepath = os.path.join(folder, "saved.onnx")
            so.graph_optimization_level = rt.GraphOptimizationLevel.ORT_ENABLE_BASIC
            so.log_severity_level = 4
            a = rt.InferenceSession(linear(), so, providers=CPU).run(None, {"x": X})[0]
            b = rt.InferenceSession(so.optimized_model_filepath, providers=CPU).run(None, {"x": X})[0]
            np.testing.assert_array_equal(a, b)


if __name__ == "__main__":
    unittest.main()
