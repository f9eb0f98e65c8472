// BatchNormalization: scale and shift of each channel; in training mode by the batch's own mean and variance.
// SPDX-License-Identifier: MIT
#include <cmath>

#include "kernels/norm/norm.h"
#include "opdef/build.h"
#include "opdef/cases.h"
#include "opdef/infer.h"
#include "ops/convert.h"

namespace tenon::ops {
namespace {

Status batch_norm_shape(InferContext& c) {
  c.copy(0, 0);
  for (size_t i = 1; i < c.output_count(); ++i) c.copy(i, i <= 2 ? i + 2 : i);  // means and variances
  if (!c.has_shape(0)) return {};
  if (c.rank(0) < 1) return invalid("BatchNormalization: X is a scalar");
  Dim channels = c.rank(0) > 1 ? c.shape(0)[1] : Dim(1);
  if (c.since() < 9 && c.attr("spatial", 1) == 0) return {};
  for (size_t i = 1; i <= 4; ++i) {
    if (!c.has_shape(i)) continue;
    auto n = c.count(i);
    if (n && channels.is_const() && *n != channels.value())
      return invalid("BatchNormalization: input ", i, " has ", *n, " values for ", channels, " channels");
  }
  return {};
}

/// Before version 14 training was told by is_test and the number of outputs.
Status batch_norm_upgrade(ir::Node& node, Build&) {
  if (node.since >= 14) return {};
  if (node.int_or("spatial", 1) == 0)
    return error(Code::kNotImplemented, "BatchNormalization-", node.since,
                 ": spatial = 0 (statistics of each position) is not supported");
  for (size_t i = 1; i < node.outputs().size(); ++i)
    if (node.output(i) != ir::kNoValue)
      return error(Code::kNotImplemented, "BatchNormalization-", node.since, ": the training form with ",
                   node.outputs().size(), " outputs is not supported");
  for (auto name : {"spatial", "is_test", "consumed_inputs"}) node.erase(name);
  return {};
}

template <class T>
struct Folded final : KernelState {
  bool ready = false;
  std::vector<T> scale, shift;
};

template <class T>
Result<StatePtr> fold_constants(PackContext& c) {
  auto s = std::make_unique<Folded<T>>();
  if (c.node().int_or("training_mode", 0)) return StatePtr(std::move(s));
  std::vector<T> v[4];
  for (size_t i = 0; i < 4; ++i) {
    const Tensor* t = c.constant(i + 1);
    if (!t || t->count() != c.constant(1)->count()) return StatePtr(std::move(s));
    v[i] = constant_as<T>(t);
  }
  s->scale.resize(v[0].size());
  s->shift.resize(v[0].size());
  fold_batch_norm<T>(v[0].data(), v[1].data(), v[2].data(), v[3].data(), c.node().float_or("epsilon", 1e-5f),
                     static_cast<int64_t>(v[0].size()), s->scale.data(), s->shift.data());
  s->ready = true;
  for (size_t i = 1; i <= 4; ++i) c.release(i);
  return StatePtr(std::move(s));
}
Result<StatePtr> pack_batch_norm(PackContext& c) {
  return c.in_type(0) == DType::kF64 ? fold_constants<double>(c) : fold_constants<float>(c);
}

/// Mean and variance of each channel, in double.
template <class T>
void statistics(const T* x, int64_t batch, int64_t channels, int64_t inner, T* mean, T* var, const Team& team) {
  team.parallel_for_cost(channels, static_cast<double>(batch * inner) * 2, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      double sum = 0, squares = 0, n = static_cast<double>(batch * inner);
      auto each = [&](auto&& f) {
        for (int64_t b = 0; b < batch; ++b)
          for (int64_t i = 0; i < inner; ++i) f(static_cast<double>(x[(b * channels + k) * inner + i]));
      };
      each([&](double v) { sum += v; });
      double m = sum / n;
      each([&](double v) { squares += (v - m) * (v - m); });
      mean[k] = static_cast<T>(m);
      var[k] = static_cast<T>(squares / n);
    }
  });
}

template <class T>
Status run_typed(KernelContext& c) {
  const auto& s = c.state<Folded<T>>();
  const TensorRef& x = c.in(0);
  int64_t batch = x.dims[0], channels = x.rank > 1 ? x.dims[1] : 1;
  int64_t inner = x.rank > 2 ? product(x.shape(), 2, x.shape().size()) : 1;
  const T *scale = s.scale.data(), *shift = s.shift.data();
  if (s.ready) {
    if (static_cast<int64_t>(s.scale.size()) != channels)
      return invalid("BatchNormalization: the scale has ", s.scale.size(), " values for ", channels, " channels");
  } else {
    const T* v[4];
    for (size_t i = 0; i < 4; ++i) {
      if (c.in(i + 1).count != channels)
        return invalid("BatchNormalization: input ", i + 1, " has ", c.in(i + 1).count, " values for ", channels,
                       " channels");
      TENON_ASSIGN(v[i], input_as<T>(c, i + 1));
    }
    TENON_ASSIGN(void* memory, c.scratch(static_cast<size_t>(channels) * 4 * sizeof(T)));
    T *folded = static_cast<T*>(memory), *moved = folded + channels, *mean = moved + channels, *var = mean + channels;
    if (c.node().int_or("training_mode", 0)) {
      if (x.count == 0) return invalid("BatchNormalization: training needs elements");
      TENON_ASSIGN(const T* data, input_as<T>(c, 0));
      statistics(data, batch, channels, inner, mean, var, c.team());
      T momentum = static_cast<T>(c.node().float_or("momentum", 0.9f));
      for (size_t o = 1; o <= 2; ++o) {
        TENON_ASSIGN(auto running, OutputAs<T>::of(c, o));
        if (!running.data()) continue;
        for (int64_t k = 0; k < channels; ++k)
          running.data()[k] = v[o + 1][k] * momentum + (o == 1 ? mean : var)[k] * (1 - momentum);
        running.finish();
      }
      v[2] = mean;
      v[3] = var;
    }
    fold_batch_norm<T>(v[0], v[1], v[2], v[3], c.node().float_or("epsilon", 1e-5f), channels, folded, moved);
    scale = folded;
    shift = moved;
  }
  return channel_affine(x.dtype, x.data, c.out(0).data, batch, channels, inner, scale, shift, c.team());
}
Status run_batch_norm(KernelContext& c) {
  return c.in(0).dtype == DType::kF64 ? run_typed<double>(c) : run_typed<float>(c);
}

}  // namespace

