// The C interface under the names of ONNX Runtime: handles, structures and function tables of API 31.
// SPDX-License-Identifier: MIT
//
// Use: `const OrtApi* api = OrtGetApiBase()->GetApi(ORT_API_VERSION);` and call through the table. Functions that
// return OrtStatusPtr give NULL on success and otherwise a status that the caller frees with ReleaseStatus. Strings are
// UTF-8 and end with a zero byte. Paths are ORTCHAR_T strings: UTF-8, on Windows UTF-16.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "onnxruntime_error_code.h"

/// Number of the table this header describes; it goes into the `version` fields of structures that clients fill in.
#define ORT_API_VERSION 31

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Annotations: empty except where the compiler knows them ---- */

#ifdef _MSC_VER
#include <sal.h>
#else
#ifndef _In_
#define _In_
#define _In_z_
#define _In_opt_
#define _In_opt_z_
#define _Out_
#define _Out_opt_
#define _Inout_
#define _Inout_opt_
#define _Inout_updates_(X)
#define _Inout_updates_all_(X)
#define _Inout_updates_all_opt_(X)
#define _Out_writes_(X)
#define _Out_writes_all_(X)
#define _Out_writes_bytes_all_(X)
#define _Out_writes_bytes_all_opt_(X)
#define _In_reads_(X)
#define _In_reads_opt_(X)
#define _In_reads_bytes_(X)
#define _Outptr_
#define _Outptr_opt_
#define _Outptr_result_maybenull_
#define _Outptr_opt_result_maybenull_
#define _Outptr_result_buffer_(X)
#define _Outptr_result_buffer_maybenull_(X)
#define _Check_return_
#define _Ret_maybenull_
#define _Ret_notnull_
#define _Frees_ptr_opt_
#define _Success_(X)
#define _Maybenull_
#endif
#endif

#ifdef _WIN32
#define ORT_API_CALL __stdcall
#ifdef ORT_DLL_IMPORT
#define ORT_EXPORT __declspec(dllimport)
#else
#define ORT_EXPORT
#endif
#define ORT_MUST_USE_RESULT
#define ORTCHAR_T wchar_t
#else
#define ORT_API_CALL
#if defined(__GNUC__)
#define ORT_EXPORT __attribute__((visibility("default")))
#define ORT_MUST_USE_RESULT __attribute__((warn_unused_result))
#else
#define ORT_EXPORT
#define ORT_MUST_USE_RESULT
#endif
#define ORTCHAR_T char
#endif

/// A literal of ORTCHAR_T.
#ifndef ORT_TSTR
#ifdef _WIN32
#define ORT_TSTR(X) L##X
#define ORT_TSTR_ON_MACRO(X) L"" X
#else
#define ORT_TSTR(X) X
#define ORT_TSTR_ON_MACRO(X) X
#endif
#endif

/// __FILE__ as an ORTCHAR_T literal.
#define ORT_FILE ORT_TSTR_ON_MACRO(__FILE__)

/// No function of the tables lets an exception out.
#ifdef __cplusplus
#define NO_EXCEPTION noexcept
#else
#define NO_EXCEPTION
#endif

/// Declarations in the style of the tables, for clients that write functions of the same kind.
#define ORT_API(RETURN_TYPE, NAME, ...) RETURN_TYPE ORT_API_CALL NAME(__VA_ARGS__) NO_EXCEPTION
#define ORT_API_T(RETURN_TYPE, NAME, ...) RETURN_TYPE(ORT_API_CALL* NAME)(__VA_ARGS__) NO_EXCEPTION
#define ORT_API_STATUS(NAME, ...)             \
  OrtStatusPtr ORT_API_CALL NAME(__VA_ARGS__) \
  NO_EXCEPTION ORT_MUST_USE_RESULT
#define ORT_API2_STATUS(NAME, ...) OrtStatusPtr(ORT_API_CALL* NAME)(__VA_ARGS__) NO_EXCEPTION ORT_MUST_USE_RESULT
#define ORT_API_STATUS_IMPL(NAME, ...) OrtStatusPtr ORT_API_CALL NAME(__VA_ARGS__) NO_EXCEPTION
#define ORT_CLASS_RELEASE(X) void(ORT_API_CALL * Release##X)(Ort##X * input)
#define ORT_RUNTIME_CLASS(X) typedef struct Ort##X Ort##X

/* ---- Enumerations ---- */

/// Element type of a tensor; numbers follow ONNX TensorProto up to BFLOAT16.
typedef enum ONNXTensorElementDataType {
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED = 0,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT = 1,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8 = 2,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8 = 3,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16 = 4,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16 = 5,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32 = 6,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64 = 7,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING = 8,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL = 9,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16 = 10,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE = 11,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32 = 12,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64 = 13,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64 = 14,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128 = 15,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16 = 16,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN = 17,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ = 18,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2 = 19,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ = 20,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4 = 21,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4 = 22,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1 = 23,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2 = 24,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2 = 25,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0 = 26,
} ONNXTensorElementDataType;

/// Kind of a value.
typedef enum ONNXType {
  ONNX_TYPE_UNKNOWN = 0,
  ONNX_TYPE_TENSOR = 1,
  ONNX_TYPE_SEQUENCE = 2,
  ONNX_TYPE_MAP = 3,
  ONNX_TYPE_OPAQUE = 4,
  ONNX_TYPE_SPARSETENSOR = 5,
  ONNX_TYPE_OPTIONAL = 6,
} ONNXType;

/// How a sparse tensor stores its indices.
typedef enum OrtSparseFormat {
  ORT_SPARSE_UNDEFINED = 0,
  ORT_SPARSE_COO = 1,
  ORT_SPARSE_CSRC = 2,
  ORT_SPARSE_BLOCK_SPARSE = 4,
} OrtSparseFormat;

/// Which index tensor of a sparse tensor is meant.
typedef enum OrtSparseIndicesFormat {
  ORT_SPARSE_COO_INDICES = 0,
  ORT_SPARSE_CSR_INNER_INDICES = 1,
  ORT_SPARSE_CSR_OUTER_INDICES = 2,
  ORT_SPARSE_BLOCK_SPARSE_INDICES = 3,
} OrtSparseIndicesFormat;

/// Weight of a log line; lines below the chosen level are dropped.
typedef enum OrtLoggingLevel {
  ORT_LOGGING_LEVEL_VERBOSE = 0,
  ORT_LOGGING_LEVEL_INFO = 1,
  ORT_LOGGING_LEVEL_WARNING = 2,
  ORT_LOGGING_LEVEL_ERROR = 3,
  ORT_LOGGING_LEVEL_FATAL = 4,
} OrtLoggingLevel;

/// Type of a node attribute.
typedef enum OrtOpAttrType {
  ORT_OP_ATTR_UNDEFINED = 0,
  ORT_OP_ATTR_INT = 1,
  ORT_OP_ATTR_INTS = 2,
  ORT_OP_ATTR_FLOAT = 3,
  ORT_OP_ATTR_FLOATS = 4,
  ORT_OP_ATTR_STRING = 5,
  ORT_OP_ATTR_STRINGS = 6,
  ORT_OP_ATTR_GRAPH = 7,
  ORT_OP_ATTR_TENSOR = 8,
} OrtOpAttrType;

/// How far the graph is rewritten before it runs.
typedef enum GraphOptimizationLevel {
  ORT_DISABLE_ALL = 0,
  ORT_ENABLE_BASIC = 1,
  ORT_ENABLE_EXTENDED = 2,
  ORT_ENABLE_LAYOUT = 3,
  ORT_ENABLE_ALL = 99,
} GraphOptimizationLevel;

/// Nodes one after the other, or independent ones at the same time.
typedef enum ExecutionMode {
  ORT_SEQUENTIAL = 0,
  ORT_PARALLEL = 1,
} ExecutionMode;

/// The language a client is written in.
typedef enum OrtLanguageProjection {
  ORT_PROJECTION_C = 0,
  ORT_PROJECTION_CPLUSPLUS = 1,
  ORT_PROJECTION_CSHARP = 2,
  ORT_PROJECTION_PYTHON = 3,
  ORT_PROJECTION_JAVA = 4,
  ORT_PROJECTION_WINML = 5,
  ORT_PROJECTION_NODEJS = 6,
} OrtLanguageProjection;

/// Kind of an allocator.
typedef enum OrtAllocatorType {
  OrtInvalidAllocator = -1,
  OrtDeviceAllocator = 0,
  OrtArenaAllocator = 1,
  OrtReadOnlyAllocator = 2,
} OrtAllocatorType;

/// Which memory a kernel wants for an input or output.
typedef enum OrtMemType {
  OrtMemTypeCPUInput = -2,
  OrtMemTypeCPUOutput = -1,
  OrtMemTypeCPU = -1,
  OrtMemTypeDefault = 0,
} OrtMemType;

/// Memory of a device: its own, or one that the host can reach too.
typedef enum OrtDeviceMemoryType {
  OrtDeviceMemoryType_DEFAULT = 0,
  OrtDeviceMemoryType_HOST_ACCESSIBLE = 5,
} OrtDeviceMemoryType;

/// Kind of device that memory belongs to.
typedef enum OrtMemoryInfoDeviceType {
  OrtMemoryInfoDeviceType_CPU = 0,
  OrtMemoryInfoDeviceType_GPU = 1,
  OrtMemoryInfoDeviceType_FPGA = 2,
  OrtMemoryInfoDeviceType_NPU = 3,
} OrtMemoryInfoDeviceType;

/// Kind of a processor.
typedef enum OrtHardwareDeviceType {
  OrtHardwareDeviceType_CPU = 0,
  OrtHardwareDeviceType_GPU = 1,
  OrtHardwareDeviceType_NPU = 2,
} OrtHardwareDeviceType;

/// How providers are chosen when the client names none.
typedef enum OrtExecutionProviderDevicePolicy {
  OrtExecutionProviderDevicePolicy_DEFAULT = 0,
  OrtExecutionProviderDevicePolicy_PREFER_CPU = 1,
  OrtExecutionProviderDevicePolicy_PREFER_NPU = 2,
  OrtExecutionProviderDevicePolicy_PREFER_GPU = 3,
  OrtExecutionProviderDevicePolicy_MAX_PERFORMANCE = 4,
  OrtExecutionProviderDevicePolicy_MAX_EFFICIENCY = 5,
  OrtExecutionProviderDevicePolicy_MIN_OVERALL_POWER = 6,
} OrtExecutionProviderDevicePolicy;

/// Why a provider cannot use a device; bits.
typedef enum OrtDeviceEpIncompatibilityReason {
  OrtDeviceEpIncompatibility_NONE = 0,
  OrtDeviceEpIncompatibility_DRIVER_INCOMPATIBLE = 1,
  OrtDeviceEpIncompatibility_DEVICE_INCOMPATIBLE = 2,
  OrtDeviceEpIncompatibility_MISSING_DEPENDENCY = 4,
  OrtDeviceEpIncompatibility_UNKNOWN = (int)0x80000000,
} OrtDeviceEpIncompatibilityReason;

/// How cuDNN convolution algorithms are searched.
typedef enum OrtCudnnConvAlgoSearch {
  OrtCudnnConvAlgoSearchExhaustive = 0,
  OrtCudnnConvAlgoSearchHeuristic = 1,
  OrtCudnnConvAlgoSearchDefault = 2,
} OrtCudnnConvAlgoSearch;

/// Kind of an imported memory handle.
typedef enum OrtExternalMemoryHandleType {
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE = 0,
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP = 1,
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_WIN32 = 2,
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_OPAQUE_FD = 3,
} OrtExternalMemoryHandleType;

/// Kind of an imported semaphore.
typedef enum OrtExternalSemaphoreType {
  ORT_EXTERNAL_SEMAPHORE_D3D12_FENCE = 0,
  ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_WIN32 = 1,
  ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_OPAQUE_FD = 2,
} OrtExternalSemaphoreType;

/// Graphics API that shares a device.
typedef enum OrtGraphicsApi {
  ORT_GRAPHICS_API_NONE = 0,
  ORT_GRAPHICS_API_D3D12 = 1,
  ORT_GRAPHICS_API_VULKAN = 2,
} OrtGraphicsApi;

/// Whether a compiled model fits the device.
typedef enum OrtCompiledModelCompatibility {
  OrtCompiledModelCompatibility_EP_NOT_APPLICABLE = 0,
  OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL = 1,
  OrtCompiledModelCompatibility_EP_SUPPORTED_PREFER_RECOMPILATION = 2,
  OrtCompiledModelCompatibility_EP_UNSUPPORTED = 3,
} OrtCompiledModelCompatibility;

/// Whether an input or output of a custom operator may be left out or repeated.
typedef enum OrtCustomOpInputOutputCharacteristic {
  INPUT_OUTPUT_REQUIRED = 0,
  INPUT_OUTPUT_OPTIONAL = 1,
  INPUT_OUTPUT_VARIADIC = 2,
} OrtCustomOpInputOutputCharacteristic;

/// Flags of ModelCompilationOptions_SetFlags; bits.
typedef enum OrtCompileApiFlags {
  OrtCompileApiFlags_NONE = 0,
  OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED = 1,
  OrtCompileApiFlags_ERROR_IF_OUTPUT_FILE_EXISTS = 2,
} OrtCompileApiFlags;

/* ---- Handles ---- */

