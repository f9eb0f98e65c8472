"""ONNX files written byte by byte, for faults that the onnx package refuses to build.
SPDX-License-Identifier: MIT

Field numbers are those of onnx.proto3. Every function returns bytes.
"""
import struct


def varint(n):
    out, n = b"", n & (1 << 64) - 1
    while True:
        b, n = n & 127, n >> 7
        out += bytes([b | (128 if n else 0)])
        if not n:
            return out


def number(field, n):
    return varint(field << 3) + varint(n)


def block(field, payload):
    """a length-delimited field: text, bytes or a message"""
    payload = payload.encode() if isinstance(payload, str) else payload
    return varint(field << 3 | 2) + varint(len(payload)) + payload


def floats(*v):
    return struct.pack(f"<{len(v)}f", *v)


def longs(*v):
    return struct.pack(f"<{len(v)}q", *v)


def value(name, elem=1, dims=()):
    """ValueInfoProto of a tensor; dims None: rank unknown"""
    shape = b"" if dims is None else block(2, b"".join(block(1, number(1, d)) for d in dims))
    return block(1, name) + block(2, block(1, number(1, elem) + shape))


def node(op, inputs, outputs, attributes=b"", domain="", name=""):
    return (b"".join(block(1, i) for i in inputs) + b"".join(block(2, o) for o in outputs) + (block(3, name) if name else b"") + block(4, op)
            + attributes + (block(7, domain) if domain else b""))


def attribute(name, kind, body):
    """kind: 1 float, 2 int, 3 string, 4 tensor, 5 graph, 6 floats, 7 ints, 8 strings"""
    return block(5, block(1, name) + body + number(20, kind))


def ints(name, *v):
    return attribute(name, 7, b"".join(number(8, k) for k in v))


def tensor(name, elem, dims, raw=b"", more=b""):
    return b"".join(number(1, d) for d in dims) + number(2, elem) + block(8, name) + (block(9, raw) if raw is not None else b"") + more


def external(name, entries, dims=(2,), elem=1):
    """a tensor whose data lies in another file; entries: (key, value) pairs"""
    return tensor(name, elem, dims, None, b"".join(block(13, block(1, k) + block(2, v)) for k, v in entries) + number(14, 1))


def graph(nodes, inputs=(), outputs=(), weights=(), more=b""):
    return (b"".join(block(1, n) for n in nodes) + block(2, "g") + b"".join(block(5, t) for t in weights)
            + b"".join(block(11, i) for i in inputs) + b"".join(block(12, o) for o in outputs) + more)


def model(g, opset=17, ir=8, more=b""):
    return number(1, ir) + block(8, number(2, opset)) + block(7, g) + more


def plus_weight(w, opset=17, ir=8):
    """y = x + w with the given TensorProto, x and y f32[2]"""
    return model(graph([node("Add", ["x", "w"], ["y"])], [value("x", 1, (2,))], [value("y", 1, (2,))], [w]), opset, ir)


def unary(op, inputs=("x",), opset=17, ir=8, x="x", y="y", domain=""):
    return model(graph([node(op, inputs, [y], domain=domain)], [value(x, 1, (2,))], [value(y, 1, (2,))]), opset, ir)


def nested_if(depth):
    """x f32[2] through depth nested If nodes on the condition c"""
    leaf = graph([node("Identity", ["x"], ["o"])], (), [value("o", 1, (2,))])
    inner = leaf
    for _ in range(depth):
        branches = attribute("then_branch", 5, block(6, inner)) + attribute("else_branch", 5, block(6, leaf))
        inner = graph([node("If", ["c"], ["o"], branches)], (), [value("o", 1, (2,))])
    return model(inner + block(11, value("x", 1, (2,))) + block(11, value("c", 9, ())), 13)


def function(name, nodes):
    """a FunctionProto x -> y in the domain f"""
    return block(25, block(1, name) + block(4, "x") + block(5, "y") + b"".join(block(7, n) for n in nodes) + block(9, number(2, 17))
                 + block(9, block(1, "f") + number(2, 1)) + block(10, "f"))


def calling(functions):
    """y = F0(x) with these functions"""
    g = graph([node("F0", ["x"], ["y"], domain="f")], [value("x", 1, (2,))], [value("y", 1, (2,))])
    return model(g, more=block(8, block(1, "f") + number(2, 1)) + b"".join(functions))


def plus_sparse(indices, index_shape, dims=(4,)):
    """y = x + w, w a sparse tensor of ones at the indices, x and y f32[4]"""
    v = tensor("w", 1, (2,), floats(1, 1))
    i = tensor("i", 7, index_shape, longs(*indices))
    sparse = block(1, v) + block(2, i) + b"".join(number(3, d) for d in dims)
    return model(graph([node("Add", ["x", "w"], ["y"])], [value("x", 1, (4,))], [value("y", 1, (4,))], (), block(15, sparse)), 13)
