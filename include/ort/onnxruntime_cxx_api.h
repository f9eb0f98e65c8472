// The C++ classes over the C table, header only: namespace Ort, with the names and signatures that programs know.
// SPDX-License-Identifier: MIT
//
// Every class is one pointer wide. Classes without a prefix own what they hold; Const... and Unowned... only point.
// Failures throw Ort::Exception (with ORT_NO_EXCEPTIONS they print and abort). Define ORT_API_MANUAL_INIT to choose
// the table yourself with Ort::InitApi before anything else runs. Function bodies: onnxruntime_cxx_inline.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "onnxruntime_c_api.h"
#include "onnxruntime_float16.h"

#ifdef ORT_NO_EXCEPTIONS
#include <iostream>
#endif

namespace Ort {

/// A failed status as an exception.
struct Exception : std::exception {
  Exception(const std::string& string, OrtErrorCode code) : message_{string}, code_{code} {}
  Exception(std::string&& string, OrtErrorCode code) : message_{std::move(string)}, code_{code} {}
  OrtErrorCode GetOrtErrorCode() const { return code_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
  OrtErrorCode code_;
};

#ifdef ORT_NO_EXCEPTIONS
#ifndef ORT_CXX_API_THROW
#define ORT_CXX_API_THROW(string, code)                       \
  do {                                                        \
    std::cerr << Ort::Exception(string, code).what() << '\n'; \
    abort();                                                  \
  } while (false)
#endif
#else
#define ORT_CXX_API_THROW(string, code) throw Ort::Exception(string, code)
#endif

namespace detail {

/// Holds the table; the first call looks it up unless the program wants to do that itself.
struct Global {
  static const OrtApi* Api(const OrtApi* newValue = nullptr) noexcept {
#if defined(ORT_API_MANUAL_INIT)
    static const OrtApi* api = nullptr;
#else
    static const OrtApi* api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
#endif
    if (newValue) api = newValue;
    return api;
  }
};

}  // namespace detail

#ifdef ORT_API_MANUAL_INIT
/// Looks the table up, or takes the given one.
inline void InitApi() noexcept { detail::Global::Api(OrtGetApiBase()->GetApi(ORT_API_VERSION)); }
inline void InitApi(const OrtApi* api) noexcept { detail::Global::Api(api); }
#endif

inline const OrtApi& GetApi() noexcept { return *detail::Global::Api(); }
inline const OrtModelEditorApi& GetModelEditorApi();
inline const OrtCompileApi& GetCompileApi();
inline const OrtInteropApi& GetInteropApi();
inline const OrtEpApi& GetEpApi();

/// "1.31.1": the release whose interface the library has.
std::string GetVersionString();
std::string GetBuildInfoString();
std::vector<std::string> GetAvailableProviders();

/// IEEE binary16 value.
struct Float16_t : onnxruntime_float16::Float16Impl<Float16_t> {
 private:
  constexpr explicit Float16_t(uint16_t v) noexcept { val = v; }

 public:
  using Base = onnxruntime_float16::Float16Impl<Float16_t>;
  Float16_t() = default;
  explicit Float16_t(float v) noexcept { val = Base::ToUint16Impl(v); }
  constexpr static Float16_t FromBits(uint16_t v) noexcept { return Float16_t(v); }
  float ToFloat() const noexcept { return Base::ToFloatImpl(); }
  explicit operator float() const noexcept { return ToFloat(); }
  using Base::Abs;
  using Base::AreZero;
  using Base::IsFinite;
  using Base::IsInfinity;
  using Base::IsNaN;
  using Base::IsNaNOrZero;
  using Base::IsNegative;
  using Base::IsNegativeInfinity;
  using Base::IsNormal;
  using Base::IsPositiveInfinity;
  using Base::IsSubnormal;
  using Base::Negate;
  bool operator==(const Float16_t& rhs) const noexcept { return Base::operator==(rhs); }
  bool operator!=(const Float16_t& rhs) const noexcept { return !(*this == rhs); }
  bool operator<(const Float16_t& rhs) const noexcept { return Base::operator<(rhs); }
};
static_assert(sizeof(Float16_t) == sizeof(uint16_t), "Float16_t must be two bytes");

/// bfloat16 value.
struct BFloat16_t : onnxruntime_float16::BFloat16Impl<BFloat16_t> {
 private:
  constexpr explicit BFloat16_t(uint16_t v) noexcept { val = v; }