typedef struct OrtEnv OrtEnv;
typedef struct OrtStatus OrtStatus;
typedef struct OrtMemoryInfo OrtMemoryInfo;
typedef struct OrtIoBinding OrtIoBinding;
typedef struct OrtSession OrtSession;
typedef struct OrtValue OrtValue;
typedef struct OrtRunOptions OrtRunOptions;
typedef struct OrtTypeInfo OrtTypeInfo;
typedef struct OrtTensorTypeAndShapeInfo OrtTensorTypeAndShapeInfo;
typedef struct OrtMapTypeInfo OrtMapTypeInfo;
typedef struct OrtSequenceTypeInfo OrtSequenceTypeInfo;
typedef struct OrtOptionalTypeInfo OrtOptionalTypeInfo;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtCustomOpDomain OrtCustomOpDomain;
typedef struct OrtModelMetadata OrtModelMetadata;
typedef struct OrtThreadPoolParams OrtThreadPoolParams;
typedef struct OrtThreadingOptions OrtThreadingOptions;
typedef struct OrtArenaCfg OrtArenaCfg;
typedef struct OrtPrepackedWeightsContainer OrtPrepackedWeightsContainer;
typedef struct OrtTensorRTProviderOptionsV2 OrtTensorRTProviderOptionsV2;
typedef struct OrtNvTensorRtRtxProviderOptions OrtNvTensorRtRtxProviderOptions;
typedef struct OrtCUDAProviderOptionsV2 OrtCUDAProviderOptionsV2;
typedef struct OrtCANNProviderOptions OrtCANNProviderOptions;
typedef struct OrtDnnlProviderOptions OrtDnnlProviderOptions;
typedef struct OrtOp OrtOp;
typedef struct OrtOpAttr OrtOpAttr;
typedef struct OrtLogger OrtLogger;
typedef struct OrtShapeInferContext OrtShapeInferContext;
typedef struct OrtLoraAdapter OrtLoraAdapter;
typedef struct OrtValueInfo OrtValueInfo;
typedef struct OrtNode OrtNode;
typedef struct OrtGraph OrtGraph;
typedef struct OrtModel OrtModel;
typedef struct OrtModelCompilationOptions OrtModelCompilationOptions;
typedef struct OrtHardwareDevice OrtHardwareDevice;
typedef struct OrtEpDevice OrtEpDevice;
typedef struct OrtKeyValuePairs OrtKeyValuePairs;
typedef struct OrtSyncStream OrtSyncStream;
typedef struct OrtExternalInitializerInfo OrtExternalInitializerInfo;
typedef struct OrtExternalResourceImporter OrtExternalResourceImporter;
typedef struct OrtExternalMemoryHandle OrtExternalMemoryHandle;
typedef struct OrtExternalSemaphoreHandle OrtExternalSemaphoreHandle;
typedef struct OrtDeviceEpIncompatibilityDetails OrtDeviceEpIncompatibilityDetails;
typedef struct OrtEpAssignedSubgraph OrtEpAssignedSubgraph;
typedef struct OrtEpAssignedNode OrtEpAssignedNode;
typedef struct OrtAllocator OrtAllocator;
typedef struct OrtKernelInfo OrtKernelInfo;
typedef struct OrtKernelContext OrtKernelContext;
typedef struct OrtCustomOp OrtCustomOp;
typedef struct OrtCUDAProviderOptions OrtCUDAProviderOptions;
typedef struct OrtROCMProviderOptions OrtROCMProviderOptions;
typedef struct OrtTensorRTProviderOptions OrtTensorRTProviderOptions;
typedef struct OrtMIGraphXProviderOptions OrtMIGraphXProviderOptions;
typedef struct OrtOpenVINOProviderOptions OrtOpenVINOProviderOptions;
typedef struct OrtApi OrtApi;
typedef struct OrtTrainingApi OrtTrainingApi;
typedef struct OrtModelEditorApi OrtModelEditorApi;
typedef struct OrtCompileApi OrtCompileApi;
typedef struct OrtInteropApi OrtInteropApi;
typedef struct OrtEpApi OrtEpApi;
typedef struct OrtApiBase OrtApiBase;
typedef struct OrtThreadPoolCallbacksConfig OrtThreadPoolCallbacksConfig;
typedef struct OrtExternalMemoryDescriptor OrtExternalMemoryDescriptor;
typedef struct OrtExternalSemaphoreDescriptor OrtExternalSemaphoreDescriptor;
typedef struct OrtGraphicsInteropConfig OrtGraphicsInteropConfig;
typedef struct OrtExternalTensorDescriptor OrtExternalTensorDescriptor;
typedef struct OrtEnvCreationOptions OrtEnvCreationOptions;
typedef struct OrtModelPackageOptions OrtModelPackageOptions;
typedef struct OrtModelPackageContext OrtModelPackageContext;
typedef struct OrtModelPackageComponentContext OrtModelPackageComponentContext;
typedef struct OrtModelPackageApi OrtModelPackageApi;

/// NULL is success; otherwise owned by the caller, see OrtApi::ReleaseStatus.
typedef OrtStatus* OrtStatusPtr;

/* ---- Functions that the client gives ---- */

/// A function looked up by name; cast it to its real type.
typedef void(ORT_API_CALL* OrtExperimentalFnPtr)(void);

/// Takes one log line. `message` has no line end; it may be called on any thread.
typedef void(ORT_API_CALL* OrtLoggingFunction)(void* param, OrtLoggingLevel severity, const char* category,
                                               const char* logid, const char* code_location, const char* message);

/// Chooses among the devices that fit; writes at most max_selected of them.
typedef OrtStatus*(ORT_API_CALL* EpSelectionDelegate)(const OrtEpDevice** ep_devices, size_t num_devices,
                                                      const OrtKeyValuePairs* model_metadata,
                                                      const OrtKeyValuePairs* runtime_metadata,
                                                      const OrtEpDevice** selected, size_t max_selected,
                                                      size_t* num_selected, void* state);

/// Takes the next bytes of a compiled model.
typedef OrtStatus*(ORT_API_CALL* OrtWriteBufferFunc)(void* state, const void* buffer, size_t buffer_num_bytes);

/// Says where an initializer of a compiled model is to be stored; NULL keeps it inside.
typedef OrtStatus*(ORT_API_CALL* OrtGetInitializerLocationFunc)(void* state, const char* initializer_name,
                                                                const OrtValue* initializer_value,
                                                                const OrtExternalInitializerInfo* external_info,
                                                                OrtExternalInitializerInfo** new_external_info);

/// The body of a worker thread.
typedef void(ORT_API_CALL* OrtThreadWorkerFn)(void* ort_worker_fn_param);

/// A thread that a client's creation function made.
typedef struct OrtCustomHandleType {
  char __place_holder;
} OrtCustomHandleType;
typedef const struct OrtCustomHandleType* OrtCustomThreadHandle;

/// Starts a thread that runs the given worker.
typedef OrtCustomThreadHandle(ORT_API_CALL* OrtCustomCreateThreadFn)(void* ort_custom_thread_creation_options,
                                                                     OrtThreadWorkerFn ort_thread_worker_fn,
                                                                     void* ort_worker_fn_param);

/// Waits for a thread and frees its handle.
typedef void(ORT_API_CALL* OrtCustomJoinThreadFn)(OrtCustomThreadHandle ort_custom_thread_handle);

/// Called when work is queued; what it returns goes to the other functions.
typedef void*(ORT_API_CALL* OrtThreadPoolWorkEnqueueFn)(void* user_context);

/// Called on the worker before the work.
typedef void(ORT_API_CALL* OrtThreadPoolWorkStartFn)(void* user_context, void* enqueue_data);

/// Called on the worker after the work.
typedef void(ORT_API_CALL* OrtThreadPoolWorkStopFn)(void* user_context, void* enqueue_data);

/// Called when queued work is dropped.
typedef void(ORT_API_CALL* OrtThreadPoolWorkAbandonFn)(void* user_context, void* enqueue_data);

/// Symbol RegisterCustomOps of a library of custom operators.
typedef OrtStatus*(ORT_API_CALL* RegisterCustomOpsFn)(OrtSessionOptions* options, const OrtApiBase* api);

/// Receives the outputs of RunAsync; status is NULL on success and owned by the callee otherwise.
typedef void(ORT_API_CALL* RunAsyncCallbackFn)(void* user_data, OrtValue** outputs, size_t num_outputs,
                                               OrtStatusPtr status);

/// Reads a named blob into memory of the allocator.
typedef OrtStatus*(ORT_API_CALL* OrtReadNamedBufferFunc)(void* state, const char* name, OrtAllocator* allocator,
                                                         void** buffer, size_t* data_size);

/// Takes a named blob.
typedef OrtStatus*(ORT_API_CALL* OrtWriteNamedBufferFunc)(void* state, const char* name, const void* buffer,
                                                          size_t buffer_num_bytes);

/* ---- Structures ---- */

/// Memory of one kind. `version` is the API number its maker was compiled for; fields newer than it are not read.
struct OrtAllocator {
  uint32_t version;
  void*(ORT_API_CALL* Alloc)(struct OrtAllocator* this_, size_t size);
  void(ORT_API_CALL* Free)(struct OrtAllocator* this_, void* p);
  const struct OrtMemoryInfo*(ORT_API_CALL* Info)(const struct OrtAllocator* this_);
  /* API 18 */
  void*(ORT_API_CALL* Reserve)(struct OrtAllocator* this_, size_t size);
  /* API 23 */
  OrtStatusPtr(ORT_API_CALL* GetStats)(const struct OrtAllocator* this_, OrtKeyValuePairs** out);
  void*(ORT_API_CALL* AllocOnStream)(struct OrtAllocator* this_, size_t size, OrtSyncStream* stream);
  /* API 25 */
  OrtStatusPtr(ORT_API_CALL* Shrink)(struct OrtAllocator* this_);
};

/// Options of the CUDA provider, first form.
struct OrtCUDAProviderOptions {
  int device_id;
  OrtCudnnConvAlgoSearch cudnn_conv_algo_search;
  size_t gpu_mem_limit;
  int arena_extend_strategy;
  int do_copy_in_default_stream;
  int has_user_compute_stream;
  void* user_compute_stream;
  OrtArenaCfg* default_memory_arena_cfg;
  int tunable_op_enable;
  int tunable_op_tuning_enable;
  int tunable_op_max_tuning_duration_ms;
#ifdef __cplusplus
  OrtCUDAProviderOptions()
      : device_id(0),
        cudnn_conv_algo_search(OrtCudnnConvAlgoSearchExhaustive),
        gpu_mem_limit(SIZE_MAX),
        arena_extend_strategy(0),
        do_copy_in_default_stream(1),
        has_user_compute_stream(0),
        user_compute_stream(nullptr),
        default_memory_arena_cfg(nullptr),
        tunable_op_enable(0),
        tunable_op_tuning_enable(0),
        tunable_op_max_tuning_duration_ms(0) {}
#endif
};

/// Options of the ROCm provider.
struct OrtROCMProviderOptions {
  int device_id;
  int miopen_conv_exhaustive_search;
  size_t gpu_mem_limit;
  int arena_extend_strategy;
  int do_copy_in_default_stream;
  int has_user_compute_stream;
  void* user_compute_stream;
  OrtArenaCfg* default_memory_arena_cfg;
  int enable_hip_graph;
  int tunable_op_enable;
  int tunable_op_tuning_enable;
  int tunable_op_max_tuning_duration_ms;
#ifdef __cplusplus
  OrtROCMProviderOptions()
      : device_id(0),
        miopen_conv_exhaustive_search(0),
        gpu_mem_limit(SIZE_MAX),
        arena_extend_strategy(0),
        do_copy_in_default_stream(1),
        has_user_compute_stream(0),
        user_compute_stream(nullptr),
        default_memory_arena_cfg(nullptr),
        enable_hip_graph(0),
        tunable_op_enable(0),
        tunable_op_tuning_enable(0),
        tunable_op_max_tuning_duration_ms(0) {}
#endif
};

/// Options of the TensorRT provider, first form.
struct OrtTensorRTProviderOptions {
  int device_id;
  int has_user_compute_stream;
  void* user_compute_stream;
  int trt_max_partition_iterations;
  int trt_min_subgraph_size;
  size_t trt_max_workspace_size;
  int trt_fp16_enable;
  int trt_int8_enable;
  const char* trt_int8_calibration_table_name;
  int trt_int8_use_native_calibration_table;
  int trt_dla_enable;
  int trt_dla_core;
  int trt_dump_subgraphs;
  int trt_engine_cache_enable;
  const char* trt_engine_cache_path;
  int trt_engine_decryption_enable;
  const char* trt_engine_decryption_lib_path;
  int trt_force_sequential_engine_build;
};

/// Options of the MIGraphX provider.
struct OrtMIGraphXProviderOptions {
  int device_id;
  int migraphx_fp16_enable;
  int migraphx_fp8_enable;
  int migraphx_int8_enable;
  int migraphx_use_native_calibration_table;
  const char* migraphx_int8_calibration_table_name;
  int migraphx_save_compiled_model;
  const char* migraphx_save_model_path;
  int migraphx_load_compiled_model;
  const char* migraphx_load_model_path;
  bool migraphx_exhaustive_tune;
  size_t migraphx_mem_limit;
  int migraphx_arena_extend_strategy;
};

/// Options of the OpenVINO provider, first form.
struct OrtOpenVINOProviderOptions {
  const char* device_type;
  unsigned char enable_npu_fast_compile;
  const char* device_id;
  size_t num_of_threads;
  const char* cache_dir;
  void* context;
  unsigned char enable_opencl_throttling;
  unsigned char enable_dynamic_shapes;
#ifdef __cplusplus
  OrtOpenVINOProviderOptions()
      : device_type(nullptr),
        enable_npu_fast_compile(0),
        device_id(nullptr),
        num_of_threads(0),
        cache_dir(nullptr),
        context(nullptr),
        enable_opencl_throttling(0),
        enable_dynamic_shapes(0) {}
#endif
};

/// Functions called around the work items of a session's own thread pool.
struct OrtThreadPoolCallbacksConfig {
  uint32_t version;
  OrtThreadPoolWorkEnqueueFn on_enqueue;
  OrtThreadPoolWorkStartFn on_start_work;
  OrtThreadPoolWorkStopFn on_stop_work;
  OrtThreadPoolWorkAbandonFn on_abandon;
  void* user_context;
};

/// Memory of another API that is to be imported. Sizes in bytes.
struct OrtExternalMemoryDescriptor {
  uint32_t version;
  OrtExternalMemoryHandleType handle_type;
  void* native_handle;
  size_t size_bytes;
  size_t offset_bytes;
};

/// A semaphore of another API that is to be imported.
struct OrtExternalSemaphoreDescriptor {
  uint32_t version;
  OrtExternalSemaphoreType type;
  void* native_handle;
};

/// How a provider shares a device with a graphics API.
struct OrtGraphicsInteropConfig {
  uint32_t version;
  OrtGraphicsApi graphics_api;
  void* command_queue;
  const OrtKeyValuePairs* additional_options;
};

