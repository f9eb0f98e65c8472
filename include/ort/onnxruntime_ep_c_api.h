// The C table for plug-in execution providers: what the runtime offers to them (OrtEpApi) and what they fill in.
// SPDX-License-Identifier: MIT
//
// Included at the end of onnxruntime_c_api.h; do not include it directly. Every structure that a provider fills in
// starts with the API number the provider was compiled for; the runtime reads no field that is newer.
#pragma once

#include "onnxruntime_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OrtEp OrtEp;
typedef struct OrtEpFactory OrtEpFactory;
typedef struct OrtEpGraphSupportInfo OrtEpGraphSupportInfo;
typedef struct OrtMemoryDevice OrtMemoryDevice;
typedef struct OrtNodeComputeContext OrtNodeComputeContext;
typedef struct OrtDataTransferImpl OrtDataTransferImpl;
typedef struct OrtSyncNotificationImpl OrtSyncNotificationImpl;
typedef struct OrtSyncStreamImpl OrtSyncStreamImpl;
typedef struct OrtExternalResourceImporterImpl OrtExternalResourceImporterImpl;
typedef struct OrtOpSchema OrtOpSchema;
typedef struct OrtOpSchemaTypeConstraint OrtOpSchemaTypeConstraint;
typedef struct OrtProfilingEventsContainer OrtProfilingEventsContainer;
typedef struct OrtProfilingEvent OrtProfilingEvent;
typedef struct OrtKernelRegistry OrtKernelRegistry;
typedef struct OrtKernelDefBuilder OrtKernelDefBuilder;
typedef struct OrtKernelDef OrtKernelDef;
typedef struct OrtDataType OrtDataType;
typedef struct OrtSharedPrePackedWeightCache OrtSharedPrePackedWeightCache;
typedef struct OrtEpProfilerImpl OrtEpProfilerImpl;
typedef struct OrtNodeFusionOptions OrtNodeFusionOptions;
typedef struct OrtNodeComputeInfo OrtNodeComputeInfo;
typedef struct OrtKernelImpl OrtKernelImpl;
typedef struct OrtLoopKernelHelper OrtLoopKernelHelper;
typedef struct OrtScanKernelHelper OrtScanKernelHelper;
typedef struct OrtResourceCount OrtResourceCount;
typedef struct OrtEpContextConfig OrtEpContextConfig;

/// What a profiling event describes.
typedef enum OrtProfilingEventCategory {
  OrtProfilingEventCategory_SESSION = 0,
  OrtProfilingEventCategory_NODE = 1,
  OrtProfilingEventCategory_KERNEL = 2,
  OrtProfilingEventCategory_API = 3,
} OrtProfilingEventCategory;

/// Which member of OrtResourceCount::value is set.
typedef enum OrtResourceCountKind {
  OrtResourceCountKind_None = 0,
  OrtResourceCountKind_TotalBytes = 1,
} OrtResourceCountKind;

/// Order of dimensions that a provider prefers.
typedef enum OrtEpDataLayout {
  OrtEpDataLayout_NCHW = 0,
  OrtEpDataLayout_NHWC = 1,
  OrtEpDataLayout_Default = 0,
} OrtEpDataLayout;

/// Which nodes may stay outside a provider that captures graphs.
typedef enum OrtGraphCaptureNodeAssignmentPolicy {
  OrtGraphCaptureNodeAssignmentPolicy_ALL_NODES_ON_EP = 0,
  OrtGraphCaptureNodeAssignmentPolicy_ALLOW_CPU_FOR_SHAPES = 1,
} OrtGraphCaptureNodeAssignmentPolicy;

/// Whether a provider can leave weights outside its compiled models.
typedef enum OrtWeightlessSupport {
  OrtWeightlessSupport_NONE = 0,
  OrtWeightlessSupport_EXTERNAL_ONLY = 1,
  OrtWeightlessSupport_ALL = 2,
} OrtWeightlessSupport;

/// Makes a kernel for a node.
typedef OrtStatus*(ORT_API_CALL* OrtKernelCreateFunc)(void* kernel_create_func_state, const OrtKernelInfo* info,
                                                      OrtKernelImpl** kernel_out);

/// Symbol CreateEpFactories of a provider library.
typedef OrtStatus*(ORT_API_CALL* CreateEpApiFactoriesFn)(const char* registered_name, const OrtApiBase* ort_api_base,
                                                         const OrtLogger* default_logger, OrtEpFactory** factories,
                                                         size_t max_factories, size_t* num_factories);

