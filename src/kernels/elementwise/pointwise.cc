// Running of element-wise plans: broadcasting, tiles, distribution over threads.
// SPDX-License-Identifier: MIT
#include "kernels/elementwise/pointwise.h"

#include <algorithm>
#include <cstring>

#include "kernels/elementwise/cast.h"

namespace tenon {

namespace {

constexpr int64_t kScratchBytes = 32 * 1024;  // tile buffers of one thread, on its stack
constexpr int64_t kDirectTile = 8192;         // elements a block when nothing is buffered
constexpr int64_t kLongestTile = 2048;
constexpr int64_t kLongRow = 256;  // shorter rows are gathered into tiles of many rows

template <typename T>
void gather_run(const char* in, int64_t stride, char* out, int64_t n) {
  const T* a = reinterpret_cast<const T*>(in);
  T* o = reinterpret_cast<T*>(out);
  if (stride == 1 && n >= 16) {
    std::memcpy(o, a, static_cast<size_t>(n) * sizeof(T));
  } else if (stride == 0) {
    const T v = *a;
    for (int64_t i = 0; i < n; ++i) o[i] = v;
  } else {
    for (int64_t i = 0; i < n; ++i) o[i] = a[i * stride];
  }
}
// Copies n elements `stride` elements apart from element `from` of `in` to element `to` of `out`.
void gather_elements(int bits, const char* in, int64_t from, int64_t stride, char* out, int64_t to, int64_t n) {
  switch (bits) {
    case 8: return gather_run<uint8_t>(in + from, stride, out + to, n);
    case 16: return gather_run<uint16_t>(in + from * 2, stride, out + to * 2, n);
    case 32: return gather_run<uint32_t>(in + from * 4, stride, out + to * 4, n);
    case 64: return gather_run<uint64_t>(in + from * 8, stride, out + to * 8, n);
    default: break;
  }
  const int64_t each = 8 / bits;
  const uint32_t mask = (1u << bits) - 1;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t a = from + i * stride, b = to + i;
    const uint32_t code = static_cast<uint8_t>(in[a / each]) >> (a % each * bits) & mask;
    const uint32_t shift = static_cast<uint32_t>(b % each * bits);
    out[b / each] = static_cast<char>((static_cast<uint8_t>(out[b / each]) & ~(mask << shift)) | code << shift);
  }
}

}  // namespace

// One call: where each input comes from and how the output is cut into blocks.
class PointwiseRun {
 public:
  enum class Source : uint8_t {
    kDense,     // as the output
    kSingle,    // one value
    kRow,       // row mode: dense within a row
    kRowValue,  // row mode: one value within a row
    kGather,    // any strides, copied to a buffer for each block
    kPeriodic,  // flat mode: the same for each block, copied once
  };
  struct Input {
    const char* data;
    Source source;
    int bits;
    int64_t buffer;  // offset in the scratch memory
  };

  PointwiseRun(const PointwisePlan& plan, int64_t total) : plan_(plan), total_(total), row_(total) {}

  Input& input(size_t i) { return inputs_[i]; }
  void set_output(size_t o, void* data) { outputs_[o] = static_cast<char*>(data); }

