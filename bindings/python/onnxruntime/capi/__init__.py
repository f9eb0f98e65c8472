"""The modules of tenon.capi, and the folder where programs look for libonnxruntime.so.1."""
# SPDX-License-Identifier: MIT
from tenon.capi import _pybind_state, onnxruntime_inference_collection, onnxruntime_pybind11_state  # noqa: F401
