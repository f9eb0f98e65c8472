// Names of the configuration entries of a session (OrtApi::AddSessionConfigEntry).
// SPDX-License-Identifier: MIT
#pragma once

/* ---- Loading and saving ---- */

/// "ONNX" or "ORT"; overrides what the file name and the bytes say.
static const char* const kOrtSessionOptionsConfigLoadModelFormat = "session.load_model_format";
/// "ONNX" or "ORT", for the optimised model.
static const char* const kOrtSessionOptionsConfigSaveModelFormat = "session.save_model_format";
/// Folder of the external data of a model that comes from memory.
static const char* const kOrtSessionOptionsModelExternalInitializersFileFolderPath =
    "session.model_external_initializers_file_folder_path";
/// File that takes the large initializers of the optimised model.
static const char* const kOrtSessionOptionsOptimizedModelExternalInitializersFileName =
    "session.optimized_model_external_initializers_file_name";
/// Smallest initializer, in bytes, that goes there (1024).
static const char* const kOrtSessionOptionsOptimizedModelExternalInitializersMinSizeInBytes =
    "session.optimized_model_external_initializers_min_size_in_bytes";
/// "1": store packed weights in that file too.
static const char* const kOrtSessionOptionsSavePrePackedConstantInitializers =
    "session.save_external_prepacked_constant_initializers";
/// "1": the session reads the caller's buffer of an ORT-format model and does not copy it.
static const char* const kOrtSessionOptionsConfigUseORTModelBytesDirectly = "session.use_ort_model_bytes_directly";
/// "1": initializers alias that buffer.
static const char* const kOrtSessionOptionsConfigUseORTModelBytesForInitializers =
    "session.use_ort_model_bytes_for_initializers";
/// "1": map an ORT-format file.
static const char* const kOrtSessionOptionsConfigUseMemoryMappedOrtModel = "session.use_memory_mapped_ort_model";
/// "1": a contradiction found by type or shape inference fails the load.
static const char* const kOrtSessionOptionsConfigStrictShapeTypeInference = "session.strict_shape_type_inference";
/// "0": operator sets newer than the newest release may be tried.
static const char* const kOrtSessionOptionsConfigStrictAllowReleasedOpsetsOnly = "session.allow_released_opsets_only";

/* ---- Optimising ---- */

/// Names of passes to skip, separated by semicolons.
static const char* const kOrtSessionOptionsDisableSpecifiedOptimizers = "optimization.disable_specified_optimizers";
/// "1": Gelu may be computed by its tanh approximation.
static const char* const kOrtSessionOptionsEnableGeluApproximation = "optimization.enable_gelu_approximation";
/// "1": remove chains of Cast.
static const char* const kOrtSessionOptionsEnableCastChainElimination = "optimization.enable_cast_chain_elimination";
/// "save", "apply" or empty.
static const char* const kOrtSessionOptionsConfigMinimalBuildOptimizations = "optimization.minimal_build_optimizations";
/// "1": functions are not inlined before partitioning.
static const char* const kOrtSessionOptionsDisableAheadOfTimeFunctionInlining = "session.disable_aot_function_inlining";
/// "1": no quantised operators from QuantizeLinear and DequantizeLinear pairs.
static const char* const kOrtSessionOptionsDisableQuantQDQ = "session.disable_quant_qdq";
/// "1": keep doubled pairs.
static const char* const kOrtSessionOptionsDisableDoubleQDQRemover = "session.disable_double_qdq_remover";
/// "1": remove pairs that are left over.
static const char* const kOrtSessionOptionsEnableQuantQDQCleanup = "session.enable_quant_qdq_cleanup";
/// "1": int8 activations are allowed.
static const char* const kOrtSessionOptionsQDQIsInt8Allowed = "session.qdqisint8allowed";
/// accuracy_level of MatMulNBits made from DequantizeLinear and MatMul.
static const char* const kOrtSessionOptionsQDQMatMulNBitsAccuracyLevel = "session.qdq_matmulnbits_accuracy_level";
/// "1": exact 8-bit products on processors whose fast form saturates.
static const char* const kOrtSessionOptionsAvx2PrecisionMode = "session.x64quantprecision";
/// "1": float32 matrix products may use bfloat16.
static const char* const kOrtSessionOptionsMlasGemmFastMathArm64Bfloat16 = "mlas.enable_gemm_fastmath_arm64_bfloat16";

