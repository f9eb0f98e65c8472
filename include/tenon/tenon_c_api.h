/* Tenon's own C table, for what OrtApi lacks: tools give options and get answers as JSON.
 * SPDX-License-Identifier: MIT */
#ifndef TENON_C_API_H
#define TENON_C_API_H
#include <stdint.h>

#include "ort/onnxruntime_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_API_VERSION 1

#if defined(_WIN32)
#define TENON_EXPORT
#else
#define TENON_EXPORT __attribute__((visibility("default")))
#endif

/** Slots are only added at the end. Texts are UTF-8 with a terminating zero; those that come out are freed with FreeText. */
typedef struct TenonApi {
  /** "0.1.0" */
  const char* (*GetVersion)(void);
  /** Facts of a model file as a JSON object: ir_version, opsets, producer, producer_version, metadata, inputs and outputs
   * (name, type), nodes, operators (name to count, subgraphs included), weight_bytes; and, when it can be run, program
   * (steps, regions, load_ms), else refused (why). options_json: an object, no keys yet. Returns 0, or an OrtErrorCode
   * with *fault set to the reason. */
  int (*DescribeModel)(const char* path, const char* options_json, char** answer, char** fault);
  /** NULL is allowed. */
  void (*FreeText)(char* text);
} TenonApi;

/** The table, or NULL when this library is older than `version`. Lives as long as the library. */
TENON_EXPORT const TenonApi* TenonGetApi(uint32_t version);

/** The same as OrtGetApiBase, under a name that no other library has. */
ORT_EXPORT const OrtApiBase* ORT_API_CALL TenonGetOrtApiBase(void) NO_EXCEPTION;

/** The same as OrtSessionOptionsAppendExecutionProvider_CPU, under a name that no other library has. */
ORT_EXPORT OrtStatusPtr ORT_API_CALL TenonAppendCpuProvider(OrtSessionOptions* options, int use_arena) NO_EXCEPTION;

#ifdef __cplusplus
}
#endif
#endif
