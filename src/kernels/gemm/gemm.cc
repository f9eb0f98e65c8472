// The driver of matrix products: cuts them into tasks, stages operands, calls the tile kernels.
// SPDX-License-Identifier: MIT
#include "kernels/gemm/gemm.h"

#include <algorithm>
#include <cstring>

#include "kernels/gemm/blocking.h"
#include "kernels/gemm/micro.h"

namespace tenon::kernels {
namespace {

template <class T>
const MicroKernels<T>& micro() {
  if constexpr (sizeof(T) == 4) return micro_f32();
  else return micro_f64();
}

/// The cut of a product: tasks are (matrix, range of rows, range of columns).
struct Cut {
  int64_t kb;    // rows of B summed at a time
  int64_t rows;  // rows of C a task
  int64_t cols;  // columns of C a task, whole panels
  int64_t row_tasks, col_tasks, tasks;
  bool stage_a;        // copy rows of A into scratch
  bool stage_b;        // pack blocks of B into scratch
  int64_t a_ld;        // row stride of staged A
  int64_t slot_items;  // scratch elements a thread
};

template <class T>
Cut cut_of(const Gemm<T>& g, int width) {
  const MicroKernels<T>& mk = micro<T>();
  Cut cut{};
  cut.kb = k_block<T>(g.k);
  const int64_t tiles = std::max<int64_t>(ceil_div(g.m, mk.mr), 1);
  const int64_t panels = std::max<int64_t>(ceil_div(g.n, mk.nr), 1);
  const int64_t most_panels = n_block<T>(cut.kb, mk.nr) / mk.nr;
  // Cost in ns at modest rates: what computing takes, or what reading B takes.
  const double cost = static_cast<double>(g.batch) * static_cast<double>(g.n) * static_cast<double>(g.k) *
                      std::max(static_cast<double>(g.m) * 2 / 40, static_cast<double>(sizeof(T)) / 10);
  int64_t wanted = width == 1 ? 1 : std::clamp<int64_t>(static_cast<int64_t>(cost / 10'000), 1, int64_t{width} * 4);
  wanted = ceil_div(wanted, g.batch);
  int64_t col_tasks = ceil_div(panels, most_panels);
  int64_t row_tasks = 1;
  if (wanted > col_tasks) {
    const bool split_rows_first =
        g.packed != nullptr && tiles >= 4;  // raw B would be packed once for each range of rows
    const int64_t most_rows = std::max<int64_t>(tiles / 2, 1), most_cols = std::max<int64_t>(panels / 2, 1);
    if (split_rows_first) {
      row_tasks = std::min(ceil_div(wanted, col_tasks), most_rows);
      if (row_tasks * col_tasks < wanted)
        col_tasks = std::max(col_tasks, std::min(ceil_div(wanted, row_tasks), most_cols));
    } else {
      col_tasks = std::max(col_tasks, std::min(wanted, most_cols));
      if (row_tasks * col_tasks < wanted) row_tasks = std::min(ceil_div(wanted, col_tasks), most_rows);
    }
  }
  cut.cols = ceil_div(panels, col_tasks) * mk.nr;
  cut.col_tasks = std::max<int64_t>(ceil_div(g.n, cut.cols), 1);
  cut.rows = ceil_div(tiles, row_tasks) * mk.mr;
  cut.row_tasks = std::max<int64_t>(ceil_div(g.m, cut.rows), 1);
  cut.tasks = g.batch * cut.row_tasks * cut.col_tasks;
  const int64_t task_rows = std::min(g.m, cut.rows);
  // Rows of A whose stride is a large power of two would fall into few sets of the first-level cache.
  cut.stage_a = g.trans_a || (g.lda * static_cast<int64_t>(sizeof(T)) % 1024 == 0 && g.m > 4 && cut.cols > 2 * mk.nr);
  cut.stage_b = !g.packed && (g.trans_b || task_rows > 2 * mk.mr || g.n < mk.nr);
  cut.a_ld = round_up(cut.kb, 16) + 16;
  int64_t items = 0;
  if (cut.stage_a) items += cut.a_ld * mk.mr;
  if (!g.packed) items += cut.kb * (cut.stage_b ? cut.cols : mk.nr);
  cut.slot_items = round_up(items, 16);
  return cut;
}

template <class T>
void run_task(const Gemm<T>& g, const Cut& cut, int64_t task, T* scratch) {
  const MicroKernels<T>& mk = micro<T>();
  const int64_t col_task = task % cut.col_tasks;
  const int64_t row_task = task / cut.col_tasks % cut.row_tasks;
  const int64_t item = task / (cut.col_tasks * cut.row_tasks);
  const int64_t row0 = row_task * cut.rows, rows = std::min(cut.rows, g.m - row0);
  const int64_t col0 = col_task * cut.cols, cols = std::min(cut.cols, g.n - col0);
  const T* a = g.a + (g.offsets_a ? g.offsets_a[item] : item * g.stride_a);
  T* c = g.c + (g.offsets_c ? g.offsets_c[item] : item * g.stride_c) + col0;
  const T* residual =
      g.residual ? g.residual + (g.offsets_c ? g.offsets_c[item] : item * g.stride_residual) + col0 : nullptr;
  const T* b = nullptr;
  const int64_t full_cols = cols / mk.nr * mk.nr;
  if (g.packed) {
    const int64_t matrix = g.offsets_b ? g.offsets_b[item] : item % g.packed->batch;
    b = g.packed->data + (matrix * round_up(g.n, mk.nr) + col0) * g.k;
  } else {
    b = g.b + (g.offsets_b ? g.offsets_b[item] : item * g.stride_b) + (g.trans_b ? col0 * g.ldb : col0);
  }
  T* a_stage = scratch;
  T* b_stage = scratch + (cut.stage_a ? cut.a_ld * mk.mr : 0);

  Finish<T> finish{nullptr, nullptr, g.residual_ld, g.act};
  TileStore<T> store;
  store.alpha = g.alpha;
  store.beta = g.beta;
  if (!g.bias_row && !residual && (g.act.kind == Act::kRelu || g.act.kind == Act::kClip)) {
    store.lo = g.act.kind == Act::kRelu ? T{0} : static_cast<T>(g.act.a);
    if (g.act.kind == Act::kClip) store.hi = static_cast<T>(g.act.b);
    finish.act = {};
  }
  const bool finishing = g.bias_row || residual || finish.act.kind != Act::kNone;

  const int64_t tiles = ceil_div(rows, mk.mr);
  for (int64_t k0 = 0; k0 == 0 || k0 < g.k; k0 += cut.kb) {
    const int64_t kb = std::min(cut.kb, g.k - k0);
    store.accumulate = k0 > 0;
    store.last = k0 + kb >= g.k;
    store.bias = store.last && g.bias_col ? g.bias_col + col0 : nullptr;
    const T* bb;
    int64_t ldb = mk.nr, panel_stride;
    if (g.packed) {
      bb = b + k0 * mk.nr;
      panel_stride = g.k * mk.nr;
    } else if (cut.stage_b) {
      panel_stride = kb * mk.nr;
      mk.pack_panels(b + (g.trans_b ? k0 : k0 * g.ldb), g.ldb, g.trans_b, kb, cols, b_stage, panel_stride);
      bb = b_stage;
    } else {
      bb = b + k0 * g.ldb;
      ldb = g.ldb;
      panel_stride = mk.nr;
      if (full_cols < cols) mk.pack_panels(bb + full_cols, g.ldb, false, kb, cols - full_cols, b_stage, kb * mk.nr);
    }
    const int64_t whole = g.packed || cut.stage_b ? cols : full_cols;
    for (int64_t t = 0; t < tiles; ++t) {
      const int64_t r0 = row0 + t * rows / tiles, r1 = row0 + (t + 1) * rows / tiles;
      const int count = static_cast<int>(r1 - r0);
      const T* ar = a + (g.trans_a ? k0 * g.lda + r0 : r0 * g.lda + k0);
      int64_t lda = g.lda;
      if (cut.stage_a) {
        if (g.trans_a) mk.transpose(ar, g.lda, kb, count, a_stage, cut.a_ld);
        else
          for (int r = 0; r < count; ++r)
            std::memcpy(a_stage + r * cut.a_ld, ar + r * g.lda, static_cast<size_t>(kb) * sizeof(T));
        ar = a_stage;
        lda = cut.a_ld;
      }
      T* cr = c + r0 * g.ldc;
      if (whole) mk.row_block(count, kb, ar, lda, bb, ldb, panel_stride, whole, cr, g.ldc, store);
      if (whole < cols) {
        TileStore<T> rest = store;
        if (rest.bias) rest.bias += whole;
        mk.row_block(count, kb, ar, lda, b_stage, mk.nr, kb * mk.nr, cols - whole, cr + whole, g.ldc, rest);
      }
      if (store.last && finishing) {
        finish.bias_row = g.bias_row ? g.bias_row + r0 : nullptr;
        finish.residual = residual ? residual + r0 * g.residual_ld : nullptr;
        mk.finish(cr, g.ldc, count, cols, finish);
      }
    }
  }
}

}  // namespace

template <class T>
int64_t packed_b_bytes(int64_t k, int64_t n, int64_t batch) {
  return batch * k * round_up(n, micro<T>().nr) * static_cast<int64_t>(sizeof(T));
}

template <class T>
PackedB<T> pack_b_into(const T* b, int64_t ldb, bool trans, int64_t k, int64_t n, T* memory, const Team& team,
                       int64_t batch, int64_t stride) {
  const MicroKernels<T>& mk = micro<T>();
  const int64_t panels = ceil_div(n, mk.nr), panel_stride = k * mk.nr;
  team.parallel_for_cost(batch * panels, static_cast<double>(k * mk.nr) * 0.4, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t j = p % panels * mk.nr;
      mk.pack_panels(b + p / panels * stride + (trans ? j * ldb : j), ldb, trans, k, std::min<int64_t>(mk.nr, n - j),
                     memory + p * panel_stride, panel_stride);
    }
  });
  PackedB<T> packed;
  packed.data = memory;
  packed.k = k;
  packed.n = n;
  packed.batch = batch;
  return packed;
}

template <class T>
Result<PackedB<T>> pack_b(const T* b, int64_t ldb, bool trans, int64_t k, int64_t n, const Team& team, int64_t batch,
                          int64_t stride) {
  TENON_ASSIGN(Ref<Buffer> memory, Buffer::allocate(static_cast<size_t>(packed_b_bytes<T>(k, n, batch))));
  PackedB<T> packed = pack_b_into(b, ldb, trans, k, n, static_cast<T*>(memory->data()), team, batch, stride);
  packed.memory = std::move(memory);
  return packed;
}

template <class T>
int64_t gemm_scratch_bytes(const Gemm<T>& g, int width) {
  if (g.m <= 0 || g.n <= 0 || g.batch <= 0) return 0;
  return cut_of(g, width).slot_items * std::max(width, 1) * static_cast<int64_t>(sizeof(T));
}

template <class T>
void gemm(const Gemm<T>& g, const Team& team, void* scratch) {
  if (g.m <= 0 || g.n <= 0 || g.batch <= 0) return;
  const Cut cut = cut_of(g, team.width());
  T* memory = static_cast<T*>(scratch);
  auto run = [&](int64_t task, int slot) { run_task(g, cut, task, memory + slot * cut.slot_items); };
  const double flops = 2.0 * static_cast<double>(g.batch) * static_cast<double>(g.m) * static_cast<double>(g.n) *
                       static_cast<double>(g.k);
  if (cut.tasks == 1 || flops < 500'000) {  // some ten microseconds: not worth a second thread
    for (int64_t t = 0; t < cut.tasks; ++t) run(t, 0);
    return;
  }
  team.for_tasks(cut.tasks, run);
}

template Result<PackedB<float>> pack_b(const float*, int64_t, bool, int64_t, int64_t, const Team&, int64_t, int64_t);
template Result<PackedB<double>> pack_b(const double*, int64_t, bool, int64_t, int64_t, const Team&, int64_t, int64_t);
template PackedB<float> pack_b_into(const float*, int64_t, bool, int64_t, int64_t, float*, const Team&, int64_t,
                                    int64_t);
template PackedB<double> pack_b_into(const double*, int64_t, bool, int64_t, int64_t, double*, const Team&, int64_t,
                                     int64_t);
template int64_t packed_b_bytes<float>(int64_t, int64_t, int64_t);
template int64_t packed_b_bytes<double>(int64_t, int64_t, int64_t);
template int64_t gemm_scratch_bytes(const Gemm<float>&, int);
template int64_t gemm_scratch_bytes(const Gemm<double>&, int);
template void gemm(const Gemm<float>&, const Team&, void*);
template void gemm(const Gemm<double>&, const Team&, void*);

}  // namespace tenon::kernels
