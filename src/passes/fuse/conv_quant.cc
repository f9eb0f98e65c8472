// conv_quant: 8-bit convolutions, sums and pools from their dequantised spelling.
// SPDX-License-Identifier: MIT
#include "passes/fuse/conv_quant.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_set>
#include <vector>

namespace tenon::passes {
namespace {

using ir::kNoValue;
using ir::Node;
using ir::ValueId;

/// The operands of a QuantizeLinear or DequantizeLinear of a whole tensor.
struct Parameters {
  ValueId x = kNoValue, scale = kNoValue, zero = kNoValue;
};

class Fuse {
 public:
  Fuse(ir::Graph& graph, const opdef::Registry& registry) : g_(graph), m_(graph.model()), registry_(registry) {}

  Status run() {
    std::vector<Node*> candidates;
    for (Node& n : g_.nodes()) {
      for (ir::Graph* s : n.subgraphs()) TENON_TRY(fuse_quantised_convolutions(*s, registry_));
      if (is(n, "ConvNhwc", "com.tenon") || is(n, "MaxPoolNhwc", "com.tenon") || is(n, "Add") || is(n, "MaxPool") ||
          is(n, "QuantizeLinear"))
        candidates.push_back(&n);
    }
    for (Node* n : candidates) {
      if (gone_.count(n)) continue;
      if (n->op == "ConvNhwc") TENON_TRY(convolution(*n));
      else if (n->op == "Add") TENON_TRY(sum(*n));
      else if (n->op == "QuantizeLinear") quantise(*n);
      else TENON_TRY(pool(*n));
    }
    return {};
  }

 private:
  static bool is(const Node& n, std::string_view op, std::string_view domain = "") {
    return n.op == op && n.domain == domain;
  }
  static bool is_byte(DType t) { return opdef::kBytes.has(t); }
  DType dtype(ValueId v) const { return m_.value(v).type.dtype; }
  const Tensor* single(ValueId v) const {
    const Tensor* t = m_.constant(v);
    return t && t->count() == 1 ? t : nullptr;
  }
  void remove(Node& n) {
    gone_.insert(&n);
    n.graph->remove(n);
  }
  /// Removes the producer of v, and what only it read, when nobody reads v any more.
  void drop(ValueId v) {
    if (v == kNoValue || m_.value(v).use_count() > 0) return;
    Node* p = m_.value(v).producer;
    if (!p || p->graph != &g_ || p->outputs().size() != 1) return;
    std::vector<ValueId> inputs(p->inputs().begin(), p->inputs().end());
    remove(*p);
    for (ValueId i : inputs) drop(i);
  }

  /// Whole-tensor parameters of the node; the zero point may be missing.
  std::optional<Parameters> parameters(const Node& n) const {
    if (n.int_or("block_size", 0) != 0) return std::nullopt;
    const Tensor* scale = single(n.input(1));
    if (!scale || scale->dtype() != DType::kF32) return std::nullopt;
    if (n.input(2) != kNoValue && !single(n.input(2))) return std::nullopt;
    return Parameters{n.input(0), n.input(1), n.input(2)};
  }
  /// Whether the scale is positive and far enough from the ends of f32 that 8-bit values times it stay exact enough to
  /// come back.
  bool is_positive(ValueId scale) const {
    const float s = *m_.constant(scale)->as<float>();
    return s > 1e-30f && s < 1e30f;
  }
  /// v as a dequantised 8-bit tensor.
  std::optional<Parameters> dequantised(ValueId v) const {
    const Node* p = v == kNoValue ? nullptr : m_.value(v).producer;
    if (!p || !is(*p, "DequantizeLinear") || !is_byte(dtype(p->input(0))) || dtype(v) != DType::kF32)
      return std::nullopt;
    return parameters(*p);
  }
  /// The only reader of v, a node of this graph; else null.
  Node* only_reader(ValueId v) const {
    auto& info = m_.value(v);
    return info.output_uses == 0 && info.uses.size() == 1 && info.uses[0].node->graph == &g_ ? info.uses[0].node
                                                                                             : nullptr;
  }
  ValueId zero_point(ValueId zero, DType type) {
    if (zero != kNoValue) return zero;
    Tensor t = type == DType::kI8 ? Tensor::scalar(int8_t{0}) : Tensor::scalar(uint8_t{0});
    return m_.add_constant(m_.unique_name("zero_point"), &g_, std::move(t));
  }
  static int32_t zero_value(const Tensor* t) {
    if (!t) return 0;
    return t->dtype() == DType::kI8 ? *t->as<int8_t>() : *t->as<uint8_t>();
  }

