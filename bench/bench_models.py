#!/usr/bin/env python3
"""Latency, load time and memory of whole models on two modules with the onnxruntime Python API, as ratios.
SPDX-License-Identifier: MIT

usage: bench_models.py FOLDER [--a tenon] [--b onnxruntime] [--threads 1] [--seconds 4] [--blocks 6] [--no-load] [--out F.tsv] [model ...]
FOLDER holds the models of tests/models/models.json (tests/models/fetch.py fills it).
latency   both sessions live in one process, made twice in both orders. Blocks of runs alternate, the first side changes every pair,
          pauses lie between blocks so that spinning threads of the other side go quiet. Each pair gives one ratio
          median(b) / median(a): above 1, a is faster. Given are the median of the ratios and their quartiles. Runs under
          20 microseconds are timed in batches.
load      fresh processes in the order a b b a: the shorter load time, the mean growth of memory from before the load to after
          the first run.
A model that a cannot run, or answers in other shapes than b, counts as failed and enters the mean as 0.1. Only ratios mean
anything, and only when nothing else ran. Exit code 1 when a model failed. The last line is
  geometric mean G over N models, F failed, B below (model,model,...)
where "below" counts the models whose upper quartile is under 0.98.
"""
import argparse
import importlib
import json
import math
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "models"))
from inputs import MODELS, make_inputs  # noqa: E402

PAUSE, SHORT_US, BATCH_US, FAILED, BELOW = 0.15, 20.0, 200.0, 0.1, 0.98


def session(module, path, threads):
    """-> (session, load time in ms)"""
    rt = importlib.import_module(module)
    so = rt.SessionOptions()
    so.intra_op_num_threads, so.inter_op_num_threads, so.log_severity_level = threads, 1, 4
    t = time.perf_counter()
    s = rt.InferenceSession(path, so, providers=["CPUExecutionProvider"])
    return s, (time.perf_counter() - t) * 1e3


def memory_mb():
    """private and shared memory of this process in MB"""
    with open("/proc/self/smaps_rollup") as f:
        return sum(int(w[1]) for w in map(str.split, f) if w[0].startswith(("Private_Clean", "Private_Dirty", "Shared_Clean", "Shared_Dirty"))) / 1024


def fresh_process(module, path, feeds_file, threads):
    """the part that runs in a process of its own"""
    d = np.load(feeds_file)
    feeds = {k: d[k] for k in d.files}
    importlib.import_module(module)
    before = memory_mb()
    s, load = session(module, path, threads)
    t = time.perf_counter()
    s.run(None, feeds)
    print("J" + json.dumps(dict(load_ms=load, first_ms=(time.perf_counter() - t) * 1e3, mb=memory_mb() - before)))


def loads(o, path, feeds):
    """-> {"a": {load_ms, first_ms, mb}, "b": ...}"""
    got = {"a": [], "b": []}
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "in.npz")
        np.savez(file, **feeds)
        for side in "abba":
            r = subprocess.run([sys.executable, os.path.abspath(__file__), "--fresh", getattr(o, side), path, file, str(o.threads)], capture_output=True, text=True)
            line = [x for x in r.stdout.splitlines() if x.startswith("J{")]
            if r.returncode or not line:
                raise RuntimeError(f"a fresh process ended with {r.returncode}: {r.stderr.strip()[-160:]}")
            got[side].append(json.loads(line[-1][1:]))
    return {s: dict(load_ms=min(g["load_ms"] for g in got[s]), first_ms=min(g["first_ms"] for g in got[s]), mb=sum(g["mb"] for g in got[s]) / 2) for s in got}


def block(s, feeds, seconds, batch):
    """times of runs in ms for some seconds"""
    times, end = [], time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        t = time.perf_counter()
        for _ in range(batch):
            s.run(None, feeds)
        times.append((time.perf_counter() - t) * 1e3 / batch)
    return times


def batch_of(s, feeds):
    """runs per timing; also the warm-up"""
    us = float(np.median(block(s, feeds, 0.05, 1)[-200:])) * 1e3
    return 1 if us >= SHORT_US else math.ceil(BATCH_US / max(us, 0.5))


class PeerFailed(Exception):
    pass


