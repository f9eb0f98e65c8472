"""nudenet: a YOLO detector with OpenCV around it, on a scene without people; the package imports capi._pybind_state.
SPDX-License-Identifier: MIT
"""
import sys

from nudenet import NudeDetector

boxes = NudeDetector().detect(sys.argv[1] + "/scene.png")
print(boxes)
assert isinstance(boxes, list)
for b in boxes:
    assert b["class"] and 0 < b["score"] <= 1 and len(b["box"]) == 4
