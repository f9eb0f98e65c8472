// Property test of the convolution passes: random image graphs give the same results at every level, with fixed and
// with symbolic sizes; 8-bit graphs agree with exact integer arithmetic.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "exec/frame.h"
#include "opdef/infer.h"
#include "ops/table.h"
#include "passes/pipeline.h"
#include "threads/pool.h"

namespace tenon::exec {
namespace {

using ir::Dim;
using ir::ValueId;
using Ints = std::vector<int64_t>;

/// A graph of random operators on images, the same for the same seed.
class Images {
 public:
  Images(uint32_t seed, bool symbolic) : random_(seed), g_(model_->main()) {
    const int spatial = pick(0, 4) == 0 ? 1 : 2;
    dims_ = {pick(1, 2), pick(1, 3) * 4};
    for (int i = 0; i < spatial; ++i) dims_.push_back(pick(5, 9));
    ir::DimVector shape;
    for (int64_t d : dims_) shape.push_back(d);
    x_ = model_->add_value("x", &g_, ir::Type::tensor(DType::kF32, shape));
    g_.add_input(x_);
    values_.push_back(x_);
    const int count = pick(3, 14);
    for (int i = 0; i < count; ++i) add_node();
    g_.add_output(values_.back());
    for (int i = 0; i < 2; ++i) {
      ValueId v = any();
      if (v != x_ && !model_->value(v).output_uses) g_.add_output(v);
    }
    if (!symbolic) return;
    for (size_t v = 0; v < model_->value_count(); ++v)
      if (!model_->value(static_cast<ValueId>(v)).constant) model_->value(static_cast<ValueId>(v)).type = {};
    ir::DimVector free;
    for (size_t i = 0; i < dims_.size(); ++i)
      free.push_back(i == 1 ? Dim(dims_[i]) : model_->dims().named(std::string(1, static_cast<char>('a' + i))));
    model_->value(x_).type = ir::Type::tensor(DType::kF32, free);
  }

  /// Optimised as the level says, run on a fixed input; the number of nodes goes to `nodes`.
  std::vector<Tensor> run(int level, std::string* listing) {
    passes::PipelineOptions options;
    options.level = level;
    Status s = opdef::bind_graph(g_, ops::registry());
    EXPECT_TRUE(s.ok()) << s.to_string();
    s = passes::run_pipeline(*model_, ops::registry(), options);
    EXPECT_TRUE(s.ok()) << s.to_string();
    s = ir::verify(*model_);
    EXPECT_TRUE(s.ok()) << s.to_string();
    *listing = ir::print(g_);
    s = passes::run_pipeline(*model_, ops::registry(), options);
    EXPECT_TRUE(s.ok()) << s.to_string();
    EXPECT_EQ(*listing, ir::print(g_)) << "a second pass changes the graph";
    const size_t outputs = g_.outputs().size();
    auto program = Program::compile(std::move(model_), ops::registry(), Team());
    EXPECT_TRUE(program.ok()) << program.status().to_string();
    Frame frame(*program);
    std::vector<ValueRef> out(outputs);
    const bool wanted[4] = {true, true, true, true};
    Tensor x = numbers(Shape(std::span<const int64_t>(dims_)), 99);
    s = frame.run(std::vector<ValueRef>{tensor_value(std::move(x))}, out, {wanted, outputs}, {});
    EXPECT_TRUE(s.ok()) << s.to_string() << *listing;
    std::vector<Tensor> results;
    for (auto& v : out)
      if (v) results.push_back(std::move(v->tensor.clone()).value());
    return results;
  }

