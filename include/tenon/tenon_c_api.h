// The C entry points of libtenon.so: the table of the peer's names, and later Tenon's own tools.
// SPDX-License-Identifier: MIT
#pragma once

#include "ort/onnxruntime_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The same as OrtGetApiBase, under a name that no other library has.
ORT_EXPORT const OrtApiBase* ORT_API_CALL TenonGetOrtApiBase(void) NO_EXCEPTION;

/// The same as OrtSessionOptionsAppendExecutionProvider_CPU, under a name that no other library has.
ORT_EXPORT OrtStatusPtr ORT_API_CALL TenonAppendCpuProvider(OrtSessionOptions* options, int use_arena) NO_EXCEPTION;

#ifdef __cplusplus
}
#endif
