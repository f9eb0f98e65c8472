// Programs to attributes and back.
// SPDX-License-Identifier: MIT
#include "opdef/pointwise_program.h"

#include <bit>
#include <optional>

namespace tenon::opdef {
namespace {

constexpr Fn kFunctions[] = {
#define TENON_FN(id, arity, rule, immediates, ulp, meaning) Fn::id,
#include "kernels/elementwise/functions.inc"
#undef TENON_FN
};

std::optional<Fn> function_of(std::string_view name) {
  for (Fn f : kFunctions)
    if (info(f).name == name) return f;
  return std::nullopt;
}

}  // namespace

void store_program(ir::Node& node, const Program& program) {
  std::vector<std::string> functions;
  std::vector<int64_t> operands, types, immediates;
  for (const Instruction& step : program.code) {
    functions.emplace_back(info(step.fn).name);
    for (uint8_t r : step.in) operands.push_back(r);
    types.push_back(static_cast<int64_t>(step.to));
    for (double v : step.imm) immediates.push_back(std::bit_cast<int64_t>(v));
  }
  node.set("functions", std::move(functions));
  node.set("operands", std::move(operands));
  node.set("types", std::move(types));
  node.set("immediates", std::move(immediates));
  node.set("result", int64_t{program.outputs[0]});
}

Result<Program> load_program(const ir::Node& node) {
  auto* functions = node.get<std::vector<std::string>>("functions");
  auto operands = node.ints("operands"), types = node.ints("types"), immediates = node.ints("immediates");
  const size_t count = functions ? functions->size() : 0;
  if (count == 0 || operands.size() != 3 * count || types.size() != count || immediates.size() != 2 * count ||
      node.inputs().size() + count > 255)
    return invalid("Pointwise: the attributes are no program");
  Program p;
  p.inputs = static_cast<int>(node.inputs().size());
  for (size_t i = 0; i < count; ++i) {
    auto fn = function_of((*functions)[i]);
    if (!fn) return invalid("Pointwise: there is no function '", (*functions)[i], "'");
    Instruction step;
    step.fn = *fn;
    for (size_t k = 0; k < 3; ++k) {
      const int64_t r = operands[3 * i + k];
      if (r < 0 || r > 254) return invalid("Pointwise: operand ", r, " is no register");
      step.in[k] = static_cast<uint8_t>(r);
    }
    if (types[i] < 0 || types[i] >= kDTypeCount) return invalid("Pointwise: ", types[i], " is no element type");
    step.to = static_cast<DType>(types[i]);
    for (size_t k = 0; k < 2; ++k) step.imm[k] = std::bit_cast<double>(immediates[2 * i + k]);
    p.code.push_back(step);
  }
  const int64_t result = node.int_or("result", -1);
  if (result < 0 || result >= p.inputs + static_cast<int64_t>(count))
    return invalid("Pointwise: register ", result, " is not written");
  p.outputs.push_back(static_cast<uint8_t>(result));
  return p;
}

}  // namespace tenon::opdef
