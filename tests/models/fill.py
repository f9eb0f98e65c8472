"""Fills a weight-less graph of skeletons/ with deterministic random weights.
SPDX-License-Identifier: MIT

usage: fill.py SKELETON.onnx.gz OUT.onnx
A tensor without data whose doc_string is "gen:LO:HI" gets uniform numbers in [LO, HI), seeded by its name and the model's name
(the file name up to the first dot).
"""
import gzip
import os
import sys

import numpy as np
import onnx
from inputs import TYPES, seed_of, uniform

BLOCK = 1 << 22  # elements made at a time: keeps the doubles small


def fill_tensor(t, model):
    low, high = (float(x) for x in t.doc_string.split(":")[1:3])
    count, seed, dtype = int(np.prod(t.dims)) if t.dims else 1, seed_of(t.name + "\0" + model), TYPES[t.data_type]
    parts = []
    for first in range(0, count, BLOCK):
        u = uniform(min(BLOCK, count - first), seed, first)
        integers = np.issubdtype(dtype, np.integer)
        parts.append((np.floor(low + u * (high + 1 - low)) if integers else low + u * (high - low)).astype(dtype).tobytes())
    t.raw_data = b"".join(parts)
    t.ClearField("doc_string")


def tensors(graph):
    yield from graph.initializer
    for node in graph.node:
        for a in node.attribute:
            if a.HasField("t"):
                yield a.t
            for g in ([a.g] if a.HasField("g") else []) + list(a.graphs):
                yield from tensors(g)


def fill(source, target):
    m = onnx.load_from_string(gzip.open(source).read())
    for t in tensors(m.graph):
        if t.doc_string.startswith("gen:"):
            fill_tensor(t, os.path.basename(source).split(".")[0])
    onnx.save(m, target + ".part")
    os.replace(target + ".part", target)


if __name__ == "__main__":
    fill(sys.argv[1], sys.argv[2])
