// Layout: one walk in which every value may have a channels-last version; the other one is made when somebody needs it.
// SPDX-License-Identifier: MIT
#include "passes/layout.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <unordered_map>

#include "opdef/registry.h"

namespace tenon::passes {
namespace {

using ir::Dim;
using ir::DimVector;
using ir::kNoValue;
using ir::ValueId;
using Axes = std::vector<int64_t>;

/// Where axis a of [N, C, spatial...] stands in [N, spatial..., C].
int64_t to_last(int64_t a, int64_t rank) { return a == 0 ? 0 : a == 1 ? rank - 1 : a - 1; }
/// The permutation that a Transpose to channels-last has; and the one back.
Axes perm_to_last(int64_t rank) {
  Axes p{0};
  for (int64_t a = 2; a < rank; ++a) p.push_back(a);
  p.push_back(1);
  return p;
}
Axes perm_to_first(int64_t rank) {
  Axes p{0, rank - 1};
  for (int64_t a = 1; a + 1 < rank; ++a) p.push_back(a);
  return p;
}
DimVector permuted(std::span<const Dim> dims, const Axes& perm) {
  DimVector out;
  for (int64_t p : perm) out.push_back(dims[static_cast<size_t>(p)]);
  return out;
}
bool is_identity(const Axes& perm) {
  for (size_t i = 0; i < perm.size(); ++i)
    if (perm[i] != static_cast<int64_t>(i)) return false;
  return true;
}
/// A guess of the number of elements, to weigh two transposes against each other.
double weight(const ir::Type& t) {
  double n = 1;
  for (Dim d : t.shape) n *= d.is_const() ? static_cast<double>(d.value()) : 32;
  return n;
}

/// Operators with a channels-last form of their own.
struct Form {
  std::string_view op, last;
  size_t outputs;  ///< the form serves nodes with at most so many outputs
};
constexpr Form kForms[] = {
    {"Conv", "ConvNhwc", 1},
    {"ConvTranspose", "ConvTransposeNhwc", 1},
    {"MaxPool", "MaxPoolNhwc", 1},
    {"AveragePool", "AveragePoolNhwc", 1},
    {"GlobalAveragePool", "GlobalAveragePoolNhwc", 1},
    {"GlobalMaxPool", "GlobalMaxPoolNhwc", 1},
    {"QLinearConv", "QConvNhwc", 1},
};

/// Whether the model went through this pass before (it was saved and read again).
bool is_laid_out(const ir::Graph& g) {
  for (const ir::Node& n : g.nodes()) {
    for (const Form& f : kForms)
      if (n.op == f.last && n.domain == "com.tenon") return true;
    for (const ir::Graph* s : n.subgraphs())
      if (is_laid_out(*s)) return true;
  }
  return false;
}

class Walk {
 public:
  Walk(ir::Model& model, const opdef::Registry& registry) : m_(model), registry_(registry) {}

  Status graph(ir::Graph& g) {
    auto& nodes = g.nodes();
    for (auto it = nodes.begin(); it != nodes.end();) {
      auto next = std::next(it);
      ir::Node& node = *it;
      bool done = false;
      TENON_ASSIGN(done, convert(node));
      if (!done) {
        for (ValueId v : node.inputs()) TENON_TRY(need_first(v));
        for (ir::Graph* s : node.subgraphs()) TENON_TRY(graph(*s));
      }
      it = next;
    }
    for (ValueId v : g.outputs()) TENON_TRY(need_first(v));
    return before_enlargement(g);
  }

 private:
  /// A Resize that enlarges, followed by nothing but the way back to ONNX's layout: the way back goes first, where
  /// there is less to move.
  Status before_enlargement(ir::Graph& g) {
    for (auto it = g.nodes().begin(); it != g.nodes().end();) {
      ir::Node& back = *it++;
      const ValueId y = back.output(0), last = back.input(0);
      if (back.op != "Transpose" || !back.domain.empty() || !came_last(y)) continue;
      ir::Node* resize = m_.value(last).producer;
      if (!resize || resize->op != "Resize" || !resize->domain.empty() || resize->graph != &g) continue;
      const ValueId x = resize->input(0);
      if (m_.value(last).use_count() != 1 || !resize->find("axes") || weight(type(x)) >= weight(type(last))) continue;
      const int64_t r = rank(y);
      Axes axes;
      for (int64_t a : resize->ints("axes")) {
        a = normal(a, r);
        axes.push_back(a == 0 ? 0 : a == r - 1 ? 1 : a + 1);
      }
      ValueId first = reordered(x, perm_to_first(r), &g);
      TENON_ASSIGN(ir::Node * turn, make(g, resize, "Transpose", {x}, first, resize));
      turn->set("perm", perm_to_first(r));
      resize->set("axes", axes);
      g.set_input(*resize, 0, first);
      g.set_node_output(back, 0, kNoValue);
      g.remove(back);
      g.set_node_output(*resize, 0, y);
    }
    return {};
  }

