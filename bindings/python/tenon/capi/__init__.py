"""Modules under the names that programs written for onnxruntime import."""
# SPDX-License-Identifier: MIT