  // Sets sources of all inputs from element strides, `strides[i * rank + d]`.
  void analyse(std::span<const int64_t> shape, const int64_t* strides) {
    const int n = static_cast<int>(plan_.input_types_.size());
    const int rank = static_cast<int>(shape.size());
    dims_.resize(static_cast<size_t>(rank));
    strides_.resize(static_cast<size_t>(rank * n));
    // Collapse from the inside: kept dimension `kept` counts from the innermost one.
    int kept = 0;
    for (int d = rank - 1; d >= 0; --d) {
      if (shape[d] == 1) continue;
      bool joins = kept > 0;
      for (int i = 0; joins && i < n; ++i) {
        joins = strides[i * rank + d] == strides_[i * rank + kept - 1] * dims_[kept - 1];
      }
      if (joins) {
        dims_[kept - 1] *= shape[d];
        continue;
      }
      dims_[kept] = shape[d];
      for (int i = 0; i < n; ++i) strides_[i * rank + kept] = strides[i * rank + d];
      ++kept;
    }
    rank_ = kept;
    stride_pitch_ = rank;
    if (kept == 0) {  // one element
      for (int i = 0; i < n; ++i) inputs_[i].source = Source::kSingle;
      return;
    }
    bool packed_output = false;
    for (DType t : plan_.output_types_) packed_output |= is_sub_byte(t);
    if (!packed_output && (kept == 1 || dims_[0] >= kLongRow)) {
      row_ = dims_[0];
      for (int i = 0; i < n; ++i) {
        const int64_t* s = strides_of(i);
        bool constant = true;
        for (int d = 0; d < kept; ++d) constant &= s[d] == 0;
        inputs_[i].source = constant                            ? Source::kSingle
                            : s[0] == 1 && inputs_[i].bits >= 8 ? Source::kRow
                            : s[0] == 0                         ? Source::kRowValue
                                                                : Source::kGather;
      }
      return;
    }
    for (int i = 0; i < n; ++i) {
      const int64_t* s = strides_of(i);
      int64_t dense = 1;
      int d = 0;
      while (d < kept && s[d] == dense) dense *= dims_[d++];
      bool rest_constant = true;
      for (int e = d; e < kept; ++e) rest_constant &= s[e] == 0;
      if (d == kept) inputs_[i].source = Source::kDense;
      else if (!rest_constant) inputs_[i].source = Source::kGather;
      else if (d == 0) inputs_[i].source = Source::kSingle;
      else {
        inputs_[i].source = Source::kGather;
        if (dense <= kLongestTile && !packed_output && inputs_[i].bits >= 8) {
          inputs_[i].source = Source::kPeriodic;
          inputs_[i].buffer = dense;  // the period, until choose_blocks()
          period_ = std::max(period_, dense);
        }
      }
    }
  }

  void run(const Team& team) {
    choose_blocks();
    if (static_cast<double>(total_) * plan_.ns_per_item_ < 25e3 || blocks_ == 1 || team.width() == 1) {
      work(0, blocks_);
    } else {
      team.parallel_for_cost(blocks_, plan_.ns_per_item_ * static_cast<double>(std::min(tile_, row_)),
                             [this](int64_t begin, int64_t end) { work(begin, end); });
    }
  }

 private:
  struct Place {
    char* data;
    size_t step;
  };
  const int64_t* strides_of(int i) const { return strides_.data() + i * stride_pitch_; }

  void choose_blocks() {
    const int n = static_cast<int>(plan_.input_types_.size());
    int64_t each = int64_t{plan_.buffers_} * plan_.buffer_bytes_, fixed = int64_t{plan_.constants_} * kSplat * 8;
    for (int i = 0; i < n; ++i) {
      const Source s = inputs_[i].source;
      if (s == Source::kSingle || s == Source::kRowValue) fixed += int64_t{kSplat} * 8;
      if (s == Source::kGather || s == Source::kPeriodic) each += (inputs_[i].bits + 7) / 8;
    }
    tile_ = kDirectTile;
    if (each > 0) {
      tile_ = std::min(kLongestTile, (kScratchBytes - fixed) / each) / 64 * 64;
      if (period_ > 0 && tile_ >= period_) tile_ = tile_ / period_ * period_;
    }
    int64_t at = 0;
    for (int i = 0; i < n; ++i) {
      Input& in = inputs_[i];
      if (in.source == Source::kPeriodic && tile_ % in.buffer != 0) in.source = Source::kGather;
      const bool value = in.source == Source::kSingle || in.source == Source::kRowValue;
      const bool tile = in.source == Source::kGather || in.source == Source::kPeriodic;
      in.buffer = at;
      at += value ? int64_t{kSplat} * 8 : tile ? (tile_ * ((in.bits + 7) / 8) + 63) / 64 * 64 : 0;
    }
    constants_at_ = at;
    buffers_at_ = at + int64_t{plan_.constants_} * kSplat * 8;
    buffer_pitch_ = (tile_ * plan_.buffer_bytes_ + 63) / 64 * 64;
    blocks_per_row_ = (row_ + tile_ - 1) / tile_;
    blocks_ = blocks_per_row_ * (total_ / row_);
  }

