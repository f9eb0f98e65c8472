// Running a convolution: cuts the output into tasks and feeds the tile kernels.
// SPDX-License-Identifier: MIT
#include "kernels/conv/conv.h"

#include <algorithm>
#include <cstring>

#include "kernels/gemm/blocking.h"
#include "kernels/gemm/micro.h"

namespace tenon::kernels {
namespace {

constexpr int kMaxRows = 32;  // at least the rows of any tile kernel

/// Sizes as three spatial dimensions.
struct Sizes3 {
  int64_t batch, in[3], pad[3], out[3];
  Sizes3(const ConvSizes& s, int spatial) : batch(s.batch), in{1, 1, 1}, pad{0, 0, 0}, out{1, 1, 1} {
    for (int i = 0; i < spatial; ++i) {
      in[3 - spatial + i] = s.in[i];
      pad[3 - spatial + i] = s.pad[i];
      out[3 - spatial + i] = s.out[i];
    }
  }
  int64_t in_pixels() const { return in[0] * in[1] * in[2]; }
  int64_t out_pixels() const { return out[0] * out[1] * out[2]; }
};

/// The output positions of one part: index i of a dimension is output out0 + i * out_step and starts at input
/// in0 + i * in_step.
struct Grid {
  int64_t count[3], in0[3], in_step[3], out0[3], out_step[3];
  int64_t rows;  // positions in the whole batch
};

int64_t wanted_tasks(double ns, int width) {
  return width == 1 ? 1 : std::clamp<int64_t>(static_cast<int64_t>(ns / 10'000), 1, int64_t{width} * 4);
}

}  // namespace

struct ConvRunner {
  const ConvPlan& p;
  Sizes3 s;
  int width;
  const float* in = nullptr;
  const float* residual = nullptr;
  float* out = nullptr;
  const MicroKernels<float>& mk = micro_f32();
  const MicroConv& mc = micro_conv();

  ConvRunner(const ConvPlan& plan, const ConvSizes& sizes, int team_width)
      : p(plan), s(sizes, plan.shape_.spatial), width(team_width) {}

  int64_t in_channels() const { return p.shape_.in_channels; }
  int64_t channels() const { return p.shape_.out_channels; }
  const float* bias() const { return p.bias_ ? static_cast<const float*>(p.bias_->data()) : nullptr; }

  /// Splits the tail into what tile kernels clip themselves and what is done afterwards.
  Finish<float> tail(float* lo, float* hi) const {
    Finish<float> f{nullptr, nullptr, 0, p.act_};
    if (!residual && (p.act_.kind == Act::kRelu || p.act_.kind == Act::kClip)) {
      *lo = p.act_.kind == Act::kRelu ? 0.0f : p.act_.a;
      if (p.act_.kind == Act::kClip) *hi = p.act_.b;
      f.act = {};
    }
    return f;
  }
  bool finishes(const Finish<float>& f) const { return residual || f.act.kind != Act::kNone; }

  // ---- as a matrix product
  // -------------------------------------------------------------------------------------------

  Grid grid_of(const ConvPlan::Part& part) const {
    Grid g{};
    g.rows = s.batch;
    for (int i = 0; i < 3; ++i) {
      const int64_t stride = p.stride_[i];
      if (p.shape_.transposed) {
        // Output o with o + pad = stride * u + phase starts at input u.
        const int64_t shift = part.phase[i] - s.pad[i];
        const int64_t u0 = shift >= 0 ? -(shift / stride) : ceil_div(-shift, stride);
        g.out0[i] = stride * u0 + shift;
        g.out_step[i] = stride;
        g.in0[i] = u0;
        g.in_step[i] = 1;
        g.count[i] = s.out[i] > g.out0[i] ? ceil_div(s.out[i] - g.out0[i], stride) : 0;
      } else {
        g.out0[i] = 0;
        g.out_step[i] = 1;
        g.in0[i] = -s.pad[i];
        g.in_step[i] = stride;
        g.count[i] = s.out[i];
      }
      g.rows *= g.count[i];
    }
    return g;
  }

  struct Cut {
    int64_t rows, cols, row_tasks, col_tasks;  // rows and columns of a task
    int64_t kb, a_ld, tile_items, slot_items;
    bool scattered;
  };
  Cut cut_of(const ConvPlan::Part& part, const Grid& g) const {
    Cut cut{};
    cut.kb = k_block<float>(part.k);
    cut.a_ld = round_up(cut.kb, 16) + 16;
    cut.scattered = g.out_step[0] != 1 || g.out_step[1] != 1 || g.out_step[2] != 1;
    const int64_t tiles = std::max<int64_t>(ceil_div(g.rows, mk.mr), 1);
    const int64_t panels = ceil_div(p.block_out_, mk.nr), most_panels = n_block<float>(cut.kb, mk.nr) / mk.nr;
    const double ns = static_cast<double>(g.rows) * static_cast<double>(part.k) * static_cast<double>(p.block_out_) *
                      static_cast<double>(p.blocks_) / 20;
    const int64_t wanted = wanted_tasks(ns, width);
    int64_t col_tasks = ceil_div(panels, most_panels);
    int64_t row_tasks = std::min(ceil_div(wanted, col_tasks * p.blocks_), std::max<int64_t>(tiles / 2, 1));
    if (row_tasks * col_tasks * p.blocks_ < width) col_tasks = std::max(col_tasks, std::min<int64_t>(width, panels));
    cut.cols = ceil_div(panels, col_tasks) * mk.nr;
    cut.col_tasks = ceil_div(p.block_out_, cut.cols);
    // C is revisited once for each block of K: keep a task's part of it in the second-level cache.
    if (part.k > cut.kb) {
      const int64_t most_rows =
          std::max<int64_t>(os::caches().l2 / 4 / (std::min(cut.cols, p.block_out_) * 4), 4 * mk.mr);
      row_tasks = std::max(row_tasks, ceil_div(g.rows, most_rows));
    }
    cut.rows = ceil_div(tiles, row_tasks) * mk.mr;
    cut.row_tasks = std::max<int64_t>(ceil_div(g.rows, cut.rows), 1);
    cut.tile_items = cut.scattered ? cut.cols * mk.mr : 0;
    cut.slot_items = round_up(cut.a_ld * mk.mr + cut.tile_items, 16);
    return cut;
  }

  /// Where rows [r0, r1) of the grid start in the input and lie in the output.
  void place_rows(const Grid& g, int64_t channel, int64_t r0, int64_t r1, GatherRow* rows, int64_t* out_at) const {
    int64_t x = r0 % g.count[2], y = r0 / g.count[2] % g.count[1], z = r0 / (g.count[2] * g.count[1]) % g.count[0];
    int64_t n = r0 / (g.count[2] * g.count[1] * g.count[0]);
    for (int64_t r = r0; r < r1; ++r, ++rows, ++out_at) {
      rows->image = in + n * s.in_pixels() * in_channels() + channel;
      rows->at[0] = g.in0[0] + z * g.in_step[0];
      rows->at[1] = g.in0[1] + y * g.in_step[1];
      rows->at[2] = g.in0[2] + x * g.in_step[2];
      *out_at = ((n * s.out[0] + g.out0[0] + z * g.out_step[0]) * s.out[1] + g.out0[1] + y * g.out_step[1]) * s.out[2] +
                g.out0[2] + x * g.out_step[2];
      if (++x < g.count[2]) continue;
      x = 0;
      if (++y < g.count[1]) continue;
      y = 0;
      if (++z < g.count[0]) continue;
      z = 0;
      ++n;
    }
  }

  void gemm_task(const ConvPlan::Part& part, const Grid& g, const Cut& cut, int64_t task, float* scratch) const {
    const int64_t col0 = task % cut.col_tasks * cut.cols, cols = std::min(cut.cols, p.block_out_ - col0);
    const int64_t block = task / cut.col_tasks % p.blocks_;
    const int64_t row0 = task / (cut.col_tasks * p.blocks_) * cut.rows, rows = std::min(cut.rows, g.rows - row0);
    const int64_t out_col = block * p.block_out_ + col0;
    const float* b = part.weights.data + (block * round_up(p.block_out_, mk.nr) + col0) * part.k;
    float* staged = scratch;
    float* tile = scratch + cut.a_ld * mk.mr;
    const GatherShape shape{{s.in[0], s.in[1], s.in[2]}, in_channels(), p.block_in_};
    TileStore<float> store;
    Finish<float> f = tail(&store.lo, &store.hi);
    f.residual_ld = channels();
    const int64_t tiles = ceil_div(rows, mk.mr);
    GatherRow places[kMaxRows];
    int64_t out_at[kMaxRows];

    auto run_tile = [&](int64_t t, int64_t k0) {
      const int64_t r0 = row0 + t * rows / tiles, r1 = row0 + (t + 1) * rows / tiles;
      const int count = static_cast<int>(r1 - r0);
      const int64_t kb = std::min(cut.kb, part.k - k0);
      place_rows(g, block * p.block_in_, r0, r1, places, out_at);
      if (kb > 0) mc.gather(shape, part.segments.data(), places, count, k0, kb, staged, cut.a_ld);
      store.accumulate = k0 > 0;
      store.last = k0 + kb >= part.k;
      store.bias = store.last && p.bias_ ? bias() + out_col : nullptr;
      float* c = cut.scattered ? tile : out + r0 * channels() + out_col;
      const int64_t ldc = cut.scattered ? cut.cols : channels();
      mk.row_block(count, kb, staged, cut.a_ld, b + k0 * mk.nr, mk.nr, part.k * mk.nr, cols, c, ldc, store);
      if (!store.last) return;
      if (!cut.scattered) {
        if (!finishes(f)) return;
        f.residual = residual ? residual + r0 * channels() + out_col : nullptr;
        mk.finish(c, ldc, count, cols, f);
        return;
      }
      for (int r = 0; r < count; ++r) {
        const int64_t at = out_at[r] * channels() + out_col;
        if (finishes(f)) {
          f.residual = residual ? residual + at : nullptr;
          mk.finish(tile + r * cut.cols, cut.cols, 1, cols, f);
        }
        std::memcpy(out + at, tile + r * cut.cols, static_cast<size_t>(cols) * 4);
      }
    };
    if (cut.scattered) {
      for (int64_t t = 0; t < tiles; ++t)
        for (int64_t k0 = 0; k0 == 0 || k0 < part.k; k0 += cut.kb) run_tile(t, k0);
    } else {
      for (int64_t k0 = 0; k0 == 0 || k0 < part.k; k0 += cut.kb)
        for (int64_t t = 0; t < tiles; ++t) run_tile(t, k0);
    }
  }

  bool pointwise() const {
    if (p.shape_.transposed || p.blocks_ != 1 || p.algorithm_ != ConvPlan::Algorithm::kGemm) return false;
    for (int i = 0; i < 3; ++i)
      if (p.kernel_[i] != 1 || p.stride_[i] != 1 || s.pad[i] != 0 || s.out[i] != s.in[i]) return false;
    return true;
  }
  Gemm<float> as_gemm() const {
    Gemm<float> g;
    g.m = s.batch * s.out_pixels();
    g.n = channels();
    g.k = in_channels();
    g.a = in;
    g.lda = g.k;
    g.packed = &p.parts_[0].weights;
    g.c = out;
    g.ldc = g.n;
    g.bias_col = bias();
    g.residual = residual;
    g.residual_ld = g.n;
    g.act = p.act_;
    return g;
  }

  // ---- depthwise
  // -----------------------------------------------------------------------------------------------------

  void depthwise(const Team& team) const {
    const int64_t multiplier = channels() / in_channels(), ld = round_up(in_channels(), 16) + 32;
    const int64_t group_size = in_channels() / p.shape_.group;
    const int64_t taps = p.kernel_[0] * p.kernel_[1] * p.kernel_[2];
    const int64_t planes = s.batch * s.out[0];
    const double row_ns = static_cast<double>(s.out[2] * channels() * taps * group_size) / 8;
    const int64_t wanted = wanted_tasks(row_ns * static_cast<double>(planes * s.out[1]), width);
    const int64_t row_tasks = std::clamp<int64_t>(ceil_div(wanted, planes), 1, std::max<int64_t>(s.out[1] / 4, 1));
    const int64_t rows = ceil_div(s.out[1], row_tasks), row_chunks = ceil_div(s.out[1], rows);
    const int64_t col_tasks =
        std::clamp<int64_t>(ceil_div(wanted, planes * row_chunks), 1, ceil_div(in_channels(), 64));
    const int64_t cols = round_up(ceil_div(in_channels(), col_tasks), 64), col_chunks = ceil_div(in_channels(), cols);
    team.for_tasks(planes * row_chunks * col_chunks, [&](int64_t task, int) {
      const int64_t col_chunk = task % col_chunks, chunk = task / col_chunks % row_chunks;
      const int64_t plane = task / (col_chunks * row_chunks);
      Depthwise d{};
      for (int i = 0; i < 3; ++i) {
        d.in_size[i] = s.in[i];
        d.kernel[i] = p.kernel_[i];
        d.stride[i] = p.stride_[i];
        d.dilation[i] = p.dilation_[i];
        d.pad[i] = s.pad[i];
      }
      d.lo = -std::numeric_limits<float>::infinity();
      d.hi = std::numeric_limits<float>::infinity();
      Finish<float> f = tail(&d.lo, &d.hi);
      f.residual_ld = channels();
      d.in = in + plane / s.out[0] * s.in_pixels() * in_channels();
      const int64_t out_at = plane * s.out[1] * s.out[2] * channels();
      d.out = out + out_at;
      d.plane = plane % s.out[0];
      d.out_width = s.out[2];
      d.c0 = col_chunk * cols;
      d.c1 = std::min(d.c0 + cols, in_channels());
      d.channels = in_channels();
      d.multiplier = multiplier;
      d.group_size = group_size;
      d.weights = static_cast<const float*>(p.depthwise_->data());
      d.weight_ld = ld;
      d.bias = bias();
      const int64_t end = std::min((chunk + 1) * rows, s.out[1]);
      const int64_t step = finishes(f) ? 4 : rows;  // what is finished later should still be in the cache
      for (d.row0 = chunk * rows; d.row0 < end; d.row0 = d.row1) {
        d.row1 = std::min(d.row0 + step, end);
        mc.depthwise(d);
        if (!finishes(f)) continue;
        const int64_t at = d.row0 * s.out[2] * channels() + d.c0 * multiplier;
        f.residual = residual ? residual + out_at + at : nullptr;
        mk.finish(d.out + at, channels(), (d.row1 - d.row0) * s.out[2], (d.c1 - d.c0) * multiplier, f);
      }
    });
  }

  // ---- patches
  // -------------------------------------------------------------------------------------------------------

  int64_t patch_columns() const { return p.kernel_[0] * p.kernel_[1] * p.kernel_[2] * channels(); }
  int64_t patch_items() const { return round_up(patch_columns() * mk.mr + 64, 16); }

  /// Lines [begin, end) of input pixels; a line is one row of the innermost dimension.
  void patch_lines(int64_t begin, int64_t end, float* tile) const {
    const int64_t columns = patch_columns(), k = in_channels(), kb = k_block<float>(k), outs = channels();
    const int64_t run = p.kernel_[2] * outs;  // outputs of a patch that lie side by side
    TileStore<float> store;
    Finish<float> f = tail(&store.lo, &store.hi);
    f.residual_ld = outs;
    for (int64_t line = begin; line < end; ++line) {
      const int64_t y = line % s.in[1], z = line / s.in[1] % s.in[0], n = line / (s.in[1] * s.in[0]);
      for (int64_t x0 = 0; x0 < s.in[2]; x0 += mk.mr) {
        const int count = static_cast<int>(std::min<int64_t>(mk.mr, s.in[2] - x0));
        const float* a = in + (line * s.in[2] + x0) * k;
        for (int64_t k0 = 0; k0 < k; k0 += kb) {
          store.accumulate = k0 > 0;
          store.last = k0 + kb >= k;
          store.bias = store.last ? bias() : nullptr;
          mk.row_block(count, std::min(kb, k - k0), a + k0, k, p.parts_[0].weights.data + k0 * mk.nr, mk.nr, k * mk.nr,
                       columns, tile, columns, store);
        }
        if (finishes(f) && !residual) mk.finish(tile, columns, count, columns, f);
        for (int64_t t = 0; t < p.kernel_[0] * p.kernel_[1]; ++t) {
          const int64_t oz = z * p.stride_[0] - s.pad[0] + t / p.kernel_[1];
          const int64_t oy = y * p.stride_[1] - s.pad[1] + t % p.kernel_[1];
          if (oz < 0 || oz >= s.out[0] || oy < 0 || oy >= s.out[1]) continue;
          float* row = out + ((n * s.out[0] + oz) * s.out[1] + oy) * s.out[2] * outs;
          for (int64_t r = 0; r < count; ++r) {
            const int64_t ox = (x0 + r) * p.stride_[2] - s.pad[2];
            const int64_t lo = std::clamp<int64_t>(-ox, 0, p.kernel_[2]);
            const int64_t hi = std::clamp<int64_t>(s.out[2] - ox, lo, p.kernel_[2]);
            const float* from = tile + r * columns + t * run;
            float* to = row + ox * outs;
            if (residual) {
              f.residual = residual + (to - out) + lo * outs;
              mk.finish(tile + r * columns + t * run + lo * outs, outs, hi - lo, outs, f);
            }
            for (int64_t i = lo * outs; i < hi * outs; ++i) to[i] = from[i];
          }
        }
      }
    }
  }
  void patches(const Team& team, float* scratch) const {
    bool covered = true;
    for (int i = 0; i < 3; ++i) covered = covered && s.out[i] + s.pad[i] <= s.in[i] * p.stride_[i];
    if (!covered) fill_empty();
    const int64_t lines = s.batch * s.in[0] * s.in[1];
    const double ns = static_cast<double>(lines * s.in[2] * patch_columns()) * static_cast<double>(in_channels()) / 20;
    const int64_t tasks = std::clamp<int64_t>(wanted_tasks(ns, width), 1, std::max<int64_t>(lines, 1));
    team.for_tasks(tasks, [&](int64_t task, int slot) {
      patch_lines(lines * task / tasks, lines * (task + 1) / tasks, scratch + slot * patch_items());
    });
  }
  /// Outputs that no input reaches (output_padding): the bias alone. Written everywhere, before the patches.
  void fill_empty() const {
    TileStore<float> store;
    Finish<float> f = tail(&store.lo, &store.hi);
    f.residual_ld = channels();
    f.residual = residual;
    const int64_t pixels = s.batch * s.out_pixels();
    for (int64_t i = 0; i < pixels; ++i)
      for (int64_t c = 0; c < channels(); ++c)
        out[i * channels() + c] = std::min(store.hi, std::max(store.lo, bias() ? bias()[c] : 0.0f));
    if (finishes(f)) mk.finish(out, channels(), pixels, channels(), f);
  }

  // ---- Winograd
  // ------------------------------------------------------------------------------------------------------

  struct WinogradCut {
    int64_t across, down, tiles, block;  // tiles a row, rows of tiles, in all, in a task
    int64_t v_ld, m_ld, slot_items;
  };
  WinogradCut winograd_cut() const {
    WinogradCut cut{};
    cut.across = ceil_div(s.out[2], 4);
    cut.down = ceil_div(s.out[1], 4);
    cut.tiles = s.batch * cut.across * cut.down;
    cut.v_ld = round_up(in_channels(), 16) + 16;
    cut.m_ld = round_up(channels(), 16) + 16;
    const int64_t tile_bytes = 36 * 4 * (cut.v_ld + cut.m_ld);
    const int64_t fit = std::clamp<int64_t>(os::caches().l2 * 3 / 4 / tile_bytes / mk.mr, 1, 6);
    // Every task reads all weights: a tile of rows at least, as long as each thread has one.
    const int64_t wanted = wanted_tasks(static_cast<double>(cut.tiles * in_channels() * channels()), width);
    cut.block = std::min(ceil_div(cut.tiles, wanted), fit * mk.mr);
    cut.block = std::max<int64_t>({cut.block, 1, std::min<int64_t>(mk.mr, ceil_div(cut.tiles, width))});
    if (cut.block > mk.mr) cut.block = round_up(cut.block, mk.mr);
    cut.slot_items = round_up(36 * cut.block * (cut.v_ld + cut.m_ld), 16);
    return cut;
  }

  void winograd_task(const WinogradCut& cut, int64_t task, float* scratch) const {
    const int64_t t0 = task * cut.block, count = std::min(cut.block, cut.tiles - t0);
    const int64_t v_step = cut.block * cut.v_ld,
                  m_step = cut.block * cut.m_ld;  // from one of the 36 matrices to the next
    float* v = scratch;
    float* m = scratch + 36 * v_step;
    for (int64_t t = 0; t < count; ++t) {
      const int64_t n = (t0 + t) / (cut.across * cut.down), ty = (t0 + t) / cut.across % cut.down,
                    tx = (t0 + t) % cut.across;
      const WinogradTile tile{in + n * s.in_pixels() * in_channels(),
                              s.in[1],
                              s.in[2],
                              in_channels(),
                              ty * 4 - s.pad[1],
                              tx * 4 - s.pad[2]};
      mc.winograd_in(tile, v + t * cut.v_ld, v_step);
    }
    const int64_t k = in_channels(), kb = k_block<float>(k), parts = ceil_div(count, mk.mr);
    const int64_t matrix = round_up(channels(), mk.nr) * k;
    for (int64_t q = 0; q < 36; ++q) {
      for (int64_t i = 0; i < parts; ++i) {
        const int64_t r0 = i * count / parts, r1 = (i + 1) * count / parts;
        for (int64_t k0 = 0; k0 < k; k0 += kb) {
          TileStore<float> store;
          store.accumulate = k0 > 0;
          mk.row_block(static_cast<int>(r1 - r0), std::min(kb, k - k0), v + q * v_step + r0 * cut.v_ld + k0, cut.v_ld,
                       p.winograd_.data + q * matrix + k0 * mk.nr, mk.nr, k * mk.nr, channels(),
                       m + q * m_step + r0 * cut.m_ld, cut.m_ld, store);
        }
      }
    }
    float lo = -std::numeric_limits<float>::infinity(), hi = std::numeric_limits<float>::infinity();
    Finish<float> f = tail(&lo, &hi);
    f.residual_ld = channels();
    for (int64_t t = 0; t < count; ++t) {
      const int64_t n = (t0 + t) / (cut.across * cut.down), ty = (t0 + t) / cut.across % cut.down,
                    tx = (t0 + t) % cut.across;
      const int rows = static_cast<int>(std::min<int64_t>(4, s.out[1] - ty * 4));
      const int cols = static_cast<int>(std::min<int64_t>(4, s.out[2] - tx * 4));
      const int64_t line = s.out[2] * channels(), at = (n * s.out[1] + ty * 4) * line + tx * 4 * channels();
      mc.winograd_out(m + t * cut.m_ld, m_step, channels(), rows, cols, out + at, line, channels(), bias(), lo, hi);
      if (!finishes(f)) continue;
      for (int i = 0; i < rows; ++i) {
        f.residual = residual ? residual + at + i * line : nullptr;
        mk.finish(out + at + i * line, channels(), cols, channels(), f);
      }
    }
  }

  // ---- all
  // ------------------------------------------------------------------------------------------------------------

  bool is_depthwise() const {
    return p.algorithm_ == ConvPlan::Algorithm::kDepthwise || p.algorithm_ == ConvPlan::Algorithm::kGrouped;
  }
  bool empty() const { return s.batch <= 0 || s.out_pixels() <= 0; }

  int64_t scratch_bytes() const {
    if (empty() || is_depthwise()) return 0;
    if (pointwise()) return gemm_scratch_bytes(as_gemm(), width);
    int64_t items = 0;
    if (p.algorithm_ == ConvPlan::Algorithm::kPatches) {
      items = patch_items();
    } else if (p.algorithm_ == ConvPlan::Algorithm::kWinograd4) {
      items = winograd_cut().slot_items;
    } else {
      for (const auto& part : p.parts_) items = std::max(items, cut_of(part, grid_of(part)).slot_items);
    }
    return items * width * 4;
  }

  void run(const Team& team, float* scratch) const {
    if (empty()) return;
    if (is_depthwise()) return depthwise(team);
    if (p.algorithm_ == ConvPlan::Algorithm::kPatches) return patches(team, scratch);
    if (pointwise()) return gemm(as_gemm(), team, scratch);
    if (p.algorithm_ == ConvPlan::Algorithm::kWinograd4) {
      const WinogradCut cut = winograd_cut();
      return team.for_tasks(ceil_div(cut.tiles, cut.block),
                            [&](int64_t task, int slot) { winograd_task(cut, task, scratch + slot * cut.slot_items); });
    }
    for (const auto& part : p.parts_) {
      const Grid g = grid_of(part);
      if (g.rows <= 0) continue;
      const Cut cut = cut_of(part, g);
      team.for_tasks(cut.row_tasks * cut.col_tasks * p.blocks_,
                     [&](int64_t task, int slot) { gemm_task(part, g, cut, task, scratch + slot * cut.slot_items); });
    }
  }
};

int64_t conv_scratch_bytes(const ConvPlan& plan, const ConvSizes& sizes, int width) {
  return ConvRunner(plan, sizes, std::max(width, 1)).scratch_bytes();
}

void run_conv(const ConvPlan& plan, const ConvSizes& sizes, const float* in, const float* residual, float* out,
              const Team& team, void* scratch) {
  ConvRunner runner(plan, sizes, team.width());
  runner.in = in;
  runner.residual = residual;
  runner.out = out;
  runner.run(team, static_cast<float*>(scratch));
}

}  // namespace tenon::kernels
