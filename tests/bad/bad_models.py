"""Malformed and hostile model files: each is refused cleanly, and its valid twin works.
SPDX-License-Identifier: MIT

usage: bad_models.py [--module tenon] [--cli PROGRAM] [--only TEXT] [--keep FOLDER]
Each case runs in a process of its own: no signal, under 10 s, under 1 GiB of memory (not measured with --cli: sanitizers).
  refuse   loading or running must fail with an error        answer   accept or refuse, but cleanly
The twin, the same construction without the fault, must give its values: else the refusal would prove nothing.
--cli runs `PROGRAM run FILE` instead of the Python module; exit code 0 is an answer, 1 to 99 an error.
The last line is "N passed, N failed, N skipped".
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

from wire import (attribute, block, calling, external, floats, function, graph, ints, longs, model, nested_if, node, number, plus_sparse, plus_weight,
                  tensor, unary, value, varint)

GOOD = plus_weight(tensor("w", 1, (2,), floats(1, 2)))
X = {"x": ("float32", [2], [1, -2])}
PLUS = (GOOD, X, [[2, 0]])  # the twin of most: y = x + [1, 2]
RELU = (unary("Relu"), X, [[1, 0]])
X4 = {"x": ("float32", [4], [1, 2, 3, 4])}
XC = {"x": ("float32", [2], [1, 2]), "c": ("bool", [], [1])}
TWO = [value("x", 1, (2,))], [value("y", 1, (2,))]  # x and y f32[2]
EIGHT = floats(1, 2).hex()  # bytes of the weight [1, 2]
LOOSE = block(1, "y") + block(2, block(1, number(1, 1)))  # y, float, rank unknown
CASES = []


def case(name, data, twin, want="refuse", feeds=None, files=None, twin_files=None, link=None):
    """twin: (bytes, feeds, values); files: path relative to the model -> hex; link: (name, target)"""
    CASES.append(dict(name=name, data=data, twin=twin, want=want, feeds=feeds or {}, files=files or {}, twin_files=twin_files or {}, link=link))


# ---- the file itself
case("empty file", b"", PLUS)
for share in (10, 50, 90, 99):
    case(f"truncated to {share} %", GOOD[:len(GOOD) * share // 100], PLUS)
case("random bytes", bytes((i * 73 + 41) & 255 for i in range(4096)), PLUS)
case("length beyond the file", number(1, 8) + varint(7 << 3 | 2) + varint(1 << 40) + b"abc", PLUS)
case("length of 2^64 - 1", number(1, 8) + varint(7 << 3 | 2) + varint(-1) + b"abc", PLUS)
case("varint of twelve bytes", b"\x08" + b"\xff" * 11 + b"\x01", PLUS)
case("wire type 7", b"\x0f" + GOOD, PLUS)
case("groups nested 100000 deep", b"\x9b\x06" * 100000, PLUS)
case("no graph", number(1, 8) + block(8, number(2, 17)), PLUS)
case("no opset import", number(1, 8) + block(7, graph([node("Relu", ["x"], ["y"])], *TWO)), RELU, "answer")
case("fields in an unusual order", block(7, graph([node("Relu", ["x"], ["y"])], *TWO)) + block(8, number(2, 17)) + number(1, 8), RELU, "answer", X)
case("unknown fields", GOOD + block(1000, b"later") + number(1001, 7), PLUS, "answer", X)

# ---- the graph
case("cycle", model(graph([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"])], [value("x", 1, (2,))], [value("b", 1, (2,))])), RELU)
case("undefined input", unary("Add", ("x", "ghost")), (unary("Add", ("x", "x")), X, [[2, -4]]))
case("nodes out of order", model(graph([node("Relu", ["t"], ["y"]), node("Tanh", ["x"], ["t"])], *TWO)), RELU, "answer", X)
case("output never produced", model(graph([node("Relu", ["x"], ["t"])], *TWO)), RELU)
case("two producers of one value", model(graph([node("Relu", ["x"], ["y"]), node("Tanh", ["x"], ["y"])], *TWO)), RELU)
case("two weights of one name", model(graph([node("Add", ["x", "w"], ["y"])], *TWO, [tensor("w", 1, (2,), floats(1, 2)), tensor("w", 1, (3,), floats(1, 2, 3))])),
     PLUS, "answer", X)
case("unknown operator", unary("NoSuchOp"), RELU)
case("unknown domain", unary("Relu", domain="no.such"), (unary("Relu", domain="ai.onnx"), X, [[1, 0]]))
case("opset 999", plus_weight(tensor("w", 1, (2,), floats(1, 2)), opset=999), PLUS)
case("opset -1", plus_weight(tensor("w", 1, (2,), floats(1, 2)), opset=-1), PLUS)
case("IR 999", plus_weight(tensor("w", 1, (2,), floats(1, 2)), ir=999), PLUS)
case("names that are not UTF-8", model(graph([block(1, b"\xff\xfe") + block(2, b"y\xc0") + block(4, "Relu")],
     [block(1, b"\xff\xfe") + value("", 1, (2,))[2:]], [block(1, b"y\xc0") + value("", 1, (2,))[2:]])),
     (unary("Relu", ("größe",), x="größe", y="值"), {"größe": ("float32", [2], [1, -2])}, [[1, 0]]), "answer")
case("attribute of another type", model(graph([node("Softmax", ["x"], ["y"], attribute("axis", 3, block(4, "zero")))], *TWO)),
     (model(graph([node("Softmax", ["x"], ["y"], attribute("axis", 2, number(3, 0)))], *TWO)), {"x": ("float32", [2], [3, 3])}, [[.5, .5]]))
case("types that do not agree", plus_weight(tensor("w", 7, (2,), longs(1, 2))), PLUS)

# ---- weights
case("raw data too short", plus_weight(tensor("w", 1, (2,), b"\0" * 5)), PLUS)
case("raw data too long", plus_weight(tensor("w", 1, (2,), b"\0" * 64)), PLUS)
case("size 2^64 wraps to 0", plus_weight(tensor("w", 1, (1 << 32, 1 << 32), b"\0" * 8)), PLUS)
case("negative size", plus_weight(tensor("w", 1, (-2,), b"\0" * 8)), PLUS)
case("2^38 floats declared, none given", plus_weight(tensor("w", 1, (1 << 38,), None)), PLUS)
case("unknown element type", plus_weight(tensor("w", 250, (2,), b"\0" * 8)), PLUS)
case("string tensor with raw data", model(graph([node("Identity", ["w"], ["y"])], (), [value("y", 8, (1,))], [tensor("w", 8, (1,), b"abcdefgh")])),
     (model(graph([node("Identity", ["w"], ["y"])], (), [value("y", 8, (1,))], [tensor("w", 8, (1,), None, block(6, "abc"))])), {}, [["abc"]]))
FILL = graph([node("ConstantOfShape", ["s"], ["y"])], (), [LOOSE], [tensor("s", 7, (1,), longs(1 << 36))])
case("2^36 floats from one node", model(FILL, 13), (model(graph([node("ConstantOfShape", ["s"], ["y"])], (), [LOOSE], [tensor("s", 7, (1,), longs(3))]), 13), {}, [[0, 0, 0]]))
case("negative size from one node", model(graph([node("ConstantOfShape", ["s"], ["y"])], (), [LOOSE], [tensor("s", 7, (1,), longs(-3))]), 13),
     (model(graph([node("ConstantOfShape", ["s"], ["y"])], (), [LOOSE], [tensor("s", 7, (1,), longs(3))]), 13), {}, [[0, 0, 0]]))

# ---- external data: only inside the model's folder
OUT = {"../secret.bin": "00" * 8}


def at(*entries):
    return plus_weight(external("w", entries))


HERE = (at(("location", "w.bin"), ("length", "8")), X, [[2, 0]])
W8 = {"w.bin": EIGHT}
case("data in the parent folder", at(("location", "../secret.bin")), HERE, files=OUT, twin_files=W8)
case("data by a long parent path", at(("location", "../" * 12 + "etc/passwd"), ("length", "8")),
     (at(("location", "a/b/w.bin"), ("length", "8")), X, [[2, 0]]), twin_files={"a/b/w.bin": EIGHT})
case("data by an absolute path", at(("location", "/etc/passwd"), ("length", "8")), HERE, twin_files=W8)
case("data through a link to outside", at(("location", "inner.bin"), ("length", "8")), HERE, twin_files=W8, link=("inner.bin", "/etc/passwd"))
case("data that is a folder", at(("location", "."), ("length", "8")), HERE, twin_files=W8)
case("data that is a device", at(("location", "../" * 12 + "dev/zero"), ("length", "8")), HERE, twin_files=W8)
case("data file missing", at(("location", "none.bin"), ("length", "8")), HERE, twin_files=W8)
case("data offset beyond the file", at(("location", "w.bin"), ("offset", "4096"), ("length", "8")),
     (at(("location", "w.bin"), ("offset", "4096"), ("length", "8")), X, [[2, 0]]), files=W8, twin_files={"w.bin": "00" * 4096 + EIGHT})
case("data offset negative", at(("location", "w.bin"), ("offset", "-8"), ("length", "8")),
     (at(("location", "w.bin"), ("offset", "8"), ("length", "8")), X, [[2, 0]]), files={"w.bin": "00" * 64}, twin_files={"w.bin": "00" * 8 + EIGHT})
case("data offset that overflows", at(("location", "w.bin"), ("offset", str(2**63 - 4)), ("length", "8")), HERE, files=W8, twin_files=W8)
case("data offset that is no number", at(("location", "w.bin"), ("offset", "eight")), HERE, files=W8, twin_files=W8)
case("data length wrong", at(("location", "w.bin"), ("length", "4")), HERE, files={"w.bin": "00" * 64}, twin_files=W8)
case("data at an address in memory", at(("location", "*/_ORT_MEM_ADDR_/*"), ("offset", "4096"), ("length", "8")),
     (at(("location", "w.bin"),), X, [[2, 0]]), twin_files=W8)

# ---- depth and growth
case("20 nested If", nested_if(20), (nested_if(2), XC, [[1, 2]]), "answer", XC)
case("60 nested If", nested_if(60), (nested_if(10), XC, [[1, 2]]), "answer", XC)
case("10000 nested If", nested_if(10000), (nested_if(20), XC, [[1, 2]]))
ONE = (calling([function("F0", [node("Relu", ["x"], ["y"])])]), X, [[1, 0]])
case("function that calls itself", calling([function("F0", [node("F0", ["x"], ["y"], domain="f")])]), ONE)
case("functions that call each other", calling([function("F0", [node("F1", ["x"], ["y"], domain="f")]), function("F1", [node("F0", ["x"], ["y"], domain="f")])]),
     (calling([function("F0", [node("F1", ["x"], ["y"], domain="f")]), function("F1", [node("Relu", ["x"], ["y"])])]), X, [[1, 0]]))


def doubling(levels):
    """each function calls the next one twice"""
    steps = [function(f"F{i}", [node(f"F{i + 1}", ["x"], ["t"], domain="f"), node(f"F{i + 1}", ["t"], ["y"], domain="f")]) for i in range(levels)]
    return calling(steps + [function(f"F{levels}", [node("Relu", ["x"], ["y"])])])


case("functions of 2^30 nodes", doubling(30), (doubling(5), X, [[1, 0]]), "answer")

# ---- sparse weights
case("sparse index beyond the shape", plus_sparse((1, 1 << 40), (2,)), (plus_sparse((1, 2), (2,)), X4, [[1, 3, 4, 4]]), feeds=X4)
case("sparse index negative", plus_sparse((-1, 2), (2,)), (plus_sparse((0, 3), (2,)), X4, [[2, 2, 3, 5]]), feeds=X4)
case("sparse indices of another count", plus_sparse((1,), (1,)), (plus_sparse((1, 2), (2, 1)), X4, [[1, 3, 4, 4]]), feeds=X4)
case("sparse of 2^40 elements", plus_sparse((1, 2), (2,), (1 << 20, 1 << 20)), (plus_sparse((1, 2), (2,)), X4, [[1, 3, 4, 4]]))

# ---- operators
LOOP_IN = [value("n", 7, ()), value("x", 1, (2,))]


def body(own_state):
    """a Loop body that hands its state on; own_state: the state is a weight of the body as well"""
    more = [tensor("s", 1, (2,), floats(0, 0))] if own_state else []
    return graph([node("Identity", ["ci"], ["co"]), node("Identity", ["s"], ["so"])], [value("it", 7, ()), value("ci", 9, ()), value("s", 1, (2,))],
                 [value("co", 9, ()), value("so", 1, (2,))], more)


def looping(b):
    return model(graph([node("Loop", ["n", "", "x"], ["y"], attribute("body", 5, block(6, b)))], LOOP_IN, [value("y", 1, (2,))]))


N3 = {"n": ("int64", [], [3]), "x": ("float32", [2], [1, 2])}
case("Loop state that is a weight of the body", looping(body(True)), (looping(body(False)), N3, [[1, 2]]), "answer")
case("If without branches", model(graph([node("If", ["c"], ["y"])], [value("c", 9, ())], [value("y", 1, (2,))])), (nested_if(1), XC, [[1, 2]]))
CONV = [value("x", 1, (1, 1, 2, 2)), value("w", 1, (1, 1, 2, 2)), value("b", 1, (1,))]
case("Conv with a scalar as weight", model(graph([node("Conv", ["x", "w", "b"], ["y"])],
     [value("x", 1, (7, 6, 1, 5)), value("w", 1, ()), value("b", 1, (7, 2, 3, 2, 1))], [LOOSE]), 11),
     (model(graph([node("Conv", ["x", "w", "b"], ["y"])], CONV, [LOOSE]), 11),
      {"x": ("float32", [1, 1, 2, 2], [1, 2, 3, 4]), "w": ("float32", [1, 1, 2, 2], [1, 1, 1, 1]), "b": ("float32", [1], [5])}, [[[[[15]]]]]))


def pool(stride):
    a = ints("kernel_shape", 2) + ints("strides", stride)
    return model(graph([node("MaxPool", ["x"], ["y"], a)], [value("x", 1, (1, 1, 4))], [LOOSE]))


XP = {"x": ("float32", [1, 1, 4], [1, 2, 3, 4])}
case("MaxPool with stride 0", pool(0), (pool(2), XP, [[[[2, 4]]]]), feeds=XP)
case("MaxPool with a huge stride", pool(1 << 62), (pool(2), XP, [[[[2, 4]]]]), "answer", XP)


def gather(index):
    return model(graph([node("Gather", ["x", "i"], ["y"])], [value("x", 1, (2,))], [value("y", 1, (1,))], [tensor("i", 7, (1,), longs(index))]))


case("Gather beyond the end", gather(1 << 40), (gather(1), X, [[-2]]), feeds=X)


def transpose(*perm):
    return model(graph([node("Transpose", ["x"], ["y"], ints("perm", *perm))], [value("x", 1, (1, 2))], [LOOSE]))


XT = {"x": ("float32", [1, 2], [1, 2])}
case("Transpose that names an axis twice", transpose(0, 0), (transpose(1, 0), XT, [[[1], [2]]]), feeds=XT)
case("Transpose beyond the rank", transpose(0, 7), (transpose(1, 0), XT, [[[1], [2]]]), feeds=XT)


def split(*sizes):
    return model(graph([node("Split", ["x", "s"], ["y", "z"])], [value("x", 1, (2,))], [LOOSE, block(1, "z") + LOOSE[3:]],
                       [tensor("s", 7, (len(sizes),), longs(*sizes))]), 13)


case("Split sizes that do not add up", split(1, 5), (split(1, 1), X, [[1], [-2]]), feeds=X)
case("Split with a negative size", split(3, -1), (split(1, 1), X, [[1], [-2]]), feeds=X)


def reshape(*to):
    return model(graph([node("Reshape", ["x", "to"], ["y"])], [value("x", 1, (2,))], [LOOSE], [tensor("to", 7, (len(to),), longs(*to))]))


case("Reshape to 2^62 x 4", reshape(1 << 62, 4), (reshape(2, 1), X, [[[1], [-2]]]), feeds=X)
case("Reshape with two unknown sizes", reshape(-1, -1), (reshape(-1, 1), X, [[[1], [-2]]]), feeds=X)

CHILD = r'''
import importlib, json, sys
import numpy as np
path, module, feeds, want = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), json.loads(sys.argv[4])
rt = importlib.import_module(module)
so = rt.SessionOptions(); so.log_severity_level = 4
stage = "load"
try:
    s = rt.InferenceSession(path, so, providers=["CPUExecutionProvider"])
    stage = "run"
    feeds = {k: np.array(v, t).reshape(sh) for k, (t, sh, v) in feeds.items()}
    need = [i.name for i in s.get_inputs()]
    if not set(need) <= set(feeds):
        print("R\tloaded")
    else:
        out = s.run(None, {k: feeds[k] for k in need})
        good = want is None or len(out) == len(want)
        for o, w in zip(out, want or []):
            o, w = np.asarray(o), np.asarray(w)
            good = good and o.shape == w.shape and (o.tolist() == w.tolist() if w.dtype.kind == "U" else np.allclose(o.astype("d"), w, atol=1e-6))
        print("R\t" + ("right" if good else "wrong " + " ".join(str(out).split())[:120]))
except MemoryError:
    print("R\terror %s: out of memory" % stage)
except Exception as e:
    print("R\terror %s: %s: %s" % (stage, type(e).__name__, " ".join(str(e).split())[:160]))
'''


def put(folder, data, files, link=None):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "model.onnx")
    open(path, "wb").write(data)
    for name, text in files.items():
        full = os.path.normpath(os.path.join(folder, name))
        os.makedirs(os.path.dirname(full), exist_ok=True)
        open(full, "wb").write(bytes.fromhex(text))
    if link:
        os.symlink(link[1], os.path.join(folder, link[0]))
    return path


def attempt(o, path, feeds, want):
    """-> (verdict, text); verdict: right, wrong, loaded, error, or what broke the rules: crash, timeout, fat"""
    if o.cli:
        command = [o.cli, "run", path]
    else:
        command = [sys.executable, "-c", CHILD, path, o.module, json.dumps(feeds), json.dumps(want)]
    cap = None if o.cli else lambda: resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
    with tempfile.TemporaryFile() as out:
        start = time.time()
        child = subprocess.Popen(command, stdout=out, stderr=out if o.cli else subprocess.DEVNULL, preexec_fn=cap)
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.time() - start > (60 if o.cli else 10):
                child.kill()
                os.wait4(child.pid, 0)
                return "timeout", ""
            time.sleep(0.005)
        child.returncode = 0
        out.seek(0)
        text = out.read().decode("utf8", "replace")
    if os.WIFSIGNALED(status):
        return "crash", f"signal {os.WTERMSIG(status)}"
    if o.cli:
        code = os.WEXITSTATUS(status)
        if "Sanitizer" in text or "runtime error:" in text or code >= 100:
            return "crash", text[-2000:]
        return ("error" if code else "right"), " ".join(text.split())[:160]
    if usage.ru_maxrss > 1 << 20:
        return "fat", f"{usage.ru_maxrss >> 10} MiB"
    lines = [x for x in text.splitlines() if x.startswith("R\t")]
    if not lines:
        return "crash", f"exit code {os.WEXITSTATUS(status)} without an answer"
    verdict, _, rest = lines[-1][2:].partition(" ")
    return verdict, rest


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--module", default="tenon")
    ap.add_argument("--cli")
    ap.add_argument("--only", default="")
    ap.add_argument("--keep", help="write the files into this folder and run nothing")
    o = ap.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        root = o.keep or scratch
        for k, c in enumerate(CASES):
            if o.only not in c["name"]:
                continue
            bad = put(os.path.join(root, str(k), "bad"), c["data"], c["files"], c["link"])
            data, feeds, values = c["twin"]
            twin = put(os.path.join(root, str(k), "twin"), data, c["twin_files"])
            if o.keep:
                continue
            verdict, text = attempt(o, bad, c["feeds"], None)
            good = verdict == "error" or c["want"] == "answer" and verdict in ("right", "loaded")
            # the command line tool makes its own inputs: only its exit code says something, and not for indices
            twin_verdict, twin_text = attempt(o, twin, feeds, values)
            good_twin = twin_verdict == "right"
            passed += good and good_twin
            failed += not (good and good_twin)
            print("PASS" if good and good_twin else "FAIL", f"{c['name']}: {c['want']}: {verdict} {text}"
                  + ("" if good_twin else f"   twin: {twin_verdict} {twin_text}"), flush=True)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed and not o.keep else 0


if __name__ == "__main__":
    sys.exit(main())