 public:
  using Base = onnxruntime_float16::BFloat16Impl<BFloat16_t>;
  BFloat16_t() = default;
  explicit BFloat16_t(float v) noexcept { val = Base::ToUint16Impl(v); }
  static constexpr BFloat16_t FromBits(uint16_t v) noexcept { return BFloat16_t(v); }
  float ToFloat() const noexcept { return Base::ToFloatImpl(); }
  explicit operator float() const noexcept { return ToFloat(); }
  bool operator==(const BFloat16_t& rhs) const noexcept { return ToFloat() == rhs.ToFloat(); }
  bool operator!=(const BFloat16_t& rhs) const noexcept { return !(*this == rhs); }
  bool operator<(const BFloat16_t& rhs) const noexcept { return ToFloat() < rhs.ToFloat(); }
};
static_assert(sizeof(BFloat16_t) == sizeof(uint16_t), "BFloat16_t must be two bytes");

/// 8-bit floats are bytes without arithmetic.
#define TENON_FLOAT8(name)                                                                   \
  struct name {                                                                              \
    uint8_t value;                                                                           \
    constexpr name() noexcept : value(0) {}                                                  \
    constexpr name(uint8_t v) noexcept : value(v) {}                                         \
    constexpr operator uint8_t() const noexcept { return value; }                            \
    constexpr bool operator==(const name& rhs) const noexcept { return value == rhs.value; } \
    constexpr bool operator!=(const name& rhs) const noexcept { return value != rhs.value; } \
  }
TENON_FLOAT8(Float8E4M3FN_t);
TENON_FLOAT8(Float8E4M3FNUZ_t);
TENON_FLOAT8(Float8E5M2_t);
TENON_FLOAT8(Float8E5M2FNUZ_t);
#undef TENON_FLOAT8

/// TypeToTensorType<float>::type is the element type of float, and so on.
template <typename T>
struct TypeToTensorType;
#define TENON_ELEMENT(cpp, onnx)                                                            \
  template <>                                                                               \
  struct TypeToTensorType<cpp> {                                                            \
    static constexpr ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_##onnx; \
  }
TENON_ELEMENT(float, FLOAT);
TENON_ELEMENT(Float16_t, FLOAT16);
TENON_ELEMENT(BFloat16_t, BFLOAT16);
TENON_ELEMENT(double, DOUBLE);
TENON_ELEMENT(int8_t, INT8);
TENON_ELEMENT(int16_t, INT16);
TENON_ELEMENT(int32_t, INT32);
TENON_ELEMENT(int64_t, INT64);
TENON_ELEMENT(uint8_t, UINT8);
TENON_ELEMENT(uint16_t, UINT16);
TENON_ELEMENT(uint32_t, UINT32);
TENON_ELEMENT(uint64_t, UINT64);
TENON_ELEMENT(bool, BOOL);
TENON_ELEMENT(Float8E4M3FN_t, FLOAT8E4M3FN);
TENON_ELEMENT(Float8E4M3FNUZ_t, FLOAT8E4M3FNUZ);
TENON_ELEMENT(Float8E5M2_t, FLOAT8E5M2);
TENON_ELEMENT(Float8E5M2FNUZ_t, FLOAT8E5M2FNUZ);
#undef TENON_ELEMENT

namespace detail {

/// Frees an object of the C table by its type.
#define TENON_RELEASE(NAME) \
  inline void OrtRelease(Ort##NAME* ptr) { GetApi().Release##NAME(ptr); }
TENON_RELEASE(Allocator)
TENON_RELEASE(ArenaCfg)
TENON_RELEASE(CustomOpDomain)
TENON_RELEASE(DeviceEpIncompatibilityDetails)
TENON_RELEASE(Env)
TENON_RELEASE(ExternalInitializerInfo)
TENON_RELEASE(Graph)
TENON_RELEASE(IoBinding)
TENON_RELEASE(KernelInfo)
TENON_RELEASE(KeyValuePairs)
TENON_RELEASE(LoraAdapter)
TENON_RELEASE(MapTypeInfo)
TENON_RELEASE(MemoryInfo)
TENON_RELEASE(Model)
TENON_RELEASE(ModelMetadata)
TENON_RELEASE(Node)
TENON_RELEASE(Op)
TENON_RELEASE(OpAttr)
TENON_RELEASE(PrepackedWeightsContainer)
TENON_RELEASE(RunOptions)
TENON_RELEASE(SequenceTypeInfo)
TENON_RELEASE(Session)
TENON_RELEASE(SessionOptions)
TENON_RELEASE(Status)
TENON_RELEASE(SyncStream)
TENON_RELEASE(TensorTypeAndShapeInfo)
TENON_RELEASE(ThreadingOptions)
TENON_RELEASE(TypeInfo)
TENON_RELEASE(Value)
TENON_RELEASE(ValueInfo)
#undef TENON_RELEASE
inline void OrtRelease(OrtModelCompilationOptions* ptr) { GetCompileApi().ReleaseModelCompilationOptions(ptr); }
inline void OrtRelease(OrtEpDevice* ptr) { GetEpApi().ReleaseEpDevice(ptr); }
inline void OrtRelease(OrtKernelDef* ptr) { GetEpApi().ReleaseKernelDef(ptr); }
inline void OrtRelease(OrtKernelDefBuilder* ptr) { GetEpApi().ReleaseKernelDefBuilder(ptr); }
inline void OrtRelease(OrtKernelRegistry* ptr) { GetEpApi().ReleaseKernelRegistry(ptr); }
inline void OrtRelease(OrtOpSchema* ptr) { GetEpApi().ReleaseOpSchema(ptr); }
inline void OrtRelease(OrtProfilingEvent* ptr) { GetEpApi().ReleaseProfilingEvent(ptr); }
inline void OrtRelease(OrtTensorRTProviderOptionsV2* ptr) { GetApi().ReleaseTensorRTProviderOptions(ptr); }
inline void OrtRelease(OrtCUDAProviderOptionsV2* ptr) { GetApi().ReleaseCUDAProviderOptions(ptr); }

/// Marks a T that somebody else owns.
template <typename T>
struct Unowned {
  using Type = T;
};

/// Owns one object of the C table. Movable, not copyable.
template <typename T>
struct Base {
  using contained_type = T;
  constexpr Base() = default;
  constexpr explicit Base(contained_type* p) noexcept : p_{p} {}
  ~Base() {
    if (p_) OrtRelease(p_);
  }
  Base(const Base&) = delete;
  Base& operator=(const Base&) = delete;
  Base(Base&& v) noexcept : p_{v.p_} { v.p_ = nullptr; }
  Base& operator=(Base&& v) noexcept {
    if (this != &v) {
      if (p_) OrtRelease(p_);
      p_ = v.release();
    }
    return *this;
  }
  constexpr operator contained_type*() const noexcept { return p_; }
  constexpr contained_type& operator*() const noexcept { return *p_; }
  /// Gives the object to the caller.
  contained_type* release() {
    T* p = p_;
    p_ = nullptr;
    return p;
  }

 protected:
  contained_type* p_{};
};

/// Points at an object that somebody else owns. Copyable.
template <typename T>
struct Base<Unowned<T>> {
  using contained_type = typename Unowned<T>::Type;
  constexpr Base() = default;
  constexpr explicit Base(contained_type* p) noexcept : p_{p} {}
  ~Base() = default;
  Base(const Base&) = default;
  Base& operator=(const Base&) = default;
  Base(Base&& v) noexcept : p_{v.p_} { v.p_ = nullptr; }
  Base& operator=(Base&& v) noexcept {
    p_ = nullptr;
    std::swap(p_, v.p_);
    return *this;
  }
  constexpr operator contained_type*() const noexcept { return p_; }
  constexpr contained_type& operator*() const noexcept { return *p_; }

 protected:
  contained_type* p_{};
};

/// Frees memory that an allocator gave.
struct AllocatedFree {
  OrtAllocator* allocator_;
  explicit AllocatedFree(OrtAllocator* allocator) : allocator_(allocator) {}
  void operator()(void* ptr) const {
    if (ptr) allocator_->Free(allocator_, ptr);
  }
};

}  // namespace detail

struct AllocatorWithDefaultOptions;
struct Env;
struct EpDevice;
struct ExternalInitializerInfo;
struct Graph;
struct Model;
struct Node;
struct ModelMetadata;
struct TypeInfo;
struct PrepackedWeightsContainer;
struct Session;
struct SessionOptions;
struct SyncStream;
struct TensorRTProviderOptions;
struct CUDAProviderOptions;
struct Value;
struct ValueInfo;

/// A string made by an allocator; freed with it.
using AllocatedStringPtr = std::unique_ptr<char, detail::AllocatedFree>;

/// An owned status; empty means success.
struct Status : detail::Base<OrtStatus> {
  using Base = detail::Base<OrtStatus>;
  Status() = default;
  explicit Status(std::nullptr_t) noexcept {}
  explicit Status(OrtStatus* status) noexcept : Base{status} {}
  explicit Status(const Exception&);
  explicit Status(const std::exception&);
  Status(const char* message, OrtErrorCode code);
  std::string GetErrorMessage() const;
  OrtErrorCode GetErrorCode() const;
  bool IsOK() const noexcept { return p_ == nullptr; }
};

/// Throws when there is an error.
inline void ThrowOnError(OrtStatus* ort_status);
inline void ThrowOnError(const Status& st);

/// Threads of an environment that all sessions share.
struct ThreadingOptions : detail::Base<OrtThreadingOptions> {
  ThreadingOptions();
  ThreadingOptions& SetGlobalIntraOpNumThreads(int intra_op_num_threads);
  ThreadingOptions& SetGlobalInterOpNumThreads(int inter_op_num_threads);
  ThreadingOptions& SetGlobalSpinControl(int allow_spinning);
  ThreadingOptions& SetGlobalDenormalAsZero();
  ThreadingOptions& SetGlobalCustomCreateThreadFn(OrtCustomCreateThreadFn ort_custom_create_thread_fn);
  ThreadingOptions& SetGlobalCustomThreadCreationOptions(void* ort_custom_thread_creation_options);
  ThreadingOptions& SetGlobalCustomJoinThreadFn(OrtCustomJoinThreadFn ort_custom_join_thread_fn);
};

/// Options of the TensorRT provider by keys.
struct TensorRTProviderOptions : detail::Base<OrtTensorRTProviderOptionsV2> {
  TensorRTProviderOptions(std::nullptr_t) {}
  TensorRTProviderOptions();
  void Update(const std::unordered_map<std::string, std::string>& options);
  void UpdateWithValue(const char* key, void* value);
  void* GetOptionByName(const char* name) const;
  std::string GetTensorRTProviderOptionsAsString() const;
};

/// Options of the CUDA provider by keys.
struct CUDAProviderOptions : detail::Base<OrtCUDAProviderOptionsV2> {
  CUDAProviderOptions(std::nullptr_t) {}
  CUDAProviderOptions();
  void Update(const std::unordered_map<std::string, std::string>& options);
  std::string GetCUDAProviderOptionsAsString() const;
  void UpdateWithValue(const char* key, void* value);
  void* GetOptionByName(const char* name) const;
};

/// Packed weights that sessions share; must outlive them.
struct PrepackedWeightsContainer : detail::Base<OrtPrepackedWeightsContainer> {
  using Base = detail::Base<OrtPrepackedWeightsContainer>;
  explicit PrepackedWeightsContainer(std::nullptr_t) {}
  explicit PrepackedWeightsContainer(OrtPrepackedWeightsContainer* p) : Base{p} {}
  PrepackedWeightsContainer();
};

namespace detail {
template <typename T>
struct ConstExternalInitializerInfoImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  const std::basic_string<ORTCHAR_T> GetFilePath() const;
  int64_t GetFileOffset() const;
  size_t GetByteSize() const;
};
}  // namespace detail
using ConstExternalInitializerInfo =
    detail::ConstExternalInitializerInfoImpl<detail::Unowned<const OrtExternalInitializerInfo>>;

/// Where an initializer is stored outside the model.
struct ExternalInitializerInfo : detail::ConstExternalInitializerInfoImpl<OrtExternalInitializerInfo> {
  using Base = detail::ConstExternalInitializerInfoImpl<OrtExternalInitializerInfo>;
  using Base::Base;
  explicit ExternalInitializerInfo(std::nullptr_t) {}
  explicit ExternalInitializerInfo(OrtExternalInitializerInfo* p) : Base{p} {}
  ExternalInitializerInfo(const ORTCHAR_T* filepath, int64_t file_offset, size_t byte_size);
  ConstExternalInitializerInfo GetConst() const { return ConstExternalInitializerInfo{this->p_}; }
  static Status Create(const ORTCHAR_T* filepath, int64_t file_offset, size_t byte_size, ExternalInitializerInfo& out);
};

namespace detail {
template <typename T>
struct KeyValuePairsImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  const char* GetValue(const char* key) const;
  std::unordered_map<std::string, std::string> GetKeyValuePairs() const;
  void GetKeyValuePairs(std::vector<const char*>& keys, std::vector<const char*>& values) const;
};
}  // namespace detail
using ConstKeyValuePairs = detail::KeyValuePairsImpl<detail::Unowned<const OrtKeyValuePairs>>;

/// An owned list of keys and values.
struct KeyValuePairs : detail::KeyValuePairsImpl<OrtKeyValuePairs> {
  explicit KeyValuePairs(std::nullptr_t) {}
  explicit KeyValuePairs(OrtKeyValuePairs* p) : KeyValuePairsImpl<OrtKeyValuePairs>{p} {}
  explicit KeyValuePairs();
  explicit KeyValuePairs(const std::unordered_map<std::string, std::string>& kv_pairs);
  void Add(const char* key, const char* value);
  void Remove(const char* key);
  ConstKeyValuePairs GetConst() const { return ConstKeyValuePairs{this->p_}; }
};

namespace detail {
template <typename T>
struct MemoryInfoImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  std::string GetAllocatorName() const;
  OrtAllocatorType GetAllocatorType() const;
  int GetDeviceId() const;
  OrtMemoryInfoDeviceType GetDeviceType() const;
  OrtMemType GetMemoryType() const;
  OrtDeviceMemoryType GetDeviceMemoryType() const;
  uint32_t GetVendorId() const;
  template <typename U>
  bool operator==(const MemoryInfoImpl<U>& o) const;
};
}  // namespace detail
using ConstMemoryInfo = detail::MemoryInfoImpl<detail::Unowned<const OrtMemoryInfo>>;

/// Where memory lives.
struct MemoryInfo : detail::MemoryInfoImpl<OrtMemoryInfo> {
  static MemoryInfo CreateCpu(OrtAllocatorType type, OrtMemType mem_type1);
  explicit MemoryInfo(std::nullptr_t) {}
  explicit MemoryInfo(OrtMemoryInfo* p) : MemoryInfoImpl<OrtMemoryInfo>{p} {}
  MemoryInfo(const char* name, OrtAllocatorType type, int id, OrtMemType mem_type);
  MemoryInfo(const char* name, OrtMemoryInfoDeviceType device_type, uint32_t vendor_id, uint32_t device_id,
             OrtDeviceMemoryType mem_type, size_t alignment, OrtAllocatorType allocator_type);
  ConstMemoryInfo GetConst() const { return ConstMemoryInfo{this->p_}; }
};

/// A block of memory that goes back to its allocator.
struct MemoryAllocation {
  MemoryAllocation(OrtAllocator* allocator, void* p, size_t size);
  ~MemoryAllocation();
  MemoryAllocation(const MemoryAllocation&) = delete;
  MemoryAllocation& operator=(const MemoryAllocation&) = delete;
  MemoryAllocation(MemoryAllocation&&) noexcept;
  MemoryAllocation& operator=(MemoryAllocation&&) noexcept;
  void* get() { return p_; }
  size_t size() const { return size_; }

 private:
  OrtAllocator* allocator_;
  void* p_;
  size_t size_;
};

namespace detail {
template <typename T>
struct AllocatorImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  void* Alloc(size_t size);
  void* Reserve(size_t size);
  MemoryAllocation GetAllocation(size_t size);
  void Free(void* p);
  ConstMemoryInfo GetInfo() const;
  KeyValuePairs GetStats() const;
  void Shrink();
};
}  // namespace detail
using UnownedAllocator = detail::AllocatorImpl<detail::Unowned<OrtAllocator>>;

