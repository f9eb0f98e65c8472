"""The Python classes, under the peer's name for their module."""
# SPDX-License-Identifier: MIT
from tenon.binding import IOBinding  # noqa: F401
from tenon.session import InferenceSession, Session, check_and_normalize_provider_args  # noqa: F401
from tenon.sparse import SparseTensor  # noqa: F401
from tenon.value import OrtDevice, OrtDeviceVendorId, OrtValue, copy_tensors  # noqa: F401
from tenon.value import device_type_number as get_ort_device_type  # noqa: F401
