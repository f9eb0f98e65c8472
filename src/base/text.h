// Building messages: cat("Concat: input ", i, " has ", n) without streams or format strings.
// SPDX-License-Identifier: MIT
#pragma once
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace tenon {

namespace text_detail {
void append_signed(std::string& out, long long v);
void append_unsigned(std::string& out, unsigned long long v);
void append_double(std::string& out, double v);

inline void append(std::string& out, std::string_view s) { out.append(s); }
inline void append(std::string& out, const char* s) { out.append(s); }
inline void append(std::string& out, const std::string& s) { out.append(s); }
inline void append(std::string& out, char c) { out.push_back(c); }
inline void append(std::string& out, bool b) { out.append(b ? "true" : "false"); }
template <std::signed_integral T>
void append(std::string& out, T v) {
  append_signed(out, v);
}
template <std::unsigned_integral T>
void append(std::string& out, T v) {
  append_unsigned(out, v);
}
template <std::floating_point T>
void append(std::string& out, T v) {
  append_double(out, static_cast<double>(v));
}
template <class T>
  requires requires(const T& t) {
    { t.to_string() } -> std::convertible_to<std::string>;
  }
void append(std::string& out, const T& v) {
  out.append(v.to_string());
}
}  // namespace text_detail

/// Concatenates strings, numbers, booleans and anything with to_string().
template <class... Args>
std::string cat(const Args&... args) {
  std::string out;
  (text_detail::append(out, args), ...);
  return out;
}

/// "[1,2,3]" for a list of integers, as shapes are written in messages.
std::string list_text(std::span<const int64_t> items);

/// Parses a whole decimal integer; false when anything else stands in the text or it overflows.
bool parse_int(std::string_view text, int64_t* out);

}  // namespace tenon
