// RNN, GRU and LSTM layers of ONNX: all directions, layouts, activations, peepholes, clip and sequence lengths.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "kernels/gemm/gemm.h"
#include "threads/team.h"

namespace tenon::kernels {

enum class RnnKind { kRnn, kGru, kLstm };
enum class RnnDirection { kForward, kReverse, kBidirectional };
enum class RnnActivation {
  kRelu,
  kTanh,
  kSigmoid,
  kAffine,
  kLeakyRelu,
  kThresholdedRelu,
  kScaledTanh,
  kHardSigmoid,
  kElu,
  kSoftsign,
  kSoftplus
};
struct RnnFunction {
  RnnActivation kind = RnnActivation::kTanh;
  float alpha = 0;
  float beta = 0;
};
/// The activation of an ONNX name (any case) with the default alpha and beta of the specification. `takes` tells how
/// many of (alpha, beta) the function consumes from the attribute lists: 0, 1 (alpha) or 2.
Result<RnnFunction> rnn_function(std::string_view name, int* takes);

/// The static part of a layer: what the attributes say.
struct RnnConfig {
  RnnKind kind = RnnKind::kLstm;
  RnnDirection direction = RnnDirection::kForward;
  int64_t input_size = 0;
  int64_t hidden_size = 0;
  bool batch_first = false;          ///< ONNX layout 1
  float clip = 0;                    ///< bound of the pre-activations; 0: none
  bool linear_before_reset = false;  ///< GRU
  bool input_forget = false;         ///< LSTM: forget gate is 1 - input gate
  RnnFunction functions[2][3];       ///< per direction: f, g, h of ONNX (RNN uses f; GRU f, g; LSTM f, g, h)

  int64_t directions() const { return direction == RnnDirection::kBidirectional ? 2 : 1; }
  int64_t gates() const { return kind == RnnKind::kLstm ? 4 : kind == RnnKind::kGru ? 3 : 1; }
};
/// The functions that ONNX takes when the attribute is absent.
void set_default_functions(RnnConfig* config);

/// Weights of a layer rearranged for the step loop. T is float or double. Immutable, may be shared between runs.
template <class T>
struct RnnWeights {
  PackedB<T> w[2];                ///< per direction: input weights, packed
  std::vector<T> r[2];            ///< recurrent weights, packed by blocks of hidden units, all gates together
  std::vector<T> bias[2];         ///< added to the input product: Wb + Rb, but for hidden_bias
  std::vector<T> hidden_bias[2];  ///< GRU with linear_before_reset: Rb of the h gate
  std::vector<T> peephole[2];     ///< LSTM: i, o, f, or empty
};
/// W [D, G*H, I], R [D, G*H, H], B [D, 2*G*H] or null, P [D, 3*H] or null. Allocates; done once for constant weights.
template <class T>
Result<RnnWeights<T>> pack_rnn(const RnnConfig& config, const T* w, const T* r, const T* b, const T* p,
                               const Team& team);

/// Operands of one run. Null means absent. Shapes with layout 0 (batch_first swaps as ONNX says):
template <class T>
struct RnnRun {
  int64_t steps = 0;
  int64_t batch = 0;
  const T* x = nullptr;              ///< [steps, batch, I]
  const int32_t* lengths = nullptr;  ///< [batch], each 0..steps
  const T* initial_h = nullptr;      ///< [D, batch, H]
  const T* initial_c = nullptr;      ///< [D, batch, H], LSTM
  T* y = nullptr;                    ///< [steps, D, batch, H]; steps beyond an entry's length are 0
  T* y_h = nullptr;                  ///< [D, batch, H]
  T* y_c = nullptr;                  ///< [D, batch, H], LSTM
};
/// Bytes of scratch for a run of this size on a team of this width; alignment 64.
template <class T>
int64_t rnn_scratch_bytes(const RnnConfig& config, int64_t steps, int64_t batch, int team_width);
/// Fails when a length is outside 0..steps; otherwise fills the outputs that are not null.
template <class T>
Status run_rnn(const RnnConfig& config, const RnnWeights<T>& weights, const RnnRun<T>& run, void* scratch,
               const Team& team);

}  // namespace tenon::kernels