  const ir::Type& type(ValueId v) const { return m_.value(v).type; }
  int64_t rank(ValueId v) const { return v == kNoValue ? -1 : type(v).rank(); }
  bool has_last(ValueId v) const { return v != kNoValue && last_.count(v) > 0; }
  /// Whether the value exists in ONNX's layout (a converted node no longer makes it).
  bool has_first(ValueId v) const {
    auto& info = m_.value(v);
    return info.producer || info.is_input || info.constant;
  }
  /// Non-negative axis, or -1 when out of range.
  static int64_t normal(int64_t axis, int64_t rank) {
    if (axis < 0) axis += rank;
    return axis >= 0 && axis < rank ? axis : -1;
  }

  // ---- making nodes
  // --------------------------------------------------------------------------------------------------

  Result<ir::Node*> make(ir::Graph& g, ir::Node* before, std::string op, std::vector<ValueId> inputs, ValueId output,
                         const ir::Node* origin) {
    ir::Node& n = g.add(std::move(op), std::move(inputs), {output}, "", before);
    n.name = m_.unique_name(m_.value(output).name);
    if (origin) n.origins = origin->origin_names();
    TENON_TRY(opdef::bind_node(n, registry_));
    return &n;
  }
  /// A value of the same element type and the dimensions of v in another order.
  ValueId reordered(ValueId v, const Axes& perm, ir::Graph* g) {
    return m_.add_value(m_.unique_name(m_.value(v).name), g,
                        ir::Type::tensor(type(v).dtype, permuted(type(v).shape, perm)));
  }
  ValueId ints(const ir::Node& at, const Axes& values, DType dtype = DType::kI64) {
    if (dtype == DType::kI32) {
      std::vector<int32_t> narrow(values.begin(), values.end());
      return m_.add_constant(m_.unique_name(at.name), at.graph, Tensor::of(std::span<const int32_t>(narrow)));
    }
    return m_.add_constant(m_.unique_name(at.name), at.graph, Tensor::of(std::span<const int64_t>(values)));
  }
  /// `from` in another order becomes `to`. Where only axes of size 1 move it is two views, else a Transpose.
  Status reorder(ir::Graph& g, ir::Node* before, ValueId from, ValueId to, const Axes& perm, const ir::Node* origin) {
    const DimVector& dims = type(from).shape;
    Axes gone, kept;
    for (size_t i = 0; i < dims.size(); ++i)
      if (dims[i].is(1)) gone.push_back(static_cast<int64_t>(i));
    for (int64_t p : perm)
      if (!dims[static_cast<size_t>(p)].is(1)) kept.push_back(p);
    if (std::is_sorted(kept.begin(), kept.end()) && !gone.empty()) {
      DimVector middle;
      for (int64_t k : kept) middle.push_back(dims[static_cast<size_t>(k)]);
      ValueId v = m_.add_value(m_.unique_name(m_.value(to).name), &g, ir::Type::tensor(type(from).dtype, middle));
      Axes back;
      for (size_t i = 0; i < perm.size(); ++i)
        if (dims[static_cast<size_t>(perm[i])].is(1)) back.push_back(static_cast<int64_t>(i));
      TENON_ASSIGN(ir::Node * squeeze, make(g, before, "Squeeze", {from}, v, origin));
      g.append_input(*squeeze, ints(*squeeze, gone));
      TENON_ASSIGN(ir::Node * unsqueeze, make(g, before, "Unsqueeze", {v}, to, origin));
      g.append_input(*unsqueeze, ints(*unsqueeze, back));
      return {};
    }
    TENON_ASSIGN(ir::Node * n, make(g, before, "Transpose", {from}, to, origin));
    n->set("perm", perm);
    return {};
  }
  /// The same right behind the node that makes `from`, in the graph that holds `from`.
  Status reorder_behind(ValueId from, ValueId to, const Axes& perm) {
    auto& info = m_.value(from);
    ir::Graph& g = *info.graph;
    ir::Node* producer = info.producer;
    ir::Node* at = producer ? producer : g.nodes().empty() ? nullptr : &g.nodes().front();
    size_t before = g.nodes().size();
    TENON_TRY(reorder(g, at, from, to, perm, producer));
    if (!producer) return {};
    // The new nodes stand before the producer: it moves before the first of them.
    ir::Node* first = m_.value(to).producer;
    if (g.nodes().size() - before == 2) first = m_.value(first->input(0)).producer;
    g.move_before(*producer, first);
    return {};
  }

