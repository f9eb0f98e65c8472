"""The engine's classes, functions and exceptions, under the peer's name for them."""
# SPDX-License-Identifier: MIT
from tenon._engine import *  # noqa: F401,F403
from tenon.extras import (  # noqa: F401
    disable_telemetry_events,
    enable_telemetry_events,
    get_device,
    has_collective_ops,
    set_default_logger_verbosity,
    set_seed,
)
from tenon.session import OrtEpAssignedNode, OrtEpAssignedSubgraph  # noqa: F401
from tenon.sparse import SparseBlockSparseView, SparseCooView, SparseCsrView, SparseTensor  # noqa: F401
from tenon.value import OrtValueVector  # noqa: F401
from tenon.value import RawDevice as OrtDevice  # noqa: F401