/// Symbol ReleaseEpFactory of a provider library.
typedef OrtStatus*(ORT_API_CALL* ReleaseEpApiFactoryFn)(OrtEpFactory* factory);

/// An amount of a resource, for placing nodes on a device.
struct OrtResourceCount {
  uint32_t kind;
  uint32_t reserved;
  union {
    uint64_t total_bytes;
    uint64_t reserved_words[6];
  } value;
};

/// Head of an imported memory object; a provider derives its own from it.
struct OrtExternalMemoryHandle {
  uint32_t version;
  const OrtEpDevice* ep_device;
  OrtExternalMemoryDescriptor descriptor;
  void(ORT_API_CALL* Release)(OrtExternalMemoryHandle* handle);
};

/// Head of an imported semaphore; a provider derives its own from it.
struct OrtExternalSemaphoreHandle {
  uint32_t version;
  const OrtEpDevice* ep_device;
  OrtExternalSemaphoreDescriptor descriptor;
  void(ORT_API_CALL* Release)(OrtExternalSemaphoreHandle* handle);
};

/// Copies tensors between devices.
struct OrtDataTransferImpl {
  uint32_t ort_version_supported;
  void(ORT_API_CALL* Release)(OrtDataTransferImpl* this_ptr);
  bool(ORT_API_CALL* CanCopy)(const OrtDataTransferImpl* this_ptr, const OrtMemoryDevice* src_memory_device,
                              const OrtMemoryDevice* dst_memory_device);
  OrtStatusPtr(ORT_API_CALL* CopyTensors)(OrtDataTransferImpl* this_ptr, const OrtValue** src_tensors,
                                          OrtValue** dst_tensors, OrtSyncStream** streams, size_t num_tensors);
};

/// A point in a stream that others can wait for.
struct OrtSyncNotificationImpl {
  uint32_t ort_version_supported;
  void(ORT_API_CALL* Release)(OrtSyncNotificationImpl* this_ptr);
  OrtStatusPtr(ORT_API_CALL* Activate)(OrtSyncNotificationImpl* this_ptr);
  OrtStatusPtr(ORT_API_CALL* WaitOnDevice)(OrtSyncNotificationImpl* this_ptr, OrtSyncStream* consumer_stream);
  OrtStatusPtr(ORT_API_CALL* WaitOnHost)(OrtSyncNotificationImpl* this_ptr);
};

/// A queue of device work.
struct OrtSyncStreamImpl {
  uint32_t ort_version_supported;
  void(ORT_API_CALL* Release)(OrtSyncStreamImpl* this_ptr);
  void*(ORT_API_CALL* GetHandle)(OrtSyncStreamImpl* this_ptr);
  OrtStatusPtr(ORT_API_CALL* CreateNotification)(OrtSyncStreamImpl* this_ptr, OrtSyncNotificationImpl** notification);
  OrtStatusPtr(ORT_API_CALL* Flush)(OrtSyncStreamImpl* this_ptr);
  OrtStatusPtr(ORT_API_CALL* OnSessionRunEnd)(OrtSyncStreamImpl* this_ptr);
};

/// Imports memory and semaphores of other APIs.
struct OrtExternalResourceImporterImpl {
  uint32_t ort_version_supported;
  bool(ORT_API_CALL* CanImportMemory)(const OrtExternalResourceImporterImpl* this_ptr,
                                      OrtExternalMemoryHandleType handle_type);
  OrtStatusPtr(ORT_API_CALL* ImportMemory)(OrtExternalResourceImporterImpl* this_ptr,
                                           const OrtExternalMemoryDescriptor* desc,
                                           OrtExternalMemoryHandle** out_handle);
  void(ORT_API_CALL* ReleaseMemory)(OrtExternalResourceImporterImpl* this_ptr, OrtExternalMemoryHandle* handle);
  OrtStatusPtr(ORT_API_CALL* CreateTensorFromMemory)(OrtExternalResourceImporterImpl* this_ptr,
                                                     const OrtExternalMemoryHandle* mem_handle,
                                                     const OrtExternalTensorDescriptor* tensor_desc,
                                                     OrtValue** out_tensor);
  bool(ORT_API_CALL* CanImportSemaphore)(const OrtExternalResourceImporterImpl* this_ptr,
                                         OrtExternalSemaphoreType type);
  OrtStatusPtr(ORT_API_CALL* ImportSemaphore)(OrtExternalResourceImporterImpl* this_ptr,
                                              const OrtExternalSemaphoreDescriptor* desc,
                                              OrtExternalSemaphoreHandle** out_handle);
  void(ORT_API_CALL* ReleaseSemaphore)(OrtExternalResourceImporterImpl* this_ptr, OrtExternalSemaphoreHandle* handle);
  OrtStatusPtr(ORT_API_CALL* WaitSemaphore)(OrtExternalResourceImporterImpl* this_ptr,
                                            OrtExternalSemaphoreHandle* handle, OrtSyncStream* stream, uint64_t value);
  OrtStatusPtr(ORT_API_CALL* SignalSemaphore)(OrtExternalResourceImporterImpl* this_ptr,
                                              OrtExternalSemaphoreHandle* handle, OrtSyncStream* stream,
                                              uint64_t value);
  void(ORT_API_CALL* Release)(OrtExternalResourceImporterImpl* this_ptr);
};

