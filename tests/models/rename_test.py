"""Rewrites the test models in ways that must not matter and checks that the answers stay.
SPDX-License-Identifier: MIT

usage: rename_test.py FOLDER [--module tenon] [model ...]
renamed   every value and node gets another name, initialisers are shuffled, stored shapes of inner values are dropped:
          the same bits as the file as it is
batch     the batch dimension becomes free and two different rows go in at once: each row within 1e-4 of its own run
free      other sizes of the free dimensions (a longer sequence, a wider picture): loads once, answers both sizes like fresh sessions
The last line is "N passed, N failed, N skipped".
"""
import argparse
import importlib
import os
import random
import sys

import numpy as np
import onnx
from inputs import make_inputs
from run_refs import error, session

BATCH = {"ocr_det_v4": 1e-4, "ocr_rec_v4": 1e-4, "ocr_cls_v2": 1e-4, "silero_vad": 1e-4, "mobilenet_v3_large": 1e-4, "nakdimon": 1e-4}
AXIS = {"state": 1, "stateN": 1}  # where the batch is not axis 0
WHOLE = {"sr"}  # inputs without a batch axis
SIZES = {  # model -> shapes of one input, one after the other in one session
    "ocr_det_v4": ("x", [(1, 3, 320, 320), (1, 3, 256, 416), (1, 3, 320, 320)]),
    "ocr_rec_v4": ("x", [(1, 3, 48, 160), (2, 3, 48, 224), (1, 3, 48, 160)]),
    "ocr_cls_v2": ("x", [(1, 3, 48, 192), (3, 3, 48, 192), (1, 3, 48, 192)]),
    "nakdimon": ("input_1", [(1, 17), (3, 40), (1, 17)]),
}


def rename(graph, names, top, rng):
    """Gives every value of a graph and of the graphs inside it a new name; names: old -> new of the enclosing graphs."""
    names = dict(names)

    def new(old):
        if not old:
            return ""
        if old not in names:
            names[old] = f"v {rng.randrange(10**9)}/{len(names)}:é"
        return names[old]

    keep = {v.name for v in list(graph.input) + list(graph.output)} if top else set()
    names.update({k: k for k in keep})
    for v in list(graph.input) + list(graph.output) + list(graph.initializer):
        if v.name not in keep:
            names.pop(v.name, None)  # an inner graph's own value hides the outer one
    for v in list(graph.input) + list(graph.initializer):
        v.name = new(v.name)
    for node in graph.node:
        for k, name in enumerate(node.input):
            node.input[k] = new(name)
        for a in node.attribute:
            for g in ([a.g] if a.HasField("g") else []) + list(a.graphs):
                rename(g, names, False, rng)
        for k, name in enumerate(node.output):
            node.output[k] = new(name)
        node.name = f"n{rng.randrange(10**9)}"
        node.doc_string = ""
    for v in graph.output:
        v.name = new(v.name)
    del graph.value_info[:]
    order = list(graph.initializer)
    rng.shuffle(order)
    del graph.initializer[:]
    graph.initializer.extend(order)


def run(rt, model_bytes, feeds, threads=1):
    s = session(rt, model_bytes, threads, True)
    return s.run([y.name for y in s.get_outputs()], feeds)


def test_renamed(rt, path, model):
    s = session(rt, path, 1, True)
    feeds = make_inputs(model, s)
    before = s.run([y.name for y in s.get_outputs()], feeds)
    m = onnx.load(path)
    rename(m.graph, {}, True, random.Random(model))
    after = run(rt, m.SerializeToString(), feeds)
    for y, a, b in zip(s.get_outputs(), before, after):
        if a.tobytes() != b.tobytes():
            raise ValueError(f"{y.name}: other bits after renaming (error {error(y.name, b, a):.1e})")


def test_batch(rt, path, model):
    m = onnx.load(path)
    for v in list(m.graph.input) + list(m.graph.output):
        if v.name not in WHOLE and len(v.type.tensor_type.shape.dim) > AXIS.get(v.name, 0):
            v.type.tensor_type.shape.dim[AXIS.get(v.name, 0)].dim_param = "rows"
    s = session(rt, m.SerializeToString(), 1, True)
    names = [y.name for y in s.get_outputs()]
    one = make_inputs(model, s)
    two = {k: x if k in WHOLE else np.flip(x, -1).copy() for k, x in one.items()}
    both = {k: x if k in WHOLE else np.concatenate([x, two[k]], AXIS.get(k, 0)) for k, x in one.items()}
    got = s.run(names, both)
    for row, feeds in enumerate((one, two)):
        for name, y, w in zip(names, got, s.run(names, feeds)):
            part = np.take(y, [row], AXIS.get(name, 0))
            if part.shape != w.shape:
                raise ValueError(f"{name}: row {row} has shape {part.shape}, alone {w.shape}")
            e = error(name, part, w)
            if e > BATCH[model]:
                raise ValueError(f"{name}: row {row} of two differs by {e:.1e} from its own run")


def test_free(rt, path, model):
    name, shapes = SIZES[model]
    held = session(rt, path, 1, True)
    names = [y.name for y in held.get_outputs()]
    base = make_inputs(model, held)
    for shape in shapes:
        feeds = dict(base)
        feeds[name] = np.ascontiguousarray(np.resize(base[name], shape))
        for y, a, b in zip(names, held.run(names, feeds), session(rt, path, 1, True).run(names, feeds)):
            if a.tobytes() != b.tobytes():
                raise ValueError(f"{y}: at {shape} a session that ran other sizes gives other bits than a fresh one")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("folder")
    ap.add_argument("models", nargs="*")
    ap.add_argument("--module", default="tenon")
    o = ap.parse_intermixed_args()
    rt = importlib.import_module(o.module)
    passed = failed = 0
    for what, test, models in (("renamed", test_renamed, list(BATCH)), ("batch", test_batch, list(BATCH)), ("free", test_free, list(SIZES))):
        for model in models:
            if o.models and model not in o.models:
                continue
            try:
                test(rt, os.path.join(o.folder, model + ".onnx"), model)
                passed += 1
                print(f"PASS {what:8} {model}", flush=True)
            except Exception as e:  # a line for each, whatever goes wrong
                failed += 1
                print(f"FAIL {what:8} {model}: {type(e).__name__}: {e}"[:400], flush=True)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
