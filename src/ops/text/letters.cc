// Case of letters, from the regular layout of the Unicode blocks and their exceptions.
// SPDX-License-Identifier: MIT
#include "ops/text/letters.h"

namespace tenon::ops {
namespace {

/// Upper case letters first .. last have their lower case `shift` further on; with step 2 every second one is upper
/// case.
struct CaseRange {
  uint32_t first, last;
  int32_t shift;
  uint32_t step;
};
constexpr CaseRange kRanges[] = {
    {'A', 'Z', 32, 1},         {0xc0, 0xd6, 32, 1},     {0xd8, 0xde, 32, 1},     {0x100, 0x12e, 1, 2},
    {0x132, 0x136, 1, 2},      {0x139, 0x147, 1, 2},    {0x14a, 0x176, 1, 2},    {0x178, 0x178, -121, 1},
    {0x179, 0x17d, 1, 2},      {0x1cd, 0x1db, 1, 2},    {0x1de, 0x1ee, 1, 2},    {0x1f8, 0x21e, 1, 2},
    {0x222, 0x232, 1, 2},      {0x386, 0x386, 38, 1},   {0x388, 0x38a, 37, 1},   {0x38c, 0x38c, 64, 1},
    {0x38e, 0x38f, 63, 1},     {0x391, 0x3a1, 32, 1},   {0x3a3, 0x3ab, 32, 1},   {0x3d8, 0x3ee, 1, 2},
    {0x400, 0x40f, 80, 1},     {0x410, 0x42f, 32, 1},   {0x460, 0x480, 1, 2},    {0x48a, 0x4be, 1, 2},
    {0x4c0, 0x4c0, 15, 1},     {0x4c1, 0x4cd, 1, 2},    {0x4d0, 0x52e, 1, 2},    {0x531, 0x556, 48, 1},
    {0x10a0, 0x10c5, 7264, 1}, {0x1e00, 0x1e94, 1, 2},  {0x1ea0, 0x1efe, 1, 2},  {0x2160, 0x216f, 16, 1},
    {0x24b6, 0x24cf, 26, 1},   {0x2c00, 0x2c2f, 48, 1}, {0xff21, 0xff3a, 32, 1}, {0x10400, 0x10427, 40, 1},
};

}  // namespace

uint32_t to_lower(uint32_t code) {
  for (auto& r : kRanges)
    if (code >= r.first && code <= r.last && (code - r.first) % r.step == 0)
      return static_cast<uint32_t>(static_cast<int32_t>(code) + r.shift);
  return code;
}

uint32_t to_upper(uint32_t code) {
  if (code == 0xb5) return 0x39c;   // the micro sign is a mu
  if (code == 0x3c2) return 0x3a3;  // final sigma
  for (auto& r : kRanges) {
    uint32_t upper = static_cast<uint32_t>(static_cast<int32_t>(code) - r.shift);
    if (upper >= r.first && upper <= r.last && (upper - r.first) % r.step == 0) return upper;
  }
  return code;
}

uint32_t take_code_point(std::string_view& text) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  uint8_t b = byte(0);
  size_t n = b < 0x80 ? 1 : b >= 0xc2 && b < 0xe0 ? 2 : b >= 0xe0 && b < 0xf0 ? 3 : b >= 0xf0 && b < 0xf5 ? 4 : 0;
  uint32_t code = n == 1 ? b : n ? b & (0x7fu >> n) : 0;
  bool good = n != 0 && n <= text.size();
  for (size_t i = 1; good && i < n; ++i) {
    good = (byte(i) & 0xc0) == 0x80;
    code = code << 6 | (byte(i) & 0x3f);
  }
  if (good && ((n == 3 && (code < 0x800 || (code >= 0xd800 && code < 0xe000))) ||
               (n == 4 && (code < 0x10000 || code > 0x10ffff))))
    good = false;
  text.remove_prefix(good ? n : 1);
  return good ? code : 0x110000u + b;
}

void put_code_point(std::string& out, uint32_t code) {
  if (code >= 0x110000) out += static_cast<char>(code - 0x110000);
  else if (code < 0x80) out += static_cast<char>(code);
  else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

std::string change_case(std::string_view text, bool upper) {
  std::string out;
  while (!text.empty()) {
    uint32_t code = take_code_point(text);
    put_code_point(out, code >= 0x110000 ? code : upper ? to_upper(code) : to_lower(code));
  }
  return out;
}

}  // namespace tenon::ops
