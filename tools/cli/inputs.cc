// Inputs of a run.
// SPDX-License-Identifier: MIT
#include "inputs.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <random>

#include "npy.h"

namespace tenon::cli {
namespace {

std::string type_text(const Ort::ConstTypeInfo& info) {
  switch (info.GetONNXType()) {
    case ONNX_TYPE_TENSOR:
    case ONNX_TYPE_SPARSETENSOR: return element_text(info.GetTensorTypeAndShapeInfo().GetElementType());
    case ONNX_TYPE_SEQUENCE:
      return "sequence of " + type_text(info.GetSequenceTypeInfo().GetSequenceElementType().GetConst());
    case ONNX_TYPE_OPTIONAL:
      return "optional " + type_text(info.GetOptionalTypeInfo().GetOptionalElementType().GetConst());
    case ONNX_TYPE_MAP: {
      auto map = info.GetMapTypeInfo();
      return std::string("map of ") + element_text(map.GetMapKeyType()) + " to " +
             type_text(map.GetMapValueType().GetConst());
    }
    default: return "opaque";
  }
}

Port make_port(std::string name, const Ort::TypeInfo& info) {
  Port p;
  p.name = std::move(name);
  p.type = type_text(info.GetConst());
  p.is_tensor = info.GetONNXType() == ONNX_TYPE_TENSOR;
  if (!p.is_tensor) return p;
  auto tensor = info.GetTensorTypeAndShapeInfo();
  p.element = tensor.GetElementType();
  p.has_shape = tensor.HasShape();
  if (!p.has_shape) return p;
  p.dims = tensor.GetShape();
  for (const char* s : tensor.GetSymbolicDimensions()) p.symbols.emplace_back(s ? s : "");
  p.type += "[";
  for (size_t i = 0; i < p.dims.size(); ++i)
    p.type += (i ? "," : "") + (p.dims[i] >= 0         ? std::to_string(p.dims[i])
                                : p.symbols[i].empty() ? std::string("?")
                                                       : p.symbols[i]);
  p.type += "]";
  return p;
}

/// Free dimensions become 1.
Array made_up(const Port& port, std::vector<int64_t> shape, const InputChoices& choices, std::mt19937& random) {
  for (auto& d : shape) d = d < 0 ? 1 : d;
  Array a;
  a.shape = std::move(shape);
  const size_t n = a.count();
  if (port.element == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    a.type = port.element;
    a.texts.assign(n, "text");
    return a;
  }
  const bool is_float = std::string_view(element_text(port.element)).find("float") != std::string_view::npos;
  a.type = ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE;
  std::vector<double> data(n, choices.fill == "ones" ? 1 : 0);
  if (choices.fill == "random") {
    std::uniform_real_distribution<double> real(0, 1);
    std::uniform_int_distribution<int64_t> whole(choices.int_range[0], choices.int_range[1]);
    for (double& v : data) v = is_float ? real(random) : static_cast<double>(whole(random));
  }
  a.bytes.assign(reinterpret_cast<const uint8_t*>(data.data()), reinterpret_cast<const uint8_t*>(data.data() + n));
  if (element_bits(port.element) >= 16 || !is_float)
    if (element_bits(port.element) >= 8 && port.element != ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64 &&
        port.element != ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128)
      return converted(a, port.element);
  // Types without a conversion: random or zero bits.
  Array bits;
  bits.type = port.element;
  bits.shape = a.shape;
  bits.bytes.assign((n * static_cast<size_t>(element_bits(port.element)) + 7) / 8, 0);
  return bits;
}

}  // namespace

std::vector<Port> input_ports(const Ort::Session& session) {
  std::vector<Port> out;
  auto names = session.GetInputNames();
  for (size_t i = 0; i < names.size(); ++i) out.push_back(make_port(names[i], session.GetInputTypeInfo(i)));
  return out;
}

std::vector<Port> output_ports(const Ort::Session& session) {
  std::vector<Port> out;
  auto names = session.GetOutputNames();
  for (size_t i = 0; i < names.size(); ++i) out.push_back(make_port(names[i], session.GetOutputTypeInfo(i)));
  return out;
}

void InputChoices::add_to(CLI::App& app) {
  app.add_option("-i,--input", files,
                 "NAME=FILE (.npy or a picture), FILE.npz with arrays by name, or FILE alone for the only input; may "
                 "be repeated")
      ->group("Inputs")
      ->type_name("[NAME=]FILE");
  app.add_option("-s,--shape", shapes, "Shape of a made-up input: ids=1,128; may be repeated")
      ->group("Inputs")
      ->type_name("NAME=DIMS");
  app.add_option("--fill", fill, "Made-up inputs: random, zeros or ones")
      ->group("Inputs")
      ->check(CLI::IsMember({"random", "zeros", "ones"}))
      ->capture_default_str();
  app.add_option("--seed", seed, "Seed of random inputs")->group("Inputs")->capture_default_str();
  app.add_option("--int-range", int_range, "Lowest and highest random integer")
      ->group("Inputs")
      ->expected(2)
      ->type_name("LOW HIGH")
      ->capture_default_str();
  app.add_option("--scale", picture.scale, "Pictures: factor for pixels of float inputs (default 1/255)")
      ->group("Inputs");
  app.add_option("--mean", picture.mean, "Pictures: subtracted after scaling, per channel: 0.485,0.456,0.406")
      ->group("Inputs")
      ->delimiter(',');
  app.add_option("--std", picture.std, "Pictures: divided by, per channel: 0.229,0.224,0.225")
      ->group("Inputs")
      ->delimiter(',');
}

Inputs make_inputs(const Ort::Session& session, const InputChoices& choices) {
  const auto ports = input_ports(session);
  std::map<std::string, std::pair<Array, std::string>> given;
  std::map<std::string, std::string> pictures;
  auto known = [&](const std::string& name) {
    for (auto& p : ports)
      if (p.name == name) return;
    for (auto& n : session.GetOverridableInitializerNames())
      if (n == name) return;
    std::string list;
    for (auto& p : ports) list += (list.empty() ? "" : ", ") + p.name;
    throw Fault(kInput, "the model has no input '" + name + "'; its inputs are: " + list);
  };
  for (const std::string& text : choices.files) {
    std::string name, path = text;
    // A file name may contain '=' itself: what stands before the first one must be an input's name.
    if (const size_t at = text.find('='); at != std::string::npos && at > 0) {
      name = text.substr(0, at);
      path = text.substr(at + 1);
    }
    if (name.empty() && path.ends_with(".npz")) {
      for (auto& [key, array] : parse_npz(read_file(path), path)) {
        known(key);
        given[key] = {std::move(array), "from " + path};
      }
      continue;
    }
    if (name.empty()) {
      if (ports.size() != 1)
        throw Fault(kUsage, "the model has " + std::to_string(ports.size()) + " inputs: write --input NAME=" + path);
      name = ports[0].name;
    }
    known(name);
    if (is_picture(path)) pictures[name] = path;
    else given[name] = {parse_npy(read_file(path), path), "from " + path};
  }
  std::map<std::string, std::vector<int64_t>> shapes;
  for (auto& s : choices.shapes) {
    auto [name, dims] = split_pair(s, "--shape");
    known(name);
    shapes[name] = parse_dims(dims);
  }
  if (choices.int_range[0] > choices.int_range[1]) throw Fault(kUsage, "--int-range takes the lower number first");

  Inputs out;
  std::mt19937 random(choices.seed);
  for (auto& port : ports) {
    if (!port.is_tensor)
      throw Fault(kInput, "input '" + port.name + "' is a " + port.type + ": the command line gives tensors only");
    Array array;
    std::string note;
    if (auto file = given.find(port.name); file != given.end()) {
      array = std::move(file->second.first);
      note = file->second.second;
      if (array.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED) array = converted(array, port.element);
      given.erase(file);
    } else if (auto picture = pictures.find(port.name); picture != pictures.end()) {
      auto shape = shapes.count(port.name) ? shapes[port.name] : port.dims;
      array = picture_array(read_picture(picture->second), port.element, shape, choices.picture);
      note = "from " + picture->second;
    } else {
      array = made_up(port, shapes.count(port.name) ? shapes[port.name] : port.dims, choices, random);
      note = choices.fill;
    }
    out.names.push_back(port.name);
    out.notes.push_back(note);
    try {
      out.values.push_back(to_value(array));
    } catch (const Ort::Exception& e) { throw Fault(kInput, "input '" + port.name + "': " + e.what()); }
  }
  for (auto& [name, array] : given) {  // overridable initializers
    out.names.push_back(name);
    out.notes.push_back(array.second);
    out.values.push_back(to_value(array.first));
  }
  return out;
}

}  // namespace tenon::cli