/// Collects a provider's events for the profile.
struct OrtEpProfilerImpl {
  uint32_t ort_version_supported;
  void(ORT_API_CALL* Release)(OrtEpProfilerImpl* this_ptr);
  OrtStatusPtr(ORT_API_CALL* StartProfiling)(OrtEpProfilerImpl* this_ptr, int64_t ep_profiling_start_offset_ns);
  OrtStatusPtr(ORT_API_CALL* StartEvent)(OrtEpProfilerImpl* this_ptr, uint64_t ort_event_correlation_id);
  OrtStatusPtr(ORT_API_CALL* StopEvent)(OrtEpProfilerImpl* this_ptr, uint64_t ort_event_correlation_id,
                                        const OrtProfilingEvent* ort_event);
  OrtStatusPtr(ORT_API_CALL* EndProfiling)(OrtEpProfilerImpl* this_ptr, OrtProfilingEventsContainer* events_container);
};

/// How nodes are fused for a provider.
struct OrtNodeFusionOptions {
  uint32_t ort_version_supported;
  bool drop_constant_initializers;
};

/// The compiled form of a fused node.
struct OrtNodeComputeInfo {
  uint32_t ort_version_supported;
  OrtStatus*(ORT_API_CALL* CreateState)(OrtNodeComputeInfo* this_ptr, OrtNodeComputeContext* compute_context,
                                        void** compute_state);
  OrtStatus*(ORT_API_CALL* Compute)(OrtNodeComputeInfo* this_ptr, void* compute_state,
                                    OrtKernelContext* kernel_context);
  void(ORT_API_CALL* ReleaseState)(OrtNodeComputeInfo* this_ptr, void* compute_state);
};

/// One kernel of a provider that registers kernels.
struct OrtKernelImpl {
  uint32_t ort_version_supported;
  uint32_t flags;
  OrtStatusPtr(ORT_API_CALL* Compute)(OrtKernelImpl* this_ptr, OrtKernelContext* context);
  void(ORT_API_CALL* Release)(OrtKernelImpl* this_ptr);
  OrtStatusPtr(ORT_API_CALL* PrePackWeight)(OrtKernelImpl* this_ptr, const OrtValue* tensor, int input_index,
                                            OrtAllocator* allocator,
                                            OrtSharedPrePackedWeightCache* prepacked_weight_cache, bool* is_packed);
  OrtStatusPtr(ORT_API_CALL* SetSharedPrePackedWeight)(OrtKernelImpl* this_ptr, const void* const* buffer_data_ptrs,
                                                       const size_t* buffer_data_sizes, size_t num_buffers,
                                                       int input_index);
};

/// What a provider adds to the Loop operator.
struct OrtLoopKernelHelper {
  uint32_t ort_version_supported;
  void(ORT_API_CALL* Release)(OrtLoopKernelHelper* this_ptr);
  OrtStatusPtr(ORT_API_CALL* ConcatOutput)(OrtLoopKernelHelper* this_ptr, void* stream_handle,
                                           const OrtValue* const* per_iteration_outputs,
                                           size_t num_per_iteration_outputs, void* output, size_t output_size_in_bytes);
};

