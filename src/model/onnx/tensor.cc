// TensorReader: raw, typed and external contents; sparse tensors.
// SPDX-License-Identifier: MIT
#include "model/onnx/tensor.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/os/file.h"

namespace tenon::model::onnx {
namespace {

/// Tensors from this size on are not copied before somebody reads them, and give the file's pages back at the end.
constexpr int64_t kLargeFrom = 1 << 16;

/// Bytes of a file at an address that their element type may not be read from.
class UnalignedData final : public DeferredData {
 public:
  UnalignedData(Ref<Buffer> source, size_t bytes, bool mapped)
      : source_(std::move(source)), size_(bytes), mapped_(mapped) {}

 protected:
  const void* stored() const override { return source_->data(); }
  Result<Ref<Buffer>> make() override {
    TENON_ASSIGN(auto copy, Buffer::allocate(size_));
    std::memcpy(copy->data(), source_->data(), size_);
    if (mapped_) os::drop_mapped_pages(source_->data(), size_);
    return copy;
  }

 private:
  Ref<Buffer> source_;  // kept: somebody may read the bytes where they stand
  size_t size_;
  bool mapped_;
};

static_assert(std::endian::native == std::endian::little, "raw bytes are used as they stand");

/// The numbered field that holds typed data, and how many of its entries make the tensor.
struct TypedField {
  uint32_t number = 0;
  int64_t entries = 0;
};

TypedField typed_field(DType t, int64_t count) {
  switch (t) {
    case DType::kF32: return {4, count};
    case DType::kC64: return {4, 2 * count};
    case DType::kF64: return {10, count};
    case DType::kC128: return {10, 2 * count};
    case DType::kI64: return {7, count};
    case DType::kU32:
    case DType::kU64: return {11, count};
    case DType::kString: return {6, count};
    default: return {5, is_sub_byte(t) ? byte_size(t, count) : count};
  }
}

/// Calls add(pointer to bytes, count) for floating-point entries, add(uint64) for integers, add(view) for strings.
template <class F>
Status each_entry(const TensorProto& proto, uint32_t number, const F& add) {
  WireReader in(proto.all, "TensorProto");
  for (Field f; in.next(f);) {
    if (f.number != number) continue;
    if constexpr (std::is_invocable_v<F, std::string_view>) {
      std::string_view text;
      in.take(f, text);
      add(text);
    } else if constexpr (std::is_invocable_v<F, uint64_t>) {
      in.each_varint(f, add);
    } else {
      if (number == 4) in.each_fixed<float>(f, add);
      else in.each_fixed<double>(f, add);
    }
  }
  return in.status();
}

Result<int64_t> entry_count(const TensorProto& proto, uint32_t number) {
  int64_t n = 0;
  if (number == 4 || number == 10) {
    TENON_TRY(each_entry(proto, number, [&](const uint8_t*, size_t k) { n += static_cast<int64_t>(k); }));
  } else if (number == 6) {
    TENON_TRY(each_entry(proto, number, [&](std::string_view) { ++n; }));
  } else {
    TENON_TRY(each_entry(proto, number, [&](uint64_t) { ++n; }));
  }
  return n;
}

template <class T>
Status fill_ints(const TensorProto& proto, uint32_t number, T* to) {
  bool fits = true;
  TENON_TRY(each_entry(proto, number, [&](uint64_t v) {
    // Types below 32 bits stand in int32 entries: accepted as the number itself or as its bits.
    if constexpr (sizeof(T) < 4) {
      const int64_t n = static_cast<int64_t>(v);
      constexpr int64_t kEnd = int64_t{1} << (8 * sizeof(T));
      if (n < -kEnd / 2 || n >= kEnd) fits = false;
    }
    *to++ = static_cast<T>(v);
  }));
  if (!fits) return invalid("a number of its int32 data is outside the range of its type");
  return {};
}

Status fill_typed(const TensorProto& proto, const TypedField& field, Tensor& t) {
  switch (t.dtype()) {
    case DType::kF32:
    case DType::kC64:
    case DType::kF64:
    case DType::kC128: {
      auto* to = t.as<uint8_t>();
      const size_t width = field.number == 4 ? 4 : 8;
      return each_entry(proto, field.number, [&](const uint8_t* from, size_t n) {
        if (n) std::memcpy(to, from, n * width);
        to += n * width;
      });
    }
    case DType::kString: {
      auto* to = t.as<StringRef>();
      return each_entry(proto, field.number, [&](std::string_view s) { *to++ = t.strings()->add(s); });
    }
    case DType::kI64:
    case DType::kU64: return fill_ints(proto, field.number, t.as<uint64_t>());
    case DType::kI32:
    case DType::kU32: return fill_ints(proto, field.number, t.as<uint32_t>());
    default:
      return bit_width(t.dtype()) == 16 ? fill_ints(proto, 5, t.as<uint16_t>()) : fill_ints(proto, 5, t.as<uint8_t>());
  }
}

/// Truth values are 0 or 1 everywhere inside; a file may hold other bytes. Copies when it does.
Status normalise_bools(Tensor& t) {
  auto bytes = std::span(static_cast<const uint8_t*>(t.data()), static_cast<size_t>(t.count()));
  if (std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b < 2; })) return {};
  TENON_ASSIGN(t, t.clone());
  for (auto& b : std::span(t.as<uint8_t>(), static_cast<size_t>(t.count()))) b = b != 0;
  return {};
}

}  // namespace

