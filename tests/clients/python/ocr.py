"""rapidocr-onnxruntime: three networks in a row read a drawn page.
SPDX-License-Identifier: MIT
"""
import sys

from rapidocr_onnxruntime import RapidOCR

result, _ = RapidOCR()(sys.argv[1] + "/text.png")
text = "".join(line[1] for line in result).replace(" ", "")
print([(line[1], round(float(line[2]), 3)) for line in result])
for part in ("TENON2026", "48213", "1,299.50"):
    assert part in text, f"{part} is not in {text}"
