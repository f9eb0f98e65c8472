"""IOBinding: inputs and outputs of a session bound to memory before the run."""
# SPDX-License-Identifier: MIT
from __future__ import annotations

from tenon import _engine
from tenon.value import OrtValue, OrtValueVector, device_type_number


class IOBinding:
    def __init__(self, session):
        self._session = session._sess
        self._iobinding = _engine.SessionIOBinding(session._sess)

    def bind_cpu_input(self, name, arr_on_cpu) -> None:
        """Binds an array; a list becomes an array of the input's type. Contiguous arrays are borrowed."""
        self._iobinding.bind_array(name, arr_on_cpu)

    def bind_input(self, name, device_type, device_id, element_type, shape, buffer_ptr) -> None:
        """Binds memory at an address: the caller keeps it alive."""
        device_type_number(device_type)
        self._iobinding.bind_input_at(name, device_type, device_id, element_type, [int(d) for d in shape], int(buffer_ptr))

    def bind_ortvalue_input(self, name, ortvalue) -> None:
        self._iobinding.bind_ortvalue_input(name, ortvalue._ortvalue)

    def bind_output(self, name, device_type="cpu", device_id=0, element_type=None, shape=None, buffer_ptr=None) -> None:
        """Binds an output to memory at an address, or, without one, to a device where the run allocates it."""
        device_type_number(device_type)
        if buffer_ptr is None:
            self._iobinding.bind_output_to(name, device_type, device_id)
            return
        if element_type is None or shape is None:
            raise ValueError("`element_type` and `shape` are to be provided if pre-allocated memory is provided")
        self._iobinding.bind_output_at(name, device_type, device_id, element_type, [int(d) for d in shape], int(buffer_ptr))

    def bind_ortvalue_output(self, name, ortvalue) -> None:
        self._iobinding.bind_ortvalue_output(name, ortvalue._ortvalue)

    def synchronize_inputs(self) -> None:
        self._iobinding.synchronize_inputs()

    def synchronize_outputs(self) -> None:
        self._iobinding.synchronize_outputs()

    def get_outputs(self) -> list[OrtValue]:
        return [OrtValue(v) for v in self._iobinding.get_outputs()]

    def get_outputs_as_ortvaluevector(self) -> OrtValueVector:
        return OrtValueVector(self._iobinding.get_outputs())

    def copy_outputs_to_cpu(self) -> list:
        return self._iobinding.copy_outputs_to_cpu()

    def clear_binding_inputs(self) -> None:
        self._iobinding.clear_binding_inputs()

    def clear_binding_outputs(self) -> None:
        self._iobinding.clear_binding_outputs()
