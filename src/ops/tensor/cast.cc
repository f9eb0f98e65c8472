// Cast: another element type. Out of range: floats to integers saturate, NaN gives 0 (see kernels/elementwise/cast.h).
// SPDX-License-Identifier: MIT
#include "kernels/elementwise/cast.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "opdef/build.h"
#include "opdef/cases.h"
#include "ops/pointwise.h"
#include "ops/tensor/cast.h"

namespace tenon::ops {

Status cast_output(InferContext& c, DType to) {
  Type t = c.type(0);
  t.dtype = to;
  if (!t.is_tensor()) t = Type::tensor(to);
  c.set(0, std::move(t));
  if ((kInts.has(c.dtype(0)) || c.dtype(0) == DType::kBool) && kIndices.has(to))
    if (auto e = c.elements(0)) c.set_elements(0, std::move(*e));
  return {};
}

std::string number_text(double v, int digits) {
  if (std::isnan(v)) return "NaN";
  if (std::isinf(v)) return v < 0 ? "-INF" : "INF";
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*g", digits, v);
  return buffer;
}

namespace {

Result<DType> target(const ir::Node& n) {
  int64_t to = n.int_or("to", 0);
  if (to <= 0 || to >= kDTypeCount) return invalid("Cast: the attribute to is ", to, ", which is no element type");
  return static_cast<DType>(to);
}

Status cast_shape(InferContext& c) {
  TENON_ASSIGN(DType to, target(c.node()));
  return cast_output(c, to);
}

/// Before version 6 the target was a name.
Status cast_upgrade(ir::Node& node, Build&) {
  auto* name_text = node.get<std::string>("to");
  if (!name_text) return {};
  for (int i = 1; i < kDTypeCount; ++i) {
    std::string upper(onnx_name(static_cast<DType>(i)));
    for (char& ch : upper) ch = static_cast<char>(ch >= 'a' && ch <= 'z' ? ch - 32 : ch);
    if (upper == *name_text) {
      node.set("to", int64_t{i});
      return {};
    }
  }
  return invalid("Cast: the attribute to is '", *name_text, "', which is no element type");
}

}  // namespace

/// Numbers to text and back, through double (integers exactly).
Status cast_strings(KernelContext& c, bool saturate) {
  const TensorRef &in = c.in(0), &out = c.out(0);
  if (in.dtype == DType::kString && out.dtype == DType::kString) {
    copy_strings(in.as<StringRef>(), out.as<StringRef>(), in.count, c.strings());
    return {};
  }
  for (int64_t i = 0; i < in.count; ++i) {
    if (out.dtype == DType::kString) {
      std::string text;
      if (kInts.has(in.dtype) || in.dtype == DType::kBool) {
        if (in.dtype == DType::kU64) text = cat(in.as<uint64_t>()[i]);
        else {
          int64_t v;
          convert(in.dtype, static_cast<const char*>(in.data) + i * byte_width(in.dtype), DType::kI64, &v, 1);
          text = in.dtype == DType::kBool ? (v ? "True" : "False") : cat(v);
        }
      } else {
        double v;
        convert(in.dtype, static_cast<const char*>(in.data) + i * byte_width(in.dtype), DType::kF64, &v, 1);
        text = number_text(v, in.dtype == DType::kF64 ? 17 : 8);
      }
      out.as<StringRef>()[i] = c.strings().add(text);
      continue;
    }
    std::string text(in.as<StringRef>()[i].view());
    void* place = static_cast<char*>(out.data) + i * byte_width(out.dtype);
    const char* end = text.c_str() + text.size();
    char* stop = nullptr;
    if (kInts.has(out.dtype) && text.find_first_of(".eEnN") == std::string::npos) {
      int64_t v = out.dtype == DType::kU64 ? static_cast<int64_t>(std::strtoull(text.c_str(), &stop, 10))
                                           : std::strtoll(text.c_str(), &stop, 10);
      if (text.empty() || stop != end) return invalid("Cast: '", text, "' is no number");
      convert(out.dtype == DType::kU64 ? DType::kU64 : DType::kI64, &v, out.dtype, place, 1);
      continue;
    }
    double v = std::strtod(text.c_str(), &stop);
    if (text.empty() || stop != end) return invalid("Cast: '", text, "' is no number");
    convert(DType::kF64, &v, out.dtype, place, 1, saturate);
  }
  return {};
}

namespace {
bool has_strings(const KernelQuery& q) {
  DType a = q.in_type(0), b = q.out_type(0);
  return (a == DType::kString || b == DType::kString) && !is_sub_byte(a) && !is_sub_byte(b);
}
Status run_strings(KernelContext& c) { return cast_strings(c, c.node().int_or("saturate", 1) != 0); }
}  // namespace

TENON_OP(cast){
    .name = "Cast",
    .since = {1, 6, 9, 13, 19, 21, 23, 24, 25, 28},
    .in = {port("input", kAll, "T1")},
    .out = {port("output", kAll, "T2")},
    .shape = cast_shape,
    .upgrade = cast_upgrade,
    .trait = {.program =
                  [](const ir::Node& n) {
                    return Program::cast(static_cast<DType>(n.int_or("to", 1)), n.int_or("saturate", 1) != 0);
                  },
              .in_place = 1,
              .total = true},
};
TENON_CPU(cast){{{
    {.name = "strings", .can = has_strings, .run = run_strings},
    {.name = "pointwise", .can = can_pointwise, .pack = pack_pointwise, .run = run_pointwise_node},
}}};

TENON_CASES(cast) {
  cases.types(kNumbers | kBools);
  for (DType to : {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI64, DType::kI32, DType::kI8,
                   DType::kU8, DType::kBool})
    cases.add(std::string(name(to)))
        .in(values({3}, {1, 0, 1}))
        .attr("to", static_cast<int64_t>(to))
        .out(typed(to, values({3}, {1, 0, 1})));
  cases.add("truncates")
      .in(typed(DType::kF32, values({4}, {1.9, -1.9, 300, -300})))
      .attr("to", static_cast<int64_t>(DType::kI8))
      .out(typed(DType::kI8, values({4}, {1, -1, 127, -128})));
  for (bool wide : {false, true}) {  // numbers of 4 and 2 bits keep the low bits of the truncated number
    DType from = wide ? DType::kF64 : DType::kF32;
    cases.add("to i4 wraps")
        .in(typed(from, values({7}, {-9, -8.9, -1, 0, 7.5, 8, 15})))
        .attr("to", static_cast<int64_t>(DType::kI4))
        .out(typed(DType::kI4, values({7}, {7, -8, -1, 0, 7, -8, -1})));
    cases.add("to u2 wraps")
        .in(typed(from, values({6}, {-1, 0, 3, 4, 5, 1e30})))
        .attr("to", static_cast<int64_t>(DType::kU2))
        .out(typed(DType::kU2, values({6}, {3, 0, 3, 0, 1, 3})));
  }
  cases.add("text to number")
      .in(texts({3}, {"1.5", "-2", "3e2"}))
      .attr("to", 1)
      .out(typed(DType::kF32, values({3}, {1.5, -2, 300})));
  cases.add("number to text").in(typed(DType::kI64, values({2}, {7, -3}))).attr("to", 8).out(texts({2}, {"7", "-3"}));
  cases.add("no type").in(typed(DType::kF32, values({1}, {1}))).attr("to", 99).fails("no element type");
}

}  // namespace tenon::ops
