// Names of the configuration entries of a run (OrtApi::AddRunConfigEntry).
// SPDX-License-Identifier: MIT
#pragma once

/// Arenas that give memory back after the run, e.g. "cpu:0;gpu:0".
static const char* const kOrtRunOptionsConfigEnableMemoryArenaShrinkage = "memory.enable_memory_arena_shrinkage";
/// "1": do not wait for the devices at the end.
static const char* const kOrtRunOptionsConfigDisableSynchronizeExecutionProviders =
    "disable_synchronize_execution_providers";
/// QNN: power mode before the run.
static const char* const kOrtRunOptionsConfigQnnPerfMode = "qnn.htp_perf_mode";
/// QNN: power mode after the run.
static const char* const kOrtRunOptionsConfigQnnPerfModePostRun = "qnn.htp_perf_mode_post_run";
/// QNN: control latency.
static const char* const kOrtRunOptionsConfigQnnRpcControlLatency = "qnn.rpc_control_latency";
/// Which captured graph to use; "-1": none in this run.
static const char* const kOrtRunOptionsConfigCudaGraphAnnotation = "gpu_graph_id";