/// What a provider adds to the Scan operator.
struct OrtScanKernelHelper {
  uint32_t ort_version_supported;
  void(ORT_API_CALL* Release)(OrtScanKernelHelper* this_ptr);
  OrtStatusPtr(ORT_API_CALL* Transpose)(OrtScanKernelHelper* this_ptr, const size_t* permutation,
                                        size_t num_permutation_elems, const OrtValue* input, OrtSyncStream* stream,
                                        OrtValue* output);
};

/// One provider instance of a session.
struct OrtEp {
  uint32_t ort_version_supported;
  const char*(ORT_API_CALL* GetName)(const OrtEp* this_ptr);
  /* API 23 */
  OrtStatusPtr(ORT_API_CALL* GetCapability)(OrtEp* this_ptr, const OrtGraph* graph,
                                            OrtEpGraphSupportInfo* graph_support_info);
  OrtStatusPtr(ORT_API_CALL* Compile)(OrtEp* this_ptr, const OrtGraph** graphs, const OrtNode** fused_nodes,
                                      size_t count, OrtNodeComputeInfo** node_compute_infos,
                                      OrtNode** ep_context_nodes);
  void(ORT_API_CALL* ReleaseNodeComputeInfos)(OrtEp* this_ptr, OrtNodeComputeInfo** node_compute_infos,
                                              size_t num_node_compute_infos);
  OrtStatusPtr(ORT_API_CALL* GetPreferredDataLayout)(OrtEp* this_ptr, OrtEpDataLayout* preferred_data_layout);
  OrtStatusPtr(ORT_API_CALL* ShouldConvertDataLayoutForOp)(OrtEp* this_ptr, const char* domain, const char* op_type,
                                                           OrtEpDataLayout target_data_layout, int* should_convert);
  OrtStatusPtr(ORT_API_CALL* SetDynamicOptions)(OrtEp* this_ptr, const char* const* option_keys,
                                                const char* const* option_values, size_t num_options);
  OrtStatusPtr(ORT_API_CALL* OnRunStart)(OrtEp* this_ptr, const OrtRunOptions* run_options);
  OrtStatusPtr(ORT_API_CALL* OnRunEnd)(OrtEp* this_ptr, const OrtRunOptions* run_options, bool sync_stream);
  OrtStatusPtr(ORT_API_CALL* CreateAllocator)(OrtEp* this_ptr, const OrtMemoryInfo* memory_info,
                                              OrtAllocator** allocator);
  OrtStatusPtr(ORT_API_CALL* CreateSyncStreamForDevice)(OrtEp* this_ptr, const OrtMemoryDevice* memory_device,
                                                        OrtSyncStreamImpl** stream);
  const char*(ORT_API_CALL* GetCompiledModelCompatibilityInfo)(OrtEp* this_ptr, const OrtGraph* graph);
  /* API 24 */
  OrtStatusPtr(ORT_API_CALL* GetKernelRegistry)(OrtEp* this_ptr, const OrtKernelRegistry** kernel_registry);
  OrtStatusPtr(ORT_API_CALL* IsConcurrentRunSupported)(OrtEp* this_ptr, bool* is_supported);
  /* API 25 */
  OrtStatusPtr(ORT_API_CALL* Sync)(OrtEp* this_ptr);
  OrtStatusPtr(ORT_API_CALL* CreateProfiler)(OrtEp* this_ptr, OrtEpProfilerImpl** profiler);
  /* API 26 */
  bool(ORT_API_CALL* IsGraphCaptureEnabled)(const OrtEp* this_ptr);
  bool(ORT_API_CALL* IsGraphCaptured)(const OrtEp* this_ptr, int graph_annotation_id);
  OrtStatusPtr(ORT_API_CALL* ReplayGraph)(OrtEp* this_ptr, int graph_annotation_id);
  OrtGraphCaptureNodeAssignmentPolicy(ORT_API_CALL* GetGraphCaptureNodeAssignmentPolicy)(const OrtEp* this_ptr);
  OrtStatusPtr(ORT_API_CALL* GetAvailableResource)(const OrtEp* this_ptr, OrtResourceCount* available);
  /* API 27 */
  OrtStatusPtr(ORT_API_CALL* OnSessionInitializationEnd)(OrtEp* this_ptr);
  OrtStatusPtr(ORT_API_CALL* GetDefaultMemoryDevice)(const OrtEp* this_ptr, const OrtMemoryDevice** device);
  OrtStatusPtr(ORT_API_CALL* ReleaseCapturedGraph)(OrtEp* this_ptr, int graph_annotation_id);
  /* API 29 */
  OrtStatusPtr(ORT_API_CALL* GetWeightlessSupport)(const OrtEp* this_ptr, OrtWeightlessSupport* support);
  /* API 31 */
  OrtStatusPtr(ORT_API_CALL* GetEpContextDataCallbackSupport)(const OrtEp* this_ptr, uint32_t* flags);
};