/// A tensor inside imported memory.
struct OrtExternalTensorDescriptor {
  uint32_t version;
  ONNXTensorElementDataType element_type;
  const int64_t* shape;
  size_t rank;
  size_t offset_bytes;
};

/// Everything CreateEnvWithOptions takes; `version` is ORT_API_VERSION of the client.
struct OrtEnvCreationOptions {
  uint32_t version;
  int32_t logging_severity_level;
  const char* log_id;
  OrtLoggingFunction custom_logging_function;
  void* custom_logging_param;
  const OrtThreadingOptions* threading_options;
  const OrtKeyValuePairs* config_entries;
};

/* ---- Custom operators ---- */

/// One custom operator. `version` is ORT_API_VERSION of the client: from 16 on the V2 functions are called instead of
/// CreateKernel and KernelCompute.
struct OrtCustomOp {
  uint32_t version;
  void*(ORT_API_CALL* CreateKernel)(const struct OrtCustomOp* op, const OrtApi* api, const OrtKernelInfo* info);
  const char*(ORT_API_CALL* GetName)(const struct OrtCustomOp* op);
  const char*(ORT_API_CALL* GetExecutionProviderType)(const struct OrtCustomOp* op);
  ONNXTensorElementDataType(ORT_API_CALL* GetInputType)(const struct OrtCustomOp* op, size_t index);
  size_t(ORT_API_CALL* GetInputTypeCount)(const struct OrtCustomOp* op);
  ONNXTensorElementDataType(ORT_API_CALL* GetOutputType)(const struct OrtCustomOp* op, size_t index);
  size_t(ORT_API_CALL* GetOutputTypeCount)(const struct OrtCustomOp* op);
  void(ORT_API_CALL* KernelCompute)(void* op_kernel, OrtKernelContext* context);
  void(ORT_API_CALL* KernelDestroy)(void* op_kernel);
  /* API 8 */
  OrtCustomOpInputOutputCharacteristic(ORT_API_CALL* GetInputCharacteristic)(const struct OrtCustomOp* op,
                                                                             size_t index);
  OrtCustomOpInputOutputCharacteristic(ORT_API_CALL* GetOutputCharacteristic)(const struct OrtCustomOp* op,
                                                                              size_t index);
  /* API 13 */
  OrtMemType(ORT_API_CALL* GetInputMemoryType)(const struct OrtCustomOp* op, size_t index);
  /* API 14 */
  int(ORT_API_CALL* GetVariadicInputMinArity)(const struct OrtCustomOp* op);
  int(ORT_API_CALL* GetVariadicInputHomogeneity)(const struct OrtCustomOp* op);
  int(ORT_API_CALL* GetVariadicOutputMinArity)(const struct OrtCustomOp* op);
  int(ORT_API_CALL* GetVariadicOutputHomogeneity)(const struct OrtCustomOp* op);
  /* API 16 */
  OrtStatusPtr(ORT_API_CALL* CreateKernelV2)(const struct OrtCustomOp* op, const OrtApi* api, const OrtKernelInfo* info,
                                             void** kernel);
  OrtStatusPtr(ORT_API_CALL* KernelComputeV2)(void* op_kernel, OrtKernelContext* context);
  /* API 17 */
  OrtStatusPtr(ORT_API_CALL* InferOutputShapeFn)(const struct OrtCustomOp* op, OrtShapeInferContext*);
  int(ORT_API_CALL* GetStartVersion)(const struct OrtCustomOp* op);
  int(ORT_API_CALL* GetEndVersion)(const struct OrtCustomOp* op);
  /* API 18 */
  size_t(ORT_API_CALL* GetMayInplace)(int** input_index, int** output_index);
  void(ORT_API_CALL* ReleaseMayInplace)(int* input_index, int* output_index);
  size_t(ORT_API_CALL* GetAliasMap)(int** input_index, int** output_index);
  void(ORT_API_CALL* ReleaseAliasMap)(int* input_index, int* output_index);
};

/* ---- The tables ---- */

/// What OrtGetApiBase gives: the way to every other table.
struct OrtApiBase {
  ORT_API_T(const OrtApi*, GetApi, uint32_t version);
  ORT_API_T(const char*, GetVersionString, void);
};

/// The only function a client must look up.
ORT_EXPORT const OrtApiBase* ORT_API_CALL OrtGetApiBase(void) NO_EXCEPTION;

/// The main table. It only grows: a slot never moves, so one table serves every older client. Functions that
/// return OrtStatusPtr give NULL on success; objects they hand out are freed with the Release function of their type.
struct OrtApi {
  /* slot 0, API 1: status */
  ORT_API_T(OrtStatus*, CreateStatus, OrtErrorCode code, const char* msg);
  ORT_API_T(OrtErrorCode, GetErrorCode, const OrtStatus* status);
  ORT_API_T(const char*, GetErrorMessage, const OrtStatus* status);

  /* slot 3, API 1: environment */
  ORT_API2_STATUS(CreateEnv, OrtLoggingLevel log_severity_level, const char* logid, OrtEnv** out);
  ORT_API2_STATUS(CreateEnvWithCustomLogger, OrtLoggingFunction logging_function, void* logger_param,
                  OrtLoggingLevel log_severity_level, const char* logid, OrtEnv** out);

  /* slot 5, API 1: telemetry (accepted, nothing is ever sent) */
  ORT_API2_STATUS(EnableTelemetryEvents, const OrtEnv* env);
  ORT_API2_STATUS(DisableTelemetryEvents, const OrtEnv* env);

  /* slot 7, API 1: sessions and runs */
  ORT_API2_STATUS(CreateSession, const OrtEnv* env, const ORTCHAR_T* model_path, const OrtSessionOptions* options,
                  OrtSession** out);
  ORT_API2_STATUS(CreateSessionFromArray, const OrtEnv* env, const void* model_data, size_t model_data_length,
                  const OrtSessionOptions* options, OrtSession** out);
  ORT_API2_STATUS(Run, OrtSession* session, const OrtRunOptions* run_options, const char* const* input_names,
                  const OrtValue* const* inputs, size_t input_len, const char* const* output_names,
                  size_t output_names_len, OrtValue** outputs);

  /* slot 10, API 1: session options */
  ORT_API2_STATUS(CreateSessionOptions, OrtSessionOptions** options);
  ORT_API2_STATUS(SetOptimizedModelFilePath, OrtSessionOptions* options, const ORTCHAR_T* optimized_model_filepath);
  ORT_API2_STATUS(CloneSessionOptions, const OrtSessionOptions* in_options, OrtSessionOptions** out_options);
  ORT_API2_STATUS(SetSessionExecutionMode, OrtSessionOptions* options, ExecutionMode execution_mode);
  ORT_API2_STATUS(EnableProfiling, OrtSessionOptions* options, const ORTCHAR_T* profile_file_prefix);
  ORT_API2_STATUS(DisableProfiling, OrtSessionOptions* options);
  ORT_API2_STATUS(EnableMemPattern, OrtSessionOptions* options);
  ORT_API2_STATUS(DisableMemPattern, OrtSessionOptions* options);
  ORT_API2_STATUS(EnableCpuMemArena, OrtSessionOptions* options);
  ORT_API2_STATUS(DisableCpuMemArena, OrtSessionOptions* options);
  ORT_API2_STATUS(SetSessionLogId, OrtSessionOptions* options, const char* logid);
  ORT_API2_STATUS(SetSessionLogVerbosityLevel, OrtSessionOptions* options, int session_log_verbosity_level);
  ORT_API2_STATUS(SetSessionLogSeverityLevel, OrtSessionOptions* options, int session_log_severity_level);
  ORT_API2_STATUS(SetSessionGraphOptimizationLevel, OrtSessionOptions* options,
                  GraphOptimizationLevel graph_optimization_level);
  ORT_API2_STATUS(SetIntraOpNumThreads, OrtSessionOptions* options, int intra_op_num_threads);
  ORT_API2_STATUS(SetInterOpNumThreads, OrtSessionOptions* options, int inter_op_num_threads);

  /* slot 26, API 1: custom operators */
  ORT_API2_STATUS(CreateCustomOpDomain, const char* domain, OrtCustomOpDomain** out);
  ORT_API2_STATUS(CustomOpDomain_Add, OrtCustomOpDomain* custom_op_domain, const OrtCustomOp* op);
  ORT_API2_STATUS(AddCustomOpDomain, OrtSessionOptions* options, OrtCustomOpDomain* custom_op_domain);
  ORT_API2_STATUS(RegisterCustomOpsLibrary, OrtSessionOptions* options, const char* library_path,
                  void** library_handle);

  /* slot 30, API 1: inputs, outputs and overridable initializers of a session */
  ORT_API2_STATUS(SessionGetInputCount, const OrtSession* session, size_t* out);
  ORT_API2_STATUS(SessionGetOutputCount, const OrtSession* session, size_t* out);
  ORT_API2_STATUS(SessionGetOverridableInitializerCount, const OrtSession* session, size_t* out);
  ORT_API2_STATUS(SessionGetInputTypeInfo, const OrtSession* session, size_t index, OrtTypeInfo** type_info);
  ORT_API2_STATUS(SessionGetOutputTypeInfo, const OrtSession* session, size_t index, OrtTypeInfo** type_info);
  ORT_API2_STATUS(SessionGetOverridableInitializerTypeInfo, const OrtSession* session, size_t index,
                  OrtTypeInfo** type_info);
  ORT_API2_STATUS(SessionGetInputName, const OrtSession* session, size_t index, OrtAllocator* allocator, char** value);
  ORT_API2_STATUS(SessionGetOutputName, const OrtSession* session, size_t index, OrtAllocator* allocator, char** value);
  ORT_API2_STATUS(SessionGetOverridableInitializerName, const OrtSession* session, size_t index,
                  OrtAllocator* allocator, char** value);

  /* slot 39, API 1: run options */
  ORT_API2_STATUS(CreateRunOptions, OrtRunOptions** out);
  ORT_API2_STATUS(RunOptionsSetRunLogVerbosityLevel, OrtRunOptions* options, int log_verbosity_level);
  ORT_API2_STATUS(RunOptionsSetRunLogSeverityLevel, OrtRunOptions* options, int log_severity_level);
  ORT_API2_STATUS(RunOptionsSetRunTag, OrtRunOptions* options, const char* run_tag);
  ORT_API2_STATUS(RunOptionsGetRunLogVerbosityLevel, const OrtRunOptions* options, int* log_verbosity_level);
  ORT_API2_STATUS(RunOptionsGetRunLogSeverityLevel, const OrtRunOptions* options, int* log_severity_level);
  ORT_API2_STATUS(RunOptionsGetRunTag, const OrtRunOptions* options, const char** run_tag);
  ORT_API2_STATUS(RunOptionsSetTerminate, OrtRunOptions* options);
  ORT_API2_STATUS(RunOptionsUnsetTerminate, OrtRunOptions* options);

  /* slot 48, API 1: tensors */
  ORT_API2_STATUS(CreateTensorAsOrtValue, OrtAllocator* allocator, const int64_t* shape, size_t shape_len,
                  ONNXTensorElementDataType type, OrtValue** out);
  ORT_API2_STATUS(CreateTensorWithDataAsOrtValue, const OrtMemoryInfo* info, void* p_data, size_t p_data_len,
                  const int64_t* shape, size_t shape_len, ONNXTensorElementDataType type, OrtValue** out);
  ORT_API2_STATUS(IsTensor, const OrtValue* value, int* out);
  ORT_API2_STATUS(GetTensorMutableData, OrtValue* value, void** out);

  /* slot 52, API 1: string tensors */
  ORT_API2_STATUS(FillStringTensor, OrtValue* value, const char* const* s, size_t s_len);
  ORT_API2_STATUS(GetStringTensorDataLength, const OrtValue* value, size_t* len);
  ORT_API2_STATUS(GetStringTensorContent, const OrtValue* value, void* s, size_t s_len, size_t* offsets,
                  size_t offsets_len);

  /* slot 55, API 1: type information */
  ORT_API2_STATUS(CastTypeInfoToTensorInfo, const OrtTypeInfo* type_info, const OrtTensorTypeAndShapeInfo** out);
  ORT_API2_STATUS(GetOnnxTypeFromTypeInfo, const OrtTypeInfo* type_info, enum ONNXType* out);
  ORT_API2_STATUS(CreateTensorTypeAndShapeInfo, OrtTensorTypeAndShapeInfo** out);
  ORT_API2_STATUS(SetTensorElementType, OrtTensorTypeAndShapeInfo* info, enum ONNXTensorElementDataType type);
  ORT_API2_STATUS(SetDimensions, OrtTensorTypeAndShapeInfo* info, const int64_t* dim_values, size_t dim_count);
  ORT_API2_STATUS(GetTensorElementType, const OrtTensorTypeAndShapeInfo* info, enum ONNXTensorElementDataType* out);
  ORT_API2_STATUS(GetDimensionsCount, const OrtTensorTypeAndShapeInfo* info, size_t* out);
  ORT_API2_STATUS(GetDimensions, const OrtTensorTypeAndShapeInfo* info, int64_t* dim_values, size_t dim_values_length);
  ORT_API2_STATUS(GetSymbolicDimensions, const OrtTensorTypeAndShapeInfo* info, const char** dim_params,
                  size_t dim_params_length);
  ORT_API2_STATUS(GetTensorShapeElementCount, const OrtTensorTypeAndShapeInfo* info, size_t* out);
  ORT_API2_STATUS(GetTensorTypeAndShape, const OrtValue* value, OrtTensorTypeAndShapeInfo** out);
  ORT_API2_STATUS(GetTypeInfo, const OrtValue* value, OrtTypeInfo** out);
  ORT_API2_STATUS(GetValueType, const OrtValue* value, enum ONNXType* out);

