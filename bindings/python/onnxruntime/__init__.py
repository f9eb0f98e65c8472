"""Tenon under the name onnxruntime, for programs that import that. See the package tenon."""
# SPDX-License-Identifier: MIT
import sys

import tenon
from tenon import *  # noqa: F401,F403
from tenon import __version__, capi  # noqa: F401
from tenon.capi import _pybind_state, onnxruntime_inference_collection, onnxruntime_pybind11_state  # noqa: F401

package_name = "onnxruntime"

# One module object under both names, so that classes and exceptions are the same wherever they are imported from.
for _name in ("_pybind_state", "onnxruntime_inference_collection", "onnxruntime_pybind11_state"):
    sys.modules["onnxruntime.capi." + _name] = sys.modules["tenon.capi." + _name]