/// Makes provider instances; what a provider library hands out.
struct OrtEpFactory {
  uint32_t ort_version_supported;
  const char*(ORT_API_CALL* GetName)(const OrtEpFactory* this_ptr);
  const char*(ORT_API_CALL* GetVendor)(const OrtEpFactory* this_ptr);
  OrtStatusPtr(ORT_API_CALL* GetSupportedDevices)(OrtEpFactory* this_ptr, const OrtHardwareDevice* const* devices,
                                                  size_t num_devices, OrtEpDevice** ep_devices, size_t max_ep_devices,
                                                  size_t* num_ep_devices);
  OrtStatusPtr(ORT_API_CALL* CreateEp)(OrtEpFactory* this_ptr, const OrtHardwareDevice* const* devices,
                                       const OrtKeyValuePairs* const* ep_metadata_pairs, size_t num_devices,
                                       const OrtSessionOptions* session_options, const OrtLogger* logger, OrtEp** ep);
  void(ORT_API_CALL* ReleaseEp)(OrtEpFactory* this_ptr, struct OrtEp* ep);
  /* API 23 */
  uint32_t(ORT_API_CALL* GetVendorId)(const OrtEpFactory* this_ptr);
  const char*(ORT_API_CALL* GetVersion)(const OrtEpFactory* this_ptr);
  OrtStatusPtr(ORT_API_CALL* ValidateCompiledModelCompatibilityInfo)(
      OrtEpFactory* this_ptr, const OrtHardwareDevice* const* devices, size_t num_devices,
      const char* compatibility_info, OrtCompiledModelCompatibility* model_compatibility);
  OrtStatusPtr(ORT_API_CALL* CreateAllocator)(OrtEpFactory* this_ptr, const OrtMemoryInfo* memory_info,
                                              const OrtKeyValuePairs* allocator_options, OrtAllocator** allocator);
  void(ORT_API_CALL* ReleaseAllocator)(OrtEpFactory* this_ptr, OrtAllocator* allocator);
  OrtStatusPtr(ORT_API_CALL* CreateDataTransfer)(OrtEpFactory* this_ptr, OrtDataTransferImpl** data_transfer);
  bool(ORT_API_CALL* IsStreamAware)(const OrtEpFactory* this_ptr);
  OrtStatusPtr(ORT_API_CALL* CreateSyncStreamForDevice)(OrtEpFactory* this_ptr, const OrtMemoryDevice* memory_device,
                                                        const OrtKeyValuePairs* stream_options,
                                                        OrtSyncStreamImpl** stream);
  /* API 24 */
  OrtStatusPtr(ORT_API_CALL* GetHardwareDeviceIncompatibilityDetails)(OrtEpFactory* this_ptr,
                                                                      const OrtHardwareDevice* hw,
                                                                      OrtDeviceEpIncompatibilityDetails* details);
  OrtStatusPtr(ORT_API_CALL* CreateExternalResourceImporterForDevice)(OrtEpFactory* this_ptr,
                                                                      const OrtEpDevice* ep_device,
                                                                      OrtExternalResourceImporterImpl** out_importer);
  OrtStatusPtr(ORT_API_CALL* GetNumCustomOpDomains)(OrtEpFactory* this_ptr, size_t* num_domains);
  OrtStatusPtr(ORT_API_CALL* GetCustomOpDomains)(OrtEpFactory* this_ptr, OrtCustomOpDomain** domains,
                                                 size_t num_domains);
  /* API 25 */
  OrtStatusPtr(ORT_API_CALL* InitGraphicsInterop)(OrtEpFactory* this_ptr, const OrtEpDevice* ep_device,
                                                  const OrtGraphicsInteropConfig* config);
  OrtStatusPtr(ORT_API_CALL* DeinitGraphicsInterop)(OrtEpFactory* this_ptr, const OrtEpDevice* ep_device);
  /* API 28 */
  OrtStatusPtr(ORT_API_CALL* SelectBestModelCandidate)(OrtEpFactory* this_ptr, const OrtHardwareDevice* device,
                                                       const OrtKeyValuePairs* const* candidates, size_t num_candidates,
                                                       const OrtSessionOptions* session_options,
                                                       size_t* selected_index);
};