  /* slot 68, API 1: memory information */
  ORT_API2_STATUS(CreateMemoryInfo, const char* name, enum OrtAllocatorType type, int id, enum OrtMemType mem_type,
                  OrtMemoryInfo** out);
  ORT_API2_STATUS(CreateCpuMemoryInfo, enum OrtAllocatorType type, enum OrtMemType mem_type, OrtMemoryInfo** out);
  ORT_API2_STATUS(CompareMemoryInfo, const OrtMemoryInfo* info1, const OrtMemoryInfo* info2, int* out);
  ORT_API2_STATUS(MemoryInfoGetName, const OrtMemoryInfo* ptr, const char** out);
  ORT_API2_STATUS(MemoryInfoGetId, const OrtMemoryInfo* ptr, int* out);
  ORT_API2_STATUS(MemoryInfoGetMemType, const OrtMemoryInfo* ptr, OrtMemType* out);
  ORT_API2_STATUS(MemoryInfoGetType, const OrtMemoryInfo* ptr, OrtAllocatorType* out);

  /* slot 75, API 1: allocators */
  ORT_API2_STATUS(AllocatorAlloc, OrtAllocator* ort_allocator, size_t size, void** out);
  ORT_API2_STATUS(AllocatorFree, OrtAllocator* ort_allocator, void* p);
  ORT_API2_STATUS(AllocatorGetInfo, const OrtAllocator* ort_allocator, const struct OrtMemoryInfo** out);
  ORT_API2_STATUS(GetAllocatorWithDefaultOptions, OrtAllocator** out);

  /* slot 79, API 1: free dimensions */
  ORT_API2_STATUS(AddFreeDimensionOverride, OrtSessionOptions* options, const char* dim_denotation, int64_t dim_value);

  /* slot 80, API 1: sequences, maps, opaque values */
  ORT_API2_STATUS(GetValue, const OrtValue* value, int index, OrtAllocator* allocator, OrtValue** out);
  ORT_API2_STATUS(GetValueCount, const OrtValue* value, size_t* out);
  ORT_API2_STATUS(CreateValue, const OrtValue* const* in, size_t num_values, enum ONNXType value_type, OrtValue** out);
  ORT_API2_STATUS(CreateOpaqueValue, const char* domain_name, const char* type_name, const void* data_container,
                  size_t data_container_size, OrtValue** out);
  ORT_API2_STATUS(GetOpaqueValue, const char* domain_name, const char* type_name, const OrtValue* in,
                  void* data_container, size_t data_container_size);

  /* slot 85, API 1: kernels of custom operators */
  ORT_API2_STATUS(KernelInfoGetAttribute_float, const OrtKernelInfo* info, const char* name, float* out);
  ORT_API2_STATUS(KernelInfoGetAttribute_int64, const OrtKernelInfo* info, const char* name, int64_t* out);
  ORT_API2_STATUS(KernelInfoGetAttribute_string, const OrtKernelInfo* info, const char* name, char* out, size_t* size);
  ORT_API2_STATUS(KernelContext_GetInputCount, const OrtKernelContext* context, size_t* out);
  ORT_API2_STATUS(KernelContext_GetOutputCount, const OrtKernelContext* context, size_t* out);
  ORT_API2_STATUS(KernelContext_GetInput, const OrtKernelContext* context, size_t index, const OrtValue** out);
  ORT_API2_STATUS(KernelContext_GetOutput, OrtKernelContext* context, size_t index, const int64_t* dim_values,
                  size_t dim_count, OrtValue** out);

  /* slot 92, API 1: release; NULL is accepted */
  ORT_API_T(void, ReleaseEnv, OrtEnv* input);
  ORT_API_T(void, ReleaseStatus, OrtStatus* input);
  ORT_API_T(void, ReleaseMemoryInfo, OrtMemoryInfo* input);
  ORT_API_T(void, ReleaseSession, OrtSession* input);
  ORT_API_T(void, ReleaseValue, OrtValue* input);
  ORT_API_T(void, ReleaseRunOptions, OrtRunOptions* input);
  ORT_API_T(void, ReleaseTypeInfo, OrtTypeInfo* input);
  ORT_API_T(void, ReleaseTensorTypeAndShapeInfo, OrtTensorTypeAndShapeInfo* input);
  ORT_API_T(void, ReleaseSessionOptions, OrtSessionOptions* input);
  ORT_API_T(void, ReleaseCustomOpDomain, OrtCustomOpDomain* input);

  /* slot 102, API 2: maps and sequences in type information */
  ORT_API2_STATUS(GetDenotationFromTypeInfo, const OrtTypeInfo* type_info, const char** const denotation, size_t* len);
  ORT_API2_STATUS(CastTypeInfoToMapTypeInfo, const OrtTypeInfo* type_info, const OrtMapTypeInfo** out);
  ORT_API2_STATUS(CastTypeInfoToSequenceTypeInfo, const OrtTypeInfo* type_info, const OrtSequenceTypeInfo** out);
  ORT_API2_STATUS(GetMapKeyType, const OrtMapTypeInfo* map_type_info, enum ONNXTensorElementDataType* out);
  ORT_API2_STATUS(GetMapValueType, const OrtMapTypeInfo* map_type_info, OrtTypeInfo** type_info);
  ORT_API2_STATUS(GetSequenceElementType, const OrtSequenceTypeInfo* sequence_type_info, OrtTypeInfo** type_info);
  ORT_API_T(void, ReleaseMapTypeInfo, OrtMapTypeInfo* input);
  ORT_API_T(void, ReleaseSequenceTypeInfo, OrtSequenceTypeInfo* input);

  /* slot 110, API 2: profiling */
  ORT_API2_STATUS(SessionEndProfiling, OrtSession* session, OrtAllocator* allocator, char** out);

  /* slot 111, API 2: model metadata */
  ORT_API2_STATUS(SessionGetModelMetadata, const OrtSession* session, OrtModelMetadata** out);
  ORT_API2_STATUS(ModelMetadataGetProducerName, const OrtModelMetadata* model_metadata, OrtAllocator* allocator,
                  char** value);
  ORT_API2_STATUS(ModelMetadataGetGraphName, const OrtModelMetadata* model_metadata, OrtAllocator* allocator,
                  char** value);
  ORT_API2_STATUS(ModelMetadataGetDomain, const OrtModelMetadata* model_metadata, OrtAllocator* allocator,
                  char** value);
  ORT_API2_STATUS(ModelMetadataGetDescription, const OrtModelMetadata* model_metadata, OrtAllocator* allocator,
                  char** value);
  ORT_API2_STATUS(ModelMetadataLookupCustomMetadataMap, const OrtModelMetadata* model_metadata, OrtAllocator* allocator,
                  const char* key, char** value);
  ORT_API2_STATUS(ModelMetadataGetVersion, const OrtModelMetadata* model_metadata, int64_t* value);
  ORT_API_T(void, ReleaseModelMetadata, OrtModelMetadata* input);

  /* slot 119, API 3: environment with thread pools of its own */
  ORT_API2_STATUS(CreateEnvWithGlobalThreadPools, OrtLoggingLevel log_severity_level, const char* logid,
                  const OrtThreadingOptions* tp_options, OrtEnv** out);
  ORT_API2_STATUS(DisablePerSessionThreads, OrtSessionOptions* options);
  ORT_API2_STATUS(CreateThreadingOptions, OrtThreadingOptions** out);
  ORT_API_T(void, ReleaseThreadingOptions, OrtThreadingOptions* input);

  /* slot 123, API 3: keys of the custom metadata */
  ORT_API2_STATUS(ModelMetadataGetCustomMetadataMapKeys, const OrtModelMetadata* model_metadata,
                  OrtAllocator* allocator, char*** keys, int64_t* num_keys);

  /* slot 124, API 3: free dimensions by name */
  ORT_API2_STATUS(AddFreeDimensionOverrideByName, OrtSessionOptions* options, const char* dim_name, int64_t dim_value);

  /* slot 125, API 4: providers of this build */
  ORT_API2_STATUS(GetAvailableProviders, char*** out_ptr, int* provider_length);
  ORT_API2_STATUS(ReleaseAvailableProviders, char** ptr, int providers_length);

  /* slot 127, API 5: single string elements */
  ORT_API2_STATUS(GetStringTensorElementLength, const OrtValue* value, size_t index, size_t* out);
  ORT_API2_STATUS(GetStringTensorElement, const OrtValue* value, size_t s_len, size_t index, void* s);
  ORT_API2_STATUS(FillStringTensorElement, OrtValue* value, const char* s, size_t index);

  /* slot 130, API 5: configuration entries */
  ORT_API2_STATUS(AddSessionConfigEntry, OrtSessionOptions* options, const char* config_key, const char* config_value);

  /* slot 131, API 5: allocators of a session */
  ORT_API2_STATUS(CreateAllocator, const OrtSession* session, const OrtMemoryInfo* mem_info, OrtAllocator** out);
  ORT_API_T(void, ReleaseAllocator, OrtAllocator* input);

  /* slot 133, API 5: input and output binding */
  ORT_API2_STATUS(RunWithBinding, OrtSession* session, const OrtRunOptions* run_options,
                  const OrtIoBinding* binding_ptr);
  ORT_API2_STATUS(CreateIoBinding, OrtSession* session, OrtIoBinding** out);
  ORT_API_T(void, ReleaseIoBinding, OrtIoBinding* input);
  ORT_API2_STATUS(BindInput, OrtIoBinding* binding_ptr, const char* name, const OrtValue* val_ptr);
  ORT_API2_STATUS(BindOutput, OrtIoBinding* binding_ptr, const char* name, const OrtValue* val_ptr);
  ORT_API2_STATUS(BindOutputToDevice, OrtIoBinding* binding_ptr, const char* name, const OrtMemoryInfo* mem_info_ptr);
  ORT_API2_STATUS(GetBoundOutputNames, const OrtIoBinding* binding_ptr, OrtAllocator* allocator, char** buffer,
                  size_t** lengths, size_t* count);
  ORT_API2_STATUS(GetBoundOutputValues, const OrtIoBinding* binding_ptr, OrtAllocator* allocator, OrtValue*** output,
                  size_t* output_count);
  ORT_API_T(void, ClearBoundInputs, OrtIoBinding* binding_ptr);
  ORT_API_T(void, ClearBoundOutputs, OrtIoBinding* binding_ptr);

  /* slot 143, API 5: element access */
  ORT_API2_STATUS(TensorAt, OrtValue* value, const int64_t* location_values, size_t location_values_count, void** out);

  /* slot 144, API 5: allocators shared through the environment */
  ORT_API2_STATUS(CreateAndRegisterAllocator, OrtEnv* env, const OrtMemoryInfo* mem_info, const OrtArenaCfg* arena_cfg);

  /* slot 145, API 5: client language */
  ORT_API2_STATUS(SetLanguageProjection, const OrtEnv* ort_env, OrtLanguageProjection projection);

  /* slot 146, API 5: profile clock */
  ORT_API2_STATUS(SessionGetProfilingStartTimeNs, const OrtSession* session, uint64_t* out);

  /* slot 147, API 5: global thread pools */
  ORT_API2_STATUS(SetGlobalIntraOpNumThreads, OrtThreadingOptions* tp_options, int intra_op_num_threads);
  ORT_API2_STATUS(SetGlobalInterOpNumThreads, OrtThreadingOptions* tp_options, int inter_op_num_threads);
  ORT_API2_STATUS(SetGlobalSpinControl, OrtThreadingOptions* tp_options, int allow_spinning);

  /* slot 150, API 6: initializers given by the client */
  ORT_API2_STATUS(AddInitializer, OrtSessionOptions* options, const char* name, const OrtValue* val);

  /* slot 151, API 6: environment with logger and thread pools */
  ORT_API2_STATUS(CreateEnvWithCustomLoggerAndGlobalThreadPools, OrtLoggingFunction logging_function,
                  void* logger_param, OrtLoggingLevel log_severity_level, const char* logid,
                  const struct OrtThreadingOptions* tp_options, OrtEnv** out);

  /* slot 152, API 6: providers, first form of their options */
  ORT_API2_STATUS(SessionOptionsAppendExecutionProvider_CUDA, OrtSessionOptions* options,
                  const OrtCUDAProviderOptions* cuda_options);
  ORT_API2_STATUS(SessionOptionsAppendExecutionProvider_ROCM, OrtSessionOptions* options,
                  const OrtROCMProviderOptions* rocm_options);
  ORT_API2_STATUS(SessionOptionsAppendExecutionProvider_OpenVINO, OrtSessionOptions* options,
                  const OrtOpenVINOProviderOptions* provider_options);

  /* slot 155, API 6: denormal numbers */
  ORT_API2_STATUS(SetGlobalDenormalAsZero, OrtThreadingOptions* tp_options);

  /* slot 156, API 6: arena configuration */
  ORT_API2_STATUS(CreateArenaCfg, size_t max_mem, int arena_extend_strategy, int initial_chunk_size_bytes,
                  int max_dead_bytes_per_chunk, OrtArenaCfg** out);
  ORT_API_T(void, ReleaseArenaCfg, OrtArenaCfg* input);

  /* slot 158, API 7: graph description */
  ORT_API2_STATUS(ModelMetadataGetGraphDescription, const OrtModelMetadata* model_metadata, OrtAllocator* allocator,
                  char** value);

  /* slot 159, API 7: TensorRT */
  ORT_API2_STATUS(SessionOptionsAppendExecutionProvider_TensorRT, OrtSessionOptions* options,
                  const OrtTensorRTProviderOptions* tensorrt_options);

  /* slot 160, API 7: current GPU */
  ORT_API2_STATUS(SetCurrentGpuDeviceId, int device_id);
  ORT_API2_STATUS(GetCurrentGpuDeviceId, int* device_id);

  /* slot 162, API 8: array attributes of custom operators */
  ORT_API2_STATUS(KernelInfoGetAttributeArray_float, const OrtKernelInfo* info, const char* name, float* out,
                  size_t* size);
  ORT_API2_STATUS(KernelInfoGetAttributeArray_int64, const OrtKernelInfo* info, const char* name, int64_t* out,
                  size_t* size);

  /* slot 164, API 8: arena configuration by keys */
  ORT_API2_STATUS(CreateArenaCfgV2, const char* const* arena_config_keys, const size_t* arena_config_values,
                  size_t num_keys, OrtArenaCfg** out);

  /* slot 165, API 8: run configuration entries */
  ORT_API2_STATUS(AddRunConfigEntry, OrtRunOptions* options, const char* config_key, const char* config_value);