/* ---- Memory and threads ---- */

/// "1": weights stay as they are.
static const char* const kOrtSessionOptionsConfigDisablePrepacking = "session.disable_prepacking";
/// "1": use the allocators registered on the environment.
static const char* const kOrtSessionOptionsConfigUseEnvAllocators = "session.use_env_allocators";
/// "1": initializers do not come from the arena.
static const char* const kOrtSessionOptionsUseDeviceAllocatorForInitializers =
    "session.use_device_allocator_for_initializers";
/// "1": denormal numbers count as zero on the session's threads.
static const char* const kOrtSessionOptionsConfigSetDenormalAsZero = "session.set_denormal_as_zero";
/// "0": idle threads sleep at once.
static const char* const kOrtSessionOptionsConfigAllowInterOpSpinning = "session.inter_op.allow_spinning";
/// "0": idle threads sleep at once.
static const char* const kOrtSessionOptionsConfigAllowIntraOpSpinning = "session.intra_op.allow_spinning";
/// How finely work is split; "0" is static.
static const char* const kOrtSessionOptionsConfigDynamicBlockBase = "session.dynamic_block_base";
/// "1": threads stop spinning when the last run returns.
static const char* const kOrtSessionOptionsConfigForceSpinningStop = "session.force_spinning_stop";
/// Processors of each worker, e.g. "1,2;3-4".
static const char* const kOrtSessionOptionsConfigIntraOpThreadAffinities = "session.intra_op_thread_affinities";
/// File that assigns nodes to streams.
static const char* const kNodePartitionConfigFile = "session.node_partition_config_file";
/// File that receives the memory use of each node.
static const char* const kOrtSessionOptionsCollectNodeMemoryStatsToFile = "session.collect_node_memory_stats_to_file";
/// Memory limit and statistics file for placing nodes on CUDA.
static const char* const kOrtSessionOptionsResourceCudaPartitioningSettings =
    "session.resource_cuda_partitioning_settings";
/// "1": save intermediate models.
static const char* const kDebugLayoutTransformation = "session.debug_layout_transformation";

/* ---- Providers ---- */

/// "1": loading fails when a node would fall back to the CPU.
static const char* const kOrtSessionOptionsDisableCPUEPFallback = "session.disable_cpu_ep_fallback";
/// Operators after which NNAPI takes no nodes.
static const char* const kOrtSessionOptionsConfigNnapiEpPartitioningStopOps = "ep.nnapi.partitioning_stop_ops";
/// "1": write a model with compiled parts.
static const char* const kOrtSessionOptionEpContextEnable = "ep.context_enable";
/// Path of that model.
static const char* const kOrtSessionOptionEpContextFilePath = "ep.context_file_path";
/// "1": compiled parts go inside the model.
static const char* const kOrtSessionOptionEpContextEmbedMode = "ep.context_embed_mode";
/// Prefix of the names of compiled nodes.
static const char* const kOrtSessionOptionEpContextNodeNamePrefix = "ep.context_node_name_prefix";
/// "1": sessions share compiled parts.
static const char* const kOrtSessionOptionShareEpContexts = "ep.share_ep_contexts";
/// "1": the last session that shares.
static const char* const kOrtSessionOptionStopShareEpContexts = "ep.stop_share_ep_contexts";
/// External data file of the model with compiled parts.
static const char* const kOrtSessionOptionsEpContextModelExternalInitializersFileName =
    "ep.context_model_external_initializers_file_name";
/// "1": loading fails when a provider would have to compile.
static const char* const kOrtSessionOptionsDisableModelCompile = "session.disable_model_compile";
/// "1": refuse compiled models that do not fit the device best.
static const char* const kOrtSessionOptionsFailOnSuboptimalCompiledModel = "session.fail_on_suboptimal_compiled_model";
/// Key of SetEpDynamicOptions: "Default" or "Efficient".
static const char* const kOrtEpDynamicOptionsWorkloadType = "ep.dynamic.workload_type";