 private:
  int pick(int low, int high) { return low + static_cast<int>(random_() % static_cast<uint32_t>(high - low + 1)); }
  ValueId any() { return values_[static_cast<size_t>(pick(0, static_cast<int>(values_.size()) - 1))]; }
  Ints dims(ValueId v) const {
    auto d = ir::constant_dims(model_->value(v).type.shape);
    return d ? Ints(d->begin(), d->end()) : Ints();
  }
  static Tensor numbers(Shape shape, uint32_t seed, float scale = 1) {
    Tensor t = std::move(Tensor::allocate(DType::kF32, std::move(shape))).value();
    std::mt19937 r(seed);
    for (float& v : t.items<float>()) v = scale * (static_cast<float>(r() % 2001) / 1000 - 1);
    return t;
  }
  ValueId weights(Shape shape, float scale = 1) {
    return model_->add_constant(model_->unique_name("w"), &g_, numbers(std::move(shape), random_(), scale));
  }
  ValueId ints(Ints v) {
    return model_->add_constant(model_->unique_name("i"), &g_, Tensor::of(std::span<const int64_t>(v)));
  }
  /// A node whose outputs join the others; when it does not fit, it is taken away again.
  bool node(std::string op, std::vector<ValueId> in, const std::function<void(ir::Node&)>& set = {}, int outputs = 1) {
    std::vector<ValueId> out;
    for (int i = 0; i < outputs; ++i) out.push_back(model_->add_value(model_->unique_name("v"), &g_));
    ir::Node& n = g_.add(op, std::move(in), out);
    n.name = model_->unique_name(op);
    if (set) set(n);
    Status s = opdef::bind_node(n, ops::registry());
    if (s.ok()) s = opdef::infer_node(n);
    bool fits = s.ok();
    for (ValueId v : out) {
      Ints d = fits ? dims(v) : Ints();
      fits = fits && !d.empty() && product(Shape(std::span<const int64_t>(d))) > 0;
    }
    if (!fits) {
      g_.remove(n);
      return false;
    }
    for (ValueId v : out) values_.push_back(v);
    return true;
  }