  /// An activation as bounds of the real result.
  struct Bounds {
    float lo = -INFINITY, hi = INFINITY;
  };
  static std::optional<Bounds> bounds_of(std::string_view activation, const std::vector<float>* params) {
    if (activation.empty()) return Bounds{};
    if (activation == "Relu") return Bounds{0, INFINITY};
    if (activation == "Clip" && params && params->size() == 2 && (*params)[0] <= (*params)[1])
      return Bounds{(*params)[0], (*params)[1]};
    return std::nullopt;
  }
  /// The bounds of the stored result: quantisation is monotonous, so that bounding before and after is the same.
  void set_bounds(Node& n, const Bounds& b, const Parameters& y, DType type) {
    const float scale = *m_.constant(y.scale)->as<float>();
    const int32_t zero = zero_value(m_.constant(y.zero));
    const int64_t least = type == DType::kI8 ? -128 : 0, most = least + 255;
    auto stored = [&](float v) {
      float q = std::nearbyint(v / scale) + static_cast<float>(zero);
      return std::clamp<int64_t>(static_cast<int64_t>(std::clamp(q, -1000.0f, 1000.0f)), least, most);
    };
    if (b.lo != -INFINITY) n.set("lo", stored(b.lo));
    if (b.hi != INFINITY) n.set("hi", stored(b.hi));
  }
  /// The reader of v when it is a QuantizeLinear to 8 bits with whole-tensor constants.
  Node* quantiser(ValueId v, Parameters* y) const {
    Node* q = only_reader(v);
    if (!q || !is(*q, "QuantizeLinear") || q->input(0) != v || !is_byte(dtype(q->output(0)))) return nullptr;
    if (q->int_or("saturate", 1) == 0) return nullptr;
    auto p = parameters(*q);
    if (!p || !is_positive(p->scale)) return nullptr;  // a negative scale would turn bounds around
    *y = *p;
    return q;
  }

  /// The f32 bias in units of x_scale * w_scale, when it came from such integers: sums of them and of products are
  /// exact. `terms`: products in a sum, which has to stay within i32.
  static std::optional<Tensor> whole_bias(const Tensor& bias, float x_scale, const Tensor& w_scale, int64_t terms) {
    const double most = 2147483647.0 - 65025.0 * static_cast<double>(terms);
    std::vector<int32_t> out;
    const auto scales = w_scale.items<float>();
    for (size_t c = 0; const float b : bias.items<float>()) {
      const float unit = x_scale * scales[scales.size() == 1 ? 0 : c++];
      const double n = std::nearbyint(static_cast<double>(b) / static_cast<double>(unit));
      if (!(std::fabs(n) <= most) || static_cast<float>(n) * unit != b) return std::nullopt;
      out.push_back(static_cast<int32_t>(n));
    }
    return Tensor::of(std::span<const int32_t>(out));
  }

  Status convolution(Node& conv) {
    if (conv.input(3) != kNoValue || dtype(conv.output(0)) != DType::kF32) return {};
    auto x = dequantised(conv.input(0));
    Parameters y;
    Node* q = quantiser(conv.output(0), &y);
    auto bounds = bounds_of(conv.string_or("activation", ""), conv.get<std::vector<float>>("activation_params"));
    if (!x || !q || !bounds) return {};
    // Weights: by tensor or by output channel.
    const Node* w = m_.value(conv.input(1)).producer;
    if (!w || !is(*w, "DequantizeLinear") || !is_byte(dtype(w->input(0))) || w->int_or("block_size", 0) != 0) return {};
    const Tensor *weights = m_.constant(w->input(0)), *scale = m_.constant(w->input(1)),
                 *zero = m_.constant(w->input(2)), *bias = m_.constant(conv.input(2));
    if (!weights || !scale || scale->dtype() != DType::kF32 || (w->input(2) != kNoValue && !zero)) return {};
    if (weights->shape().size() < 3) return {};
    int64_t axis = w->int_or("axis", 1), rank = static_cast<int64_t>(weights->shape().size());
    if (axis < 0) axis += rank;
    const int64_t channels = weights->shape()[0];
    if (scale->count() != 1 && (axis != 0 || scale->count() != channels)) return {};
    if (zero && zero->count() != 1 && zero->count() != channels) return {};
    if (conv.input(2) != kNoValue && (!bias || bias->dtype() != DType::kF32 || bias->count() != channels)) return {};

    const DType type = dtype(q->output(0));
    const ValueId result = q->output(0);
    std::vector<ValueId> inputs{x->x,        x->scale, zero_point(x->zero, dtype(x->x)), w->input(0), w->input(1),
                                w->input(2), y.scale,  zero_point(y.zero, type)};
    if (bias) {
      const int64_t terms = weights->count() / std::max<int64_t>(channels, 1);
      auto whole = whole_bias(*bias, *m_.constant(x->scale)->as<float>(), *scale, terms);
      inputs.push_back(whole ? m_.add_constant(m_.unique_name(m_.value(conv.input(2)).name), &g_, std::move(*whole))
                             : conv.input(2));
    }
    g_.set_node_output(*q, 0, kNoValue);
    Node& made = g_.add("QConvNhwc", std::move(inputs), {result}, "com.tenon", q);
    made.name = conv.name;
    made.origins = ir::origins_of({&conv, q});
    for (const char* name : {"auto_pad", "dilations", "kernel_shape", "pads", "strides", "group"}) {
      if (auto* v = conv.get<std::vector<int64_t>>(name)) made.set(name, *v);
      else if (auto* i = conv.get<int64_t>(name)) made.set(name, *i);
      else if (auto* s = conv.get<std::string>(name)) made.set(name, *s);
    }
    set_bounds(made, *bounds, y, type);
    TENON_TRY(opdef::bind_node(made, registry_));
    remove(*q);
    drop(conv.output(0));
    return {};
  }

