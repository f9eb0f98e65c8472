"""Compares quantised models with exact arithmetic: the onnx package's reference evaluator and an LSTM of our own in numpy.
SPDX-License-Identifier: MIT

usage: exact_test.py FOLDER [--module tenon] [--refs FOLDER] [--store] [model ...]
--store writes the exact outputs of models of models.json to ref/, which run_refs.py compares with.
The peer's int8 sums saturate on processors without VNNI, so neither it nor outputs stored from it tell whether an integer
product is right. Here integers are summed in 64 bits. Inputs: those of models.json, or "in:NAME" of REFS/MODEL.npz.
A float output is right when its largest error is within the model's bound (LIMITS, else 1e-3) of its largest magnitude;
integers must be equal. A rounding to 8 bits that falls the other way because a float sum ran in another order is what
the larger bounds allow for. The last line is "N passed, N failed, N skipped".
"""
import argparse
import importlib
import os
import sys

import numpy as np
import onnx
from inputs import MODELS, make_inputs
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun
from run_refs import error, store

QUANTISED = ["tashkeel_rawi_v3_i8", "tashkeel_bilstm_i8", "tashkeel_rawi_ens_i8", "distilbert_dyn8", "resnet50_qdq"]
LIMITS = {"tashkeel_rawi_v3_i8": 1e-2, "tashkeel_bilstm_i8": 3e-2, "distilbert_dyn8": 2e-2, "resnet50_qdq": 5e-2,
          "smart_turn_v32": 1e-2, "sscd_qdq": 0.15}


def quantize(x):
    """DynamicQuantizeLinear of ONNX: u8 values, scale, zero point"""
    low, high = np.float32(min(0, x.min(initial=0))), np.float32(max(0, x.max(initial=0)))
    scale = np.float32(1) if low == high else np.float32((high - low) / np.float32(255))
    zero = np.clip(np.rint(-low / scale), 0, 255).astype(np.uint8)
    return np.clip(np.rint(x / scale) + zero, 0, 255).astype(np.uint8), scale, zero


def product(x, w, w_scale, w_zero):
    """x [rows, K] quantised as a whole, times w [K, N]; integers summed exactly"""
    q, scale, zero = quantize(x)
    sums = (q.astype(np.int64) - int(zero)) @ (w.astype(np.int64) - w_zero.astype(np.int64))
    return sums.astype(np.float32) * (scale * w_scale)


def sigmoid(x):
    return (1 / (1 + np.exp(-x.astype(np.float64)))).astype(np.float32)


class DynamicQuantizeLSTM(OpRun):
    """com.microsoft: gates in the order input, output, forget, cell; W [D, I, 4H], R [D, H, 4H]"""

    op_domain = "com.microsoft"

    def _run(self, X, W, R, B=None, lengths=None, h0=None, c0=None, P=None, Ws=None, Wz=None, Rs=None, Rz=None,
             direction=None, hidden_size=None, **other):
        assert lengths is None and P is None
        steps, batch, features = X.shape
        hidden, count = R.shape[1], W.shape[0]
        Y = np.zeros((steps, count, batch, hidden), np.float32)
        Yh, Yc = np.zeros((2, count, batch, hidden), np.float32)
        each = lambda t, d: t.reshape(count, -1)[d]
        for d in range(count):
            h = h0[d] if h0 is not None else np.zeros((batch, hidden), np.float32)
            c = c0[d] if c0 is not None else np.zeros((batch, hidden), np.float32)
            bias = B[d][: 4 * hidden] + B[d][4 * hidden:] if B is not None else np.float32(0)
            given = product(X.reshape(-1, features), W[d], each(Ws, d), each(Wz, d)).reshape(steps, batch, -1) + bias
            backward = direction == "reverse" or d == 1
            for t in reversed(range(steps)) if backward else range(steps):
                i, o, f, g = np.split(given[t] + product(h, R[d], each(Rs, d), each(Rz, d)), 4, axis=1)
                c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
                h = sigmoid(o) * np.tanh(c)
                Y[t, d] = h
            Yh[d], Yc[d] = h, c
        return Y, Yh, Yc


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("folder")
    ap.add_argument("models", nargs="*")
    ap.add_argument("--module", default="tenon")
    ap.add_argument("--refs")
    ap.add_argument("--store", action="store_true")
    o = ap.parse_intermixed_args()
    rt = importlib.import_module(o.module)
    count = dict(passed=0, failed=0, skipped=0)
    for model in o.models or QUANTISED:
        path = os.path.join(o.folder, model + ".onnx")
        ref = os.path.join(o.refs, model + ".npz") if o.refs else ""
        if not os.path.exists(path) or (model not in MODELS and not os.path.exists(ref)):
            print("SKIP", model, "is not there")
            count["skipped"] += 1
            continue
        try:
            session = rt.InferenceSession(path, providers=["CPUExecutionProvider"])
            if os.path.exists(ref):
                data = np.load(ref, allow_pickle=True)
                feeds = {k[3:]: data[k] for k in data.files if k.startswith("in:")}
            else:
                feeds = make_inputs(model, session)
            names = [x.name for x in session.get_outputs()]
            proto = onnx.load(path)
            for domain in proto.opset_import:  # the evaluator knows DequantizeLinear from 19 on
                domain.version = domain.version if domain.domain else max(domain.version, 19)
            want = ReferenceEvaluator(proto, new_ops=[DynamicQuantizeLSTM]).run(names, feeds)
            if o.store:
                store(model, names, want)
            worst = 0.0
            for name, g, w in zip(names, map(np.asarray, session.run(names, feeds)), want):
                if g.shape != w.shape or g.dtype != w.dtype:
                    raise ValueError(f"{name}: {g.dtype}{g.shape} where {w.dtype}{w.shape} is right")
                worst = max(worst, error(name, g, w))
            good = worst <= LIMITS.get(model, 1e-3)
            print("PASS" if good else "FAIL", model, f"{worst:.2e}", flush=True)
        except Exception as e:
            good = False
            print("FAIL", model, type(e).__name__, str(e)[:300], flush=True)
        count["passed" if good else "failed"] += 1
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**count))
    return 1 if count["failed"] or not count["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
