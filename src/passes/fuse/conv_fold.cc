// conv_fold: batch normalisation and channel constants go into weights and bias.
// SPDX-License-Identifier: MIT
#include "passes/fuse/conv_fold.h"

#include <cmath>
#include <optional>
#include <vector>

#include "opdef/registry.h"
#include "passes/deferred_fold.h"
#include "passes/fuse/tail.h"

namespace tenon::passes {
namespace {

using ir::kNoValue;
using ir::Node;
using ir::ValueId;

using Numbers = std::vector<double>;

Numbers numbers(const Tensor& t) {
  Numbers out(static_cast<size_t>(t.count()));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = t.dtype() == DType::kF64 ? t.as<double>()[i] : static_cast<double>(t.as<float>()[i]);
  return out;
}
Result<Tensor> tensor(DType dtype, const Numbers& values, Shape shape) {
  TENON_ASSIGN(Tensor t, Tensor::allocate(dtype, std::move(shape)));
  for (size_t i = 0; i < values.size(); ++i) {
    if (dtype == DType::kF64) t.as<double>()[i] = values[i];
    else t.as<float>()[i] = static_cast<float>(values[i]);
  }
  return t;
}
bool is_real(DType t) { return t == DType::kF32 || t == DType::kF64; }

/// y * scale + shift for each channel; one value stands for all channels.
struct Affine {
  Numbers scale, shift;
};

class Fold {
 public:
  Fold(ir::Graph& graph, const opdef::Registry& registry) : g_(graph), m_(graph.model()), registry_(registry) {}

  Status run() {
    std::vector<Node*> convolutions;
    for (Node& n : g_.nodes()) {
      for (ir::Graph* s : n.subgraphs()) TENON_TRY(fold_into_convolutions(*s, registry_));
      if (n.domain.empty() && (n.op == "Conv" || n.op == "ConvTranspose")) convolutions.push_back(&n);
    }
    for (Node* c : convolutions) {
      absorb_pad(*c);
      TENON_TRY(absorb(*c));
    }
    std::vector<Node*> norms;
    for (Node& n : g_.nodes())
      if (n.domain.empty() && n.op == "BatchNormalization") norms.push_back(&n);
    for (Node* n : norms) TENON_TRY(spell_out(*n));
    return {};
  }

 private:
  /// Zeros put around the input of a Conv become pads of the Conv.
  void absorb_pad(Node& conv) {
    if (conv.op != "Conv" || conv.string_or("auto_pad", "NOTSET") != "NOTSET") return;
    auto& between = m_.value(conv.input(0));
    Node* pad = between.producer;
    if (!pad || pad->op != "Pad" || !pad->domain.empty() || pad->graph != &g_) return;
    if (between.output_uses || between.uses.size() != 1 || pad->string_or("mode", "constant") != "constant") return;
    const Tensor *amounts = m_.constant(pad->input(1)), *value = m_.constant(pad->input(2));
    const int rank = between.type.rank();
    if (!amounts || amounts->dtype() != DType::kI64 || rank < 3 || pad->input(3) != kNoValue) return;
    if (pad->input(2) != kNoValue &&
        (!value || value->count() != 1 || !is_real(value->dtype()) || numbers(*value)[0] != 0))
      return;
    if (amounts->count() != 2 * rank) return;
    const auto given = amounts->items<int64_t>();
    auto own = conv.ints("pads");
    const auto spatial = static_cast<size_t>(rank - 2), all = static_cast<size_t>(rank);
    if (!own.empty() && own.size() != 2 * spatial) return;
    std::vector<int64_t> pads(2 * spatial, 0);
    for (size_t i = 0; i < 2 * all; ++i) {
      if (given[i] < 0 || given[i] > 1 << 20) return;
      const size_t axis = i % all;
      if (axis < 2) {
        if (given[i] != 0) return;
        continue;
      }
      const size_t at = i / all * spatial + axis - 2;
      pads[at] = given[i] + (own.empty() ? 0 : own[at]);
    }
    conv.set("pads", pads);
    conv.origins = ir::origins_of({&conv, pad});
    g_.set_input(conv, 0, pad->input(0));
    g_.remove(*pad);
  }

  /// A constant as one value or one for each of `channels`, when it broadcasts so over a value of this rank.
  std::optional<Numbers> by_channel(ValueId v, int rank, int64_t channels) const {
    const Tensor* t = m_.constant(v);
    if (!t || !is_real(t->dtype())) return std::nullopt;
    const int own = static_cast<int>(t->shape().size());
    if (own > rank) return std::nullopt;
    if (t->count() == 1) return numbers(*t);
    if (t->count() != channels) return std::nullopt;
    for (int i = 0; i < own; ++i)
      if (t->shape()[static_cast<size_t>(i)] != (i + rank - own == 1 ? channels : 1)) return std::nullopt;
    return numbers(*t);
  }