/// What the runtime offers to plug-in execution providers (OrtApi::GetEpApi).
struct OrtEpApi {
  /* slot 0, API 22: devices */
  ORT_API2_STATUS(CreateEpDevice, OrtEpFactory* ep_factory, const OrtHardwareDevice* hardware_device,
                  const OrtKeyValuePairs* ep_metadata, const OrtKeyValuePairs* ep_options, OrtEpDevice** ep_device);
  ORT_API_T(void, ReleaseEpDevice, OrtEpDevice* input);

  /* slot 2, API 23: claiming nodes */
  ORT_API2_STATUS(EpGraphSupportInfo_AddNodesToFuse, OrtEpGraphSupportInfo* graph_support_info,
                  const OrtNode* const* nodes, size_t num_nodes, const OrtNodeFusionOptions* node_fusion_options);
  ORT_API2_STATUS(EpGraphSupportInfo_AddSingleNode, OrtEpGraphSupportInfo* graph_support_info, const OrtNode* node);

  /* slot 4, API 23: compiled nodes */
  ORT_API_T(const char*, NodeComputeContext_NodeName, const OrtNodeComputeContext* context);

  /* slot 5, API 23: memory */
  ORT_API2_STATUS(EpDevice_AddAllocatorInfo, OrtEpDevice* ep_device, const OrtMemoryInfo* allocator_memory_info);
  ORT_API_T(const OrtMemoryDevice*, MemoryInfo_GetMemoryDevice, const OrtMemoryInfo* memory_info);
  ORT_API_T(const OrtMemoryDevice*, Value_GetMemoryDevice, const OrtValue* value);
  ORT_API_T(bool, MemoryDevice_AreEqual, const OrtMemoryDevice* a, const OrtMemoryDevice* b);
  ORT_API_T(OrtMemoryInfoDeviceType, MemoryDevice_GetDeviceType, const OrtMemoryDevice* memory_device);
  ORT_API_T(OrtDeviceMemoryType, MemoryDevice_GetMemoryType, const OrtMemoryDevice* memory_device);
  ORT_API_T(uint32_t, MemoryDevice_GetVendorId, const OrtMemoryDevice* memory_device);
  ORT_API_T(uint32_t, MemoryDevice_GetDeviceId, const OrtMemoryDevice* memory_device);

  /* slot 13, API 23: streams */
  ORT_API_T(const OrtSyncStreamImpl*, SyncStream_GetImpl, const OrtSyncStream* stream);
  ORT_API_T(uint64_t, SyncStream_GetSyncId, const OrtSyncStream* stream);
  ORT_API_T(uint64_t, GetSyncIdForLastWaitOnSyncStream, const OrtSyncStream* producer_stream,
            const OrtSyncStream* consumer_stream);

  /* slot 16, API 24: hardware devices */
  ORT_API2_STATUS(CreateHardwareDevice, OrtHardwareDeviceType type, uint32_t vendor_id, uint32_t device_id,
                  const char* vendor_name, const OrtKeyValuePairs* metadata, OrtHardwareDevice** hardware_device);
  ORT_API_T(void, ReleaseHardwareDevice, OrtHardwareDevice* input);

