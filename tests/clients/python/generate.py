"""onnxruntime-genai: its library finds libonnxruntime.so.1 in the onnxruntime package and drives it through the C table.
SPDX-License-Identifier: MIT

argv[2] is a folder that make_decoder.py made. Greedy, sampled and beam search with a cache; the same prompt twice gives the same.
"""
import sys

import onnxruntime_genai as og

model = og.Model(sys.argv[2])
tokenizer = og.Tokenizer(model)
prompt = tokenizer.encode("the quick brown")


def tokens(**search):
    parameters = og.GeneratorParams(model)
    parameters.set_search_options(max_length=len(prompt) + 24, **search)
    generator = og.Generator(model, parameters)
    generator.append_tokens(prompt)
    while not generator.is_done():
        generator.generate_next_token()
    return [int(t) for t in generator.get_sequence(0)]


greedy = tokens(do_sample=False)
print(greedy, og.__version__)
assert greedy[:len(prompt)] == [int(t) for t in prompt]
assert len(greedy) == len(prompt) + 24 or greedy[-1] == 1
assert greedy == tokens(do_sample=False)
print(tokens(do_sample=True, top_k=5, random_seed=7))
beams = tokens(num_beams=3)
print(beams)
assert beams[:len(prompt)] == greedy[:len(prompt)]
with open("/proc/self/maps") as f:
    maps = f.read()
assert sum(line.endswith("/libtenon.so.0.1.0") or "libtenon.so" in line for line in maps.splitlines()), "another engine answered"