Result<DType> element_type(int32_t number) {
  if (number >= 0 && number < kDTypeCount) return static_cast<DType>(number);
  if (number == 27 || number == 28)
    return error(Code::kNotImplemented, "element type ", number, " (6-bit float) is not supported");
  return error(Code::kInvalidGraph, "element type ", number, " is not known");
}

Tensor TensorReader::view(DType dtype, Shape shape, const ExternalData::Place& place, Status* fault) {
  char* data = static_cast<char*>(place.buffer->data()) + place.offset;
  const int64_t bytes = byte_size(dtype, product(shape));
  const uintptr_t align = static_cast<uintptr_t>(std::clamp(byte_width(dtype), 1, 8));
  const bool aligned = reinterpret_cast<uintptr_t>(data) % align == 0, large = bytes >= kLargeFrom;
  Ref<Buffer> source = place.buffer;
  size_t offset = place.offset;
  if (large && place.mapped) {  // its pages can be had again from the file, so they go with the last handle
    size_t size = static_cast<size_t>(bytes);
    source = Buffer::wrap(data, size, [file = place.buffer, data, size] { os::drop_mapped_pages(data, size); });
    offset = 0;
  }
  if (aligned) {
    Tensor t(dtype, std::move(shape), std::move(source), offset);
    if (fault->ok() && dtype == DType::kBool) *fault = normalise_bools(t);
    return t;
  }
  if (!large) {
    auto copy = Tensor::allocate(dtype, std::move(shape));
    if (!copy.ok()) {
      *fault = copy.status();
      return {};
    }
    if (bytes) std::memcpy(copy->data(), data, static_cast<size_t>(bytes));
    return std::move(copy).value();
  }
  if (!place.mapped) source = Buffer::wrap(data, static_cast<size_t>(bytes), [file = place.buffer] {});
  Ref<DeferredData> deferred = make_ref<UnalignedData>(std::move(source), static_cast<size_t>(bytes), place.mapped);
  return Tensor(dtype, std::move(shape), std::move(deferred));
}

Result<std::pair<DType, Shape>> TensorReader::type_of(const TensorProto& proto) {
  TENON_ASSIGN(DType dtype, element_type(proto.data_type));
  if (dtype == DType::kUndefined) return error(Code::kInvalidGraph, "no element type is stated");
  if (proto.dims.size() > kMaxRank) return invalid(proto.dims.size(), " dimensions are more than ", kMaxRank);
  Shape shape(std::span<const int64_t>(proto.dims.data(), proto.dims.size()));
  TENON_ASSIGN(int64_t count, checked_count(shape));
  int64_t bits = 0;
  if (!checked_mul(count, bit_width(dtype), &bits)) return invalid("shape ", list_text(shape), " has too many bytes");
  return std::pair(dtype, shape);
}

Result<Tensor> TensorReader::read(Bytes bytes) {
  TensorProto proto;
  TENON_TRY(parse(bytes, &proto));
  return read(proto);
}