  /* slot 18, API 24: kernel registry */
  ORT_API2_STATUS(CreateKernelRegistry, OrtKernelRegistry** kernel_registry);
  ORT_API_T(void, ReleaseKernelRegistry, OrtKernelRegistry* input);
  ORT_API2_STATUS(KernelRegistry_AddKernel, OrtKernelRegistry* kernel_registry, const OrtKernelDef* kernel_def,
                  OrtKernelCreateFunc kernel_create_func, void* kernel_create_func_state);
  ORT_API2_STATUS(CreateKernelDefBuilder, OrtKernelDefBuilder** kernel_def_builder_out);
  ORT_API_T(void, ReleaseKernelDefBuilder, OrtKernelDefBuilder* input);
  ORT_API2_STATUS(KernelDefBuilder_SetOperatorType, OrtKernelDefBuilder* kernel_def_builder, const char* op_type);
  ORT_API2_STATUS(KernelDefBuilder_SetDomain, OrtKernelDefBuilder* kernel_def_builder, const char* domain);
  ORT_API2_STATUS(KernelDefBuilder_SetSinceVersion, OrtKernelDefBuilder* kernel_def_builder, int since_version_start,
                  int since_version_end);
  ORT_API2_STATUS(KernelDefBuilder_SetExecutionProvider, OrtKernelDefBuilder* kernel_def_builder, const char* ep_name);
  ORT_API2_STATUS(KernelDefBuilder_SetInputMemType, OrtKernelDefBuilder* kernel_def_builder, size_t input_index,
                  OrtMemType mem_type);
  ORT_API2_STATUS(KernelDefBuilder_SetOutputMemType, OrtKernelDefBuilder* kernel_def_builder, size_t output_index,
                  OrtMemType mem_type);
  ORT_API2_STATUS(KernelDefBuilder_AddTypeConstraint, OrtKernelDefBuilder* kernel_def_builder, const char* arg_name,
                  const OrtDataType* const* types, size_t num_types);
  ORT_API2_STATUS(KernelDefBuilder_AddInputOutputAliases, OrtKernelDefBuilder* kernel_def_builder,
                  const int* input_indices, const int* output_indices, size_t num_io_indices);
  ORT_API2_STATUS(KernelDefBuilder_AddInputOutputMutableAliases, OrtKernelDefBuilder* kernel_def_builder,
                  const int* input_indices, const int* output_indices, size_t num_io_indices);
  ORT_API2_STATUS(KernelDefBuilder_Build, OrtKernelDefBuilder* kernel_def_builder, OrtKernelDef** kernel_def_out);
  ORT_API_T(void, ReleaseKernelDef, OrtKernelDef* input);
  ORT_API_T(const char*, KernelDef_GetOperatorType, const OrtKernelDef* kernel_def);
  ORT_API_T(const char*, KernelDef_GetDomain, const OrtKernelDef* kernel_def);
  ORT_API2_STATUS(KernelDef_GetSinceVersion, const OrtKernelDef* kernel_def, int* start_version, int* end_version);
  ORT_API_T(const char*, KernelDef_GetExecutionProvider, const OrtKernelDef* kernel_def);
  ORT_API2_STATUS(KernelDef_GetInputMemType, const OrtKernelDef* kernel_def, size_t input_index, OrtMemType* mem_type);
  ORT_API2_STATUS(KernelDef_GetOutputMemType, const OrtKernelDef* kernel_def, size_t output_index,
                  OrtMemType* mem_type);

  /* slot 40, API 24: types and kernels */
  ORT_API2_STATUS(GetTensorDataType, ONNXTensorElementDataType elem_type, const OrtDataType** out);
  ORT_API2_STATUS(EpGraphSupportInfo_LookUpKernel, OrtEpGraphSupportInfo* graph_support_info, const OrtNode* node,
                  const OrtKernelDef** out_kernel_def);
  ORT_API2_STATUS(SharedPrePackedWeightCache_StoreWeightData, OrtSharedPrePackedWeightCache* prepacked_weight_cache,
                  void** buffer_data_ptrs, size_t* buffer_data_sizes, size_t num_buffers);
  ORT_API2_STATUS(KernelInfo_GetEp, const OrtKernelInfo* info, const OrtEp** ep);
  ORT_API2_STATUS(DeviceEpIncompatibilityDetails_SetDetails, OrtDeviceEpIncompatibilityDetails* details,
                  uint32_t reasons_bitmask, int32_t error_code, const char* notes);

  /* slot 45, API 24: control flow kernels */
  ORT_API2_STATUS(CreateIfKernel, const OrtKernelInfo* kernel_info, OrtKernelImpl** kernel_out);
  ORT_API2_STATUS(CreateLoopKernel, const OrtKernelInfo* kernel_info, OrtLoopKernelHelper* helper,
                  OrtKernelImpl** kernel_out);
  ORT_API2_STATUS(CreateScanKernel, const OrtKernelInfo* kernel_info, OrtScanKernelHelper* helper,
                  OrtKernelImpl** kernel_out);
  ORT_API_T(void, ReleaseKernelImpl, OrtKernelImpl* input);

  /* slot 49, API 24: environment configuration */
  ORT_API2_STATUS(GetEnvConfigEntries, OrtKeyValuePairs** config_entries);

