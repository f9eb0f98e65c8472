// OrtLogger: where log lines go and from which severity on.
// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "ort/onnxruntime_c_api.h"

struct OrtLogger {
  OrtLogger(OrtLoggingFunction function, void* param, int severity, std::string id)
      : function(function), param(param), severity(severity), id(std::move(id)) {}
  OrtLogger(const OrtLogger& o) : OrtLogger(o.function, o.param, o.severity.load(), o.id) {}
  OrtLoggingFunction function;  ///< null: the standard error stream
  void* param;
  std::atomic<int> severity;
  std::string id;

  bool wants(int level) const { return level >= severity.load(std::memory_order_relaxed); }
  /// Writes one line when its level is wanted. `where` is "file.cc:12 function".
  void log(int level, const char* where, std::string_view message, const char* category = "onnxruntime") const;
};
