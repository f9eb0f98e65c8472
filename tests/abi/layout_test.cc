// Checks at compile time that the C headers have the agreed layout: compiled as C++20.
// SPDX-License-Identifier: MIT
#include "ort/onnxruntime_c_api.h"
#include "ort/onnxruntime_training_c_api.h"

#define SLOT(table, index, name) static_assert(offsetof(table, name) == 8 * (index), #table "." #name);
#define SIZE(type, bytes) static_assert(sizeof(type) == (bytes), #type);
#define FIELD(type, name, offset) static_assert(offsetof(type, name) == (offset), #type "." #name);
#define CODE(name, value) static_assert(static_cast<long long>(name) == (value), #name);
#include "layout.inc"

int main() { return 0; }
