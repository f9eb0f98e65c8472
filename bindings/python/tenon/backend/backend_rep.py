"""A prepared model of the backend interface."""
# SPDX-License-Identifier: MIT
from onnx.backend.base import BackendRep

from tenon import RunOptions


def set_known(options, given):
    """sets those of the keyword arguments that the options know; the rest is for others"""
    for name, value in given.items():
        if hasattr(options, name):
            setattr(options, name, value)
    return options


class OnnxRuntimeBackendRep(BackendRep):
    """Holds an InferenceSession."""

    def __init__(self, session):
        self._session = session

    def run(self, inputs, **kwargs):
        """All outputs as a list. inputs: a list in the order of the model's inputs (later ones may be left out), a dict by name, or
        the array itself when the model has one input. Keyword arguments set attributes of RunOptions."""
        names = [i.name for i in self._session.get_inputs()]
        if isinstance(inputs, (list, tuple)):
            if len(inputs) > len(names):
                raise RuntimeError(f"{len(inputs)} inputs for a model that has {len(names)}")
            inputs = dict(zip(names, inputs))
        elif not isinstance(inputs, dict):
            if len(names) != 1:
                raise RuntimeError(f"a model with {len(names)} inputs needs a list or a dict of arrays")
            inputs = {names[0]: inputs}
        return self._session.run(None, inputs, set_known(RunOptions(), kwargs))
