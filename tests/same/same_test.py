"""The same bits through C, C++, Python and the command line, with one and two threads.
SPDX-License-Identifier: MIT

usage: same_test.py FOLDER [--module tenon] [--library build/release/lib/libonnxruntime.so.1] [--cli build/release/bin/tenon]
Compiles run_c.c (C11) and run_cxx.cc (C++17, as clients do) with the headers of include/ort against the drop-in library.
The last line is "N passed, N failed, N skipped".
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
sys.path.insert(0, os.path.join(HERE, "..", "models"))
from inputs import make_inputs  # noqa: E402
from run_refs import session  # noqa: E402

MODELS = ["ocr_cls_v2", "ocr_rec_v4"]


def compiled(o, folder, source, compiler, standard):
    program = os.path.join(folder, source.split(".")[0])
    where = os.path.dirname(os.path.abspath(o.library))
    subprocess.run([compiler, standard, "-O1", "-Wall", "-Wextra", "-I", os.path.join(ROOT, "include", "ort"), os.path.join(HERE, source), "-o", program,
                    os.path.abspath(o.library), "-Wl,-rpath," + where], check=True)
    return program


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("folder")
    ap.add_argument("--module", default="tenon")
    ap.add_argument("--library", default=os.path.join(ROOT, "build/release/lib/libonnxruntime.so.1"))
    ap.add_argument("--cli", default=os.path.join(ROOT, "build/release/bin/tenon"))
    o = ap.parse_args()
    rt = __import__(o.module)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as work:  # one line per model, threads and way in
        at = lambda name: os.path.join(work, name)
        programs = {}
        for kind, source, compiler, standard in (("C", "run_c.c", "gcc", "-std=c11"), ("C++", "run_cxx.cc", "g++", "-std=c++17")):
            try:
                programs[kind] = compiled(o, work, source, compiler, standard)
            except subprocess.CalledProcessError:
                failed += 1
                print("FAIL", kind, "does not compile or link")
        for model in MODELS:
            path = os.path.join(o.folder, model + ".onnx")
            s = session(rt, path, 1, True)
            x = make_inputs(model, s)["x"]
            want = s.run(None, {"x": x})[0].tobytes()
            x.tofile(at("x.bin"))
            np.save(at("x.npy"), x)
            for threads in ("1", "2"):
                got = {"Python": session(rt, path, int(threads), True).run(None, {"x": x})[0].tobytes()}
                for kind, program in programs.items():
                    r = subprocess.run([program, path, at("x.bin"), at("y.bin"), threads, "x", *map(str, x.shape)], capture_output=True, text=True)
                    got[kind] = open(at("y.bin"), "rb").read() if r.returncode == 0 else r.stderr or f"exit {r.returncode}"
                if o.cli:
                    r = subprocess.run([o.cli, "run", path, "--threads", threads, "--input", "x=" + at("x.npy"), "--output", at("y.npz")], capture_output=True, text=True)
                    got["command line"] = np.load(at("y.npz"))[s.get_outputs()[0].name].tobytes() if r.returncode == 0 else r.stderr or f"exit {r.returncode}"
                for kind, y in got.items():
                    good = y == want
                    passed += good
                    failed += not good
                    print("PASS" if good else "FAIL", model, threads, "threads", kind, "" if good else y if isinstance(y, str) else "other bits")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