/// The process-wide CPU allocator.
struct AllocatorWithDefaultOptions : detail::AllocatorImpl<detail::Unowned<OrtAllocator>> {
  explicit AllocatorWithDefaultOptions(std::nullptr_t) {}
  AllocatorWithDefaultOptions();
};

/// An allocator of a session.
struct Allocator : detail::AllocatorImpl<OrtAllocator> {
  explicit Allocator(std::nullptr_t) {}
  explicit Allocator(OrtAllocator* p) : AllocatorImpl<OrtAllocator>{p} {}
  Allocator(const Session& session, const OrtMemoryInfo*);
};

namespace detail {
template <typename T>
struct SyncStreamImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  void* GetHandle();
};
}  // namespace detail

/// A queue of device work.
struct SyncStream : detail::SyncStreamImpl<OrtSyncStream> {
  explicit SyncStream(std::nullptr_t) {}
  explicit SyncStream(OrtSyncStream* p) : SyncStreamImpl<OrtSyncStream>{p} {}
};
using UnownedSyncStream = detail::SyncStreamImpl<detail::Unowned<OrtSyncStream>>;

namespace detail {
template <typename T>
struct HardwareDeviceImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  OrtHardwareDeviceType Type() const;
  uint32_t VendorId() const;
  uint32_t DeviceId() const;
  const char* Vendor() const;
  ConstKeyValuePairs Metadata() const;
};
}  // namespace detail
using ConstHardwareDevice = detail::HardwareDeviceImpl<detail::Unowned<const OrtHardwareDevice>>;

namespace detail {
template <typename T>
struct DeviceEpIncompatibilityDetailsImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  uint32_t GetReasonsBitmask() const;
  const char* GetNotes() const;
  int32_t GetErrorCode() const;
};
}  // namespace detail

/// Why a provider cannot use a device.
struct DeviceEpIncompatibilityDetails : detail::DeviceEpIncompatibilityDetailsImpl<OrtDeviceEpIncompatibilityDetails> {
  explicit DeviceEpIncompatibilityDetails(std::nullptr_t) {}
  explicit DeviceEpIncompatibilityDetails(OrtDeviceEpIncompatibilityDetails* p)
      : DeviceEpIncompatibilityDetailsImpl<OrtDeviceEpIncompatibilityDetails>{p} {}
};

namespace detail {
template <typename T>
struct EpDeviceImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  const char* EpName() const;
  const char* EpVendor() const;
  ConstKeyValuePairs EpMetadata() const;
  ConstKeyValuePairs EpOptions() const;
  ConstHardwareDevice Device() const;
  ConstMemoryInfo GetMemoryInfo(OrtDeviceMemoryType memory_type) const;
  SyncStream CreateSyncStream(ConstKeyValuePairs stream_options = {}) const;
};
}  // namespace detail
using ConstEpDevice = detail::EpDeviceImpl<detail::Unowned<const OrtEpDevice>>;

/// A provider on a device; made by provider libraries only.
struct EpDevice : detail::EpDeviceImpl<OrtEpDevice> {
  explicit EpDevice(std::nullptr_t) {}
  explicit EpDevice(OrtEpDevice* p) : EpDeviceImpl<OrtEpDevice>{p} {}
  EpDevice(OrtEpFactory& ep_factory, ConstHardwareDevice& hardware_device, ConstKeyValuePairs ep_metadata = {},
           ConstKeyValuePairs ep_options = {});
};

/// Whether a compiled model fits the devices.
OrtCompiledModelCompatibility GetModelCompatibilityForEpDevices(const std::vector<ConstEpDevice>& ep_devices,
                                                                const char* compatibility_info);
AllocatedStringPtr GetCompatibilityInfoFromModelAllocated(const ORTCHAR_T* model_path, const char* ep_type,
                                                          OrtAllocator* allocator);
AllocatedStringPtr GetCompatibilityInfoFromModelBytesAllocated(const void* model_data, size_t model_data_length,
                                                               const char* ep_type, OrtAllocator* allocator);

namespace detail {
template <typename T>
struct EpAssignedNodeImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  std::string GetName() const;
  std::string GetDomain() const;
  std::string GetOperatorType() const;
};
}  // namespace detail
using ConstEpAssignedNode = detail::EpAssignedNodeImpl<detail::Unowned<const OrtEpAssignedNode>>;

namespace detail {
template <typename T>
struct EpAssignedSubgraphImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  std::string GetEpName() const;
  std::vector<ConstEpAssignedNode> GetNodes() const;
};

template <typename T>
struct ConstProfilingEventImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  OrtProfilingEventCategory GetCategory() const;
  const char* GetName() const;
  int64_t GetTimestampUs() const;
  int64_t GetDurationUs() const;
  const char* GetArgValue(const char* key) const;
};
}  // namespace detail
using ConstEpAssignedSubgraph = detail::EpAssignedSubgraphImpl<detail::Unowned<const OrtEpAssignedSubgraph>>;
using ConstProfilingEvent = detail::ConstProfilingEventImpl<detail::Unowned<const OrtProfilingEvent>>;

/// One event of a profile; times in microseconds.
struct ProfilingEvent : detail::ConstProfilingEventImpl<OrtProfilingEvent> {
  explicit ProfilingEvent(std::nullptr_t) {}
  explicit ProfilingEvent(OrtProfilingEvent* p) : ConstProfilingEventImpl<OrtProfilingEvent>{p} {}
  ProfilingEvent(OrtProfilingEventCategory category, int32_t process_id, int32_t thread_id, const char* event_name,
                 int64_t timestamp_us, int64_t duration_us,
                 const std::unordered_map<std::string, std::string>& args = {});
  ProfilingEvent(OrtProfilingEventCategory category, int32_t process_id, int32_t thread_id, const char* event_name,
                 int64_t timestamp_us, int64_t duration_us, const char* const* arg_keys, const char* const* arg_values,
                 size_t num_args);
  ConstProfilingEvent GetConst() const { return ConstProfilingEvent{this->p_}; }
};

namespace detail {
template <typename T>
struct ProfilingEventsContainerImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  Status AddEvents(const OrtProfilingEvent* const* events, size_t num_events);
  Status AddEvents(const std::vector<ProfilingEvent>& events);
};
}  // namespace detail
using UnownedProfilingEventsContainer =
    detail::ProfilingEventsContainerImpl<detail::Unowned<OrtProfilingEventsContainer>>;

/// The environment: logging, shared threads and allocators, providers. One per process, counted.
struct Env : detail::Base<OrtEnv> {
  explicit Env(std::nullptr_t) {}
  explicit Env(OrtEnv* p) : Base<OrtEnv>{p} {}
  Env(OrtLoggingLevel logging_level = ORT_LOGGING_LEVEL_WARNING, const char* logid = "");
  Env(OrtLoggingLevel logging_level, const char* logid, OrtLoggingFunction logging_function, void* logger_param);
  Env(const OrtThreadingOptions* tp_options, OrtLoggingLevel logging_level = ORT_LOGGING_LEVEL_WARNING,
      const char* logid = "");
  Env(const OrtThreadingOptions* tp_options, OrtLoggingFunction logging_function, void* logger_param,
      OrtLoggingLevel logging_level = ORT_LOGGING_LEVEL_WARNING, const char* logid = "");
  explicit Env(const OrtEnvCreationOptions* options);

  Env& EnableTelemetryEvents();
  Env& DisableTelemetryEvents();
  Env& UpdateEnvWithCustomLogLevel(OrtLoggingLevel log_severity_level);
  Env& CreateAndRegisterAllocator(const OrtMemoryInfo* mem_info, const OrtArenaCfg* arena_cfg);
  Env& CreateAndRegisterAllocatorV2(const std::string& provider_type, const OrtMemoryInfo* mem_info,
                                    const std::unordered_map<std::string, std::string>& options,
                                    const OrtArenaCfg* arena_cfg);
  Env& RegisterAllocator(OrtAllocator* allocator);
  Env& UnregisterAllocator(const OrtMemoryInfo* mem_info);
  Env& RegisterExecutionProviderLibrary(const char* registration_name, const std::basic_string<ORTCHAR_T>& path);
  Env& UnregisterExecutionProviderLibrary(const char* registration_name);
  std::vector<ConstEpDevice> GetEpDevices() const;
  UnownedAllocator CreateSharedAllocator(const OrtEpDevice* ep_device, OrtDeviceMemoryType mem_type,
                                         OrtAllocatorType allocator_type, const OrtKeyValuePairs* allocator_options);
  UnownedAllocator GetSharedAllocator(const OrtMemoryInfo* mem_info);
  void ReleaseSharedAllocator(const OrtEpDevice* ep_device, OrtDeviceMemoryType mem_type);
  size_t GetNumHardwareDevices() const;
  std::vector<ConstHardwareDevice> GetHardwareDevices() const;
  DeviceEpIncompatibilityDetails GetHardwareDeviceEpIncompatibilityDetails(const char* ep_name,
                                                                           ConstHardwareDevice hw) const;
  Status CopyTensors(const std::vector<Value>& src_tensors, const std::vector<Value>& dst_tensors,
                     OrtSyncStream* stream) const;
  Status CopyTensor(const OrtValue* src_tensor, OrtValue* dst_tensor, OrtSyncStream* stream) const;
  Env& SetPerSessionThreadPoolCallbacks(const OrtThreadPoolCallbacksConfig& config);
};

/// A domain of custom operators; must outlive the sessions that use it.
struct CustomOpDomain : detail::Base<OrtCustomOpDomain> {
  using Base = detail::Base<OrtCustomOpDomain>;
  explicit CustomOpDomain(std::nullptr_t) {}
  explicit CustomOpDomain(const char* domain);
  void Add(const OrtCustomOp* op);
};

/// Adapters that a run may apply.
struct LoraAdapter : detail::Base<OrtLoraAdapter> {
  using Base = detail::Base<OrtLoraAdapter>;
  using Base::Base;
  explicit LoraAdapter(std::nullptr_t) {}
  static LoraAdapter CreateLoraAdapter(const std::basic_string<ORTCHAR_T>& adapter_path, OrtAllocator* allocator);
  static LoraAdapter CreateLoraAdapterFromArray(const void* bytes, size_t num_bytes, OrtAllocator* allocator);
};