  /* slot 166, API 8: packed weights shared by sessions */
  ORT_API2_STATUS(CreatePrepackedWeightsContainer, OrtPrepackedWeightsContainer** out);
  ORT_API_T(void, ReleasePrepackedWeightsContainer, OrtPrepackedWeightsContainer* input);
  ORT_API2_STATUS(CreateSessionWithPrepackedWeightsContainer, const OrtEnv* env, const ORTCHAR_T* model_path,
                  const OrtSessionOptions* options, OrtPrepackedWeightsContainer* prepacked_weights_container,
                  OrtSession** out);
  ORT_API2_STATUS(CreateSessionFromArrayWithPrepackedWeightsContainer, const OrtEnv* env, const void* model_data,
                  size_t model_data_length, const OrtSessionOptions* options,
                  OrtPrepackedWeightsContainer* prepacked_weights_container, OrtSession** out);

  /* slot 170, API 9: TensorRT, options by keys */
  ORT_API2_STATUS(SessionOptionsAppendExecutionProvider_TensorRT_V2, OrtSessionOptions* options,
                  const OrtTensorRTProviderOptionsV2* tensorrt_options);
  ORT_API2_STATUS(CreateTensorRTProviderOptions, OrtTensorRTProviderOptionsV2** out);
  ORT_API2_STATUS(UpdateTensorRTProviderOptions, OrtTensorRTProviderOptionsV2* tensorrt_options,
                  const char* const* provider_options_keys, const char* const* provider_options_values,
                  size_t num_keys);
  ORT_API2_STATUS(GetTensorRTProviderOptionsAsString, const OrtTensorRTProviderOptionsV2* tensorrt_options,
                  OrtAllocator* allocator, char** ptr);
  ORT_API_T(void, ReleaseTensorRTProviderOptions, OrtTensorRTProviderOptionsV2* input);

  /* slot 175, API 9: bundled custom operators */
  ORT_API2_STATUS(EnableOrtCustomOps, OrtSessionOptions* options);

  /* slot 176, API 9: allocators of the client */
  ORT_API2_STATUS(RegisterAllocator, OrtEnv* env, OrtAllocator* allocator);
  ORT_API2_STATUS(UnregisterAllocator, OrtEnv* env, const OrtMemoryInfo* mem_info);

  /* slot 178, API 9: sparse tensors */
  ORT_API2_STATUS(IsSparseTensor, const OrtValue* value, int* out);
  ORT_API2_STATUS(CreateSparseTensorAsOrtValue, OrtAllocator* allocator, const int64_t* dense_shape,
                  size_t dense_shape_len, ONNXTensorElementDataType type, OrtValue** out);
  ORT_API2_STATUS(FillSparseTensorCoo, OrtValue* ort_value, const OrtMemoryInfo* data_mem_info,
                  const int64_t* values_shape, size_t values_shape_len, const void* values, const int64_t* indices_data,
                  size_t indices_num);
  ORT_API2_STATUS(FillSparseTensorCsr, OrtValue* ort_value, const OrtMemoryInfo* data_mem_info,
                  const int64_t* values_shape, size_t values_shape_len, const void* values,
                  const int64_t* inner_indices_data, size_t inner_indices_num, const int64_t* outer_indices_data,
                  size_t outer_indices_num);
  ORT_API2_STATUS(FillSparseTensorBlockSparse, OrtValue* ort_value, const OrtMemoryInfo* data_mem_info,
                  const int64_t* values_shape, size_t values_shape_len, const void* values,
                  const int64_t* indices_shape_data, size_t indices_shape_len, const int32_t* indices_data);
  ORT_API2_STATUS(CreateSparseTensorWithValuesAsOrtValue, const OrtMemoryInfo* info, void* p_data,
                  const int64_t* dense_shape, size_t dense_shape_len, const int64_t* values_shape,
                  size_t values_shape_len, ONNXTensorElementDataType type, OrtValue** out);
  ORT_API2_STATUS(UseCooIndices, OrtValue* ort_value, int64_t* indices_data, size_t indices_num);
  ORT_API2_STATUS(UseCsrIndices, OrtValue* ort_value, int64_t* inner_data, size_t inner_num, int64_t* outer_data,
                  size_t outer_num);
  ORT_API2_STATUS(UseBlockSparseIndices, OrtValue* ort_value, const int64_t* indices_shape, size_t indices_shape_len,
                  int32_t* indices_data);
  ORT_API2_STATUS(GetSparseTensorFormat, const OrtValue* ort_value, enum OrtSparseFormat* out);
  ORT_API2_STATUS(GetSparseTensorValuesTypeAndShape, const OrtValue* ort_value, OrtTensorTypeAndShapeInfo** out);
  ORT_API2_STATUS(GetSparseTensorValues, const OrtValue* ort_value, const void** out);
  ORT_API2_STATUS(GetSparseTensorIndicesTypeShape, const OrtValue* ort_value,
                  enum OrtSparseIndicesFormat indices_format, OrtTensorTypeAndShapeInfo** out);
  ORT_API2_STATUS(GetSparseTensorIndices, const OrtValue* ort_value, enum OrtSparseIndicesFormat indices_format,
                  size_t* num_indices, const void** indices);

  /* slot 192, API 10: optional values */
  ORT_API2_STATUS(HasValue, const OrtValue* value, int* out);

  /* slot 193, API 10: device stream of a kernel */
  ORT_API2_STATUS(KernelContext_GetGPUComputeStream, const OrtKernelContext* context, void** out);

  /* slot 194, API 10: memory of a tensor */
  ORT_API2_STATUS(GetTensorMemoryInfo, const OrtValue* value, const OrtMemoryInfo** mem_info);

  /* slot 195, API 10: other tables by provider name */
  ORT_API2_STATUS(GetExecutionProviderApi, const char* provider_name, uint32_t version, const void** provider_api);

  /* slot 196, API 10: threads made by the client */
  ORT_API2_STATUS(SessionOptionsSetCustomCreateThreadFn, OrtSessionOptions* options,
                  OrtCustomCreateThreadFn ort_custom_create_thread_fn);
  ORT_API2_STATUS(SessionOptionsSetCustomThreadCreationOptions, OrtSessionOptions* options,
                  void* ort_custom_thread_creation_options);
  ORT_API2_STATUS(SessionOptionsSetCustomJoinThreadFn, OrtSessionOptions* options,
                  OrtCustomJoinThreadFn ort_custom_join_thread_fn);
  ORT_API2_STATUS(SetGlobalCustomCreateThreadFn, OrtThreadingOptions* tp_options,
                  OrtCustomCreateThreadFn ort_custom_create_thread_fn);
  ORT_API2_STATUS(SetGlobalCustomThreadCreationOptions, OrtThreadingOptions* tp_options,
                  void* ort_custom_thread_creation_options);
  ORT_API2_STATUS(SetGlobalCustomJoinThreadFn, OrtThreadingOptions* tp_options,
                  OrtCustomJoinThreadFn ort_custom_join_thread_fn);

  /* slot 202, API 10: synchronisation of a binding */
  ORT_API2_STATUS(SynchronizeBoundInputs, OrtIoBinding* binding_ptr);
  ORT_API2_STATUS(SynchronizeBoundOutputs, OrtIoBinding* binding_ptr);

  /* slot 204, API 11: CUDA, options by keys */
  ORT_API2_STATUS(SessionOptionsAppendExecutionProvider_CUDA_V2, OrtSessionOptions* options,
                  const OrtCUDAProviderOptionsV2* cuda_options);
  ORT_API2_STATUS(CreateCUDAProviderOptions, OrtCUDAProviderOptionsV2** out);
  ORT_API2_STATUS(UpdateCUDAProviderOptions, OrtCUDAProviderOptionsV2* cuda_options,
                  const char* const* provider_options_keys, const char* const* provider_options_values,
                  size_t num_keys);
  ORT_API2_STATUS(GetCUDAProviderOptionsAsString, const OrtCUDAProviderOptionsV2* cuda_options, OrtAllocator* allocator,
                  char** ptr);
  ORT_API_T(void, ReleaseCUDAProviderOptions, OrtCUDAProviderOptionsV2* input);

  /* slot 209, API 11: MIGraphX */
  ORT_API2_STATUS(SessionOptionsAppendExecutionProvider_MIGraphX, OrtSessionOptions* options,
                  const OrtMIGraphXProviderOptions* migraphx_options);

  /* slot 210, API 12: external initializers from memory */
  ORT_API2_STATUS(AddExternalInitializers, OrtSessionOptions* options, const char* const* initializer_names,
                  const OrtValue* const* initializers, size_t num_initializers);

  /* slot 211, API 12: operators called by custom operators */
  ORT_API2_STATUS(CreateOpAttr, const char* name, const void* data, int len, OrtOpAttrType type, OrtOpAttr** op_attr);
  ORT_API_T(void, ReleaseOpAttr, OrtOpAttr* input);
  ORT_API2_STATUS(CreateOp, const OrtKernelInfo* info, const char* op_name, const char* domain, int version,
                  const char** type_constraint_names, const ONNXTensorElementDataType* type_constraint_values,
                  int type_constraint_count, const OrtOpAttr* const* attr_values, int attr_count, int input_count,
                  int output_count, OrtOp** ort_op);
  ORT_API2_STATUS(InvokeOp, const OrtKernelContext* context, const OrtOp* ort_op, const OrtValue* const* input_values,
                  int input_count, OrtValue* const* output_values, int output_count);
  ORT_API_T(void, ReleaseOp, OrtOp* input);

  /* slot 216, API 12: providers by name */
  ORT_API2_STATUS(SessionOptionsAppendExecutionProvider, OrtSessionOptions* options, const char* provider_name,
                  const char* const* provider_options_keys, const char* const* provider_options_values,
                  size_t num_keys);

  /* slot 217, API 12: kernel information copies */
  ORT_API2_STATUS(CopyKernelInfo, const OrtKernelInfo* info, OrtKernelInfo** info_copy);
  ORT_API_T(void, ReleaseKernelInfo, OrtKernelInfo* input);

  /* slot 219, API 13: training */
  ORT_API_T(const OrtTrainingApi*, GetTrainingApi, uint32_t version);

  /* slot 220, API 13: CANN */
  ORT_API2_STATUS(SessionOptionsAppendExecutionProvider_CANN, OrtSessionOptions* options,
                  const OrtCANNProviderOptions* cann_options);
  ORT_API2_STATUS(CreateCANNProviderOptions, OrtCANNProviderOptions** out);
  ORT_API2_STATUS(UpdateCANNProviderOptions, OrtCANNProviderOptions* cann_options,
                  const char* const* provider_options_keys, const char* const* provider_options_values,
                  size_t num_keys);
  ORT_API2_STATUS(GetCANNProviderOptionsAsString, const OrtCANNProviderOptions* cann_options, OrtAllocator* allocator,
                  char** ptr);
  ORT_API_T(void, ReleaseCANNProviderOptions, OrtCANNProviderOptions* input);

  /* slot 225, API 14: device type of memory */
  ORT_API_T(void, MemoryInfoGetDeviceType, const OrtMemoryInfo* ptr, OrtMemoryInfoDeviceType* out);

  /* slot 226, API 14: log level of the environment */
  ORT_API2_STATUS(UpdateEnvWithCustomLogLevel, OrtEnv* ort_env, OrtLoggingLevel log_severity_level);

  /* slot 227, API 14: affinity of the global pool */
  ORT_API2_STATUS(SetGlobalIntraOpThreadAffinity, OrtThreadingOptions* tp_options, const char* affinity_string);

  /* slot 228, API 14: custom operator libraries */
  ORT_API2_STATUS(RegisterCustomOpsLibrary_V2, OrtSessionOptions* options, const ORTCHAR_T* library_name);
  ORT_API2_STATUS(RegisterCustomOpsUsingFunction, OrtSessionOptions* options, const char* registration_func_name);

  /* slot 230, API 14: facts about the node of a kernel */
  ORT_API2_STATUS(KernelInfo_GetInputCount, const OrtKernelInfo* info, size_t* out);
  ORT_API2_STATUS(KernelInfo_GetOutputCount, const OrtKernelInfo* info, size_t* out);
  ORT_API2_STATUS(KernelInfo_GetInputName, const OrtKernelInfo* info, size_t index, char* out, size_t* size);
  ORT_API2_STATUS(KernelInfo_GetOutputName, const OrtKernelInfo* info, size_t index, char* out, size_t* size);
  ORT_API2_STATUS(KernelInfo_GetInputTypeInfo, const OrtKernelInfo* info, size_t index, OrtTypeInfo** type_info);
  ORT_API2_STATUS(KernelInfo_GetOutputTypeInfo, const OrtKernelInfo* info, size_t index, OrtTypeInfo** type_info);
  ORT_API2_STATUS(KernelInfoGetAttribute_tensor, const OrtKernelInfo* info, const char* name, OrtAllocator* allocator,
                  OrtValue** out);

  /* slot 237, API 14: reading session configuration */
  ORT_API2_STATUS(HasSessionConfigEntry, const OrtSessionOptions* options, const char* config_key, int* out);
  ORT_API2_STATUS(GetSessionConfigEntry, const OrtSessionOptions* options, const char* config_key, char* config_value,
                  size_t* size);

  /* slot 239, API 15: oneDNN */
  ORT_API2_STATUS(SessionOptionsAppendExecutionProvider_Dnnl, OrtSessionOptions* options,
                  const OrtDnnlProviderOptions* dnnl_options);
  ORT_API2_STATUS(CreateDnnlProviderOptions, OrtDnnlProviderOptions** out);
  ORT_API2_STATUS(UpdateDnnlProviderOptions, OrtDnnlProviderOptions* dnnl_options,
                  const char* const* provider_options_keys, const char* const* provider_options_values,
                  size_t num_keys);
  ORT_API2_STATUS(GetDnnlProviderOptionsAsString, const OrtDnnlProviderOptions* dnnl_options, OrtAllocator* allocator,
                  char** ptr);
  ORT_API_T(void, ReleaseDnnlProviderOptions, OrtDnnlProviderOptions* input);