  void add_node() {
    const ValueId x = pick(0, 2) ? values_.back() : any();
    const Ints d = dims(x);
    const size_t rank = d.size(), spatial = rank > 2 ? rank - 2 : 0;
    const int64_t c = rank > 1 ? d[1] : 1;
    auto window = [&](ir::Node& n, int64_t most) {
      Ints k, s, p;
      for (size_t i = 0; i < spatial; ++i) {
        k.push_back(pick(1, static_cast<int>(most)));
        s.push_back(pick(1, 2));
        p.push_back(pick(0, static_cast<int>(k.back() - 1)));
      }
      p.insert(p.end(), p.begin(), p.end());
      n.set("kernel_shape", k);
      n.set("strides", s);
      n.set("pads", p);
      return k;
    };
    switch (spatial ? pick(0, 26) : 26) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4: {
        Ints k(spatial);
        for (int64_t& v : k) v = pick(1, 3);
        const int64_t group = pick(0, 2) == 0 ? (pick(0, 1) ? c : c % 2 ? 1 : 2) : 1;
        const int64_t m = group == c ? c : pick(1, 4) * group * 2;
        Shape w{m, c / group};
        Ints pads;
        for (int64_t v : k) {
          w.push_back(v);
          pads.push_back(v / 2);
        }
        pads.insert(pads.end(), pads.begin(), pads.end());
        std::vector<ValueId> in{x, weights(w, 0.5f)};
        if (pick(0, 1)) in.push_back(weights(Shape{m}));
        node("Conv", in, [&](ir::Node& n) {
          n.set("group", group);
          n.set("pads", pads);
          if (pick(0, 3) == 0) n.set("strides", Ints(spatial, 2));
        });
        return;
      }
      case 5: {
        Shape w{c, 3};
        for (size_t i = 0; i < spatial; ++i) w.push_back(2);
        node("ConvTranspose", {x, weights(w, 0.5f)}, [&](ir::Node& n) { n.set("strides", Ints(spatial, 2)); });
        return;
      }
      case 6: {
        ValueId positive = weights(Shape{c});
        Tensor t = numbers(Shape{c}, 5);
        for (float& v : t.items<float>()) v = v * v + 0.5f;
        ValueId var = model_->add_constant(model_->unique_name("var"), &g_, std::move(t));
        node("BatchNormalization", {x, positive, weights(Shape{c}), weights(Shape{c}), var});
        return;
      }
      case 7: node(pick(0, 1) ? "Relu" : "HardSwish", {x}); return;
      case 8: node("LeakyRelu", {x}); return;
      case 9: {
        if (node("Sigmoid", {x})) node("Mul", {x, values_.back()});
        return;
      }
      case 10: {
        Shape s(spatial + 1, 1);
        s[0] = c;
        node(pick(0, 1) ? "Mul" : "Add", {x, weights(s)});
        return;
      }
      case 11: node(pick(0, 1) ? "Div" : "Sub", {x, weights(Shape{1})}); return;
      case 12: node("Add", {x, weights(Shape{d.back()})}); return;
      case 13:
      case 14: {
        ValueId y = any();
        if (dims(y) == d) node(pick(0, 1) ? "Add" : "Mul", {x, y});
        else node("Tanh", {x});
        return;
      }
      case 15: {
        ValueId y = any();
        const int64_t axis = pick(0, static_cast<int>(rank) - 1);
        node("Concat", {x, dims(y) == d ? y : x},
             [&](ir::Node& n) { n.set("axis", axis - (pick(0, 1) ? 0 : static_cast<int64_t>(rank))); });
        return;
      }
      case 16: {
        const int64_t axis = pick(0, static_cast<int>(rank) - 1);
        if (d[static_cast<size_t>(axis)] < 2) return;
        node(
            "Split", {x},
            [&](ir::Node& n) {
              n.set("axis", axis);
              n.set("num_outputs", int64_t{2});
            },
            2);
        return;
      }
      case 17: {
        const int64_t axis = pick(0, static_cast<int>(rank) - 1);
        node("Slice", {x, ints({d[static_cast<size_t>(axis)] > 2 ? 1 : 0}), ints({1000}), ints({axis})});
        return;
      }
      case 18: {
        Ints pads(2 * rank, 0);
        pads[rank - 1] = pick(0, 2);
        pads[2 * rank - 1] = 1;
        pads[1] = pick(0, 1);
        if (node("Pad", {x, ints(pads)}) && pick(0, 1)) {
          Shape w{4, dims(values_.back())[1]};
          for (size_t i = 0; i < spatial; ++i) w.push_back(2);
          node("Conv", {values_.back(), weights(w, 0.5f)});
        }
        return;
      }
      case 19: node("MaxPool", {x}, [&](ir::Node& n) { window(n, 3); }); return;
      case 20:
        node("AveragePool", {x}, [&](ir::Node& n) {
          window(n, 3);
          n.set("count_include_pad", int64_t{pick(0, 1)});
        });
        return;
      case 21: {
        if (node(pick(0, 1) ? "GlobalAveragePool" : "GlobalMaxPool", {x})) node("Mul", {x, values_.back()});
        return;
      }
      case 22: {
        Ints axes;
        for (size_t i = pick(0, 3) ? 2 : 1; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
        if (pick(0, 3) == 0) axes = {2};
        node("ReduceMean", {x, ints(axes)}, [&](ir::Node& n) { n.set("keepdims", int64_t{pick(0, 1)}); });
        return;
      }
      case 23: node("Softmax", {x}, [&](ir::Node& n) { n.set("axis", int64_t{pick(-1, 2)}); }); return;
      case 24: {
        if (d.back() > 20) return;
        Tensor s = numbers(Shape{static_cast<int64_t>(rank)}, 1);
        for (size_t i = 0; i < rank; ++i) s.as<float>()[i] = i < 2 ? 1 : 2;
        ValueId scales = model_->add_constant(model_->unique_name("s"), &g_, std::move(s));
        node("Resize", {x, ir::kNoValue, scales},
             [&](ir::Node& n) { n.set("mode", std::string(pick(0, 1) ? "linear" : "nearest")); });
        return;
      }
      case 25: {
        Ints perm{0};
        const bool last = pick(0, 1);
        if (last) {
          for (size_t i = 2; i < rank; ++i) perm.push_back(static_cast<int64_t>(i));
          perm.push_back(1);
        } else {
          perm.push_back(static_cast<int64_t>(rank) - 1);
          for (size_t i = 1; i + 1 < rank; ++i) perm.push_back(static_cast<int64_t>(i));
        }
        node("Transpose", {x}, [&](ir::Node& n) { n.set("perm", perm); });
        return;
      }
      default: {
        switch (pick(0, 4)) {
          case 0:
            if (rank > 2) node("Reshape", {x, ints({0, c, -1})});
            return;
          case 1: node("Unsqueeze", {x, ints({static_cast<int64_t>(rank) > 3 ? 0 : 2})}); return;
          case 2: {
            for (size_t i = 1; i < rank; ++i)
              if (d[i] == 1 && rank > 3) {
                node("Squeeze", {x, ints({static_cast<int64_t>(i)})});
                return;
              }
            return;
          }
          case 3: node("Identity", {x}); return;
          default:
            node("Shape", {x});
            values_.pop_back();
            return;
        }
      }
    }
  }

