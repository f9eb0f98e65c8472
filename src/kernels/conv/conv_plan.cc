// Making a convolution: checks, the choice of an algorithm, the packing of weights.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>

#include "base/os/cpu.h"
#include "kernels/conv/conv.h"
#include "kernels/gemm/blocking.h"
#include "kernels/gemm/micro.h"

namespace tenon::kernels {
namespace {

constexpr int64_t kChannelPad = 16;  // depthwise weights are read by whole vectors

Status check(const ConvShape& s) {
  if (s.spatial < 1 || s.spatial > 3)
    return error(Code::kNotImplemented, "convolution over ", s.spatial, " spatial dimensions; 1 to 3 are supported");
  if (s.group < 1) return invalid("group is ", s.group, "; it must be positive");
  if (s.in_channels < 1 || s.out_channels < 1)
    return invalid("convolution of ", s.in_channels, " to ", s.out_channels, " channels");
  if (s.in_channels % s.group || s.out_channels % s.group)
    return invalid("group ", s.group, " does not divide the channels ", s.in_channels, " and ", s.out_channels);
  for (int i = 0; i < s.spatial; ++i) {
    if (s.kernel[i] < 1 || s.stride[i] < 1 || s.dilation[i] < 1)
      return invalid("kernel ", s.kernel[i], ", stride ", s.stride[i], " and dilation ", s.dilation[i],
                     " of dimension ", i, " must be positive");
    int64_t reach;
    if (!checked_mul(s.kernel[i] - 1, s.dilation[i], &reach) || reach >= int64_t{1} << 30 ||
        s.stride[i] >= int64_t{1} << 30)
      return invalid("kernel ", s.kernel[i], " with dilation ", s.dilation[i], " and stride ", s.stride[i],
                     " reaches too far");
  }
  return {};
}

/// Largest number of groups, a divisor of `group`, whose outputs together fit a panel.
int64_t groups_in_block(int64_t group, int64_t out_per_group, int nr) {
  int64_t best = 1;
  for (int64_t q = 2; q <= group && q * out_per_group <= nr; ++q)
    if (group % q == 0) best = q;
  return best;
}

int64_t floor_mod(int64_t a, int64_t b) { return ((a % b) + b) % b; }

bool winograd_pays(const ConvShape& s, const int64_t* kernel, const int64_t* stride, const int64_t* dilation) {
  if (s.exact || s.transposed || s.group != 1 || s.spatial != 2) return false;
  if (kernel[1] != 3 || kernel[2] != 3 || stride[1] != 1 || stride[2] != 1 || dilation[1] != 1 || dilation[2] != 1)
    return false;
  if (s.in_channels < 16 || s.out_channels < 16) return false;
  const int64_t bytes = s.in_channels * s.out_channels * 36 * 4;
  if (bytes > std::max(os::caches().l3 / 2, os::caches().l2)) return false;
  // The transformed weights are four times as large and read once for some dozen tiles: few tiles do not pay for that,
  // and deep layers have few tiles and most of a model's memory.
  if (s.hint[0] <= 0 || s.hint[1] <= 0) return bytes <= 128 * 128 * 36 * 4;
  const int64_t tiles = ceil_div(s.hint[0], 4) * ceil_div(s.hint[1], 4);
  return tiles >= 25 && tiles * 16 * 2 <= s.hint[0] * s.hint[1] * 3;
}

}  // namespace

/// Builds the parts of a plan.
struct ConvBuilder {
  const float* weights;
  ConvPlan plan;
  const Team& team;
  int64_t per_group_in, per_group_out, taps;

  float weight(int64_t group, int64_t m, int64_t c, int64_t tap) const {
    const ConvShape& s = plan.shape_;
    const int64_t at =
        s.transposed ? (group * per_group_in + c) * per_group_out + m : (group * per_group_out + m) * per_group_in + c;
    return weights[at * taps + tap];
  }

  Status copy_bias(const float* bias) {
    if (!bias) return {};
    TENON_ASSIGN(plan.bias_, Buffer::allocate(static_cast<size_t>(plan.shape_.out_channels) * 4));
    std::memcpy(plan.bias_->data(), bias, static_cast<size_t>(plan.shape_.out_channels) * 4);
    return {};
  }

