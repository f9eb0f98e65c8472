// libonnxruntime.so.1: hands every caller of the peer's two entry points to libtenon.so.
// SPDX-License-Identifier: MIT
//
// A client linked against release 1.N asks the loader for OrtGetApiBase@VERS_1.N.p, so the library carries one alias
// for each release, made by CMakeLists.txt. Built without link-time optimisation: assembler aliases need it.
#include "ort/cpu_provider_factory.h"
#include "ort/onnxruntime_c_api.h"
#include "tenon/tenon_c_api.h"

#ifdef TENON_SYMBOL_VERSIONS
#define FORWARD(name) forward_##name
#else
#define FORWARD(name) name
#endif

const OrtApiBase* FORWARD(OrtGetApiBase)(void) { return TenonGetOrtApiBase(); }

OrtStatusPtr FORWARD(OrtSessionOptionsAppendExecutionProvider_CPU)(OrtSessionOptions* options, int use_arena) {
  return TenonAppendCpuProvider(options, use_arena);
}

#ifdef TENON_SYMBOL_VERSIONS
#include "exports.inc"
#endif
