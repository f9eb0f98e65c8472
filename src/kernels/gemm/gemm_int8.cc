// The driver of 8-bit matrix products. Both operands are brought to one form, A as u8 and B as s8, by shifts of 128
// that the zero-point correction takes back. SPDX-License-Identifier: MIT
#include "kernels/gemm/gemm_int8.h"

#include <algorithm>

#include "kernels/gemm/blocking.h"
#include "kernels/gemm/micro_int8.h"

namespace tenon::kernels {
namespace {

constexpr int64_t kDepth = 2048;  // values of K in one block: a panel of B stays near the first-level cache

struct Cut8 {
  int64_t rows, cols, row_tasks, col_tasks, tasks;
  int64_t a_ld, tile_ld;
  int64_t a_bytes, tile_bytes, zero_bytes, slot_bytes;
};

Cut8 cut_of(const GemmInt8& g, int width) {
  const MicroInt8& mk = micro_int8();
  Cut8 cut{};
  const int64_t tiles = std::max<int64_t>(ceil_div(g.m, mk.mr), 1), panels = std::max<int64_t>(ceil_div(g.n, mk.nr), 1);
  const double cost = static_cast<double>(g.batch) * static_cast<double>(g.n) * static_cast<double>(g.k) *
                      std::max(static_cast<double>(g.m) * 2 / 100, 0.1);
  int64_t wanted = width == 1 ? 1 : std::clamp<int64_t>(static_cast<int64_t>(cost / 10'000), 1, int64_t{width} * 4);
  wanted = ceil_div(wanted, g.batch);
  int64_t row_tasks = std::min(wanted, std::max<int64_t>(tiles / 2, 1));
  int64_t col_tasks = std::max(ceil_div(panels, 32), std::min(ceil_div(wanted, row_tasks), panels));
  cut.rows = ceil_div(tiles, row_tasks) * mk.mr;
  cut.cols = ceil_div(panels, col_tasks) * mk.nr;
  cut.row_tasks = ceil_div(g.m, cut.rows);
  cut.col_tasks = ceil_div(g.n, cut.cols);
  cut.tasks = g.batch * cut.row_tasks * cut.col_tasks;
  cut.a_ld = round_up(g.k, 4) + 64;
  cut.tile_ld = cut.cols;
  cut.a_bytes = round_up(cut.a_ld * mk.mr, 64);
  cut.tile_bytes = cut.tile_ld * mk.mr * 4;
  cut.zero_bytes = cut.cols * 4;
  cut.slot_bytes = round_up(cut.a_bytes + cut.tile_bytes + cut.zero_bytes, 64);
  return cut;
}

int32_t zero_at(const void* zero, bool is_signed, int64_t count, int64_t i) {
  if (!zero || count == 0) return 0;
  if (count == 1) i = 0;
  return is_signed ? static_cast<const int8_t*>(zero)[i] : static_cast<const uint8_t*>(zero)[i];
}

void run_task(const GemmInt8& g, const Cut8& cut, int64_t task, uint8_t* scratch) {
  const MicroInt8& mk = micro_int8();
  const int64_t col0 = task % cut.col_tasks * cut.cols, cols = std::min(cut.cols, g.n - col0);
  const int64_t row0 = task / cut.col_tasks % cut.row_tasks * cut.rows, rows = std::min(cut.rows, g.m - row0);
  const int64_t item = task / (cut.col_tasks * cut.row_tasks);
  const auto* a = static_cast<const uint8_t*>(g.a) + (g.offsets_a ? g.offsets_a[item] : item * g.stride_a);
  const int64_t matrix = g.offsets_b ? g.offsets_b[item] : item % g.b->batch;
  const int64_t groups = ceil_div(g.k, 4), panel_stride = groups * mk.nr * 4;
  const int8_t* b = g.b->data + matrix * g.b->data_stride + col0 * groups * 4;
  const int32_t* sums = g.b->sums + matrix * g.b->sums_stride + col0;
  int32_t* c = g.sink ? nullptr : g.c + (g.offsets_c ? g.offsets_c[item] : item * g.stride_c) + col0;

  uint8_t* staged = scratch;
  auto* tile = reinterpret_cast<int32_t*>(scratch + cut.a_bytes);
  auto* b_zero = reinterpret_cast<int32_t*>(scratch + cut.a_bytes + cut.tile_bytes);
  for (int64_t j = 0; j < cols; ++j) b_zero[j] = zero_at(g.b_zero, g.b_signed, g.b_zero_count, col0 + j) - g.b->offset;

  const uint8_t flip = g.a_signed ? 0x80 : 0;
  uint32_t row_sums[32];
  const int64_t panels = ceil_div(cols, mk.nr), tiles = ceil_div(rows, mk.mr);
  for (int64_t t = 0; t < tiles; ++t) {
    const int64_t r0 = row0 + t * rows / tiles, r1 = row0 + (t + 1) * rows / tiles;
    const int count = static_cast<int>(r1 - r0);
    for (int r = 0; r < count; ++r)
      row_sums[r] = mk.stage_row(a + (r0 + r) * g.lda, g.k, flip, staged + r * cut.a_ld, groups * 4);
    for (int64_t g0 = 0; g0 == 0 || g0 < groups; g0 += kDepth / 4)
      mk.row_block(count, std::min(groups - g0, kDepth / 4), staged + g0 * 4, cut.a_ld, b + g0 * mk.nr * 4,
                   panel_stride, panels, tile, cut.tile_ld, g0 > 0);
    for (int r = 0; r < count; ++r) {
      const int32_t zero = zero_at(g.a_zero, g.a_signed, g.a_zero_count, r0 + r) + (g.a_signed ? 128 : 0);
      mk.correct(tile + r * cut.tile_ld, cols, sums, b_zero, row_sums[r], static_cast<uint32_t>(zero),
                 static_cast<uint32_t>(g.k));
      if (c) std::copy_n(tile + r * cut.tile_ld, cols, c + (r0 + r) * g.ldc);
    }
    if (g.sink) (*g.sink)(item, r0, count, col0, cols, tile, cut.tile_ld);
  }
}

}  // namespace

int64_t packed_int8_bytes(int64_t k, int64_t n, int64_t batch) {
  const int64_t cols = round_up(n, micro_int8().nr);
  return batch * cols * (round_up(k, 4) + 4);
}

PackedInt8 pack_int8_into(const void* b, bool b_signed, int64_t ldb, bool trans, int64_t k, int64_t n, void* memory,
                          const Team& team, int64_t batch, int64_t stride) {
  const MicroInt8& mk = micro_int8();
  const int64_t panels = ceil_div(n, mk.nr), cols = panels * mk.nr, panel_bytes = round_up(k, 4) * mk.nr;
  PackedInt8 packed;
  auto* sums = static_cast<int32_t*>(memory);
  auto* data = static_cast<int8_t*>(memory) + batch * cols * 4;
  const uint8_t flip = b_signed ? 0 : 0x80;
  team.parallel_for_cost(batch * panels, static_cast<double>(k * mk.nr), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t j = p % panels * mk.nr;
      const auto* from = static_cast<const uint8_t*>(b) + p / panels * stride + (trans ? j * ldb : j);
      mk.pack_panel(from, ldb, trans, k, std::min<int64_t>(mk.nr, n - j), flip, data + p * panel_bytes,
                    sums + p * mk.nr);
    }
  });
  packed.data = data;
  packed.sums = sums;
  packed.offset = b_signed ? 0 : 128;
  packed.k = k;
  packed.n = n;
  packed.batch = batch;
  packed.data_stride = panels * panel_bytes;
  packed.sums_stride = cols;
  return packed;
}

Result<PackedInt8> pack_int8(const void* b, bool b_signed, int64_t ldb, bool trans, int64_t k, int64_t n,
                             const Team& team, int64_t batch, int64_t stride) {
  TENON_ASSIGN(Ref<Buffer> memory, Buffer::allocate(static_cast<size_t>(packed_int8_bytes(k, n, batch))));
  PackedInt8 packed = pack_int8_into(b, b_signed, ldb, trans, k, n, memory->data(), team, batch, stride);
  packed.memory = std::move(memory);
  return packed;
}

int64_t gemm_int8_scratch_bytes(const GemmInt8& g, int width) {
  if (g.m <= 0 || g.n <= 0 || g.batch <= 0) return 0;
  return cut_of(g, width).slot_bytes * std::max(width, 1);
}

void gemm_int8(const GemmInt8& g, const Team& team, void* scratch) {
  if (g.m <= 0 || g.n <= 0 || g.batch <= 0) return;
  const Cut8 cut = cut_of(g, team.width());
  auto* memory = static_cast<uint8_t*>(scratch);
  auto run = [&](int64_t task, int slot) { run_task(g, cut, task, memory + slot * cut.slot_bytes); };
  if (cut.tasks == 1 ||
      static_cast<double>(g.batch) * static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k) <
          1e6) {
    for (int64_t t = 0; t < cut.tasks; ++t) run(t, 0);
    return;
  }
  team.for_tasks(cut.tasks, run);
}

}  // namespace tenon::kernels
