// Adds the CPU provider to session options by a plain function.
// SPDX-License-Identifier: MIT
#pragma once

#include "onnxruntime_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The CPU provider is always there; `use_arena` chooses whether it keeps freed memory (1) or gives it back (0).
ORT_EXPORT OrtStatusPtr ORT_API_CALL OrtSessionOptionsAppendExecutionProvider_CPU(OrtSessionOptions* options,
                                                                                  int use_arena) NO_EXCEPTION;

#ifdef __cplusplus
}
#endif
