// The C table of on-device training (OrtTrainingApi). GetTrainingApi answers NULL where training is not built in.
// SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>

#include "onnxruntime_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OrtTrainingSession OrtTrainingSession;
typedef struct OrtCheckpointState OrtCheckpointState;

/// Type of a property in a checkpoint.
typedef enum OrtPropertyType {
  OrtIntProperty = 0,
  OrtFloatProperty = 1,
  OrtStringProperty = 2,
} OrtPropertyType;

/// Training on the device (OrtApi::GetTrainingApi).
struct OrtTrainingApi {
  /* slot 0 */
  ORT_API2_STATUS(LoadCheckpoint, const ORTCHAR_T* checkpoint_path, OrtCheckpointState** checkpoint_state);
  ORT_API2_STATUS(SaveCheckpoint, OrtCheckpointState* checkpoint_state, const ORTCHAR_T* checkpoint_path,
                  bool include_optimizer_state);
  ORT_API2_STATUS(CreateTrainingSession, const OrtEnv* env, const OrtSessionOptions* options,
                  OrtCheckpointState* checkpoint_state, const ORTCHAR_T* train_model_path,
                  const ORTCHAR_T* eval_model_path, const ORTCHAR_T* optimizer_model_path, OrtTrainingSession** out);
  ORT_API2_STATUS(CreateTrainingSessionFromBuffer, const OrtEnv* env, const OrtSessionOptions* options,
                  OrtCheckpointState* checkpoint_state, const void* train_model_data, size_t train_data_length,
                  const void* eval_model_data, size_t eval_data_length, const void* optimizer_model_data,
                  size_t optimizer_data_length, OrtTrainingSession** out);
  ORT_API2_STATUS(TrainingSessionGetTrainingModelOutputCount, const OrtTrainingSession* sess, size_t* out);
  ORT_API2_STATUS(TrainingSessionGetEvalModelOutputCount, const OrtTrainingSession* sess, size_t* out);
  ORT_API2_STATUS(TrainingSessionGetTrainingModelOutputName, const OrtTrainingSession* sess, size_t index,
                  OrtAllocator* allocator, char** output);
  ORT_API2_STATUS(TrainingSessionGetEvalModelOutputName, const OrtTrainingSession* sess, size_t index,
                  OrtAllocator* allocator, char** output);
  ORT_API2_STATUS(LazyResetGrad, OrtTrainingSession* session);
  ORT_API2_STATUS(TrainStep, OrtTrainingSession* session, const OrtRunOptions* run_options, size_t inputs_len,
                  const OrtValue* const* inputs, size_t outputs_len, OrtValue** outputs);
  ORT_API2_STATUS(EvalStep, OrtTrainingSession* session, const OrtRunOptions* run_options, size_t inputs_len,
                  const OrtValue* const* inputs, size_t outputs_len, OrtValue** outputs);
  ORT_API2_STATUS(SetLearningRate, OrtTrainingSession* session, float learning_rate);
  ORT_API2_STATUS(GetLearningRate, OrtTrainingSession* session, float* learning_rate);
  ORT_API2_STATUS(OptimizerStep, OrtTrainingSession* session, const OrtRunOptions* run_options);
  ORT_API2_STATUS(RegisterLinearLRScheduler, OrtTrainingSession* session, int64_t warmup_step_count,
                  int64_t total_step_count, float initial_lr);
  ORT_API2_STATUS(SchedulerStep, OrtTrainingSession* session);
  ORT_API2_STATUS(GetParametersSize, OrtTrainingSession* session, size_t* out, bool trainable_only);
  ORT_API2_STATUS(CopyParametersToBuffer, OrtTrainingSession* session, OrtValue* parameters_buffer,
                  bool trainable_only);
  ORT_API2_STATUS(CopyBufferToParameters, OrtTrainingSession* session, OrtValue* parameters_buffer,
                  bool trainable_only);
  ORT_API_T(void, ReleaseTrainingSession, OrtTrainingSession* input);
  ORT_API_T(void, ReleaseCheckpointState, OrtCheckpointState* input);
  ORT_API2_STATUS(ExportModelForInferencing, OrtTrainingSession* session, const ORTCHAR_T* inference_model_path,
                  size_t graph_outputs_len, const char* const* graph_output_names);
  ORT_API2_STATUS(SetSeed, int64_t seed);
  ORT_API2_STATUS(TrainingSessionGetTrainingModelInputCount, const OrtTrainingSession* session, size_t* out);
  ORT_API2_STATUS(TrainingSessionGetEvalModelInputCount, const OrtTrainingSession* session, size_t* out);
  ORT_API2_STATUS(TrainingSessionGetTrainingModelInputName, const OrtTrainingSession* session, size_t index,
                  OrtAllocator* allocator, char** output);
  ORT_API2_STATUS(TrainingSessionGetEvalModelInputName, const OrtTrainingSession* session, size_t index,
                  OrtAllocator* allocator, char** output);
  ORT_API2_STATUS(AddProperty, OrtCheckpointState* checkpoint_state, const char* property_name,
                  OrtPropertyType property_type, const void* property_value);
  ORT_API2_STATUS(GetProperty, OrtCheckpointState* checkpoint_state, const char* property_name, OrtAllocator* allocator,
                  OrtPropertyType* property_type, const void** property_value);
  ORT_API2_STATUS(LoadCheckpointFromBuffer, const void* checkpoint_buffer, size_t num_bytes,
                  OrtCheckpointState** checkpoint_state);
  ORT_API2_STATUS(GetParameterTypeAndShape, const OrtCheckpointState* checkpoint_state, const char* parameter_name,
                  OrtTensorTypeAndShapeInfo** parameter_type_and_shape);
  ORT_API2_STATUS(UpdateParameter, OrtCheckpointState* checkpoint_state, const char* parameter_name,
                  OrtValue* parameter);
  ORT_API2_STATUS(GetParameter, const OrtCheckpointState* checkpoint_state, const char* parameter_name,
                  OrtAllocator* allocator, OrtValue** parameter);
};

#ifdef __cplusplus
}
#endif
