// Resize by separable passes: the last two resized axes row by row in one go, further ones before that.
// SPDX-License-Identifier: MIT
#include "kernels/image/resize.h"

#include <algorithm>
#include <cmath>

#include "base/small_float.h"
#include "kernels/image/resize_rows.h"
#include "kernels/move/loop.h"
#include "kernels/move/rows.h"
#include "kernels/move/transpose.h"

namespace tenon::kernels {
namespace {

using Axis = ResizePlan::Axis;

int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }

// The plan with identity axes merged: a list of resized axes, each behind `before` untouched elements; `inner` elements
// follow the last.
struct Merged {
  SmallVector<const Axis*, 8> axes;
  Dims before;
  int64_t inner = 1;
};
Merged merge(const ResizePlan& plan) {
  Merged m;
  for (const Axis& a : plan.axes) {
    if (a.identity) {
      m.inner *= a.in;
      continue;
    }
    m.axes.push_back(&a);
    m.before.push_back(m.inner);
    m.inner = 1;
  }
  return m;
}

bool in_doubles(DType t) { return t == DType::kF64 || t == DType::kI32; }

// --- element types ---------------------------------------------------------------------------------------------------

template <class C>
bool load_row(C* dst, const void* src, DType t, int64_t n) {
  const auto plain = [&](auto item) {
    for (int64_t i = 0; i < n; ++i) dst[i] = static_cast<C>(static_cast<const decltype(item)*>(src)[i]);
    return true;
  };
  switch (t) {
    case DType::kF32: return plain(float());
    case DType::kF64: return plain(double());
    case DType::kU8: return plain(uint8_t());
    case DType::kI8: return plain(int8_t());
    case DType::kI32: return plain(int32_t());
    case DType::kF16:
      for (int64_t i = 0; i < n; ++i) dst[i] = static_cast<C>(f16_to_f32(static_cast<const uint16_t*>(src)[i]));
      return true;
    case DType::kBF16:
      for (int64_t i = 0; i < n; ++i) dst[i] = static_cast<C>(bf16_to_f32(static_cast<const uint16_t*>(src)[i]));
      return true;
    default: return false;
  }
}

template <class I, class C>
I to_integer(C v, bool round) {
  v = round ? std::nearbyint(v) : std::trunc(v);
  if (!(v > static_cast<C>(std::numeric_limits<I>::min()))) return v == v ? std::numeric_limits<I>::min() : I{0};
  if (v >= static_cast<C>(std::numeric_limits<I>::max())) return std::numeric_limits<I>::max();
  return static_cast<I>(v);
}

template <class C>
void store_row(void* dst, const C* src, DType t, int64_t n, bool round) {
  const auto integers = [&](auto item) {
    using I = decltype(item);
    for (int64_t i = 0; i < n; ++i) static_cast<I*>(dst)[i] = to_integer<I>(src[i], round);
  };
  switch (t) {
    case DType::kF32: std::copy_n(src, n, static_cast<float*>(dst)); break;
    case DType::kF64: std::copy_n(src, n, static_cast<double*>(dst)); break;
    case DType::kU8: integers(uint8_t()); break;
    case DType::kI8: integers(int8_t()); break;
    case DType::kI32: integers(int32_t()); break;
    case DType::kF16:
      for (int64_t i = 0; i < n; ++i) static_cast<uint16_t*>(dst)[i] = f32_to_f16(static_cast<float>(src[i]));
      break;
    case DType::kBF16:
      for (int64_t i = 0; i < n; ++i) static_cast<uint16_t*>(dst)[i] = f32_to_bf16(static_cast<float>(src[i]));
      break;
    default: break;
  }
}

bool is_type(DType t, float*) { return t == DType::kF32; }
bool is_type(DType t, double*) { return t == DType::kF64; }

// --- nearest
// ----------------------------------------------------------------------------------------------------------

void run_nearest(const Merged& m, char* dst, const char* src, int width, const Team& team) {
  const size_t rank = m.axes.size();
  const Axis& last = *m.axes[rank - 1];
  const int64_t inner = m.inner * width, middle = m.before[rank - 1];
  int64_t outer = 1, plane = middle * last.in * inner;  // rows of the axes before, bytes of one source plane
  for (size_t i = 0; i + 1 < rank; ++i) outer *= m.before[i] * m.axes[i]->out;
  const int64_t out_plane = middle * last.out * inner;
  // Whole-number enlargement by 2 to 4 is an interleaving of a row with itself.
  const int64_t factor = last.in > 0 && last.out % last.in == 0 ? last.out / last.in : 0;
  bool repeat = factor >= 2 && factor <= 4 && inner <= 8 && (inner & (inner - 1)) == 0;
  for (int64_t x = 0; repeat && x < last.out; ++x) repeat = last.index[static_cast<size_t>(x)] == x / factor;
  const auto source_of = [&](int64_t o) {
    int64_t offset = 0, stride = 1;
    for (size_t i = rank - 1; i-- > 0;) {
      const Axis& a = *m.axes[i];
      offset += a.index[static_cast<size_t>(o % a.out)] * stride;
      o /= a.out;
      stride *= a.in;
      offset += o % m.before[i] * stride;
      o /= m.before[i];
      stride *= m.before[i];
    }
    return offset;
  };
  team.parallel_for_cost(outer, 5.0 + static_cast<double>(out_plane) * 0.15, [&](int64_t begin, int64_t end) {
    int64_t previous = -1;
    for (int64_t o = begin; o < end; ++o) {
      char* to = dst + o * out_plane;
      const int64_t source = source_of(o);
      if (source == previous) {
        std::memcpy(to, to - out_plane, static_cast<size_t>(out_plane));
        continue;
      }
      previous = source;
      const char* from = src + source * plane;
      for (int64_t k = 0; k < middle; ++k, to += last.out * inner, from += last.in * inner) {
        if (repeat) {
          transpose_2d(to, factor, from, 0, factor, last.in, static_cast<int>(inner));
        } else if (inner <= 16 && (inner & (inner - 1)) == 0) {
          by_width(static_cast<int>(inner), [&](auto u) {
            using U = decltype(u);
            for (int64_t x = 0; x < last.out; ++x) store(to, x, load<U>(from, last.index[static_cast<size_t>(x)]));
          });
        } else {
          for (int64_t x = 0; x < last.out; ++x) {
            std::memcpy(to + x * inner, from + last.index[static_cast<size_t>(x)] * inner, static_cast<size_t>(inner));
          }
        }
      }
    }
  });
}

// --- linear and cubic
// ---------------------------------------------------------------------------------------------------

// The last stage: [outer, rows, middle, columns, inner] with an axis over the rows (or none) and one over the columns
// (or none).
struct Stage {
  const Axis* vertical = nullptr;
  const Axis* horizontal = nullptr;
  int64_t outer = 1, middle = 1, inner = 1;

