// Custom operators of clients (OrtCustomOp) as operators of the registry.
// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "abi/log.h"
#include "abi/memory.h"
#include "abi/op_attr.h"
#include "abi/options.h"
#include "abi/type_info.h"
#include "opdef/infer.h"
#include "opdef/kernel.h"
#include "opdef/registry.h"

namespace tenon::abi {

/// What all custom operators of a session share.
struct CustomContext {
  std::map<std::string, std::string, std::less<>> config;
  const OrtLogger* logger = nullptr;
  const opdef::Registry* registry = nullptr;
  /// Handles to constants that clients were given, kept as long as the session.
  mutable std::mutex mutex;
  mutable std::map<const Tensor*, ValueRef> constants;
};

/// One operator of the registry; `variants` are client operators of this name for other types or versions.
struct CustomOp : opdef::OpDef {
  std::string name_text, domain_text;
  std::vector<const OrtCustomOp*> variants;
  opdef::KernelList kernels;
  const CustomContext* context = nullptr;

  static const CustomOp& of(const ir::Node& node) { return *static_cast<const CustomOp*>(node.def); }
};

/// The client's functions, which older structures do not have.
OrtCustomOpInputOutputCharacteristic input_kind(const OrtCustomOp& op, size_t i);
OrtCustomOpInputOutputCharacteristic output_kind(const OrtCustomOp& op, size_t i);
int start_version(const OrtCustomOp& op);
int end_version(const OrtCustomOp& op);

/// The variant whose input types are those of the node.
Result<const OrtCustomOp*> choose_variant(const CustomOp& def, const ir::Node& node,
                                          const std::vector<DType>& input_types);

/// Shape rule and kernel of every custom operator.
Status infer_custom(opdef::InferContext& c);
Result<opdef::StatePtr> pack_custom(opdef::PackContext& c);
Status run_custom(opdef::KernelContext& c);

/// The table that callbacks get.
const OrtApi* api_table();

}  // namespace tenon::abi

/// The node a kernel is made for. Valid as long as the session; copies are the client's.
struct OrtKernelInfo {
  const tenon::ir::Node* node;
  const tenon::abi::CustomContext* context;
};

/// What a shape rule of the client sees while it runs.
struct OrtShapeInferContext {
  tenon::opdef::InferContext* c;
  std::deque<OrtOpAttr> attributes;                   ///< handed out
  std::deque<OrtTensorTypeAndShapeInfo> input_types;  ///< handed out; the client does not free them
};

/// What a custom operator sees while it runs.
struct OrtKernelContext {
  tenon::opdef::KernelContext* c;
  const tenon::abi::CustomContext* context;
  std::vector<tenon::ValueRef> inputs, outputs;  ///< handed out
};
