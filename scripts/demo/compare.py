"""Prints what Tenon and the peer read and how long each stage took; exit code 1 when Tenon's text is wrong.
SPDX-License-Identifier: MIT

usage: compare.py TENON.json PEER.json
"""
import json
import sys

from picture import LINES


def plain(text):
    return "".join(text.split())


def wrong(lines):
    """the drawn lines that are not among the read ones; spaces are not compared, the recogniser drops some"""
    return [line for line in LINES if plain(line) not in [plain(x) for x in lines]]


tenon, peer = (json.load(open(p)) for p in sys.argv[1:3])
print(f"\n  {'drawn':24}{'read by Tenon':28}{'read by the peer':28}")
for k in range(max(len(LINES), len(tenon["lines"]), len(peer["lines"]))):
    pick = lambda lines: lines[k] if k < len(lines) else "-"
    print(f"  {pick(LINES):24}{pick(tenon['lines']):28}{pick(peer['lines']):28}")
print(f"\n  {'milliseconds':24}{'Tenon':>10}{'peer':>10}{'ratio':>8}")
rows = [("load three models", tenon["load_ms"], peer["load_ms"])]
rows += [(name, tenon["stage_ms"][name], peer["stage_ms"][name]) for name in tenon["stage_ms"]]
for name, a, b in rows:
    print(f"  {name:24}{a:10.1f}{b:10.1f}{b / a:8.2f}")
print("  (best of the runs of each; a ratio above 1: Tenon is faster; a stage holds the package's own work too)\n")
print(f"  Tenon ran from {tenon['file']}\n  the peer is onnxruntime {peer['version']}")
bad = wrong(tenon["lines"])
if bad:
    print("FAIL: Tenon did not read", bad)
if wrong(peer["lines"]):
    print("note: the peer did not read", wrong(peer["lines"]))
print(f"{len(LINES) - len(bad)} passed, {len(bad)} failed, 0 skipped")
sys.exit(1 if bad else 0)
