"""Two threads take at most 0.7 of one thread's time on the text detector.
SPDX-License-Identifier: MIT

usage: two_threads.py FOLDER [--module tenon] [--model ocr_det_v4] [--limit 0.7]
Runs alternate in pairs; the ratio is the median of the pairs. Three tries: other programs disturb. Skipped with fewer than two
processors. The last line is "N passed, N failed, N skipped".
"""
import argparse
import importlib
import os
import sys
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models"))
from inputs import make_inputs  # noqa: E402
from run_refs import session  # noqa: E402

PAIRS, TRIES = 11, 3


def timed(s, feeds):
    t = time.perf_counter()
    s.run(None, feeds)
    return (time.perf_counter() - t) * 1e3


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("folder")
    ap.add_argument("--module", default="tenon")
    ap.add_argument("--model", default="ocr_det_v4")
    ap.add_argument("--limit", type=float, default=0.7)
    o = ap.parse_args()
    if len(os.sched_getaffinity(0)) < 2:
        print("one processor only\n0 passed, 0 failed, 1 skipped")
        return 0
    rt = importlib.import_module(o.module)
    path = os.path.join(o.folder, o.model + ".onnx")
    one, two = session(rt, path, 1, True), session(rt, path, 2, True)
    feeds = make_inputs(o.model, one)
    timed(one, feeds), timed(two, feeds)
    for _ in range(TRIES):
        pairs = [(timed(one, feeds), timed(two, feeds)) for _ in range(PAIRS)]
        ratio = float(np.median([b / a for a, b in pairs]))
        a, b = np.median(np.array(pairs), axis=0)
        print(f"{o.model}: one thread {a:.1f} ms, two {b:.1f} ms, ratio {ratio:.3f} (at most {o.limit})", flush=True)
        if ratio <= o.limit:
            break
    good = ratio <= o.limit
    print(f"{int(good)} passed, {int(not good)} failed, 0 skipped")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