/// Options of one run.
struct RunOptions : detail::Base<OrtRunOptions> {
  explicit RunOptions(std::nullptr_t) {}
  RunOptions();
  RunOptions& SetRunLogVerbosityLevel(int);
  int GetRunLogVerbosityLevel() const;
  RunOptions& SetRunLogSeverityLevel(int);
  int GetRunLogSeverityLevel() const;
  RunOptions& SetRunTag(const char* run_tag);
  const char* GetRunTag() const;
  RunOptions& AddConfigEntry(const char* config_key, const char* config_value);
  const char* GetConfigEntry(const char* config_key);
  RunOptions& SetTerminate();
  RunOptions& UnsetTerminate();
  RunOptions& AddActiveLoraAdapter(const LoraAdapter& adapter);
  RunOptions& SetSyncStream(OrtSyncStream* stream);
  RunOptions& EnableProfiling(const ORTCHAR_T* profile_file_prefix);
  RunOptions& DisableProfiling();
};

namespace detail {
/// "custom_op.<operator>.<key>"
std::string MakeCustomOpConfigEntryKey(const char* custom_op_name, const char* config);
}  // namespace detail

/// Configuration of custom operators, given when their library is registered.
struct CustomOpConfigs {
  CustomOpConfigs() = default;
  ~CustomOpConfigs() = default;
  CustomOpConfigs(const CustomOpConfigs&) = default;
  CustomOpConfigs& operator=(const CustomOpConfigs&) = default;
  CustomOpConfigs(CustomOpConfigs&& o) = default;
  CustomOpConfigs& operator=(CustomOpConfigs&& o) = default;
  CustomOpConfigs& AddConfig(const char* custom_op_name, const char* config_key, const char* config_value);
  const std::unordered_map<std::string, std::string>& GetFlattenedConfigs() const { return flat_configs_; }

 private:
  std::unordered_map<std::string, std::string> flat_configs_;
};

namespace detail {
template <typename T>
struct ConstSessionOptionsImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  SessionOptions Clone() const;
  std::string GetConfigEntry(const char* config_key) const;
  bool HasConfigEntry(const char* config_key) const;
  std::string GetConfigEntryOrDefault(const char* config_key, const std::string& def) const;
  bool GetMemPatternEnabled() const;
  ExecutionMode GetExecutionMode() const;
};

template <typename T>
struct SessionOptionsImpl : ConstSessionOptionsImpl<T> {
  using B = ConstSessionOptionsImpl<T>;
  using B::B;
  SessionOptionsImpl& SetIntraOpNumThreads(int intra_op_num_threads);
  SessionOptionsImpl& SetInterOpNumThreads(int inter_op_num_threads);
  SessionOptionsImpl& SetGraphOptimizationLevel(GraphOptimizationLevel graph_optimization_level);
  SessionOptionsImpl& SetDeterministicCompute(bool value);
  SessionOptionsImpl& EnableCpuMemArena();
  SessionOptionsImpl& DisableCpuMemArena();
  SessionOptionsImpl& SetOptimizedModelFilePath(const ORTCHAR_T* optimized_model_file);
  SessionOptionsImpl& EnableProfiling(const ORTCHAR_T* profile_file_prefix);
  SessionOptionsImpl& DisableProfiling();
  SessionOptionsImpl& EnableOrtCustomOps();
  SessionOptionsImpl& EnableMemPattern();
  SessionOptionsImpl& DisableMemPattern();
  SessionOptionsImpl& SetExecutionMode(ExecutionMode execution_mode);
  SessionOptionsImpl& SetLoadCancellationFlag(bool value);
  SessionOptionsImpl& SetLogId(const char* logid);
  SessionOptionsImpl& SetLogSeverityLevel(int level);
  SessionOptionsImpl& Add(OrtCustomOpDomain* custom_op_domain);
  SessionOptionsImpl& DisablePerSessionThreads();
  SessionOptionsImpl& AddConfigEntry(const char* config_key, const char* config_value);
  SessionOptionsImpl& AddInitializer(const char* name, const OrtValue* ort_val);
  SessionOptionsImpl& AddExternalInitializers(const std::vector<std::string>& names,
                                              const std::vector<Value>& ort_values);
  SessionOptionsImpl& AddExternalInitializersFromFilesInMemory(
      const std::vector<std::basic_string<ORTCHAR_T>>& external_initializer_file_names,
      const std::vector<char*>& external_initializer_file_buffer_array,
      const std::vector<size_t>& external_initializer_file_lengths);
  SessionOptionsImpl& AppendExecutionProvider_CPU(int use_arena);
  SessionOptionsImpl& AppendExecutionProvider_CUDA(const OrtCUDAProviderOptions& provider_options);
  SessionOptionsImpl& AppendExecutionProvider_CUDA_V2(const OrtCUDAProviderOptionsV2& provider_options);
  SessionOptionsImpl& AppendExecutionProvider_ROCM(const OrtROCMProviderOptions& provider_options);
  SessionOptionsImpl& AppendExecutionProvider_OpenVINO(const OrtOpenVINOProviderOptions& provider_options);
  SessionOptionsImpl& AppendExecutionProvider_OpenVINO_V2(
      const std::unordered_map<std::string, std::string>& provider_options = {});
  SessionOptionsImpl& AppendExecutionProvider_TensorRT(const OrtTensorRTProviderOptions& provider_options);
  SessionOptionsImpl& AppendExecutionProvider_TensorRT_V2(const OrtTensorRTProviderOptionsV2& provider_options);
  SessionOptionsImpl& AppendExecutionProvider_MIGraphX(const OrtMIGraphXProviderOptions& provider_options);
  SessionOptionsImpl& AppendExecutionProvider_CANN(const OrtCANNProviderOptions& provider_options);
  SessionOptionsImpl& AppendExecutionProvider_Dnnl(const OrtDnnlProviderOptions& provider_options);
  SessionOptionsImpl& AppendExecutionProvider(
      const std::string& provider_name, const std::unordered_map<std::string, std::string>& provider_options = {});
  SessionOptionsImpl& AppendExecutionProvider_V2(Env& env, const std::vector<ConstEpDevice>& ep_devices,
                                                 const KeyValuePairs& ep_options);
  SessionOptionsImpl& AppendExecutionProvider_V2(Env& env, const std::vector<ConstEpDevice>& ep_devices,
                                                 const std::unordered_map<std::string, std::string>& ep_options);
  SessionOptionsImpl& SetEpSelectionPolicy(OrtExecutionProviderDevicePolicy policy);
  SessionOptionsImpl& SetEpSelectionPolicy(EpSelectionDelegate delegate, void* state = nullptr);
  SessionOptionsImpl& AppendExecutionProvider_VitisAI(
      const std::unordered_map<std::string, std::string>& provider_options = {});
  SessionOptionsImpl& SetCustomCreateThreadFn(OrtCustomCreateThreadFn ort_custom_create_thread_fn);
  SessionOptionsImpl& SetCustomThreadCreationOptions(void* ort_custom_thread_creation_options);
  SessionOptionsImpl& SetCustomJoinThreadFn(OrtCustomJoinThreadFn ort_custom_join_thread_fn);
  SessionOptionsImpl& RegisterCustomOpsLibrary(const ORTCHAR_T* library_name,
                                               const CustomOpConfigs& custom_op_configs = {});
  SessionOptionsImpl& RegisterCustomOpsUsingFunction(const char* function_name);
  SessionOptionsImpl& AddFreeDimensionOverride(const char* dim_denotation, int64_t dim_value);
  SessionOptionsImpl& AddFreeDimensionOverrideByName(const char* dim_name, int64_t dim_value);
};
}  // namespace detail
using UnownedSessionOptions = detail::SessionOptionsImpl<detail::Unowned<OrtSessionOptions>>;
using ConstSessionOptions = detail::ConstSessionOptionsImpl<detail::Unowned<const OrtSessionOptions>>;

/// Options of a session; copied when the session is made.
struct SessionOptions : detail::SessionOptionsImpl<OrtSessionOptions> {
  explicit SessionOptions(std::nullptr_t) {}
  SessionOptions();
  explicit SessionOptions(OrtSessionOptions* p) : SessionOptionsImpl<OrtSessionOptions>{p} {}
  UnownedSessionOptions GetUnowned() const { return UnownedSessionOptions{this->p_}; }
  ConstSessionOptions GetConst() const { return ConstSessionOptions{this->p_}; }
};

/// Options of CompileModel.
struct ModelCompilationOptions : detail::Base<OrtModelCompilationOptions> {
  using Base = detail::Base<OrtModelCompilationOptions>;
  using Base::Base;
  explicit ModelCompilationOptions(std::nullptr_t) {}
  ModelCompilationOptions(const Env& env, const SessionOptions& session_options);
  ModelCompilationOptions(const Env& env, ConstSessionOptions session_options);
  ModelCompilationOptions& SetInputModelPath(const ORTCHAR_T* input_model_path);
  ModelCompilationOptions& SetInputModelFromBuffer(const void* input_model_data, size_t input_model_data_size);
  ModelCompilationOptions& SetEpContextEmbedMode(bool embed_ep_context_in_model);
  ModelCompilationOptions& SetOutputModelPath(const ORTCHAR_T* output_model_path);
  ModelCompilationOptions& SetOutputModelExternalInitializersFile(const ORTCHAR_T* file_path,
                                                                  size_t initializer_size_threshold);
  ModelCompilationOptions& SetOutputModelGetInitializerLocationFunc(
      OrtGetInitializerLocationFunc get_initializer_location_func, void* state);
  ModelCompilationOptions& SetOutputModelBuffer(OrtAllocator* allocator, void** output_model_buffer_ptr,
                                                size_t* output_model_buffer_size_ptr);
  ModelCompilationOptions& SetOutputModelWriteFunc(OrtWriteBufferFunc write_func, void* state);
  ModelCompilationOptions& SetEpContextBinaryInformation(const ORTCHAR_T* output_directory,
                                                         const ORTCHAR_T* model_name);
  ModelCompilationOptions& SetFlags(uint32_t flags);
  ModelCompilationOptions& SetGraphOptimizationLevel(GraphOptimizationLevel graph_optimization_level);
  ModelCompilationOptions& SetInputModel(const OrtModel* model);
  ModelCompilationOptions& SetWeightlessEnabled(bool use_weightless);
};

Status CompileModel(const Env& env, const ModelCompilationOptions& model_compilation_options);