  /// Lets v exist in ONNX's layout.
  Status need_first(ValueId v) {
    if (v == kNoValue || !has_last(v) || has_first(v)) return {};
    ValueId last = last_[v];
    ir::Graph& g = *m_.value(last).graph;
    m_.value(v).graph = &g;
    return reorder_behind(last, v, perm_to_first(rank(v)));
  }

  /// v with channels last; made by a Transpose when it does not exist yet.
  Result<ValueId> last_of(ValueId v) {
    if (auto it = last_.find(v); it != last_.end()) return it->second;
    const int64_t r = rank(v);
    const Axes perm = perm_to_last(r);
    auto& info = m_.value(v);
    if (info.constant && !info.is_input) {
      TENON_ASSIGN(Tensor t, reorder_constant(*info.constant, perm));
      return last_[v] = m_.add_constant(m_.unique_name(info.name), info.graph, std::move(t));
    }
    if (info.producer && info.producer->op == "Transpose" && info.producer->domain.empty()) {
      auto given = info.producer->ints("perm");
      if (Axes(given.begin(), given.end()) == perm_to_first(r)) return last_[v] = info.producer->input(0);
    }
    // In front of quantisation the same is cheaper.
    if (info.producer && info.producer->domain.empty() && info.uses.size() == 1 && info.output_uses == 0 &&
        (info.producer->op == "QuantizeLinear" || info.producer->op == "DequantizeLinear") &&
        info.producer->int_or("block_size", 0) == 0 && by_tensor(*info.producer) &&
        rank(info.producer->input(0)) == r && !m_.constant(info.producer->input(0))) {
      ir::Node& p = *info.producer;
      TENON_TRY(take_last(p));
      give_last(p);
      return last_[v];
    }
    ir::Graph& g = *info.graph;
    ValueId last = reordered(v, perm, &g);
    TENON_TRY(reorder_behind(v, last, perm));
    return last_[v] = last;
  }

  Result<Tensor> reorder_constant(const Tensor& t, const Axes& perm) {
    Shape shape;
    Axes kept;
    for (int64_t p : perm) {
      shape.push_back(t.shape()[static_cast<size_t>(p)]);
      if (shape.back() != 1) kept.push_back(p);
    }
    if (std::is_sorted(kept.begin(), kept.end())) return t.reshaped(shape);
    ir::Model alone;
    ir::Graph& g = alone.main();
    TENON_TRY(t.ensure());
    ValueId in = alone.add_constant("in", &g, t), out = alone.add_value("out", &g);
    ir::Node& n = g.add("Transpose", {in}, {out});
    n.set("perm", perm);
    TENON_TRY(opdef::bind_node(n, registry_));
    const Tensor* input = &t;
    TENON_ASSIGN(auto made, opdef::evaluate_node(n, std::span<const Tensor* const>(&input, 1), registry_));
    return std::move(made[0]);
  }

  /// Input i of a node whose result has this rank, for a channels-last result: lower ranks get leading axes of 1.
  Result<ValueId> operand(ir::Node& node, ValueId v, int64_t r) {
    const ir::Type& t = type(v);
    const bool single = std::all_of(t.shape.begin(), t.shape.end(), [](Dim d) { return d.is(1); });
    if (single) return v;
    if (t.rank() == r) return last_of(v);
    if (const Tensor* c = m_.constant(v)) {
      Shape shape(static_cast<size_t>(r - t.rank()), 1);
      for (int64_t d : c->shape()) shape.push_back(d);
      TENON_ASSIGN(Tensor moved, reorder_constant(c->reshaped(shape), perm_to_last(r)));
      return m_.add_constant(m_.unique_name(m_.value(v).name), node.graph, std::move(moved));
    }
    DimVector dims(static_cast<size_t>(r - t.rank()), Dim(1));
    Axes axes(dims.size());
    std::iota(axes.begin(), axes.end(), 0);
    for (Dim d : t.shape) dims.push_back(d);
    ir::Type wide_type = ir::Type::tensor(t.dtype, dims);
    ValueId wide = m_.add_value(m_.unique_name(m_.value(v).name), node.graph, std::move(wide_type));
    TENON_ASSIGN(ir::Node * n, make(*node.graph, &node, "Unsqueeze", {v}, wide, &node));
    node.graph->append_input(*n, ints(*n, axes));
    ValueId last = reordered(wide, perm_to_last(r), node.graph);
    TENON_TRY(reorder(*node.graph, &node, wide, last, perm_to_last(r), &node));
    return last;
  }

