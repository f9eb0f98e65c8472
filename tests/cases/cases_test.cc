// Every operator's cases: each accepted type, inputs variable, constant, symbolic and without rank, one and two
// threads. SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ostream>

#include "case_run.h"
#include "case_table.h"
#include "case_tensor.h"
#include "ops/table.h"
#include "threads/pool.h"

namespace tenon::cases {
namespace {
using namespace opdef;

class Operator : public testing::TestWithParam<CaseOp> {};

/// A case whose tensors all name their type is run once.
bool has_fixed_types(const Case& c) {
  for (auto& t : c.in)
    if (!t.missing && t.dtype == DType::kUndefined) return false;
  for (auto& t : c.out)
    if (!t.missing && t.dtype == DType::kUndefined) return false;
  return true;
}

Pool& two_threads() {
  static Pool pool(2);
  return pool;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.dtype() == DType::kString || a.bytes() != b.bytes()) return a.dtype() == DType::kString;
  return a.bytes() == 0 || std::memcmp(a.data(), b.data(), static_cast<size_t>(a.bytes())) == 0;
}

/// Unsigned types take the magnitudes of the case's numbers.
CaseTensor suited(CaseTensor t, DType dtype) {
  constexpr TypeSet unsigned_types = kUnsignedInts | TypeSet(DType::kU4, DType::kU2);
  if (t.dtype == DType::kUndefined && unsigned_types.has(dtype))
    for (double& v : t.data) v = std::fabs(v);
  return t;
}

void check_case(const Cases& cases, const Case& c, DType dtype) {
  std::vector<Tensor> inputs;
  std::vector<CaseTensor> rounded;
  for (auto& t : c.in) {
    inputs.push_back(t.missing ? Tensor() : make_tensor(suited(t, dtype), dtype));
    rounded.push_back(t.missing ? t : read_tensor(inputs.back()));
  }
  std::vector<CaseTensor> expected = c.out;
  if (expected.empty() && c.fails.empty()) {
    ASSERT_TRUE(cases.reference()) << "the case states no outputs and the operator no reference";
    expected = cases.reference()(c, rounded);
  }
  // Sums that cancel are judged by the size of what was summed, up to 1.
  double least = 0;
  for (auto& t : rounded)
    for (double v : t.data)
      if (std::isfinite(v)) least = std::max(least, std::min(1.0, std::fabs(v)));
  std::vector<bool> wanted;
  for (auto& t : expected) wanted.push_back(!t.missing);
  if (wanted.empty()) wanted.push_back(true);
  const OpEntry* entry = ops::registry().entry(&cases.op());
  const bool rewritten = entry && entry->body && !entry->cpu;
  for (Form form : kForms) {
    SCOPED_TRACE(cat("inputs ", name(form)));
    auto one = run_case(cases.op(), c, inputs, wanted, form, Team());
    if (!c.fails.empty()) {
      EXPECT_FALSE(one.ok()) << "the case should fail with: " << c.fails;
      if (!one.ok()) {
        EXPECT_NE(one.status().message().find(c.fails), std::string_view::npos) << one.status().to_string();
      }
      continue;
    }
    // Upgrades of old versions, and bodies, may need ranks, and must say so.
    if (form == Form::kRankless && (c.opset || rewritten) && !one.ok() && one.status().code() == Code::kNotImplemented)
      continue;
    ASSERT_TRUE(one.ok()) << one.status().to_string();
    for (size_t i = 0; i < expected.size(); ++i)
      if (wanted[i]) { EXPECT_EQ(difference(expected[i], (*one)[i], c.tolerance, least), "") << "output " << i; }
    if (form != Form::kVariable || !cases.op().trait.deterministic) continue;
    auto two = run_case(cases.op(), c, inputs, wanted, form, Team(&two_threads(), 2));
    ASSERT_TRUE(two.ok()) << two.status().to_string();
    for (size_t i = 0; i < expected.size(); ++i)
      if (wanted[i]) {
        EXPECT_TRUE(same_bits((*one)[i], (*two)[i])) << "output " << i << " has other bits with two threads";
      }
  }
}

TEST_P(Operator, Cases) {
  const CaseOp& entry = GetParam();
  Cases cases(*entry.op);
  if (entry.fill) entry.fill(cases);
  for (auto& c : cases.all()) {
    SCOPED_TRACE(cat(entry.op->name, ": ", c.say));
    if (has_fixed_types(c)) {
      check_case(cases, c, DType::kF32);
      continue;
    }
    for (int t = 1; t < kDTypeCount; ++t) {
      DType dtype = static_cast<DType>(t);
      if (!cases.types().has(dtype)) continue;
      SCOPED_TRACE(name(dtype));
      check_case(cases, c, dtype);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, Operator, testing::ValuesIn(case_ops().begin(), case_ops().end()),
                         [](const auto& info) { return std::string(info.param.id); });

TEST(Operators, AllHaveCases) {
  for (auto& entry : case_ops()) {
    if (entry.op->trait.control_flow) continue;
    // Sequences and optionals have tests of their own beside the operators.
    if (entry.op->in.n == 0 || entry.op->in[0].any_kind || (entry.op->out.n && entry.op->out[0].any_kind)) continue;
    Cases cases(*entry.op);
    if (entry.fill) entry.fill(cases);
    EXPECT_FALSE(cases.all().empty()) << entry.op->name << " states no cases";
  }
}

}  // namespace
}  // namespace tenon::cases
