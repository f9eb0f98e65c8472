"""The command line tool: run, inspect, bench, help, errors; and the same answers as the Python module.
SPDX-License-Identifier: MIT

The program is build/release/bin/tenon unless TENON_CLI names another.
"""
import json
import os
import subprocess
import tempfile
import unittest

import numpy as np
from small_models import add, identity, linear, linear_answer, model, node, rt
from onnx import TensorProto as T

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLI = os.environ.get("TENON_CLI", os.path.join(ROOT, "build", "release", "bin", "tenon"))
X = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)


class Cli(unittest.TestCase):
    def setUp(self):
        t = tempfile.TemporaryDirectory()
        self.addCleanup(t.cleanup)
        self.folder = t.name

    def at(self, name):
        return os.path.join(self.folder, name)

    def file(self, name, data):
        with open(self.at(name), "wb") as f:
            f.write(data)
        return self.at(name)

    def npy(self, name, array):
        np.save(self.at(name), array)
        return self.at(name)

    def tenon(self, *args, code=0):
        r = subprocess.run([CLI, *args], capture_output=True, text=True, timeout=120)
        self.assertEqual(r.returncode, code, f"{args}: exit {r.returncode}\n{r.stdout}\n{r.stderr}")
        return r.stdout if code == 0 else r.stdout + r.stderr

    def fails(self, *args, words=()):
        r = subprocess.run([CLI, *args], capture_output=True, text=True, timeout=120)
        self.assertTrue(0 < r.returncode < 100, f"{args}: exit {r.returncode}\n{r.stdout}\n{r.stderr}")
        for w in words:
            self.assertIn(w, r.stderr)


class Help(Cli):
    def test_help_names_the_commands(self):
        text = self.tenon("--help")
        for word in ("run", "inspect", "bench"):
            self.assertIn(word, text)

    def test_each_command_has_examples(self):
        for command in ("run", "inspect", "bench"):
            text = self.tenon(command, "--help")
            self.assertIn(f"tenon {command} ", text)

    def test_version(self):
        self.assertRegex(self.tenon("--version"), r"\d+\.\d+")

    def test_wrong_calls(self):
        self.fails("nonsense")
        self.fails("run")
        self.fails("run", self.file("m.onnx", linear()), "--no-such-option")


