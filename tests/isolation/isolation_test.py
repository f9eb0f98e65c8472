"""Shows that Tenon needs no other runtime: nothing shipped links, imports or loads one, and the models run where none is installed.
SPDX-License-Identifier: MIT

usage: isolation_test.py FOLDER_OF_MODELS [--build build/release]
links     every shipped program and library needs only the C and C++ runtime libraries and Tenon's own
names     no shipped program or library holds the name of another runtime's library
imports   the shipped Python files import the standard library, numpy (ml_dtypes where there) and themselves only
runs      the demo's models give the stored answers in a Python that finds numpy and Tenon and nothing else, and afterwards no
          library of another runtime lies in the process (/proc/self/maps)
shim      the same for `import onnxruntime` from the second package, which must be Tenon
drop-in   a process that opens libonnxruntime.so.1 gets Tenon
The last line is "N passed, N failed, N skipped".
"""
import argparse
import ast
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
SYSTEM = re.compile(r"^(libc|libm|libpthread|libdl|librt|libstdc\+\+|libgcc_s|ld-linux[-\w]*)\.so(\.\d+)*$")
TOOL = re.compile(r"^(libpng16|libjpeg|libz)\.so(\.\d+)*$")  # pictures and .npz files, the command line tool only
OWN = re.compile(r"^libtenon[-\w]*\.so(\.\d+)*$")
OTHERS = ["libonnxruntime_providers", "libonnxruntime4j", "libtorch", "libtensorflow", "libtensorflowlite", "libopenvino", "libggml", "libncnn", "libMNN",
          "libtvm", "libnvinfer", "libxla", "libexecutorch", "libpaddle_inference", "onnxruntime_pybind11_state.cpython"]
MODULES = ["torch", "tensorflow", "openvino", "tvm", "jax", "paddle", "tflite_runtime", "ncnn", "MNN", "onnx"]
DEMO = ["ocr_det_v4", "ocr_cls_v2", "ocr_rec_v4"]


def elf_files(build):
    places = [f"{build}/bin/tenon"] + glob.glob(f"{build}/lib/libtenon*.so*") + glob.glob(f"{build}/lib/libonnxruntime*.so*")
    for package in ("python", "python_onnxruntime"):
        places += glob.glob(f"{build}/{package}/**/*.so*", recursive=True)
    real = sorted({os.path.realpath(p) for p in places if os.path.exists(p)})
    return [p for p in real if open(p, "rb").read(4) == b"\x7fELF"]


def check_links(build):
    files = elf_files(build)
    for needed in ("bin/tenon", "lib/libtenon.so", "lib/libonnxruntime.so.1"):
        if not os.path.exists(os.path.join(build, needed)):
            raise ValueError(f"{needed} was not built")
    for path in files:
        text = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", text):
            tool = path.endswith("/bin/tenon") and TOOL.match(name)
            if not SYSTEM.match(name) and not OWN.match(name) and not tool:
                raise ValueError(f"{path} links {name}")
        for where in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", text):
            if "site-packages" in where:
                raise ValueError(f"{path} looks for libraries in {where}")
    return f"{len(files)} files"


def check_names(build):
    for path in elf_files(build):
        data = open(path, "rb").read()
        for name in OTHERS:
            if name.encode() in data:
                raise ValueError(f"{path} holds the text {name}")


def check_imports(build):
    count = 0
    for package in ("python", "python_onnxruntime"):
        for path in glob.glob(f"{build}/{package}/**/*.py", recursive=True):
            count += 1
            also = {"onnx"} if os.path.basename(os.path.dirname(path)) == "backend" else set()  # the interface of onnx's own tests
            own = {os.path.splitext(n)[0] for n in os.listdir(f"{build}/{package}")} | {"tenon"}
            for n in ast.walk(ast.parse(open(path, encoding="utf-8").read())):
                names = [a.name for a in n.names] if isinstance(n, ast.Import) else [n.module or ""] if isinstance(n, ast.ImportFrom) and not n.level else []
                for top in {x.split(".")[0] for x in names}:
                    if top and top not in sys.stdlib_module_names and top not in ("numpy", "ml_dtypes") and top not in own | also:
                        raise ValueError(f"{path} imports {top}")
    if not count:
        raise ValueError("no Python package was built")
    return f"{count} files"


