// The C entry points of libtenon.so: the table of the peer's names, and Tenon's own small table for tools.
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

#define TENON_API_VERSION 2

/// What the peer's table lacks. Slots are only added at the end, each with a new version. Options and results are JSON
/// texts in UTF-8; options may be NULL. Statuses are those of OrtApi and are released with OrtApi::ReleaseStatus.
typedef struct TenonApi {
  uint32_t version;

  /// Frees a text that this table gave; NULL is fine.
  void(ORT_API_CALL* FreeText)(char* text) NO_EXCEPTION;

  /// Describes a model file without loading it for runs. Options: {"largest": n} how many of the largest weights are
  /// listed (10). The result has: file_bytes, ir_version, producer, opsets, metadata, inputs, outputs (name, type,
  /// has_default), weights (tensors, numbers, bytes, bytes_by_type, largest), nodes, subgraphs, operators (name,
  /// domain, count, known). Functions of the model are counted unfolded.
  OrtStatusPtr(ORT_API_CALL* DescribeModel)(const ORTCHAR_T* path, const char* options, char** result) NO_EXCEPTION;

  /// Since version 2. An empty sequence (ONNX_TYPE_SEQUENCE) of tensors of this element type, or an optional without a
  /// value (ONNX_TYPE_OPTIONAL), which OrtApi::CreateValue cannot make. Other kinds: INVALID_ARGUMENT.
  OrtStatusPtr(ORT_API_CALL* CreateEmptyValue)(ONNXType kind, ONNXTensorElementDataType element,
                                               OrtValue** out) NO_EXCEPTION;
} TenonApi;

/// The table, or NULL when the library is older than `version`.
ORT_EXPORT const TenonApi* ORT_API_CALL TenonGetApi(uint32_t version) NO_EXCEPTION;

#ifdef __cplusplus
}
#endif
