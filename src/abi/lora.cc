// Adapter files: FlatBuffers with named tensors; every offset is checked, the bytes are copied.
// SPDX-License-Identifier: MIT
//
// Identifier "TORT". Root: {format, adapter version, model version, parameters}; parameter: {name, dims, type, bytes}.
#include "abi/lora.h"

#include <cstring>
#include <span>

#include "abi/entry.h"
#include "abi/options.h"
#include "base/os/file.h"

namespace tenon::abi {

namespace {

Status malformed() { return error(Code::kFail, "The buffer does not appear to be a valid lora parameter format"); }

/// A FlatBuffers table inside a buffer.
class Table {
 public:
  static Result<Table> at(std::span<const uint8_t> all, size_t position) {
    Table t(all, position);
    int32_t back;
    if (!t.read(position, &back)) return malformed();
    const int64_t vtable = static_cast<int64_t>(position) - back;
    if (vtable < 0 || !t.read(static_cast<size_t>(vtable), &t.vtable_size_)) return malformed();
    t.vtable_ = static_cast<size_t>(vtable);
    if (t.vtable_size_ < 4 || t.vtable_ + t.vtable_size_ > all.size()) return malformed();
    return t;
  }
  /// Position of a field; 0 when it is absent.
  size_t field(unsigned index) const {
    const size_t entry = 4 + 2 * size_t{index};
    uint16_t offset = 0;
    if (entry + 2 > vtable_size_ || !read(vtable_ + entry, &offset)) return 0;
    return offset ? position_ + offset : 0;
  }
  template <class T>
  Result<T> scalar(unsigned index, T fallback) const {
    const size_t where = field(index);
    if (where == 0) return fallback;
    T value;
    if (!read(where, &value)) return malformed();
    return value;
  }
  /// What an offset field points at; 0 when the field is absent.
  Result<size_t> target(unsigned index) const {
    const size_t where = field(index);
    if (where == 0) return size_t{0};
    return follow(where);
  }
  Result<size_t> follow(size_t where) const {
    uint32_t offset;
    if (!read(where, &offset) || offset > all_.size() - where) return malformed();
    return where + offset;
  }
  /// A vector or string: its items, `width` bytes each.
  Result<std::span<const uint8_t>> items(unsigned index, size_t width) const {
    TENON_ASSIGN(const size_t where, target(index));
    if (where == 0) return std::span<const uint8_t>();
    uint32_t count;
    if (!read(where, &count) || count > (all_.size() - where - 4) / width) return malformed();
    return all_.subspan(where + 4, count * width);
  }
  size_t offset_of(std::span<const uint8_t> part) const { return static_cast<size_t>(part.data() - all_.data()); }

 private:
  Table(std::span<const uint8_t> all, size_t position) : all_(all), position_(position) {}
  template <class T>
  bool read(size_t where, T* out) const {
    if (where > all_.size() || all_.size() - where < sizeof(T)) return false;
    std::memcpy(out, all_.data() + where, sizeof(T));
    return true;
  }
  std::span<const uint8_t> all_;
  size_t position_, vtable_ = 0;
  uint16_t vtable_size_ = 0;
};

Result<ValueRef> read_parameter(const Table& p) {
  TENON_ASSIGN(const auto dims_bytes, p.items(1, 8));
  Shape dims;
  for (size_t i = 0; i < dims_bytes.size(); i += 8) {
    int64_t d;
    std::memcpy(&d, dims_bytes.data() + i, 8);
    dims.push_back(d);
  }
  TENON_ASSIGN(const int32_t type, p.scalar<int32_t>(2, 0));
  const auto dtype = static_cast<DType>(type);
  if (type <= 0 || type >= kDTypeCount || dtype == DType::kString)
    return error(Code::kFail, "A parameter has the element type ", type);
  TENON_ASSIGN(const auto raw, p.items(3, 1));
  TENON_ASSIGN(const int64_t count, checked_count(dims));
  if (static_cast<int64_t>(raw.size()) != byte_size(dtype, count))
    return error(Code::kFail, "A parameter of shape ", list_text(dims), " has ", raw.size(), " bytes instead of ",
                 byte_size(dtype, count));
  TENON_ASSIGN(Tensor tensor, Tensor::allocate(dtype, dims));
  if (!raw.empty()) std::memcpy(tensor.data(), raw.data(), raw.size());
  return tensor_value(std::move(tensor));
}

Result<std::unique_ptr<OrtLoraAdapter>> read_adapter(std::span<const uint8_t> bytes) {
  if (bytes.size() < 8 || std::memcmp(bytes.data() + 4, "TORT", 4) != 0) return malformed();
  uint32_t root;
  std::memcpy(&root, bytes.data(), 4);
  if (root >= bytes.size()) return malformed();
  TENON_ASSIGN(const Table table, Table::at(bytes, root));
  TENON_ASSIGN(const int32_t format, table.scalar<int32_t>(0, 0));
  if (format != 1) return error(Code::kFail, "The adapter has format version ", format, "; 1 is known");
  auto adapter = std::make_unique<OrtLoraAdapter>();
  TENON_ASSIGN(adapter->adapter_version, table.scalar<int32_t>(1, 0));
  TENON_ASSIGN(adapter->model_version, table.scalar<int32_t>(2, 0));
  TENON_ASSIGN(const auto list, table.items(3, 4));
  for (size_t i = 0; i < list.size(); i += 4) {
    TENON_ASSIGN(const size_t where, table.follow(table.offset_of(list) + i));
    TENON_ASSIGN(const Table parameter, Table::at(bytes, where));
    TENON_ASSIGN(const auto name, parameter.items(0, 1));
    TENON_ASSIGN(ValueRef value, read_parameter(parameter));
    adapter->parameters.emplace_back(std::string(name.begin(), name.end()), std::move(value));
  }
  return adapter;
}

}  // namespace

// The parameters live in CPU memory whatever the allocator: there is no other device.

OrtStatus* slots::CreateLoraAdapter(const char* adapter_file_path, OrtAllocator*, OrtLoraAdapter** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(adapter_file_path, out);
    auto mapping = os::FileMapping::open(adapter_file_path);
    if (!mapping.ok()) return invalid("The adapter file cannot be opened: ", mapping.status().message());
    TENON_ASSIGN(auto adapter, read_adapter(mapping.value().bytes()));
    *out = adapter.release();
    return {};
  });
}

OrtStatus* slots::CreateLoraAdapterFromArray(const void* bytes, size_t num_bytes, OrtAllocator*,
                                             OrtLoraAdapter** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(bytes, out);
    TENON_ASSIGN(auto adapter, read_adapter({static_cast<const uint8_t*>(bytes), num_bytes}));
    *out = adapter.release();
    return {};
  });
}

void slots::ReleaseLoraAdapter(OrtLoraAdapter* input) noexcept { delete input; }

OrtStatus* slots::RunOptionsAddActiveLoraAdapter(OrtRunOptions* options, const OrtLoraAdapter* adapter) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options, adapter);
    options->adapters.push_back(adapter);
    return {};
  });
}

}  // namespace tenon::abi