RUN = r'''
import importlib, importlib.util, os, sys
module, build, folder, tests = sys.argv[1:5]
for name in MODULES + (["onnxruntime"] if module != "onnxruntime" else []):
    assert importlib.util.find_spec(name) is None, name + " can be imported here"
rt = importlib.import_module(module)
assert os.path.abspath(rt.__file__).startswith(os.path.abspath(build) + "/"), rt.__file__
sys.path.insert(0, tests)
sys.argv = ["run_refs.py", folder, "--module", module] + DEMO
import run_refs
code = run_refs.main()
files = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
for f in files:
    base = os.path.basename(f)
    ours = os.path.realpath(f).startswith(os.path.realpath(build) + "/")
    assert ours or not any(w in base for w in ("onnxruntime", "torch", "tensorflow", "openvino", "ggml", "tvm", "mlir", "tflite")), f
assert any("tenon" in os.path.basename(f) for f in files), "no library of Tenon is loaded"
sys.exit(code)
'''


def run_models(build, folder, package, module):
    """runs the demo's models in a Python without site-packages: numpy comes in through links of its own"""
    import numpy
    site = os.path.dirname(os.path.dirname(numpy.__file__))
    with tempfile.TemporaryDirectory() as only:
        for name in ("numpy", "numpy.libs"):
            if os.path.exists(os.path.join(site, name)):
                os.symlink(os.path.join(site, name), os.path.join(only, name))
        head = f"import sys; sys.path[:0] = {[os.path.abspath(os.path.join(build, package)), only]!r}\nMODULES = {MODULES!r}\nDEMO = {DEMO!r}\n"
        r = subprocess.run([sys.executable, "-I", "-S", "-B", "-c", head + RUN, module, os.path.abspath(build), os.path.abspath(folder),
                            os.path.join(ROOT, "tests", "models")], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
    if r.returncode:
        raise ValueError((r.stdout + r.stderr)[-900:])
    return " ".join(r.stdout.split()[-6:])


DROP_IN = r'''
import ctypes, os, sys
library, build = sys.argv[1:3]
lib = ctypes.CDLL(library)
lib.OrtGetApiBase.restype = ctypes.POINTER(ctypes.c_void_p * 2)
base = lib.OrtGetApiBase().contents
api = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)(base[0])
assert all(api(v) for v in range(1, 32)) and not api(0) and not api(1000)
text = ctypes.CFUNCTYPE(ctypes.c_char_p)(base[1])().decode()
files = [line.split()[-1] for line in open("/proc/self/maps") if ".so" in line]
assert any("libtenon" in f for f in files), files
assert all(os.path.realpath(f).startswith(os.path.realpath(build)) for f in files if "onnxruntime" in f), files
print(text)
'''


def check_drop_in(build):
    r = subprocess.run([sys.executable, "-I", "-S", "-c", DROP_IN, os.path.abspath(f"{build}/lib/libonnxruntime.so.1"), os.path.abspath(build)],
                       capture_output=True, text=True)
    if r.returncode:
        raise ValueError((r.stdout + r.stderr)[-600:])
    return "answers version " + r.stdout.strip()


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("models")
    ap.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    o = ap.parse_args()
    passed = failed = 0
    for name, check in (("links", lambda: check_links(o.build)), ("names", lambda: check_names(o.build)), ("imports", lambda: check_imports(o.build)),
                        ("runs", lambda: run_models(o.build, o.models, "python", "tenon")),
                        ("shim", lambda: run_models(o.build, o.models, "python_onnxruntime", "onnxruntime")), ("drop-in", lambda: check_drop_in(o.build))):
        try:
            note = check()
            passed += 1
            print("PASS", name, note or "")
        except Exception as e:  # one line each
            failed += 1
            print("FAIL", name, type(e).__name__, e)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