  /* slot 244, API 15: name and loggers of a kernel */
  ORT_API2_STATUS(KernelInfo_GetNodeName, const OrtKernelInfo* info, char* out, size_t* size);
  ORT_API2_STATUS(KernelInfo_GetLogger, const OrtKernelInfo* info, const OrtLogger** logger);
  ORT_API2_STATUS(KernelContext_GetLogger, const OrtKernelContext* context, const OrtLogger** logger);
  ORT_API2_STATUS(Logger_LogMessage, const OrtLogger* logger, OrtLoggingLevel log_severity_level, const char* message,
                  const ORTCHAR_T* file_path, int line_number, const char* func_name);
  ORT_API2_STATUS(Logger_GetLoggingSeverityLevel, const OrtLogger* logger, OrtLoggingLevel* out);

  /* slot 249, API 15: constant inputs of a kernel */
  ORT_API2_STATUS(KernelInfoGetConstantInput_tensor, const OrtKernelInfo* info, size_t index, int* is_constant,
                  const OrtValue** out);

  /* slot 250, API 15: optional types */
  ORT_API2_STATUS(CastTypeInfoToOptionalTypeInfo, const OrtTypeInfo* type_info, const OrtOptionalTypeInfo** out);
  ORT_API2_STATUS(GetOptionalContainedTypeInfo, const OrtOptionalTypeInfo* optional_type_info, OrtTypeInfo** out);

  /* slot 252, API 15: writable string element */
  ORT_API2_STATUS(GetResizedStringTensorElementBuffer, OrtValue* value, size_t index, size_t length_in_bytes,
                  char** buffer);

  /* slot 253, API 15: allocator of a kernel run */
  ORT_API2_STATUS(KernelContext_GetAllocator, const OrtKernelContext* context, const OrtMemoryInfo* mem_info,
                  OrtAllocator** out);

  /* slot 254, API 15: build information */
  ORT_API_T(const char*, GetBuildInfoString, void);

  /* slot 255, API 16: ROCm */
  ORT_API2_STATUS(CreateROCMProviderOptions, OrtROCMProviderOptions** out);
  ORT_API2_STATUS(UpdateROCMProviderOptions, OrtROCMProviderOptions* rocm_options,
                  const char* const* provider_options_keys, const char* const* provider_options_values,
                  size_t num_keys);
  ORT_API2_STATUS(GetROCMProviderOptionsAsString, const OrtROCMProviderOptions* rocm_options, OrtAllocator* allocator,
                  char** ptr);
  ORT_API_T(void, ReleaseROCMProviderOptions, OrtROCMProviderOptions* input);

  /* slot 259, API 16: shared allocators with provider options */
  ORT_API2_STATUS(CreateAndRegisterAllocatorV2, OrtEnv* env, const char* provider_type, const OrtMemoryInfo* mem_info,
                  const OrtArenaCfg* arena_cfg, const char* const* provider_options_keys,
                  const char* const* provider_options_values, size_t num_keys);

  /* slot 260, API 16: asynchronous run */
  ORT_API2_STATUS(RunAsync, OrtSession* session, const OrtRunOptions* run_options, const char* const* input_names,
                  const OrtValue* const* input, size_t input_len, const char* const* output_names,
                  size_t output_names_len, OrtValue** output, RunAsyncCallbackFn run_async_callback, void* user_data);

  /* slot 261, API 16: single provider option values */
  ORT_API2_STATUS(UpdateTensorRTProviderOptionsWithValue, OrtTensorRTProviderOptionsV2* tensorrt_options,
                  const char* key, void* value);
  ORT_API2_STATUS(GetTensorRTProviderOptionsByName, const OrtTensorRTProviderOptionsV2* tensorrt_options,
                  const char* key, void** ptr);
  ORT_API2_STATUS(UpdateCUDAProviderOptionsWithValue, OrtCUDAProviderOptionsV2* cuda_options, const char* key,
                  void* value);
  ORT_API2_STATUS(GetCUDAProviderOptionsByName, const OrtCUDAProviderOptionsV2* cuda_options, const char* key,
                  void** ptr);

  /* slot 265, API 16: device resource of a kernel */
  ORT_API2_STATUS(KernelContext_GetResource, const OrtKernelContext* context, int resource_version, int resource_id,
                  void** resource);

  /* slot 266, API 17: log function of a session */
  ORT_API2_STATUS(SetUserLoggingFunction, OrtSessionOptions* options, OrtLoggingFunction user_logging_function,
                  void* user_logging_param);

  /* slot 267, API 17: shape inference of custom operators */
  ORT_API2_STATUS(ShapeInferContext_GetInputCount, const OrtShapeInferContext* context, size_t* out);
  ORT_API2_STATUS(ShapeInferContext_GetInputTypeShape, const OrtShapeInferContext* context, size_t index,
                  OrtTensorTypeAndShapeInfo** info);
  ORT_API2_STATUS(ShapeInferContext_GetAttribute, const OrtShapeInferContext* context, const char* attr_name,
                  const OrtOpAttr** attr);
  ORT_API2_STATUS(ShapeInferContext_SetOutputTypeShape, const OrtShapeInferContext* context, size_t index,
                  const OrtTensorTypeAndShapeInfo* info);
  ORT_API2_STATUS(SetSymbolicDimensions, OrtTensorTypeAndShapeInfo* info, const char** dim_params,
                  size_t dim_params_length);

  /* slot 272, API 17: reading attributes */
  ORT_API2_STATUS(ReadOpAttr, const OrtOpAttr* op_attr, OrtOpAttrType type, void* data, size_t len, size_t* out);

  /* slot 273, API 17: determinism */
  ORT_API2_STATUS(SetDeterministicCompute, OrtSessionOptions* options, bool value);

  /* slot 274, API 17: threads for a kernel */
  ORT_API2_STATUS(KernelContext_ParallelFor, const OrtKernelContext* context, void (*fn)(void*, size_t), size_t total,
                  size_t num_batch, void* usr_data);

  /* slot 275, API 17: OpenVINO, options by keys */
  ORT_API2_STATUS(SessionOptionsAppendExecutionProvider_OpenVINO_V2, OrtSessionOptions* options,
                  const char* const* provider_options_keys, const char* const* provider_options_values,
                  size_t num_keys);

  /* slot 276, API 18: Vitis AI */
  ORT_API2_STATUS(SessionOptionsAppendExecutionProvider_VitisAI, OrtSessionOptions* options,
                  const char* const* provider_options_keys, const char* const* provider_options_values,
                  size_t num_keys);

  /* slot 277, API 18: scratch memory and allocators of a kernel */
  ORT_API2_STATUS(KernelContext_GetScratchBuffer, const OrtKernelContext* context, const OrtMemoryInfo* mem_info,
                  size_t count_or_bytes, void** out);
  ORT_API2_STATUS(KernelInfoGetAllocator, const OrtKernelInfo* info, OrtMemType mem_type, OrtAllocator** out);

  /* slot 279, API 18: external data files in memory */
  ORT_API2_STATUS(AddExternalInitializersFromFilesInMemory, OrtSessionOptions* options,
                  const ORTCHAR_T* const* external_initializer_file_names,
                  char* const* external_initializer_file_buffer_array, const size_t* external_initializer_file_lengths,
                  size_t num_external_initializer_files);

  /* slot 280, API 20: LoRA adapters */
  ORT_API2_STATUS(CreateLoraAdapter, const ORTCHAR_T* adapter_file_path, OrtAllocator* allocator, OrtLoraAdapter** out);
  ORT_API2_STATUS(CreateLoraAdapterFromArray, const void* bytes, size_t num_bytes, OrtAllocator* allocator,
                  OrtLoraAdapter** out);
  ORT_API_T(void, ReleaseLoraAdapter, OrtLoraAdapter* input);
  ORT_API2_STATUS(RunOptionsAddActiveLoraAdapter, OrtRunOptions* options, const OrtLoraAdapter* adapter);

  /* slot 284, API 20: provider options that change between runs */
  ORT_API2_STATUS(SetEpDynamicOptions, OrtSession* sess, const char* const* keys, const char* const* values,
                  size_t kv_len);

  /* slot 285, API 22: release of graph objects */
  ORT_API_T(void, ReleaseValueInfo, OrtValueInfo* input);
  ORT_API_T(void, ReleaseNode, OrtNode* input);
  ORT_API_T(void, ReleaseGraph, OrtGraph* input);
  ORT_API_T(void, ReleaseModel, OrtModel* input);

  /* slot 289, API 22: values of a graph */
  ORT_API2_STATUS(GetValueInfoName, const OrtValueInfo* value_info, const char** name);
  ORT_API2_STATUS(GetValueInfoTypeInfo, const OrtValueInfo* value_info, const OrtTypeInfo** type_info);

  /* slot 291, API 22: model editor */
  ORT_API_T(const OrtModelEditorApi*, GetModelEditorApi, void);

  /* slot 292, API 22: tensor that frees its memory */
  ORT_API2_STATUS(CreateTensorWithDataAndDeleterAsOrtValue, OrtAllocator* deleter, void* p_data, size_t p_data_len,
                  const int64_t* shape, size_t shape_len, ONNXTensorElementDataType type, OrtValue** out);

  /* slot 293, API 22: stopping a load */
  ORT_API2_STATUS(SessionOptionsSetLoadCancellationFlag, OrtSessionOptions* options, bool cancel);

  /* slot 294, API 22: compile table */
  ORT_API_T(const OrtCompileApi*, GetCompileApi, void);

  /* slot 295, API 22: key and value lists */
  ORT_API_T(void, CreateKeyValuePairs, OrtKeyValuePairs** out);
  ORT_API_T(void, AddKeyValuePair, OrtKeyValuePairs* kvps, const char* key, const char* value);
  ORT_API_T(const char*, GetKeyValue, const OrtKeyValuePairs* kvps, const char* key);
  ORT_API_T(void, GetKeyValuePairs, const OrtKeyValuePairs* kvps, const char* const** keys, const char* const** values,
            size_t* num_entries);
  ORT_API_T(void, RemoveKeyValuePair, OrtKeyValuePairs* kvps, const char* key);
  ORT_API_T(void, ReleaseKeyValuePairs, OrtKeyValuePairs* input);

  /* slot 301, API 22: plug-in providers and devices */
  ORT_API2_STATUS(RegisterExecutionProviderLibrary, OrtEnv* env, const char* registration_name, const ORTCHAR_T* path);
  ORT_API2_STATUS(UnregisterExecutionProviderLibrary, OrtEnv* env, const char* registration_name);
  ORT_API2_STATUS(GetEpDevices, const OrtEnv* env, const OrtEpDevice* const** ep_devices, size_t* num_ep_devices);
  ORT_API2_STATUS(SessionOptionsAppendExecutionProvider_V2, OrtSessionOptions* session_options, OrtEnv* env,
                  const OrtEpDevice* const* ep_devices, size_t num_ep_devices, const char* const* ep_option_keys,
                  const char* const* ep_option_vals, size_t num_ep_options);
  ORT_API2_STATUS(SessionOptionsSetEpSelectionPolicy, OrtSessionOptions* session_options,
                  OrtExecutionProviderDevicePolicy policy);
  ORT_API2_STATUS(SessionOptionsSetEpSelectionPolicyDelegate, OrtSessionOptions* session_options,
                  EpSelectionDelegate delegate, void* delegate_state);

  /* slot 307, API 22: devices */
  ORT_API_T(OrtHardwareDeviceType, HardwareDevice_Type, const OrtHardwareDevice* device);
  ORT_API_T(uint32_t, HardwareDevice_VendorId, const OrtHardwareDevice* device);
  ORT_API_T(const char*, HardwareDevice_Vendor, const OrtHardwareDevice* device);
  ORT_API_T(uint32_t, HardwareDevice_DeviceId, const OrtHardwareDevice* device);
  ORT_API_T(const OrtKeyValuePairs*, HardwareDevice_Metadata, const OrtHardwareDevice* device);
  ORT_API_T(const char*, EpDevice_EpName, const OrtEpDevice* ep_device);
  ORT_API_T(const char*, EpDevice_EpVendor, const OrtEpDevice* ep_device);
  ORT_API_T(const OrtKeyValuePairs*, EpDevice_EpMetadata, const OrtEpDevice* ep_device);
  ORT_API_T(const OrtKeyValuePairs*, EpDevice_EpOptions, const OrtEpDevice* ep_device);
  ORT_API_T(const OrtHardwareDevice*, EpDevice_Device, const OrtEpDevice* ep_device);

  /* slot 317, API 22: plug-in provider table */
  ORT_API_T(const OrtEpApi*, GetEpApi, void);

  /* slot 318, API 23: size of a tensor */
  ORT_API2_STATUS(GetTensorSizeInBytes, const OrtValue* ort_value, size_t* size);

  /* slot 319, API 23: allocator statistics */
  ORT_API2_STATUS(AllocatorGetStats, const OrtAllocator* ort_allocator, OrtKeyValuePairs** out);

  /* slot 320, API 23: memory information, full form */
  ORT_API2_STATUS(CreateMemoryInfo_V2, const char* name, enum OrtMemoryInfoDeviceType device_type, uint32_t vendor_id,
                  int32_t device_id, enum OrtDeviceMemoryType mem_type, size_t alignment,
                  enum OrtAllocatorType allocator_type, OrtMemoryInfo** out);
  ORT_API_T(OrtDeviceMemoryType, MemoryInfoGetDeviceMemType, const OrtMemoryInfo* ptr);
  ORT_API_T(uint32_t, MemoryInfoGetVendorId, const OrtMemoryInfo* ptr);

  /* slot 323, API 23: values of a graph */
  ORT_API2_STATUS(ValueInfo_GetValueProducer, const OrtValueInfo* value_info, const OrtNode** producer_node,
                  size_t* producer_output_index);
  ORT_API2_STATUS(ValueInfo_GetValueNumConsumers, const OrtValueInfo* value_info, size_t* num_consumers);
  ORT_API2_STATUS(ValueInfo_GetValueConsumers, const OrtValueInfo* value_info, const OrtNode** nodes,
                  int64_t* input_indices, size_t num_consumers);
  ORT_API2_STATUS(ValueInfo_GetInitializerValue, const OrtValueInfo* value_info, const OrtValue** initializer_value);
  ORT_API2_STATUS(ValueInfo_GetExternalInitializerInfo, const OrtValueInfo* value_info,
                  OrtExternalInitializerInfo** info);
  ORT_API2_STATUS(ValueInfo_IsRequiredGraphInput, const OrtValueInfo* value_info, bool* is_required_graph_input);
  ORT_API2_STATUS(ValueInfo_IsOptionalGraphInput, const OrtValueInfo* value_info, bool* is_optional_graph_input);
  ORT_API2_STATUS(ValueInfo_IsGraphOutput, const OrtValueInfo* value_info, bool* is_graph_output);
  ORT_API2_STATUS(ValueInfo_IsConstantInitializer, const OrtValueInfo* value_info, bool* is_constant_initializer);
  ORT_API2_STATUS(ValueInfo_IsFromOuterScope, const OrtValueInfo* value_info, bool* is_from_outer_scope);

