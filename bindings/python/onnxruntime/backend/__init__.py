"""ONNX's backend interface under the peer's name; see tenon.backend."""
# SPDX-License-Identifier: MIT
import sys

import tenon.backend.backend
import tenon.backend.backend_rep
from tenon.backend import *  # noqa: F401,F403
from tenon.backend import backend, backend_rep  # noqa: F401

for _name in ("backend", "backend_rep"):
    sys.modules["onnxruntime.backend." + _name] = sys.modules["tenon.backend." + _name]