  Status build_depthwise(const float* bias) {
    plan.algorithm_ = ConvPlan::Algorithm::kDepthwise;
    const int64_t channels = plan.shape_.in_channels, ld = round_up(channels, kChannelPad) + 2 * kChannelPad;
    TENON_ASSIGN(plan.depthwise_, Buffer::allocate(static_cast<size_t>(per_group_out * taps * ld) * 4, true));
    auto* out = static_cast<float*>(plan.depthwise_->data());
    for (int64_t j = 0; j < per_group_out; ++j)
      for (int64_t t = 0; t < taps; ++t)
        for (int64_t c = 0; c < channels; ++c) out[(j * taps + t) * ld + c] = weight(c, j, 0, t);
    return depthwise_bias(bias, per_group_out, ld);
  }

  /// Small groups with as many outputs as inputs: vectors run over whole groups.
  Status build_grouped(const float* bias) {
    plan.algorithm_ = ConvPlan::Algorithm::kGrouped;
    const int64_t channels = plan.shape_.in_channels, g = per_group_in,
                  ld = round_up(channels, kChannelPad) + 2 * kChannelPad;
    TENON_ASSIGN(plan.depthwise_, Buffer::allocate(static_cast<size_t>(taps * g * ld) * 4, true));
    auto* out = static_cast<float*>(plan.depthwise_->data());
    for (int64_t t = 0; t < taps; ++t)
      for (int64_t i = 0; i < g; ++i)
        for (int64_t m = 0; m < channels; ++m) out[(t * g + i) * ld + m] = weight(m / g, m % g, i, t);
    return depthwise_bias(bias, 1, ld);
  }

  Status depthwise_bias(const float* bias, int64_t multiplier, int64_t ld) {
    const int64_t channels = plan.shape_.out_channels / multiplier;
    if (!bias) return {};
    TENON_ASSIGN(plan.bias_, Buffer::allocate(static_cast<size_t>(multiplier * ld) * 4, true));
    for (int64_t j = 0; j < multiplier; ++j)
      for (int64_t c = 0; c < channels; ++c)
        static_cast<float*>(plan.bias_->data())[j * ld + c] = bias[c * multiplier + j];
    return {};
  }

  struct Tap {
    int64_t index;
    int32_t offset[3];
  };

  /// The taps that meet an output position of this phase, in the order of their place in the input.
  std::vector<Tap> taps_of(const int64_t* phase) const {
    std::vector<Tap> list;
    const int64_t* k = plan.kernel_;
    for (int64_t i = 0; i < taps; ++i) {
      const int64_t n = plan.shape_.transposed ? taps - 1 - i : i;
      const int64_t at[3] = {n / (k[1] * k[2]), n / k[2] % k[1], n % k[2]};
      Tap tap{n, {}};
      bool meets = true;
      for (int x = 0; x < 3; ++x) {
        int64_t offset = at[x] * plan.dilation_[x];
        if (plan.shape_.transposed) {
          offset = phase[x] - offset;
          if (floor_mod(offset, plan.stride_[x])) meets = false;
          offset = (offset - floor_mod(offset, plan.stride_[x])) / plan.stride_[x];
        }
        tap.offset[x] = static_cast<int32_t>(offset);
      }
      if (meets) list.push_back(tap);
    }
    return list;
  }

  Status build_part(const int64_t* phase) {
    ConvPlan::Part part;
    std::copy_n(phase, 3, part.phase);
    const std::vector<Tap> list = taps_of(phase);
    for (const Tap& tap : list) {
      GatherSegment* last = part.segments.empty() ? nullptr : &part.segments.back();
      if (last && plan.blocks_ == 1 && last->offset[0] == tap.offset[0] && last->offset[1] == tap.offset[1] &&
          last->offset[2] + last->pixels == tap.offset[2]) {
        ++last->pixels;
      } else {
        part.segments.push_back({{tap.offset[0], tap.offset[1], tap.offset[2]}, 1});
      }
    }
    part.k = static_cast<int64_t>(list.size()) * plan.block_in_;
    const int64_t rows = plan.blocks_ * plan.block_out_;
    TENON_ASSIGN(Ref<Buffer> dense, Buffer::allocate(static_cast<size_t>(rows * part.k) * 4, true));
    auto* to = static_cast<float*>(dense->data());
    for (int64_t row = 0; row < rows; ++row, to += part.k) {
      const int64_t group = row / per_group_out, first_group = row / plan.block_out_ * (plan.block_in_ / per_group_in);
      const int64_t c0 = (group - first_group) * per_group_in;
      for (size_t t = 0; t < list.size(); ++t)
        for (int64_t c = 0; c < per_group_in; ++c)
          to[static_cast<int64_t>(t) * plan.block_in_ + c0 + c] = weight(group, row % per_group_out, c, list[t].index);
    }
    TENON_ASSIGN(part.weights, pack_b(static_cast<const float*>(dense->data()), part.k, true, part.k, plan.block_out_,
                                      team, plan.blocks_, plan.block_out_ * part.k));
    plan.parts_.push_back(std::move(part));
    return {};
  }

