// Upper and lower case of UTF-8 text by the simple one-to-one mappings of the alphabets that have case.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::ops {

/// The code point at the start of `text` (removed from it). Bytes that are no UTF-8 give 0x110000 + the byte.
uint32_t take_code_point(std::string_view& text);
/// Appends a code point of take_code_point: the same bytes come out.
void put_code_point(std::string& out, uint32_t code);

/// Simple case mapping: Latin (with extended A, B and additional), Greek, Cyrillic, Armenian, Georgian, full-width.
/// Letters whose other case is more than one code point stay as they are.
uint32_t to_lower(uint32_t code);
uint32_t to_upper(uint32_t code);
std::string change_case(std::string_view text, bool upper);

}  // namespace tenon::ops
