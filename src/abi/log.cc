// Log lines: to the client's function, or to the standard error stream.
// SPDX-License-Identifier: MIT
#include "abi/log.h"

#include <chrono>
#include <cstdio>
#include <ctime>

#include "abi/entry.h"

void OrtLogger::log(int level, const char* where, std::string_view message, const char* category) const {
  if (!wants(level)) return;
  const std::string text(message);
  if (function) {
    function(param, static_cast<OrtLoggingLevel>(level), category, id.c_str(), where, text.c_str());
    return;
  }
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count() % 1000000;
  std::tm parts{};
  localtime_r(&seconds, &parts);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S", &parts);
  const char letter = level >= 0 && level <= 4 ? "VIWEF"[level] : '?';
  std::fprintf(stderr, "%s.%06d [%c:%s:%s, %s] %s\n", stamp, static_cast<int>(micros), letter, category, id.c_str(),
               where, text.c_str());
}

namespace tenon::abi {

OrtStatus* slots::Logger_LogMessage(const OrtLogger* logger, OrtLoggingLevel log_severity_level, const char* message,
                                    const ORTCHAR_T* file_path, int line_number, const char* func_name) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(logger, message, file_path, func_name);
    if (!logger->wants(log_severity_level)) return {};
    std::string_view file(file_path);
    if (const size_t slash = file.find_last_of("/\\"); slash != std::string_view::npos) file.remove_prefix(slash + 1);
    logger->log(log_severity_level, cat(file, ':', line_number, ' ', func_name).c_str(), message);
    return {};
  });
}

OrtStatus* slots::Logger_GetLoggingSeverityLevel(const OrtLogger* logger, OrtLoggingLevel* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(logger, out);
    *out = static_cast<OrtLoggingLevel>(logger->severity.load());
    return {};
  });
}

}  // namespace tenon::abi
