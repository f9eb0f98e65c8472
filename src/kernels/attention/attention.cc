// Attention in tiles of query rows and key blocks with a running softmax.
// SPDX-License-Identifier: MIT
#include "kernels/attention/attention.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/attention/attention_kernels.h"
#include "kernels/norm/norm_kernels.h"
#include "kernels/reduce/reduce_kernels.h"

namespace tenon {
namespace {

constexpr int64_t kRows = 64;    // query rows (heads of a group x positions) of a task
constexpr int64_t kKeys = 128;   // keys of a block
constexpr int64_t kFewRows = 8;  // up to here keys are read where they lie, without packing
constexpr float kForbidden = -std::numeric_limits<float>::infinity();

int64_t round_up(int64_t n) { return (n + 15) / 16 * 16; }

// Positions that one task takes: all heads of a group share the keys.
int64_t positions_per_task(const Attention& a) {
  const int64_t group = a.q_heads / a.kv_heads;
  return std::min(a.q_len, std::max<int64_t>(1, kRows / group));
}
struct Layout {
  int64_t rows, q, keys, scores, out, state, total;  // offsets in floats
};
Layout layout(const Attention& a) {
  Layout l;
  l.rows = a.q_heads / a.kv_heads * positions_per_task(a);
  l.q = 0;
  l.keys = l.q + round_up(l.rows * a.head_size);
  l.scores = l.keys + (l.rows > kFewRows ? a.head_size * kKeys : 0);
  l.out = l.scores + l.rows * kKeys;
  l.state = l.out + round_up(l.rows * a.v_head_size);
  l.total = round_up(l.state + l.rows);  // running maxima
  return l;
}

// One task: a batch item, a key head with its group of query heads, a range of positions.
class Task {
 public:
  Task(const Attention& a, const Layout& l, float* scratch)
      : a_(a),
        k_(attention_kernels()),
        norm_(norm_kernels()),
        max_(fold_kernels(DType::kF32, Fold::kMax).row),
        group_(a.q_heads / a.kv_heads),
        positions_(positions_per_task(a)),
        q_(scratch + l.q),
        keys_(scratch + l.keys),
        scores_(scratch + l.scores),
        out_(scratch + l.out),
        top_(scratch + l.state),
        scale_(a.scale != 0 ? a.scale : 1 / std::sqrt(static_cast<float>(a.head_size))) {}

  void run(int64_t task) {
    const int64_t blocks = (a_.q_len + positions_ - 1) / positions_;
    start_ = task % blocks * positions_;
    count_ = std::min(positions_, a_.q_len - start_);
    kv_head_ = task / blocks % a_.kv_heads;
    batch_ = task / blocks / a_.kv_heads;
    valid_ = a_.kv_lens ? std::clamp<int64_t>(a_.kv_lens[batch_], 0, a_.kv_len) : a_.kv_len;
    offset_ = a_.offset_from_lens ? valid_ - a_.q_len : a_.causal_offset;
    rows_ = group_ * count_;
    for (int64_t r = 0; r < rows_; ++r) {
      const float* q =
          a_.q + batch_ * a_.q_strides.batch + head(r) * a_.q_strides.head + position(r) * a_.q_strides.position;
      norm_.scale(q, scale_, q_ + r * a_.head_size, a_.head_size);
      top_[r] = kForbidden;
      sum_[r] = 0;
    }
    std::memset(out_, 0, static_cast<size_t>(rows_ * a_.v_head_size) * sizeof(float));
    // Keys that some row sees: up to the last position's, from the first one's window on.
    const int64_t end = a_.causal ? std::min(valid_, start_ + count_ + offset_) : valid_;
    int64_t j = a_.window > 0 ? std::max<int64_t>(0, start_ + offset_ - a_.window + 1) : 0;
    while (j < end) {
      const bool in_past = a_.past_k && j < a_.past_len;
      const int64_t stop = std::min({end, j + kKeys, in_past ? a_.past_len : end});
      block(j, stop - j);
      j = stop;
    }
    finish();
  }

 private:
  int64_t head(int64_t r) const { return kv_head_ * group_ + r / count_; }
  int64_t position(int64_t r) const { return start_ + r % count_; }
  static const float* at(const float* p, const HeadStrides& s, int64_t b, int64_t h, int64_t i) {
    return p + b * s.batch + h * s.head + i * s.position;
  }

  void block(int64_t first, int64_t n) {
    const bool in_past = a_.past_k && first < a_.past_len;
    const int64_t from = a_.past_k && !in_past ? first - a_.past_len : first;
    const HeadStrides& ks = in_past ? a_.past_k_strides : a_.k_strides;
    const HeadStrides& vs = in_past ? a_.past_v_strides : a_.v_strides;
    const float* keys = at(in_past ? a_.past_k : a_.k, ks, batch_, kv_head_, from);
    const float* values = at(in_past ? a_.past_v : a_.v, vs, batch_, kv_head_, from);
    const int64_t d = a_.head_size;
    if (positions_ * group_ <= kFewRows) {
      k_.dots(rows_, n, d, q_, d, keys, ks.position, scores_, kKeys);
    } else {
      k_.transpose(n, d, keys, ks.position, keys_, kKeys);
      k_.multiply(rows_, n, d, q_, d, keys_, kKeys, scores_, kKeys, false);
    }
    for (int64_t r = 0; r < rows_; ++r) soften(r, first, n);
    k_.multiply(rows_, a_.v_head_size, n, scores_, kKeys, values, vs.position, out_, a_.v_head_size, true);
  }

