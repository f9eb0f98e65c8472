"""Deterministic numbers for test inputs and random weights, and the table of test models.
SPDX-License-Identifier: MIT

The numbers come from a counter-based hash (splitmix64) seeded by the FNV-1a hash of a text, so every machine makes the same
bytes. models.json holds one entry per model: where it comes from and, per input, its shape and how it is filled:
  nothing   uniform in [-1, 1) for floats, [0, 8) for integers       {"range": [lo, hi]}   uniform, "int": 1 rounds down
  {"value": v}   every element v                                      {"pattern": "glyphs"} letter-like strokes on white
An input key that ends in * stands for every input that starts so.
"""
import json
import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = {1: np.float32, 2: np.uint8, 3: np.int8, 4: np.uint16, 5: np.int16, 6: np.int32, 7: np.int64, 9: np.bool_,
         10: np.float16, 11: np.float64, 12: np.uint32, 13: np.uint64}  # ONNX element type numbers
MODELS = json.load(open(os.path.join(HERE, "models.json")))


def seed_of(text):
    h = 0xCBF29CE484222325
    for b in text.encode():
        h = ((h ^ b) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return h


def uniform(n, seed, first=0):
    """n doubles in [0, 1): elements first .. first + n - 1 of the stream of this seed."""
    with np.errstate(over="ignore"):
        z = np.arange(first + 1, first + n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return (z >> np.uint64(11)).astype(np.float64) * 2.0**-53


def glyphs(shape, seed):
    """An NCHW picture of rows of letter-like strokes, black (-1) on white (1)."""
    n, c, h, w = shape
    u = iter(uniform(20000, seed))
    img = np.ones((h, w))
    row = 24 if h > 64 else int(h * 0.6)
    pitch = row * 2 if h > 64 else h
    for y in range((pitch - row) // 2, h - row + 1, pitch):
        x = 8
        while x < w - 24:
            gw = 8 + int(next(u) * 8)
            if next(u) < 0.15:  # a space
                x += gw
                continue
            for k in range(3):
                if next(u) < 0.6:
                    at = x + k * (gw - 3) // 2
                    img[y:y + row, at:at + 3] = 0
                if next(u) < 0.6:
                    at = y + k * (row - 3) // 2
                    img[at:at + 3, x:x + gw] = 0
            x += gw + 4
    return np.broadcast_to(img * 2 - 1, (n, c, h, w))


def dtype_of(ort_type):
    """numpy type of "tensor(float)" and its like"""
    names = {"float": "float32", "double": "float64", "bool": "bool", "float16": "float16"}
    name = ort_type[len("tensor("):-1]
    return np.dtype(names.get(name, name))


def spec_of(model, name):
    entry = MODELS[model]["inputs"]
    if name in entry:
        return entry[name]
    for key, spec in entry.items():
        if key.endswith("*") and name.startswith(key[:-1]):
            return spec
    raise KeyError(f"models.json: {model} says nothing about input {name}")


def make_input(model, name, dtype):
    spec = spec_of(model, name)
    shape, seed = spec["shape"], seed_of(model + "\0" + name)
    if spec.get("pattern") == "glyphs":
        a = glyphs(shape, seed)
    elif "value" in spec:
        a = np.full(shape, spec["value"], np.float64)
    else:
        low, high = spec.get("range", [-1.0, 1.0] if dtype.kind == "f" else [0, 8])
        a = (low + uniform(int(np.prod(shape)), seed) * (high - low)).reshape(shape)
        if dtype.kind in "iub" or spec.get("int"):
            a = np.floor(a)
    return np.ascontiguousarray(a.astype(dtype))


def make_inputs(model, session):
    """name -> array for every input of a session (any module with the onnxruntime Python API)"""
    return {i.name: make_input(model, i.name, dtype_of(i.type)) for i in session.get_inputs()}