/// What a model says about itself.
struct ModelMetadata : detail::Base<OrtModelMetadata> {
  using Base = detail::Base<OrtModelMetadata>;
  using Base::Base;
  explicit ModelMetadata(std::nullptr_t) {}
  AllocatedStringPtr GetProducerNameAllocated(OrtAllocator* allocator) const;
  AllocatedStringPtr GetGraphNameAllocated(OrtAllocator* allocator) const;
  AllocatedStringPtr GetDomainAllocated(OrtAllocator* allocator) const;
  AllocatedStringPtr GetDescriptionAllocated(OrtAllocator* allocator) const;
  AllocatedStringPtr GetGraphDescriptionAllocated(OrtAllocator* allocator) const;
  std::vector<AllocatedStringPtr> GetCustomMetadataMapKeysAllocated(OrtAllocator* allocator) const;
  /// Empty when the key is missing.
  AllocatedStringPtr LookupCustomMetadataMapAllocated(const char* key, OrtAllocator* allocator) const;
  int64_t GetVersion() const;
};

struct IoBinding;

namespace detail {
template <typename T>
struct ConstSessionImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  size_t GetInputCount() const;
  size_t GetOutputCount() const;
  size_t GetOverridableInitializerCount() const;
  std::vector<std::string> GetInputNames() const;
  std::vector<std::string> GetOutputNames() const;
  std::vector<std::string> GetOverridableInitializerNames() const;
  std::vector<ConstMemoryInfo> GetMemoryInfoForInputs() const;
  std::vector<ConstMemoryInfo> GetMemoryInfoForOutputs() const;
  std::vector<ConstEpDevice> GetEpDeviceForInputs() const;
  std::vector<ConstEpDevice> GetEpDeviceForOutputs() const;
  AllocatedStringPtr GetInputNameAllocated(size_t index, OrtAllocator* allocator) const;
  AllocatedStringPtr GetOutputNameAllocated(size_t index, OrtAllocator* allocator) const;
  AllocatedStringPtr GetOverridableInitializerNameAllocated(size_t index, OrtAllocator* allocator) const;
  uint64_t GetProfilingStartTimeNs() const;
  ModelMetadata GetModelMetadata() const;
  TypeInfo GetInputTypeInfo(size_t index) const;
  TypeInfo GetOutputTypeInfo(size_t index) const;
  TypeInfo GetOverridableInitializerTypeInfo(size_t index) const;
  int GetOpset(const std::string& domain) const;
  std::vector<ValueInfo> GetInputs() const;
  std::vector<ValueInfo> GetOutputs() const;
  std::vector<ConstEpAssignedSubgraph> GetEpGraphAssignmentInfo() const;
};

template <typename T>
struct SessionImpl : ConstSessionImpl<T> {
  using B = ConstSessionImpl<T>;
  using B::B;
  /// Runs and returns the named outputs.
  std::vector<Value> Run(const RunOptions& run_options, const char* const* input_names, const Value* input_values,
                         size_t input_count, const char* const* output_names, size_t output_count);
  /// Runs into output_values: empty ones are made, others are written in place.
  void Run(const RunOptions& run_options, const char* const* input_names, const Value* input_values, size_t input_count,
           const char* const* output_names, Value* output_values, size_t output_count);
  void Run(const RunOptions& run_options, const IoBinding&);
  /// Everything passed in must stay alive until the callback was called.
  void RunAsync(const RunOptions& run_options, const char* const* input_names, const Value* input_values,
                size_t input_count, const char* const* output_names, Value* output_values, size_t output_count,
                RunAsyncCallbackFn callback, void* user_data);
  AllocatedStringPtr EndProfilingAllocated(OrtAllocator* allocator);
  void SetEpDynamicOptions(const char* const* keys, const char* const* values, size_t kv_len);
  void FinalizeModelEditorSession(const Model& model, const SessionOptions& options,
                                  OrtPrepackedWeightsContainer* prepacked_weights_container = nullptr);
  void ReleaseCapturedGraph(int graph_annotation_id);
};
}  // namespace detail
using ConstSession = detail::ConstSessionImpl<detail::Unowned<const OrtSession>>;
using UnownedSession = detail::SessionImpl<detail::Unowned<OrtSession>>;

/// A loaded model that can be run, also by several threads at the same time.
struct Session : detail::SessionImpl<OrtSession> {
  explicit Session(std::nullptr_t) {}
  explicit Session(OrtSession* p) : SessionImpl{p} {}
  Session(const Env& env, const ORTCHAR_T* model_path, const SessionOptions& options);
  Session(const Env& env, const ORTCHAR_T* model_path, const SessionOptions& options,
          OrtPrepackedWeightsContainer* prepacked_weights_container);
  Session(const Env& env, const void* model_data, size_t model_data_length, const SessionOptions& options);
  Session(const Env& env, const void* model_data, size_t model_data_length, const SessionOptions& options,
          OrtPrepackedWeightsContainer* prepacked_weights_container);
  Session(const Env& env, const Model& model, const SessionOptions& options);
  static Session CreateModelEditorSession(const Env& env, const ORTCHAR_T* model_path, const SessionOptions& options);
  static Session CreateModelEditorSession(const Env& env, const void* model_data, size_t model_data_length,
                                          const SessionOptions& options);
  ConstSession GetConst() const { return ConstSession{this->p_}; }
  UnownedSession GetUnowned() const { return UnownedSession{this->p_}; }
};

namespace detail {
template <typename T>
struct TensorTypeAndShapeInfoImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  ONNXTensorElementDataType GetElementType() const;
  size_t GetElementCount() const;
  size_t GetDimensionsCount() const;
  void GetDimensions(int64_t* values, size_t values_count) const;
  void GetSymbolicDimensions(const char** values, size_t values_count) const;
  std::vector<const char*> GetSymbolicDimensions() const;
  bool HasShape() const;
  /// Dimensions; -1 where unknown.
  std::vector<int64_t> GetShape() const;
};
}  // namespace detail
using ConstTensorTypeAndShapeInfo =
    detail::TensorTypeAndShapeInfoImpl<detail::Unowned<const OrtTensorTypeAndShapeInfo>>;

/// Element type and shape of a tensor.
struct TensorTypeAndShapeInfo : detail::TensorTypeAndShapeInfoImpl<OrtTensorTypeAndShapeInfo> {
  using Base = detail::TensorTypeAndShapeInfoImpl<OrtTensorTypeAndShapeInfo>;
  using Base::Base;
  explicit TensorTypeAndShapeInfo(std::nullptr_t) {}
  explicit TensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo* p) : TensorTypeAndShapeInfoImpl{p} {}
  explicit TensorTypeAndShapeInfo(ONNXTensorElementDataType element_type, const std::vector<int64_t>& dims,
                                  const std::vector<std::string>* symbolic_dims = nullptr);
  ConstTensorTypeAndShapeInfo GetConst() const { return ConstTensorTypeAndShapeInfo{this->p_}; }
};

namespace detail {
template <typename T>
struct SequenceTypeInfoImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  TypeInfo GetSequenceElementType() const;
};
}  // namespace detail
using ConstSequenceTypeInfo = detail::SequenceTypeInfoImpl<detail::Unowned<const OrtSequenceTypeInfo>>;

struct SequenceTypeInfo : detail::SequenceTypeInfoImpl<OrtSequenceTypeInfo> {
  using Base = detail::SequenceTypeInfoImpl<OrtSequenceTypeInfo>;
  using Base::Base;
  explicit SequenceTypeInfo(std::nullptr_t) {}
  explicit SequenceTypeInfo(OrtSequenceTypeInfo* p) : SequenceTypeInfoImpl<OrtSequenceTypeInfo>{p} {}
  ConstSequenceTypeInfo GetConst() const { return ConstSequenceTypeInfo{this->p_}; }
};

namespace detail {
template <typename T>
struct OptionalTypeInfoImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  TypeInfo GetOptionalElementType() const;
};
}  // namespace detail
using ConstOptionalTypeInfo = detail::OptionalTypeInfoImpl<detail::Unowned<const OrtOptionalTypeInfo>>;

namespace detail {
template <typename T>
struct MapTypeInfoImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  ONNXTensorElementDataType GetMapKeyType() const;
  TypeInfo GetMapValueType() const;
};
}  // namespace detail
using ConstMapTypeInfo = detail::MapTypeInfoImpl<detail::Unowned<const OrtMapTypeInfo>>;

struct MapTypeInfo : detail::MapTypeInfoImpl<OrtMapTypeInfo> {
  using Base = detail::MapTypeInfoImpl<OrtMapTypeInfo>;
  using Base::Base;
  explicit MapTypeInfo(std::nullptr_t) {}
  explicit MapTypeInfo(OrtMapTypeInfo* p) : MapTypeInfoImpl<OrtMapTypeInfo>{p} {}
  ConstMapTypeInfo GetConst() const { return ConstMapTypeInfo{this->p_}; }
};

namespace detail {
template <typename T>
struct TypeInfoImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  ConstTensorTypeAndShapeInfo GetTensorTypeAndShapeInfo() const;
  ConstSequenceTypeInfo GetSequenceTypeInfo() const;
  ConstMapTypeInfo GetMapTypeInfo() const;
  ConstOptionalTypeInfo GetOptionalTypeInfo() const;
  ONNXType GetONNXType() const;
};
}  // namespace detail
using ConstTypeInfo = detail::TypeInfoImpl<detail::Unowned<const OrtTypeInfo>>;

/// Type of a value; what it points at lives as long as it does.
struct TypeInfo : detail::TypeInfoImpl<OrtTypeInfo> {
  using Base = detail::TypeInfoImpl<OrtTypeInfo>;
  using Base::Base;
  explicit TypeInfo(std::nullptr_t) {}
  explicit TypeInfo(OrtTypeInfo* p) : TypeInfoImpl<OrtTypeInfo>{p} {}
  static TypeInfo CreateTensorInfo(ConstTensorTypeAndShapeInfo tensor_info);
  static TypeInfo CreateSparseTensorInfo(ConstTensorTypeAndShapeInfo sparse_tensor_info);
  static TypeInfo CreateSequenceTypeInfo(ConstTypeInfo sequence_type);
  static TypeInfo CreateMapTypeInfo(ONNXTensorElementDataType key_type, ConstTypeInfo value_type);
  static TypeInfo CreateOptionalTypeInfo(ConstTypeInfo contained_type);
  ConstTypeInfo GetConst() const { return ConstTypeInfo{this->p_}; }
};