  // Scores of a row to weights relative to its running maximum.
  void soften(int64_t r, int64_t first, int64_t n) {
    float* s = scores_ + r * kKeys;
    const int64_t i = position(r), h = head(r), own = i + offset_;
    if (a_.softcap > 0) k_.soft_cap(a_.softcap, s, n);
    if (a_.bias) {
      const float* b = a_.bias + batch_ * a_.bias_batch + h * a_.bias_head + i * a_.bias_row + first * a_.bias_column;
      if (a_.bias_column == 1) norm_.add(s, b, nullptr, s, n);
      else
        for (int64_t j = 0; j < n; ++j) s[j] += b[j * a_.bias_column];
    }
    if (a_.mask) {
      const bool* m = a_.mask + batch_ * a_.mask_batch + h * a_.mask_head + i * a_.mask_row + first * a_.mask_column;
      for (int64_t j = 0; j < n; ++j) s[j] = m[j * a_.mask_column] ? s[j] : kForbidden;
    }
    if (a_.causal) {
      for (int64_t j = std::max<int64_t>(0, own + 1 - first); j < n; ++j) s[j] = kForbidden;
    }
    if (a_.window > 0) {
      const int64_t low = std::min(n, own - a_.window + 1 - first);
      for (int64_t j = 0; j < low; ++j) s[j] = kForbidden;
    }
    double block_top = kForbidden;
    max_(s, n, 0, &block_top);
    const float before = top_[r];
    const float top = block_top > before || block_top != block_top ? static_cast<float>(block_top) : before;
    if (top == kForbidden) {
      std::fill(s, s + n, 0.0f);
      return;
    }
    if (top != before) {
      const float shrink = before == kForbidden ? 0.0f : std::exp(before - top);
      sum_[r] *= static_cast<double>(shrink);
      norm_.scale(out_ + r * a_.v_head_size, shrink, out_ + r * a_.v_head_size, a_.v_head_size);
      top_[r] = top;
    }
    sum_[r] += norm_.exp_sum(s, top, s, n);
  }

  void finish() {
    for (int64_t r = 0; r < rows_; ++r) {
      double total = sum_[r], factor = 1;
      const float top = top_[r];
      if (a_.sink) {
        const double sink = static_cast<double>(a_.sink[head(r)]);
        const double both = std::max<double>(sink, static_cast<double>(top));
        factor = top == kForbidden ? 0 : std::exp(static_cast<double>(top) - both);
        total = total * factor + std::exp(sink - both);
      }
      float* to = a_.out + batch_ * a_.out_strides.batch + head(r) * a_.out_strides.head +
                  position(r) * a_.out_strides.position;
      const float inverse = top == kForbidden ? 0.0f : static_cast<float>(factor / total);
      norm_.scale(out_ + r * a_.v_head_size, inverse, to, a_.v_head_size);
    }
  }

  const Attention& a_;
  const AttentionKernels& k_;
  const NormKernels& norm_;
  const FoldRow max_;
  const int64_t group_, positions_;
  float *q_, *keys_, *scores_, *out_, *top_;
  const float scale_;
  double sum_[kRows];
  int64_t start_ = 0, count_ = 0, kv_head_ = 0, batch_ = 0, rows_ = 0, valid_ = 0, offset_ = 0;
};

}  // namespace

int64_t attention_scratch_bytes(const Attention& args, int width) {
  if (args.q_heads <= 0 || args.kv_heads <= 0 || args.q_len <= 0) return 0;
  return layout(args).total * static_cast<int64_t>(sizeof(float)) * std::max(width, 1);
}

Status attention(const Attention& a, void* scratch, const Team& team) {
  if (a.kv_heads <= 0 || a.q_heads <= 0 || a.q_heads % a.kv_heads != 0) {
    return invalid("attention: ", a.q_heads, " query heads for ", a.kv_heads, " key heads");
  }
  if (a.q_heads / a.kv_heads > kRows) {
    return error(Code::kNotImplemented, "attention: more than ", kRows, " query heads for one key head");
  }
  if (a.head_size <= 0 || a.v_head_size <= 0) return invalid("attention: head size 0");
  if (a.batch <= 0 || a.q_len <= 0) return Status();
  const Layout l = layout(a);
  const int64_t positions = positions_per_task(a);
  const int64_t tasks = a.batch * a.kv_heads * ((a.q_len + positions - 1) / positions);
  const int64_t slots = std::min<int64_t>(team.width(), tasks);
  // Tasks are taken as threads get free; each writes its own rows, so the order does not matter.
  std::atomic<int64_t> next{0};
  team.parallel_for(slots, 1, [&](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s) {
      Task task(a, l, static_cast<float*>(scratch) + s * l.total);
      for (int64_t t = next.fetch_add(1); t < tasks; t = next.fetch_add(1)) task.run(t);
    }
  });
  return Status();
}

}  // namespace tenon