  std::optional<Affine> norm_affine(const Node& n) const {
    if (n.int_or("training_mode", 0) != 0) return std::nullopt;
    for (size_t i = 1; i < n.outputs().size(); ++i)
      if (n.outputs()[i] != kNoValue) return std::nullopt;
    Numbers in[4];
    for (size_t i = 0; i < 4; ++i) {
      const Tensor* t = m_.constant(n.input(i + 1));
      if (!t || !is_real(t->dtype())) return std::nullopt;
      in[i] = numbers(*t);
      if (in[i].size() != in[0].size()) return std::nullopt;
    }
    const double epsilon = static_cast<double>(n.float_or("epsilon", 1e-5f));
    Affine a;
    for (size_t k = 0; k < in[0].size(); ++k) {
      double s = in[0][k] / std::sqrt(in[3][k] + epsilon);
      a.scale.push_back(s);
      a.shift.push_back(in[1][k] - in[2][k] * s);
      if (!std::isfinite(s) || !std::isfinite(a.shift.back())) return std::nullopt;
    }
    return a;
  }

  /// What the only reader of y does to it, as an affine map by channel.
  std::optional<Affine> affine(const Node& reader, ValueId y, int rank, int64_t channels) const {
    if (!reader.domain.empty()) return std::nullopt;
    const bool first = reader.input(0) == y;
    if (reader.op == "BatchNormalization") {
      auto a = first ? norm_affine(reader) : std::nullopt;
      if (a && static_cast<int64_t>(a->scale.size()) != channels) return std::nullopt;
      return a;
    }
    const bool mul = reader.op == "Mul", div = reader.op == "Div", add = reader.op == "Add", sub = reader.op == "Sub";
    if (!(mul || add || (first && div) || sub)) return std::nullopt;
    auto c = by_channel(reader.input(first ? 1 : 0), rank, channels);
    if (!c) return std::nullopt;
    Affine a{{1}, {0}};
    if (mul) a.scale = *c;
    if (add) a.shift = *c;
    if (div || sub) {
      if (div) a.scale = *c;
      if (sub) a.shift = *c;
      for (double& v : div ? a.scale : a.shift) {
        if (div && v == 0) return std::nullopt;
        v = div ? 1 / v : first ? -v : v;
      }
      if (sub && !first) a.scale = {-1};
    }
    for (double v : a.scale)
      if (!std::isfinite(v)) return std::nullopt;
    return a;
  }

  Status absorb(Node& conv) {
    const ValueId w = conv.input(1), b = conv.input(2);
    const Tensor* weights = m_.constant(w);
    if (!weights || !is_real(weights->dtype()) || (b != kNoValue && !m_.constant(b))) return {};
    if (weights->shape().size() < 3) return {};
    const int64_t group = conv.int_or("group", 1);
    const bool transposed = conv.op == "ConvTranspose";
    const int64_t per_group = weights->shape()[transposed ? 1 : 0];
    const int64_t channels = transposed ? per_group * group : per_group;
    const int rank = static_cast<int>(weights->shape().size());
    Affine all{{1}, {0}};
    bool any = false;
    for (;;) {
      const ValueId y = conv.output(0);
      auto& info = m_.value(y);
      if (info.output_uses || info.uses.size() != 1 || info.uses[0].node->graph != &g_) break;
      Node& reader = *info.uses[0].node;
      auto a = affine(reader, y, rank, channels);
      if (!a || !same_type(info.type, m_.value(reader.output(0)).type)) break;
      apply(all.scale, a->scale, [](double x, double s) { return x * s; });
      apply(all.shift, a->scale, [](double x, double s) { return x * s; });
      apply(all.shift, a->shift, [](double x, double s) { return x + s; });
      any = true;
      take_over(conv, reader);
    }
    if (!any) return {};
    return rewrite(conv, all, channels, group, transposed);
  }
  template <class F>
  static void apply(Numbers& to, const Numbers& by, F f) {
    if (by.size() > to.size()) to.resize(by.size(), to[0]);
    for (size_t i = 0; i < to.size(); ++i) to[i] = f(to[i], by[by.size() == 1 ? 0 : i]);
  }

