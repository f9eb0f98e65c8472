// Pad: elements added (or, by negative numbers, cut) before and after each axis.
// SPDX-License-Identifier: MIT
#include <cstring>

#include "kernels/move/copy.h"
#include "opdef/cases.h"
#include "ops/bytes.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Result<kernels::PadMode> mode_of(const ir::Node& node) {
  std::string_view m = node.string_or("mode", "constant");
  if (m == "constant") return kernels::PadMode::kConstant;
  if (m == "reflect") return kernels::PadMode::kReflect;
  if (m == "edge") return kernels::PadMode::kEdge;
  if (m == "wrap") return kernels::PadMode::kWrap;
  return invalid("Pad: mode '", m, "' is none of constant, reflect, edge, wrap");
}

std::string_view pads_attribute(const ir::Node& node) { return node.find("paddings") ? "paddings" : "pads"; }

Status pad_shape(InferContext& c) {
  TENON_TRY(mode_of(c.node()).status());
  if (!c.has_shape(0)) {
    c.set(0, c.dtype(0));
    return {};
  }
  size_t rank = c.shape(0).size();
  auto pads = dim_operand(c, 1, pads_attribute(c.node()));
  Dims axes;
  if (c.has(3)) {
    auto given = c.integers(3);
    if (!given) pads.reset();
    else { TENON_ASSIGN(axes, normal_axes(*given, static_cast<int64_t>(rank), "Pad")); }
  } else {
    for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  }
  if (!pads) {
    set_rank(c, 0, c.dtype(0), rank);
    return {};
  }
  if (pads->size() != 2 * axes.size())
    return invalid("Pad: ", pads->size(), " pads for ", axes.size(), " axes; two for each are needed");
  DimVector dims = c.shape(0);
  for (size_t i = 0; i < axes.size(); ++i) {
    Dim& d = dims[static_cast<size_t>(axes[i])];
    Dim padded = d + (*pads)[i] + (*pads)[i + axes.size()];
    if (padded.is_const() && padded.value() < 0)
      return invalid("Pad: the pads ", ir::dims_text(*pads), " cut more than dimension ", axes[i], " of ",
                     ir::dims_text(c.shape(0)), " has");
    d = padded;
  }
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

/// Version 1 and 2 had pads (once "paddings") and value as attributes.
Status pad_upgrade(ir::Node& node, Build& b) {
  if (node.since >= 11) return {};
  ints_to_input(node, b, "paddings", 1);
  ints_to_input(node, b, "pads", 1);
  const float* value = node.get<float>("value");
  DType t = b.model().value(node.input(0)).type.dtype;
  if (value && *value != 0 && t != DType::kUndefined) put_input(node, b, 2, b.scalar(t, static_cast<double>(*value)));
  node.erase("value");
  return {};
}

struct PadState final : KernelState {
  kernels::PadMode mode = kernels::PadMode::kConstant;
};
Result<StatePtr> pack_pad(PackContext& c) {
  auto s = std::make_unique<PadState>();
  TENON_ASSIGN(s->mode, mode_of(c.node()));
  return StatePtr(std::move(s));
}

Status run_pad(KernelContext& c) {
  const TensorRef& x = c.in(0);
  TENON_ASSIGN(Dims pads, int_operand(c, 1, pads_attribute(c.node())));
  Dims axes;
  if (c.has(3)) {
    TENON_ASSIGN(Dims given, read_ints(c.in(3)));
    TENON_ASSIGN(axes, normal_axes(given, x.rank, "Pad"));
  } else {
    for (int64_t i = 0; i < x.rank; ++i) axes.push_back(i);
  }
  if (pads.size() != 2 * axes.size())
    return invalid("Pad: ", pads.size(), " pads for ", axes.size(), " axes; two for each are needed");
  size_t rank = x.shape().size();
  Dims before(rank, 0), after(rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    before[static_cast<size_t>(axes[i])] = pads[i];
    after[static_cast<size_t>(axes[i])] = pads[i + axes.size()];
  }
  StringRef nothing;
  uint64_t zero[2] = {0, 0};
  const void* value = x.dtype == DType::kString ? static_cast<const void*>(&nothing) : zero;
  if (c.has(2) && c.in(2).count > 0) {
    TENON_ASSIGN(value, input_bytes(c, 2));
  } else if (float v = c.node().float_or("value", 0); v != 0 && x.dtype == DType::kF32) std::memcpy(zero, &v, sizeof v);
  TENON_ASSIGN(const void* from, input_bytes(c, 0));
  TENON_ASSIGN(auto to, OutputBytes::of(c, 0));
  auto s = kernels::pad(to.data(), from, x.shape(), before, after, c.state<PadState>().mode, value,
                        mover_width(x.dtype), c.team());
  if (!s.ok()) return std::move(s).prefix("Pad: ");
  to.finish();
  return {};
}

}  // namespace