  /// From now on the node makes output i with channels last.
  void give_last(ir::Node& node, size_t i = 0) {
    ValueId v = node.output(i);
    if (v == kNoValue) return;
    ValueId last = reordered(v, perm_to_last(rank(v)), node.graph);
    node.graph->set_node_output(node, i, last);
    last_[v] = last;
  }

  /// The constant integers of input i, when they are known.
  std::optional<Axes> integers(const ir::Node& node, size_t i) const {
    const Tensor* t = m_.constant(node.input(i));
    if (!t || t->shape().size() > 1) return std::nullopt;
    Axes out;
    for (int64_t k = 0; k < t->count(); ++k) {
      if (t->dtype() == DType::kI64) out.push_back(t->as<int64_t>()[k]);
      else if (t->dtype() == DType::kI32) out.push_back(t->as<int32_t>()[k]);
      else return std::nullopt;
    }
    return out;
  }

  // ---- converting nodes
  // ----------------------------------------------------------------------------------------------

  /// Turns the node into one that works on channels-last values. False: it stays as it is.
  Result<bool> convert(ir::Node& node) {
    if (node.outputs().empty() || node.output(0) == kNoValue) return false;
    if (node.def->trait.program) return pointwise(node);
    if (!node.domain.empty()) return false;
    for (const Form& f : kForms)
      if (node.op == f.op) return own_form(node, f);
    if (node.inputs().empty()) return false;
    const std::string& op = node.op;
    if (op == "Concat") return concat(node);
    if (node.input(0) == kNoValue || !lives_last(node.input(0)) || rank(node.input(0)) < 3) return false;
    if (op == "Identity") return identity(node);
    if (op == "QuantizeLinear" || op == "DequantizeLinear") return quantise(node);
    if (op == "Transpose") return transpose(node);
    if (op == "Shape") return shape(node);
    if (op == "Split") return by_axis(node, 0);
    if (op == "Softmax" || op == "LogSoftmax" || op == "Hardmax") return by_axis(node, -1);
    if (op == "Slice") return slice(node);
    if (op == "Pad") return pad(node);
    if (op == "Resize") return resize(node);
    if (op == "Squeeze") return drop_axes(node, true);
    if (op.substr(0, 6) == "Reduce") return drop_axes(node, false);
    if (op == "ArgMax" || op == "ArgMin") return drop_axes(node, false);
    if (op == "Unsqueeze") return unsqueeze(node);
    if (op == "Reshape" || op == "Flatten") return reshape(node);
    return false;
  }

  Result<bool> own_form(ir::Node& node, const Form& f) {
    const ValueId x = node.input(0), y = node.output(0);
    const int64_t r = rank(x);
    if (r < 3 || rank(y) != r) return false;
    size_t outputs = 0;
    for (size_t i = 0; i < node.outputs().size(); ++i)
      if (node.outputs()[i] != kNoValue) outputs = i + 1;
    if (outputs > f.outputs) return false;
    const bool quantised = f.op == "QLinearConv", convolution = f.op.substr(0, 4) == "Conv" || quantised;
    if (convolution ? rank(node.input(quantised ? 3 : 1)) != r : !lives_last(x)) return false;
    const opdef::OpEntry* entry = registry_.find("com.tenon", f.last);
    if (!entry || !entry->op->in[0].types.has(type(x).dtype)) return false;
    for (size_t i = 1; quantised && i < node.inputs().size(); ++i)
      if (node.input(i) != kNoValue && !m_.constant(node.input(i))) return false;
    for (size_t i = 1; i < node.inputs().size(); ++i) TENON_TRY(need_first(node.input(i)));
    TENON_ASSIGN(ValueId last, last_of(x));
    node.graph->set_input(node, 0, last);
    node.graph->truncate_outputs(node, 1);
    node.op = f.last;
    node.domain = "com.tenon";
    node.opset = 0;
    TENON_TRY(opdef::bind_node(node, registry_));
    give_last(node);
    return true;
  }
  /// Whether v exists only with channels last, or was made from that by a Transpose.
  bool lives_last(ValueId v) const { return (has_last(v) && !has_first(v)) || came_last(v); }
  bool came_last(ValueId v) const {
    const ir::Node* p = m_.value(v).producer;
    if (rank(v) < 3 || !p || p->op != "Transpose" || !p->domain.empty()) return false;
    auto given = p->ints("perm");
    return Axes(given.begin(), given.end()) == perm_to_first(rank(v));
  }

