// Runs one model through the C table: reads one float tensor from a file, writes the first output to a file.
// SPDX-License-Identifier: MIT
// usage: run_c MODEL IN OUT THREADS INPUT DIM...
#include <stdio.h>
#include <stdlib.h>

#include "onnxruntime_c_api.h"

static const OrtApi* api;

static void check(OrtStatus* status, const char* what) {
  if (!status) return;
  fprintf(stderr, "%s: code %d: %s\n", what, (int)api->GetErrorCode(status), api->GetErrorMessage(status));
  api->ReleaseStatus(status);
  exit(1);
}

int main(int argc, char** argv) {
  if (argc < 7) return 2;
  api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  if (!api) return 3;
  OrtEnv* env = NULL;
  OrtSessionOptions* options = NULL;
  OrtSession* session = NULL;
  OrtMemoryInfo* memory = NULL;
  OrtAllocator* allocator = NULL;
  check(api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "same", &env), "CreateEnv");
  check(api->CreateSessionOptions(&options), "CreateSessionOptions");
  check(api->SetIntraOpNumThreads(options, atoi(argv[4])), "SetIntraOpNumThreads");
  check(api->CreateSession(env, argv[1], options, &session), "CreateSession");
  check(api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory), "CreateCpuMemoryInfo");
  check(api->GetAllocatorWithDefaultOptions(&allocator), "GetAllocatorWithDefaultOptions");

  int64_t dims[8];
  size_t rank = (size_t)(argc - 6), count = 1;
  for (size_t i = 0; i < rank && i < 8; ++i) count *= (size_t)(dims[i] = atoll(argv[6 + i]));
  float* data = malloc(count * sizeof(float));
  FILE* in = fopen(argv[2], "rb");
  if (!in || fread(data, sizeof(float), count, in) != count) return 4;
  fclose(in);
  OrtValue *x = NULL, *y = NULL;
  check(api->CreateTensorWithDataAsOrtValue(memory, data, count * sizeof(float), dims, rank,
                                            ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &x),
        "CreateTensorWithDataAsOrtValue");
  char* name = NULL;
  check(api->SessionGetOutputName(session, 0, allocator, &name), "SessionGetOutputName");
  const char* inputs[] = {argv[5]};
  const char* outputs[] = {name};
  check(api->Run(session, NULL, inputs, (const OrtValue* const*)&x, 1, outputs, 1, &y), "Run");

  OrtTensorTypeAndShapeInfo* info = NULL;
  size_t elements = 0;
  void* result = NULL;
  check(api->GetTensorTypeAndShape(y, &info), "GetTensorTypeAndShape");
  check(api->GetTensorShapeElementCount(info, &elements), "GetTensorShapeElementCount");
  check(api->GetTensorMutableData(y, &result), "GetTensorMutableData");
  FILE* out = fopen(argv[3], "wb");
  if (!out || fwrite(result, sizeof(float), elements, out) != elements) return 5;
  fclose(out);

  check(api->AllocatorFree(allocator, name), "AllocatorFree");
  api->ReleaseTensorTypeAndShapeInfo(info);
  api->ReleaseValue(y);
  api->ReleaseValue(x);
  api->ReleaseMemoryInfo(memory);
  api->ReleaseSession(session);
  api->ReleaseSessionOptions(options);
  api->ReleaseEnv(env);
  free(data);
  return 0;
}
