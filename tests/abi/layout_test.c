// Checks at compile time that the C headers have the agreed layout: compiled as C17.
// SPDX-License-Identifier: MIT
#include "ort/onnxruntime_c_api.h"
#include "ort/onnxruntime_training_c_api.h"

#define SLOT(table, index, name) _Static_assert(offsetof(table, name) == 8 * (index), #table "." #name);
#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type);
#define FIELD(type, name, offset) _Static_assert(offsetof(type, name) == (offset), #type "." #name);
#define CODE(name, value) _Static_assert((long long)(name) == (value), #name);
#include "layout.inc"

int main(void) { return 0; }
