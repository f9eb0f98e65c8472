// Building messages: number formatting behind cat().
// SPDX-License-Identifier: MIT
#include "base/text.h"

#include <charconv>
#include <cstdio>

namespace tenon {

namespace text_detail {
namespace {
template <class T>
void append_int(std::string& out, T v) {
  char buffer[24];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
  out.append(buffer, end);
}
}  // namespace

void append_signed(std::string& out, long long v) { append_int(out, v); }
void append_unsigned(std::string& out, unsigned long long v) { append_int(out, v); }
void append_double(std::string& out, double v) {
  char buffer[40];
  int n = std::snprintf(buffer, sizeof buffer, "%g", v);
  out.append(buffer, static_cast<size_t>(n));
}
}  // namespace text_detail

std::string list_text(std::span<const int64_t> items) {
  std::string out = "[";
  for (size_t i = 0; i < items.size(); ++i) {
    if (i) out.push_back(',');
    text_detail::append_signed(out, items[i]);
  }
  out.push_back(']');
  return out;
}

bool parse_int(std::string_view text, int64_t* out) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace tenon
