// LSTM with weights of 8 bits: inputs and states are quantised as they come, products are exact integers.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "kernels/gemm/gemm_int8.h"
#include "kernels/rnn/rnn.h"
#include "threads/team.h"

namespace tenon::kernels {

/// One weight matrix of a direction as given: values [rows, 4 H], gates in the order input, output, forget, cell, with
/// one scale and zero point, or one for each column.
struct QuantizedMatrix {
  const void* values = nullptr;
  const float* scale = nullptr;
  const void* zero = nullptr;  ///< of the values' type
  bool per_column = false;
  bool is_signed = false;
};

/// The weights of a direction, columns by blocks of hidden units, rounded up to whole blocks.
struct QuantizedLstmWeights {
  struct Part {
    PackedInt8 packed;
    std::vector<float> scale;
    std::vector<uint8_t> zero;  ///< bytes of the values' type
    bool is_signed = false;
  };
  Part w, r;
  std::vector<float> bias;      ///< Wb + Rb
  std::vector<float> peephole;  ///< i, o, f, or empty
};

/// `config` gives sizes; bias [8 H] and peephole [3 H] may be null.
Result<QuantizedLstmWeights> pack_quantized_lstm(const RnnConfig& config, const QuantizedMatrix& w,
                                                 const QuantizedMatrix& r, const float* bias, const float* peephole,
                                                 const Team& team);

/// Bytes of scratch of a run, aligned to 64.
int64_t quantized_lstm_scratch_bytes(const RnnConfig& config, int64_t steps, int64_t batch, int team_width);
/// Runs all directions: weights[d] for each. X of all steps shares one quantisation scale, so do the states of a step.
/// Fails when a length is outside 0..steps.
Status run_quantized_lstm(const RnnConfig& config, const QuantizedLstmWeights* weights, const RnnRun<float>& run,
                          void* scratch, const Team& team);

}  // namespace tenon::kernels
