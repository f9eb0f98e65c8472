"""The engine's classes, functions and exceptions, under the peer's name for its extension module."""
# SPDX-License-Identifier: MIT
from tenon.capi._pybind_state import *  # noqa: F401,F403