  int64_t rows_in() const { return vertical ? vertical->in : 1; }
  int64_t rows_out() const { return vertical ? vertical->out : 1; }
  int64_t slab_in() const { return middle * (horizontal ? horizontal->in : 1) * inner; }
  int64_t slab_out() const { return middle * (horizontal ? horizontal->out : 1) * inner; }
  int64_t taps() const { return vertical ? vertical->taps : 1; }
  int64_t scratch(int64_t item) const {  // of one slot: loaded slab, kept slabs, result, their keys and pointers
    return aligned(slab_in() * item) + (taps() + 1) * aligned(slab_out() * item) + 2 * aligned(taps() * 8);
  }
};

// Axes before the last two are resized one by one; returns what is left and the count of leading axes.
Stage last_stage(const Merged& m, size_t* leading) {
  Stage s;
  const size_t rank = m.axes.size();
  s.inner = m.inner;
  size_t used = 1;
  if (rank == 1 && m.inner >= 8) {
    s.vertical = m.axes[0];
    s.inner = m.inner;
    s.outer = m.before[0];
  } else {
    s.horizontal = m.axes[rank - 1];
    s.outer = m.before[rank - 1];
    if (rank > 1) {
      s.vertical = m.axes[rank - 2];
      s.middle = m.before[rank - 1];
      s.outer = m.before[rank - 2];
      used = 2;
    }
  }
  *leading = rank - used;
  for (size_t i = 0; i < *leading; ++i) s.outer *= m.before[i] * m.axes[i]->out;
  return s;
}

template <class C>
void resample(C* dst, const C* src, const Stage& s) {
  if (!s.horizontal) {
    std::copy_n(src, s.slab_in(), dst);
    return;
  }
  const Axis& a = *s.horizontal;
  for (int64_t m = 0; m < s.middle; ++m, dst += a.out * s.inner, src += a.in * s.inner) {
    if (s.inner == 1) {
      resample_row(dst, src, a.index.data(), a.weight.data(), a.taps, a.out);
      continue;
    }
    for (int64_t x = 0; x < a.out; ++x) {
      if (s.inner >= 8) {
        constexpr int kTogether = 16;  // taps summed at a time
        const C* rows[kTogether];
        for (int k0 = 0; k0 < a.taps; k0 += kTogether) {
          const int count = std::min(kTogether, a.taps - k0);
          for (int k = 0; k < count; ++k) {
            rows[k] = src + a.index[static_cast<size_t>((k0 + k) * a.out + x)] * s.inner;
          }
          const float* weight = a.weight.data() + k0 * a.out + x;
          if (k0 == 0) {
            blend_rows(dst + x * s.inner, rows, weight, a.out, count, s.inner);
          } else {
            for (int64_t c = 0; c < s.inner; ++c) {
              C sum = dst[x * s.inner + c];
              for (int k = 0; k < count; ++k) sum += static_cast<C>(weight[k * a.out]) * rows[k][c];
              dst[x * s.inner + c] = sum;
            }
          }
        }
        continue;
      }
      for (int64_t c = 0; c < s.inner; ++c) {
        C sum = 0;
        for (int64_t k = 0; k < a.taps; ++k) {
          const size_t cell = static_cast<size_t>(k * a.out + x);
          sum += static_cast<C>(a.weight[cell]) * src[a.index[cell] * s.inner + c];
        }
        dst[x * s.inner + c] = sum;
      }
    }
  }
}

template <class C>
void run_stage(const Stage& s, char* dst, DType dst_type, const char* src, DType src_type, bool round, char* scratch,
               const Team& team) {
  const int64_t rows = s.outer * s.rows_out(), slab_in = s.slab_in(), slab_out = s.slab_out(), taps = s.taps();
  const int64_t width_in = byte_width(src_type), width_out = byte_width(dst_type);
  const int64_t slots = std::min<int64_t>(team.width(), rows), slot_size = s.scratch(sizeof(C));
  const double row_ns = static_cast<double>(slab_out) * (1.0 + 0.5 * static_cast<double>(taps)) + 20;
  const auto run = [&](int64_t first, int64_t last, char* memory) {
    C* loaded = reinterpret_cast<C*>(memory);
    char* kept = memory + aligned(slab_in * int64_t{sizeof(C)});
    const int64_t kept_size = aligned(slab_out * int64_t{sizeof(C)});
    C* result = reinterpret_cast<C*>(kept + taps * kept_size);
    int64_t* keys = reinterpret_cast<int64_t*>(kept + (taps + 1) * kept_size);
    const C** pointers = reinterpret_cast<const C**>(reinterpret_cast<char*>(keys) + aligned(taps * 8));
    std::fill_n(keys, taps, int64_t{-1});
    for (int64_t row = first; row < last; ++row) {
      const int64_t o = row / s.rows_out(), y = row % s.rows_out();
      char* to = dst + row * slab_out * width_out;
      C* target = is_type(dst_type, static_cast<C*>(nullptr)) ? reinterpret_cast<C*>(to) : result;
      for (int64_t k = 0; k < taps; ++k) {
        const int64_t in_row = s.vertical ? s.vertical->index[static_cast<size_t>(k * s.rows_out() + y)] : 0;
        const int64_t source = o * s.rows_in() + in_row;
        const char* from = src + source * slab_in * width_in;
        const bool direct = is_type(src_type, static_cast<C*>(nullptr));
        if (direct && !s.horizontal) {
          pointers[k] = reinterpret_cast<const C*>(from);
          continue;
        }
        // Source rows of one result are neighbours, so each has its own place among `taps`.
        C* slab = s.vertical ? reinterpret_cast<C*>(kept + source % taps * kept_size) : target;
        pointers[k] = slab;
        if (s.vertical && keys[source % taps] == source) continue;
        keys[source % taps] = source;
        const C* values = reinterpret_cast<const C*>(from);
        if (!direct) {
          load_row(loaded, from, src_type, slab_in);
          values = loaded;
        }
        resample(slab, values, s);
      }
      if (s.vertical) {
        blend_rows(target, pointers, s.vertical->weight.data() + y, s.rows_out(), static_cast<int>(taps), slab_out);
      }
      if (target == result) store_row(to, result, dst_type, slab_out, round);
    }
  };
  team.parallel_for_cost(slots, row_ns * static_cast<double>(rows) / static_cast<double>(std::max<int64_t>(slots, 1)),
                         [&](int64_t begin, int64_t end) {
                           for (int64_t slot = begin; slot < end; ++slot) {
                             run(rows * slot / slots, rows * (slot + 1) / slots, scratch + slot * slot_size);
                           }
                         });
}

// Sizes of the buffers between stages: the largest tensor after a leading axis.
int64_t buffer_items(const Merged& m, size_t leading) {
  int64_t most = 0;
  for (size_t j = 0; j < leading; ++j) {
    int64_t n = m.inner;
    for (size_t i = 0; i < m.axes.size(); ++i) n *= m.before[i] * (i <= j ? m.axes[i]->out : m.axes[i]->in);
    most = std::max(most, n);
  }
  return most;
}
Stage leading_stage(const Merged& m, size_t j) {
  Stage s;
  s.vertical = m.axes[j];
  s.outer = m.before[j];
  s.inner = m.inner;
  for (size_t i = 0; i < j; ++i) s.outer *= m.before[i] * m.axes[i]->out;
  for (size_t i = j + 1; i < m.axes.size(); ++i) s.inner *= m.before[i] * m.axes[i]->in;
  return s;
}

template <class C>
void run_passes(const Merged& m, char* dst, const char* src, DType dtype, bool round, char* scratch, const Team& team) {
  size_t leading = 0;
  const Stage last = last_stage(m, &leading);
  const DType between = sizeof(C) == 8 ? DType::kF64 : DType::kF32;
  const int64_t buffer = aligned(buffer_items(m, leading) * int64_t{sizeof(C)});
  char* stage_memory = scratch + 2 * buffer;
  DType type = dtype;
  for (size_t j = 0; j < leading; ++j) {
    char* to = scratch + static_cast<int64_t>(j % 2) * buffer;
    run_stage<C>(leading_stage(m, j), to, between, src, type, round, stage_memory, team);
    src = to;
    type = between;
  }
  run_stage<C>(last, dst, dtype, src, type, round, stage_memory, team);
}

// Writes the extrapolation value wherever the coordinate of some axis lies outside.
void fill_outside(const ResizePlan& plan, char* dst, DType dtype, const Team& team) {
  const int width = byte_width(dtype);
  Wide value{};
  if (const double v = plan.config.extrapolation_value; !load_row<double>(nullptr, nullptr, dtype, 0)) {
    // Types that nearest only moves: integers by value, the rest as zero.
    if (dtype != DType::kString && dtype != DType::kC64 && dtype != DType::kC128 && v >= 0 && v < 9e18) {
      value.low = static_cast<uint64_t>(v);
    }
  } else {
    store_row(&value, &v, dtype, 1, true);
  }
  const size_t rank = plan.axes.size();
  const int64_t last = plan.axes[rank - 1].out;
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < rank; ++i) rows *= plan.axes[i].out;
  team.parallel_for_cost(rows, 10.0 + static_cast<double>(last), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      bool outside = false;
      int64_t rest = row;
      for (size_t i = rank - 1; i-- > 0;) {
        const Axis& a = plan.axes[i];
        if (!a.outside.empty() && a.outside[static_cast<size_t>(rest % a.out)]) outside = true;
        rest /= a.out;
      }
      char* to = dst + row * last * width;
      if (outside) {
        fill_row(to, &value, last, width);
        continue;
      }
      const auto& flags = plan.axes[rank - 1].outside;
      for (size_t x = 0; x < flags.size(); ++x) {
        if (flags[x]) std::memcpy(to + static_cast<int64_t>(x) * width, &value, static_cast<size_t>(width));
      }
    }
  });
}

}  // namespace

