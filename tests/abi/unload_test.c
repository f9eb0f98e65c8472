// A client closes the library while threads of the engine may still run: the code stays, and opening it again works.
// SPDX-License-Identifier: MIT
// usage: unload_test LIBONNXRUNTIME LIBTENON
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "ort/onnxruntime_c_api.h"

#define CHECK(condition)                                    \
  if (!(condition)) {                                       \
    fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
    return 1;                                               \
  }

typedef const OrtApiBase* (*GetBase)(void);

int main(int argc, char** argv) {
  CHECK(argc == 3);
  for (int round = 0; round < 3; ++round) {
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    CHECK(library);
    GetBase get_base = NULL;
    *(void**)&get_base = dlsym(library, "OrtGetApiBase");
    CHECK(get_base);
    const OrtApi* api = get_base()->GetApi(ORT_API_VERSION);
    CHECK(api);
    OrtEnv* env = NULL;
    CHECK(!api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "unload", &env));
    api->ReleaseEnv(env);
    CHECK(dlclose(library) == 0);
    void* engine = dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD);
    CHECK(engine);
    dlclose(engine);
    CHECK(strstr(api->GetBuildInfoString(), "Tenon"));
  }
  return 0;
}