class Run(Cli):
    def test_npy_in_npz_out_equals_python(self):
        m = self.file("m.onnx", linear())
        self.tenon("run", m, "--input", "x=" + self.npy("x.npy", X), "--output", self.at("out.npz"))
        got = np.load(self.at("out.npz"))
        self.assertEqual(got.files, ["y"])
        want = rt.InferenceSession(m, providers=["CPUExecutionProvider"]).run(None, {"x": X})[0]
        self.assertEqual(got["y"].tobytes(), want.tobytes())
        np.testing.assert_allclose(want, linear_answer(X), rtol=1e-6)

    def test_npz_in(self):
        np.savez(self.at("in.npz"), a=np.array([1, 2], np.float32), b=np.array([10, 20], np.float32))
        self.tenon("run", self.file("m.onnx", add()), "--input", self.at("in.npz"), "--output", self.at("out.npz"))
        self.assertEqual(np.load(self.at("out.npz"))["y"].tolist(), [11, 22])

    def test_element_types(self):
        for elem, dtype in ((T.DOUBLE, "f8"), (T.INT64, "i8"), (T.INT32, "i4"), (T.UINT8, "u1"), (T.INT8, "i1"), (T.BOOL, "?"), (T.FLOAT16, "f2"), (T.UINT16, "u2")):
            x = np.array([0, 1, 1], dtype)
            self.tenon("run", self.file("m.onnx", identity(elem)), "--input", "x=" + self.npy("x.npy", x), "--output", self.at("out.npz"))
            y = np.load(self.at("out.npz"))["y"]
            self.assertEqual((y.dtype, y.tolist()), (x.dtype, x.tolist()))

    def test_fortran_order_and_scalars(self):
        self.tenon("run", self.file("m.onnx", linear()), "--input", "x=" + self.npy("x.npy", np.asfortranarray(X)), "--output", self.at("out.npz"))
        np.testing.assert_allclose(np.load(self.at("out.npz"))["y"], linear_answer(X), rtol=1e-6)
        one = self.npy("one.npy", np.array(1.5, np.float32))
        self.tenon("run", self.file("s.onnx", add(shape=())), "--input", "a=" + one, "--input", "b=" + one, "--output", self.at("out.npz"))
        self.assertEqual(np.load(self.at("out.npz"))["y"].tolist(), 3.0)

    def test_picture(self):
        from PIL import Image
        pixels = np.zeros((4, 6, 3), np.uint8)
        pixels[1, 2] = (255, 0, 0)
        Image.fromarray(pixels).save(self.at("p.png"))
        m = self.file("m.onnx", model([node("Identity", ["x"], ["y"])], [("x", T.FLOAT, [1, 3, "h", "w"])], [("y", T.FLOAT, [1, 3, "h", "w"])]))
        self.tenon("run", m, "--input", "x=" + self.at("p.png"), "--output", self.at("out.npz"))
        y = np.load(self.at("out.npz"))["y"]
        self.assertEqual(y.shape, (1, 3, 4, 6))
        self.assertEqual(np.argwhere(y == y.max()).tolist(), [[0, 0, 1, 2]])

    def test_random_inputs_by_signature(self):
        m = self.file("m.onnx", linear())
        text = self.tenon("run", m)
        self.assertIn("y", text)
        for k in (1, 2):
            self.tenon("run", m, "--seed", "7", "--dim", "rows=5", "--output", self.at(f"{k}.npz"))
        a, b = (np.load(self.at(f"{k}.npz"))["y"] for k in (1, 2))
        self.assertEqual((a.shape, a.tobytes()), ((5, 4), b.tobytes()))

    def test_threads_do_not_change_the_answer(self):
        m, x = self.file("m.onnx", linear()), self.npy("x.npy", X)
        for n in ("1", "2"):
            self.tenon("run", m, "--threads", n, "--input", "x=" + x, "--output", self.at(n + ".npz"))
        self.assertEqual(np.load(self.at("1.npz"))["y"].tobytes(), np.load(self.at("2.npz"))["y"].tobytes())

    def test_errors(self):
        m = self.file("m.onnx", linear())
        self.fails("run", self.at("none.onnx"), words=["none.onnx"])
        self.fails("run", self.file("bad.onnx", b"no model"), words=["bad.onnx"])
        self.fails("run", m, "--input", "z=" + self.npy("x.npy", X), words=["z"])
        self.fails("run", m, "--input", "x=" + self.at("none.npy"), words=["none.npy"])
        self.fails("run", m, "--input", "x=" + self.npy("w.npy", X.astype("f8")), words=["x"])
        self.fails("run", m, "--input", "x=" + self.npy("w.npy", X[:, :2].copy()), words=["x"])
        self.fails("run", m, "--input", "x=" + self.file("t.npy", b"\x93NUMPY\x01\0\xff\xff{"), words=["t.npy"])


class Inspect(Cli):
    def test_signature_and_operators(self):
        text = self.tenon("inspect", self.file("m.onnx", linear(props={"author": "somebody"})))
        for word in ("x", "y", "rows", "MatMul", "Relu", "somebody"):
            self.assertIn(word, text)

    def test_json(self):
        d = json.loads(self.tenon("inspect", self.file("m.onnx", linear()), "--json"))
        self.assertIsInstance(d, dict)
        self.assertIn("MatMul", json.dumps(d))

    def test_errors(self):
        self.fails("inspect", self.at("none.onnx"), words=["none.onnx"])


class Bench(Cli):
    def test_figures(self):
        text = self.tenon("bench", self.file("m.onnx", linear()), "--runs", "20", "--threads", "1")
        for word in ("p50", "p90", "p99"):
            self.assertIn(word, text)

    def test_json(self):
        d = json.loads(self.tenon("bench", self.file("m.onnx", linear()), "--runs", "20", "--json"))
        self.assertIn("p50", json.dumps(d))

    def test_errors(self):
        self.fails("bench", self.at("none.onnx"), words=["none.onnx"])


if __name__ == "__main__":
    unittest.main()
