"""Draws the picture that the demo reads: a small receipt.
SPDX-License-Identifier: MIT

usage: picture.py OUT.png
"""
import sys

from PIL import Image, ImageDraw, ImageFont

LINES = ["TENON READS THIS", "Invoice No 48213", "3 x Oak board 40 mm", "Total 1,299.50 EUR"]


def draw(path):
    image = Image.new("RGB", (720, 420), "white")
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(40)  # Pillow's own scalable font: no font need be installed
    for k, line in enumerate(LINES):
        pen.text((50, 40 + 90 * k), line, "black", font)
    pen.rectangle((20, 15, 700, 405), outline="gray", width=2)
    image.save(path)


if __name__ == "__main__":
    draw(sys.argv[1])
