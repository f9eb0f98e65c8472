// Profile: collects events and writes the trace file.
// SPDX-License-Identifier: MIT
#include "session/profile.h"

#include <chrono>
#include <cstdio>
#include <ctime>

namespace tenon::session {
namespace {

std::string escaped(std::string_view s) {
  std::string out;
  for (char c : s) {
    if (c == '"' || c == '\\') out.push_back('\\');
    if (static_cast<unsigned char>(c) < 0x20) {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\u%04x", c);
      out += buffer;
    } else out.push_back(c);
  }
  return out;
}

std::string shapes_text(std::span<const opdef::Slot* const> slots) {
  std::string out = "[";
  for (auto* s : slots) {
    if (!s || !s->tensor.dims) continue;
    if (out.size() > 1) out += ",";
    out += cat("{\"", onnx_name(s->tensor.dtype), "\":", list_text(s->tensor.shape()), "}");
  }
  return out + "]";
}

}  // namespace

int64_t Session::Profile::now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Session::Profile::Profile(std::string prefix) : start_ns_(now_ns()) {
  std::time_t t = std::time(nullptr);
  std::tm local{};
  localtime_r(&t, &local);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y-%m-%d_%H-%M-%S", &local);
  file_ = cat(prefix.empty() ? "onnxruntime_profile_" : prefix, "_", stamp, ".json");
}

void Session::Profile::add(std::string_view category, std::string name, int64_t begin_ns, int64_t end_ns,
                           std::string arguments) {
  std::string event = cat("{\"cat\" : \"", category, "\",\"pid\" :1,\"tid\" :1,\"dur\" :", (end_ns - begin_ns) / 1000,
                          ",\"ts\" :", (begin_ns - start_ns_) / 1000, ",\"ph\" : \"X\",\"name\" :\"", escaped(name),
                          "\",\"args\" : {", arguments, "}}");
  std::lock_guard lock(mutex_);
  events_.push_back(std::move(event));
}

void Session::Profile::add_step(const exec::StepTrace& s) {
  add("Node", cat(s.node->name.empty() ? s.node->op : s.node->name, "_kernel_time"), s.begin_ns, s.end_ns,
      cat("\"op_name\" : \"", escaped(s.node->op), "\",\"provider\" : \"CPUExecutionProvider\",\"kernel\" : \"",
          escaped(s.kernel), "\",\"node_index\" : \"0\",\"input_type_shape\" : ", shapes_text(s.in),
          ",\"output_type_shape\" : ", shapes_text(s.out)));
}

void Session::Profile::add_run(int64_t begin_ns, int64_t end_ns) { add("Session", "model_run", begin_ns, end_ns, ""); }

std::string Session::Profile::write() {
  std::lock_guard lock(mutex_);
  std::string temporary = file_ + ".part";
  std::FILE* f = std::fopen(temporary.c_str(), "w");
  if (!f) return "";
  bool good = std::fputs("[\n", f) >= 0;
  for (size_t i = 0; i < events_.size(); ++i)
    good = good && std::fprintf(f, "%s%s\n", events_[i].c_str(), i + 1 < events_.size() ? "," : "") >= 0;
  good = std::fputs("]\n", f) >= 0 && good;
  good = std::fclose(f) == 0 && good;
  if (!good || std::rename(temporary.c_str(), file_.c_str()) != 0) {
    std::remove(temporary.c_str());
    return "";
  }
  return file_;
}

}  // namespace tenon::session
