"""ONNX's backend interface (onnx.backend.base) on this engine. Needs the package onnx."""
# SPDX-License-Identifier: MIT
from tenon.backend.backend import OnnxRuntimeBackend, is_compatible, prepare, run, run_model, supports_device  # noqa: F401
from tenon.backend.backend_rep import OnnxRuntimeBackendRep  # noqa: F401