int64_t resize_scratch_bytes(const ResizePlan& plan, DType dtype, int team_width) {
  const Merged m = merge(plan);
  if (plan.config.mode == ResizeMode::kNearest || m.axes.empty()) return 0;
  const int64_t item = in_doubles(dtype) ? 8 : 4;
  size_t leading = 0;
  int64_t slot = last_stage(m, &leading).scratch(item);
  for (size_t j = 0; j < leading; ++j) slot = std::max(slot, leading_stage(m, j).scratch(item));
  return 2 * aligned(buffer_items(m, leading) * item) + slot * team_width;
}

Status run_resize(const ResizePlan& plan, void* dst, const void* src, DType dtype, void* scratch, const Team& team) {
  const int width = byte_width(dtype);
  const bool nearest = plan.config.mode == ResizeMode::kNearest;
  if (width == 0 || (!nearest && !load_row<double>(nullptr, nullptr, dtype, 0))) {
    return error(Code::kNotImplemented, "resize of ", name(dtype), nearest ? "" : " other than by nearest");
  }
  int64_t count = 1;
  for (const Axis& a : plan.axes) count *= a.out;
  if (count == 0) return {};
  const Merged m = merge(plan);
  char* to = static_cast<char*>(dst);
  const char* from = static_cast<const char*>(src);
  if (m.axes.empty()) {
    std::memcpy(to, from, static_cast<size_t>(count * width));
    return {};
  }
  if (nearest) {
    run_nearest(m, to, from, width, team);
  } else if (in_doubles(dtype)) {
    run_passes<double>(m, to, from, dtype, plan.config.round_integers, static_cast<char*>(scratch), team);
  } else {
    run_passes<float>(m, to, from, dtype, plan.config.round_integers, static_cast<char*>(scratch), team);
  }
  if (plan.any_outside) fill_outside(plan, to, dtype, team);
  return {};
}

}  // namespace tenon::kernels