  void splat(const Input& in, int64_t from, char* out) const {
    gather_elements(in.bits, in.data, from, 0, out, 0, in.bits >= 8 ? static_cast<int64_t>(kSplat) : 1);
  }
  // Copies the elements [start, start + n) of the output order, flat or within a row.
  void gather(int i, int64_t start, int64_t n, char* out) const {
    const int64_t* s = strides_of(i);
    int64_t index[64];
    const int levels = std::min(rank_, 64);
    int64_t rest = start, from = 0;
    for (int d = 0; d < levels; ++d) {
      index[d] = d + 1 < levels ? rest % dims_[d] : rest;
      rest /= dims_[d];
      from += index[d] * s[d];
    }
    for (int64_t done = 0; done < n;) {
      const int64_t run = std::min(n - done, dims_[0] - index[0]);
      gather_elements(inputs_[i].bits, inputs_[i].data, from, s[0], out, done, run);
      done += run;
      if (done >= n) break;
      from -= index[0] * s[0];
      index[0] = 0;
      for (int d = 1; d < levels; ++d) {
        from += s[d];
        if (++index[d] < dims_[d]) break;
        from -= s[d] * dims_[d];
        index[d] = 0;
      }
    }
  }

  void work(int64_t begin, int64_t end) const {
    alignas(64) char scratch[kScratchBytes + 64 * kMaxPlaces];
    Place places[kMaxPlaces];
    const int n_in = static_cast<int>(plan_.input_types_.size());
    const int n_out = static_cast<int>(plan_.output_types_.size());
    int out_bits[kMaxPlaces];
    for (int o = 0; o < n_out; ++o) {
      out_bits[o] = bit_width(plan_.output_types_[o]);
      places[n_in + o].step = ~size_t{0};
    }
    for (int k = 0; k < plan_.constants_; ++k) {
      const auto& s = plan_.steps_[static_cast<size_t>(k)];
      places[s.out] = {scratch + constants_at_ + k * int64_t{kSplat} * 8, 0};
      s.run({places[s.out].data, {}, {}, kSplat, s.imm});
    }
    const int first_buffer = n_in + n_out + plan_.constants_;
    for (int b = 0; b < plan_.buffers_; ++b)
      places[first_buffer + b] = {scratch + buffers_at_ + b * buffer_pitch_, ~size_t{0}};
    for (int i = 0; i < n_in; ++i) {
      const Input& in = inputs_[i];
      char* buffer = scratch + in.buffer;
      const bool value = in.source == Source::kSingle || in.source == Source::kRowValue;
      places[i] = {buffer, value ? 0 : ~size_t{0}};
      if (in.source == Source::kSingle) splat(in, 0, buffer);
      if (in.source == Source::kPeriodic) gather(i, 0, std::min(tile_, total_), buffer);
    }
    const int64_t rows = total_ / row_;
    int64_t row = begin / blocks_per_row_, chunk = begin % blocks_per_row_;
    bool fresh_row = true;
    for (int64_t b = begin; b < end; ++b) {
      const int64_t in_row = chunk * tile_;
      const int64_t start = row * row_ + in_row;
      const int64_t n = std::min(tile_, row_ - in_row);
      for (int i = 0; i < n_in; ++i) {
        const Input& in = inputs_[i];
        switch (in.source) {
          case Source::kDense: places[i].data = const_cast<char*>(in.data) + start * in.bits / 8; break;
          case Source::kRow:
            places[i].data = const_cast<char*>(in.data) + (rows > 1 ? row_offset(i, row) : 0) * (in.bits / 8) +
                             in_row * (in.bits / 8);
            break;
          case Source::kRowValue:
            if (fresh_row) splat(in, row_offset(i, row), places[i].data);
            break;
          case Source::kGather: gather(i, start, n, places[i].data); break;
          default: break;
        }
      }
      for (int o = 0; o < n_out; ++o) places[n_in + o].data = outputs_[o] + start * out_bits[o] / 8;
      run_steps(places, n_in, n_out, static_cast<size_t>(n));
      fresh_row = ++chunk == blocks_per_row_;
      if (fresh_row) chunk = 0, ++row;
    }
  }
  int64_t row_offset(int i, int64_t row) const {
    const int64_t* s = strides_of(i);
    int64_t from = 0;
    for (int d = 1; d + 1 < rank_; ++d) {
      from += row % dims_[d] * s[d];
      row /= dims_[d];
    }
    return rank_ > 1 ? from + row * s[rank_ - 1] : 0;
  }
  void run_steps(Place* places, int n_in, int n_out, size_t n) const {
    const size_t count = plan_.steps_.size();
    for (size_t k = static_cast<size_t>(plan_.constants_); k < count; ++k) {
      const auto& s = plan_.steps_[k];
      TileCall c;
      size_t steps = 0;
      for (int i = 0; i < s.arity; ++i) {
        const Place& p = places[s.in[i]];
        c.in[i] = p.data;
        c.step[i] = p.step;
        steps |= p.step;
      }
      // A value made of single values only is made once, unless it leaves.
      const bool leaves = s.out >= n_in && s.out < n_in + n_out;
      if (!leaves) places[s.out].step = steps;
      c.n = leaves || steps ? n : kSplat;
      c.out = places[s.out].data;
      c.imm = s.imm;
      s.run(c);
    }
  }

