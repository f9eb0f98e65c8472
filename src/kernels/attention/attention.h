// Scaled dot product attention in f32 with grouped heads, additive mask, causal and local windows, past keys.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "base/status.h"
#include "threads/team.h"

namespace tenon {

/// One 4-D operand as strides in floats over batch, head and position; the last dimension is dense. So [B, H, S, D] and
/// [B, S, H, D] (packed projections) are both read where they lie.
struct HeadStrides {
  int64_t batch = 0, head = 0, position = 0;
};

/// Shapes and operands. Query head h reads key and value head h / (q_heads / kv_heads).
struct Attention {
  int64_t batch = 1, q_heads = 1, kv_heads = 1;
  int64_t q_len = 0;                 ///< query positions
  int64_t kv_len = 0;                ///< key positions, past included
  int64_t head_size = 0;             ///< of q and k
  int64_t v_head_size = 0;           ///< of v and the output
  float scale = 0;                   ///< factor on q k^T; 0 means 1 / sqrt(head_size)
  float softcap = 0;                 ///< c tanh(s / c) on the scores when above 0
  bool causal = false;               ///< query i sees keys up to i + causal_offset
  int64_t causal_offset = 0;         ///< usually kv_len - q_len (past length)
  int64_t window = 0;                ///< above 0: only the last `window` keys up to the query's own position
  const int64_t* kv_lens = nullptr;  ///< [batch] valid key counts (<= kv_len), or null; the causal offset of a batch
                                     ///< item is then kv_lens[b] - q_len when offset_from_lens is set
  bool offset_from_lens = false;
  const float* q = nullptr;
  const float* k = nullptr;  ///< key j of batch b, head g at k + b*batch + g*head + j*position
  const float* v = nullptr;
  HeadStrides q_strides, k_strides, v_strides, out_strides;
  const float* past_k = nullptr;  ///< when set, keys 0 .. past_len - 1 come from here and k holds the rest
  const float* past_v = nullptr;
  HeadStrides past_k_strides, past_v_strides;
  int64_t past_len = 0;
  const float* bias = nullptr;  ///< added to the scores (before the softmax, after the soft cap); strides may be 0
  int64_t bias_batch = 0, bias_head = 0, bias_row = 0, bias_column = 1;  ///< strides of bias in floats
  const bool* mask = nullptr;                                            ///< false forbids a key; strides may be 0
  int64_t mask_batch = 0, mask_head = 0, mask_row = 0, mask_column = 1;
  const float* sink = nullptr;  ///< [q_heads] extra logit that takes part in the softmax's sum only
  float* out = nullptr;
};

/// Bytes of scratch that attention() needs for these shapes and a team of `width` threads.
int64_t attention_scratch_bytes(const Attention& args, int width);

/// out = softmax(scale q k^T + bias, masked) v. A query that sees no key gives 0. `scratch` holds
/// attention_scratch_bytes() bytes, aligned to 64. Results do not depend on the team.
Status attention(const Attention& args, void* scratch, const Team& team);

}  // namespace tenon
