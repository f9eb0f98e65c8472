"""InferenceSession: loads a model and runs it."""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import collections.abc
import os
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

from tenon import _engine
from tenon.binding import IOBinding
from tenon.value import OrtValue, OrtValueVector, _require_cpu

Provider = str | tuple[str, dict[Any, Any]]


class OrtEpAssignedNode(NamedTuple):
    name: str
    domain: str
    op_type: str


class OrtEpAssignedSubgraph(NamedTuple):
    ep_name: str
    nodes: list[OrtEpAssignedNode]

    def get_nodes(self) -> list[OrtEpAssignedNode]:
        return self.nodes


def check_and_normalize_provider_args(providers, provider_options, available_provider_names):
    """Both arguments of a session as two lists of equal length: names without repetition, and options as texts.

    Warns about names that are not available and about repetitions, which are dropped; raises ValueError for other forms.
    """
    if providers is None:
        return [], []
    if not isinstance(providers, collections.abc.Sequence):
        raise ValueError("'providers' should be a sequence.")
    if provider_options is None:
        pairs = [(p, {}) if isinstance(p, str) else p for p in providers]
        for p in pairs:
            if not (isinstance(p, tuple) and len(p) == 2 and isinstance(p[0], str) and isinstance(p[1], dict)):
                raise ValueError("'providers' values must be either strings or (string, dict) tuples.")
    else:
        if not isinstance(provider_options, collections.abc.Sequence):
            raise ValueError("'provider_options' should be a sequence.")
        if len(providers) != len(provider_options):
            raise ValueError("'providers' and 'provider_options' should be the same length if both are given.")
        if not all(isinstance(p, str) for p in providers):
            raise ValueError("Only string values for 'providers' are supported if 'provider_options' is given.")
        if not all(isinstance(o, dict) for o in provider_options):
            raise ValueError("'provider_options' values must be dicts.")
        pairs = list(zip(providers, provider_options))
    chosen: dict[str, dict[str, str]] = {}
    for name, options in pairs:
        if name not in available_provider_names:
            names = ", ".join(available_provider_names)
            warnings.warn(f"Specified provider '{name}' is not in available provider names. Available providers: '{names}'")
        if name in chosen:
            warnings.warn(f"Duplicate provider '{name}' encountered, ignoring.")
            continue
        chosen[name] = {str(k): str(v) for k, v in options.items()}
    return list(chosen), list(chosen.values())


class Session:
    """What is common to sessions. `_sess` is the engine's object."""

    def __init__(self, enable_fallback: bool = True):
        self._sess = None
        self._enable_fallback = enable_fallback

    def enable_fallback(self) -> None:
        """Lets construction and runs fall back to the CPU when a provider fails."""
        self._enable_fallback = True

    def disable_fallback(self) -> None:
        self._enable_fallback = False

    def get_session_options(self):
        return self._sess_options

    def get_inputs(self):
        """Inputs that must be fed: NodeArg with name, type and shape."""
        return self._inputs_meta

    def get_outputs(self):
        return self._outputs_meta

    def get_overridable_initializers(self):
        """Inputs that have a default in the model."""
        return self._overridable_initializers

    def get_modelmeta(self):
        return self._model_meta

    def get_providers(self) -> Sequence[str]:
        return self._providers

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        return self._provider_options

    def get_input_memory_infos(self):
        """Where each input is wanted."""
        return self._sess.input_meminfos

    def get_output_memory_infos(self):
        """Where each output is made."""
        return self._sess.output_meminfos

    def get_input_epdevices(self):
        """The device of each input; None for those of the CPU that no plug-in provider serves."""
        return self._sess.input_epdevices

    def get_provider_graph_assignment_info(self) -> Sequence[OrtEpAssignedSubgraph]:
        return [OrtEpAssignedSubgraph(ep, [OrtEpAssignedNode(*n) for n in nodes]) for ep, nodes in self._sess.placement()]

    def set_providers(self, providers=None, provider_options=None) -> None:
        """Makes the session anew with these providers."""
        self._create(providers, provider_options)

    def _check_feed(self, names) -> None:
        missing = [n for n in self._required if n not in names]
        if missing:
            raise ValueError(f"Required inputs ({missing}) are missing from input feed ({list(names)}).")

    def _with_fallback(self, call):
        try:
            return call(self._sess)
        except _engine.EPFail as fault:
            if not self._enable_fallback:
                raise
            warnings.warn(f"{fault} using {self._providers}; the CPU takes over")
            self.set_providers(["CPUExecutionProvider"])
            self.disable_fallback()
            return call(self._sess)

    def run(self, output_names, input_feed, run_options=None) -> list:
        """Runs the model.

        output_names: names of the outputs wanted, None or empty for all. input_feed: name to numpy array; lists and scalars are
        converted to the input's type; sequences are lists, maps dicts; OrtValues are taken as they are.
        Returns a list: arrays that own their memory, lists for sequences, dicts for maps.
        """
        self._check_feed(input_feed)
        names = output_names if output_names else self._output_names
        return self._with_fallback(lambda s: s.run(names, dict(input_feed), run_options))

    def run_async(self, output_names, input_feed, callback, user_data, run_options=None) -> None:
        """Like run, but returns at once; `callback(results, user_data, error_text)` is called on a thread of the engine."""
        self._check_feed(input_feed)
        names = output_names if output_names else self._output_names
        self._sess.run_async(names, dict(input_feed), callback, user_data, run_options)

    def run_with_ort_values(self, output_names, input_dict_ort_values, run_options=None) -> list[OrtValue]:
        """Like run, with OrtValues on both sides."""
        self._check_feed(input_dict_ort_values)
        names = output_names if output_names else self._output_names
        feed = {n: v._ortvalue for n, v in input_dict_ort_values.items()}
        return [OrtValue(v) for v in self._with_fallback(lambda s: s.run_with_ort_values(feed, names, run_options))]

    def run_with_ortvaluevector(self, run_options, feed_names, feeds, fetch_names, fetches, fetch_devices) -> None:
        """Feeds engine values by position and appends the results to `fetches`."""
        results = self._sess.run_with_ort_values(dict(zip(feed_names, feeds)), list(fetch_names), run_options)
        fetches[:] = results

    def io_binding(self) -> IOBinding:
        return IOBinding(self)

    def run_with_iobinding(self, iobinding, run_options=None) -> None:
        self._sess.run_with_iobinding(iobinding._iobinding, run_options)

    def create_ortvalue_from_shape_and_type(self, shape, element_type, device_type, device_id=0, vendor_id=-1) -> OrtValue:
        _require_cpu(device_type)
        return OrtValue(_engine.OrtValue.ortvalue_from_shape_and_type(list(shape), element_type), session=self._sess)

    def end_profiling(self) -> str:
        """Ends profiling and returns the name of the file."""
        return self._sess.end_profiling()

    def get_profiling_start_time_ns(self) -> int:
        """When profiling began, on the clock of time.monotonic_ns()."""
        return self._sess.get_profiling_start_time_ns

    def set_ep_dynamic_options(self, options: dict[str, str]) -> None:
        self._sess.set_ep_dynamic_options(options)

    def get_tuning_results(self) -> list:
        """Nothing is tuned at run time."""
        return []

    def set_tuning_results(self, results, *, error_on_invalid: bool = False) -> None:
        if results and error_on_invalid:
            raise RuntimeError("tuning results of another engine cannot be used")

    def release_captured_graph(self, graph_annotation_id: int = 0) -> None:
        """Does nothing: no provider of this build captures graphs."""


