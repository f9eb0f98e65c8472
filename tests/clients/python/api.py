"""The breadth of the Python interface in one program: options, bindings, values, runs of every kind, files it writes, exceptions.
SPDX-License-Identifier: MIT
"""
import json
import os
import tempfile
import threading

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto as T
from onnx import helper, numpy_helper

rng = np.random.RandomState(0)
W = rng.randn(16, 8).astype(np.float32)
x = rng.randn(3, 16).astype(np.float32)
expected = np.maximum(x @ W, 0)
graph = helper.make_graph([helper.make_node("MatMul", ["x", "W"], ["m"]), helper.make_node("Relu", ["m"], ["y"])], "g",
                          [helper.make_tensor_value_info("x", T.FLOAT, ["batch", 16])], [helper.make_tensor_value_info("y", T.FLOAT, ["batch", 8])],
                          [numpy_helper.from_array(W, "W")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="client")
helper.set_model_props(model, {"k": "v"})
folder = tempfile.mkdtemp()


def right(y):
    np.testing.assert_allclose(y, expected, atol=1e-5)


options = ort.SessionOptions()
options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
options.intra_op_num_threads = 2
options.add_session_config_entry("session.intra_op.allow_spinning", "0")
options.add_free_dimension_override_by_name("batch", 3)
options.enable_profiling = True
options.profile_file_prefix = folder + "/p"
options.optimized_model_filepath = folder + "/optimised.onnx"
s = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
right(s.run(["y"], {"x": x})[0])

i = s.get_inputs()[0]
meta = s.get_modelmeta()
assert (i.name, i.shape, i.type) == ("x", [3, 16], "tensor(float)")
assert (meta.producer_name, meta.graph_name, meta.custom_metadata_map) == ("client", "g", {"k": "v"})
assert "CPUExecutionProvider" in ort.get_available_providers() and ort.get_device() == "CPU"

onnx.checker.check_model(folder + "/optimised.onnx")
right(ort.InferenceSession(folder + "/optimised.onnx", providers=["CPUExecutionProvider"]).run(None, {"x": x})[0])

binding = s.io_binding()
binding.bind_cpu_input("x", x)
binding.bind_output("y")
s.run_with_iobinding(binding)
right(binding.copy_outputs_to_cpu()[0])
value = ort.OrtValue.ortvalue_from_numpy(x)
out = ort.OrtValue.ortvalue_from_shape_and_type([3, 8], np.float32)
binding = s.io_binding()
binding.bind_ortvalue_input("x", value)
binding.bind_ortvalue_output("y", out)
s.run_with_iobinding(binding)
right(out.numpy())
assert (value.shape(), value.data_type(), value.device_name()) == ([3, 16], "tensor(float)", "cpu")
right(s.run_with_ort_values(["y"], {"x": value})[0].numpy())

done, answers = threading.Event(), []
s.run_async(["y"], {"x": x}, lambda results, user, fault: (answers.append((results, fault)), done.set()), None)
assert done.wait(10)
right(answers[0][0][0])

run_options = ort.RunOptions()
run_options.log_severity_level = 4
run_options.logid = "r"
right(s.run(None, {"x": x}, run_options)[0])


def fault(call):
    try:
        call()
    except Exception as e:
        return type(e).__name__
    return "none"


run_options.terminate = True
assert fault(lambda: s.run(None, {"x": x}, run_options)) == "Fail"
assert fault(lambda: s.run(None, {"x": x.astype(np.float64)})) == "InvalidArgument"
assert fault(lambda: s.run(None, {"z": x})) == "ValueError"
assert fault(lambda: s.run(None, {"x": x[:, :5]})) == "InvalidArgument"
assert fault(lambda: s.run(None, {})) == "ValueError"
assert fault(lambda: ort.InferenceSession(b"garbage", providers=["CPUExecutionProvider"])) == "InvalidProtobuf"
assert fault(lambda: ort.InferenceSession(folder + "/none.onnx", providers=["CPUExecutionProvider"])) == "NoSuchFile"

with open(s.end_profiling()) as f:
    events = json.load(f)
assert any(e.get("cat") == "Node" for e in events)
s.set_providers(["CPUExecutionProvider"])
assert os.path.getsize(folder + "/optimised.onnx") > 0
