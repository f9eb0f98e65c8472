"""Runs the test models and compares with the stored outputs.
SPDX-License-Identifier: MIT

usage: run_refs.py FOLDER [--module tenon] [--cli PROGRAM] [--threads 1] [--bits-threads 2] [--noopt] [--store] [model ...]
One line per model: verdict, name, largest error relative to the output's largest magnitude, milliseconds of the first run.
--cli PROGRAM      runs the models through this command line (of another build, say); the module only tells their inputs
--bits-threads N   runs a second time with N threads and demands the same bits
--noopt            switches graph optimisation off
--store            writes ref/ from this module's answers instead of comparing
A float output is right when its largest error is within 1e-3 (or the model's "tolerance" in models.json, given with its reason in
"why") of the output's largest magnitude; other types, shapes, element
types and the places of NaN and infinity must be equal. A stored output "out:NAME@K" holds every K-th element of the flat
output. Exit code: 0 all good, 1 something failed. The last line is "N passed, N failed, N skipped".
"""
import argparse
import importlib
import math
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from inputs import HERE, MODELS, make_inputs

TOLERANCE = 1e-3
STORE_MOST = 5000  # elements of one output that ref/ keeps; larger ones are sampled


def session(rt, path, threads, optimise):
    so = rt.SessionOptions()
    so.intra_op_num_threads = threads
    so.log_severity_level = 4
    if not optimise:
        so.graph_optimization_level = rt.GraphOptimizationLevel.ORT_DISABLE_ALL
    return rt.InferenceSession(path, so, providers=["CPUExecutionProvider"])


def error(name, got, want):
    """largest error relative to the largest magnitude; raises ValueError where no error can be stated"""
    if got.dtype.kind != "f":
        if not np.array_equal(got, want):
            raise ValueError(f"{name}: values differ")
        return 0.0
    finite = np.isfinite(want)
    if not np.array_equal(np.isnan(got), np.isnan(want)) or not np.array_equal(got[~finite], want[~finite], equal_nan=True):
        raise ValueError(f"{name}: NaN or infinity in other places")
    if not finite.any():
        return 0.0
    g, w = got[finite].astype(np.float64), want[finite].astype(np.float64)
    return float(np.abs(g - w).max() / (np.abs(w).max() + 1e-30))


def stored(model):
    """name -> (step, shape, values)"""
    d = np.load(os.path.join(HERE, "ref", model + ".npz"))
    return {k[4:].split("@")[0]: (int(k.split("@")[1]), d["shape:" + k[4:].split("@")[0]], d[k]) for k in d.files if k.startswith("out:")}


def store(model, names, outputs):
    keep = {}
    for name, y in zip(names, outputs):
        step = math.ceil(y.size / STORE_MOST)
        if step > 1:
            step |= 1  # an odd step visits every column
        keep[f"out:{name}@{step}"] = y.reshape(-1)[::step]
        keep[f"shape:{name}"] = np.array(y.shape, np.int64)
    np.savez_compressed(os.path.join(HERE, "ref", model + ".npz"), **keep)


def run_cli(o, path, threads, names, feeds):
    with tempfile.TemporaryDirectory() as work:
        at_in, at_out = os.path.join(work, "in.npz"), os.path.join(work, "out.npz")
        np.savez(at_in, **feeds)
        r = subprocess.run([o.cli, "run", path, "--threads", str(threads), "--opt", "off" if o.noopt else "all", "--input", at_in, "--output", at_out],
                           capture_output=True, text=True)
        if r.returncode:
            raise RuntimeError(f"exit {r.returncode}: {r.stderr[-3000:]}")
        with np.load(at_out) as got:
            return [got[n] for n in names]


def check(o, rt, model):
    """-> (largest error, milliseconds)"""
    path = os.path.join(o.folder, model + ".onnx")
    s = session(rt, path, o.threads, not o.noopt)
    feeds, names = make_inputs(model, s), [y.name for y in s.get_outputs()]
    t = time.perf_counter()
    got = run_cli(o, path, o.threads, names, feeds) if o.cli else s.run(names, feeds)
    ms = (time.perf_counter() - t) * 1e3
    if o.store:
        store(model, names, got)
    want = stored(model)
    if sorted(want) != sorted(names):
        raise ValueError(f"outputs {names}, the reference has {sorted(want)}")
    worst = 0.0
    for name, y in zip(names, got):
        step, shape, values = want[name]
        if list(y.shape) != list(shape) or y.dtype != values.dtype:
            raise ValueError(f"{name}: {y.dtype}{list(y.shape)}, wanted {values.dtype}{list(shape)}")
        worst = max(worst, error(name, y.reshape(-1)[::step], values))
    limit = MODELS[model].get("tolerance", TOLERANCE)
    if worst > limit:
        raise ValueError(f"error {worst:.2e} is above {limit}")
    if o.bits_threads:
        if o.cli:
            again = run_cli(o, path, o.bits_threads, names, feeds)
        else:
            again = session(rt, path, o.bits_threads, not o.noopt).run(names, feeds)
        for name, y, z in zip(names, got, again):
            if y.tobytes() != z.tobytes():
                raise ValueError(f"{name}: other bits with {o.bits_threads} threads than with {o.threads}")
    return worst, ms


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("folder")
    ap.add_argument("models", nargs="*", default=[])
    ap.add_argument("--module", default="tenon")
    ap.add_argument("--cli")
    ap.add_argument("--threads", type=int, default=1)
    ap.add_argument("--bits-threads", type=int, default=0)
    ap.add_argument("--noopt", action="store_true")
    ap.add_argument("--store", action="store_true")
    o = ap.parse_intermixed_args()
    rt = importlib.import_module(o.module)
    passed = failed = 0
    for model in o.models or list(MODELS):
        try:
            worst, ms = check(o, rt, model)
            passed += 1
            print(f"PASS {model:20} error {worst:.1e}  {ms:8.1f} ms", flush=True)
        except Exception as e:  # a model that fails is a line, not an end
            failed += 1
            print(f"FAIL {model:20} {type(e).__name__}: {e}"[:4000 if o.cli else 400], flush=True)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