  /// A transposed convolution whose windows do not overlap: each input pixel gives a patch of the output, one product
  /// with a column for each (tap, output channel).
  bool is_patches() const {
    const ConvShape& s = plan.shape_;
    if (!s.transposed || s.group != 1 || taps == 1) return false;
    for (int i = 0; i < 3; ++i)
      if (plan.kernel_[i] != plan.stride_[i] || (plan.kernel_[i] > 1 && plan.dilation_[i] != 1)) return false;
    return true;
  }
  Status build_patches(const float* bias) {
    plan.algorithm_ = ConvPlan::Algorithm::kPatches;
    const int64_t channels = plan.shape_.in_channels, outs = plan.shape_.out_channels, columns = taps * outs;
    TENON_ASSIGN(Ref<Buffer> dense, Buffer::allocate(static_cast<size_t>(columns * channels) * 4));
    auto* to = static_cast<float*>(dense->data());
    for (int64_t t = 0; t < taps; ++t)
      for (int64_t m = 0; m < outs; ++m)
        for (int64_t c = 0; c < channels; ++c) *to++ = weight(0, m, c, t);
    ConvPlan::Part part;
    part.k = channels;
    TENON_ASSIGN(part.weights,
                 pack_b(static_cast<const float*>(dense->data()), channels, true, channels, columns, team));
    plan.parts_.push_back(std::move(part));
    if (!bias) return {};
    TENON_ASSIGN(plan.bias_, Buffer::allocate(static_cast<size_t>(columns) * 4));
    for (int64_t t = 0; t < taps; ++t) std::copy_n(bias, outs, static_cast<float*>(plan.bias_->data()) + t * outs);
    return {};
  }

  Status build_gemm() {
    const int64_t q = groups_in_block(plan.shape_.group, per_group_out, micro_f32().nr);
    plan.blocks_ = plan.shape_.group / q;
    plan.block_in_ = q * per_group_in;
    plan.block_out_ = q * per_group_out;
    if (!plan.shape_.transposed) {
      const int64_t none[3] = {0, 0, 0};
      return build_part(none);
    }
    const int64_t* s = plan.stride_;
    int64_t phases;
    if (!checked_mul(s[0], s[1], &phases) || !checked_mul(phases, s[2], &phases) || phases > 1 << 16)
      return invalid("strides of the transposed convolution are too large");
    for (int64_t f = 0; f < phases; ++f) {
      const int64_t phase[3] = {f / (s[1] * s[2]), f / s[2] % s[1], f % s[2]};
      TENON_TRY(build_part(phase));
    }
    return {};
  }

