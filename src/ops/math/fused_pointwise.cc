// Pointwise (com.tenon): a region of element-wise operators as one program; made by passes/fuse/pointwise.cc.
// SPDX-License-Identifier: MIT
#include "opdef/cases.h"
#include "opdef/pointwise_program.h"
#include "ops/pointwise.h"

namespace tenon::ops {
namespace {

Program program_of(const ir::Node& node) {
  auto program = load_program(node);
  return program.ok() ? std::move(program).value() : Program();
}

Status pointwise_shape(InferContext& c) {
  TENON_ASSIGN(Program program, load_program(c.node()));
  SmallVector<DType, 8> types;
  for (size_t i = 0; i < c.node().inputs().size(); ++i) types.push_back(c.dtype(i));
  TENON_TRY(broadcast_inputs(c));
  TENON_ASSIGN(auto registers, register_types(program, types));
  c.out[0].type.dtype = registers[program.outputs[0]];
  return {};
}

}  // namespace

TENON_OP(fused_pointwise){
    .name = "Pointwise",
    .domain = "com.tenon",
    .since = {1},
    .in = {heterogeneous(port("inputs", kNumbers | kBools | kFloat8 | kSubBytes))},
    .out = {port("Y", kNumbers | kBools | kFloat8 | kSubBytes)},
    .attributes = {{"functions", 'S', true},
                   {"operands", 'I', true},
                   {"types", 'I', true},
                   {"immediates", 'I', true},
                   {"result", 'i', true}},
    .shape = pointwise_shape,
    .trait = pointwise(program_of),
};
TENON_CPU(fused_pointwise) kPointwise;

TENON_CASES(fused_pointwise) {
  cases.types(TypeSet(DType::kF32));
  auto square_less = [&](std::string say) {  // x * x - y
    return cases.add(std::move(say))
        .in(values({3}, {1, 2, 3}))
        .in(values({1}, {5}))
        .attr("operands", std::vector<int64_t>{0, 0, 0, 2, 1, 0})
        .attr("types", std::vector<int64_t>{0, 0})
        .attr("immediates", std::vector<int64_t>{0, 0, 0, 0});
  };
  square_less("two steps").attr_strings("functions", {"Mul", "Sub"}).attr("result", 3).out(values({3}, {-4, -1, 4}));
  square_less("unknown function")
      .attr_strings("functions", {"Mul", "Cubed"})
      .attr("result", 3)
      .fails("no function 'Cubed'");
  square_less("no such result")
      .attr_strings("functions", {"Mul", "Sub"})
      .attr("result", 4)
      .fails("register 4 is not written");
}

}  // namespace tenon::ops