  Result<bool> pointwise(ir::Node& node) {
    const ValueId y = node.output(0);
    const int64_t r = rank(y);
    if (node.outputs().size() != 1 || r < 3) return false;
    double gain = 0;  // elements that need not be brought back, less those that have to be moved
    bool any = false;
    for (ValueId v : node.inputs()) {
      if (v == kNoValue) continue;
      if (!type(v).has_shape || rank(v) > r) return false;
      if (lives_last(v)) {
        any = any || rank(v) == r;
        gain += weight(type(v));
      } else if (!m_.constant(v) && !has_last(v)) {
        gain -= weight(type(v));
      }
    }
    if (!any || gain < 0) return false;
    for (size_t i = 0; i < node.inputs().size(); ++i) {
      ValueId v = node.inputs()[i];
      if (v == kNoValue) continue;
      TENON_TRY(rank(v) == r ? Status() : need_first(v));
      TENON_ASSIGN(ValueId last, operand(node, v, r));
      if (last == v) TENON_TRY(need_first(v));
      node.graph->set_input(node, i, last);
    }
    give_last(node);
    return true;
  }

  Result<bool> concat(ir::Node& node) {
    const int64_t r = rank(node.output(0));
    if (r < 3) return false;
    double gain = 0;
    bool any = false;
    for (ValueId v : node.inputs()) {
      if (rank(v) != r) return false;
      if (lives_last(v)) {
        any = true;
        gain += weight(type(v));
      } else if (!m_.constant(v) && !has_last(v)) {
        gain -= weight(type(v));
      }
    }
    const int64_t axis = normal(node.int_or("axis", 0), r);
    if (!any || gain < 0 || axis < 0) return false;
    for (size_t i = 0; i < node.inputs().size(); ++i) {
      TENON_ASSIGN(ValueId last, last_of(node.inputs()[i]));
      node.graph->set_input(node, i, last);
    }
    node.set("axis", to_last(axis, r));
    give_last(node);
    return true;
  }

  /// Input 0 with channels last; the other inputs as they are.
  Status take_last(ir::Node& node) {
    for (size_t i = 1; i < node.inputs().size(); ++i) TENON_TRY(need_first(node.inputs()[i]));
    TENON_ASSIGN(ValueId last, last_of(node.input(0)));
    node.graph->set_input(node, 0, last);
    return {};
  }

  Result<bool> by_axis(ir::Node& node, int64_t fallback) {
    const int64_t r = rank(node.input(0)), axis = normal(node.int_or("axis", fallback), r);
    if (axis < 0) return false;
    for (ValueId v : node.outputs())
      if (v != kNoValue && rank(v) != r) return false;
    TENON_TRY(take_last(node));
    node.set("axis", to_last(axis, r));
    for (size_t i = 0; i < node.outputs().size(); ++i) give_last(node, i);
    return true;
  }

  /// One scale for the whole tensor, or one for each position of an axis.
  Result<bool> quantise(ir::Node& node) {
    const int64_t r = rank(node.input(0));
    if (node.int_or("block_size", 0) != 0 || rank(node.output(0)) != r) return false;
    if (!by_tensor(node)) {
      const int64_t axis = normal(node.int_or("axis", 1), r);
      if (axis < 0 || rank(node.input(1)) != 1) return false;
      node.set("axis", to_last(axis, r));
    }
    TENON_TRY(take_last(node));
    give_last(node);
    return true;
  }
  bool by_tensor(const ir::Node& node) const {
    const ir::Type& scale = type(node.input(1));
    return scale.has_shape && std::all_of(scale.shape.begin(), scale.shape.end(), [](Dim d) { return d.is(1); });
  }

