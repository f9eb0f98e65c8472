// One step of a recurrent layer for blocks of hidden units: the recurrent product, the gates and the new state.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "kernels/rnn/rnn.h"

namespace tenon::kernels {

/// Hidden units of a block; states are padded to whole blocks.
inline constexpr int64_t kRnnBlock = 16;
inline int64_t rnn_blocks(const RnnConfig& c) { return (c.hidden_size + kRnnBlock - 1) / kRnnBlock; }

template <class T>
struct RnnStep {
  const RnnConfig* config = nullptr;
  const RnnFunction* functions = nullptr;
  int64_t batch = 0;
  int64_t stride = 0;               ///< of all states: hidden units rounded up to blocks
  const T* r = nullptr;             ///< [blocks, gates, hidden, kRnnBlock]
  const T* x = nullptr;             ///< input products with bias: rows of [blocks, gates, kRnnBlock]
  const int64_t* rows = nullptr;    ///< [batch]: the row of x for this step
  const uint8_t* active = nullptr;  ///< [batch]: 0 once the entry has ended: its state stays
  const T* h = nullptr;             ///< [batch, stride]
  T* h_new = nullptr;               ///< [batch, stride]
  T* c = nullptr;                   ///< LSTM, changed in place
  T* update = nullptr;              ///< GRU without linear_before_reset: z, and
  T* reset = nullptr;               ///< r * h, between its two phases
  const T* hidden_bias = nullptr;   ///< GRU with linear_before_reset, [stride]
  const T* peephole = nullptr;      ///< LSTM [3, stride] or null
};

/// Blocks [begin, end). Phase 0 is all of the step, except for a GRU without linear_before_reset, where phase 1 may
/// start when phase 0 is done for all blocks.
void rnn_step(const RnnStep<float>& step, int phase, int64_t begin, int64_t end);
void rnn_step(const RnnStep<double>& step, int phase, int64_t begin, int64_t end);

/// out[i] = base[i] + products[i] * (by * scale[i]): integer products back in floats, added to what stands there.
void add_scaled(float* out, const float* base, const int32_t* products, const float* scale, float by, int64_t count);

}  // namespace tenon::kernels