  /// U = G g G' for every pair of channels.
  Status build_winograd() {
    plan.algorithm_ = ConvPlan::Algorithm::kWinograd4;
    static constexpr double kG[6][3] = {{1. / 4, 0, 0},
                                        {-1. / 6, -1. / 6, -1. / 6},
                                        {-1. / 6, 1. / 6, -1. / 6},
                                        {1. / 24, 1. / 12, 1. / 6},
                                        {1. / 24, -1. / 12, 1. / 6},
                                        {0, 0, 1}};
    const int64_t channels = plan.shape_.in_channels, outs = plan.shape_.out_channels;
    TENON_ASSIGN(Ref<Buffer> dense, Buffer::allocate(static_cast<size_t>(36 * channels * outs) * 4));
    auto* u = static_cast<float*>(dense->data());
    team.parallel_for_cost(outs, static_cast<double>(channels) * 150, [&](int64_t begin, int64_t end) {
      for (int64_t m = begin; m < end; ++m) {
        for (int64_t c = 0; c < channels; ++c) {
          const float* g = weights + (m * channels + c) * 9;
          double half[6][3];
          for (int i = 0; i < 6; ++i)
            for (int b = 0; b < 3; ++b) half[i][b] = kG[i][0] * g[b] + kG[i][1] * g[3 + b] + kG[i][2] * g[6 + b];
          for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j)
              u[((i * 6 + j) * outs + m) * channels + c] =
                  static_cast<float>(half[i][0] * kG[j][0] + half[i][1] * kG[j][1] + half[i][2] * kG[j][2]);
        }
      }
    });
    TENON_ASSIGN(plan.winograd_,
                 pack_b(static_cast<const float*>(u), channels, true, channels, outs, team, 36, channels * outs));
    return {};
  }

  static Result<ConvPlan> build(const ConvShape& shape, const float* weights, const float* bias, Activation act,
                                const Team& team) {
    TENON_TRY(check(shape));
    ConvBuilder b{weights, {}, team, shape.in_channels / shape.group, shape.out_channels / shape.group, 1};
    b.plan.shape_ = shape;
    b.plan.act_ = act;
    for (int i = 0; i < shape.spatial; ++i) {
      const int to = 3 - shape.spatial + i;
      b.plan.kernel_[to] = shape.kernel[i];
      b.plan.stride_[to] = shape.stride[i];
      b.plan.dilation_[to] = shape.dilation[i];
    }
    b.taps = product(std::span<const int64_t>(b.plan.kernel_, 3));
    if (!shape.transposed && shape.group > 1 && b.per_group_in == 1) {
      TENON_TRY(b.build_depthwise(bias));
      return std::move(b.plan);
    }
    const int64_t g = b.per_group_in, lanes = micro_f32().nr / 2;
    if (!shape.transposed && shape.group > 1 && g == b.per_group_out && (g == 2 || g == 4 || g == 8) && g <= lanes &&
        shape.in_channels % lanes == 0) {
      TENON_TRY(b.build_grouped(bias));
      return std::move(b.plan);
    }
    if (b.is_patches()) {
      TENON_TRY(b.build_patches(bias));
      return std::move(b.plan);
    }
    TENON_TRY(b.copy_bias(bias));
    if (winograd_pays(shape, b.plan.kernel_, b.plan.stride_, b.plan.dilation_)) {
      TENON_TRY(b.build_winograd());
    } else {
      TENON_TRY(b.build_gemm());
    }
    return std::move(b.plan);
  }
};

Result<ConvPlan> make_conv(const ConvShape& shape, const float* weights, const float* bias, Activation act,
                           const Team& team) {
  return ConvBuilder::build(shape, weights, bias, act, team);
}

Result<ConvSizes> conv_sizes(const ConvShape& shape, int64_t batch, const int64_t* in, const int64_t* pad_begin,
                             const int64_t* pad_end, const int64_t* output_padding) {
  ConvSizes sizes;
  sizes.batch = batch;
  for (int i = 0; i < shape.spatial; ++i) {
    const int64_t reach = (shape.kernel[i] - 1) * shape.dilation[i] + 1;
    sizes.in[i] = in[i];
    sizes.pad[i] = pad_begin[i];
    int64_t out;
    if (shape.transposed) {
      out =
          shape.stride[i] * (in[i] - 1) + (output_padding ? output_padding[i] : 0) + reach - pad_begin[i] - pad_end[i];
      if (in[i] == 0) out = 0;
    } else {
      const int64_t room = in[i] + pad_begin[i] + pad_end[i] - reach;
      out = room < 0 ? -1 : room / shape.stride[i] + 1;
    }
    if (out < 0)
      return invalid("kernel ", shape.kernel[i], " with dilation ", shape.dilation[i], " and pads ", pad_begin[i], ",",
                     pad_end[i], " does not fit the input size ", in[i], " in spatial dimension ", i);
    sizes.out[i] = out;
  }
  return sizes;
}

}  // namespace tenon::kernels
