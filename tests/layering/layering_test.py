"""Checks who includes whom: floors from cmake/layers.txt, clients on include/ only, Highway in kernels only, no circles.
SPDX-License-Identifier: MIT

usage: layering_test.py [ROOT]
The rules, for every #include of a file of the project:
  src/A/...        own folder, or a folder of a lower floor; every folder under src/ has a line in layers.txt
  src/A/...        the public headers (include/) only from abi and the forwarder libonnxruntime; Highway only from kernels; headers of an operating system only from base/os
  tools, bindings  own folder and include/, nothing under src/
  folders          no circle of includes between folders (a folder and one inside it count as one), none between files
It first checks itself on a small tree with one violation of each kind. The last line is "N passed, N failed, N skipped".
"""
import os
import re
import sys
import tempfile

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
SOURCES = (".h", ".cc", ".c", ".inc", ".cpp", ".hpp")
OS_HEADERS = re.compile(r"^(unistd|fcntl|dlfcn|pthread|sched|windows|signal|poll|mach/.*|sys/.*|linux/.*)\.h$")


def sources(root, top):
    for folder, subfolders, names in os.walk(os.path.join(root, top)):
        subfolders.sort()
        for n in sorted(names):
            if n.endswith(SOURCES):
                yield os.path.relpath(os.path.join(folder, n), root)


def floors(root):
    table = {}
    for line in open(os.path.join(root, "cmake", "layers.txt")):
        words = line.split("#")[0].split()
        if words:
            table[words[0]] = int(words[1])
    return table


def resolve(root, path, name):
    """the project file that an include names, or None for a header from elsewhere"""
    top = path.split("/")[0]
    places = [os.path.dirname(path), "src", "include", "include/ort", "include/tenon"] + ([top] if top != "src" else [])
    for place in places:
        full = os.path.normpath(os.path.join(place, name))
        if os.path.isfile(os.path.join(root, full)):
            return full
    return None


def fault(path, name, target, floor):
    """what is wrong with this include, or None"""
    parts = path.split("/")
    goal = (target or "").split("/")
    if parts[0] in ("tools", "bindings"):
        return "a client includes the engine; it has include/ only" if goal[0] == "src" else None
    if parts[0] != "src":
        return None
    own = parts[1]
    if own not in floor:
        return f"src/{own} has no line in cmake/layers.txt"
    if name.startswith("hwy/") and own != "kernels":
        return "only src/kernels includes Highway"
    if target is None:
        if OS_HEADERS.match(name) and not path.startswith("src/base/os/") and "_test." not in path:
            return "only src/base/os names an operating system"
        if re.match(r"(" + "|".join(floor) + r")/", name):
            return "no such file"
        return None
    if goal[0] == "include":
        return None if own in ("abi", "libonnxruntime") else "only src/abi includes the public headers"
    if goal[0] != "src":
        return f"src includes {goal[0]}/"
    other = goal[1]
    if other not in floor:
        return f"src/{other} has no line in cmake/layers.txt"
    if other != own and floor[other] > floor[own]:
        return f"climbs from floor {floor[own]} to {other} on floor {floor[other]}"
    if other != own and floor[other] == floor[own]:
        return f"goes sideways to {other}, both are on floor {floor[own]}"
    return None


def circles(edges):
    """the circles of a graph {node: set of nodes}, each as a list of nodes"""
    index, low, stack, on, found = {}, {}, [], set(), []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        on.add(v)
        for w in sorted(edges.get(v, ())):
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in on:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            part = []
            while True:
                w = stack.pop()
                on.discard(w)
                part.append(w)
                if w == v:
                    break
            if len(part) > 1 or v in edges.get(v, ()):
                found.append(sorted(part))

    sys.setrecursionlimit(10000)
    for v in sorted(edges):
        if v not in index:
            visit(v)
    return found