  /* slot 333, API 23: graphs */
  ORT_API2_STATUS(Graph_GetName, const OrtGraph* graph, const char** graph_name);
  ORT_API2_STATUS(Graph_GetModelPath, const OrtGraph* graph, const ORTCHAR_T** model_path);
  ORT_API2_STATUS(Graph_GetOnnxIRVersion, const OrtGraph* graph, int64_t* onnx_ir_version);
  ORT_API2_STATUS(Graph_GetNumOperatorSets, const OrtGraph* graph, size_t* num_operator_sets);
  ORT_API2_STATUS(Graph_GetOperatorSets, const OrtGraph* graph, const char** domains, int64_t* opset_versions,
                  size_t num_operator_sets);
  ORT_API2_STATUS(Graph_GetNumInputs, const OrtGraph* graph, size_t* num_inputs);
  ORT_API2_STATUS(Graph_GetInputs, const OrtGraph* graph, const OrtValueInfo** inputs, size_t num_inputs);
  ORT_API2_STATUS(Graph_GetNumOutputs, const OrtGraph* graph, size_t* num_outputs);
  ORT_API2_STATUS(Graph_GetOutputs, const OrtGraph* graph, const OrtValueInfo** outputs, size_t num_outputs);
  ORT_API2_STATUS(Graph_GetNumInitializers, const OrtGraph* graph, size_t* num_initializers);
  ORT_API2_STATUS(Graph_GetInitializers, const OrtGraph* graph, const OrtValueInfo** initializers,
                  size_t num_initializers);
  ORT_API2_STATUS(Graph_GetNumNodes, const OrtGraph* graph, size_t* num_nodes);
  ORT_API2_STATUS(Graph_GetNodes, const OrtGraph* graph, const OrtNode** nodes, size_t num_nodes);
  ORT_API2_STATUS(Graph_GetParentNode, const OrtGraph* graph, const OrtNode** node);
  ORT_API2_STATUS(Graph_GetGraphView, const OrtGraph* src_graph, const OrtNode** nodes, size_t num_nodes,
                  OrtGraph** dst_graph);

  /* slot 348, API 23: nodes */
  ORT_API2_STATUS(Node_GetId, const OrtNode* node, size_t* node_id);
  ORT_API2_STATUS(Node_GetName, const OrtNode* node, const char** node_name);
  ORT_API2_STATUS(Node_GetOperatorType, const OrtNode* node, const char** operator_type);
  ORT_API2_STATUS(Node_GetDomain, const OrtNode* node, const char** domain_name);
  ORT_API2_STATUS(Node_GetSinceVersion, const OrtNode* node, int* since_version);
  ORT_API2_STATUS(Node_GetNumInputs, const OrtNode* node, size_t* num_inputs);
  ORT_API2_STATUS(Node_GetInputs, const OrtNode* node, const OrtValueInfo** inputs, size_t num_inputs);
  ORT_API2_STATUS(Node_GetNumOutputs, const OrtNode* node, size_t* num_outputs);
  ORT_API2_STATUS(Node_GetOutputs, const OrtNode* node, const OrtValueInfo** outputs, size_t num_outputs);
  ORT_API2_STATUS(Node_GetNumImplicitInputs, const OrtNode* node, size_t* num_implicit_inputs);
  ORT_API2_STATUS(Node_GetImplicitInputs, const OrtNode* node, const OrtValueInfo** implicit_inputs,
                  size_t num_implicit_inputs);
  ORT_API2_STATUS(Node_GetNumAttributes, const OrtNode* node, size_t* num_attributes);
  ORT_API2_STATUS(Node_GetAttributes, const OrtNode* node, const OrtOpAttr** attributes, size_t num_attributes);
  ORT_API2_STATUS(Node_GetAttributeByName, const OrtNode* node, const char* attribute_name,
                  const OrtOpAttr** attribute);

  /* slot 362, API 23: attributes */
  ORT_API2_STATUS(OpAttr_GetTensorAttributeAsOrtValue, const OrtOpAttr* attribute, OrtValue** attr_tensor);
  ORT_API2_STATUS(OpAttr_GetType, const OrtOpAttr* attribute, OrtOpAttrType* type);
  ORT_API2_STATUS(OpAttr_GetName, const OrtOpAttr* attribute, const char** name);

  /* slot 365, API 23: subgraphs and place of a node */
  ORT_API2_STATUS(Node_GetNumSubgraphs, const OrtNode* node, size_t* num_subgraphs);
  ORT_API2_STATUS(Node_GetSubgraphs, const OrtNode* node, const OrtGraph** subgraphs, size_t num_subgraphs,
                  const char** attribute_names);
  ORT_API2_STATUS(Node_GetGraph, const OrtNode* node, const OrtGraph** graph);
  ORT_API2_STATUS(Node_GetEpName, const OrtNode* node, const char** out);

  /* slot 369, API 23: external initializers */
  ORT_API_T(void, ReleaseExternalInitializerInfo, OrtExternalInitializerInfo* input);
  ORT_API_T(const ORTCHAR_T*, ExternalInitializerInfo_GetFilePath, const OrtExternalInitializerInfo* info);
  ORT_API_T(int64_t, ExternalInitializerInfo_GetFileOffset, const OrtExternalInitializerInfo* info);
  ORT_API_T(size_t, ExternalInitializerInfo_GetByteSize, const OrtExternalInitializerInfo* info);

  /* slot 373, API 23: reading run configuration */
  ORT_API_T(const char*, GetRunConfigEntry, const OrtRunOptions* options, const char* config_key);

  /* slot 374, API 23: shared allocators */
  ORT_API_T(const OrtMemoryInfo*, EpDevice_MemoryInfo, const OrtEpDevice* ep_device, OrtDeviceMemoryType memory_type);
  ORT_API2_STATUS(CreateSharedAllocator, OrtEnv* env, const OrtEpDevice* ep_device, OrtDeviceMemoryType mem_type,
                  OrtAllocatorType allocator_type, const OrtKeyValuePairs* allocator_options, OrtAllocator** allocator);
  ORT_API2_STATUS(GetSharedAllocator, OrtEnv* env, const OrtMemoryInfo* mem_info, OrtAllocator** allocator);
  ORT_API2_STATUS(ReleaseSharedAllocator, OrtEnv* env, const OrtEpDevice* ep_device, OrtDeviceMemoryType mem_type);

  /* slot 378, API 23: reading tensors */
  ORT_API2_STATUS(GetTensorData, const OrtValue* value, const void** out);

  /* slot 379, API 23: all session configuration */
  ORT_API2_STATUS(GetSessionOptionsConfigEntries, const OrtSessionOptions* options, OrtKeyValuePairs** out);

  /* slot 380, API 23: placement of inputs and outputs */
  ORT_API2_STATUS(SessionGetMemoryInfoForInputs, const OrtSession* session, const OrtMemoryInfo** inputs_memory_info,
                  size_t num_inputs);
  ORT_API2_STATUS(SessionGetMemoryInfoForOutputs, const OrtSession* session, const OrtMemoryInfo** outputs_memory_info,
                  size_t num_outputs);
  ORT_API2_STATUS(SessionGetEpDeviceForInputs, const OrtSession* session, const OrtEpDevice** inputs_ep_devices,
                  size_t num_inputs);

  /* slot 383, API 23: device streams */
  ORT_API2_STATUS(CreateSyncStreamForEpDevice, const OrtEpDevice* ep_device, const OrtKeyValuePairs* stream_options,
                  OrtSyncStream** stream);
  ORT_API_T(void*, SyncStream_GetHandle, OrtSyncStream* stream);
  ORT_API_T(void, ReleaseSyncStream, OrtSyncStream* input);

  /* slot 386, API 23: copies between devices */
  ORT_API2_STATUS(CopyTensors, const OrtEnv* env, const OrtValue* const* src_tensors, OrtValue* const* dst_tensors,
                  OrtSyncStream* stream, size_t num_tensors);

  /* slot 387, API 23: metadata of a graph */
  ORT_API2_STATUS(Graph_GetModelMetadata, const OrtGraph* graph, OrtModelMetadata** out);

  /* slot 388, API 23: compiled models */
  ORT_API2_STATUS(GetModelCompatibilityForEpDevices, const OrtEpDevice* const* ep_devices, size_t num_ep_devices,
                  const char* compatibility_info, OrtCompiledModelCompatibility* out_status);

  /* slot 389, API 23: external initializer description */
  ORT_API2_STATUS(CreateExternalInitializerInfo, const ORTCHAR_T* filepath, int64_t file_offset, size_t byte_size,
                  OrtExternalInitializerInfo** out);

  /* slot 390, API 24: shapes of unknown rank */
  ORT_API_T(bool, TensorTypeAndShape_HasShape, const OrtTensorTypeAndShapeInfo* info);

  /* slot 391, API 24: more facts about the node of a kernel */
  ORT_API2_STATUS(KernelInfo_GetConfigEntries, const OrtKernelInfo* info, OrtKeyValuePairs** out);
  ORT_API2_STATUS(KernelInfo_GetOperatorDomain, const OrtKernelInfo* info, char* out, size_t* size);
  ORT_API2_STATUS(KernelInfo_GetOperatorType, const OrtKernelInfo* info, char* out, size_t* size);
  ORT_API2_STATUS(KernelInfo_GetOperatorSinceVersion, const OrtKernelInfo* info, int* since_version);

  /* slot 395, API 24: interop table */
  ORT_API_T(const OrtInteropApi*, GetInteropApi, void);

  /* slot 396, API 24: placement of outputs */
  ORT_API2_STATUS(SessionGetEpDeviceForOutputs, const OrtSession* session, const OrtEpDevice** outputs_ep_devices,
                  size_t num_outputs);

  /* slot 397, API 24: hardware devices */
  ORT_API2_STATUS(GetNumHardwareDevices, const OrtEnv* env, size_t* num_devices);
  ORT_API2_STATUS(GetHardwareDevices, const OrtEnv* env, const OrtHardwareDevice** devices, size_t num_devices);
  ORT_API2_STATUS(GetHardwareDeviceEpIncompatibilityDetails, const OrtEnv* env, const char* ep_name,
                  const OrtHardwareDevice* hw, OrtDeviceEpIncompatibilityDetails** details);
  ORT_API2_STATUS(DeviceEpIncompatibilityDetails_GetReasonsBitmask, const OrtDeviceEpIncompatibilityDetails* details,
                  uint32_t* reasons_bitmask);
  ORT_API2_STATUS(DeviceEpIncompatibilityDetails_GetNotes, const OrtDeviceEpIncompatibilityDetails* details,
                  const char** notes);
  ORT_API2_STATUS(DeviceEpIncompatibilityDetails_GetErrorCode, const OrtDeviceEpIncompatibilityDetails* details,
                  int32_t* error_code);
  ORT_API_T(void, ReleaseDeviceEpIncompatibilityDetails, OrtDeviceEpIncompatibilityDetails* input);

  /* slot 404, API 24: compatibility text of a model */
  ORT_API2_STATUS(GetCompatibilityInfoFromModel, const ORTCHAR_T* model_path, const char* ep_type,
                  OrtAllocator* allocator, char** compatibility_info);
  ORT_API2_STATUS(GetCompatibilityInfoFromModelBytes, const void* model_data, size_t model_data_length,
                  const char* ep_type, OrtAllocator* allocator, char** compatibility_info);

  /* slot 406, API 24: environment, full form */
  ORT_API2_STATUS(CreateEnvWithOptions, const OrtEnvCreationOptions* options, OrtEnv** out);

  /* slot 407, API 24: which provider runs which node */
  ORT_API2_STATUS(Session_GetEpGraphAssignmentInfo, const OrtSession* session,
                  const OrtEpAssignedSubgraph* const** ep_subgraphs, size_t* num_ep_subgraphs);
  ORT_API2_STATUS(EpAssignedSubgraph_GetEpName, const OrtEpAssignedSubgraph* ep_subgraph, const char** out);
  ORT_API2_STATUS(EpAssignedSubgraph_GetNodes, const OrtEpAssignedSubgraph* ep_subgraph,
                  const OrtEpAssignedNode* const** ep_nodes, size_t* num_ep_nodes);
  ORT_API2_STATUS(EpAssignedNode_GetName, const OrtEpAssignedNode* ep_node, const char** out);
  ORT_API2_STATUS(EpAssignedNode_GetDomain, const OrtEpAssignedNode* ep_node, const char** out);
  ORT_API2_STATUS(EpAssignedNode_GetOperatorType, const OrtEpAssignedNode* ep_node, const char** out);

  /* slot 413, API 24: stream of a run */
  ORT_API_T(void, RunOptionsSetSyncStream, OrtRunOptions* options, OrtSyncStream* sync_stream);

  /* slot 414, API 24: type and shape without copies */
  ORT_API2_STATUS(GetTensorElementTypeAndShapeDataReference, const OrtValue* value,
                  ONNXTensorElementDataType* elem_type, const int64_t** shape_data, size_t* shape_data_count);

  /* slot 415, API 25: profile of a single run */
  ORT_API2_STATUS(RunOptionsEnableProfiling, OrtRunOptions* options, const ORTCHAR_T* profile_file_prefix);
  ORT_API2_STATUS(RunOptionsDisableProfiling, OrtRunOptions* options);

  /* slot 417, API 25: string array attribute */
  ORT_API2_STATUS(KernelInfoGetAttributeArray_string, const OrtKernelInfo* info, const char* name,
                  OrtAllocator* allocator, char*** out, size_t* size);