namespace detail {

/// Values of a sparse tensor: numbers by data.p_data, strings by data.str.
struct OrtSparseValuesParam {
  const int64_t* values_shape;
  size_t values_shape_len;
  union {
    const void* p_data;
    const char** str;
  } data;
};

/// Borrowed dimensions.
struct Shape {
  const int64_t* shape;
  size_t shape_len;
};

template <typename T>
struct ConstValueImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  template <typename R>
  void GetOpaqueData(const char* domain, const char* type_name, R&) const;
  bool IsTensor() const;
  bool HasValue() const;
  size_t GetCount() const;
  Value GetValue(int index, OrtAllocator* allocator) const;
  /// Characters of all strings together, without terminators.
  size_t GetStringTensorDataLength() const;
  void GetStringTensorContent(void* buffer, size_t buffer_length, size_t* offsets, size_t offsets_count) const;
  template <typename R>
  const R* GetTensorData() const;
  const void* GetTensorRawData() const;
  TypeInfo GetTypeInfo() const;
  TensorTypeAndShapeInfo GetTensorTypeAndShapeInfo() const;
  ConstMemoryInfo GetTensorMemoryInfo() const;
  void GetStringTensorElement(size_t buffer_length, size_t element_index, void* buffer) const;
  std::string GetStringTensorElement(size_t element_index) const;
  size_t GetStringTensorElementLength(size_t element_index) const;
  size_t GetTensorSizeInBytes() const;
  void GetTensorElementTypeAndShapeDataReference(ONNXTensorElementDataType& elem_type, Shape& shape) const;
  OrtSparseFormat GetSparseFormat() const;
  TensorTypeAndShapeInfo GetSparseTensorValuesTypeAndShapeInfo() const;
  TensorTypeAndShapeInfo GetSparseTensorIndicesTypeShapeInfo(OrtSparseIndicesFormat format) const;
  template <typename R>
  const R* GetSparseTensorIndicesData(OrtSparseIndicesFormat indices_format, size_t& num_indices) const;
  bool IsSparseTensor() const;
  template <typename R>
  const R* GetSparseTensorValues() const;
};

template <typename T>
struct ValueImpl : ConstValueImpl<T> {
  using B = ConstValueImpl<T>;
  using B::B;
  template <typename R>
  R* GetTensorMutableData();
  void* GetTensorMutableRawData();
  template <typename R>
  R& At(const std::vector<int64_t>& location);
  void FillStringTensor(const char* const* s, size_t s_len);
  void FillStringTensorElement(const char* s, size_t index);
  char* GetResizedStringTensorElementBuffer(size_t index, size_t buffer_length);
  void UseCooIndices(int64_t* indices_data, size_t indices_num);
  void UseCsrIndices(int64_t* inner_data, size_t inner_num, int64_t* outer_data, size_t outer_num);
  void UseBlockSparseIndices(const Shape& indices_shape, int32_t* indices_data);
  void FillSparseTensorCoo(const OrtMemoryInfo* data_mem_info, const OrtSparseValuesParam& values_param,
                           const int64_t* indices_data, size_t indices_num);
  void FillSparseTensorCsr(const OrtMemoryInfo* data_mem_info, const OrtSparseValuesParam& values,
                           const int64_t* inner_indices_data, size_t inner_indices_num,
                           const int64_t* outer_indices_data, size_t outer_indices_num);
  void FillSparseTensorBlockSparse(const OrtMemoryInfo* data_mem_info, const OrtSparseValuesParam& values,
                                   const Shape& indices_shape, const int32_t* indices_data);
};

}  // namespace detail
using ConstValue = detail::ConstValueImpl<detail::Unowned<const OrtValue>>;
using UnownedValue = detail::ValueImpl<detail::Unowned<OrtValue>>;

/// A tensor, sequence, map, optional or sparse tensor.
struct Value : detail::ValueImpl<OrtValue> {
  using Base = detail::ValueImpl<OrtValue>;
  using Base::Base;
  using OrtSparseValuesParam = detail::OrtSparseValuesParam;
  using Shape = detail::Shape;
  Value(std::nullptr_t) {}
  Value(Value&&) = default;
  Value& operator=(Value&&) = default;
  ConstValue GetConst() const { return ConstValue{this->p_}; }
  UnownedValue GetUnowned() const { return UnownedValue{this->p_}; }

  /// Tensors over the caller's memory; sizes in elements or bytes as named.
  template <typename T>
  static Value CreateTensor(const OrtMemoryInfo* info, T* p_data, size_t p_data_element_count, const int64_t* shape,
                            size_t shape_len);
  static Value CreateTensor(const OrtMemoryInfo* info, void* p_data, size_t p_data_byte_count, const int64_t* shape,
                            size_t shape_len, ONNXTensorElementDataType type);
  /// Takes memory over; `deleter` frees it.
  static Value CreateTensor(OrtAllocator* deleter, void* p_data, size_t p_data_byte_count, const int64_t* shape,
                            size_t shape_len, ONNXTensorElementDataType type);
  /// Tensors in new memory.
  template <typename T>
  static Value CreateTensor(OrtAllocator* allocator, const int64_t* shape, size_t shape_len);
  static Value CreateTensor(OrtAllocator* allocator, const int64_t* shape, size_t shape_len,
                            ONNXTensorElementDataType type);
  static Value CreateMap(const Value& keys, const Value& values);
  static Value CreateSequence(const std::vector<Value>& values);
  template <typename T>
  static Value CreateOpaque(const char* domain, const char* type_name, const T& value);
  template <typename T>
  static Value CreateSparseTensor(const OrtMemoryInfo* info, T* p_data, const Shape& dense_shape,
                                  const Shape& values_shape);
  static Value CreateSparseTensor(const OrtMemoryInfo* info, void* p_data, const Shape& dense_shape,
                                  const Shape& values_shape, ONNXTensorElementDataType type);
  template <typename T>
  static Value CreateSparseTensor(OrtAllocator* allocator, const Shape& dense_shape);
  static Value CreateSparseTensor(OrtAllocator* allocator, const Shape& dense_shape, ONNXTensorElementDataType type);
};

namespace detail {
namespace binding_utils {
std::vector<std::string> GetOutputNamesHelper(const OrtIoBinding* binding, OrtAllocator*);
std::vector<Value> GetOutputValuesHelper(const OrtIoBinding* binding, OrtAllocator*);
}  // namespace binding_utils

template <typename T>
struct ConstIoBindingImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  std::vector<std::string> GetOutputNames() const;
  std::vector<std::string> GetOutputNames(OrtAllocator*) const;
  std::vector<Value> GetOutputValues() const;
  std::vector<Value> GetOutputValues(OrtAllocator*) const;
};

template <typename T>
struct IoBindingImpl : ConstIoBindingImpl<T> {
  using B = ConstIoBindingImpl<T>;
  using B::B;
  void BindInput(const char* name, const Value&);
  void BindOutput(const char* name, const Value&);
  void BindOutput(const char* name, const OrtMemoryInfo*);
  void ClearBoundInputs();
  void ClearBoundOutputs();
  void SynchronizeInputs();
  void SynchronizeOutputs();
};
}  // namespace detail
using ConstIoBinding = detail::ConstIoBindingImpl<detail::Unowned<const OrtIoBinding>>;
using UnownedIoBinding = detail::IoBindingImpl<detail::Unowned<OrtIoBinding>>;

/// Values bound to the names of a session before it runs.
struct IoBinding : detail::IoBindingImpl<OrtIoBinding> {
  explicit IoBinding(std::nullptr_t) {}
  explicit IoBinding(Session& session);
  ConstIoBinding GetConst() const { return ConstIoBinding{this->p_}; }
  UnownedIoBinding GetUnowned() const { return UnownedIoBinding{this->p_}; }
};

/// Configuration of an arena.
struct ArenaCfg : detail::Base<OrtArenaCfg> {
  explicit ArenaCfg(std::nullptr_t) {}
  ArenaCfg(size_t max_mem, int arena_extend_strategy, int initial_chunk_size_bytes, int max_dead_bytes_per_chunk);
  explicit ArenaCfg(const std::unordered_map<std::string, size_t>& arena_config);
};

namespace detail {
template <typename T>
struct ConstOpAttrImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  std::string GetName() const;
  OrtOpAttrType GetType() const;
  template <typename R>
  Status GetValue(R& out) const;
  template <typename R>
  Status GetValueArray(std::vector<R>& out) const;
  Status GetTensorAttributeAsOrtValue(Value&) const;
};
}  // namespace detail
using ConstOpAttr = detail::ConstOpAttrImpl<detail::Unowned<const OrtOpAttr>>;

/// An attribute of a node.
struct OpAttr : detail::ConstOpAttrImpl<OrtOpAttr> {
  using Base = detail::ConstOpAttrImpl<OrtOpAttr>;
  using Base::Base;
  OpAttr() = default;
  explicit OpAttr(std::nullptr_t) {}
  OpAttr(const char* name, const void* data, int len, OrtOpAttrType type);
  ConstOpAttr GetConst() const { return ConstOpAttr{this->p_}; }
};

/// Log through a logger of the library; the plain forms throw, the NOEXCEPT forms drop failures.
#define ORT_CXX_LOG(logger, message_severity, message)                                                               \
  do {                                                                                                               \
    if (message_severity >= logger.GetLoggingSeverityLevel())                                                        \
      Ort::ThrowOnError(                                                                                             \
          logger.LogMessage(message_severity, ORT_FILE, __LINE__, static_cast<const char*>(__FUNCTION__), message)); \
  } while (false)
#define ORT_CXX_LOG_NOEXCEPT(logger, message_severity, message)                                                      \
  do {                                                                                                               \
    if (message_severity >= logger.GetLoggingSeverityLevel())                                                        \
      static_cast<void>(                                                                                             \
          logger.LogMessage(message_severity, ORT_FILE, __LINE__, static_cast<const char*>(__FUNCTION__), message)); \
  } while (false)
#define ORT_CXX_LOGF(logger, message_severity, /*format,*/...)                                            \
  do {                                                                                                    \
    if (message_severity >= logger.GetLoggingSeverityLevel())                                             \
      Ort::ThrowOnError(logger.LogFormattedMessage(message_severity, ORT_FILE, __LINE__,                  \
                                                   static_cast<const char*>(__FUNCTION__), __VA_ARGS__)); \
  } while (false)