class InferenceSession(Session):
    """A loaded model.

    path_or_bytes: a file name, or the bytes of a model. providers: names, or (name, options) pairs, in order of preference; the
    CPU comes last by itself. provider_options: options for each of `providers` when these are plain names.
    """

    def __init__(self, path_or_bytes: str | bytes | os.PathLike, sess_options=None, providers: Sequence[Provider] | None = None,
                 provider_options: Sequence[dict[Any, Any]] | None = None, **kwargs) -> None:
        super().__init__(enable_fallback=int(kwargs.get("enable_fallback", 1)) == 1)
        if isinstance(path_or_bytes, (str, os.PathLike)):
            self._model_path, self._model_bytes = os.fspath(path_or_bytes), None
        elif isinstance(path_or_bytes, (bytes, bytearray, memoryview)):
            self._model_path, self._model_bytes = None, bytes(path_or_bytes)
        else:
            raise TypeError(f"Unable to load from type '{type(path_or_bytes)}'")
        if sess_options is not None and not isinstance(sess_options, _engine.SessionOptions):
            raise TypeError(f"sess_options must be a SessionOptions, not {type(sess_options)}")
        self._sess_options_initial = sess_options
        self._sess_options = sess_options if sess_options is not None else _engine.SessionOptions()
        self._disabled_optimizers = [str(o) for o in kwargs.get("disabled_optimizers") or ()]
        try:
            self._create(providers, provider_options)
        except (ValueError, RuntimeError) as fault:
            if not self._enable_fallback:
                raise
            print("*************** EP Error ***************")
            print(f"EP Error {fault} when using {providers}")
            print("Falling back to ['CPUExecutionProvider'] and retrying.")
            print("****************************************")
            try:
                self._create(["CPUExecutionProvider"], None)
            except Exception as second:
                raise second from fault
            self.disable_fallback()
        self._model_bytes = self._model_bytes if self._enable_fallback else None

    def _create(self, providers, provider_options) -> None:
        names, options = check_and_normalize_provider_args(providers, provider_options, _engine.get_available_providers())
        model = self._model_path if self._model_path is not None else self._model_bytes
        self._sess = _engine.InferenceSession(model, self._sess_options, list(zip(names, options)), self._disabled_optimizers)
        self._inputs_meta = self._sess.inputs_meta
        self._outputs_meta = self._sess.outputs_meta
        self._overridable_initializers = self._sess.overridable_initializers
        self._model_meta = self._sess.model_meta
        self._providers = self._sess.get_providers()
        self._provider_options = self._sess.get_provider_options()
        self._output_names = [o.name for o in self._outputs_meta]
        self._required = [i.name for i in self._inputs_meta if not i.type.startswith("optional")]
