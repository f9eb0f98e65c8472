"""Writes a small llama-like decoder with random weights for onnxruntime-genai: 4-bit products, grouped attention, external data.
SPDX-License-Identifier: MIT

usage: make_decoder.py FOLDER     writes model.onnx, model.onnx.data, tokenizer.json, tokenizer_config.json, genai_config.json
"""
import json
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper

LAYERS, HEADS, KV_HEADS, HEAD, FEED, CONTEXT, BLOCK = 2, 4, 2, 16, 128, 128, 32
WIDTH = HEADS * HEAD
SPECIAL = ["<s>", "</s>", "<pad>"]
MS = "com.microsoft"


def byte_letters():
    """the printable character that byte-level tokenizers write for each byte"""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(b) if b in plain else chr(next(others)) for b in range(256)]


def tokenizer():
    vocabulary = {t: i for i, t in enumerate(SPECIAL + byte_letters())}
    merges = []
    for word in ("th", "the", "qu", "ck", "ow", "br"):
        vocabulary[word] = len(vocabulary)
        merges.append(f"{word[:-1]} {word[-1]}")
    return {"version": "1.0", "truncation": None, "padding": None, "normalizer": None,
            "added_tokens": [{"id": i, "content": t, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
                             for i, t in enumerate(SPECIAL)],
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
            "post_processor": None, "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
            "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
                      "fuse_unk": False, "byte_fallback": False, "vocab": vocabulary, "merges": merges}}


