"""The backend: sessions made of whatever ONNX's tools hand over as a model."""
# SPDX-License-Identifier: MIT
from onnx.backend.base import Backend

from tenon import InferenceSession, SessionOptions, get_device
from tenon.backend.backend_rep import OnnxRuntimeBackendRep, set_known


class OnnxRuntimeBackend(Backend):
    """ONNX's backend interface. A model is a path, bytes, a ModelProto, an InferenceSession or an already prepared model."""

    @classmethod
    def supports_device(cls, device):
        """True for "CPU", with or without the number of the device"""
        return device.partition(":")[0] == get_device()

    @classmethod
    def is_compatible(cls, model, device=None, **kwargs):
        """True when the device is there and the model can be loaded"""
        try:
            cls.prepare(model, device, **kwargs)
        except Exception:  # whatever hinders the load
            return False
        return True

    @classmethod
    def prepare(cls, model, device=None, **kwargs):
        """Loads a model. Keyword arguments set attributes of SessionOptions; RuntimeError for a device that is not there."""
        if isinstance(model, OnnxRuntimeBackendRep):
            return model
        if device is not None and not cls.supports_device(device):
            raise RuntimeError(f"Incompatible device expected '{device}', got '{get_device()}'")
        if not isinstance(model, InferenceSession):
            source = model if isinstance(model, (str, bytes)) or hasattr(model, "__fspath__") else model.SerializeToString()
            model = InferenceSession(source, sess_options=set_known(SessionOptions(), kwargs), providers=["CPUExecutionProvider"])
        return OnnxRuntimeBackendRep(model)

    @classmethod
    def run_model(cls, model, inputs, device=None, **kwargs):
        """Loads a model if that has not been done and runs it; see prepare and OnnxRuntimeBackendRep.run."""
        return cls.prepare(model, device, **kwargs).run(inputs, **kwargs)

    @classmethod
    def run_node(cls, node, inputs, device=None, outputs_info=None, **kwargs):
        """Not offered: a node has no model around it that says which operator set it is of."""
        raise NotImplementedError("single nodes are not run; put the node into a model and use run_model")


is_compatible = OnnxRuntimeBackend.is_compatible
prepare = OnnxRuntimeBackend.prepare
run = OnnxRuntimeBackend.run_model
run_model = OnnxRuntimeBackend.run_model
supports_device = OnnxRuntimeBackend.supports_device