def check(root):
    """-> (files read, includes read, list of faults)"""
    floor, faults, files, includes = floors(root), [], 0, 0
    by_file, by_folder = {}, {}
    for top in ("src", "tools", "bindings", "include"):
        for path in sources(root, top):
            files += 1
            text = open(os.path.join(root, path), encoding="utf-8").read()
            for m in INCLUDE.finditer(text):
                includes += 1
                name = m.group(2)
                target = resolve(root, path, name)
                wrong = fault(path, name, target, floor)
                if wrong:
                    faults.append(f"{path}:{text.count(chr(10), 0, m.start()) + 1} includes {name}: {wrong}")
                if not target or target == path:  # Highway's files include themselves once per target
                    continue
                if top == "include":  # the peer's headers refer to each other, and so do ours
                    continue
                by_file.setdefault(path, set()).add(target)
                a, b = os.path.dirname(path), os.path.dirname(target)
                if a != b and not (a + "/").startswith(b + "/") and not (b + "/").startswith(a + "/"):
                    by_folder.setdefault(a, set()).add(b)
    faults += ["folders include each other in a circle: " + ", ".join(c) for c in circles(by_folder)]
    faults += ["files include each other in a circle: " + ", ".join(c) for c in circles(by_file)]
    return files, includes, faults


PLANTED = {  # a file -> (its text, what the test must say about it, or None)
    "cmake/layers.txt": ("base 1\ntensor 2\nthreads 2\nkernels 3\nabi 9\n", None),
    "include/ort/api.h": ("", None),
    "src/base/status.h": ("", None),
    "src/base/os/memory.cc": ("#include <sys/mman.h>\n#include \"base/status.h\"\n", None),
    "src/tensor/shape.h": ("#include \"base/status.h\"\n#include <vector>\n", None),
    "src/threads/pool.h": ("", None),
    "src/kernels/gemm/gemm.cc": ("#include \"hwy/highway.h\"\n#include \"tensor/shape.h\"\n", None),
    "src/abi/table.cc": ("#include \"ort/api.h\"\n", None),
    "src/base/climb.h": ("#include \"threads/pool.h\"\n", "climbs from floor 1 to threads on floor 2"),
    "src/tensor/side.h": ("#include \"threads/pool.h\"\n", "goes sideways to threads"),
    "src/tensor/fast.cc": ("#include <hwy/highway.h>\n", "only src/kernels includes Highway"),
    "src/tensor/public.cc": ("#include \"ort/api.h\"\n", "only src/abi includes the public headers"),
    "src/tensor/map.cc": ("#include <unistd.h>\n", "only src/base/os"),
    "src/tensor/gone.cc": ("#include \"base/gone.h\"\n", "no such file"),
    "src/extra/x.cc": ("#include <vector>\n", "src/extra has no line"),
    "tools/cli/main.cc": ("#include \"base/status.h\"\n", "a client includes the engine"),
    "tools/cli/good.cc": ("#include \"ort/api.h\"\n", None),
    "src/kernels/conv/a.h": ("#include \"kernels/move/b.h\"\n", "folders include each other in a circle: src/kernels/conv, src/kernels/move"),
    "src/kernels/move/b.h": ("", None),
    "src/kernels/move/c.h": ("#include \"kernels/conv/d.h\"\n", None),
    "src/kernels/conv/d.h": ("", None),
    "src/kernels/e.h": ("#include \"kernels/f.h\"\n", "files include each other in a circle: src/kernels/e.h, src/kernels/f.h"),
    "src/kernels/f.h": ("#include \"kernels/e.h\"\n", None),
}


def self_test():
    """-> list of what the test missed or invented on the planted tree"""
    with tempfile.TemporaryDirectory() as root:
        for path, (text, _) in PLANTED.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            open(os.path.join(root, path), "w").write(text)
        faults = check(root)[2]
    wanted = [(p, w) for p, (_, w) in PLANTED.items() if w]
    missed = [f"self-test: {p}: not found: {w}" for p, w in wanted
              if not any(w in f and (p in f or "circle" in f) for f in faults)]
    return missed + ([] if len(faults) == len(wanted) else [f"self-test: {len(wanted)} planted, found {faults}"])


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    missed = self_test()
    files, includes, faults = check(root)
    for f in missed + faults:
        print("FAIL", f)
    print(f"{files} files, {includes} includes read; {len(PLANTED)} planted files in the self-test")
    print(f"{(not missed) + (not faults)} passed, {bool(missed) + bool(faults)} failed, 0 skipped")
    return 1 if missed or faults or not files else 0


if __name__ == "__main__":
    sys.exit(main())