  /* slot 50, API 25: operator schemas */
  ORT_API2_STATUS(GetOpSchema, const char* name, int max_inclusive_version, const char* domain,
                  OrtOpSchema** out_schema);
  ORT_API_T(void, ReleaseOpSchema, OrtOpSchema* input);
  ORT_API2_STATUS(OpSchema_GetSinceVersion, const OrtOpSchema* schema, int* out);
  ORT_API2_STATUS(OpSchema_GetNumInputs, const OrtOpSchema* schema, size_t* out);
  ORT_API2_STATUS(OpSchema_GetInputName, const OrtOpSchema* schema, size_t index, const char** out);
  ORT_API2_STATUS(OpSchema_GetInputTypeConstraint, const OrtOpSchema* schema, size_t index,
                  const OrtOpSchemaTypeConstraint** out);
  ORT_API2_STATUS(OpSchema_GetNumOutputs, const OrtOpSchema* schema, size_t* out);
  ORT_API2_STATUS(OpSchema_GetOutputName, const OrtOpSchema* schema, size_t index, const char** out);
  ORT_API2_STATUS(OpSchema_GetOutputTypeConstraint, const OrtOpSchema* schema, size_t index,
                  const OrtOpSchemaTypeConstraint** out);
  ORT_API2_STATUS(OpSchema_GetTypeConstraintCount, const OrtOpSchema* schema, size_t* out);
  ORT_API2_STATUS(OpSchema_GetTypeConstraint, const OrtOpSchema* schema, size_t index,
                  const OrtOpSchemaTypeConstraint** out);
  ORT_API2_STATUS(OpSchemaTypeConstraint_GetTypeParamName, const OrtOpSchemaTypeConstraint* type_constraint,
                  const char** out);
  ORT_API2_STATUS(OpSchemaTypeConstraint_GetAllowedTypes, const OrtOpSchemaTypeConstraint* type_constraint,
                  const char* const** out_types, size_t* num_types);
  ORT_API2_STATUS(OpSchemaTypeConstraint_GetInputIndices, const OrtOpSchemaTypeConstraint* type_constraint,
                  const size_t** out_indices, size_t* count);
  ORT_API2_STATUS(OpSchemaTypeConstraint_GetOutputIndices, const OrtOpSchemaTypeConstraint* type_constraint,
                  const size_t** out_indices, size_t* count);

  /* slot 65, API 25: profiling */
  ORT_API2_STATUS(CreateProfilingEvent, OrtProfilingEventCategory category, int32_t process_id, int32_t thread_id,
                  const char* event_name, int64_t timestamp_us, int64_t duration_us, const char* const* arg_keys,
                  const char* const* arg_values, size_t num_args, OrtProfilingEvent** out);
  ORT_API_T(void, ReleaseProfilingEvent, OrtProfilingEvent* input);
  ORT_API2_STATUS(ProfilingEvent_GetCategory, const OrtProfilingEvent* event, OrtProfilingEventCategory* out);
  ORT_API2_STATUS(ProfilingEvent_GetName, const OrtProfilingEvent* event, const char** out);
  ORT_API2_STATUS(ProfilingEvent_GetTimestampUs, const OrtProfilingEvent* event, int64_t* out);
  ORT_API2_STATUS(ProfilingEvent_GetDurationUs, const OrtProfilingEvent* event, int64_t* out);
  ORT_API2_STATUS(ProfilingEvent_GetArgValue, const OrtProfilingEvent* event, const char* key, const char** out);
  ORT_API2_STATUS(ProfilingEventsContainer_AddEvents, OrtProfilingEventsContainer* events_container,
                  const OrtProfilingEvent* const* events, size_t num_events);

  /* slot 73, API 29: models without weights */
  ORT_API2_STATUS(SessionOptionsGetWeightlessSourceModelBuffer, const OrtSessionOptions* session_options,
                  const void** source_model_data, size_t* source_model_data_length);

  /* slot 74, API 31: provider context data */
  ORT_API2_STATUS(SessionOptionsGetEpContextConfig, const OrtSessionOptions* session_options,
                  OrtEpContextConfig** config);
  ORT_API_T(void, ReleaseEpContextConfig, OrtEpContextConfig* input);
  ORT_API2_STATUS(EpContextConfigGetEpContextDataReadFunc, const OrtEpContextConfig* config,
                  OrtReadNamedBufferFunc* read_func, void** state);
  ORT_API2_STATUS(EpContextConfigGetEpContextDataWriteFunc, const OrtEpContextConfig* config,
                  OrtWriteNamedBufferFunc* write_func, void** state);
};

#ifdef __cplusplus
}
#endif