  Result<bool> identity(ir::Node& node) {
    if (rank(node.output(0)) != rank(node.input(0))) return false;
    TENON_ASSIGN(last_[node.output(0)], last_of(node.input(0)));
    node.graph->set_node_output(node, 0, kNoValue);
    node.graph->remove(node);
    return true;
  }

  Result<bool> transpose(ir::Node& node) {
    const int64_t r = rank(node.input(0));
    Axes perm;
    for (int64_t p : node.ints("perm")) perm.push_back(p);
    if (!node.find("perm"))
      for (int64_t i = r; i-- > 0;) perm.push_back(i);
    if (static_cast<int64_t>(perm.size()) != r) return false;
    Axes both;
    for (int64_t p : perm) {
      p = normal(p, r);
      if (p < 0) return false;
      both.push_back(to_last(p, r));
    }
    TENON_ASSIGN(const ValueId last, last_of(node.input(0)));
    const ValueId y = node.output(0);
    if (is_identity(both) && m_.value(y).output_uses == 0) {
      m_.replace_uses(y, last);
      m_.value(last).type.shape = type(y).shape;
      node.graph->remove(node);
      return true;
    }
    node.graph->set_input(node, 0, last);
    node.set("perm", both);
    return true;
  }

  /// The shape in ONNX's order from the channels-last value, when the other one is not there anyway.
  Result<bool> shape(ir::Node& node) {
    const ValueId x = node.input(0);
    if (has_first(x)) return false;
    const int64_t r = rank(x);
    auto clamp = [&](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + r : v, 0, r); };
    int64_t start = clamp(node.int_or("start", 0)), end = clamp(node.int_or("end", r));
    Axes order;
    for (int64_t a = start; a < end; ++a) order.push_back(to_last(a, r));
    ValueId all = m_.add_value(m_.unique_name(node.name), node.graph, ir::Type::tensor(DType::kI64, {Dim(r)}));
    TENON_TRY(make(*node.graph, &node, "Shape", {last_[x]}, all, &node).status());
    node.erase("start");
    node.erase("end");
    node.op = "Gather";
    node.opset = 0;
    node.graph->set_input(node, 0, all);
    node.graph->append_input(node, ints(node, order));
    TENON_TRY(opdef::bind_node(node, registry_));
    return true;
  }

  Result<bool> slice(ir::Node& node) {
    const int64_t r = rank(node.input(0));
    if (rank(node.output(0)) != r || node.input(1) == kNoValue) return false;
    std::optional<Axes> axes;
    if (node.input(3) != kNoValue) {
      axes = integers(node, 3);
    } else if (type(node.input(1)).has_shape && type(node.input(1)).rank() == 1 &&
               type(node.input(1)).shape[0].is_const()) {
      axes.emplace(static_cast<size_t>(type(node.input(1)).shape[0].value()));
      std::iota(axes->begin(), axes->end(), 0);
    }
    if (!axes || !remap(*axes, r)) return false;
    TENON_TRY(take_last(node));
    put_input(node, 3, ints(node, *axes, type(node.input(1)).dtype));
    give_last(node);
    return true;
  }
  static bool remap(Axes& axes, int64_t r) {
    for (int64_t& a : axes) {
      a = normal(a, r);
      if (a < 0) return false;
      a = to_last(a, r);
    }
    return true;
  }
  void put_input(ir::Node& node, size_t i, ValueId v) {
    while (node.inputs().size() <= i) node.graph->append_input(node, kNoValue);
    node.graph->set_input(node, i, v);
  }

  Result<bool> pad(ir::Node& node) {
    const int64_t r = rank(node.input(0));
    if (rank(node.output(0)) != r) return false;
    Axes axes(static_cast<size_t>(r));
    std::iota(axes.begin(), axes.end(), 0);
    if (node.input(3) != kNoValue) {
      auto given = integers(node, 3);
      if (!given) return false;
      axes = *given;
    }
    if (!remap(axes, r)) return false;
    TENON_TRY(take_last(node));
    put_input(node, 3, ints(node, axes));
    give_last(node);
    return true;
  }

  Result<bool> resize(ir::Node& node) {
    const int64_t r = rank(node.input(0));
    if (rank(node.output(0)) != r) return false;
    Axes axes(static_cast<size_t>(r));
    std::iota(axes.begin(), axes.end(), 0);
    if (node.find("axes")) {
      auto given = node.ints("axes");
      axes.assign(given.begin(), given.end());
    }
    if (!remap(axes, r)) return false;
    TENON_TRY(take_last(node));
    node.set("axes", axes);
    give_last(node);
    return true;
  }

