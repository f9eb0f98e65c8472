"""Tenon runs ONNX models. The names and their meanings are those of the package onnxruntime: `import tenon as ort`."""
# SPDX-License-Identifier: MIT
from tenon import _engine
from tenon._engine import (  # noqa: F401
    ExecutionMode,
    ExecutionOrder,
    GraphOptimizationLevel,
    LoraAdapter,
    ModelMetadata,
    NodeArg,
    OrtAllocatorType,
    OrtArenaCfg,
    OrtDeviceMemoryType,
    OrtEpDevice,
    OrtExecutionProviderDevicePolicy,
    OrtHardwareDevice,
    OrtHardwareDeviceType,
    OrtMemoryInfo,
    OrtMemoryInfoDeviceType,
    OrtMemType,
    OrtSparseFormat,
    RunOptions,
    SessionIOBinding,
    SessionOptions,
    create_and_register_allocator,
    create_and_register_allocator_v2,
    get_all_providers,
    get_available_providers,
    get_build_info,
    get_ep_devices,
    get_version_string,
    register_execution_provider_library,
    set_default_logger_severity,
    set_global_thread_pool_sizes,
    unregister_execution_provider_library,
)
from tenon.binding import IOBinding  # noqa: F401
from tenon.session import InferenceSession, OrtEpAssignedNode, OrtEpAssignedSubgraph  # noqa: F401
from tenon.sparse import SparseTensor  # noqa: F401
from tenon.value import OrtDevice, OrtDeviceVendorId, OrtValue, copy_tensors  # noqa: F401
from tenon.extras import (  # noqa: F401
    disable_telemetry_events,
    enable_telemetry_events,
    get_device,
    has_collective_ops,
    preload_dlls,
    print_debug_info,
    set_default_logger_verbosity,
    set_seed,
)

__version__ = get_version_string()
__author__ = "The Tenon authors"
import_capi_exception = None
package_name = "tenon"
version = __version__
cuda_version = ""