#define ORT_CXX_LOGF_NOEXCEPT(logger, message_severity, /*format,*/...)                                   \
  do {                                                                                                    \
    if (message_severity >= logger.GetLoggingSeverityLevel())                                             \
      static_cast<void>(logger.LogFormattedMessage(message_severity, ORT_FILE, __LINE__,                  \
                                                   static_cast<const char*>(__FUNCTION__), __VA_ARGS__)); \
  } while (false)

/// Returns an Ort::Status from the calling function when a call of the C table fails.
#define ORT_CXX_RETURN_ON_API_FAIL(expression)        \
  do {                                                \
    auto ort_status_ = (expression);                  \
    if (ort_status_) return Ort::Status(ort_status_); \
  } while (false)

/// A logger of the library; not owned.
struct Logger {
  Logger() = default;
  explicit Logger(std::nullptr_t) {}
  explicit Logger(const OrtLogger* logger);
  ~Logger() = default;
  Logger(const Logger&) = default;
  Logger& operator=(const Logger&) = default;
  Logger(Logger&& v) noexcept = default;
  Logger& operator=(Logger&& v) noexcept = default;
  OrtLoggingLevel GetLoggingSeverityLevel() const noexcept { return cached_severity_level_; }
  Status LogMessage(OrtLoggingLevel log_severity_level, const ORTCHAR_T* file_path, int line_number,
                    const char* func_name, const char* message) const noexcept;
  template <typename... Args>
  Status LogFormattedMessage(OrtLoggingLevel log_severity_level, const ORTCHAR_T* file_path, int line_number,
                             const char* func_name, const char* format, Args&&... args) const noexcept;

 private:
  const OrtLogger* logger_{};
  OrtLoggingLevel cached_severity_level_{};
};

/// What a custom operator sees while it runs.
struct KernelContext {
  explicit KernelContext(OrtKernelContext* context) : ctx_(context) {}
  size_t GetInputCount() const;
  size_t GetOutputCount() const;
  /// Empty when an optional input is absent.
  ConstValue GetInput(size_t index) const;
  UnownedValue GetOutput(size_t index, const int64_t* dim_values, size_t dim_count) const;
  UnownedValue GetOutput(size_t index, const std::vector<int64_t>& dims) const;
  void* GetGPUComputeStream() const;
  OrtSyncStream* GetSyncStream() const;
  Logger GetLogger() const;
  Ort::Allocator GetAllocator(const OrtMemoryInfo& memory_info) const;
  OrtKernelContext* GetOrtKernelContext() const { return ctx_; }
  void ParallelFor(void (*fn)(void*, size_t), size_t total, size_t num_batch, void* usr_data) const;

 private:
  OrtKernelContext* ctx_;
};

struct KernelInfo;

namespace detail {
namespace attr_utils {
void GetAttr(const OrtKernelInfo* p, const char* name, float&);
void GetAttr(const OrtKernelInfo* p, const char* name, int64_t&);
void GetAttr(const OrtKernelInfo* p, const char* name, std::string&);
void GetAttrs(const OrtKernelInfo* p, const char* name, std::vector<float>&);
void GetAttrs(const OrtKernelInfo* p, const char* name, std::vector<int64_t>&);
void GetAttrs(const OrtKernelInfo* p, const char* name, std::vector<std::string>&);
}  // namespace attr_utils

template <typename T>
struct KernelInfoImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  KernelInfo Copy() const;
  template <typename R>
  R GetAttribute(const char* name) const {
    R val;
    attr_utils::GetAttr(this->p_, name, val);
    return val;
  }
  template <typename R>
  std::vector<R> GetAttributes(const char* name) const {
    std::vector<R> result;
    attr_utils::GetAttrs(this->p_, name, result);
    return result;
  }
  Value GetTensorAttribute(const char* name, OrtAllocator* allocator) const;
  size_t GetInputCount() const;
  size_t GetOutputCount() const;
  std::string GetInputName(size_t index) const;
  std::string GetOutputName(size_t index) const;
  TypeInfo GetInputTypeInfo(size_t index) const;
  TypeInfo GetOutputTypeInfo(size_t index) const;
  ConstValue GetTensorConstantInput(size_t index, int* is_constant) const;
  std::string GetNodeName() const;
  Logger GetLogger() const;
  KeyValuePairs GetConfigEntries() const;
  std::string GetOperatorDomain() const;
  std::string GetOperatorType() const;
  int GetOperatorSinceVersion() const;
  const OrtEp* GetEp() const;
};
}  // namespace detail
using ConstKernelInfo = detail::KernelInfoImpl<detail::Unowned<const OrtKernelInfo>>;

/// Facts about the node a kernel is made for.
struct KernelInfo : detail::KernelInfoImpl<OrtKernelInfo> {
  using Base = detail::KernelInfoImpl<OrtKernelInfo>;
  using Base::Base;
  explicit KernelInfo(std::nullptr_t) {}
  explicit KernelInfo(OrtKernelInfo* info) : KernelInfoImpl<OrtKernelInfo>{info} {}
  ConstKernelInfo GetConst() const { return ConstKernelInfo{this->p_}; }
};

/// An operator of the library that a custom operator calls.
struct Op : detail::Base<OrtOp> {
  using Base = detail::Base<OrtOp>;
  using Base::Base;
  explicit Op(std::nullptr_t) {}
  explicit Op(OrtOp* p) : Base{p} {}
  static Op Create(const OrtKernelInfo* info, const char* op_name, const char* domain, int version,
                   const char** type_constraint_names, const ONNXTensorElementDataType* type_constraint_values,
                   size_t type_constraint_count, const OpAttr* attr_values, size_t attr_count, size_t input_count,
                   size_t output_count);
  void Invoke(const OrtKernelContext* context, const Value* input_values, size_t input_count, Value* output_values,
              size_t output_count);
  void Invoke(const OrtKernelContext* context, const OrtValue* const* input_values, size_t input_count,
              OrtValue* const* output_values, size_t output_count);
};

/// What the shape rule of a custom operator sees.
struct ShapeInferContext {
  /// A dimension: a number or a name.
  struct SymbolicInteger {
    SymbolicInteger(int64_t i) : i_(i), is_int_(true) {}
    SymbolicInteger(const char* s) : s_(s), is_int_(false) {}
    SymbolicInteger(const SymbolicInteger&) = default;
    SymbolicInteger(SymbolicInteger&&) = default;
    SymbolicInteger& operator=(const SymbolicInteger&) = default;
    SymbolicInteger& operator=(SymbolicInteger&&) = default;
    bool operator==(const SymbolicInteger& dim) const {
      return is_int_ == dim.is_int_ && (is_int_ ? i_ == dim.i_ : std::string{s_} == std::string{dim.s_});
    }
    bool IsInt() const { return is_int_; }
    int64_t AsInt() const { return i_; }
    const char* AsSym() const { return s_; }
    static constexpr int INVALID_INT_DIM = -2;

   private:
    union {
      int64_t i_;
      const char* s_;
    };
    bool is_int_;
  };
  using Shape = std::vector<SymbolicInteger>;
  using Ints = std::vector<int64_t>;
  using Floats = std::vector<float>;
  using Strings = std::vector<std::string>;

  ShapeInferContext(const OrtApi* ort_api, OrtShapeInferContext* ctx);
  const Shape& GetInputShape(size_t indice) const { return input_shapes_.at(indice); }
  size_t GetInputCount() const { return input_shapes_.size(); }
  Status SetOutputShape(size_t indice, const Shape& shape,
                        ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
  int64_t GetAttrInt(const char* attr_name);
  Ints GetAttrInts(const char* attr_name);
  float GetAttrFloat(const char* attr_name);
  Floats GetAttrFloats(const char* attr_name);
  std::string GetAttrString(const char* attr_name);
  Strings GetAttrStrings(const char* attr_name);

 private:
  const OrtOpAttr* GetAttrHdl(const char* attr_name) const;
  const OrtApi* ort_api_;
  OrtShapeInferContext* ctx_;
  std::vector<Shape> input_shapes_;
};

using ShapeInferFn = Ort::Status (*)(Ort::ShapeInferContext&);

#define MAX_CUSTOM_OP_END_VER (1UL << 31) - 1

/// Base of a custom operator (CRTP). TOp gives GetName, GetInputTypeCount, GetInputType, GetOutputTypeCount,
/// GetOutputType and CreateKernel (CreateKernelV2 WithStatus); TKernel gives Compute (ComputeV2).
template <typename TOp, typename TKernel, bool WithStatus = false>
struct CustomOpBase : OrtCustomOp {
  CustomOpBase();
  const char* GetExecutionProviderType() const { return nullptr; }
  OrtCustomOpInputOutputCharacteristic GetInputCharacteristic(size_t) const { return INPUT_OUTPUT_REQUIRED; }
  OrtCustomOpInputOutputCharacteristic GetOutputCharacteristic(size_t) const { return INPUT_OUTPUT_REQUIRED; }
  OrtMemType GetInputMemoryType(size_t) const { return OrtMemTypeDefault; }
  int GetVariadicInputMinArity() const { return 1; }
  bool GetVariadicInputHomogeneity() const { return true; }
  int GetVariadicOutputMinArity() const { return 1; }
  bool GetVariadicOutputHomogeneity() const { return true; }
  std::vector<std::string> GetSessionConfigKeys() const { return {}; }
  template <typename C>
  decltype(&C::InferOutputShape) SetShapeInferFn(decltype(&C::InferOutputShape)) {
    OrtCustomOp::InferOutputShapeFn = [](const OrtCustomOp*, OrtShapeInferContext* ort_ctx) -> OrtStatusPtr {
      ShapeInferContext ctx{&GetApi(), ort_ctx};
      return C::InferOutputShape(ctx).release();
    };
    return {};
  }
  template <typename C>
  void SetShapeInferFn(...) {
    OrtCustomOp::InferOutputShapeFn = {};
  }

 protected:
  /// Reads the entries named by GetSessionConfigKeys.
  void GetSessionConfigs(std::unordered_map<std::string, std::string>& out, ConstSessionOptions options) const;

  int start_ver_ = 1;
  int end_ver_ = MAX_CUSTOM_OP_END_VER;
};

struct ValueInfoConsumerProducerInfo;
struct AttrNameSubgraph;
struct OperatorSet;

namespace detail {
template <typename T>
struct ConstValueInfoImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  std::string GetName() const;
  ConstTypeInfo TypeInfo() const;
  ValueInfoConsumerProducerInfo GetProducerNode() const;
  std::vector<ValueInfoConsumerProducerInfo> GetConsumers() const;
  Status GetInitializer(ConstValue& value) const;
  Status GetExternalInitializerInfo(ExternalInitializerInfo& info) const;
  bool IsRequiredGraphInput() const;
  bool IsOptionalGraphInput() const;
  bool IsGraphOutput() const;
  bool IsConstantInitializer() const;
  bool IsFromOuterScope() const;
};
}  // namespace detail
using ConstValueInfo = detail::ConstValueInfoImpl<detail::Unowned<const OrtValueInfo>>;

