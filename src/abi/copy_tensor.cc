// Copies between tensors of the client.
// SPDX-License-Identifier: MIT
#include <cstring>

#include "abi/entry.h"
#include "abi/options.h"
#include "abi/type_info.h"

namespace tenon::abi {

Status copy_tensor(const OrtValue* from, OrtValue* to) {
  TENON_REQUIRE(from, to);
  const Value& a = unwrapped(*from_ort(from));
  Value& b = unwrapped(*from_ort(to));
  if (a.kind != Value::Kind::kTensor || b.kind != Value::Kind::kTensor)
    return invalid("Only tensors can be copied, not a ", type_text(a), " into a ", type_text(b));
  const Tensor& source = a.tensor;
  Tensor& target = b.tensor;
  if (source.dtype() != target.dtype() || !(source.shape() == target.shape()))
    return invalid("The source is ", source.to_string(), ", the destination ", target.to_string());
  if (source.dtype() != DType::kString) {
    if (source.bytes() != 0) std::memmove(target.data(), source.data(), static_cast<size_t>(source.bytes()));
    return {};
  }
  refresh_strings(source);
  TENON_TRY(need_string_objects(target));
  for (int64_t i = 0; i < source.count(); ++i)
    string_objects(target)[static_cast<size_t>(i)] = source.as<StringRef>()[i].view();
  refresh_strings(target);
  return {};
}

}  // namespace tenon::abi