class Decoder:
    def __init__(self, words):
        self.rng = np.random.default_rng(0)
        self.words, self.nodes, self.weights = words, [], []
        self.inputs = [helper.make_tensor_value_info("input_ids", T.INT64, ["batch", "length"]),
                       helper.make_tensor_value_info("attention_mask", T.INT64, ["batch", "total"])]
        self.outputs = [helper.make_tensor_value_info("logits", T.FLOAT, ["batch", "length", words])]

    def weight(self, name, array):
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def random(self, name, *shape, scale):
        return self.weight(name, (self.rng.standard_normal(shape) * scale).astype(np.float32))

    def put(self, op, inputs, outputs, **attributes):
        self.nodes.append(helper.make_node(op, inputs, outputs, **attributes))
        return outputs[0]

    def product(self, x, name, inner, outer):
        """x times a matrix of 4-bit numbers, one scale for each block of 32"""
        bits = self.rng.integers(0, 256, (outer, inner // BLOCK, BLOCK // 2), dtype=np.uint8)
        scales = np.full((outer, inner // BLOCK), 0.03, np.float32)
        return self.put("MatMulNBits", [x, self.weight(name + ".bits", bits), self.weight(name + ".scales", scales)], [name], domain=MS,
                        K=inner, N=outer, bits=4, block_size=BLOCK, accuracy_level=0)

    def layer(self, x, l):
        p = f"layer{l}."
        ones = np.ones(WIDTH, np.float32)
        normed = self.put("SimplifiedLayerNormalization", [x, self.weight(p + "norm1", ones)], [p + "normed"], axis=-1, epsilon=1e-5)
        q, k, v = (self.product(normed, p + n, WIDTH, heads * HEAD) for n, heads in (("q", HEADS), ("k", KV_HEADS), ("v", KV_HEADS)))
        cache = [f"past_key_values.{l}.key", f"past_key_values.{l}.value"]
        present = [f"present.{l}.key", f"present.{l}.value"]
        self.inputs += [helper.make_tensor_value_info(n, T.FLOAT, ["batch", KV_HEADS, "past", HEAD]) for n in cache]
        self.outputs += [helper.make_tensor_value_info(n, T.FLOAT, ["batch", KV_HEADS, "all", HEAD]) for n in present]
        a = self.put("GroupQueryAttention", [q, k, v, *cache, "last", "total_length", "cos", "sin"], [p + "attention", *present], domain=MS,
                     num_heads=HEADS, kv_num_heads=KV_HEADS, do_rotary=1, scale=float(HEAD**-.5))
        o = self.product(a, p + "o", WIDTH, WIDTH)
        h = self.put("SkipSimplifiedLayerNormalization", [x, o, self.weight(p + "norm2", ones)], [p + "h", "", "", p + "sum"], domain=MS, epsilon=1e-5)
        gate = self.product(h, p + "gate", WIDTH, FEED)
        self.put("Sigmoid", [gate], [p + "sigmoid"])
        self.put("Mul", [gate, p + "sigmoid"], [p + "silu"])
        self.put("Mul", [p + "silu", self.product(h, p + "up", WIDTH, FEED)], [p + "fed"])
        return self.put("Add", [p + "sum", self.product(p + "fed", p + "down", FEED, WIDTH)], [p + "y"])

    def model(self):
        self.random("words", self.words, WIDTH, scale=0.5)
        self.weight("one", np.array([1], np.int64))
        self.weight("at1", np.array(1, np.int64))
        angles = np.arange(CONTEXT)[:, None] / 10000**(np.arange(0, HEAD, 2) / HEAD)
        self.weight("cos", np.cos(angles).astype(np.float32))
        self.weight("sin", np.sin(angles).astype(np.float32))
        x = self.put("Gather", ["words", "input_ids"], ["x"])
        self.put("ReduceSum", ["attention_mask", "one"], ["lengths"], keepdims=0)
        self.put("Sub", ["lengths", "one"], ["last64"])
        self.put("Cast", ["last64"], ["last"], to=T.INT32)
        self.put("Shape", ["attention_mask"], ["mask_shape"])
        self.put("Gather", ["mask_shape", "at1"], ["total64"])
        self.put("Cast", ["total64"], ["total_length"], to=T.INT32)
        for l in range(LAYERS):
            x = self.layer(x, l)
        self.put("SimplifiedLayerNormalization", [x, self.weight("norm", np.ones(WIDTH, np.float32))], ["final"], axis=-1, epsilon=1e-5)
        self.put("MatMul", ["final", self.random("head", WIDTH, self.words, scale=0.2)], ["logits"])
        g = helper.make_graph(self.nodes, "decoder", self.inputs, self.outputs, self.weights)
        return helper.make_model(g, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(MS, 1)], ir_version=8)


def config(words):
    names = {"input_ids": "input_ids", "attention_mask": "attention_mask", "past_key_names": "past_key_values.%d.key",
             "past_value_names": "past_key_values.%d.value"}
    decoder = {"session_options": {"log_id": "decoder", "provider_options": [], "intra_op_num_threads": 1}, "filename": "model.onnx",
               "head_size": HEAD, "hidden_size": WIDTH, "num_attention_heads": HEADS, "num_hidden_layers": LAYERS, "num_key_value_heads": KV_HEADS,
               "inputs": names, "outputs": {"logits": "logits", "present_key_names": "present.%d.key", "present_value_names": "present.%d.value"}}
    return {"model": {"type": "llama", "vocab_size": words, "context_length": CONTEXT, "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2,
                      "decoder": decoder},
            "search": {"max_length": CONTEXT, "past_present_share_buffer": True, "num_beams": 1, "do_sample": False}}


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    made = tokenizer()
    words = len(made["model"]["vocab"])
    files = {"tokenizer.json": made, "genai_config.json": config(words),
             "tokenizer_config.json": {"tokenizer_class": "GPT2Tokenizer", "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>",
                                       "unk_token": "</s>", "add_bos_token": False, "model_max_length": CONTEXT}}
    for name, content in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            json.dump(content, f, ensure_ascii=False, indent=1)
    path = os.path.join(folder, "model.onnx")
    for old in (path, path + ".data"):
        if os.path.exists(old):
            os.remove(old)
    onnx.save(Decoder(words).model(), path, save_as_external_data=True, location="model.onnx.data", size_threshold=64)


if __name__ == "__main__":
    main()