  enum class Order { kFirst, kLast, kOther };
  /// How the axes that remain of a channels-last value stand to those that remain of the value itself. `axes` are of
  /// the value.
  static Order order_of(const Axes& axes, int64_t r) {
    Axes kept;  // positions in the channels-last value, in the order of the value's own axes
    for (int64_t a = 0; a < r; ++a)
      if (std::find(axes.begin(), axes.end(), a) == axes.end()) kept.push_back(to_last(a, r));
    if (std::is_sorted(kept.begin(), kept.end())) return Order::kFirst;
    const int64_t left = static_cast<int64_t>(kept.size());
    if (left < 3) return Order::kOther;
    Axes turned;
    for (int64_t p : perm_to_last(left)) turned.push_back(kept[static_cast<size_t>(p)]);
    return std::is_sorted(turned.begin(), turned.end()) ? Order::kLast : Order::kOther;
  }

  /// Reductions and Squeeze: some axes go, or become 1.
  Result<bool> drop_axes(ir::Node& node, bool squeeze) {
    const int64_t r = rank(node.input(0));
    const bool by_attribute = node.op.substr(0, 3) == "Arg", keep = !squeeze && node.int_or("keepdims", 1) != 0;
    Axes axes;
    if (by_attribute) {
      axes.push_back(node.int_or("axis", 0));
    } else if (node.input(1) != kNoValue) {
      auto given = integers(node, 1);
      if (!given) return false;
      axes = *given;
    }
    if (axes.empty()) {
      if (squeeze || node.int_or("noop_with_empty_axes", 0) != 0) return false;
      axes.resize(static_cast<size_t>(r));
      std::iota(axes.begin(), axes.end(), 0);
    }
    for (int64_t& a : axes)
      if ((a = normal(a, r)) < 0) return false;
    const int64_t left = keep ? r : r - static_cast<int64_t>(axes.size());
    if (rank(node.output(0)) != left) return false;
    const Order order = keep ? Order::kLast : order_of(axes, r);
    if (order == Order::kOther) return false;
    remap(axes, r);
    TENON_TRY(take_last(node));
    if (by_attribute) node.set("axis", axes[0]);
    else put_input(node, 1, ints(node, axes));
    if (order == Order::kLast) give_last(node);
    return true;
  }

  Result<bool> unsqueeze(ir::Node& node) {
    auto axes = integers(node, 1);
    const int64_t r = rank(node.output(0));
    if (!axes || r != rank(node.input(0)) + static_cast<int64_t>(axes->size())) return false;
    for (int64_t& a : *axes)
      if ((a = normal(a, r)) < 2) return false;  // the first two axes stay what they are
    remap(*axes, r);
    TENON_TRY(take_last(node));
    put_input(node, 1, ints(node, *axes));
    give_last(node);
    return true;
  }

  /// Spatial axes merged into others, batch and channels staying.
  Result<bool> reshape(ir::Node& node) {
    const ValueId x = node.input(0), y = node.output(0);
    if (has_first(x) || node.op != "Reshape" || !type(y).has_shape || rank(y) < 3) return false;
    const DimVector &in = type(x).shape, &out = type(y).shape;
    if (!(in[0] == out[0]) || !(in[1] == out[1]) || !m_.constant(node.input(1))) return false;
    Axes target{0};
    int open = 0;
    for (size_t i = 2; i < out.size(); ++i) {
      target.push_back(out[i].is_const() ? out[i].value() : -1);
      open += !out[i].is_const();
      if (out[i].is(0)) return false;
    }
    if (open > 1 || !out[1].is_const() || out[1].is(0)) return false;
    target.push_back(out[1].value());
    node.erase("allowzero");
    TENON_TRY(take_last(node));
    put_input(node, 1, ints(node, target));
    give_last(node);
    return true;
  }

  ir::Model& m_;
  const opdef::Registry& registry_;
  std::unordered_map<ValueId, ValueId> last_;
};

}  // namespace

Status carry_channels_last(ir::Model& model, const opdef::Registry& registry) {
  if (is_laid_out(model.main())) return {};
  return Walk(model, registry).graph(model.main());
}

}  // namespace tenon::passes