TENON_OP(pad){
    .name = "Pad",
    .since = {1, 2, 11, 13, 18, 19, 21, 23, 24, 25},
    .in = {port("data", kAll, "T"), optional(port("pads", kI64Only)), optional(port("constant_value", kAll, "T")),
           optional(port("axes", kIndices))},
    .out = {port("output", kAll, "T")},
    .attributes = {{"mode", 's'}, {"pads", 'I'}, {"paddings", 'I'}, {"value", 'f'}},
    .shape = pad_shape,
    .upgrade = pad_upgrade,
};
TENON_CPU(pad){{{{.name = "move", .pack = pack_pad, .run = run_pad}}}};

TENON_CASES(pad) {
  cases.types(kNumbers | kBools | kFloat8 | kSubBytes);
  cases.add("zeros").in(values({2}, {1, 1})).in(ints({1, 2})).out(values({5}, {0, 1, 1, 0, 0}));
  cases.add("a value")
      .in(values({1, 2}, {0, 0}))
      .in(ints({1, 0, 0, 1}))
      .in(values({}, {1}))
      .out(values({2, 3}, {1, 1, 1, 0, 0, 1}));
  cases.add("one axis")
      .in(values({1, 2}, {1, 1}))
      .in(ints({1, 0}))
      .in(missing())
      .in(ints({-1}))
      .out(values({1, 3}, {0, 1, 1}));
  cases.add("cut").in(values({4}, {1, 0, 1, 1})).in(ints({-1, -2})).out(values({1}, {0}));
  cases.add("edge").in(values({2}, {1, 0})).in(ints({1, 2})).attr_s("mode", "edge").out(values({5}, {1, 1, 0, 0, 0}));
  cases.add("reflect")
      .in(values({3}, {1, 0, 0}))
      .in(ints({2, 1}))
      .attr_s("mode", "reflect")
      .out(values({6}, {0, 0, 1, 0, 0, 0}));
  cases.add("wrap")
      .in(values({3}, {1, 0, 0}))
      .in(ints({1, 1}))
      .attr_s("mode", "wrap")
      .out(values({5}, {0, 1, 0, 0, 1}));
  cases.add("attributes")
      .in(typed(DType::kF32, values({1}, {1})))
      .attr("pads", std::vector<int64_t>{1, 0})
      .attr_f("value", 3)
      .opset(10)
      .out(typed(DType::kF32, values({2}, {3, 1})));
  cases.add("too few").in(typed(DType::kF32, range({2, 2}, 0, 1))).in(ints({1, 1})).fails("2 pads for 2 axes");
  cases.add("cut too much").in(typed(DType::kF32, range({2}, 0, 1))).in(ints({-2, -1})).fails("cut more than");
  cases.add("unknown mode")
      .in(typed(DType::kF32, range({2}, 0, 1)))
      .in(ints({0, 0}))
      .attr_s("mode", "mirror")
      .fails("mode 'mirror'");
}

}  // namespace tenon::ops