  std::mt19937 random_;
  std::unique_ptr<ir::Model> model_ = std::make_unique<ir::Model>();
  ir::Graph& g_;
  Ints dims_;
  ValueId x_;
  std::vector<ValueId> values_;
};

TEST(Layout, RandomGraphsAgreeAtEveryLevel) {
  for (uint32_t seed = 0; seed < 600 && !::testing::Test::HasFailure(); ++seed) {
    const bool symbolic = seed % 2;
    SCOPED_TRACE(seed);
    std::string plain, listing;
    const std::vector<Tensor> expected = Images(seed, symbolic).run(0, &plain);
    for (int level : {1, 3}) {
      const std::vector<Tensor> found = Images(seed, symbolic).run(level, &listing);
      ASSERT_EQ(found.size(), expected.size());
      for (size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(found[i].shape(), expected[i].shape()) << plain << listing;
        if (expected[i].dtype() != DType::kF32) continue;
        float most = 1;
        for (float v : expected[i].items<float>()) most = std::max(most, std::fabs(v));
        for (int64_t k = 0; k < found[i].count(); ++k)
          ASSERT_NEAR(found[i].as<float>()[k], expected[i].as<float>()[k], 2e-4f * most)
              << "output " << i << " at " << k << " level " << level << "\n"
              << plain << listing;
      }
    }
  }
}

/// A chain of 8-bit convolutions in QDQ spelling. All scales are powers of two: plain float arithmetic is exact there.
class Quantised {
 public:
  explicit Quantised(uint32_t seed, bool products = false) : random_(seed), g_(model_->main()) {
    dims_ = {1, pick(1, 9), pick(4, 8), pick(4, 8)};
    if (products) {
      chain_of_products();
      return;
    }
    ir::DimVector shape;
    for (int64_t d : dims_) shape.push_back(d);
    ValueId x = model_->add_value("x", &g_, ir::Type::tensor(DType::kF32, shape));
    g_.add_input(x);
    ValueId v = round_trip(x), earlier = v;
    int64_t c = dims_[1];
    const int count = pick(1, 4);
    for (int i = 0; i < count; ++i) {
      const int64_t group = pick(0, 2) == 0 ? c : 1, m = group == c && c > 1 ? c : pick(1, 40);
      ValueId y = convolution(v, c, m, group == c ? c : 1);
      if (m == c && pick(0, 1)) {
        y = round_trip(y);
        y = add("Add", {y, earlier});
      }
      if (pick(0, 1)) y = add("Relu", {y});
      v = earlier = round_trip(y);
      c = m;
    }
    if (pick(0, 1)) {
      v = add("MaxPool", {v});
      model_->value(v).producer->set("kernel_shape", Ints{2, 2});
      model_->value(v).producer->set("pads", Ints{1, 1, 1, 1});
      v = round_trip(v);
    }
    g_.add_output(v);
  }
  std::vector<float> run(int level, int width, std::string* listing) {
    passes::PipelineOptions options;
    options.level = level;
    EXPECT_TRUE(opdef::bind_graph(g_, ops::registry()).ok());
    Status s = passes::run_pipeline(*model_, ops::registry(), options);
    EXPECT_TRUE(s.ok()) << s.to_string();
    s = ir::verify(*model_);
    EXPECT_TRUE(s.ok()) << s.to_string();
    *listing = ir::print(g_);
    Team team = width == 1 ? Team() : Team(&Pool::process(), width);
    auto program = Program::compile(std::move(model_), ops::registry(), team);
    EXPECT_TRUE(program.ok()) << program.status().to_string();
    Frame frame(*program);
    std::vector<ValueRef> out(1);
    const bool wanted[1] = {true};
    Tensor x = std::move(Tensor::allocate(DType::kF32, Shape(std::span<const int64_t>(dims_)))).value();
    std::mt19937 r(7);
    for (float& v : x.items<float>()) v = static_cast<float>(r() % 256) / 16 - 8;
    s = frame.run(std::vector<ValueRef>{tensor_value(std::move(x))}, out, {wanted, 1}, {});
    EXPECT_TRUE(s.ok()) << s.to_string() << *listing;
    auto items = out[0]->tensor.items<float>();
    return {items.begin(), items.end()};
  }

