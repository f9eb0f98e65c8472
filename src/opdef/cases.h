// Case tables: what an operator must do, stated beside it and run in every mode by tests/cases.
// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "opdef/op.h"
#include "tensor/shape.h"

namespace tenon::opdef {

/// A tensor in a case: numbers as double whatever the element type (integers are exact up to 2^53), or strings.
struct CaseTensor {
  DType dtype = DType::kUndefined;  ///< undefined: the case's current type
  Shape dims;
  std::vector<double> data;
  std::vector<std::string> strings;
  bool missing = false;   ///< an optional input that is not given
  bool constant = false;  ///< always an initializer (axes, shapes); others are tried both ways
};

/// Numbers from low to high, evenly spaced, shuffled by a fixed rule so that neighbours differ.
CaseTensor range(Shape dims, double low, double high);
/// The given numbers, row-major.
CaseTensor values(Shape dims, std::vector<double> data);
/// An int64 tensor, rank 1 (or of the given dimensions), that stays an initializer.
CaseTensor ints(std::vector<int64_t> data);
CaseTensor typed(DType dtype, CaseTensor t);
CaseTensor constant(CaseTensor t);
CaseTensor missing();
CaseTensor texts(Shape dims, std::vector<std::string> strings);

/// Computes the outputs in double from the inputs; attributes through the case.
struct Case;
using Reference = std::function<std::vector<CaseTensor>(const Case&, const std::vector<CaseTensor>& in)>;

struct Case {
  std::string say;
  int opset = 0;  ///< 0: newest
  std::vector<CaseTensor> in;
  std::vector<CaseTensor> out;  ///< expected, when there is no reference
  std::vector<ir::Attribute> attributes;
  std::string fails;     ///< when set: the run or load must fail with a message that has this text
  double tolerance = 0;  ///< relative to the largest magnitude; 0: by element type

  int64_t attr(std::string_view name, int64_t fallback) const;
  double attr_f(std::string_view name, double fallback) const;
  std::vector<int64_t> attr_ints(std::string_view name) const;
  std::string attr_s(std::string_view name, std::string fallback) const;
  std::vector<float> attr_floats(std::string_view name) const;
  std::vector<std::string> attr_strings(std::string_view name) const;
};

/// Collects the cases of one operator.
class Cases {
 public:
  explicit Cases(const OpDef& op) : op_(&op) {}
  const OpDef& op() const { return *op_; }

  class Add {
   public:
    explicit Add(Case& c) : c_(&c) {}
    Add& in(CaseTensor t) {
      c_->in.push_back(std::move(t));
      return *this;
    }
    Add& out(CaseTensor t) {
      c_->out.push_back(std::move(t));
      return *this;
    }
    Add& attr(std::string_view name, int64_t v);
    Add& attr_f(std::string_view name, float v);
    Add& attr(std::string_view name, std::vector<int64_t> v);
    Add& attr_s(std::string_view name, std::string_view v);
    Add& attr_floats(std::string_view name, std::vector<float> v);
    Add& attr_strings(std::string_view name, std::vector<std::string> v);
    Add& attr_tensor(std::string_view name, Tensor v);
    Add& attr_texts(std::string_view name, std::vector<std::string> v);
    Add& opset(int v) {
      c_->opset = v;
      return *this;
    }
    Add& fails(std::string text) {
      c_->fails = std::move(text);
      return *this;
    }
    Add& tolerance(double t) {
      c_->tolerance = t;
      return *this;
    }

   private:
    Case* c_;
  };

  /// Element types in which every case without fixed types is run; inputs are converted to them.
  void types(TypeSet t) { types_ = t; }
  TypeSet types() const { return types_; }
  /// Reference of the cases that state no outputs.
  void reference(Reference r) { reference_ = std::move(r); }
  const Reference& reference() const { return reference_; }
  Add add(std::string say);
  const std::deque<Case>& all() const { return cases_; }

 private:
  const OpDef* op_;
  TypeSet types_{DType::kF32};
  Reference reference_;
  std::deque<Case> cases_;
};

/// References of one operand: every element mapped.
std::vector<CaseTensor> map_elements(const CaseTensor& t, const std::function<double(double)>& f);
Reference unary_reference(double (*f)(double));
/// A row, a scalar, nothing, a matrix with a tail, and a long one, with values in [low, high].
void add_unary_cases(Cases& cases, double low, double high);

/// Declares the CASES facet: TENON_CASES(softplus) { cases.add("a row").in(range({7}, -3, 3)); ... }
#define TENON_CASES(id)                          \
  void cases_##id(::tenon::opdef::Cases& cases); \
  void cases_##id([[maybe_unused]] ::tenon::opdef::Cases& cases)

}  // namespace tenon::opdef
