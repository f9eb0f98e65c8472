"""Reads the text in a picture with the unchanged package rapidocr-onnxruntime, on whatever `import onnxruntime` finds here.
SPDX-License-Identifier: MIT

usage: read_picture.py PICTURE OUT.json RUNS
Writes the lines, their scores, the milliseconds of each stage (detection, direction, recognition; the best of RUNS), the time to
load the three models, and which module answered to the name onnxruntime.
"""
import json
import sys
import time

import numpy as np
import onnxruntime
from PIL import Image
from rapidocr_onnxruntime import RapidOCR

picture, out, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
t = time.perf_counter()
engine = RapidOCR()
load = (time.perf_counter() - t) * 1e3
image = np.array(Image.open(picture).convert("RGB"))[:, :, ::-1]
stages = []
for _ in range(runs + 1):  # one more than counted: the first warms up
    found, seconds = engine(image)
    stages.append([s * 1e3 for s in seconds])
best = np.min(np.array(stages[1:]), axis=0).tolist()
answer = {
    "lines": [line[1] for line in found or []],
    "scores": [round(float(line[2]), 4) for line in found or []],
    "load_ms": load,
    "stage_ms": dict(zip(("detection", "direction", "recognition"), best)),
    "version": onnxruntime.__version__,
    "file": onnxruntime.__file__,
}
json.dump(answer, open(out, "w"))