/// Name and type of a value of a graph.
struct ValueInfo : detail::ConstValueInfoImpl<OrtValueInfo> {
  ValueInfo() = default;
  explicit ValueInfo(std::nullptr_t) {}
  explicit ValueInfo(OrtValueInfo* p) : ConstValueInfoImpl<OrtValueInfo>{p} {}
  explicit ValueInfo(const std::string& name, const ConstTypeInfo& type_info);
  ConstValueInfo GetConst() const { return ConstValueInfo{this->p_}; }
};

namespace detail {
template <typename T>
struct ConstGraphImpl;

template <typename T>
struct ConstNodeImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  size_t GetId() const;
  std::string GetName() const;
  std::string GetOperatorType() const;
  std::string GetDomain() const;
  int GetSinceVersion() const;
  std::vector<ConstValueInfo> GetInputs() const;
  std::vector<ConstValueInfo> GetOutputs() const;
  std::vector<ConstValueInfo> GetImplicitInputs() const;
  std::vector<ConstOpAttr> GetAttributes() const;
  Status GetAttributeByName(const std::string& name, ConstOpAttr& attr) const;
  std::vector<AttrNameSubgraph> GetSubgraphs() const;
  ConstGraphImpl<Unowned<const OrtGraph>> GetGraph() const;
  std::string GetEpName() const;
};
}  // namespace detail
using ConstNode = detail::ConstNodeImpl<detail::Unowned<const OrtNode>>;

/// A node of a graph.
struct Node : detail::ConstNodeImpl<OrtNode> {
  Node() = default;
  explicit Node(std::nullptr_t) {}
  explicit Node(OrtNode* p) : ConstNodeImpl<OrtNode>{p} {}
  Node(const std::string& operator_name, const std::string& operator_domain, const std::string& node_name,
       const std::vector<std::string>& input_names, const std::vector<std::string>& output_names);
  /// The attributes move into the node.
  Node(const std::string& operator_name, const std::string& operator_domain, const std::string& node_name,
       const std::vector<std::string>& input_names, const std::vector<std::string>& output_names,
       std::vector<OpAttr>& attributes);

 private:
  static OrtNode* Make(const std::string& operator_name, const std::string& operator_domain,
                       const std::string& node_name, const std::vector<std::string>& input_names,
                       const std::vector<std::string>& output_names, std::vector<OpAttr>& attributes);
};

/// A node and the index of its input or output; -1 for an input of a subgraph that is used implicitly.
struct ValueInfoConsumerProducerInfo {
  ValueInfoConsumerProducerInfo(ConstNode n, int64_t i) : node(n), index(i) {}
  ConstNode node;
  int64_t index;
};

/// A domain and its version.
struct OperatorSet {
  OperatorSet(std::string d, int64_t v) : domain(std::move(d)), version(v) {}
  std::string domain;
  int64_t version;
};

namespace detail {
template <typename T>
struct ConstGraphImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  std::string GetName() const;
  std::basic_string<ORTCHAR_T> GetModelPath() const;
  int64_t GetOnnxIRVersion() const;
  std::vector<OperatorSet> GetOperatorSets() const;
  std::vector<ConstValueInfo> GetInputs() const;
  std::vector<ConstValueInfo> GetOutputs() const;
  std::vector<ConstValueInfo> GetInitializers() const;
  std::vector<ConstNode> GetNodes() const;
  ConstNode GetParentNode() const;
  Graph GetGraphView(const std::vector<ConstNode>& nodes) const;
  ModelMetadata GetModelMetadata() const;
};

template <typename T>
struct GraphImpl : ConstGraphImpl<T> {
  using B = ConstGraphImpl<T>;
  using B::B;
  /// What is passed moves into the graph.
  void SetInputs(std::vector<ValueInfo>& inputs);
  void SetOutputs(std::vector<ValueInfo>& outputs);
  void AddInitializer(const std::string& name, Value& initializer, bool data_is_external);
  void AddNode(Node& node);
};
}  // namespace detail
using ConstGraph = detail::ConstGraphImpl<detail::Unowned<const OrtGraph>>;

/// A subgraph and the attribute that holds it.
struct AttrNameSubgraph {
  AttrNameSubgraph(std::string name, ConstGraph graph) : attr_name(std::move(name)), sub_graph(graph) {}
  std::string attr_name;
  ConstGraph sub_graph;
};

/// A graph under construction, or a view of one.
struct Graph : detail::GraphImpl<OrtGraph> {
  explicit Graph(std::nullptr_t) {}
  explicit Graph(OrtGraph* p) : GraphImpl<OrtGraph>{p} {}
  Graph();
};

namespace detail {
template <typename T>
struct ModelImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  /// The graph moves into the model.
  void AddGraph(Graph& graph);
};
}  // namespace detail
using UnownedModel = detail::ModelImpl<detail::Unowned<OrtModel>>;

/// A model under construction.
struct Model : detail::ModelImpl<OrtModel> {
  using DomainOpsetPair = std::pair<std::string, int>;
  explicit Model(std::nullptr_t) {}
  explicit Model(OrtModel* p) : ModelImpl<OrtModel>{p} {}
  explicit Model(const std::vector<DomainOpsetPair>& opsets);
};

namespace detail {
template <typename T>
struct ConstKernelDefImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  const char* GetOperatorType() const;
  const char* GetDomain() const;
  std::pair<int, int> GetSinceVersion() const;
  const char* GetExecutionProvider() const;
  OrtMemType GetInputMemType(size_t input_index) const;
  OrtMemType GetOutputMemType(size_t output_index) const;
};
}  // namespace detail
using ConstKernelDef = detail::ConstKernelDefImpl<detail::Unowned<const OrtKernelDef>>;

/// Which nodes a kernel of a provider is for.
struct KernelDef : detail::ConstKernelDefImpl<OrtKernelDef> {
  using Base = detail::ConstKernelDefImpl<OrtKernelDef>;
  using Base::Base;
  explicit KernelDef(std::nullptr_t) {}
  explicit KernelDef(OrtKernelDef* p) : ConstKernelDefImpl<OrtKernelDef>{p} {}
  ConstKernelDef GetConst() const { return ConstKernelDef{this->p_}; }
};

struct KernelDefBuilder : detail::Base<OrtKernelDefBuilder> {
  KernelDefBuilder();
  explicit KernelDefBuilder(std::nullptr_t) {}
  explicit KernelDefBuilder(OrtKernelDefBuilder* ort_kernel_def_builder)
      : Base<OrtKernelDefBuilder>{ort_kernel_def_builder} {}
  KernelDefBuilder& SetOperatorType(const char* op_type);
  KernelDefBuilder& SetDomain(const char* domain);
  KernelDefBuilder& SetSinceVersion(int since_version_start, int since_version_end);
  KernelDefBuilder& SetExecutionProvider(const char* ep_name);
  KernelDefBuilder& SetInputMemType(size_t input_index, OrtMemType mem_type);
  KernelDefBuilder& SetOutputMemType(size_t output_index, OrtMemType mem_type);
  KernelDefBuilder& AddTypeConstraint(const char* arg_name, const OrtDataType* data_type);
  KernelDefBuilder& AddTypeConstraint(const char* arg_name, const std::vector<const OrtDataType*>& data_types);
  KernelDefBuilder& AddInputOutputAlias(int input_index, int output_index);
  KernelDefBuilder& AddInputOutputAliases(const std::vector<int>& input_indices,
                                          const std::vector<int>& output_indices);
  KernelDefBuilder& AddInputOutputMutableAlias(int input_index, int output_index);
  KernelDefBuilder& AddInputOutputMutableAliases(const std::vector<int>& input_indices,
                                                 const std::vector<int>& output_indices);
  KernelDef Build();
};

struct KernelRegistry : detail::Base<OrtKernelRegistry> {
  KernelRegistry();
  explicit KernelRegistry(std::nullptr_t) {}
  explicit KernelRegistry(OrtKernelRegistry* ort_kernel_registry) : Base<OrtKernelRegistry>{ort_kernel_registry} {}
  Status AddKernel(const OrtKernelDef* kernel_def, OrtKernelCreateFunc kernel_create_func,
                   void* kernel_create_func_state);
};

namespace detail {
template <typename T>
struct OpSchemaTypeConstraintImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  std::string GetTypeParamName() const;
  std::vector<std::string> GetAllowedTypes() const;
  std::vector<size_t> GetInputIndices() const;
  std::vector<size_t> GetOutputIndices() const;
};
}  // namespace detail
using ConstOpSchemaTypeConstraint =
    detail::OpSchemaTypeConstraintImpl<detail::Unowned<const OrtOpSchemaTypeConstraint>>;

namespace detail {
template <typename T>
struct OpSchemaImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  int GetSinceVersion() const;
  size_t GetNumInputs() const;
  std::string GetInputName(size_t index) const;
  ConstOpSchemaTypeConstraint GetInputTypeConstraint(size_t index) const;
  size_t GetNumOutputs() const;
  std::string GetOutputName(size_t index) const;
  ConstOpSchemaTypeConstraint GetOutputTypeConstraint(size_t index) const;
  size_t GetTypeConstraintCount() const;
  ConstOpSchemaTypeConstraint GetTypeConstraint(size_t index) const;
};

template <typename T>
struct SharedPrePackedWeightCacheImpl : Base<T> {
  using B = Base<T>;
  using B::B;
  Status StoreWeightData(void** buffer_data_ptrs, size_t* buffer_sizes, size_t num_buffers);
};
}  // namespace detail
using OpSchema = detail::OpSchemaImpl<OrtOpSchema>;
using UnownedSharedPrePackedWeightCache =
    detail::SharedPrePackedWeightCacheImpl<detail::Unowned<OrtSharedPrePackedWeightCache>>;

/// The definition of an operator; empty when there is none.
OpSchema GetOpSchema(const char* name, int max_inclusive_version, const char* domain);
KeyValuePairs GetEnvConfigEntries();

}  // namespace Ort

#include "onnxruntime_cxx_inline.h"