Result<Tensor> TensorReader::read(const TensorProto& proto) {
  TENON_ASSIGN(auto type, type_of(proto));
  auto& [dtype, shape] = type;
  if (proto.segmented) return error(Code::kNotImplemented, "tensors in segments are not supported");
  const int64_t count = product(shape);
  const int64_t bytes = byte_size(dtype, count);
  Status fault;
  if (proto.external) {
    if (dtype == DType::kString) return invalid("strings cannot stand in external data");
    TENON_ASSIGN(auto place, external_->find(proto.external_data, bytes));
    Tensor t = view(dtype, shape, place, &fault);
    TENON_TRY(std::move(fault));
    return t;
  }
  if (proto.has_raw && (!proto.raw.empty() || count == 0)) {
    if (dtype == DType::kString) return invalid("strings cannot stand in raw data");
    if (static_cast<int64_t>(proto.raw.size()) != bytes)
      return invalid("type and shape ", name(dtype), list_text(shape), " need ", bytes, " bytes, the file has ",
                     proto.raw.size());
    if (count == 0) return Tensor::allocate(dtype, shape);
    const size_t offset = static_cast<size_t>(proto.raw.data() - static_cast<const uint8_t*>(file_->data()));
    Tensor t = view(dtype, shape, {file_, offset, mapped_}, &fault);
    TENON_TRY(std::move(fault));
    return t;
  }
  const TypedField field = typed_field(dtype, count);
  TENON_ASSIGN(int64_t entries, entry_count(proto, field.number));
  if (entries != field.entries)
    return invalid("type and shape ", name(dtype), list_text(shape), " need ", field.entries, " numbers, the file has ",
                   entries);
  TENON_ASSIGN(Tensor t, Tensor::allocate(dtype, shape));
  TENON_TRY(fill_typed(proto, field, t));
  if (dtype == DType::kBool) TENON_TRY(normalise_bools(t));
  return t;
}

Result<ir::SparseTensor> TensorReader::read_sparse(Bytes bytes, std::string_view* label) {
  SparseTensorProto proto;
  TENON_TRY(parse(bytes, &proto));
  TensorProto values;
  TENON_TRY(parse(proto.values, &values));
  if (label) *label = values.name;
  ir::SparseTensor out;
  if (proto.dims.size() > kMaxRank) return invalid(proto.dims.size(), " dimensions are more than ", kMaxRank);
  out.dims = Shape(std::span<const int64_t>(proto.dims.data(), proto.dims.size()));
  TENON_ASSIGN(int64_t dense, checked_count(out.dims));
  TENON_ASSIGN(out.values, read(values));
  if (proto.indices.data()) {
    TENON_ASSIGN(out.indices, read(proto.indices));
  } else {
    TENON_ASSIGN(out.indices, Tensor::allocate(DType::kI64, Shape{0}));
  }
  const int64_t n = out.values.count();
  const int64_t rank = static_cast<int64_t>(out.dims.size());
  auto& at = out.indices;
  if (out.values.shape().size() != 1) return invalid("sparse values are ", out.values.to_string(), ", not a list");
  if (at.dtype() != DType::kI64) return invalid("sparse indices are ", at.to_string(), ", not i64");
  const bool linear = at.shape().size() == 1 && at.shape()[0] == n;
  const bool by_axis = at.shape().size() == 2 && at.shape()[0] == n && at.shape()[1] == rank;
  if (!linear && !by_axis) return invalid("sparse indices are ", at.to_string(), " for ", n, " values of rank ", rank);
  const auto* index = at.as<int64_t>();
  for (int64_t i = 0; i < at.count(); ++i) {
    const int64_t end = linear ? dense : out.dims[static_cast<size_t>(i % rank)];
    if (index[i] < 0 || index[i] >= end) return invalid("sparse index ", index[i], " is outside [0,", end - 1, "]");
  }
  return out;
}

Result<Tensor> densify(const ir::SparseTensor& sparse) {
  const DType dtype = sparse.values.dtype();
  if (dtype == DType::kString || is_sub_byte(dtype))
    return error(Code::kNotImplemented, "sparse tensors of ", name(dtype), " are not supported");
  TENON_ASSIGN(int64_t count, checked_count(sparse.dims));
  int64_t bytes = 0;
  // 64 MiB, or one value in 256: beyond it the file is a trap rather than a model.
  if (!checked_mul(count, byte_width(dtype), &bytes) || bytes > (int64_t{64} << 20) + 256 * sparse.values.bytes())
    return invalid("a sparse tensor of shape ", list_text(sparse.dims), " has only ", sparse.values.count(),
                   " values: refused");
  TENON_ASSIGN(auto buffer, Buffer::allocate(static_cast<size_t>(bytes), true));
  Tensor out(dtype, sparse.dims, std::move(buffer));
  const size_t width = static_cast<size_t>(byte_width(dtype));
  const auto* index = sparse.indices.as<int64_t>();
  const size_t rank = sparse.dims.size();
  const bool linear = sparse.indices.shape().size() == 1;
  for (int64_t i = 0; i < sparse.values.count(); ++i) {
    int64_t to = linear ? index[i] : 0;
    if (!linear)
      for (size_t a = 0; a < rank; ++a) to = to * sparse.dims[a] + index[static_cast<size_t>(i) * rank + a];
    std::memcpy(out.as<uint8_t>() + static_cast<size_t>(to) * width,
                sparse.values.as<uint8_t>() + static_cast<size_t>(i) * width, width);
  }
  return out;
}

}  // namespace tenon::model::onnx
