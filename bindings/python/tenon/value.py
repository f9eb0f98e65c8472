"""OrtValue and OrtDevice: values outside of a run, and where they lie."""
# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np

from tenon import _engine


class OrtDeviceVendorId(IntEnum):
    """PCI numbers of vendors."""

    NONE = 0
    AMD = 0x1002
    NVIDIA = 0x10DE
    ARM = 0x13B5
    MICROSOFT = 0x1414
    HUAWEI = 0x19E5
    QUALCOMM = 0x5143
    INTEL = 0x8086


_DEVICE_TYPES = {"cpu": 0, "cuda": 1, "gpu": 1, "dml": 1, "webgpu": 1, "fpga": 2, "npu": 3, "cann": 3}
_VENDORS = {"cuda": OrtDeviceVendorId.NVIDIA, "dml": OrtDeviceVendorId.MICROSOFT, "cann": OrtDeviceVendorId.HUAWEI}


def device_type_number(name: str) -> int:
    """The number of a device type. Raises for names nobody knows."""
    try:
        return _DEVICE_TYPES[name]
    except KeyError:
        raise Exception("Unsupported device type: " + str(name)) from None


class RawDevice:
    """The plain description of a device: type, memory, vendor and index, as numbers."""

    def __init__(self, device_type: int = 0, mem_type: int = 0, *rest: int):
        # Two forms are in use: (type, memory, index) and (type, memory, vendor, index).
        self._type, self._memory = int(device_type), int(mem_type)
        self._vendor, self._id = (0, int(rest[0] if rest else 0)) if len(rest) < 2 else (int(rest[0]), int(rest[1]))

    def device_type(self) -> int:
        return self._type

    def device_id(self) -> int:
        return self._id

    def mem_type(self) -> int:
        return self._memory

    def vendor_id(self) -> int:
        return self._vendor

    @staticmethod
    def cpu() -> int:
        return 0

    cuda = gpu = dml = webgpu = staticmethod(lambda: 1)
    fpga = staticmethod(lambda: 2)
    npu = cann = staticmethod(lambda: 3)
    default_memory = staticmethod(lambda: 0)


class OrtDevice:
    """Where a value lies."""

    def __init__(self, c_ort_device: RawDevice):
        if not isinstance(c_ort_device, RawDevice):
            raise ValueError("OrtDevice is made with OrtDevice.make(name, id)")
        self._ort_device = c_ort_device

    @staticmethod
    def make(ort_device_name: str, device_id: int, vendor_id: int = -1) -> OrtDevice:
        number = device_type_number(ort_device_name)
        if vendor_id < 0:
            vendor_id = _VENDORS.get(ort_device_name, OrtDeviceVendorId.NONE)
        return OrtDevice(RawDevice(number, 0, int(vendor_id), device_id))

    def _get_c_device(self) -> RawDevice:
        return self._ort_device

    def device_id(self) -> int:
        return self._ort_device.device_id()

    def device_type(self) -> int:
        return self._ort_device.device_type()

    def device_vendor_id(self) -> int:
        return self._ort_device.vendor_id()

    def device_mem_type(self) -> int:
        return self._ort_device.mem_type()


def _require_cpu(device_type: str) -> None:
    if device_type_number(device_type) != 0:
        raise RuntimeError(f"this build has no memory on '{device_type}'")