  Status sum(Node& add) {
    auto a = dequantised(add.input(0)), b = dequantised(add.input(1));
    if (!a || !b || !same_shape(m_.value(a->x).type, m_.value(b->x).type)) return {};
    ValueId v = add.output(0);
    Bounds bounds;
    Node* act = nullptr;
    Parameters y;
    Node* q = quantiser(v, &y);
    if (!q) {
      act = only_reader(v);
      if (!act || !act->domain.empty() || act->input(0) != v) return {};
      if (act->op == "Relu") {
        bounds.lo = 0;
      } else if (act->op == "Clip") {
        const Tensor *lo = single(act->input(1)), *hi = single(act->input(2));
        if ((act->input(1) != kNoValue && !lo) || (act->input(2) != kNoValue && !hi)) return {};
        if (lo) bounds.lo = *lo->as<float>();
        if (hi) bounds.hi = *hi->as<float>();
        if (!(bounds.lo <= bounds.hi)) return {};
      } else {
        return {};
      }
      v = act->output(0);
      q = quantiser(v, &y);
      if (!q) return {};
    }
    const DType type = dtype(q->output(0));
    const ValueId result = q->output(0);
    g_.set_node_output(*q, 0, kNoValue);
    Node& made = g_.add("QAdd",
                        {a->x, a->scale, zero_point(a->zero, dtype(a->x)), b->x, b->scale,
                         zero_point(b->zero, dtype(b->x)), y.scale, zero_point(y.zero, type)},
                        {result}, "com.tenon", q);
    made.name = add.name;
    made.origins = ir::origins_of({&add, act, q});
    set_bounds(made, bounds, y, type);
    TENON_TRY(opdef::bind_node(made, registry_));
    remove(*q);
    drop(v);
    return {};
  }

  /// The largest stored value is the largest real one: scales are positive.
  Status pool(Node& n) {
    if (n.outputs().size() != 1) return {};
    const ValueId from = n.input(0), y = n.output(0);
    auto x = dequantised(from);
    if (!x || !only_reader(from) || !is_positive(x->scale)) return {};
    ir::Type type = m_.value(y).type;
    type.dtype = dtype(x->x);
    ValueId stored = m_.add_value(m_.unique_name(m_.value(y).name), &g_, type);
    g_.set_node_output(n, 0, stored);
    g_.set_input(n, 0, x->x);
    std::vector<ValueId> inputs{stored, x->scale};
    if (x->zero != kNoValue) inputs.push_back(x->zero);
    Node& dq = g_.add("DequantizeLinear", std::move(inputs), {y}, "", &n);
    dq.name = m_.unique_name(n.name);
    dq.origins = ir::origins_of({&n});
    g_.move_before(n, &dq);
    drop(from);
    return opdef::bind_node(dq, registry_);
  }

  /// QuantizeLinear(DequantizeLinear(x)) with the same numbers is x.
  void quantise(Node& q) {
    auto y = parameters(q);
    if (!y || !is_byte(dtype(q.output(0)))) return;
    auto x = dequantised(y->x);
    if (!x || dtype(x->x) != dtype(q.output(0))) return;
    const float scale = *m_.constant(x->scale)->as<float>();
    if (scale != *m_.constant(y->scale)->as<float>() || !is_positive(x->scale)) return;
    if (zero_value(m_.constant(x->zero)) != zero_value(m_.constant(y->zero))) return;
    if (m_.value(q.output(0)).output_uses) return;  // the name must stay
    m_.replace_uses(q.output(0), x->x);
    const ValueId between = q.input(0);
    remove(q);
    drop(between);
  }

  ir::Graph& g_;
  ir::Model& m_;
  const opdef::Registry& registry_;
  std::unordered_set<const Node*> gone_;
};

}  // namespace

Status fuse_quantised_convolutions(ir::Graph& graph, const opdef::Registry& registry) {
  return Fuse(graph, registry).run();
}

}  // namespace tenon::passes
