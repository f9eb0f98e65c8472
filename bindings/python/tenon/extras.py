"""Small functions of the module that need no engine object."""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import platform
import sys

from tenon import _engine

_state = {"verbosity": 0, "seed": None}


def get_device() -> str:
    """The kind of device this build computes on: "CPU", or "GPU" when a GPU provider is there."""
    gpu = {"CUDAExecutionProvider", "ROCMExecutionProvider", "WebGpuExecutionProvider", "DmlExecutionProvider"}
    return "GPU" if gpu & set(_engine.get_available_providers()) else "CPU"


def set_default_logger_verbosity(level: int) -> None:
    """Accepted for compatibility: messages have a severity only."""
    _state["verbosity"] = int(level)


def set_seed(seed: int) -> None:
    """Remembers a seed. Operators that draw random numbers take their seed from the model's attributes."""
    _state["seed"] = int(seed)


def enable_telemetry_events() -> None:
    """Does nothing: Tenon sends nothing anywhere."""


def disable_telemetry_events() -> None:
    """Does nothing: Tenon sends nothing anywhere."""


def has_collective_ops() -> bool:
    return False


def preload_dlls(cuda: bool = True, cudnn: bool = True, msvc: bool = True, directory=None) -> None:
    """Does nothing: providers load what they need themselves."""


def print_debug_info() -> None:
    """Prints what a report of a fault should contain."""
    print("tenon", _engine.get_version_string(), _engine.get_build_info())
    print("Python", sys.version.replace("\n", " "))
    print("platform", platform.platform(), platform.machine())
    print("providers", ", ".join(_engine.get_available_providers()))