class OrtValue:
    """A tensor, sequence, map or optional that the engine holds."""

    def __init__(self, ortvalue, numpy_obj=None, session=None):
        if not isinstance(ortvalue, _engine.OrtValue):
            raise ValueError("OrtValue is made with ortvalue_from_numpy and its relatives")
        self._ortvalue = ortvalue
        self._numpy_obj = numpy_obj  # the memory may be this array's
        self._session = session

    def _get_c_value(self):
        return self._ortvalue

    @staticmethod
    def ortvalue_from_numpy(numpy_obj, /, device_type="cpu", device_id=0, vendor_id=-1) -> OrtValue:
        """A tensor that borrows the array's memory when it is contiguous; strings are copied."""
        _require_cpu(device_type)
        return OrtValue(_engine.OrtValue.ortvalue_from_numpy(numpy_obj), numpy_obj)

    @staticmethod
    def ortvalue_from_numpy_with_onnx_type(data, /, onnx_element_type: int) -> OrtValue:
        """A tensor whose elements are the array's bits, taken as an ONNX type of the same width."""
        return OrtValue(_engine.OrtValue.ortvalue_from_numpy_with_onnx_type(data, onnx_element_type), data)

    @staticmethod
    def ortvalue_from_shape_and_type(shape: Sequence[int], element_type, device_type="cpu", device_id=0, vendor_id=-1,
                                     memory_info=None) -> OrtValue:
        """A tensor of this shape with undefined contents. The type is a numpy dtype or an ONNX number."""
        if memory_info is None:
            _require_cpu(device_type)
        return OrtValue(_engine.OrtValue.ortvalue_from_shape_and_type([int(d) for d in shape], element_type))

    @staticmethod
    def ort_value_from_sparse_tensor(sparse_tensor) -> OrtValue:
        return OrtValue(sparse_tensor._ortvalue)

    @staticmethod
    def from_dlpack(data, /) -> OrtValue:
        return OrtValue.ortvalue_from_numpy(np.from_dlpack(data))

    def __dlpack__(self, **kwargs):
        return self.numpy().__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return (1, 0)

    def numpy(self) -> np.ndarray:
        """The tensor as an array that shares its memory."""
        return self._ortvalue.numpy()

    def to_python(self):
        """An array, a list for a sequence, a dict for a map."""
        return self._ortvalue.to_python()

    def update_inplace(self, data) -> None:
        """Copies an array of the same element type and number of elements into the tensor."""
        self._ortvalue.update_inplace(data)

    def data_ptr(self) -> int:
        return self._ortvalue.data_ptr()

    def device_name(self) -> str:
        return self._ortvalue.device_name()

    def shape(self) -> Sequence[int]:
        return self._ortvalue.shape()

    def data_type(self) -> str:
        return self._ortvalue.data_type()

    def element_type(self) -> int:
        return self._ortvalue.element_type()

    def tensor_size_in_bytes(self) -> int:
        return self._ortvalue.tensor_size_in_bytes()

    def has_value(self) -> bool:
        return self._ortvalue.has_value()

    def is_tensor(self) -> bool:
        return self._ortvalue.is_tensor()

    def is_sparse_tensor(self) -> bool:
        return self._ortvalue.is_sparse_tensor()

    def is_tensor_sequence(self) -> bool:
        return self._ortvalue.is_tensor_sequence()


class OrtValueVector(list):
    """A list of engine values."""

    push_back = list.append

    def push_back_batch(self, torch_tensors, data_ptrs, element_types, shapes, devices) -> None:
        raise NotImplementedError("push_back_batch is not supported; append OrtValues")

    def reserve(self, count: int) -> None:
        """Does nothing: lists grow by themselves."""

    def shrink_to_fit(self) -> None:
        """Does nothing."""

    def element_type_at(self, index: int) -> int:
        return self[index].element_type()

    def dlpack_at(self, index: int):
        return self[index].numpy().__dlpack__()

    def to_dlpacks(self, to_tensor):
        return [to_tensor(v.numpy().__dlpack__()) for v in self]

    def bool_tensor_indices(self) -> list[int]:
        return [i for i, v in enumerate(self) if v.data_type() == "tensor(bool)"]


def copy_tensors(src: Sequence[OrtValue], dst: Sequence[OrtValue], stream=None) -> None:
    """Copies each tensor of `src` into the one of `dst` at the same place."""
    _engine.copy_tensors([v._ortvalue for v in src], [v._ortvalue for v in dst], stream)
