"""Rewrites the test models in ways that must not matter and checks that the answers stay.
SPDX-License-Identifier: MIT

usage: rename_test.py FOLDER [--module tenon] [--all] [model ...]
renamed   every value and node gets another name, initialisers are shuffled, stored shapes of inner values are dropped:
          the same bits as the file as it is
batch     the batch dimension becomes free and two different rows go in at once: each row within 1e-4 of its own run
free      other sizes of the free dimensions (a longer sequence, a wider picture): loads once, answers each like a fresh session
--all takes every .onnx file of the folder; inputs of those that models.json lacks are guessed ("renamed" only; skipped when the
file itself does not run on any guess). The last line is "N passed, N failed, N skipped".
"""
import argparse
import importlib
import os
import random
import sys

import numpy as np
import onnx
from inputs import MODELS, dtype_of, make_inputs, seed_of, uniform
from run_refs import error, session

# Not the 8-bit LSTMs: one scale for the whole batch couples the rows.
BATCH = {"ocr_det_v4": 1e-4, "ocr_rec_v4": 1e-4, "ocr_cls_v2": 1e-4, "silero_vad": 1e-4, "mobilenet_v3_large": 1e-4, "nakdimon": 1e-4, "gpt2": 1e-4}
AXIS = {"state": 1, "stateN": 1}  # where the batch is not axis 0
WHOLE = {"sr"}  # inputs without a batch axis
SIZES = {  # model -> inputs that change their shape, one set after the other in one session
    "ocr_det_v4": [{"x": (1, 3, 320, 320)}, {"x": (1, 3, 256, 416)}, {"x": (1, 3, 320, 320)}],
    "ocr_rec_v4": [{"x": (1, 3, 48, 160)}, {"x": (2, 3, 48, 224)}, {"x": (1, 3, 48, 160)}],
    "ocr_cls_v2": [{"x": (1, 3, 48, 192)}, {"x": (3, 3, 48, 192)}, {"x": (1, 3, 48, 192)}],
    "nakdimon": [{"input_1": (1, 17)}, {"input_1": (3, 40)}, {"input_1": (1, 17)}],
    "silero_vad": [{"input": (1, 576)}, {"input": (3, 576), "state": (2, 3, 128)}, {"input": (1, 576), "state": (2, 1, 128)}],
    "tashkeel_rawi_v3_i8": [{"input": (1, 128)}, {"input": (2, 128)}, {"input": (1, 128)}],
    "tashkeel_bilstm_i8": [{"input_ids": (1, 128)}, {"input_ids": (2, 128)}, {"input_ids": (1, 128)}],
    "gpt2": [{"input_ids": (1, 1), "attention_mask": (1, 65), "position_ids": (1, 1)},
             {"input_ids": (1, 5), "attention_mask": (1, 69), "position_ids": (1, 5)},
             {"input_ids": (1, 1), "attention_mask": (1, 65), "position_ids": (1, 1)}],
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


def guesses(session):
    """inputs that a model might take, one set after the other"""
    for free in (2, 8, 64, 1, 576, 16000):
        feeds = {}
        for i in session.get_inputs():
            shape = [d if isinstance(d, int) else 1 if k == 0 and len(i.shape) > 1 else free for k, d in enumerate(i.shape)]
            if "string" in i.type:
                feeds[i.name] = np.array([f"t{k % 3}" for k in range(int(np.prod(shape)))], dtype=object).reshape(shape)
            else:
                dtype = dtype_of(i.type)
                u = uniform(int(np.prod(shape)), seed_of(i.name)).reshape(shape)
                feeds[i.name] = (u * 2 - 1 if dtype.kind == "f" else np.floor(u * 2)).astype(dtype)
        yield feeds


def same(a, b):
    """the same types, shapes and bits"""
    if isinstance(a, np.ndarray):
        bits = (lambda x: x.tolist()) if a.dtype == object else (lambda x: x.tobytes())
        return isinstance(b, np.ndarray) and (a.dtype, a.shape) == (b.dtype, b.shape) and bits(a) == bits(b)
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return type(a) is type(b) and a == b


class NotRun(Exception):
    """a model whose inputs nobody knows"""


def answers(s, model):
    """inputs and outputs of the model as it is"""
    names = [y.name for y in s.get_outputs()]
    if model in MODELS:
        feeds = make_inputs(model, s)
        return feeds, s.run(names, feeds)
    fault = None
    for feeds in guesses(s):
        try:
            return feeds, s.run(names, feeds)
        except Exception as e:  # the next guess may do
            fault = e
    raise NotRun(f"no guess of the inputs does: {fault}")


def test_renamed(rt, path, model):
    s = session(rt, path, 1, True)
    feeds, before = answers(s, model)
    m = onnx.load(path)
    rename(m.graph, {}, True, random.Random(model))
    after = run(rt, m.SerializeToString(), feeds)
    for y, a, b in zip(s.get_outputs(), before, after):
        if not same(a, b):
            far = f" (error {error(y.name, b, a):.1e})" if isinstance(a, np.ndarray) and a.dtype.kind == "f" and a.shape == b.shape else ""
            raise ValueError(f"{y.name}: other bits after renaming{far}")


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
    held = session(rt, path, 1, True)
    names = [y.name for y in held.get_outputs()]
    base = make_inputs(model, held)
    for shapes in SIZES[model]:
        feeds = {**base, **{name: np.ascontiguousarray(np.resize(base[name], shape)) for name, shape in shapes.items()}}
        for y, a, b in zip(names, held.run(names, feeds), session(rt, path, 1, True).run(names, feeds)):
            if not same(a, b):
                raise ValueError(f"{y}: at {shapes} a session that ran other sizes gives other bits than a fresh one")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("folder")
    ap.add_argument("models", nargs="*")
    ap.add_argument("--module", default="tenon")
    ap.add_argument("--all", action="store_true")
    o = ap.parse_intermixed_args()
    rt = importlib.import_module(o.module)
    passed = failed = skipped = 0
    every = sorted(f[:-5] for f in os.listdir(o.folder) if f.endswith(".onnx")) if o.all else list(MODELS)
    for what, test, models in (("renamed", test_renamed, every), ("batch", test_batch, list(BATCH)), ("free", test_free, list(SIZES))):
        for model in models:
            if o.models and model not in o.models:
                continue
            try:
                test(rt, os.path.join(o.folder, model + ".onnx"), model)
                passed += 1
                print(f"PASS {what:8} {model}", flush=True)
            except NotRun as e:
                skipped += 1
                print(f"skip {what:8} {model}: {e}"[:200], flush=True)
            except Exception as e:  # a line for each, whatever goes wrong
                failed += 1
                print(f"FAIL {what:8} {model}: {type(e).__name__}: {e}"[:400], flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