  /* slot 418, API 25: thread pool callbacks */
  ORT_API2_STATUS(SetPerSessionThreadPoolCallbacks, OrtEnv* env, const OrtThreadPoolCallbacksConfig* config);

  /* slot 419, API 27: reading session options */
  ORT_API2_STATUS(GetMemPatternEnabled, const OrtSessionOptions* options, int* out);
  ORT_API2_STATUS(GetSessionExecutionMode, const OrtSessionOptions* options, ExecutionMode* out);

  /* slot 421, API 27: captured graphs */
  ORT_API2_STATUS(SessionReleaseCapturedGraph, OrtSession* session, int graph_annotation_id);

  /* slot 422, API 28: experimental functions */
  ORT_API_T(OrtExperimentalFnPtr, GetExperimentalFunction, const char* name);

  /* slot 423, API 28: stream of a kernel */
  ORT_API2_STATUS(KernelContext_GetSyncStream, const OrtKernelContext* context, OrtSyncStream** out);

  /* slot 424, API 29: models without weights */
  ORT_API2_STATUS(SessionOptionsSetWeightlessSourceModelBuffer, OrtSessionOptions* options,
                  const void* source_model_data, size_t source_model_data_length);

  /* slot 425, API 30: output given by the caller */
  ORT_API2_STATUS(KernelContext_GetPreallocatedOutput, const OrtKernelContext* context, size_t output_index,
                  OrtValue** output);

  /* slot 426, API 31: provider context data */
  ORT_API2_STATUS(SessionOptionsSetEpContextDataReadFunc, OrtSessionOptions* options, OrtReadNamedBufferFunc read_func,
                  void* state);

  /* slot 427, API 31: model packages */
  ORT_API_T(const OrtModelPackageApi*, GetModelPackageApi, void);
};

/// Builds and changes models in memory (OrtApi::GetModelEditorApi).
struct OrtModelEditorApi {
  /* slot 0, API 22: types */
  ORT_API2_STATUS(CreateTensorTypeInfo, const OrtTensorTypeAndShapeInfo* tensor_info, OrtTypeInfo** type_info);
  ORT_API2_STATUS(CreateSparseTensorTypeInfo, const OrtTensorTypeAndShapeInfo* tensor_info, OrtTypeInfo** type_info);
  ORT_API2_STATUS(CreateMapTypeInfo, ONNXTensorElementDataType map_key_type, const OrtTypeInfo* map_value_type,
                  OrtTypeInfo** type_info);
  ORT_API2_STATUS(CreateSequenceTypeInfo, const OrtTypeInfo* sequence_type, OrtTypeInfo** type_info);
  ORT_API2_STATUS(CreateOptionalTypeInfo, const OrtTypeInfo* contained_type, OrtTypeInfo** type_info);

  /* slot 5, API 22: values, nodes, graphs, models */
  ORT_API2_STATUS(CreateValueInfo, const char* name, const OrtTypeInfo* type_info, OrtValueInfo** value_info);
  ORT_API2_STATUS(CreateNode, const char* operator_name, const char* domain_name, const char* node_name,
                  const char* const* input_names, size_t input_names_len, const char* const* output_names,
                  size_t output_names_len, OrtOpAttr** attributes, size_t attribs_len, OrtNode** node);
  ORT_API2_STATUS(CreateGraph, OrtGraph** graph);
  ORT_API2_STATUS(SetGraphInputs, OrtGraph* graph, OrtValueInfo** inputs, size_t inputs_len);
  ORT_API2_STATUS(SetGraphOutputs, OrtGraph* graph, OrtValueInfo** outputs, size_t outputs_len);
  ORT_API2_STATUS(AddInitializerToGraph, OrtGraph* graph, const char* name, OrtValue* tensor, bool data_is_external);
  ORT_API2_STATUS(AddNodeToGraph, OrtGraph* graph, OrtNode* node);
  ORT_API2_STATUS(CreateModel, const char* const* domain_names, const int* opset_versions, size_t opset_entries_len,
                  OrtModel** model);
  ORT_API2_STATUS(AddGraphToModel, OrtModel* model, OrtGraph* graph);

  /* slot 14, API 22: sessions from models */
  ORT_API2_STATUS(CreateSessionFromModel, const OrtEnv* env, const OrtModel* model, const OrtSessionOptions* options,
                  OrtSession** out);
  ORT_API2_STATUS(CreateModelEditorSession, const OrtEnv* env, const ORTCHAR_T* model_path,
                  const OrtSessionOptions* options, OrtSession** out);
  ORT_API2_STATUS(CreateModelEditorSessionFromArray, const OrtEnv* env, const void* model_data,
                  size_t model_data_length, const OrtSessionOptions* options, OrtSession** out);

  /* slot 17, API 22: changing a loaded model */
  ORT_API2_STATUS(SessionGetOpsetForDomain, const OrtSession* session, const char* domain, int* opset);
  ORT_API2_STATUS(ApplyModelToModelEditorSession, OrtSession* session, OrtModel* model);
  ORT_API2_STATUS(FinalizeModelEditorSession, OrtSession* session, const OrtSessionOptions* options,
                  OrtPrepackedWeightsContainer* prepacked_weights_container);
};

/// Compiles a model ahead of time for the providers of the session options (OrtApi::GetCompileApi).
struct OrtCompileApi {
  /* slot 0, API 22 */
  ORT_API_T(void, ReleaseModelCompilationOptions, OrtModelCompilationOptions* input);
  ORT_API2_STATUS(CreateModelCompilationOptionsFromSessionOptions, const OrtEnv* env,
                  const OrtSessionOptions* session_options, OrtModelCompilationOptions** out);
  ORT_API2_STATUS(ModelCompilationOptions_SetInputModelPath, OrtModelCompilationOptions* model_compile_options,
                  const ORTCHAR_T* input_model_path);
  ORT_API2_STATUS(ModelCompilationOptions_SetInputModelFromBuffer, OrtModelCompilationOptions* model_compile_options,
                  const void* input_model_data, size_t input_model_data_size);
  ORT_API2_STATUS(ModelCompilationOptions_SetOutputModelPath, OrtModelCompilationOptions* model_compile_options,
                  const ORTCHAR_T* output_model_path);
  ORT_API2_STATUS(ModelCompilationOptions_SetOutputModelExternalInitializersFile,
                  OrtModelCompilationOptions* model_compile_options, const ORTCHAR_T* external_initializers_file_path,
                  size_t external_initializers_size_threshold);
  ORT_API2_STATUS(ModelCompilationOptions_SetOutputModelBuffer, OrtModelCompilationOptions* model_compile_options,
                  OrtAllocator* allocator, void** output_model_buffer_ptr, size_t* output_model_buffer_size_ptr);
  ORT_API2_STATUS(ModelCompilationOptions_SetEpContextEmbedMode, OrtModelCompilationOptions* model_compile_options,
                  bool embed_ep_context_in_model);
  ORT_API2_STATUS(CompileModel, const OrtEnv* env, const OrtModelCompilationOptions* model_options);

  /* slot 9, API 23 */
  ORT_API2_STATUS(ModelCompilationOptions_SetFlags, OrtModelCompilationOptions* model_compile_options, uint32_t flags);
  ORT_API2_STATUS(ModelCompilationOptions_SetEpContextBinaryInformation,
                  OrtModelCompilationOptions* model_compile_options, const ORTCHAR_T* output_directory,
                  const ORTCHAR_T* model_name);
  ORT_API2_STATUS(ModelCompilationOptions_SetGraphOptimizationLevel, OrtModelCompilationOptions* model_compile_options,
                  GraphOptimizationLevel graph_optimization_level);
  ORT_API2_STATUS(ModelCompilationOptions_SetOutputModelWriteFunc, OrtModelCompilationOptions* model_compile_options,
                  OrtWriteBufferFunc write_func, void* state);
  ORT_API2_STATUS(ModelCompilationOptions_SetOutputModelGetInitializerLocationFunc,
                  OrtModelCompilationOptions* model_compile_options,
                  OrtGetInitializerLocationFunc get_initializer_location_func, void* state);

  /* slot 14, API 25 */
  ORT_API2_STATUS(ModelCompilationOptions_SetInputModel, OrtModelCompilationOptions* model_compile_options,
                  const OrtModel* model);

  /* slot 15, API 29 */
  ORT_API2_STATUS(ModelCompilationOptions_SetWeightlessEnabled, OrtModelCompilationOptions* model_compile_options,
                  bool use_weightless);

  /* slot 16, API 31 */
  ORT_API2_STATUS(ModelCompilationOptions_SetEpContextDataWriteFunc, OrtModelCompilationOptions* model_compile_options,
                  OrtWriteNamedBufferFunc write_func, void* state);
  ORT_API2_STATUS(ModelCompilationOptions_SetOutputModelExternalInitializersBuffer,
                  OrtModelCompilationOptions* model_compile_options, const ORTCHAR_T* logical_file_name,
                  size_t initializer_size_threshold, OrtAllocator* allocator, void** output_buffer,
                  size_t* output_buffer_size);
  ORT_API2_STATUS(ModelCompilationOptions_SetOutputModelExternalInitializersAlignment,
                  OrtModelCompilationOptions* model_compile_options, size_t alignment, size_t minimum_size);
};

/// Shares memory and semaphores with graphics APIs (OrtApi::GetInteropApi).
struct OrtInteropApi {
  /* slot 0, API 24 */
  ORT_API2_STATUS(CreateExternalResourceImporterForDevice, const OrtEpDevice* ep_device,
                  OrtExternalResourceImporter** out_importer);
  ORT_API_T(void, ReleaseExternalResourceImporter, OrtExternalResourceImporter* input);
  ORT_API2_STATUS(CanImportMemory, const OrtExternalResourceImporter* importer, OrtExternalMemoryHandleType handle_type,
                  bool* out_supported);
  ORT_API2_STATUS(ImportMemory, OrtExternalResourceImporter* importer, const OrtExternalMemoryDescriptor* desc,
                  OrtExternalMemoryHandle** out_handle);
  ORT_API_T(void, ReleaseExternalMemoryHandle, OrtExternalMemoryHandle* input);
  ORT_API2_STATUS(CreateTensorFromMemory, OrtExternalResourceImporter* importer,
                  const OrtExternalMemoryHandle* mem_handle, const OrtExternalTensorDescriptor* tensor_desc,
                  OrtValue** out_tensor);
  ORT_API2_STATUS(CanImportSemaphore, const OrtExternalResourceImporter* importer, OrtExternalSemaphoreType type,
                  bool* out_supported);
  ORT_API2_STATUS(ImportSemaphore, OrtExternalResourceImporter* importer, const OrtExternalSemaphoreDescriptor* desc,
                  OrtExternalSemaphoreHandle** out_handle);
  ORT_API_T(void, ReleaseExternalSemaphoreHandle, OrtExternalSemaphoreHandle* input);
  ORT_API2_STATUS(WaitSemaphore, OrtExternalResourceImporter* importer, OrtExternalSemaphoreHandle* semaphore_handle,
                  OrtSyncStream* stream, uint64_t value);
  ORT_API2_STATUS(SignalSemaphore, OrtExternalResourceImporter* importer, OrtExternalSemaphoreHandle* semaphore_handle,
                  OrtSyncStream* stream, uint64_t value);

  /* slot 11, API 25 */
  ORT_API2_STATUS(InitGraphicsInteropForEpDevice, const OrtEpDevice* ep_device, const OrtGraphicsInteropConfig* config);
  ORT_API2_STATUS(DeinitGraphicsInteropForEpDevice, const OrtEpDevice* ep_device);
};

/// Opens packages that hold several variants of a model (OrtApi::GetModelPackageApi).
struct OrtModelPackageApi {
  /* slot 0, API 31 */
  ORT_API2_STATUS(CreateModelPackageOptionsFromSessionOptions, const OrtEnv* env,
                  const OrtSessionOptions* session_options, OrtModelPackageOptions** out);
  ORT_API_T(void, ReleaseModelPackageOptions, OrtModelPackageOptions* value);
  ORT_API2_STATUS(CreateModelPackageContext, const ORTCHAR_T* package_root, OrtModelPackageContext** out);
  ORT_API_T(void, ReleaseModelPackageContext, OrtModelPackageContext* value);
  ORT_API2_STATUS(ModelPackage_GetSchemaVersion, const OrtModelPackageContext* ctx, int64_t* out_version);
  ORT_API2_STATUS(ModelPackage_GetComponentCount, const OrtModelPackageContext* ctx, size_t* out_version);
  ORT_API2_STATUS(ModelPackage_GetComponentNames, const OrtModelPackageContext* ctx, const char* const** out_names,
                  size_t* out_count);
  ORT_API2_STATUS(ModelPackage_GetVariantCount, const OrtModelPackageContext* ctx, const char* component_name,
                  size_t* out_count);
  ORT_API2_STATUS(ModelPackage_GetVariantNames, const OrtModelPackageContext* ctx, const char* component_name,
                  const char* const** out_variant_names, size_t* out_count);
  ORT_API2_STATUS(ModelPackage_GetVariantEpName, const OrtModelPackageContext* ctx, const char* component_name,
                  const char* variant_name, const char** out_ep);
  ORT_API2_STATUS(ModelPackage_ResolveStringRef, const OrtModelPackageContext* ctx, const char* base_dir,
                  const char* input, int must_exist, const char** out_path);
  ORT_API2_STATUS(SelectComponent, const OrtModelPackageContext* ctx, const char* component_name,
                  const OrtModelPackageOptions* options, OrtModelPackageComponentContext** out);
  ORT_API_T(void, ReleaseModelPackageComponentContext, OrtModelPackageComponentContext* value);
  ORT_API2_STATUS(ModelPackageComponent_GetSelectedVariantName, const OrtModelPackageComponentContext* ctx,
                  const char** out_name);
  ORT_API2_STATUS(ModelPackageComponent_GetSelectedVariantFolderPath, const OrtModelPackageComponentContext* ctx,
                  const ORTCHAR_T** folder_path);
  ORT_API2_STATUS(CreateSession, const OrtEnv* env, const OrtModelPackageComponentContext* ctx,
                  const OrtSessionOptions* session_options, OrtSession** session);
};

#ifdef __cplusplus
}
#endif

#include "onnxruntime_ep_c_api.h"