TENON_OP(batch_normalization){
    .name = "BatchNormalization",
    .since = {1, 6, 7, 9, 14, 15},
    .in = {port("X", kFloats, "T"), port("scale", kFloats, "T1"), port("B", kFloats, "T1"),
           port("input_mean", kFloats, "T2"), port("input_var", kFloats, "T2")},
    .out = {port("Y", kFloats, "T"), optional(port("running_mean", kFloats, "T2")),
            optional(port("running_var", kFloats, "T2")), optional(port("saved_mean", kFloats, "T2")),
            optional(port("saved_var", kFloats, "T2"))},
    .attributes = {{"epsilon", 'f'}, {"momentum", 'f'}, {"training_mode", 'i'}},
    .shape = batch_norm_shape,
    .upgrade = batch_norm_upgrade,
    .trait = {.in_place = 0x01, .layout = Trait::Layout::kChannels},
};
TENON_CPU(batch_normalization){{{{.name = "affine", .pack = pack_batch_norm, .run = run_batch_norm}}}};

TENON_CASES(batch_normalization) {
  cases.types(kFloats);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    CaseTensor y = in[0], mean = in[3], var = in[4];
    mean.dtype = var.dtype = y.dtype = DType::kUndefined;
    size_t channels = in[1].data.size(), batch = static_cast<size_t>(in[0].dims[0]);
    size_t inner = channels && batch ? in[0].data.size() / channels / batch : 0;
    bool training = c.attr("training_mode", 0) != 0;
    for (size_t k = 0; k < channels; ++k) {
      double m = in[3].data[k], v = in[4].data[k];
      auto at = [&](size_t b, size_t i) -> double& { return y.data[(b * channels + k) * inner + i]; };
      if (training) {
        double n = static_cast<double>(batch * inner);
        m = v = 0;
        for (size_t b = 0; b < batch; ++b)
          for (size_t i = 0; i < inner; ++i) m += at(b, i) / n;
        for (size_t b = 0; b < batch; ++b)
          for (size_t i = 0; i < inner; ++i) v += (at(b, i) - m) * (at(b, i) - m) / n;
        double momentum = c.attr_f("momentum", 0.9f);
        mean.data[k] = mean.data[k] * momentum + m * (1 - momentum);
        var.data[k] = var.data[k] * momentum + v * (1 - momentum);
      }
      for (size_t b = 0; b < batch; ++b)
        for (size_t i = 0; i < inner; ++i)
          at(b, i) = (at(b, i) - m) / std::sqrt(v + c.attr_f("epsilon", 1e-5f)) * in[1].data[k] + in[2].data[k];
    }
    return training ? std::vector<CaseTensor>{y, mean, var} : std::vector<CaseTensor>{y};
  });
  auto add = [&](std::string say, Shape x, int64_t channels) {
    return cases.add(std::move(say))
        .in(range(std::move(x), -4, 4))
        .in(range({channels}, 0.5, 2))
        .in(range({channels}, -1, 1))
        .in(range({channels}, -1, 1))
        .in(range({channels}, 0.5, 3))
        .tolerance(4e-6);
  };
  add("image", {2, 3, 4, 5}, 3);
  add("row", {2, 7}, 7);
  add("sequence", {2, 3, 9}, 3);
  add("empty", {0, 3, 9}, 3);
  add("large epsilon", {2, 3, 4}, 3).attr_f("epsilon", 0.5f);
  add("training", {2, 3, 4, 5}, 3).attr("training_mode", 1);
  add("version 7", {2, 3, 4, 5}, 3).opset(7).attr("spatial", 1);
  add("version 6", {2, 3, 4, 5}, 3).opset(6).attr("is_test", 1);
  cases.add("other channels")
      .in(typed(DType::kF32, range({2, 3, 4}, -4, 4)))
      .in(typed(DType::kF32, range({2}, 0.5, 2)))
      .in(typed(DType::kF32, range({2}, 0.5, 2)))
      .in(typed(DType::kF32, range({2}, 0.5, 2)))
      .in(typed(DType::kF32, range({2}, 0.5, 2)))
      .fails("has 2 values for 3 channels");
}

}  // namespace tenon::ops
