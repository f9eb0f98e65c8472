"""silero-vad: a state goes from call to call; finds where speech starts and ends.
SPDX-License-Identifier: MIT
"""
import sys
import wave

import numpy as np
import torch
from silero_vad import get_speech_timestamps, load_silero_vad

with wave.open(sys.argv[1] + "/speech.wav") as f:
    sound = torch.from_numpy(np.frombuffer(f.readframes(f.getnframes()), np.int16).astype(np.float32) / 32768)
for opset in (15, 16):
    found = get_speech_timestamps(sound, load_silero_vad(onnx=True, opset_version=opset), return_seconds=True)
    print(opset, found)
    assert found and 0.7 < found[0]["start"] < 1.4 and found[-1]["end"] < 6.2