  const PointwisePlan& plan_;
  Input inputs_[kMaxPlaces];
  char* outputs_[kMaxPlaces];
  int64_t total_, row_;
  int64_t tile_ = 0, blocks_per_row_ = 0, blocks_ = 0, period_ = 0;
  int64_t constants_at_ = 0, buffers_at_ = 0, buffer_pitch_ = 0;
  int rank_ = 0, stride_pitch_ = 0;
  SmallVector<int64_t, 8> dims_;      // innermost first
  SmallVector<int64_t, 64> strides_;  // of each input, innermost first
};

void run_pointwise(const PointwisePlan& plan, std::span<const TensorRef> in, std::span<const TensorRef> out,
                   const Team& team) {
  if (out.empty() || out[0].count == 0) return;
  const int64_t total = out[0].count;
  PointwiseRun run(plan, total);
  for (size_t o = 0; o < out.size(); ++o) run.set_output(o, out[o].data);
  bool general = false;
  for (size_t i = 0; i < in.size(); ++i) {
    const bool dense = in[i].count == total, single = in[i].count == 1;
    general |= !dense && !single;
    run.input(i) = {static_cast<const char*>(in[i].data),
                    dense ? PointwiseRun::Source::kDense : PointwiseRun::Source::kSingle, bit_width(in[i].dtype), 0};
  }
  if (general) {
    const int rank = out[0].rank;
    SmallVector<int64_t, 64> strides(in.size() * static_cast<size_t>(rank), 0);
    for (size_t i = 0; i < in.size(); ++i) {
      const int shift = rank - in[i].rank;
      int64_t stride = 1;
      for (int d = in[i].rank - 1; d >= 0; --d) {
        if (in[i].dims[d] != 1 && d + shift >= 0) strides[i * rank + d + shift] = stride;
        stride *= in[i].dims[d];
      }
    }
    run.analyse(out[0].shape(), strides.data());
  }
  run.run(team);
}

void run_pointwise_strided(const PointwisePlan& plan, std::span<const int64_t> shape, std::span<const StridedInput> in,
                           std::span<void* const> out, const Team& team) {
  const int64_t total = product(shape);
  if (out.empty() || total == 0) return;
  PointwiseRun run(plan, total);
  for (size_t o = 0; o < out.size(); ++o) run.set_output(o, out[o]);
  SmallVector<int64_t, 64> strides(in.size() * shape.size(), 0);
  for (size_t i = 0; i < in.size(); ++i) {
    run.input(i) = {static_cast<const char*>(in[i].data), PointwiseRun::Source::kGather,
                    bit_width(plan.input_types()[i]), 0};
    for (size_t d = 0; d < shape.size(); ++d) strides[i * shape.size() + d] = in[i].strides[d];
  }
  run.analyse(shape, strides.data());
  run.run(team);
}

void run_pointwise_row(const PointwisePlan& plan, int64_t n, std::span<const RowInput> in, std::span<void* const> out) {
  if (n <= 0 || out.empty()) return;
  PointwiseRun run(plan, n);
  for (size_t o = 0; o < out.size(); ++o) run.set_output(o, out[o]);
  for (size_t i = 0; i < in.size(); ++i) {
    run.input(i) = {static_cast<const char*>(in[i].data),
                    in[i].single ? PointwiseRun::Source::kSingle : PointwiseRun::Source::kDense,
                    bit_width(plan.input_types()[i]), 0};
  }
  run.run(Team());
}

void convert(DType from, const void* in, DType to, void* out, int64_t count, bool saturate, const Team& team) {
  if (count <= 0) return;
  const auto plan = plan_pointwise(Program::cast(to, saturate), {&from, 1});
  if (!plan.ok()) return;  // strings and complex numbers, which the caller has excluded
  const TensorRef source{const_cast<void*>(in), &count, 1, from, count}, target{out, &count, 1, to, count};
  run_pointwise(*plan, {&source, 1}, {&target, 1}, team);
}
void convert(DType from, const void* in, DType to, void* out, int64_t count, bool saturate) {
  convert(from, in, to, out, count, saturate, Team());
}

}  // namespace tenon