def pair(o, path, feeds, order):
    """sessions of both sides, made in the given order"""
    s, shapes, peer = {}, {}, None
    for side in order:
        try:
            s[side] = session(getattr(o, side), path, o.threads)[0]
            shapes[side] = [np.shape(y) for y in s[side].run(None, feeds)]
        except Exception as e:
            if side == "a":
                raise
            peer = f"{type(e).__name__}: {e}"[:160]
    if peer:
        raise PeerFailed(peer)
    if shapes["a"] != shapes["b"]:
        raise ValueError(f"shapes {shapes['a']}, the peer gives {shapes['b']}"[:200])
    return s


def measure(o, path, model):
    feeds = make_inputs(model, session(o.a, path, o.threads)[0])
    times, ratios, s, batch = {"a": [], "b": []}, [], None, {}
    for k in range(o.blocks):
        if k in (0, (o.blocks + 1) // 2):  # where weights come to lie matters: half of the pairs with sessions made in the other order
            s = None
            s = pair(o, path, feeds, "ab" if k == 0 else "ba")
            batch = {side: batch.get(side) or batch_of(s[side], feeds) for side in "ab"}
        for side in ("ab", "ba")[k % 2]:
            time.sleep(PAUSE)
            s[side].run(None, feeds)
            times[side].append(float(np.median(block(s[side], feeds, o.seconds / o.blocks / 2, batch[side]))))
        ratios.append(times["b"][-1] / times["a"][-1])
    s = None
    q1, ratio, q3 = (float(x) for x in np.percentile(ratios, (25, 50, 75)))
    r = dict(a_ms=float(np.median(times["a"])), b_ms=float(np.median(times["b"])), q1=q1, ratio=ratio, q3=q3)
    if not o.no_load:
        for side, d in loads(o, path, feeds).items():
            r.update({f"{side}_{k}": v for k, v in d.items()})
    return r


def main():
    if sys.argv[1:2] == ["--fresh"]:
        return fresh_process(*sys.argv[2:5], int(sys.argv[5]))
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("folder")
    ap.add_argument("models", nargs="*")
    ap.add_argument("--a", default="tenon")
    ap.add_argument("--b", default="onnxruntime")
    ap.add_argument("--threads", type=int, default=1)
    ap.add_argument("--seconds", type=float, default=4, help="of running per model, both sides together")
    ap.add_argument("--blocks", type=int, default=6, help="of each side, at least 5")
    ap.add_argument("--no-load", action="store_true")
    ap.add_argument("--out")
    o = ap.parse_intermixed_args()
    o.blocks = max(5, o.blocks)
    ratios, failed, below, rows = {}, [], [], []
    print(f"a = {o.a}, b = {o.b}, {o.threads} threads")
    print(f"{'model':20} {'a ms':>10} {'b ms':>10} {'ratio':>7} {'quartiles':>13} {'load ms a':>10} {'b':>8} {'MB a':>8} {'b':>8}")
    for model in o.models or list(MODELS):
        try:
            r = measure(o, os.path.join(o.folder, model + ".onnx"), model)
        except PeerFailed as e:
            print(f"{model:20} left out, b cannot run it: {e}", flush=True)
            continue
        except Exception as e:  # a model that a cannot run is a row, not an end
            print(f"{model:20} FAILED {type(e).__name__}: {e}"[:240], flush=True)
            failed.append(model)
            continue
        ratios[model] = r["ratio"]
        if r["q3"] < BELOW:
            below.append(model)
        row = f"{model:20} {r['a_ms']:10.4f} {r['b_ms']:10.4f} {r['ratio']:7.3f} {r['q1']:6.3f}-{r['q3']:6.3f}"
        if "a_mb" in r:
            row += f" {r['a_load_ms']:10.1f} {r['b_load_ms']:8.1f} {r['a_mb']:8.1f} {r['b_mb']:8.1f}"
        print(row, flush=True)
        rows.append((model, r))
    if o.out and rows:
        columns = list(rows[0][1])
        with open(o.out, "w") as f:
            f.write("model\tthreads\t" + "\t".join(columns) + "\n")
            f.writelines(f"{m}\t{o.threads}\t" + "\t".join(f"{r[c]:.4f}" for c in columns) + "\n" for m, r in rows)
    all_ = list(ratios.values()) + [FAILED] * len(failed)
    mean = math.exp(sum(map(math.log, all_)) / len(all_)) if all_ else 0.0
    print(f"geometric mean {mean:.3f} over {len(ratios)} models, {len(failed)} failed, {len(below)} below ({','.join(below)})")
    return 1 if failed or not ratios else 0


if __name__ == "__main__":
    sys.exit(main())