  Status rewrite(Node& conv, const Affine& a, int64_t channels, int64_t group, bool transposed) {
    const ValueId w = conv.input(1), b = conv.input(2);
    const Tensor* weights = m_.constant(w);
    const DType dtype = weights->dtype();
    const auto count = static_cast<size_t>(channels);
    Numbers bias(count, 0), old = b == kNoValue ? Numbers() : numbers(*m_.constant(b));
    if (!old.empty() && old.size() != count) return {};  // the node reports it when it runs
    auto at = [](const Numbers& v, size_t i) { return v[v.size() == 1 ? 0 : i]; };
    bool needs_bias = !old.empty();
    for (size_t i = 0; i < count; ++i) {
      bias[i] = (old.empty() ? 0 : old[i] * at(a.scale, i)) + at(a.shift, i);
      needs_bias = needs_bias || bias[i] != 0;
    }
    bool scaled = false;
    for (double s : a.scale) scaled = scaled || s != 1;
    if (scaled) {
      Shape shape(weights->shape().size(), 1);
      Numbers factors;
      if (a.scale.size() == 1) {
        factors = a.scale;
      } else if (!transposed) {
        shape[0] = channels;
        factors = a.scale;
      } else {  // (in channels, out channels of a group, ...)
        shape[0] = weights->shape()[0];
        shape[1] = weights->shape()[1];
        for (int64_t c = 0; c < shape[0]; ++c)
          for (int64_t j = 0; j < shape[1]; ++j)
            factors.push_back(a.scale[static_cast<size_t>(c / (shape[0] / group) * shape[1] + j)]);
      }
      TENON_ASSIGN(Tensor f, tensor(dtype, factors, std::move(shape)));
      ValueId factor = m_.add_constant(m_.unique_name(m_.value(w).name), &g_, std::move(f));
      ValueId product = m_.add_value(m_.unique_name(m_.value(w).name), &g_, m_.value(w).type);
      Node& mul = g_.add("Mul", {w, factor}, {product}, "", &conv);
      TENON_TRY(opdef::bind_node(mul, registry_));
      TENON_ASSIGN(Tensor t, constant_result(mul));
      g_.set_input(conv, 1, product);
      g_.remove(mul);
      m_.value(product).constant = std::move(t);
    }
    if (!needs_bias) return {};
    TENON_ASSIGN(Tensor t, tensor(dtype, bias, Shape{channels}));
    ValueId made = m_.add_constant(m_.unique_name(m_.value(w).name), &g_, std::move(t));
    while (conv.inputs().size() < 3) g_.append_input(conv, kNoValue);
    g_.set_input(conv, 2, made);
    return {};
  }

  /// The result of a node with constant inputs: at once, or later where it is large.
  Result<Tensor> constant_result(Node& node) {
    if (can_defer(node)) return defer_node(node, registry_);
    std::vector<const Tensor*> inputs;
    for (ValueId v : node.inputs()) inputs.push_back(m_.constant(v));
    TENON_ASSIGN(auto results, opdef::evaluate_node(node, inputs, registry_));
    return std::move(results[0]);
  }

  /// BatchNormalization as Mul and Add by channel.
  Status spell_out(Node& n) {
    const ir::Type& x = m_.value(n.input(0)).type;
    auto a = norm_affine(n);
    if (!a || !x.has_shape || x.rank() < 2 || !is_real(x.dtype)) return {};
    if (!(x.shape[1] == ir::Dim(static_cast<int64_t>(a->scale.size())))) return {};
    Shape shape(static_cast<size_t>(x.rank() - 1), 1);
    shape[0] = static_cast<int64_t>(a->scale.size());
    TENON_ASSIGN(Tensor scale, tensor(x.dtype, a->scale, shape));
    TENON_ASSIGN(Tensor shift, tensor(x.dtype, a->shift, shape));
    ValueId s = m_.add_constant(m_.unique_name(n.name), &g_, std::move(scale));
    ValueId t = m_.add_constant(m_.unique_name(n.name), &g_, std::move(shift));
    ValueId between = m_.add_value(m_.unique_name(n.name), &g_, x);
    Node& mul = g_.add("Mul", {n.input(0), s}, {between}, "", &n);
    mul.name = m_.unique_name(n.name);
    mul.origins = n.origin_names();
    ValueId y = n.output(0);
    g_.set_node_output(n, 0, kNoValue);
    Node& add = g_.add("Add", {between, t}, {y}, "", &n);
    add.name = m_.unique_name(n.name);
    add.origins = mul.origins;
    g_.remove(n);
    TENON_TRY(opdef::bind_node(mul, registry_));
    return opdef::bind_node(add, registry_);
  }

  ir::Graph& g_;
  ir::Model& m_;
  const opdef::Registry& registry_;
};

}  // namespace

Status fold_into_convolutions(ir::Graph& graph, const opdef::Registry& registry) { return Fold(graph, registry).run(); }

}  // namespace tenon::passes
