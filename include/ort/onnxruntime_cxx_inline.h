// Bodies of onnxruntime_cxx_api.h; included there.
// SPDX-License-Identifier: MIT
#pragma once

namespace Ort {

inline const OrtModelEditorApi& GetModelEditorApi() {
  const OrtModelEditorApi* api = GetApi().GetModelEditorApi();
  if (!api) ORT_CXX_API_THROW("The library has no model editor", ORT_FAIL);
  return *api;
}
inline const OrtCompileApi& GetCompileApi() {
  const OrtCompileApi* api = GetApi().GetCompileApi();
  if (!api) ORT_CXX_API_THROW("The library has no compile interface", ORT_FAIL);
  return *api;
}
inline const OrtInteropApi& GetInteropApi() {
  const OrtInteropApi* api = GetApi().GetInteropApi();
  if (!api) ORT_CXX_API_THROW("The library has no interop interface", ORT_FAIL);
  return *api;
}
inline const OrtEpApi& GetEpApi() {
  const OrtEpApi* api = GetApi().GetEpApi();
  if (!api) ORT_CXX_API_THROW("The library has no interface for providers", ORT_FAIL);
  return *api;
}

namespace detail {

inline void ThrowStatus(const Status& st) {
  std::string message = st.GetErrorMessage();
  ORT_CXX_API_THROW(std::move(message), st.GetErrorCode());
}

/// A string from an allocator-taking function.
template <typename Function>
inline AllocatedStringPtr FetchString(OrtAllocator* allocator, Function function) {
  char* text = nullptr;
  ThrowOnError(function(&text));
  return AllocatedStringPtr(text, AllocatedFree(allocator));
}

/// A string from a function that is asked for the size (terminator included) first.
template <typename Function>
inline std::string FetchSizedString(Function function) {
  size_t size = 0;
  ThrowOnError(function(nullptr, &size));
  if (size == 0) return std::string();
  std::string text(size, '\0');
  ThrowOnError(function(&text[0], &size));
  text.resize(size == 0 ? 0 : size - 1);
  return text;
}

/// Keys and values of a map as two lists of pointers into it.
struct Entries {
  explicit Entries(const std::unordered_map<std::string, std::string>& map) {
    keys.reserve(map.size());
    values.reserve(map.size());
    for (const auto& entry : map) {
      keys.push_back(entry.first.c_str());
      values.push_back(entry.second.c_str());
    }
  }
  std::vector<const char*> keys;
  std::vector<const char*> values;
};

inline std::vector<const char*> StringsToCharPtrs(const std::vector<std::string>& strings) {
  std::vector<const char*> pointers;
  pointers.reserve(strings.size());
  for (const std::string& text : strings) pointers.push_back(text.c_str());
  return pointers;
}

}  // namespace detail

inline void ThrowOnError(OrtStatus* ort_status) {
  if (ort_status) {
    Status st(ort_status);
    detail::ThrowStatus(st);
  }
}
inline void ThrowOnError(const Status& st) {
  if (st) detail::ThrowStatus(st);
}

inline Status::Status(const Exception& e) : Base{GetApi().CreateStatus(e.GetOrtErrorCode(), e.what())} {}
inline Status::Status(const std::exception& e) : Base{GetApi().CreateStatus(ORT_FAIL, e.what())} {}
inline Status::Status(const char* message, OrtErrorCode code) : Base{GetApi().CreateStatus(code, message)} {}
inline std::string Status::GetErrorMessage() const { return p_ ? GetApi().GetErrorMessage(p_) : std::string(); }
inline OrtErrorCode Status::GetErrorCode() const { return p_ ? GetApi().GetErrorCode(p_) : ORT_OK; }

inline std::string GetVersionString() { return OrtGetApiBase()->GetVersionString(); }
inline std::string GetBuildInfoString() { return GetApi().GetBuildInfoString(); }
inline std::vector<std::string> GetAvailableProviders() {
  char** providers = nullptr;
  int count = 0;
  ThrowOnError(GetApi().GetAvailableProviders(&providers, &count));
  std::vector<std::string> names(providers, providers + count);
  ThrowOnError(GetApi().ReleaseAvailableProviders(providers, count));
  return names;
}

/* ---- Threading and provider options ---- */
inline ThreadingOptions::ThreadingOptions() { ThrowOnError(GetApi().CreateThreadingOptions(&p_)); }
inline ThreadingOptions& ThreadingOptions::SetGlobalIntraOpNumThreads(int intra_op_num_threads) {
  ThrowOnError(GetApi().SetGlobalIntraOpNumThreads(this->p_, intra_op_num_threads));
  return *this;
}
inline ThreadingOptions& ThreadingOptions::SetGlobalInterOpNumThreads(int inter_op_num_threads) {
  ThrowOnError(GetApi().SetGlobalInterOpNumThreads(this->p_, inter_op_num_threads));
  return *this;
}
inline ThreadingOptions& ThreadingOptions::SetGlobalSpinControl(int allow_spinning) {
  ThrowOnError(GetApi().SetGlobalSpinControl(this->p_, allow_spinning));
  return *this;
}
inline ThreadingOptions& ThreadingOptions::SetGlobalDenormalAsZero() {
  ThrowOnError(GetApi().SetGlobalDenormalAsZero(this->p_));
  return *this;
}
inline ThreadingOptions& ThreadingOptions::SetGlobalCustomCreateThreadFn(
    OrtCustomCreateThreadFn ort_custom_create_thread_fn) {
  ThrowOnError(GetApi().SetGlobalCustomCreateThreadFn(this->p_, ort_custom_create_thread_fn));
  return *this;
}
inline ThreadingOptions& ThreadingOptions::SetGlobalCustomThreadCreationOptions(
    void* ort_custom_thread_creation_options) {
  ThrowOnError(GetApi().SetGlobalCustomThreadCreationOptions(this->p_, ort_custom_thread_creation_options));
  return *this;
}
inline ThreadingOptions& ThreadingOptions::SetGlobalCustomJoinThreadFn(
    OrtCustomJoinThreadFn ort_custom_join_thread_fn) {
  ThrowOnError(GetApi().SetGlobalCustomJoinThreadFn(this->p_, ort_custom_join_thread_fn));
  return *this;
}
inline TensorRTProviderOptions::TensorRTProviderOptions() { ThrowOnError(GetApi().CreateTensorRTProviderOptions(&p_)); }
inline void TensorRTProviderOptions::Update(const std::unordered_map<std::string, std::string>& options) {
  const detail::Entries entries(options);
  ThrowOnError(
      GetApi().UpdateTensorRTProviderOptions(p_, entries.keys.data(), entries.values.data(), entries.keys.size()));
}
inline void TensorRTProviderOptions::UpdateWithValue(const char* key, void* value) {
  ThrowOnError(GetApi().UpdateTensorRTProviderOptionsWithValue(p_, key, value));
}
inline void* TensorRTProviderOptions::GetOptionByName(const char* name) const {
  void* value = nullptr;
  ThrowOnError(GetApi().GetTensorRTProviderOptionsByName(p_, name, &value));
  return value;
}
inline std::string TensorRTProviderOptions::GetTensorRTProviderOptionsAsString() const {
  AllocatorWithDefaultOptions allocator;
  return detail::FetchString(
             allocator, [&](char** out) { return GetApi().GetTensorRTProviderOptionsAsString(p_, allocator, out); })
      .get();
}
inline CUDAProviderOptions::CUDAProviderOptions() { ThrowOnError(GetApi().CreateCUDAProviderOptions(&p_)); }
inline void CUDAProviderOptions::Update(const std::unordered_map<std::string, std::string>& options) {
  const detail::Entries entries(options);
  ThrowOnError(GetApi().UpdateCUDAProviderOptions(p_, entries.keys.data(), entries.values.data(), entries.keys.size()));
}
inline void CUDAProviderOptions::UpdateWithValue(const char* key, void* value) {
  ThrowOnError(GetApi().UpdateCUDAProviderOptionsWithValue(p_, key, value));
}
inline void* CUDAProviderOptions::GetOptionByName(const char* name) const {
  void* value = nullptr;
  ThrowOnError(GetApi().GetCUDAProviderOptionsByName(p_, name, &value));
  return value;
}
inline std::string CUDAProviderOptions::GetCUDAProviderOptionsAsString() const {
  AllocatorWithDefaultOptions allocator;
  return detail::FetchString(allocator,
                             [&](char** out) { return GetApi().GetCUDAProviderOptionsAsString(p_, allocator, out); })
      .get();
}
inline PrepackedWeightsContainer::PrepackedWeightsContainer() {
  ThrowOnError(GetApi().CreatePrepackedWeightsContainer(&p_));
}

/* ---- External initializers, keys and values ---- */
namespace detail {
template <typename T>
inline const std::basic_string<ORTCHAR_T> ConstExternalInitializerInfoImpl<T>::GetFilePath() const {
  return GetApi().ExternalInitializerInfo_GetFilePath(this->p_);
}
template <typename T>
inline int64_t ConstExternalInitializerInfoImpl<T>::GetFileOffset() const {
  return GetApi().ExternalInitializerInfo_GetFileOffset(this->p_);
}
template <typename T>
inline size_t ConstExternalInitializerInfoImpl<T>::GetByteSize() const {
  return GetApi().ExternalInitializerInfo_GetByteSize(this->p_);
}
template <typename T>
inline const char* KeyValuePairsImpl<T>::GetValue(const char* key) const {
  return GetApi().GetKeyValue(this->p_, key);
}
template <typename T>
inline std::unordered_map<std::string, std::string> KeyValuePairsImpl<T>::GetKeyValuePairs() const {
  std::unordered_map<std::string, std::string> out;
  if (!this->p_) return out;
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  size_t count = 0;
  GetApi().GetKeyValuePairs(this->p_, &keys, &values, &count);
  for (size_t i = 0; i < count; ++i) out[keys[i]] = values[i];
  return out;
}
template <typename T>
inline void KeyValuePairsImpl<T>::GetKeyValuePairs(std::vector<const char*>& keys,
                                                   std::vector<const char*>& values) const {
  keys.clear();
  values.clear();
  if (!this->p_) return;
  const char* const* key_list = nullptr;
  const char* const* value_list = nullptr;
  size_t count = 0;
  GetApi().GetKeyValuePairs(this->p_, &key_list, &value_list, &count);
  if (count == 0) return;
  keys.assign(key_list, key_list + count);
  values.assign(value_list, value_list + count);
}
}  // namespace detail

inline ExternalInitializerInfo::ExternalInitializerInfo(const ORTCHAR_T* filepath, int64_t file_offset,
                                                        size_t byte_size) {
  ThrowOnError(GetApi().CreateExternalInitializerInfo(filepath, file_offset, byte_size, &this->p_));
}
inline Status ExternalInitializerInfo::Create(const ORTCHAR_T* filepath, int64_t file_offset, size_t byte_size,
                                              ExternalInitializerInfo& out) {
  OrtExternalInitializerInfo* info = nullptr;
  ORT_CXX_RETURN_ON_API_FAIL(GetApi().CreateExternalInitializerInfo(filepath, file_offset, byte_size, &info));
  out = ExternalInitializerInfo(info);
  return Status();
}
inline KeyValuePairs::KeyValuePairs() { GetApi().CreateKeyValuePairs(&p_); }
inline KeyValuePairs::KeyValuePairs(const std::unordered_map<std::string, std::string>& kv_pairs) {
  GetApi().CreateKeyValuePairs(&p_);
  for (const auto& entry : kv_pairs) GetApi().AddKeyValuePair(p_, entry.first.c_str(), entry.second.c_str());
}
inline void KeyValuePairs::Add(const char* key, const char* value) { GetApi().AddKeyValuePair(p_, key, value); }
inline void KeyValuePairs::Remove(const char* key) { GetApi().RemoveKeyValuePair(p_, key); }

/* ---- Memory ---- */
namespace detail {
template <typename T>
inline std::string MemoryInfoImpl<T>::GetAllocatorName() const {
  const char* out{};
  ThrowOnError(GetApi().MemoryInfoGetName(this->p_, &out));
  return std::string(out);
}
template <typename T>
inline OrtAllocatorType MemoryInfoImpl<T>::GetAllocatorType() const {
  OrtAllocatorType out{};
  ThrowOnError(GetApi().MemoryInfoGetType(this->p_, &out));
  return out;
}
template <typename T>
inline int MemoryInfoImpl<T>::GetDeviceId() const {
  int out{};
  ThrowOnError(GetApi().MemoryInfoGetId(this->p_, &out));
  return out;
}
template <typename T>
inline OrtMemType MemoryInfoImpl<T>::GetMemoryType() const {
  OrtMemType out{};
  ThrowOnError(GetApi().MemoryInfoGetMemType(this->p_, &out));
  return out;
}
template <typename T>
inline OrtMemoryInfoDeviceType MemoryInfoImpl<T>::GetDeviceType() const {
  OrtMemoryInfoDeviceType type{};
  GetApi().MemoryInfoGetDeviceType(this->p_, &type);
  return type;
}
template <typename T>
inline OrtDeviceMemoryType MemoryInfoImpl<T>::GetDeviceMemoryType() const {
  return GetApi().MemoryInfoGetDeviceMemType(this->p_);
}
template <typename T>
inline uint32_t MemoryInfoImpl<T>::GetVendorId() const {
  return GetApi().MemoryInfoGetVendorId(this->p_);
}
template <typename T>
template <typename U>
inline bool MemoryInfoImpl<T>::operator==(const MemoryInfoImpl<U>& o) const {
  int difference = 0;
  ThrowOnError(GetApi().CompareMemoryInfo(this->p_, o, &difference));
  return difference == 0;
}
template <typename T>
inline void* AllocatorImpl<T>::Alloc(size_t size) {
  void* out = nullptr;
  ThrowOnError(GetApi().AllocatorAlloc(this->p_, size, &out));
  return out;
}
template <typename T>
inline void* AllocatorImpl<T>::Reserve(size_t size) {
  if (this->p_->version >= 18 && this->p_->Reserve) return this->p_->Reserve(this->p_, size);
  return Alloc(size);
}
template <typename T>
inline MemoryAllocation AllocatorImpl<T>::GetAllocation(size_t size) {
  void* memory = Alloc(size);
  return MemoryAllocation(this->p_, memory, size);
}
template <typename T>
inline void AllocatorImpl<T>::Free(void* p) {
  ThrowOnError(GetApi().AllocatorFree(this->p_, p));
}
template <typename T>
inline ConstMemoryInfo AllocatorImpl<T>::GetInfo() const {
  const OrtMemoryInfo* out = nullptr;
  ThrowOnError(GetApi().AllocatorGetInfo(this->p_, &out));
  return ConstMemoryInfo{out};
}
template <typename T>
inline KeyValuePairs AllocatorImpl<T>::GetStats() const {
  OrtKeyValuePairs* out = nullptr;
  ThrowOnError(GetApi().AllocatorGetStats(this->p_, &out));
  return KeyValuePairs(out);
}
template <typename T>
inline void AllocatorImpl<T>::Shrink() {
  if (this->p_->version >= 25 && this->p_->Shrink) ThrowOnError(this->p_->Shrink(this->p_));
}
}  // namespace detail

inline MemoryInfo MemoryInfo::CreateCpu(OrtAllocatorType type, OrtMemType mem_type1) {
  OrtMemoryInfo* out = nullptr;
  ThrowOnError(GetApi().CreateCpuMemoryInfo(type, mem_type1, &out));
  return MemoryInfo(out);
}
inline MemoryInfo::MemoryInfo(const char* name, OrtAllocatorType type, int id, OrtMemType mem_type) {
  ThrowOnError(GetApi().CreateMemoryInfo(name, type, id, mem_type, &this->p_));
}
inline MemoryInfo::MemoryInfo(const char* name, OrtMemoryInfoDeviceType device_type, uint32_t vendor_id,
                              uint32_t device_id, OrtDeviceMemoryType mem_type, size_t alignment,
                              OrtAllocatorType allocator_type) {
  ThrowOnError(GetApi().CreateMemoryInfo_V2(name, device_type, vendor_id, static_cast<int32_t>(device_id), mem_type,
                                            alignment, allocator_type, &this->p_));
}

inline MemoryAllocation::MemoryAllocation(OrtAllocator* allocator, void* p, size_t size)
    : allocator_(allocator), p_(p), size_(size) {}
inline MemoryAllocation::~MemoryAllocation() {
  if (p_) allocator_->Free(allocator_, p_);
}
inline MemoryAllocation::MemoryAllocation(MemoryAllocation&& o) noexcept
    : allocator_(o.allocator_), p_(std::exchange(o.p_, nullptr)), size_(std::exchange(o.size_, 0)) {}
inline MemoryAllocation& MemoryAllocation::operator=(MemoryAllocation&& o) noexcept {
  std::swap(allocator_, o.allocator_);
  std::swap(p_, o.p_);
  std::swap(size_, o.size_);
  return *this;
}

inline AllocatorWithDefaultOptions::AllocatorWithDefaultOptions() {
  ThrowOnError(GetApi().GetAllocatorWithDefaultOptions(&this->p_));
}
inline Allocator::Allocator(const Session& session, const OrtMemoryInfo* mem_info) {
  ThrowOnError(GetApi().CreateAllocator(session, mem_info, &this->p_));
}

/* ---- Devices and providers ---- */
namespace detail {
template <typename T>
inline void* SyncStreamImpl<T>::GetHandle() {
  return GetApi().SyncStream_GetHandle(this->p_);
}
template <typename T>
inline OrtHardwareDeviceType HardwareDeviceImpl<T>::Type() const {
  return GetApi().HardwareDevice_Type(this->p_);
}
template <typename T>
inline uint32_t HardwareDeviceImpl<T>::VendorId() const {
  return GetApi().HardwareDevice_VendorId(this->p_);
}
template <typename T>
inline uint32_t HardwareDeviceImpl<T>::DeviceId() const {
  return GetApi().HardwareDevice_DeviceId(this->p_);
}
template <typename T>
inline const char* HardwareDeviceImpl<T>::Vendor() const {
  return GetApi().HardwareDevice_Vendor(this->p_);
}
template <typename T>
inline const char* EpDeviceImpl<T>::EpName() const {
  return GetApi().EpDevice_EpName(this->p_);
}
template <typename T>
inline const char* EpDeviceImpl<T>::EpVendor() const {
  return GetApi().EpDevice_EpVendor(this->p_);
}
template <typename T>
inline ConstKeyValuePairs HardwareDeviceImpl<T>::Metadata() const {
  return ConstKeyValuePairs{GetApi().HardwareDevice_Metadata(this->p_)};
}
template <typename T>
inline ConstKeyValuePairs EpDeviceImpl<T>::EpMetadata() const {
  return ConstKeyValuePairs{GetApi().EpDevice_EpMetadata(this->p_)};
}
template <typename T>
inline ConstKeyValuePairs EpDeviceImpl<T>::EpOptions() const {
  return ConstKeyValuePairs{GetApi().EpDevice_EpOptions(this->p_)};
}
template <typename T>
inline ConstHardwareDevice EpDeviceImpl<T>::Device() const {
  return ConstHardwareDevice{GetApi().EpDevice_Device(this->p_)};
}
template <typename T>
inline ConstMemoryInfo EpDeviceImpl<T>::GetMemoryInfo(OrtDeviceMemoryType memory_type) const {
  return ConstMemoryInfo{GetApi().EpDevice_MemoryInfo(this->p_, memory_type)};
}
template <typename T>
inline SyncStream EpDeviceImpl<T>::CreateSyncStream(ConstKeyValuePairs stream_options) const {
  OrtSyncStream* out = nullptr;
  ThrowOnError(GetApi().CreateSyncStreamForEpDevice(this->p_, stream_options, &out));
  return SyncStream{out};
}
template <typename T>
inline uint32_t DeviceEpIncompatibilityDetailsImpl<T>::GetReasonsBitmask() const {
  uint32_t out{};
  ThrowOnError(GetApi().DeviceEpIncompatibilityDetails_GetReasonsBitmask(this->p_, &out));
  return out;
}
template <typename T>
inline const char* DeviceEpIncompatibilityDetailsImpl<T>::GetNotes() const {
  const char* out{};
  ThrowOnError(GetApi().DeviceEpIncompatibilityDetails_GetNotes(this->p_, &out));
  return out;
}
template <typename T>
inline int32_t DeviceEpIncompatibilityDetailsImpl<T>::GetErrorCode() const {
  int32_t out{};
  ThrowOnError(GetApi().DeviceEpIncompatibilityDetails_GetErrorCode(this->p_, &out));
  return out;
}
template <typename T>
inline std::string EpAssignedNodeImpl<T>::GetName() const {
  const char* out{};
  ThrowOnError(GetApi().EpAssignedNode_GetName(this->p_, &out));
  return std::string(out);
}
template <typename T>
inline std::string EpAssignedNodeImpl<T>::GetDomain() const {
  const char* out{};
  ThrowOnError(GetApi().EpAssignedNode_GetDomain(this->p_, &out));
  return std::string(out);
}
template <typename T>
inline std::string EpAssignedNodeImpl<T>::GetOperatorType() const {
  const char* out{};
  ThrowOnError(GetApi().EpAssignedNode_GetOperatorType(this->p_, &out));
  return std::string(out);
}
template <typename T>
inline std::string EpAssignedSubgraphImpl<T>::GetEpName() const {
  const char* out{};
  ThrowOnError(GetApi().EpAssignedSubgraph_GetEpName(this->p_, &out));
  return std::string(out);
}
template <typename T>
inline std::vector<ConstEpAssignedNode> EpAssignedSubgraphImpl<T>::GetNodes() const {
  const OrtEpAssignedNode* const* nodes = nullptr;
  size_t count = 0;
  ThrowOnError(GetApi().EpAssignedSubgraph_GetNodes(this->p_, &nodes, &count));
  std::vector<ConstEpAssignedNode> out;
  out.reserve(count);
  for (size_t i = 0; i < count; ++i) out.push_back(ConstEpAssignedNode{nodes[i]});
  return out;
}
template <typename T>
inline OrtProfilingEventCategory ConstProfilingEventImpl<T>::GetCategory() const {
  OrtProfilingEventCategory out{};
  ThrowOnError(GetEpApi().ProfilingEvent_GetCategory(this->p_, &out));
  return out;
}
template <typename T>
inline const char* ConstProfilingEventImpl<T>::GetName() const {
  const char* out{};
  ThrowOnError(GetEpApi().ProfilingEvent_GetName(this->p_, &out));
  return out;
}
template <typename T>
inline int64_t ConstProfilingEventImpl<T>::GetTimestampUs() const {
  int64_t out{};
  ThrowOnError(GetEpApi().ProfilingEvent_GetTimestampUs(this->p_, &out));
  return out;
}
template <typename T>
inline int64_t ConstProfilingEventImpl<T>::GetDurationUs() const {
  int64_t out{};
  ThrowOnError(GetEpApi().ProfilingEvent_GetDurationUs(this->p_, &out));
  return out;
}
template <typename T>
inline const char* ConstProfilingEventImpl<T>::GetArgValue(const char* key) const {
  const char* out{};
  ThrowOnError(GetEpApi().ProfilingEvent_GetArgValue(this->p_, key, &out));
  return out;
}
template <typename T>
inline Status ProfilingEventsContainerImpl<T>::AddEvents(const OrtProfilingEvent* const* events, size_t num_events) {
  return Status{GetEpApi().ProfilingEventsContainer_AddEvents(this->p_, events, num_events)};
}
template <typename T>
inline Status ProfilingEventsContainerImpl<T>::AddEvents(const std::vector<ProfilingEvent>& events) {
  std::vector<const OrtProfilingEvent*> list(events.begin(), events.end());
  return AddEvents(list.data(), list.size());
}
}  // namespace detail

inline ProfilingEvent::ProfilingEvent(OrtProfilingEventCategory category, int32_t process_id, int32_t thread_id,
                                      const char* event_name, int64_t timestamp_us, int64_t duration_us,
                                      const std::unordered_map<std::string, std::string>& args) {
  const detail::Entries entries(args);
  ThrowOnError(GetEpApi().CreateProfilingEvent(category, process_id, thread_id, event_name, timestamp_us, duration_us,
                                               entries.keys.data(), entries.values.data(), entries.keys.size(),
                                               &this->p_));
}
inline ProfilingEvent::ProfilingEvent(OrtProfilingEventCategory category, int32_t process_id, int32_t thread_id,
                                      const char* event_name, int64_t timestamp_us, int64_t duration_us,
                                      const char* const* arg_keys, const char* const* arg_values, size_t num_args) {
  ThrowOnError(GetEpApi().CreateProfilingEvent(category, process_id, thread_id, event_name, timestamp_us, duration_us,
                                               arg_keys, arg_values, num_args, &this->p_));
}
inline EpDevice::EpDevice(OrtEpFactory& ep_factory, ConstHardwareDevice& hardware_device,
                          ConstKeyValuePairs ep_metadata, ConstKeyValuePairs ep_options) {
  ThrowOnError(GetEpApi().CreateEpDevice(&ep_factory, hardware_device, ep_metadata, ep_options, &this->p_));
}
inline OrtCompiledModelCompatibility GetModelCompatibilityForEpDevices(const std::vector<ConstEpDevice>& ep_devices,
                                                                       const char* compatibility_info) {
  std::vector<const OrtEpDevice*> devices(ep_devices.begin(), ep_devices.end());
  OrtCompiledModelCompatibility out{};
  ThrowOnError(GetApi().GetModelCompatibilityForEpDevices(devices.data(), devices.size(), compatibility_info, &out));
  return out;
}
inline AllocatedStringPtr GetCompatibilityInfoFromModelAllocated(const ORTCHAR_T* model_path, const char* ep_type,
                                                                 OrtAllocator* allocator) {
  return detail::FetchString(allocator, [&](char** out) {
    return GetApi().GetCompatibilityInfoFromModel(model_path, ep_type, allocator, out);
  });
}
inline AllocatedStringPtr GetCompatibilityInfoFromModelBytesAllocated(const void* model_data, size_t model_data_length,
                                                                      const char* ep_type, OrtAllocator* allocator) {
  return detail::FetchString(allocator, [&](char** out) {
    return GetApi().GetCompatibilityInfoFromModelBytes(model_data, model_data_length, ep_type, allocator, out);
  });
}

/* ---- Environment ---- */
inline Env::Env(OrtLoggingLevel logging_level, const char* logid) {
  ThrowOnError(GetApi().CreateEnv(logging_level, logid, &p_));
}
inline Env::Env(OrtLoggingLevel logging_level, const char* logid, OrtLoggingFunction logging_function,
                void* logger_param) {
  ThrowOnError(GetApi().CreateEnvWithCustomLogger(logging_function, logger_param, logging_level, logid, &p_));
}
inline Env::Env(const OrtThreadingOptions* tp_options, OrtLoggingLevel logging_level, const char* logid) {
  ThrowOnError(GetApi().CreateEnvWithGlobalThreadPools(logging_level, logid, tp_options, &p_));
}
inline Env::Env(const OrtThreadingOptions* tp_options, OrtLoggingFunction logging_function, void* logger_param,
                OrtLoggingLevel logging_level, const char* logid) {
  ThrowOnError(GetApi().CreateEnvWithCustomLoggerAndGlobalThreadPools(logging_function, logger_param, logging_level,
                                                                      logid, tp_options, &p_));
}
inline Env::Env(const OrtEnvCreationOptions* options) { ThrowOnError(GetApi().CreateEnvWithOptions(options, &p_)); }
inline Env& Env::EnableTelemetryEvents() {
  ThrowOnError(GetApi().EnableTelemetryEvents(this->p_));
  return *this;
}
inline Env& Env::DisableTelemetryEvents() {
  ThrowOnError(GetApi().DisableTelemetryEvents(this->p_));
  return *this;
}
inline Env& Env::UpdateEnvWithCustomLogLevel(OrtLoggingLevel log_severity_level) {
  ThrowOnError(GetApi().UpdateEnvWithCustomLogLevel(this->p_, log_severity_level));
  return *this;
}
inline Env& Env::CreateAndRegisterAllocator(const OrtMemoryInfo* mem_info, const OrtArenaCfg* arena_cfg) {
  ThrowOnError(GetApi().CreateAndRegisterAllocator(this->p_, mem_info, arena_cfg));
  return *this;
}
inline Env& Env::RegisterAllocator(OrtAllocator* allocator) {
  ThrowOnError(GetApi().RegisterAllocator(this->p_, allocator));
  return *this;
}
inline Env& Env::UnregisterAllocator(const OrtMemoryInfo* mem_info) {
  ThrowOnError(GetApi().UnregisterAllocator(this->p_, mem_info));
  return *this;
}
inline Env& Env::RegisterExecutionProviderLibrary(const char* registration_name,
                                                  const std::basic_string<ORTCHAR_T>& path) {
  ThrowOnError(GetApi().RegisterExecutionProviderLibrary(this->p_, registration_name, path.c_str()));
  return *this;
}
inline Env& Env::UnregisterExecutionProviderLibrary(const char* registration_name) {
  ThrowOnError(GetApi().UnregisterExecutionProviderLibrary(this->p_, registration_name));
  return *this;
}
inline Env& Env::SetPerSessionThreadPoolCallbacks(const OrtThreadPoolCallbacksConfig& config) {
  ThrowOnError(GetApi().SetPerSessionThreadPoolCallbacks(this->p_, &config));
  return *this;
}
inline Env& Env::CreateAndRegisterAllocatorV2(const std::string& provider_type, const OrtMemoryInfo* mem_info,
                                              const std::unordered_map<std::string, std::string>& options,
                                              const OrtArenaCfg* arena_cfg) {
  const detail::Entries entries(options);
  ThrowOnError(GetApi().CreateAndRegisterAllocatorV2(p_, provider_type.c_str(), mem_info, arena_cfg,
                                                     entries.keys.data(), entries.values.data(), entries.keys.size()));
  return *this;
}
inline std::vector<ConstEpDevice> Env::GetEpDevices() const {
  const OrtEpDevice* const* devices = nullptr;
  size_t count = 0;
  ThrowOnError(GetApi().GetEpDevices(p_, &devices, &count));
  std::vector<ConstEpDevice> out;
  out.reserve(count);
  for (size_t i = 0; i < count; ++i) out.push_back(ConstEpDevice{devices[i]});
  return out;
}
inline UnownedAllocator Env::CreateSharedAllocator(const OrtEpDevice* ep_device, OrtDeviceMemoryType mem_type,
                                                   OrtAllocatorType allocator_type,
                                                   const OrtKeyValuePairs* allocator_options) {
  OrtAllocator* out = nullptr;
  ThrowOnError(GetApi().CreateSharedAllocator(p_, ep_device, mem_type, allocator_type, allocator_options, &out));
  return UnownedAllocator{out};
}
inline UnownedAllocator Env::GetSharedAllocator(const OrtMemoryInfo* mem_info) {
  OrtAllocator* out = nullptr;
  ThrowOnError(GetApi().GetSharedAllocator(p_, mem_info, &out));
  return UnownedAllocator{out};
}
inline void Env::ReleaseSharedAllocator(const OrtEpDevice* ep_device, OrtDeviceMemoryType mem_type) {
  ThrowOnError(GetApi().ReleaseSharedAllocator(p_, ep_device, mem_type));
}
inline size_t Env::GetNumHardwareDevices() const {
  size_t count = 0;
  ThrowOnError(GetApi().GetNumHardwareDevices(p_, &count));
  return count;
}
inline std::vector<ConstHardwareDevice> Env::GetHardwareDevices() const {
  std::vector<const OrtHardwareDevice*> devices(GetNumHardwareDevices());
  if (!devices.empty()) ThrowOnError(GetApi().GetHardwareDevices(p_, devices.data(), devices.size()));
  std::vector<ConstHardwareDevice> out;
  out.reserve(devices.size());
  for (const OrtHardwareDevice* device : devices) out.push_back(ConstHardwareDevice{device});
  return out;
}
inline DeviceEpIncompatibilityDetails Env::GetHardwareDeviceEpIncompatibilityDetails(const char* ep_name,
                                                                                     ConstHardwareDevice hw) const {
  OrtDeviceEpIncompatibilityDetails* out = nullptr;
  ThrowOnError(GetApi().GetHardwareDeviceEpIncompatibilityDetails(p_, ep_name, hw, &out));
  return DeviceEpIncompatibilityDetails{out};
}
inline Status Env::CopyTensors(const std::vector<Value>& src_tensors, const std::vector<Value>& dst_tensors,
                               OrtSyncStream* stream) const {
  if (src_tensors.size() != dst_tensors.size())
    return Status("CopyTensors needs as many sources as destinations", ORT_INVALID_ARGUMENT);
  std::vector<const OrtValue*> from(src_tensors.begin(), src_tensors.end());
  std::vector<OrtValue*> to(dst_tensors.begin(), dst_tensors.end());
  return Status(GetApi().CopyTensors(p_, from.data(), to.data(), stream, from.size()));
}
inline Status Env::CopyTensor(const OrtValue* src_tensor, OrtValue* dst_tensor, OrtSyncStream* stream) const {
  return Status(GetApi().CopyTensors(p_, &src_tensor, &dst_tensor, stream, 1));
}
inline CustomOpDomain::CustomOpDomain(const char* domain) { ThrowOnError(GetApi().CreateCustomOpDomain(domain, &p_)); }
inline void CustomOpDomain::Add(const OrtCustomOp* op) { ThrowOnError(GetApi().CustomOpDomain_Add(p_, op)); }
inline LoraAdapter LoraAdapter::CreateLoraAdapter(const std::basic_string<ORTCHAR_T>& adapter_path,
                                                  OrtAllocator* allocator) {
  OrtLoraAdapter* out = nullptr;
  ThrowOnError(GetApi().CreateLoraAdapter(adapter_path.c_str(), allocator, &out));
  return LoraAdapter{out};
}
inline LoraAdapter LoraAdapter::CreateLoraAdapterFromArray(const void* bytes, size_t num_bytes,
                                                           OrtAllocator* allocator) {
  OrtLoraAdapter* out = nullptr;
  ThrowOnError(GetApi().CreateLoraAdapterFromArray(bytes, num_bytes, allocator, &out));
  return LoraAdapter{out};
}

/* ---- Run options ---- */
inline RunOptions::RunOptions() { ThrowOnError(GetApi().CreateRunOptions(&p_)); }
inline RunOptions& RunOptions::SetRunLogVerbosityLevel(int level) {
  ThrowOnError(GetApi().RunOptionsSetRunLogVerbosityLevel(this->p_, level));
  return *this;
}
inline RunOptions& RunOptions::SetRunLogSeverityLevel(int level) {
  ThrowOnError(GetApi().RunOptionsSetRunLogSeverityLevel(this->p_, level));
  return *this;
}
inline RunOptions& RunOptions::SetRunTag(const char* run_tag) {
  ThrowOnError(GetApi().RunOptionsSetRunTag(this->p_, run_tag));
  return *this;
}
inline RunOptions& RunOptions::AddConfigEntry(const char* config_key, const char* config_value) {
  ThrowOnError(GetApi().AddRunConfigEntry(this->p_, config_key, config_value));
  return *this;
}
inline RunOptions& RunOptions::SetTerminate() {
  ThrowOnError(GetApi().RunOptionsSetTerminate(this->p_));
  return *this;
}
inline RunOptions& RunOptions::UnsetTerminate() {
  ThrowOnError(GetApi().RunOptionsUnsetTerminate(this->p_));
  return *this;
}
inline RunOptions& RunOptions::AddActiveLoraAdapter(const LoraAdapter& adapter) {
  ThrowOnError(GetApi().RunOptionsAddActiveLoraAdapter(this->p_, adapter));
  return *this;
}
inline RunOptions& RunOptions::EnableProfiling(const ORTCHAR_T* profile_file_prefix) {
  ThrowOnError(GetApi().RunOptionsEnableProfiling(this->p_, profile_file_prefix));
  return *this;
}
inline RunOptions& RunOptions::DisableProfiling() {
  ThrowOnError(GetApi().RunOptionsDisableProfiling(this->p_));
  return *this;
}
inline int RunOptions::GetRunLogVerbosityLevel() const {
  int out{};
  ThrowOnError(GetApi().RunOptionsGetRunLogVerbosityLevel(this->p_, &out));
  return out;
}
inline int RunOptions::GetRunLogSeverityLevel() const {
  int out{};
  ThrowOnError(GetApi().RunOptionsGetRunLogSeverityLevel(this->p_, &out));
  return out;
}
inline const char* RunOptions::GetRunTag() const {
  const char* out{};
  ThrowOnError(GetApi().RunOptionsGetRunTag(this->p_, &out));
  return out;
}
inline const char* RunOptions::GetConfigEntry(const char* config_key) {
  return GetApi().GetRunConfigEntry(p_, config_key);
}
inline RunOptions& RunOptions::SetSyncStream(OrtSyncStream* stream) {
  GetApi().RunOptionsSetSyncStream(p_, stream);
  return *this;
}

/* ---- Session options ---- */
namespace detail {
inline std::string MakeCustomOpConfigEntryKey(const char* custom_op_name, const char* config) {
  std::string key = "custom_op.";
  key += custom_op_name;
  key += ".";
  key += config;
  return key;
}
}  // namespace detail

inline CustomOpConfigs& CustomOpConfigs::AddConfig(const char* custom_op_name, const char* config_key,
                                                   const char* config_value) {
  flat_configs_[detail::MakeCustomOpConfigEntryKey(custom_op_name, config_key)] = config_value;
  return *this;
}
inline SessionOptions::SessionOptions() { ThrowOnError(GetApi().CreateSessionOptions(&this->p_)); }

namespace detail {
template <typename T>
inline SessionOptions ConstSessionOptionsImpl<T>::Clone() const {
  OrtSessionOptions* out = nullptr;
  ThrowOnError(GetApi().CloneSessionOptions(this->p_, &out));
  return SessionOptions{out};
}
template <typename T>
inline std::string ConstSessionOptionsImpl<T>::GetConfigEntry(const char* config_key) const {
  return FetchSizedString(
      [&](char* text, size_t* size) { return GetApi().GetSessionConfigEntry(this->p_, config_key, text, size); });
}
template <typename T>
inline std::string ConstSessionOptionsImpl<T>::GetConfigEntryOrDefault(const char* config_key,
                                                                       const std::string& def) const {
  return HasConfigEntry(config_key) ? GetConfigEntry(config_key) : def;
}
template <typename T>
inline bool ConstSessionOptionsImpl<T>::HasConfigEntry(const char* config_key) const {
  int out{};
  ThrowOnError(GetApi().HasSessionConfigEntry(this->p_, config_key, &out));
  return out != 0;
}
template <typename T>
inline bool ConstSessionOptionsImpl<T>::GetMemPatternEnabled() const {
  int out{};
  ThrowOnError(GetApi().GetMemPatternEnabled(this->p_, &out));
  return out != 0;
}
template <typename T>
inline ExecutionMode ConstSessionOptionsImpl<T>::GetExecutionMode() const {
  ExecutionMode out{};
  ThrowOnError(GetApi().GetSessionExecutionMode(this->p_, &out));
  return out;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetIntraOpNumThreads(int intra_op_num_threads) {
  ThrowOnError(GetApi().SetIntraOpNumThreads(this->p_, intra_op_num_threads));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetInterOpNumThreads(int inter_op_num_threads) {
  ThrowOnError(GetApi().SetInterOpNumThreads(this->p_, inter_op_num_threads));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetGraphOptimizationLevel(
    GraphOptimizationLevel graph_optimization_level) {
  ThrowOnError(GetApi().SetSessionGraphOptimizationLevel(this->p_, graph_optimization_level));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetDeterministicCompute(bool value) {
  ThrowOnError(GetApi().SetDeterministicCompute(this->p_, value));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::EnableCpuMemArena() {
  ThrowOnError(GetApi().EnableCpuMemArena(this->p_));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::DisableCpuMemArena() {
  ThrowOnError(GetApi().DisableCpuMemArena(this->p_));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetOptimizedModelFilePath(const ORTCHAR_T* optimized_model_file) {
  ThrowOnError(GetApi().SetOptimizedModelFilePath(this->p_, optimized_model_file));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::EnableProfiling(const ORTCHAR_T* profile_file_prefix) {
  ThrowOnError(GetApi().EnableProfiling(this->p_, profile_file_prefix));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::DisableProfiling() {
  ThrowOnError(GetApi().DisableProfiling(this->p_));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::EnableOrtCustomOps() {
  ThrowOnError(GetApi().EnableOrtCustomOps(this->p_));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::EnableMemPattern() {
  ThrowOnError(GetApi().EnableMemPattern(this->p_));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::DisableMemPattern() {
  ThrowOnError(GetApi().DisableMemPattern(this->p_));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetExecutionMode(ExecutionMode execution_mode) {
  ThrowOnError(GetApi().SetSessionExecutionMode(this->p_, execution_mode));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetLoadCancellationFlag(bool value) {
  ThrowOnError(GetApi().SessionOptionsSetLoadCancellationFlag(this->p_, value));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetLogId(const char* logid) {
  ThrowOnError(GetApi().SetSessionLogId(this->p_, logid));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetLogSeverityLevel(int level) {
  ThrowOnError(GetApi().SetSessionLogSeverityLevel(this->p_, level));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::Add(OrtCustomOpDomain* custom_op_domain) {
  ThrowOnError(GetApi().AddCustomOpDomain(this->p_, custom_op_domain));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::DisablePerSessionThreads() {
  ThrowOnError(GetApi().DisablePerSessionThreads(this->p_));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::AddConfigEntry(const char* config_key, const char* config_value) {
  ThrowOnError(GetApi().AddSessionConfigEntry(this->p_, config_key, config_value));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::AddInitializer(const char* name, const OrtValue* ort_val) {
  ThrowOnError(GetApi().AddInitializer(this->p_, name, ort_val));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::AppendExecutionProvider_CUDA(
    const OrtCUDAProviderOptions& provider_options) {
  ThrowOnError(GetApi().SessionOptionsAppendExecutionProvider_CUDA(this->p_, &provider_options));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::AppendExecutionProvider_CUDA_V2(
    const OrtCUDAProviderOptionsV2& provider_options) {
  ThrowOnError(GetApi().SessionOptionsAppendExecutionProvider_CUDA_V2(this->p_, &provider_options));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::AppendExecutionProvider_ROCM(
    const OrtROCMProviderOptions& provider_options) {
  ThrowOnError(GetApi().SessionOptionsAppendExecutionProvider_ROCM(this->p_, &provider_options));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::AppendExecutionProvider_OpenVINO(
    const OrtOpenVINOProviderOptions& provider_options) {
  ThrowOnError(GetApi().SessionOptionsAppendExecutionProvider_OpenVINO(this->p_, &provider_options));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::AppendExecutionProvider_TensorRT(
    const OrtTensorRTProviderOptions& provider_options) {
  ThrowOnError(GetApi().SessionOptionsAppendExecutionProvider_TensorRT(this->p_, &provider_options));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::AppendExecutionProvider_TensorRT_V2(
    const OrtTensorRTProviderOptionsV2& provider_options) {
  ThrowOnError(GetApi().SessionOptionsAppendExecutionProvider_TensorRT_V2(this->p_, &provider_options));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::AppendExecutionProvider_MIGraphX(
    const OrtMIGraphXProviderOptions& provider_options) {
  ThrowOnError(GetApi().SessionOptionsAppendExecutionProvider_MIGraphX(this->p_, &provider_options));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::AppendExecutionProvider_CANN(
    const OrtCANNProviderOptions& provider_options) {
  ThrowOnError(GetApi().SessionOptionsAppendExecutionProvider_CANN(this->p_, &provider_options));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::AppendExecutionProvider_Dnnl(
    const OrtDnnlProviderOptions& provider_options) {
  ThrowOnError(GetApi().SessionOptionsAppendExecutionProvider_Dnnl(this->p_, &provider_options));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetEpSelectionPolicy(OrtExecutionProviderDevicePolicy policy) {
  ThrowOnError(GetApi().SessionOptionsSetEpSelectionPolicy(this->p_, policy));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetEpSelectionPolicy(EpSelectionDelegate delegate, void* state) {
  ThrowOnError(GetApi().SessionOptionsSetEpSelectionPolicyDelegate(this->p_, delegate, state));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetCustomCreateThreadFn(
    OrtCustomCreateThreadFn ort_custom_create_thread_fn) {
  ThrowOnError(GetApi().SessionOptionsSetCustomCreateThreadFn(this->p_, ort_custom_create_thread_fn));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetCustomThreadCreationOptions(
    void* ort_custom_thread_creation_options) {
  ThrowOnError(GetApi().SessionOptionsSetCustomThreadCreationOptions(this->p_, ort_custom_thread_creation_options));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetCustomJoinThreadFn(
    OrtCustomJoinThreadFn ort_custom_join_thread_fn) {
  ThrowOnError(GetApi().SessionOptionsSetCustomJoinThreadFn(this->p_, ort_custom_join_thread_fn));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::RegisterCustomOpsUsingFunction(const char* function_name) {
  ThrowOnError(GetApi().RegisterCustomOpsUsingFunction(this->p_, function_name));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::AddFreeDimensionOverride(const char* dim_denotation,
                                                                              int64_t dim_value) {
  ThrowOnError(GetApi().AddFreeDimensionOverride(this->p_, dim_denotation, dim_value));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::AddFreeDimensionOverrideByName(const char* dim_name,
                                                                                    int64_t dim_value) {
  ThrowOnError(GetApi().AddFreeDimensionOverrideByName(this->p_, dim_name, dim_value));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::AppendExecutionProvider_OpenVINO_V2(
    const std::unordered_map<std::string, std::string>& provider_options) {
  const Entries entries(provider_options);
  ThrowOnError(GetApi().SessionOptionsAppendExecutionProvider_OpenVINO_V2(this->p_, entries.keys.data(),
                                                                          entries.values.data(), entries.keys.size()));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::AppendExecutionProvider_VitisAI(
    const std::unordered_map<std::string, std::string>& provider_options) {
  const Entries entries(provider_options);
  ThrowOnError(GetApi().SessionOptionsAppendExecutionProvider_VitisAI(this->p_, entries.keys.data(),
                                                                      entries.values.data(), entries.keys.size()));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::AddExternalInitializers(const std::vector<std::string>& names,
                                                                             const std::vector<Value>& ort_values) {
  if (names.size() != ort_values.size())
    ORT_CXX_API_THROW("AddExternalInitializers needs as many names as values", ORT_INVALID_ARGUMENT);
  const std::vector<const char*> name_list = StringsToCharPtrs(names);
  const std::vector<const OrtValue*> values(ort_values.begin(), ort_values.end());
  ThrowOnError(GetApi().AddExternalInitializers(this->p_, name_list.data(), values.data(), values.size()));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::AddExternalInitializersFromFilesInMemory(
    const std::vector<std::basic_string<ORTCHAR_T>>& external_initializer_file_names,
    const std::vector<char*>& external_initializer_file_buffer_array,
    const std::vector<size_t>& external_initializer_file_lengths) {
  const size_t count = external_initializer_file_names.size();
  if (external_initializer_file_buffer_array.size() != count || external_initializer_file_lengths.size() != count)
    ORT_CXX_API_THROW("AddExternalInitializersFromFilesInMemory needs as many buffers and lengths as names",
                      ORT_INVALID_ARGUMENT);
  std::vector<const ORTCHAR_T*> names;
  names.reserve(count);
  for (const auto& name : external_initializer_file_names) names.push_back(name.c_str());
  ThrowOnError(GetApi().AddExternalInitializersFromFilesInMemory(this->p_, names.data(),
                                                                 external_initializer_file_buffer_array.data(),
                                                                 external_initializer_file_lengths.data(), count));
  return *this;
}
}  // namespace detail
}  // namespace Ort

extern "C" {
ORT_EXPORT OrtStatusPtr ORT_API_CALL OrtSessionOptionsAppendExecutionProvider_CPU(OrtSessionOptions* options,
                                                                                  int use_arena) NO_EXCEPTION;
}

namespace Ort {
namespace detail {
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::AppendExecutionProvider_CPU(int use_arena) {
  ThrowOnError(OrtSessionOptionsAppendExecutionProvider_CPU(this->p_, use_arena));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::AppendExecutionProvider(
    const std::string& provider_name, const std::unordered_map<std::string, std::string>& provider_options) {
  const Entries entries(provider_options);
  ThrowOnError(GetApi().SessionOptionsAppendExecutionProvider(this->p_, provider_name.c_str(), entries.keys.data(),
                                                              entries.values.data(), entries.keys.size()));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::AppendExecutionProvider_V2(
    Env& env, const std::vector<ConstEpDevice>& ep_devices, const KeyValuePairs& ep_options) {
  std::vector<const char*> keys, values;
  ep_options.GetKeyValuePairs(keys, values);
  const std::vector<const OrtEpDevice*> devices(ep_devices.begin(), ep_devices.end());
  ThrowOnError(GetApi().SessionOptionsAppendExecutionProvider_V2(this->p_, env, devices.data(), devices.size(),
                                                                 keys.data(), values.data(), keys.size()));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::AppendExecutionProvider_V2(
    Env& env, const std::vector<ConstEpDevice>& ep_devices,
    const std::unordered_map<std::string, std::string>& ep_options) {
  const Entries entries(ep_options);
  const std::vector<const OrtEpDevice*> devices(ep_devices.begin(), ep_devices.end());
  ThrowOnError(GetApi().SessionOptionsAppendExecutionProvider_V2(
      this->p_, env, devices.data(), devices.size(), entries.keys.data(), entries.values.data(), entries.keys.size()));
  return *this;
}
template <typename T>
inline SessionOptionsImpl<T>& SessionOptionsImpl<T>::RegisterCustomOpsLibrary(
    const ORTCHAR_T* library_name, const CustomOpConfigs& custom_op_configs) {
  // The library's functions may read the entries while they register.
  for (const auto& entry : custom_op_configs.GetFlattenedConfigs())
    AddConfigEntry(entry.first.c_str(), entry.second.c_str());
  ThrowOnError(GetApi().RegisterCustomOpsLibrary_V2(this->p_, library_name));
  return *this;
}
}  // namespace detail

/* ---- Compiling models ---- */
inline ModelCompilationOptions::ModelCompilationOptions(const Env& env, const SessionOptions& session_options) {
  ThrowOnError(GetCompileApi().CreateModelCompilationOptionsFromSessionOptions(env, session_options, &this->p_));
}
inline ModelCompilationOptions::ModelCompilationOptions(const Env& env, ConstSessionOptions session_options) {
  ThrowOnError(GetCompileApi().CreateModelCompilationOptionsFromSessionOptions(env, session_options, &this->p_));
}
inline ModelCompilationOptions& ModelCompilationOptions::SetInputModelPath(const ORTCHAR_T* input_model_path) {
  ThrowOnError(GetCompileApi().ModelCompilationOptions_SetInputModelPath(this->p_, input_model_path));
  return *this;
}
inline ModelCompilationOptions& ModelCompilationOptions::SetInputModelFromBuffer(const void* input_model_data,
                                                                                 size_t input_model_data_size) {
  ThrowOnError(GetCompileApi().ModelCompilationOptions_SetInputModelFromBuffer(this->p_, input_model_data,
                                                                               input_model_data_size));
  return *this;
}
inline ModelCompilationOptions& ModelCompilationOptions::SetEpContextEmbedMode(bool embed_ep_context_in_model) {
  ThrowOnError(GetCompileApi().ModelCompilationOptions_SetEpContextEmbedMode(this->p_, embed_ep_context_in_model));
  return *this;
}
inline ModelCompilationOptions& ModelCompilationOptions::SetOutputModelPath(const ORTCHAR_T* output_model_path) {
  ThrowOnError(GetCompileApi().ModelCompilationOptions_SetOutputModelPath(this->p_, output_model_path));
  return *this;
}
inline ModelCompilationOptions& ModelCompilationOptions::SetOutputModelExternalInitializersFile(
    const ORTCHAR_T* file_path, size_t initializer_size_threshold) {
  ThrowOnError(GetCompileApi().ModelCompilationOptions_SetOutputModelExternalInitializersFile(
      this->p_, file_path, initializer_size_threshold));
  return *this;
}
inline ModelCompilationOptions& ModelCompilationOptions::SetOutputModelGetInitializerLocationFunc(
    OrtGetInitializerLocationFunc get_initializer_location_func, void* state) {
  ThrowOnError(GetCompileApi().ModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(
      this->p_, get_initializer_location_func, state));
  return *this;
}
inline ModelCompilationOptions& ModelCompilationOptions::SetOutputModelBuffer(OrtAllocator* allocator,
                                                                              void** output_model_buffer_ptr,
                                                                              size_t* output_model_buffer_size_ptr) {
  ThrowOnError(GetCompileApi().ModelCompilationOptions_SetOutputModelBuffer(
      this->p_, allocator, output_model_buffer_ptr, output_model_buffer_size_ptr));
  return *this;
}
inline ModelCompilationOptions& ModelCompilationOptions::SetOutputModelWriteFunc(OrtWriteBufferFunc write_func,
                                                                                 void* state) {
  ThrowOnError(GetCompileApi().ModelCompilationOptions_SetOutputModelWriteFunc(this->p_, write_func, state));
  return *this;
}
inline ModelCompilationOptions& ModelCompilationOptions::SetEpContextBinaryInformation(
    const ORTCHAR_T* output_directory, const ORTCHAR_T* model_name) {
  ThrowOnError(
      GetCompileApi().ModelCompilationOptions_SetEpContextBinaryInformation(this->p_, output_directory, model_name));
  return *this;
}
inline ModelCompilationOptions& ModelCompilationOptions::SetFlags(uint32_t flags) {
  ThrowOnError(GetCompileApi().ModelCompilationOptions_SetFlags(this->p_, flags));
  return *this;
}
inline ModelCompilationOptions& ModelCompilationOptions::SetGraphOptimizationLevel(
    GraphOptimizationLevel graph_optimization_level) {
  ThrowOnError(GetCompileApi().ModelCompilationOptions_SetGraphOptimizationLevel(this->p_, graph_optimization_level));
  return *this;
}
inline ModelCompilationOptions& ModelCompilationOptions::SetInputModel(const OrtModel* model) {
  ThrowOnError(GetCompileApi().ModelCompilationOptions_SetInputModel(this->p_, model));
  return *this;
}
inline ModelCompilationOptions& ModelCompilationOptions::SetWeightlessEnabled(bool use_weightless) {
  ThrowOnError(GetCompileApi().ModelCompilationOptions_SetWeightlessEnabled(this->p_, use_weightless));
  return *this;
}
inline Status CompileModel(const Env& env, const ModelCompilationOptions& model_compilation_options) {
  return Status(GetCompileApi().CompileModel(env, model_compilation_options));
}

/* ---- Model metadata ---- */
inline AllocatedStringPtr ModelMetadata::GetProducerNameAllocated(OrtAllocator* allocator) const {
  return detail::FetchString(allocator,
                             [&](char** out) { return GetApi().ModelMetadataGetProducerName(p_, allocator, out); });
}
inline AllocatedStringPtr ModelMetadata::GetGraphNameAllocated(OrtAllocator* allocator) const {
  return detail::FetchString(allocator,
                             [&](char** out) { return GetApi().ModelMetadataGetGraphName(p_, allocator, out); });
}
inline AllocatedStringPtr ModelMetadata::GetDomainAllocated(OrtAllocator* allocator) const {
  return detail::FetchString(allocator,
                             [&](char** out) { return GetApi().ModelMetadataGetDomain(p_, allocator, out); });
}
inline AllocatedStringPtr ModelMetadata::GetDescriptionAllocated(OrtAllocator* allocator) const {
  return detail::FetchString(allocator,
                             [&](char** out) { return GetApi().ModelMetadataGetDescription(p_, allocator, out); });
}
inline AllocatedStringPtr ModelMetadata::GetGraphDescriptionAllocated(OrtAllocator* allocator) const {
  return detail::FetchString(allocator,
                             [&](char** out) { return GetApi().ModelMetadataGetGraphDescription(p_, allocator, out); });
}
inline AllocatedStringPtr ModelMetadata::LookupCustomMetadataMapAllocated(const char* key,
                                                                          OrtAllocator* allocator) const {
  return detail::FetchString(
      allocator, [&](char** out) { return GetApi().ModelMetadataLookupCustomMetadataMap(p_, allocator, key, out); });
}
inline std::vector<AllocatedStringPtr> ModelMetadata::GetCustomMetadataMapKeysAllocated(OrtAllocator* allocator) const {
  char** keys = nullptr;
  int64_t count = 0;
  ThrowOnError(GetApi().ModelMetadataGetCustomMetadataMapKeys(p_, allocator, &keys, &count));
  std::vector<AllocatedStringPtr> out;
  if (count <= 0) return out;
  const std::unique_ptr<void, detail::AllocatedFree> list(keys, detail::AllocatedFree(allocator));
  out.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) out.push_back(AllocatedStringPtr(keys[i], detail::AllocatedFree(allocator)));
  return out;
}
inline int64_t ModelMetadata::GetVersion() const {
  int64_t out = 0;
  ThrowOnError(GetApi().ModelMetadataGetVersion(p_, &out));
  return out;
}

/* ---- Sessions ---- */
namespace detail {
template <typename T>
inline size_t ConstSessionImpl<T>::GetInputCount() const {
  size_t out{};
  ThrowOnError(GetApi().SessionGetInputCount(this->p_, &out));
  return out;
}
template <typename T>
inline size_t ConstSessionImpl<T>::GetOutputCount() const {
  size_t out{};
  ThrowOnError(GetApi().SessionGetOutputCount(this->p_, &out));
  return out;
}
template <typename T>
inline size_t ConstSessionImpl<T>::GetOverridableInitializerCount() const {
  size_t out{};
  ThrowOnError(GetApi().SessionGetOverridableInitializerCount(this->p_, &out));
  return out;
}
template <typename T>
inline uint64_t ConstSessionImpl<T>::GetProfilingStartTimeNs() const {
  uint64_t out{};
  ThrowOnError(GetApi().SessionGetProfilingStartTimeNs(this->p_, &out));
  return out;
}
template <typename T>
inline ModelMetadata ConstSessionImpl<T>::GetModelMetadata() const {
  OrtModelMetadata* out{};
  ThrowOnError(GetApi().SessionGetModelMetadata(this->p_, &out));
  return ModelMetadata{out};
}
template <typename T>
inline TypeInfo ConstSessionImpl<T>::GetInputTypeInfo(size_t index) const {
  OrtTypeInfo* out{};
  ThrowOnError(GetApi().SessionGetInputTypeInfo(this->p_, index, &out));
  return TypeInfo{out};
}
template <typename T>
inline TypeInfo ConstSessionImpl<T>::GetOutputTypeInfo(size_t index) const {
  OrtTypeInfo* out{};
  ThrowOnError(GetApi().SessionGetOutputTypeInfo(this->p_, index, &out));
  return TypeInfo{out};
}
template <typename T>
inline TypeInfo ConstSessionImpl<T>::GetOverridableInitializerTypeInfo(size_t index) const {
  OrtTypeInfo* out{};
  ThrowOnError(GetApi().SessionGetOverridableInitializerTypeInfo(this->p_, index, &out));
  return TypeInfo{out};
}
template <typename T>
inline AllocatedStringPtr ConstSessionImpl<T>::GetInputNameAllocated(size_t index, OrtAllocator* allocator) const {
  return FetchString(allocator,
                     [&](char** out) { return GetApi().SessionGetInputName(this->p_, index, allocator, out); });
}
template <typename T>
inline std::vector<std::string> ConstSessionImpl<T>::GetInputNames() const {
  AllocatorWithDefaultOptions allocator;
  std::vector<std::string> names;
  const size_t count = this->GetInputCount();
  names.reserve(count);
  for (size_t i = 0; i < count; ++i) names.emplace_back(this->GetInputNameAllocated(i, allocator).get());
  return names;
}
template <typename T>
inline std::vector<ConstMemoryInfo> ConstSessionImpl<T>::GetMemoryInfoForInputs() const {
  std::vector<const OrtMemoryInfo*> infos(this->GetInputCount());
  if (!infos.empty()) ThrowOnError(GetApi().SessionGetMemoryInfoForInputs(this->p_, infos.data(), infos.size()));
  std::vector<ConstMemoryInfo> out;
  out.reserve(infos.size());
  for (const OrtMemoryInfo* info : infos) out.push_back(ConstMemoryInfo{info});
  return out;
}
template <typename T>
inline std::vector<ConstEpDevice> ConstSessionImpl<T>::GetEpDeviceForInputs() const {
  std::vector<const OrtEpDevice*> devices(this->GetInputCount());
  if (!devices.empty()) ThrowOnError(GetApi().SessionGetEpDeviceForInputs(this->p_, devices.data(), devices.size()));
  std::vector<ConstEpDevice> out;
  out.reserve(devices.size());
  for (const OrtEpDevice* device : devices) out.push_back(ConstEpDevice{device});
  return out;
}
template <typename T>
inline std::vector<ValueInfo> ConstSessionImpl<T>::GetInputs() const {
  const std::vector<std::string> names = this->GetInputNames();
  std::vector<ValueInfo> out;
  out.reserve(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const TypeInfo type = this->GetInputTypeInfo(i);
    out.emplace_back(names[i], type.GetConst());
  }
  return out;
}
template <typename T>
inline AllocatedStringPtr ConstSessionImpl<T>::GetOutputNameAllocated(size_t index, OrtAllocator* allocator) const {
  return FetchString(allocator,
                     [&](char** out) { return GetApi().SessionGetOutputName(this->p_, index, allocator, out); });
}
template <typename T>
inline std::vector<std::string> ConstSessionImpl<T>::GetOutputNames() const {
  AllocatorWithDefaultOptions allocator;
  std::vector<std::string> names;
  const size_t count = this->GetOutputCount();
  names.reserve(count);
  for (size_t i = 0; i < count; ++i) names.emplace_back(this->GetOutputNameAllocated(i, allocator).get());
  return names;
}
template <typename T>
inline std::vector<ConstMemoryInfo> ConstSessionImpl<T>::GetMemoryInfoForOutputs() const {
  std::vector<const OrtMemoryInfo*> infos(this->GetOutputCount());
  if (!infos.empty()) ThrowOnError(GetApi().SessionGetMemoryInfoForOutputs(this->p_, infos.data(), infos.size()));
  std::vector<ConstMemoryInfo> out;
  out.reserve(infos.size());
  for (const OrtMemoryInfo* info : infos) out.push_back(ConstMemoryInfo{info});
  return out;
}
template <typename T>
inline std::vector<ConstEpDevice> ConstSessionImpl<T>::GetEpDeviceForOutputs() const {
  std::vector<const OrtEpDevice*> devices(this->GetOutputCount());
  if (!devices.empty()) ThrowOnError(GetApi().SessionGetEpDeviceForOutputs(this->p_, devices.data(), devices.size()));
  std::vector<ConstEpDevice> out;
  out.reserve(devices.size());
  for (const OrtEpDevice* device : devices) out.push_back(ConstEpDevice{device});
  return out;
}
template <typename T>
inline std::vector<ValueInfo> ConstSessionImpl<T>::GetOutputs() const {
  const std::vector<std::string> names = this->GetOutputNames();
  std::vector<ValueInfo> out;
  out.reserve(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const TypeInfo type = this->GetOutputTypeInfo(i);
    out.emplace_back(names[i], type.GetConst());
  }
  return out;
}
template <typename T>
inline AllocatedStringPtr ConstSessionImpl<T>::GetOverridableInitializerNameAllocated(size_t index,
                                                                                      OrtAllocator* allocator) const {
  return FetchString(allocator, [&](char** out) {
    return GetApi().SessionGetOverridableInitializerName(this->p_, index, allocator, out);
  });
}
template <typename T>
inline std::vector<std::string> ConstSessionImpl<T>::GetOverridableInitializerNames() const {
  AllocatorWithDefaultOptions allocator;
  std::vector<std::string> names;
  const size_t count = this->GetOverridableInitializerCount();
  names.reserve(count);
  for (size_t i = 0; i < count; ++i)
    names.emplace_back(this->GetOverridableInitializerNameAllocated(i, allocator).get());
  return names;
}
template <typename T>
inline int ConstSessionImpl<T>::GetOpset(const std::string& domain) const {
  int out = 0;
  ThrowOnError(GetModelEditorApi().SessionGetOpsetForDomain(this->p_, domain.c_str(), &out));
  return out;
}
template <typename T>
inline std::vector<ConstEpAssignedSubgraph> ConstSessionImpl<T>::GetEpGraphAssignmentInfo() const {
  const OrtEpAssignedSubgraph* const* subgraphs = nullptr;
  size_t count = 0;
  ThrowOnError(GetApi().Session_GetEpGraphAssignmentInfo(this->p_, &subgraphs, &count));
  std::vector<ConstEpAssignedSubgraph> out;
  out.reserve(count);
  for (size_t i = 0; i < count; ++i) out.push_back(ConstEpAssignedSubgraph{subgraphs[i]});
  return out;
}

/// A Value is one pointer wide, so an array of them is an array of OrtValue pointers.
inline const OrtValue* const* Pointers(const Value* values) {
  static_assert(sizeof(Value) == sizeof(OrtValue*), "Value must be one pointer wide");
  return reinterpret_cast<const OrtValue* const*>(values);
}
inline OrtValue** Pointers(Value* values) { return reinterpret_cast<OrtValue**>(values); }

template <typename T>
inline std::vector<Value> SessionImpl<T>::Run(const RunOptions& run_options, const char* const* input_names,
                                              const Value* input_values, size_t input_count,
                                              const char* const* output_names, size_t output_count) {
  std::vector<Value> outputs;
  outputs.reserve(output_count);
  for (size_t i = 0; i < output_count; ++i) outputs.emplace_back(nullptr);
  Run(run_options, input_names, input_values, input_count, output_names, outputs.data(), output_count);
  return outputs;
}
template <typename T>
inline void SessionImpl<T>::Run(const RunOptions& run_options, const char* const* input_names,
                                const Value* input_values, size_t input_count, const char* const* output_names,
                                Value* output_values, size_t output_count) {
  ThrowOnError(GetApi().Run(this->p_, run_options, input_names, Pointers(input_values), input_count, output_names,
                            output_count, Pointers(output_values)));
}
template <typename T>
inline void SessionImpl<T>::Run(const RunOptions& run_options, const IoBinding& io_binding) {
  ThrowOnError(GetApi().RunWithBinding(this->p_, run_options, io_binding));
}
template <typename T>
inline void SessionImpl<T>::RunAsync(const RunOptions& run_options, const char* const* input_names,
                                     const Value* input_values, size_t input_count, const char* const* output_names,
                                     Value* output_values, size_t output_count, RunAsyncCallbackFn callback,
                                     void* user_data) {
  ThrowOnError(GetApi().RunAsync(this->p_, run_options, input_names, Pointers(input_values), input_count, output_names,
                                 output_count, Pointers(output_values), callback, user_data));
}
template <typename T>
inline AllocatedStringPtr SessionImpl<T>::EndProfilingAllocated(OrtAllocator* allocator) {
  return FetchString(allocator, [&](char** out) { return GetApi().SessionEndProfiling(this->p_, allocator, out); });
}
template <typename T>
inline void SessionImpl<T>::SetEpDynamicOptions(const char* const* keys, const char* const* values, size_t kv_len) {
  ThrowOnError(GetApi().SetEpDynamicOptions(this->p_, keys, values, kv_len));
}
template <typename T>
inline void SessionImpl<T>::FinalizeModelEditorSession(const Model& model, const SessionOptions& options,
                                                       OrtPrepackedWeightsContainer* prepacked_weights_container) {
  ThrowOnError(GetModelEditorApi().ApplyModelToModelEditorSession(this->p_, model));
  ThrowOnError(GetModelEditorApi().FinalizeModelEditorSession(this->p_, options, prepacked_weights_container));
}
template <typename T>
inline void SessionImpl<T>::ReleaseCapturedGraph(int graph_annotation_id) {
  ThrowOnError(GetApi().SessionReleaseCapturedGraph(this->p_, graph_annotation_id));
}
}  // namespace detail

inline Session::Session(const Env& env, const ORTCHAR_T* model_path, const SessionOptions& options) {
  ThrowOnError(GetApi().CreateSession(env, model_path, options, &this->p_));
}
inline Session::Session(const Env& env, const ORTCHAR_T* model_path, const SessionOptions& options,
                        OrtPrepackedWeightsContainer* prepacked_weights_container) {
  ThrowOnError(GetApi().CreateSessionWithPrepackedWeightsContainer(env, model_path, options,
                                                                   prepacked_weights_container, &this->p_));
}
inline Session::Session(const Env& env, const void* model_data, size_t model_data_length,
                        const SessionOptions& options) {
  ThrowOnError(GetApi().CreateSessionFromArray(env, model_data, model_data_length, options, &this->p_));
}
inline Session::Session(const Env& env, const void* model_data, size_t model_data_length, const SessionOptions& options,
                        OrtPrepackedWeightsContainer* prepacked_weights_container) {
  ThrowOnError(GetApi().CreateSessionFromArrayWithPrepackedWeightsContainer(env, model_data, model_data_length, options,
                                                                            prepacked_weights_container, &this->p_));
}
inline Session::Session(const Env& env, const Model& model, const SessionOptions& options) {
  ThrowOnError(GetModelEditorApi().CreateSessionFromModel(env, model, options, &this->p_));
}
inline Session Session::CreateModelEditorSession(const Env& env, const ORTCHAR_T* model_path,
                                                 const SessionOptions& options) {
  OrtSession* out = nullptr;
  ThrowOnError(GetModelEditorApi().CreateModelEditorSession(env, model_path, options, &out));
  return Session(out);
}
inline Session Session::CreateModelEditorSession(const Env& env, const void* model_data, size_t model_data_length,
                                                 const SessionOptions& options) {
  OrtSession* out = nullptr;
  ThrowOnError(
      GetModelEditorApi().CreateModelEditorSessionFromArray(env, model_data, model_data_length, options, &out));
  return Session(out);
}

/* ---- Types ---- */
namespace detail {
template <typename T>
inline ONNXTensorElementDataType TensorTypeAndShapeInfoImpl<T>::GetElementType() const {
  ONNXTensorElementDataType out{};
  ThrowOnError(GetApi().GetTensorElementType(this->p_, &out));
  return out;
}
template <typename T>
inline size_t TensorTypeAndShapeInfoImpl<T>::GetElementCount() const {
  size_t out{};
  ThrowOnError(GetApi().GetTensorShapeElementCount(this->p_, &out));
  return out;
}
template <typename T>
inline size_t TensorTypeAndShapeInfoImpl<T>::GetDimensionsCount() const {
  size_t out{};
  ThrowOnError(GetApi().GetDimensionsCount(this->p_, &out));
  return out;
}
template <typename T>
inline void TensorTypeAndShapeInfoImpl<T>::GetDimensions(int64_t* values, size_t values_count) const {
  ThrowOnError(GetApi().GetDimensions(this->p_, values, values_count));
}
template <typename T>
inline void TensorTypeAndShapeInfoImpl<T>::GetSymbolicDimensions(const char** values, size_t values_count) const {
  ThrowOnError(GetApi().GetSymbolicDimensions(this->p_, values, values_count));
}
template <typename T>
inline std::vector<const char*> TensorTypeAndShapeInfoImpl<T>::GetSymbolicDimensions() const {
  std::vector<const char*> out(GetDimensionsCount(), nullptr);
  ThrowOnError(GetApi().GetSymbolicDimensions(this->p_, out.data(), out.size()));
  return out;
}
template <typename T>
inline bool TensorTypeAndShapeInfoImpl<T>::HasShape() const {
  return GetApi().TensorTypeAndShape_HasShape(this->p_);
}
template <typename T>
inline std::vector<int64_t> TensorTypeAndShapeInfoImpl<T>::GetShape() const {
  std::vector<int64_t> out(GetDimensionsCount(), -1);
  ThrowOnError(GetApi().GetDimensions(this->p_, out.data(), out.size()));
  return out;
}
template <typename T>
inline TypeInfo SequenceTypeInfoImpl<T>::GetSequenceElementType() const {
  OrtTypeInfo* out{};
  ThrowOnError(GetApi().GetSequenceElementType(this->p_, &out));
  return TypeInfo{out};
}
template <typename T>
inline TypeInfo OptionalTypeInfoImpl<T>::GetOptionalElementType() const {
  OrtTypeInfo* out{};
  ThrowOnError(GetApi().GetOptionalContainedTypeInfo(this->p_, &out));
  return TypeInfo{out};
}
template <typename T>
inline ONNXTensorElementDataType MapTypeInfoImpl<T>::GetMapKeyType() const {
  ONNXTensorElementDataType out{};
  ThrowOnError(GetApi().GetMapKeyType(this->p_, &out));
  return out;
}
template <typename T>
inline TypeInfo MapTypeInfoImpl<T>::GetMapValueType() const {
  OrtTypeInfo* out{};
  ThrowOnError(GetApi().GetMapValueType(this->p_, &out));
  return TypeInfo{out};
}
template <typename T>
inline ConstTensorTypeAndShapeInfo TypeInfoImpl<T>::GetTensorTypeAndShapeInfo() const {
  const OrtTensorTypeAndShapeInfo* out{};
  ThrowOnError(GetApi().CastTypeInfoToTensorInfo(this->p_, &out));
  return ConstTensorTypeAndShapeInfo{out};
}
template <typename T>
inline ConstSequenceTypeInfo TypeInfoImpl<T>::GetSequenceTypeInfo() const {
  const OrtSequenceTypeInfo* out{};
  ThrowOnError(GetApi().CastTypeInfoToSequenceTypeInfo(this->p_, &out));
  return ConstSequenceTypeInfo{out};
}
template <typename T>
inline ConstMapTypeInfo TypeInfoImpl<T>::GetMapTypeInfo() const {
  const OrtMapTypeInfo* out{};
  ThrowOnError(GetApi().CastTypeInfoToMapTypeInfo(this->p_, &out));
  return ConstMapTypeInfo{out};
}
template <typename T>
inline ConstOptionalTypeInfo TypeInfoImpl<T>::GetOptionalTypeInfo() const {
  const OrtOptionalTypeInfo* out{};
  ThrowOnError(GetApi().CastTypeInfoToOptionalTypeInfo(this->p_, &out));
  return ConstOptionalTypeInfo{out};
}
template <typename T>
inline ONNXType TypeInfoImpl<T>::GetONNXType() const {
  ONNXType out{};
  ThrowOnError(GetApi().GetOnnxTypeFromTypeInfo(this->p_, &out));
  return out;
}
}  // namespace detail

inline TensorTypeAndShapeInfo::TensorTypeAndShapeInfo(ONNXTensorElementDataType element_type,
                                                      const std::vector<int64_t>& dims,
                                                      const std::vector<std::string>* symbolic_dims) {
  ThrowOnError(GetApi().CreateTensorTypeAndShapeInfo(&this->p_));
  ThrowOnError(GetApi().SetTensorElementType(this->p_, element_type));
  ThrowOnError(GetApi().SetDimensions(this->p_, dims.data(), dims.size()));
  if (symbolic_dims) {
    std::vector<const char*> names = detail::StringsToCharPtrs(*symbolic_dims);
    ThrowOnError(GetApi().SetSymbolicDimensions(this->p_, names.data(), names.size()));
  }
}
inline TypeInfo TypeInfo::CreateTensorInfo(ConstTensorTypeAndShapeInfo tensor_info) {
  OrtTypeInfo* out = nullptr;
  ThrowOnError(GetModelEditorApi().CreateTensorTypeInfo(tensor_info, &out));
  return TypeInfo{out};
}
inline TypeInfo TypeInfo::CreateSparseTensorInfo(ConstTensorTypeAndShapeInfo sparse_tensor_info) {
  OrtTypeInfo* out = nullptr;
  ThrowOnError(GetModelEditorApi().CreateSparseTensorTypeInfo(sparse_tensor_info, &out));
  return TypeInfo{out};
}
inline TypeInfo TypeInfo::CreateSequenceTypeInfo(ConstTypeInfo sequence_type) {
  OrtTypeInfo* out = nullptr;
  ThrowOnError(GetModelEditorApi().CreateSequenceTypeInfo(sequence_type, &out));
  return TypeInfo{out};
}
inline TypeInfo TypeInfo::CreateMapTypeInfo(ONNXTensorElementDataType key_type, ConstTypeInfo value_type) {
  OrtTypeInfo* out = nullptr;
  ThrowOnError(GetModelEditorApi().CreateMapTypeInfo(key_type, value_type, &out));
  return TypeInfo{out};
}
inline TypeInfo TypeInfo::CreateOptionalTypeInfo(ConstTypeInfo contained_type) {
  OrtTypeInfo* out = nullptr;
  ThrowOnError(GetModelEditorApi().CreateOptionalTypeInfo(contained_type, &out));
  return TypeInfo{out};
}

/* ---- Values ---- */
namespace detail {
template <typename T>
inline bool ConstValueImpl<T>::IsTensor() const {
  int out{};
  ThrowOnError(GetApi().IsTensor(this->p_, &out));
  return out != 0;
}
template <typename T>
inline bool ConstValueImpl<T>::HasValue() const {
  int out{};
  ThrowOnError(GetApi().HasValue(this->p_, &out));
  return out != 0;
}
template <typename T>
inline bool ConstValueImpl<T>::IsSparseTensor() const {
  int out{};
  ThrowOnError(GetApi().IsSparseTensor(this->p_, &out));
  return out != 0;
}
template <typename T>
inline size_t ConstValueImpl<T>::GetCount() const {
  size_t out{};
  ThrowOnError(GetApi().GetValueCount(this->p_, &out));
  return out;
}
template <typename T>
inline Value ConstValueImpl<T>::GetValue(int index, OrtAllocator* allocator) const {
  OrtValue* out{};
  ThrowOnError(GetApi().GetValue(this->p_, index, allocator, &out));
  return Value{out};
}
template <typename T>
inline size_t ConstValueImpl<T>::GetStringTensorDataLength() const {
  size_t out{};
  ThrowOnError(GetApi().GetStringTensorDataLength(this->p_, &out));
  return out;
}
template <typename T>
inline size_t ConstValueImpl<T>::GetStringTensorElementLength(size_t element_index) const {
  size_t out{};
  ThrowOnError(GetApi().GetStringTensorElementLength(this->p_, element_index, &out));
  return out;
}
template <typename T>
inline const void* ConstValueImpl<T>::GetTensorRawData() const {
  const void* out{};
  ThrowOnError(GetApi().GetTensorData(this->p_, &out));
  return out;
}
template <typename T>
inline TypeInfo ConstValueImpl<T>::GetTypeInfo() const {
  OrtTypeInfo* out{};
  ThrowOnError(GetApi().GetTypeInfo(this->p_, &out));
  return TypeInfo{out};
}
template <typename T>
inline TensorTypeAndShapeInfo ConstValueImpl<T>::GetTensorTypeAndShapeInfo() const {
  OrtTensorTypeAndShapeInfo* out{};
  ThrowOnError(GetApi().GetTensorTypeAndShape(this->p_, &out));
  return TensorTypeAndShapeInfo{out};
}
template <typename T>
inline ConstMemoryInfo ConstValueImpl<T>::GetTensorMemoryInfo() const {
  const OrtMemoryInfo* out{};
  ThrowOnError(GetApi().GetTensorMemoryInfo(this->p_, &out));
  return ConstMemoryInfo{out};
}
template <typename T>
inline size_t ConstValueImpl<T>::GetTensorSizeInBytes() const {
  size_t out{};
  ThrowOnError(GetApi().GetTensorSizeInBytes(this->p_, &out));
  return out;
}
template <typename T>
inline OrtSparseFormat ConstValueImpl<T>::GetSparseFormat() const {
  OrtSparseFormat out{};
  ThrowOnError(GetApi().GetSparseTensorFormat(this->p_, &out));
  return out;
}
template <typename T>
inline TensorTypeAndShapeInfo ConstValueImpl<T>::GetSparseTensorValuesTypeAndShapeInfo() const {
  OrtTensorTypeAndShapeInfo* out{};
  ThrowOnError(GetApi().GetSparseTensorValuesTypeAndShape(this->p_, &out));
  return TensorTypeAndShapeInfo{out};
}
template <typename T>
inline TensorTypeAndShapeInfo ConstValueImpl<T>::GetSparseTensorIndicesTypeShapeInfo(
    OrtSparseIndicesFormat format) const {
  OrtTensorTypeAndShapeInfo* out{};
  ThrowOnError(GetApi().GetSparseTensorIndicesTypeShape(this->p_, format, &out));
  return TensorTypeAndShapeInfo{out};
}
template <typename T>
template <typename R>
inline void ConstValueImpl<T>::GetOpaqueData(const char* domain, const char* type_name, R& out) const {
  ThrowOnError(GetApi().GetOpaqueValue(domain, type_name, this->p_, &out, sizeof(R)));
}
template <typename T>
template <typename R>
inline const R* ConstValueImpl<T>::GetTensorData() const {
  return static_cast<const R*>(GetTensorRawData());
}
template <typename T>
inline void ConstValueImpl<T>::GetStringTensorContent(void* buffer, size_t buffer_length, size_t* offsets,
                                                      size_t offsets_count) const {
  ThrowOnError(GetApi().GetStringTensorContent(this->p_, buffer, buffer_length, offsets, offsets_count));
}
template <typename T>
inline void ConstValueImpl<T>::GetStringTensorElement(size_t buffer_length, size_t element_index, void* buffer) const {
  ThrowOnError(GetApi().GetStringTensorElement(this->p_, buffer_length, element_index, buffer));
}
template <typename T>
inline std::string ConstValueImpl<T>::GetStringTensorElement(size_t element_index) const {
  std::string text(GetStringTensorElementLength(element_index), '\0');
  if (!text.empty()) GetStringTensorElement(text.size(), element_index, &text[0]);
  return text;
}
template <typename T>
inline void ConstValueImpl<T>::GetTensorElementTypeAndShapeDataReference(ONNXTensorElementDataType& elem_type,
                                                                         Shape& shape) const {
  ThrowOnError(
      GetApi().GetTensorElementTypeAndShapeDataReference(this->p_, &elem_type, &shape.shape, &shape.shape_len));
}
template <typename T>
template <typename R>
inline const R* ConstValueImpl<T>::GetSparseTensorIndicesData(OrtSparseIndicesFormat indices_format,
                                                              size_t& num_indices) const {
  const void* out = nullptr;
  ThrowOnError(GetApi().GetSparseTensorIndices(this->p_, indices_format, &num_indices, &out));
  return static_cast<const R*>(out);
}
template <typename T>
template <typename R>
inline const R* ConstValueImpl<T>::GetSparseTensorValues() const {
  const void* out = nullptr;
  ThrowOnError(GetApi().GetSparseTensorValues(this->p_, &out));
  return static_cast<const R*>(out);
}
template <typename T>
inline void* ValueImpl<T>::GetTensorMutableRawData() {
  void* out = nullptr;
  ThrowOnError(GetApi().GetTensorMutableData(this->p_, &out));
  return out;
}
template <typename T>
template <typename R>
inline R* ValueImpl<T>::GetTensorMutableData() {
  return static_cast<R*>(GetTensorMutableRawData());
}
template <typename T>
template <typename R>
inline R& ValueImpl<T>::At(const std::vector<int64_t>& location) {
  static_assert(!std::is_same<T, std::string>::value, "At does not work for strings");
  void* out = nullptr;
  ThrowOnError(GetApi().TensorAt(this->p_, location.data(), location.size(), &out));
  return *static_cast<R*>(out);
}
template <typename T>
inline char* ValueImpl<T>::GetResizedStringTensorElementBuffer(size_t index, size_t buffer_length) {
  char* out = nullptr;
  ThrowOnError(GetApi().GetResizedStringTensorElementBuffer(this->p_, index, buffer_length, &out));
  return out;
}
template <typename T>
inline void ValueImpl<T>::FillStringTensor(const char* const* s, size_t s_len) {
  ThrowOnError(GetApi().FillStringTensor(this->p_, s, s_len));
}
template <typename T>
inline void ValueImpl<T>::FillStringTensorElement(const char* s, size_t index) {
  ThrowOnError(GetApi().FillStringTensorElement(this->p_, s, index));
}
template <typename T>
inline void ValueImpl<T>::UseCooIndices(int64_t* indices_data, size_t indices_num) {
  ThrowOnError(GetApi().UseCooIndices(this->p_, indices_data, indices_num));
}
template <typename T>
inline void ValueImpl<T>::UseCsrIndices(int64_t* inner_data, size_t inner_num, int64_t* outer_data, size_t outer_num) {
  ThrowOnError(GetApi().UseCsrIndices(this->p_, inner_data, inner_num, outer_data, outer_num));
}
template <typename T>
inline void ValueImpl<T>::UseBlockSparseIndices(const Shape& indices_shape, int32_t* indices_data) {
  ThrowOnError(GetApi().UseBlockSparseIndices(this->p_, indices_shape.shape, indices_shape.shape_len, indices_data));
}
template <typename T>
inline void ValueImpl<T>::FillSparseTensorCoo(const OrtMemoryInfo* data_mem_info,
                                              const OrtSparseValuesParam& values_param, const int64_t* indices_data,
                                              size_t indices_num) {
  ThrowOnError(GetApi().FillSparseTensorCoo(this->p_, data_mem_info, values_param.values_shape,
                                            values_param.values_shape_len, values_param.data.p_data, indices_data,
                                            indices_num));
}
template <typename T>
inline void ValueImpl<T>::FillSparseTensorCsr(const OrtMemoryInfo* data_mem_info, const OrtSparseValuesParam& values,
                                              const int64_t* inner_indices_data, size_t inner_indices_num,
                                              const int64_t* outer_indices_data, size_t outer_indices_num) {
  ThrowOnError(GetApi().FillSparseTensorCsr(this->p_, data_mem_info, values.values_shape, values.values_shape_len,
                                            values.data.p_data, inner_indices_data, inner_indices_num,
                                            outer_indices_data, outer_indices_num));
}
template <typename T>
inline void ValueImpl<T>::FillSparseTensorBlockSparse(const OrtMemoryInfo* data_mem_info,
                                                      const OrtSparseValuesParam& values, const Shape& indices_shape,
                                                      const int32_t* indices_data) {
  ThrowOnError(GetApi().FillSparseTensorBlockSparse(this->p_, data_mem_info, values.values_shape,
                                                    values.values_shape_len, values.data.p_data, indices_shape.shape,
                                                    indices_shape.shape_len, indices_data));
}
}  // namespace detail

template <typename T>
inline Value Value::CreateTensor(const OrtMemoryInfo* info, T* p_data, size_t p_data_element_count,
                                 const int64_t* shape, size_t shape_len) {
  return CreateTensor(info, p_data, p_data_element_count * sizeof(T), shape, shape_len, TypeToTensorType<T>::type);
}
inline Value Value::CreateTensor(const OrtMemoryInfo* info, void* p_data, size_t p_data_byte_count,
                                 const int64_t* shape, size_t shape_len, ONNXTensorElementDataType type) {
  OrtValue* out = nullptr;
  ThrowOnError(GetApi().CreateTensorWithDataAsOrtValue(info, p_data, p_data_byte_count, shape, shape_len, type, &out));
  return Value{out};
}
inline Value Value::CreateTensor(OrtAllocator* deleter, void* p_data, size_t p_data_byte_count, const int64_t* shape,
                                 size_t shape_len, ONNXTensorElementDataType type) {
  OrtValue* out = nullptr;
  ThrowOnError(GetApi().CreateTensorWithDataAndDeleterAsOrtValue(deleter, p_data, p_data_byte_count, shape, shape_len,
                                                                 type, &out));
  return Value{out};
}
template <typename T>
inline Value Value::CreateTensor(OrtAllocator* allocator, const int64_t* shape, size_t shape_len) {
  return CreateTensor(allocator, shape, shape_len, TypeToTensorType<T>::type);
}
inline Value Value::CreateTensor(OrtAllocator* allocator, const int64_t* shape, size_t shape_len,
                                 ONNXTensorElementDataType type) {
  OrtValue* out = nullptr;
  ThrowOnError(GetApi().CreateTensorAsOrtValue(allocator, shape, shape_len, type, &out));
  return Value{out};
}
inline Value Value::CreateMap(const Value& keys, const Value& values) {
  const OrtValue* const inputs[2] = {keys, values};
  OrtValue* out = nullptr;
  ThrowOnError(GetApi().CreateValue(inputs, 2, ONNX_TYPE_MAP, &out));
  return Value{out};
}
inline Value Value::CreateSequence(const std::vector<Value>& values) {
  const std::vector<const OrtValue*> inputs(values.begin(), values.end());
  OrtValue* out = nullptr;
  ThrowOnError(GetApi().CreateValue(inputs.data(), inputs.size(), ONNX_TYPE_SEQUENCE, &out));
  return Value{out};
}
template <typename T>
inline Value Value::CreateOpaque(const char* domain, const char* type_name, const T& value) {
  OrtValue* out = nullptr;
  ThrowOnError(GetApi().CreateOpaqueValue(domain, type_name, &value, sizeof(T), &out));
  return Value{out};
}
template <typename T>
inline Value Value::CreateSparseTensor(const OrtMemoryInfo* info, T* p_data, const Shape& dense_shape,
                                       const Shape& values_shape) {
  return CreateSparseTensor(info, p_data, dense_shape, values_shape, TypeToTensorType<T>::type);
}
inline Value Value::CreateSparseTensor(const OrtMemoryInfo* info, void* p_data, const Shape& dense_shape,
                                       const Shape& values_shape, ONNXTensorElementDataType type) {
  OrtValue* out = nullptr;
  ThrowOnError(GetApi().CreateSparseTensorWithValuesAsOrtValue(info, p_data, dense_shape.shape, dense_shape.shape_len,
                                                               values_shape.shape, values_shape.shape_len, type, &out));
  return Value{out};
}
template <typename T>
inline Value Value::CreateSparseTensor(OrtAllocator* allocator, const Shape& dense_shape) {
  return CreateSparseTensor(allocator, dense_shape, TypeToTensorType<T>::type);
}
inline Value Value::CreateSparseTensor(OrtAllocator* allocator, const Shape& dense_shape,
                                       ONNXTensorElementDataType type) {
  OrtValue* out = nullptr;
  ThrowOnError(GetApi().CreateSparseTensorAsOrtValue(allocator, dense_shape.shape, dense_shape.shape_len, type, &out));
  return Value{out};
}

/* ---- Binding ---- */
namespace detail {
namespace binding_utils {
inline std::vector<std::string> GetOutputNamesHelper(const OrtIoBinding* binding, OrtAllocator* allocator) {
  char* characters = nullptr;
  size_t* lengths = nullptr;
  size_t count = 0;
  ThrowOnError(GetApi().GetBoundOutputNames(binding, allocator, &characters, &lengths, &count));
  std::vector<std::string> names;
  if (count == 0) return names;
  const std::unique_ptr<void, AllocatedFree> keep_characters(characters, AllocatedFree(allocator));
  const std::unique_ptr<void, AllocatedFree> keep_lengths(lengths, AllocatedFree(allocator));
  names.reserve(count);
  const char* at = characters;
  for (size_t i = 0; i < count; at += lengths[i++]) names.emplace_back(at, lengths[i]);
  return names;
}
inline std::vector<Value> GetOutputValuesHelper(const OrtIoBinding* binding, OrtAllocator* allocator) {
  OrtValue** list = nullptr;
  size_t count = 0;
  ThrowOnError(GetApi().GetBoundOutputValues(binding, allocator, &list, &count));
  std::vector<Value> values;
  if (count == 0) return values;
  const std::unique_ptr<void, AllocatedFree> keep(list, AllocatedFree(allocator));
  values.reserve(count);
  for (size_t i = 0; i < count; ++i) values.emplace_back(list[i]);
  return values;
}
}  // namespace binding_utils

template <typename T>
inline std::vector<std::string> ConstIoBindingImpl<T>::GetOutputNames() const {
  AllocatorWithDefaultOptions allocator;
  return binding_utils::GetOutputNamesHelper(this->p_, allocator);
}
template <typename T>
inline std::vector<std::string> ConstIoBindingImpl<T>::GetOutputNames(OrtAllocator* allocator) const {
  return binding_utils::GetOutputNamesHelper(this->p_, allocator);
}
template <typename T>
inline std::vector<Value> ConstIoBindingImpl<T>::GetOutputValues() const {
  AllocatorWithDefaultOptions allocator;
  return binding_utils::GetOutputValuesHelper(this->p_, allocator);
}
template <typename T>
inline std::vector<Value> ConstIoBindingImpl<T>::GetOutputValues(OrtAllocator* allocator) const {
  return binding_utils::GetOutputValuesHelper(this->p_, allocator);
}
template <typename T>
inline void IoBindingImpl<T>::BindInput(const char* name, const Value& value) {
  ThrowOnError(GetApi().BindInput(this->p_, name, value));
}
template <typename T>
inline void IoBindingImpl<T>::BindOutput(const char* name, const Value& value) {
  ThrowOnError(GetApi().BindOutput(this->p_, name, value));
}
template <typename T>
inline void IoBindingImpl<T>::BindOutput(const char* name, const OrtMemoryInfo* mem_info) {
  ThrowOnError(GetApi().BindOutputToDevice(this->p_, name, mem_info));
}
template <typename T>
inline void IoBindingImpl<T>::SynchronizeInputs() {
  ThrowOnError(GetApi().SynchronizeBoundInputs(this->p_));
}
template <typename T>
inline void IoBindingImpl<T>::SynchronizeOutputs() {
  ThrowOnError(GetApi().SynchronizeBoundOutputs(this->p_));
}
template <typename T>
inline void IoBindingImpl<T>::ClearBoundInputs() {
  GetApi().ClearBoundInputs(this->p_);
}
template <typename T>
inline void IoBindingImpl<T>::ClearBoundOutputs() {
  GetApi().ClearBoundOutputs(this->p_);
}
}  // namespace detail

inline IoBinding::IoBinding(Session& session) { ThrowOnError(GetApi().CreateIoBinding(session, &this->p_)); }
inline ArenaCfg::ArenaCfg(size_t max_mem, int arena_extend_strategy, int initial_chunk_size_bytes,
                          int max_dead_bytes_per_chunk) {
  ThrowOnError(
      GetApi().CreateArenaCfg(max_mem, arena_extend_strategy, initial_chunk_size_bytes, max_dead_bytes_per_chunk, &p_));
}
inline ArenaCfg::ArenaCfg(const std::unordered_map<std::string, size_t>& arena_config) {
  std::vector<const char*> keys;
  std::vector<size_t> values;
  for (const auto& entry : arena_config) {
    keys.push_back(entry.first.c_str());
    values.push_back(entry.second);
  }
  ThrowOnError(GetApi().CreateArenaCfgV2(keys.data(), values.data(), keys.size(), &p_));
}

/* ---- Attributes ---- */
namespace detail {

template <typename T>
inline OrtOpAttrType TypeToAttrType();
template <>
inline OrtOpAttrType TypeToAttrType<int64_t>() {
  return ORT_OP_ATTR_INT;
}
template <>
inline OrtOpAttrType TypeToAttrType<float>() {
  return ORT_OP_ATTR_FLOAT;
}
template <typename T>
inline OrtOpAttrType TypeToAttrsType();
template <>
inline OrtOpAttrType TypeToAttrsType<int64_t>() {
  return ORT_OP_ATTR_INTS;
}
template <>
inline OrtOpAttrType TypeToAttrsType<float>() {
  return ORT_OP_ATTR_FLOATS;
}

inline Status CheckAttrType(const OrtOpAttr* attr, OrtOpAttrType requested_type) {
  OrtOpAttrType type{};
  ORT_CXX_RETURN_ON_API_FAIL(GetApi().OpAttr_GetType(attr, &type));
  if (type != requested_type) return Status("The attribute has another type", ORT_INVALID_ARGUMENT);
  return Status();
}
/// Bytes that ReadOpAttr needs; it fails for want of room and tells the size.
inline size_t GetDataSize(const OrtOpAttr* attr, OrtOpAttrType attr_type) {
  size_t size = 0;
  Status expected{GetApi().ReadOpAttr(attr, attr_type, nullptr, 0, &size)};
  return size;
}
template <typename T>
Status GetNumericValue(const OrtOpAttr* attr, T& out) {
  size_t size = 0;
  return Status{GetApi().ReadOpAttr(attr, TypeToAttrType<T>(), &out, sizeof(out), &size)};
}

template <typename T>
struct GetValueImpl {
  static Status GetValue(const OrtOpAttr* attr, T& out) { return GetNumericValue<T>(attr, out); }
  static Status GetValues(const OrtOpAttr* attr, std::vector<T>& out) {
    Status status = CheckAttrType(attr, TypeToAttrsType<T>());
    if (!status.IsOK()) return status;
    size_t size = GetDataSize(attr, TypeToAttrsType<T>());
    out.resize(size / sizeof(T));
    if (!out.empty())
      ORT_CXX_RETURN_ON_API_FAIL(GetApi().ReadOpAttr(attr, TypeToAttrsType<T>(), out.data(), size, &size));
    return Status();
  }
};
template <>
struct GetValueImpl<std::string> {
  static Status GetValue(const OrtOpAttr* attr, std::string& out) {
    Status status = CheckAttrType(attr, ORT_OP_ATTR_STRING);
    if (!status.IsOK()) return status;
    size_t size = GetDataSize(attr, ORT_OP_ATTR_STRING);
    out.resize(size);
    if (size != 0) ORT_CXX_RETURN_ON_API_FAIL(GetApi().ReadOpAttr(attr, ORT_OP_ATTR_STRING, &out[0], size, &size));
    return Status();
  }
  /// The strings come one after the other, each with a terminator.
  static Status GetValues(const OrtOpAttr* attr, std::vector<std::string>& out) {
    Status status = CheckAttrType(attr, ORT_OP_ATTR_STRINGS);
    if (!status.IsOK()) return status;
    out.clear();
    size_t size = GetDataSize(attr, ORT_OP_ATTR_STRINGS);
    if (size == 0) return Status();
    std::vector<char> characters(size);
    ORT_CXX_RETURN_ON_API_FAIL(GetApi().ReadOpAttr(attr, ORT_OP_ATTR_STRINGS, characters.data(), size, &size));
    for (const char *at = characters.data(), *end = at + size; at < end;) {
      out.emplace_back(at);
      at += out.back().size() + 1;
    }
    return Status();
  }
};

template <typename T>
template <typename R>
inline Status ConstOpAttrImpl<T>::GetValue(R& out) const {
  return GetValueImpl<R>::GetValue(this->p_, out);
}
template <typename T>
template <typename R>
inline Status ConstOpAttrImpl<T>::GetValueArray(std::vector<R>& out) const {
  return GetValueImpl<R>::GetValues(this->p_, out);
}
template <typename T>
inline Status ConstOpAttrImpl<T>::GetTensorAttributeAsOrtValue(Value& out) const {
  OrtValue* tensor = nullptr;
  ORT_CXX_RETURN_ON_API_FAIL(GetApi().OpAttr_GetTensorAttributeAsOrtValue(this->p_, &tensor));
  out = Value{tensor};
  return Status();
}
template <typename T>
inline std::string ConstOpAttrImpl<T>::GetName() const {
  const char* out{};
  ThrowOnError(GetApi().OpAttr_GetName(this->p_, &out));
  return std::string(out);
}
template <typename T>
inline OrtOpAttrType ConstOpAttrImpl<T>::GetType() const {
  OrtOpAttrType out{};
  ThrowOnError(GetApi().OpAttr_GetType(this->p_, &out));
  return out;
}
}  // namespace detail

inline OpAttr::OpAttr(const char* name, const void* data, int len, OrtOpAttrType type) {
  ThrowOnError(GetApi().CreateOpAttr(name, data, len, type, &this->p_));
}

/* ---- Loggers ---- */
inline Logger::Logger(const OrtLogger* logger) : logger_(logger) {
  ThrowOnError(GetApi().Logger_GetLoggingSeverityLevel(logger_, &cached_severity_level_));
}
inline Status Logger::LogMessage(OrtLoggingLevel log_severity_level, const ORTCHAR_T* file_path, int line_number,
                                 const char* func_name, const char* message) const noexcept {
  return Status(GetApi().Logger_LogMessage(logger_, log_severity_level, message, file_path, line_number, func_name));
}

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
#endif
template <typename... Args>
inline Status Logger::LogFormattedMessage(OrtLoggingLevel log_severity_level, const ORTCHAR_T* file_path,
                                          int line_number, const char* func_name, const char* format,
                                          Args&&... args) const noexcept {
  const int length = std::snprintf(nullptr, 0, format, args...);
  if (length < 0) return Status("The log line cannot be formatted", ORT_FAIL);
  constexpr size_t kRoom = 1024;
  if (static_cast<size_t>(length) < kRoom) {
    char text[kRoom];
    std::snprintf(text, kRoom, format, args...);
    return LogMessage(log_severity_level, file_path, line_number, func_name, text);
  }
  const std::unique_ptr<char[]> text(new (std::nothrow) char[static_cast<size_t>(length) + 1]);
  if (!text) return Status("No memory for a log line", ORT_FAIL);
  std::snprintf(text.get(), static_cast<size_t>(length) + 1, format, args...);
  return LogMessage(log_severity_level, file_path, line_number, func_name, text.get());
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/* ---- Custom operators ---- */
inline size_t KernelContext::GetInputCount() const {
  size_t out = 0;
  ThrowOnError(GetApi().KernelContext_GetInputCount(ctx_, &out));
  return out;
}
inline size_t KernelContext::GetOutputCount() const {
  size_t out = 0;
  ThrowOnError(GetApi().KernelContext_GetOutputCount(ctx_, &out));
  return out;
}
inline ConstValue KernelContext::GetInput(size_t index) const {
  const OrtValue* out = nullptr;
  ThrowOnError(GetApi().KernelContext_GetInput(ctx_, index, &out));
  return ConstValue{out};
}
inline UnownedValue KernelContext::GetOutput(size_t index, const int64_t* dim_values, size_t dim_count) const {
  OrtValue* out = nullptr;
  ThrowOnError(GetApi().KernelContext_GetOutput(ctx_, index, dim_values, dim_count, &out));
  return UnownedValue{out};
}
inline UnownedValue KernelContext::GetOutput(size_t index, const std::vector<int64_t>& dims) const {
  return GetOutput(index, dims.data(), dims.size());
}
inline void* KernelContext::GetGPUComputeStream() const {
  void* out = nullptr;
  ThrowOnError(GetApi().KernelContext_GetGPUComputeStream(ctx_, &out));
  return out;
}
inline OrtSyncStream* KernelContext::GetSyncStream() const {
  OrtSyncStream* out = nullptr;
  ThrowOnError(GetApi().KernelContext_GetSyncStream(ctx_, &out));
  return out;
}
inline Logger KernelContext::GetLogger() const {
  const OrtLogger* out = nullptr;
  ThrowOnError(GetApi().KernelContext_GetLogger(ctx_, &out));
  return Logger{out};
}
inline Ort::Allocator KernelContext::GetAllocator(const OrtMemoryInfo& memory_info) const {
  OrtAllocator* out = nullptr;
  ThrowOnError(GetApi().KernelContext_GetAllocator(ctx_, &memory_info, &out));
  return Ort::Allocator{out};
}
inline void KernelContext::ParallelFor(void (*fn)(void*, size_t), size_t total, size_t num_batch,
                                       void* usr_data) const {
  ThrowOnError(GetApi().KernelContext_ParallelFor(ctx_, fn, total, num_batch, usr_data));
}

namespace detail {
namespace attr_utils {
inline void GetAttr(const OrtKernelInfo* p, const char* name, float& out) {
  ThrowOnError(GetApi().KernelInfoGetAttribute_float(p, name, &out));
}
inline void GetAttr(const OrtKernelInfo* p, const char* name, int64_t& out) {
  ThrowOnError(GetApi().KernelInfoGetAttribute_int64(p, name, &out));
}
inline void GetAttr(const OrtKernelInfo* p, const char* name, std::string& out) {
  out = FetchSizedString(
      [&](char* text, size_t* size) { return GetApi().KernelInfoGetAttribute_string(p, name, text, size); });
}
inline void GetAttrs(const OrtKernelInfo* p, const char* name, std::vector<float>& out) {
  size_t size = 0;
  ThrowOnError(GetApi().KernelInfoGetAttributeArray_float(p, name, nullptr, &size));
  out.resize(size);
  if (size != 0) ThrowOnError(GetApi().KernelInfoGetAttributeArray_float(p, name, out.data(), &size));
}
inline void GetAttrs(const OrtKernelInfo* p, const char* name, std::vector<int64_t>& out) {
  size_t size = 0;
  ThrowOnError(GetApi().KernelInfoGetAttributeArray_int64(p, name, nullptr, &size));
  out.resize(size);
  if (size != 0) ThrowOnError(GetApi().KernelInfoGetAttributeArray_int64(p, name, out.data(), &size));
}
inline void GetAttrs(const OrtKernelInfo* p, const char* name, std::vector<std::string>& out) {
  AllocatorWithDefaultOptions allocator;
  char** list = nullptr;
  size_t size = 0;
  ThrowOnError(GetApi().KernelInfoGetAttributeArray_string(p, name, allocator, &list, &size));
  out.clear();
  if (size == 0) return;
  const std::unique_ptr<void, AllocatedFree> keep(list, AllocatedFree(allocator));
  out.reserve(size);
  for (size_t i = 0; i < size; ++i) {
    const AllocatedStringPtr text(list[i], AllocatedFree(allocator));
    out.emplace_back(text.get());
  }
}
}  // namespace attr_utils
template <typename T>
inline KernelInfo KernelInfoImpl<T>::Copy() const {
  OrtKernelInfo* out{};
  ThrowOnError(GetApi().CopyKernelInfo(this->p_, &out));
  return KernelInfo{out};
}
template <typename T>
inline Value KernelInfoImpl<T>::GetTensorAttribute(const char* name, OrtAllocator* allocator) const {
  OrtValue* out{};
  ThrowOnError(GetApi().KernelInfoGetAttribute_tensor(this->p_, name, allocator, &out));
  return Value{out};
}
template <typename T>
inline size_t KernelInfoImpl<T>::GetInputCount() const {
  size_t out{};
  ThrowOnError(GetApi().KernelInfo_GetInputCount(this->p_, &out));
  return out;
}
template <typename T>
inline size_t KernelInfoImpl<T>::GetOutputCount() const {
  size_t out{};
  ThrowOnError(GetApi().KernelInfo_GetOutputCount(this->p_, &out));
  return out;
}
template <typename T>
inline TypeInfo KernelInfoImpl<T>::GetInputTypeInfo(size_t index) const {
  OrtTypeInfo* out{};
  ThrowOnError(GetApi().KernelInfo_GetInputTypeInfo(this->p_, index, &out));
  return TypeInfo{out};
}
template <typename T>
inline TypeInfo KernelInfoImpl<T>::GetOutputTypeInfo(size_t index) const {
  OrtTypeInfo* out{};
  ThrowOnError(GetApi().KernelInfo_GetOutputTypeInfo(this->p_, index, &out));
  return TypeInfo{out};
}
template <typename T>
inline ConstValue KernelInfoImpl<T>::GetTensorConstantInput(size_t index, int* is_constant) const {
  const OrtValue* out{};
  ThrowOnError(GetApi().KernelInfoGetConstantInput_tensor(this->p_, index, is_constant, &out));
  return ConstValue{out};
}
template <typename T>
inline Logger KernelInfoImpl<T>::GetLogger() const {
  const OrtLogger* out{};
  ThrowOnError(GetApi().KernelInfo_GetLogger(this->p_, &out));
  return Logger{out};
}
template <typename T>
inline KeyValuePairs KernelInfoImpl<T>::GetConfigEntries() const {
  OrtKeyValuePairs* out{};
  ThrowOnError(GetApi().KernelInfo_GetConfigEntries(this->p_, &out));
  return KeyValuePairs{out};
}
template <typename T>
inline int KernelInfoImpl<T>::GetOperatorSinceVersion() const {
  int out{};
  ThrowOnError(GetApi().KernelInfo_GetOperatorSinceVersion(this->p_, &out));
  return out;
}
template <typename T>
inline const OrtEp* KernelInfoImpl<T>::GetEp() const {
  const OrtEp* out{};
  ThrowOnError(GetEpApi().KernelInfo_GetEp(this->p_, &out));
  return out;
}
template <typename T>
inline std::string KernelInfoImpl<T>::GetInputName(size_t index) const {
  return FetchSizedString(
      [&](char* text, size_t* size) { return GetApi().KernelInfo_GetInputName(this->p_, index, text, size); });
}
template <typename T>
inline std::string KernelInfoImpl<T>::GetOutputName(size_t index) const {
  return FetchSizedString(
      [&](char* text, size_t* size) { return GetApi().KernelInfo_GetOutputName(this->p_, index, text, size); });
}
template <typename T>
inline std::string KernelInfoImpl<T>::GetNodeName() const {
  return FetchSizedString(
      [&](char* text, size_t* size) { return GetApi().KernelInfo_GetNodeName(this->p_, text, size); });
}
template <typename T>
inline std::string KernelInfoImpl<T>::GetOperatorDomain() const {
  return FetchSizedString(
      [&](char* text, size_t* size) { return GetApi().KernelInfo_GetOperatorDomain(this->p_, text, size); });
}
template <typename T>
inline std::string KernelInfoImpl<T>::GetOperatorType() const {
  return FetchSizedString(
      [&](char* text, size_t* size) { return GetApi().KernelInfo_GetOperatorType(this->p_, text, size); });
}
}  // namespace detail

inline Op Op::Create(const OrtKernelInfo* info, const char* op_name, const char* domain, int version,
                     const char** type_constraint_names, const ONNXTensorElementDataType* type_constraint_values,
                     size_t type_constraint_count, const OpAttr* attr_values, size_t attr_count, size_t input_count,
                     size_t output_count) {
  static_assert(sizeof(OpAttr) == sizeof(OrtOpAttr*), "OpAttr must be one pointer wide");
  OrtOp* out = nullptr;
  ThrowOnError(GetApi().CreateOp(info, op_name, domain, version, type_constraint_names, type_constraint_values,
                                 static_cast<int>(type_constraint_count),
                                 reinterpret_cast<const OrtOpAttr* const*>(attr_values), static_cast<int>(attr_count),
                                 static_cast<int>(input_count), static_cast<int>(output_count), &out));
  return Op{out};
}
inline void Op::Invoke(const OrtKernelContext* context, const Value* input_values, size_t input_count,
                       Value* output_values, size_t output_count) {
  Invoke(context, detail::Pointers(input_values), input_count, detail::Pointers(output_values), output_count);
}
inline void Op::Invoke(const OrtKernelContext* context, const OrtValue* const* input_values, size_t input_count,
                       OrtValue* const* output_values, size_t output_count) {
  ThrowOnError(GetApi().InvokeOp(context, p_, input_values, static_cast<int>(input_count), output_values,
                                 static_cast<int>(output_count)));
}

inline ShapeInferContext::ShapeInferContext(const OrtApi* ort_api, OrtShapeInferContext* ctx)
    : ort_api_(ort_api), ctx_(ctx) {
  size_t input_count = 0;
  ThrowOnError(ort_api_->ShapeInferContext_GetInputCount(ctx_, &input_count));
  for (size_t i = 0; i < input_count; ++i) {
    OrtTensorTypeAndShapeInfo* type = nullptr;
    ThrowOnError(ort_api_->ShapeInferContext_GetInputTypeShape(ctx, i, &type));
    const ConstTensorTypeAndShapeInfo info(type);  // the context owns it, and the names in it
    const std::vector<int64_t> dims = info.GetShape();
    const std::vector<const char*> names = info.GetSymbolicDimensions();
    Shape shape;
    shape.reserve(dims.size());
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims[d] >= 0 || !names[d] || !*names[d]) shape.emplace_back(dims[d]);
      else shape.emplace_back(names[d]);
    }
    input_shapes_.push_back(std::move(shape));
  }
}
inline Status ShapeInferContext::SetOutputShape(size_t indice, const Shape& shape, ONNXTensorElementDataType type) {
  std::vector<int64_t> dims;
  std::vector<std::string> names;
  dims.reserve(shape.size());
  names.reserve(shape.size());
  for (const SymbolicInteger& dim : shape) {
    dims.push_back(dim.IsInt() ? dim.AsInt() : -1);
    names.emplace_back(dim.IsInt() ? "" : dim.AsSym());
  }
  OrtTensorTypeAndShapeInfo* raw = nullptr;
  ORT_CXX_RETURN_ON_API_FAIL(ort_api_->CreateTensorTypeAndShapeInfo(&raw));
  const TensorTypeAndShapeInfo info(raw);
  std::vector<const char*> name_list = detail::StringsToCharPtrs(names);
  ORT_CXX_RETURN_ON_API_FAIL(ort_api_->SetTensorElementType(raw, type));
  ORT_CXX_RETURN_ON_API_FAIL(ort_api_->SetDimensions(raw, dims.data(), dims.size()));
  ORT_CXX_RETURN_ON_API_FAIL(ort_api_->SetSymbolicDimensions(raw, name_list.data(), name_list.size()));
  ORT_CXX_RETURN_ON_API_FAIL(ort_api_->ShapeInferContext_SetOutputTypeShape(ctx_, indice, raw));
  return Status();
}
inline const OrtOpAttr* ShapeInferContext::GetAttrHdl(const char* attr_name) const {
  const OrtOpAttr* attr = nullptr;
  ThrowOnError(ort_api_->ShapeInferContext_GetAttribute(ctx_, attr_name, &attr));
  return attr;
}
inline int64_t ShapeInferContext::GetAttrInt(const char* attr_name) {
  int64_t out = 0;
  ThrowOnError(detail::GetValueImpl<int64_t>::GetValue(GetAttrHdl(attr_name), out));
  return out;
}
inline ShapeInferContext::Ints ShapeInferContext::GetAttrInts(const char* attr_name) {
  Ints out;
  ThrowOnError(detail::GetValueImpl<int64_t>::GetValues(GetAttrHdl(attr_name), out));
  return out;
}
inline float ShapeInferContext::GetAttrFloat(const char* attr_name) {
  float out = 0;
  ThrowOnError(detail::GetValueImpl<float>::GetValue(GetAttrHdl(attr_name), out));
  return out;
}
inline ShapeInferContext::Floats ShapeInferContext::GetAttrFloats(const char* attr_name) {
  Floats out;
  ThrowOnError(detail::GetValueImpl<float>::GetValues(GetAttrHdl(attr_name), out));
  return out;
}
inline std::string ShapeInferContext::GetAttrString(const char* attr_name) {
  std::string out;
  ThrowOnError(detail::GetValueImpl<std::string>::GetValue(GetAttrHdl(attr_name), out));
  return out;
}
inline ShapeInferContext::Strings ShapeInferContext::GetAttrStrings(const char* attr_name) {
  Strings out;
  ThrowOnError(detail::GetValueImpl<std::string>::GetValues(GetAttrHdl(attr_name), out));
  return out;
}

template <typename TOp, typename TKernel, bool WithStatus>
inline CustomOpBase<TOp, TKernel, WithStatus>::CustomOpBase() : OrtCustomOp{} {
  OrtCustomOp::version = ORT_API_VERSION;
  OrtCustomOp::GetName = [](const OrtCustomOp* op) { return static_cast<const TOp*>(op)->GetName(); };
  OrtCustomOp::GetExecutionProviderType = [](const OrtCustomOp* op) {
    return static_cast<const TOp*>(op)->GetExecutionProviderType();
  };
  OrtCustomOp::GetInputType = [](const OrtCustomOp* op, size_t index) {
    return static_cast<const TOp*>(op)->GetInputType(index);
  };
  OrtCustomOp::GetInputTypeCount = [](const OrtCustomOp* op) {
    return static_cast<const TOp*>(op)->GetInputTypeCount();
  };
  OrtCustomOp::GetOutputType = [](const OrtCustomOp* op, size_t index) {
    return static_cast<const TOp*>(op)->GetOutputType(index);
  };
  OrtCustomOp::GetOutputTypeCount = [](const OrtCustomOp* op) {
    return static_cast<const TOp*>(op)->GetOutputTypeCount();
  };
  OrtCustomOp::GetInputCharacteristic = [](const OrtCustomOp* op, size_t index) {
    return static_cast<const TOp*>(op)->GetInputCharacteristic(index);
  };
  OrtCustomOp::GetOutputCharacteristic = [](const OrtCustomOp* op, size_t index) {
    return static_cast<const TOp*>(op)->GetOutputCharacteristic(index);
  };
  OrtCustomOp::GetInputMemoryType = [](const OrtCustomOp* op, size_t index) {
    return static_cast<const TOp*>(op)->GetInputMemoryType(index);
  };
  OrtCustomOp::GetVariadicInputMinArity = [](const OrtCustomOp* op) {
    return static_cast<const TOp*>(op)->GetVariadicInputMinArity();
  };
  OrtCustomOp::GetVariadicInputHomogeneity = [](const OrtCustomOp* op) {
    return static_cast<int>(static_cast<const TOp*>(op)->GetVariadicInputHomogeneity());
  };
  OrtCustomOp::GetVariadicOutputMinArity = [](const OrtCustomOp* op) {
    return static_cast<const TOp*>(op)->GetVariadicOutputMinArity();
  };
  OrtCustomOp::GetVariadicOutputHomogeneity = [](const OrtCustomOp* op) {
    return static_cast<int>(static_cast<const TOp*>(op)->GetVariadicOutputHomogeneity());
  };
  OrtCustomOp::KernelDestroy = [](void* kernel) { delete static_cast<TKernel*>(kernel); };
  if constexpr (WithStatus) {
    OrtCustomOp::CreateKernelV2 = [](const OrtCustomOp* op, const OrtApi* api, const OrtKernelInfo* info,
                                     void** kernel) -> OrtStatusPtr {
      return static_cast<const TOp*>(op)->CreateKernelV2(*api, info, kernel);
    };
    OrtCustomOp::KernelComputeV2 = [](void* kernel, OrtKernelContext* context) -> OrtStatusPtr {
      return static_cast<TKernel*>(kernel)->ComputeV2(context);
    };
  } else {
    OrtCustomOp::CreateKernel = [](const OrtCustomOp* op, const OrtApi* api, const OrtKernelInfo* info) -> void* {
      return static_cast<const TOp*>(op)->CreateKernel(*api, info);
    };
    OrtCustomOp::KernelCompute = [](void* kernel, OrtKernelContext* context) {
      static_cast<TKernel*>(kernel)->Compute(context);
    };
  }
  SetShapeInferFn<TOp>(0);
  OrtCustomOp::GetStartVersion = [](const OrtCustomOp* op) { return static_cast<const TOp*>(op)->start_ver_; };
  OrtCustomOp::GetEndVersion = [](const OrtCustomOp* op) { return static_cast<const TOp*>(op)->end_ver_; };
}
template <typename TOp, typename TKernel, bool WithStatus>
inline void CustomOpBase<TOp, TKernel, WithStatus>::GetSessionConfigs(std::unordered_map<std::string, std::string>& out,
                                                                      ConstSessionOptions options) const {
  const TOp* derived = static_cast<const TOp*>(this);
  for (const std::string& key : derived->GetSessionConfigKeys()) {
    const std::string entry = detail::MakeCustomOpConfigEntryKey(derived->GetName(), key.c_str());
    out[key] = options.GetConfigEntryOrDefault(entry.c_str(), "");
  }
}

/* ---- Graphs ---- */
namespace detail {
template <typename T>
inline std::string ConstValueInfoImpl<T>::GetName() const {
  const char* out{};
  ThrowOnError(GetApi().GetValueInfoName(this->p_, &out));
  return std::string(out);
}
template <typename T>
inline ConstTypeInfo ConstValueInfoImpl<T>::TypeInfo() const {
  const OrtTypeInfo* out{};
  ThrowOnError(GetApi().GetValueInfoTypeInfo(this->p_, &out));
  return ConstTypeInfo{out};
}
template <typename T>
inline bool ConstValueInfoImpl<T>::IsRequiredGraphInput() const {
  bool out{};
  ThrowOnError(GetApi().ValueInfo_IsRequiredGraphInput(this->p_, &out));
  return out;
}
template <typename T>
inline bool ConstValueInfoImpl<T>::IsOptionalGraphInput() const {
  bool out{};
  ThrowOnError(GetApi().ValueInfo_IsOptionalGraphInput(this->p_, &out));
  return out;
}
template <typename T>
inline bool ConstValueInfoImpl<T>::IsGraphOutput() const {
  bool out{};
  ThrowOnError(GetApi().ValueInfo_IsGraphOutput(this->p_, &out));
  return out;
}
template <typename T>
inline bool ConstValueInfoImpl<T>::IsConstantInitializer() const {
  bool out{};
  ThrowOnError(GetApi().ValueInfo_IsConstantInitializer(this->p_, &out));
  return out;
}
template <typename T>
inline bool ConstValueInfoImpl<T>::IsFromOuterScope() const {
  bool out{};
  ThrowOnError(GetApi().ValueInfo_IsFromOuterScope(this->p_, &out));
  return out;
}
template <typename T>
inline ValueInfoConsumerProducerInfo ConstValueInfoImpl<T>::GetProducerNode() const {
  const OrtNode* node = nullptr;
  size_t index = 0;
  ThrowOnError(GetApi().ValueInfo_GetValueProducer(this->p_, &node, &index));
  return {ConstNode{node}, static_cast<int64_t>(index)};
}
template <typename T>
inline std::vector<ValueInfoConsumerProducerInfo> ConstValueInfoImpl<T>::GetConsumers() const {
  size_t count = 0;
  ThrowOnError(GetApi().ValueInfo_GetValueNumConsumers(this->p_, &count));
  std::vector<const OrtNode*> nodes(count);
  std::vector<int64_t> indices(count);
  if (count != 0) ThrowOnError(GetApi().ValueInfo_GetValueConsumers(this->p_, nodes.data(), indices.data(), count));
  std::vector<ValueInfoConsumerProducerInfo> out;
  out.reserve(count);
  for (size_t i = 0; i < count; ++i) out.emplace_back(ConstNode{nodes[i]}, indices[i]);
  return out;
}
template <typename T>
inline Status ConstValueInfoImpl<T>::GetInitializer(ConstValue& value) const {
  const OrtValue* out = nullptr;
  ORT_CXX_RETURN_ON_API_FAIL(GetApi().ValueInfo_GetInitializerValue(this->p_, &out));
  value = ConstValue{out};
  return Status();
}
template <typename T>
inline Status ConstValueInfoImpl<T>::GetExternalInitializerInfo(ExternalInitializerInfo& info) const {
  OrtExternalInitializerInfo* out = nullptr;
  ORT_CXX_RETURN_ON_API_FAIL(GetApi().ValueInfo_GetExternalInitializerInfo(this->p_, &out));
  info = ExternalInitializerInfo{out};
  return Status();
}

/// The list that a pair of functions gives: one for the length, one for the items.
template <typename Public, typename Item, typename Count, typename Get>
inline std::vector<Public> FetchList(Count count_function, Get get_function) {
  size_t count = 0;
  ThrowOnError(count_function(&count));
  std::vector<Item> items(count);
  if (count != 0) ThrowOnError(get_function(items.data(), count));
  std::vector<Public> out;
  out.reserve(count);
  for (Item item : items) out.push_back(Public{item});
  return out;
}
template <typename T>
inline std::vector<ConstValueInfo> ConstNodeImpl<T>::GetInputs() const {
  return FetchList<ConstValueInfo, const OrtValueInfo*>(
      [&](size_t* n) { return GetApi().Node_GetNumInputs(this->p_, n); },
      [&](const OrtValueInfo** items, size_t n) { return GetApi().Node_GetInputs(this->p_, items, n); });
}
template <typename T>
inline std::vector<ConstValueInfo> ConstNodeImpl<T>::GetOutputs() const {
  return FetchList<ConstValueInfo, const OrtValueInfo*>(
      [&](size_t* n) { return GetApi().Node_GetNumOutputs(this->p_, n); },
      [&](const OrtValueInfo** items, size_t n) { return GetApi().Node_GetOutputs(this->p_, items, n); });
}
template <typename T>
inline std::vector<ConstValueInfo> ConstNodeImpl<T>::GetImplicitInputs() const {
  return FetchList<ConstValueInfo, const OrtValueInfo*>(
      [&](size_t* n) { return GetApi().Node_GetNumImplicitInputs(this->p_, n); },
      [&](const OrtValueInfo** items, size_t n) { return GetApi().Node_GetImplicitInputs(this->p_, items, n); });
}
template <typename T>
inline std::vector<ConstOpAttr> ConstNodeImpl<T>::GetAttributes() const {
  return FetchList<ConstOpAttr, const OrtOpAttr*>(
      [&](size_t* n) { return GetApi().Node_GetNumAttributes(this->p_, n); },
      [&](const OrtOpAttr** items, size_t n) { return GetApi().Node_GetAttributes(this->p_, items, n); });
}
template <typename T>
inline size_t ConstNodeImpl<T>::GetId() const {
  size_t out{};
  ThrowOnError(GetApi().Node_GetId(this->p_, &out));
  return out;
}
template <typename T>
inline std::string ConstNodeImpl<T>::GetName() const {
  const char* out{};
  ThrowOnError(GetApi().Node_GetName(this->p_, &out));
  return std::string(out);
}
template <typename T>
inline std::string ConstNodeImpl<T>::GetOperatorType() const {
  const char* out{};
  ThrowOnError(GetApi().Node_GetOperatorType(this->p_, &out));
  return std::string(out);
}
template <typename T>
inline std::string ConstNodeImpl<T>::GetDomain() const {
  const char* out{};
  ThrowOnError(GetApi().Node_GetDomain(this->p_, &out));
  return std::string(out);
}
template <typename T>
inline int ConstNodeImpl<T>::GetSinceVersion() const {
  int out{};
  ThrowOnError(GetApi().Node_GetSinceVersion(this->p_, &out));
  return out;
}
template <typename T>
inline std::string ConstNodeImpl<T>::GetEpName() const {
  const char* out{};
  ThrowOnError(GetApi().Node_GetEpName(this->p_, &out));
  return out ? std::string(out) : std::string();
}
template <typename T>
inline ConstGraphImpl<Unowned<const OrtGraph>> ConstNodeImpl<T>::GetGraph() const {
  const OrtGraph* out{};
  ThrowOnError(GetApi().Node_GetGraph(this->p_, &out));
  return ConstGraphImpl<Unowned<const OrtGraph>>{out};
}
template <typename T>
inline Status ConstNodeImpl<T>::GetAttributeByName(const std::string& name, ConstOpAttr& attr) const {
  const OrtOpAttr* out = nullptr;
  ORT_CXX_RETURN_ON_API_FAIL(GetApi().Node_GetAttributeByName(this->p_, name.c_str(), &out));
  attr = ConstOpAttr{out};
  return Status();
}
template <typename T>
inline std::vector<AttrNameSubgraph> ConstNodeImpl<T>::GetSubgraphs() const {
  size_t count = 0;
  ThrowOnError(GetApi().Node_GetNumSubgraphs(this->p_, &count));
  std::vector<const OrtGraph*> graphs(count);
  std::vector<const char*> names(count);
  if (count != 0) ThrowOnError(GetApi().Node_GetSubgraphs(this->p_, graphs.data(), count, names.data()));
  std::vector<AttrNameSubgraph> out;
  out.reserve(count);
  for (size_t i = 0; i < count; ++i) out.emplace_back(std::string(names[i]), ConstGraph{graphs[i]});
  return out;
}
template <typename T>
inline std::vector<ConstValueInfo> ConstGraphImpl<T>::GetInputs() const {
  return FetchList<ConstValueInfo, const OrtValueInfo*>(
      [&](size_t* n) { return GetApi().Graph_GetNumInputs(this->p_, n); },
      [&](const OrtValueInfo** items, size_t n) { return GetApi().Graph_GetInputs(this->p_, items, n); });
}
template <typename T>
inline std::vector<ConstValueInfo> ConstGraphImpl<T>::GetOutputs() const {
  return FetchList<ConstValueInfo, const OrtValueInfo*>(
      [&](size_t* n) { return GetApi().Graph_GetNumOutputs(this->p_, n); },
      [&](const OrtValueInfo** items, size_t n) { return GetApi().Graph_GetOutputs(this->p_, items, n); });
}
template <typename T>
inline std::vector<ConstValueInfo> ConstGraphImpl<T>::GetInitializers() const {
  return FetchList<ConstValueInfo, const OrtValueInfo*>(
      [&](size_t* n) { return GetApi().Graph_GetNumInitializers(this->p_, n); },
      [&](const OrtValueInfo** items, size_t n) { return GetApi().Graph_GetInitializers(this->p_, items, n); });
}
template <typename T>
inline std::vector<ConstNode> ConstGraphImpl<T>::GetNodes() const {
  return FetchList<ConstNode, const OrtNode*>(
      [&](size_t* n) { return GetApi().Graph_GetNumNodes(this->p_, n); },
      [&](const OrtNode** items, size_t n) { return GetApi().Graph_GetNodes(this->p_, items, n); });
}
template <typename T>
inline std::string ConstGraphImpl<T>::GetName() const {
  const char* out{};
  ThrowOnError(GetApi().Graph_GetName(this->p_, &out));
  return std::string(out);
}
template <typename T>
inline std::basic_string<ORTCHAR_T> ConstGraphImpl<T>::GetModelPath() const {
  const ORTCHAR_T* out{};
  ThrowOnError(GetApi().Graph_GetModelPath(this->p_, &out));
  return std::basic_string<ORTCHAR_T>(out);
}
template <typename T>
inline int64_t ConstGraphImpl<T>::GetOnnxIRVersion() const {
  int64_t out{};
  ThrowOnError(GetApi().Graph_GetOnnxIRVersion(this->p_, &out));
  return out;
}
template <typename T>
inline ConstNode ConstGraphImpl<T>::GetParentNode() const {
  const OrtNode* out{};
  ThrowOnError(GetApi().Graph_GetParentNode(this->p_, &out));
  return ConstNode{out};
}
template <typename T>
inline ModelMetadata ConstGraphImpl<T>::GetModelMetadata() const {
  OrtModelMetadata* out{};
  ThrowOnError(GetApi().Graph_GetModelMetadata(this->p_, &out));
  return ModelMetadata{out};
}
template <typename T>
inline std::vector<OperatorSet> ConstGraphImpl<T>::GetOperatorSets() const {
  size_t count = 0;
  ThrowOnError(GetApi().Graph_GetNumOperatorSets(this->p_, &count));
  std::vector<const char*> domains(count);
  std::vector<int64_t> versions(count);
  if (count != 0) ThrowOnError(GetApi().Graph_GetOperatorSets(this->p_, domains.data(), versions.data(), count));
  std::vector<OperatorSet> out;
  out.reserve(count);
  for (size_t i = 0; i < count; ++i) out.emplace_back(domains[i], versions[i]);
  return out;
}
template <typename T>
inline Graph ConstGraphImpl<T>::GetGraphView(const std::vector<ConstNode>& nodes) const {
  std::vector<const OrtNode*> list(nodes.begin(), nodes.end());
  OrtGraph* out = nullptr;
  ThrowOnError(GetApi().Graph_GetGraphView(this->p_, list.data(), list.size(), &out));
  return Graph{out};
}
template <typename T>
inline void GraphImpl<T>::SetInputs(std::vector<ValueInfo>& inputs) {
  std::vector<OrtValueInfo*> list(inputs.begin(), inputs.end());
  ThrowOnError(GetModelEditorApi().SetGraphInputs(this->p_, list.data(), list.size()));
  for (ValueInfo& input : inputs) input.release();
}
template <typename T>
inline void GraphImpl<T>::SetOutputs(std::vector<ValueInfo>& outputs) {
  std::vector<OrtValueInfo*> list(outputs.begin(), outputs.end());
  ThrowOnError(GetModelEditorApi().SetGraphOutputs(this->p_, list.data(), list.size()));
  for (ValueInfo& output : outputs) output.release();
}
template <typename T>
inline void GraphImpl<T>::AddInitializer(const std::string& name, Value& initializer, bool data_is_external) {
  ThrowOnError(GetModelEditorApi().AddInitializerToGraph(this->p_, name.c_str(), initializer, data_is_external));
  initializer.release();
}
template <typename T>
inline void GraphImpl<T>::AddNode(Node& node) {
  ThrowOnError(GetModelEditorApi().AddNodeToGraph(this->p_, node));
  node.release();
}
template <typename T>
inline void ModelImpl<T>::AddGraph(Graph& graph) {
  ThrowOnError(GetModelEditorApi().AddGraphToModel(this->p_, graph));
  graph.release();
}
}  // namespace detail

inline ValueInfo::ValueInfo(const std::string& name, const ConstTypeInfo& type_info) {
  ThrowOnError(GetModelEditorApi().CreateValueInfo(name.c_str(), type_info, &this->p_));
}
inline OrtNode* Node::Make(const std::string& operator_name, const std::string& operator_domain,
                           const std::string& node_name, const std::vector<std::string>& input_names,
                           const std::vector<std::string>& output_names, std::vector<OpAttr>& attributes) {
  const std::vector<const char*> inputs = detail::StringsToCharPtrs(input_names);
  const std::vector<const char*> outputs = detail::StringsToCharPtrs(output_names);
  std::vector<OrtOpAttr*> attrs(attributes.begin(), attributes.end());
  OrtNode* out = nullptr;
  ThrowOnError(GetModelEditorApi().CreateNode(operator_name.c_str(), operator_domain.c_str(), node_name.c_str(),
                                              inputs.data(), inputs.size(), outputs.data(), outputs.size(),
                                              attrs.data(), attrs.size(), &out));
  for (OpAttr& attribute : attributes) attribute.release();
  return out;
}
inline Node::Node(const std::string& operator_name, const std::string& operator_domain, const std::string& node_name,
                  const std::vector<std::string>& input_names, const std::vector<std::string>& output_names) {
  std::vector<OpAttr> none;
  this->p_ = Make(operator_name, operator_domain, node_name, input_names, output_names, none);
}
inline Node::Node(const std::string& operator_name, const std::string& operator_domain, const std::string& node_name,
                  const std::vector<std::string>& input_names, const std::vector<std::string>& output_names,
                  std::vector<OpAttr>& attributes) {
  this->p_ = Make(operator_name, operator_domain, node_name, input_names, output_names, attributes);
}
inline Graph::Graph() { ThrowOnError(GetModelEditorApi().CreateGraph(&this->p_)); }
inline Model::Model(const std::vector<DomainOpsetPair>& opsets) {
  std::vector<const char*> domains;
  std::vector<int> versions;
  for (const DomainOpsetPair& opset : opsets) {
    domains.push_back(opset.first.c_str());
    versions.push_back(opset.second);
  }
  ThrowOnError(GetModelEditorApi().CreateModel(domains.data(), versions.data(), opsets.size(), &this->p_));
}

/* ---- Plug-in providers ---- */
namespace detail {
template <typename T>
inline const char* ConstKernelDefImpl<T>::GetOperatorType() const {
  return GetEpApi().KernelDef_GetOperatorType(this->p_);
}
template <typename T>
inline const char* ConstKernelDefImpl<T>::GetDomain() const {
  return GetEpApi().KernelDef_GetDomain(this->p_);
}
template <typename T>
inline const char* ConstKernelDefImpl<T>::GetExecutionProvider() const {
  return GetEpApi().KernelDef_GetExecutionProvider(this->p_);
}
template <typename T>
inline OrtMemType ConstKernelDefImpl<T>::GetInputMemType(size_t input_index) const {
  OrtMemType out{};
  ThrowOnError(GetEpApi().KernelDef_GetInputMemType(this->p_, input_index, &out));
  return out;
}
template <typename T>
inline OrtMemType ConstKernelDefImpl<T>::GetOutputMemType(size_t output_index) const {
  OrtMemType out{};
  ThrowOnError(GetEpApi().KernelDef_GetOutputMemType(this->p_, output_index, &out));
  return out;
}
template <typename T>
inline std::string OpSchemaTypeConstraintImpl<T>::GetTypeParamName() const {
  const char* out{};
  ThrowOnError(GetEpApi().OpSchemaTypeConstraint_GetTypeParamName(this->p_, &out));
  return std::string(out);
}
template <typename T>
inline int OpSchemaImpl<T>::GetSinceVersion() const {
  int out{};
  ThrowOnError(GetEpApi().OpSchema_GetSinceVersion(this->p_, &out));
  return out;
}
template <typename T>
inline size_t OpSchemaImpl<T>::GetNumInputs() const {
  size_t out{};
  ThrowOnError(GetEpApi().OpSchema_GetNumInputs(this->p_, &out));
  return out;
}
template <typename T>
inline size_t OpSchemaImpl<T>::GetNumOutputs() const {
  size_t out{};
  ThrowOnError(GetEpApi().OpSchema_GetNumOutputs(this->p_, &out));
  return out;
}
template <typename T>
inline size_t OpSchemaImpl<T>::GetTypeConstraintCount() const {
  size_t out{};
  ThrowOnError(GetEpApi().OpSchema_GetTypeConstraintCount(this->p_, &out));
  return out;
}
template <typename T>
inline std::string OpSchemaImpl<T>::GetInputName(size_t index) const {
  const char* out{};
  ThrowOnError(GetEpApi().OpSchema_GetInputName(this->p_, index, &out));
  return std::string(out);
}
template <typename T>
inline std::string OpSchemaImpl<T>::GetOutputName(size_t index) const {
  const char* out{};
  ThrowOnError(GetEpApi().OpSchema_GetOutputName(this->p_, index, &out));
  return std::string(out);
}
template <typename T>
inline ConstOpSchemaTypeConstraint OpSchemaImpl<T>::GetInputTypeConstraint(size_t index) const {
  const OrtOpSchemaTypeConstraint* out{};
  ThrowOnError(GetEpApi().OpSchema_GetInputTypeConstraint(this->p_, index, &out));
  return ConstOpSchemaTypeConstraint{out};
}
template <typename T>
inline ConstOpSchemaTypeConstraint OpSchemaImpl<T>::GetOutputTypeConstraint(size_t index) const {
  const OrtOpSchemaTypeConstraint* out{};
  ThrowOnError(GetEpApi().OpSchema_GetOutputTypeConstraint(this->p_, index, &out));
  return ConstOpSchemaTypeConstraint{out};
}
template <typename T>
inline ConstOpSchemaTypeConstraint OpSchemaImpl<T>::GetTypeConstraint(size_t index) const {
  const OrtOpSchemaTypeConstraint* out{};
  ThrowOnError(GetEpApi().OpSchema_GetTypeConstraint(this->p_, index, &out));
  return ConstOpSchemaTypeConstraint{out};
}
template <typename T>
inline std::vector<std::string> OpSchemaTypeConstraintImpl<T>::GetAllowedTypes() const {
  const char* const* items = nullptr;
  size_t count = 0;
  ThrowOnError(GetEpApi().OpSchemaTypeConstraint_GetAllowedTypes(this->p_, &items, &count));
  return std::vector<std::string>(items, items + count);
}
template <typename T>
inline std::vector<size_t> OpSchemaTypeConstraintImpl<T>::GetInputIndices() const {
  const size_t* items = nullptr;
  size_t count = 0;
  ThrowOnError(GetEpApi().OpSchemaTypeConstraint_GetInputIndices(this->p_, &items, &count));
  return std::vector<size_t>(items, items + count);
}
template <typename T>
inline std::vector<size_t> OpSchemaTypeConstraintImpl<T>::GetOutputIndices() const {
  const size_t* items = nullptr;
  size_t count = 0;
  ThrowOnError(GetEpApi().OpSchemaTypeConstraint_GetOutputIndices(this->p_, &items, &count));
  return std::vector<size_t>(items, items + count);
}
template <typename T>
inline std::pair<int, int> ConstKernelDefImpl<T>::GetSinceVersion() const {
  int start = 0;
  int end = 0;
  ThrowOnError(GetEpApi().KernelDef_GetSinceVersion(this->p_, &start, &end));
  return {start, end};
}
template <typename T>
inline Status SharedPrePackedWeightCacheImpl<T>::StoreWeightData(void** buffer_data_ptrs, size_t* buffer_sizes,
                                                                 size_t num_buffers) {
  return Status{
      GetEpApi().SharedPrePackedWeightCache_StoreWeightData(this->p_, buffer_data_ptrs, buffer_sizes, num_buffers)};
}
}  // namespace detail

inline KernelDefBuilder::KernelDefBuilder() { ThrowOnError(GetEpApi().CreateKernelDefBuilder(&p_)); }
inline KernelDefBuilder& KernelDefBuilder::SetOperatorType(const char* op_type) {
  ThrowOnError(GetEpApi().KernelDefBuilder_SetOperatorType(this->p_, op_type));
  return *this;
}
inline KernelDefBuilder& KernelDefBuilder::SetDomain(const char* domain) {
  ThrowOnError(GetEpApi().KernelDefBuilder_SetDomain(this->p_, domain));
  return *this;
}
inline KernelDefBuilder& KernelDefBuilder::SetSinceVersion(int since_version_start, int since_version_end) {
  ThrowOnError(GetEpApi().KernelDefBuilder_SetSinceVersion(this->p_, since_version_start, since_version_end));
  return *this;
}
inline KernelDefBuilder& KernelDefBuilder::SetExecutionProvider(const char* ep_name) {
  ThrowOnError(GetEpApi().KernelDefBuilder_SetExecutionProvider(this->p_, ep_name));
  return *this;
}
inline KernelDefBuilder& KernelDefBuilder::SetInputMemType(size_t input_index, OrtMemType mem_type) {
  ThrowOnError(GetEpApi().KernelDefBuilder_SetInputMemType(this->p_, input_index, mem_type));
  return *this;
}
inline KernelDefBuilder& KernelDefBuilder::SetOutputMemType(size_t output_index, OrtMemType mem_type) {
  ThrowOnError(GetEpApi().KernelDefBuilder_SetOutputMemType(this->p_, output_index, mem_type));
  return *this;
}
inline KernelDefBuilder& KernelDefBuilder::AddTypeConstraint(const char* arg_name, const OrtDataType* data_type) {
  ThrowOnError(GetEpApi().KernelDefBuilder_AddTypeConstraint(this->p_, arg_name, &data_type, 1));
  return *this;
}
inline KernelDefBuilder& KernelDefBuilder::AddTypeConstraint(const char* arg_name,
                                                             const std::vector<const OrtDataType*>& data_types) {
  ThrowOnError(GetEpApi().KernelDefBuilder_AddTypeConstraint(this->p_, arg_name, data_types.data(), data_types.size()));
  return *this;
}
inline KernelDefBuilder& KernelDefBuilder::AddInputOutputAlias(int input_index, int output_index) {
  ThrowOnError(GetEpApi().KernelDefBuilder_AddInputOutputAliases(this->p_, &input_index, &output_index, 1));
  return *this;
}
inline KernelDefBuilder& KernelDefBuilder::AddInputOutputMutableAlias(int input_index, int output_index) {
  ThrowOnError(GetEpApi().KernelDefBuilder_AddInputOutputMutableAliases(this->p_, &input_index, &output_index, 1));
  return *this;
}
inline KernelDefBuilder& KernelDefBuilder::AddInputOutputAliases(const std::vector<int>& input_indices,
                                                                 const std::vector<int>& output_indices) {
  if (input_indices.size() != output_indices.size())
    ORT_CXX_API_THROW("AddInputOutputAliases needs as many inputs as outputs", ORT_INVALID_ARGUMENT);
  ThrowOnError(GetEpApi().KernelDefBuilder_AddInputOutputAliases(p_, input_indices.data(), output_indices.data(),
                                                                 input_indices.size()));
  return *this;
}
inline KernelDefBuilder& KernelDefBuilder::AddInputOutputMutableAliases(const std::vector<int>& input_indices,
                                                                        const std::vector<int>& output_indices) {
  if (input_indices.size() != output_indices.size())
    ORT_CXX_API_THROW("AddInputOutputMutableAliases needs as many inputs as outputs", ORT_INVALID_ARGUMENT);
  ThrowOnError(GetEpApi().KernelDefBuilder_AddInputOutputMutableAliases(p_, input_indices.data(), output_indices.data(),
                                                                        input_indices.size()));
  return *this;
}
inline KernelDef KernelDefBuilder::Build() {
  OrtKernelDef* out = nullptr;
  ThrowOnError(GetEpApi().KernelDefBuilder_Build(p_, &out));
  return KernelDef{out};
}
inline KernelRegistry::KernelRegistry() { ThrowOnError(GetEpApi().CreateKernelRegistry(&p_)); }
inline Status KernelRegistry::AddKernel(const OrtKernelDef* kernel_def, OrtKernelCreateFunc kernel_create_func,
                                        void* kernel_create_func_state) {
  return Status{GetEpApi().KernelRegistry_AddKernel(p_, kernel_def, kernel_create_func, kernel_create_func_state)};
}
inline OpSchema GetOpSchema(const char* name, int max_inclusive_version, const char* domain) {
  OrtOpSchema* out = nullptr;
  ThrowOnError(GetEpApi().GetOpSchema(name, max_inclusive_version, domain, &out));
  return OpSchema{out};
}
inline KeyValuePairs GetEnvConfigEntries() {
  OrtKeyValuePairs* out = nullptr;
  ThrowOnError(GetEpApi().GetEnvConfigEntries(&out));
  return KeyValuePairs{out};
}

}  // namespace Ort