 private:
  int pick(int low, int high) { return low + static_cast<int>(random_() % static_cast<uint32_t>(high - low + 1)); }
  ValueId add(std::string op, std::vector<ValueId> in) {
    return g_.add_one(std::move(op), std::move(in), model_->unique_name("v"));
  }
  ValueId constant(Tensor t) { return model_->add_constant(model_->unique_name("c"), &g_, std::move(t)); }
  Tensor bytes(DType t, Shape shape, int low, int high) {
    Tensor out = std::move(Tensor::allocate(t, std::move(shape))).value();
    for (int64_t i = 0; i < out.count(); ++i) out.as<uint8_t>()[i] = static_cast<uint8_t>(pick(low, high));
    return out;
  }
  ValueId round_trip(ValueId v) {
    const float sign = pick(0, 9) == 0 ? -1.0f : 1.0f;  // allowed, and turns the order of stored values around
    ValueId scale = constant(Tensor::scalar(sign * std::ldexp(1.0f, pick(-5, -3))));
    ValueId zero = pick(0, 1) ? constant(Tensor::scalar(static_cast<uint8_t>(pick(0, 200))))
                              : constant(Tensor::scalar(static_cast<int8_t>(pick(-100, 100))));
    return add("DequantizeLinear", {add("QuantizeLinear", {v, scale, zero}), scale, zero});
  }
  /// MatMul instead of Conv: one scale a column, or one for all.
  void chain_of_products() {
    if (pick(0, 1)) dims_.resize(3);
    ir::DimVector shape;
    for (int64_t d : dims_) shape.push_back(d);
    ValueId x = model_->add_value("x", &g_, ir::Type::tensor(DType::kF32, shape));
    g_.add_input(x);
    ValueId v = round_trip(x);
    int64_t k = dims_.back();
    for (int i = pick(1, 3); i > 0; --i) {
      const int64_t n = pick(1, 40);
      const bool is_signed = pick(0, 1), by_column = pick(0, 1);
      const DType t = is_signed ? DType::kI8 : DType::kU8;
      Shape one = by_column ? Shape{n} : Shape{};
      Tensor scale = std::move(Tensor::allocate(DType::kF32, one)).value();
      for (float& s : scale.items<float>()) s = std::ldexp(1.0f, pick(-9, -6));
      ValueId zero = constant(is_signed ? bytes(t, one, 0, 0) : bytes(t, one, 100, 150));
      ValueId w = add("DequantizeLinear", {constant(bytes(t, Shape{k, n}, is_signed ? -127 : 0, is_signed ? 127 : 255)),
                                           constant(std::move(scale)), zero});
      v = round_trip(add("MatMul", {v, w}));
      k = n;
    }
    g_.add_output(v);
  }
  ValueId convolution(ValueId x, int64_t c, int64_t m, int64_t group) {
    const int64_t k = pick(0, 1) ? 1 : 3;
    const bool is_signed = pick(0, 3) != 0, by_channel = pick(0, 1);
    const DType t = is_signed ? DType::kI8 : DType::kU8;
    Shape one = by_channel ? Shape{m} : Shape{};
    Tensor scale = std::move(Tensor::allocate(DType::kF32, one)).value();
    for (float& v : scale.items<float>()) v = std::ldexp(1.0f, pick(-9, -6));
    ValueId zero = constant(is_signed ? bytes(t, one, 0, 0) : bytes(t, one, 100, 150));
    ValueId w = add("DequantizeLinear",
                    {constant(bytes(t, Shape{m, c / group, k, k}, is_signed ? -127 : 0, is_signed ? 127 : 255)),
                     constant(std::move(scale)), zero});
    model_->value(w).producer->set("axis", int64_t{0});
    Tensor bias = std::move(Tensor::allocate(DType::kF32, Shape{m})).value();
    for (float& v : bias.items<float>()) v = static_cast<float>(pick(-64, 64)) / 32;
    std::vector<ValueId> in{x, w};
    if (pick(0, 1)) in.push_back(constant(std::move(bias)));
    ValueId y = add("Conv", in);
    ir::Node& n = *model_->value(y).producer;
    n.set("group", group);
    n.set("pads", Ints(4, k / 2));
    if (m != c && pick(0, 2) == 0) n.set("strides", Ints{2, 2});
    return y;
  }

  std::mt19937 random_;
  std::unique_ptr<ir::Model> model_ = std::make_unique<ir::Model>();
  ir::Graph& g_;
  Ints dims_;
};

void check_eight_bits(bool products) {
  int fused = 0;
  for (uint32_t seed = 0; seed < 400 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    std::string plain, listing;
    const std::vector<float> expected = Quantised(seed, products).run(0, 1, &plain);
    const std::vector<float> found = Quantised(seed, products).run(3, 1, &listing);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i)
      ASSERT_EQ(found[i], expected[i]) << "at " << i << "\n" << plain << listing;
    ASSERT_EQ(Quantised(seed, products).run(3, 2, &listing), expected) << listing;
    fused += listing.find(products ? "QLinearMatMul" : "QConvNhwc") != std::string::npos;
  }
  EXPECT_GT(fused, 300);
}

TEST(Layout, EightBitGraphsAreExact) { check_eight_bits(false); }
TEST(Layout, EightBitProductsAreExact) { check_eight_bits(true); }

}  // namespace
}  // namespace tenon::exec
