// Which provider runs which node, compiled-model compatibility, and other answers that are simple with one CPU
// provider. SPDX-License-Identifier: MIT
#include <cstring>

#include "abi/entry.h"
#include "abi/session.h"
#include "model/read.h"
#include "ort/onnxruntime_ep_device_ep_metadata_keys.h"

struct OrtEpAssignedNode {
  std::string name, domain, op;
};
struct OrtEpAssignedSubgraph {
  std::string provider;
  std::vector<OrtEpAssignedNode> nodes;
  std::vector<const OrtEpAssignedNode*> node_list;
};
struct OrtAssignments {
  std::vector<OrtEpAssignedSubgraph> subgraphs;
  std::vector<const OrtEpAssignedSubgraph*> list;
};
struct OrtExternalInitializerInfo {
  std::string path;
  int64_t offset;
  size_t size;
};
struct OrtDeviceEpIncompatibilityDetails {
  uint32_t reasons = 0;
  int32_t code = 0;
  std::string notes;
};

namespace tenon::abi {

OrtStatus* slots::Session_GetEpGraphAssignmentInfo(const OrtSession* session,
                                                   const OrtEpAssignedSubgraph* const** ep_subgraphs,
                                                   size_t* num_ep_subgraphs) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(session, ep_subgraphs, num_ep_subgraphs);
    if (!session->options.on("session.record_ep_graph_assignment_info"))
      return error(Code::kFail,
                   "Session configuration entry 'session.record_ep_graph_assignment_info' must be set to \"1\" to "
                   "retrieve EP graph assignment information.");
    TENON_TRY(check_ready(*session));
    auto& s = *const_cast<OrtSession*>(session);
    const std::lock_guard lock(s.assignments_mutex);
    if (!s.assignments) {
      auto made = std::make_shared<OrtAssignments>();
      for (const ir::Node& n : session->session->program().model().main().nodes())
        made->subgraphs.push_back({"CPUExecutionProvider", {{n.name, n.domain, n.op}}, {}});
      for (OrtEpAssignedSubgraph& g : made->subgraphs) {
        g.node_list = {&g.nodes[0]};
        made->list.push_back(&g);
      }
      s.assignments = std::move(made);
    }
    *ep_subgraphs = s.assignments->list.data();
    *num_ep_subgraphs = s.assignments->list.size();
    return {};
  });
}

OrtStatus* slots::EpAssignedSubgraph_GetEpName(const OrtEpAssignedSubgraph* ep_subgraph, const char** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ep_subgraph, out);
    *out = ep_subgraph->provider.c_str();
    return {};
  });
}

OrtStatus* slots::EpAssignedSubgraph_GetNodes(const OrtEpAssignedSubgraph* ep_subgraph,
                                              const OrtEpAssignedNode* const** ep_nodes,
                                              size_t* num_ep_nodes) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ep_subgraph, ep_nodes, num_ep_nodes);
    *ep_nodes = ep_subgraph->node_list.data();
    *num_ep_nodes = ep_subgraph->node_list.size();
    return {};
  });
}

namespace {

OrtStatus* node_text(const OrtEpAssignedNode* node, std::string OrtEpAssignedNode::* member,
                     const char** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(node, out);
    *out = (node->*member).c_str();
    return {};
  });
}

}  // namespace

OrtStatus* slots::EpAssignedNode_GetName(const OrtEpAssignedNode* ep_node, const char** out) noexcept {
  return node_text(ep_node, &OrtEpAssignedNode::name, out);
}
OrtStatus* slots::EpAssignedNode_GetDomain(const OrtEpAssignedNode* ep_node, const char** out) noexcept {
  return node_text(ep_node, &OrtEpAssignedNode::domain, out);
}
OrtStatus* slots::EpAssignedNode_GetOperatorType(const OrtEpAssignedNode* ep_node, const char** out) noexcept {
  return node_text(ep_node, &OrtEpAssignedNode::op, out);
}

// ---- external initializer descriptions ----

OrtStatus* slots::CreateExternalInitializerInfo(const char* filepath, int64_t file_offset, size_t byte_size,
                                                OrtExternalInitializerInfo** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(filepath, out);
    *out = new OrtExternalInitializerInfo{filepath, file_offset, byte_size};
    return {};
  });
}
void slots::ReleaseExternalInitializerInfo(OrtExternalInitializerInfo* input) noexcept { delete input; }
const char* slots::ExternalInitializerInfo_GetFilePath(const OrtExternalInitializerInfo* info) noexcept {
  return info ? info->path.c_str() : "";
}
int64_t slots::ExternalInitializerInfo_GetFileOffset(const OrtExternalInitializerInfo* info) noexcept {
  return info ? info->offset : 0;
}
size_t slots::ExternalInitializerInfo_GetByteSize(const OrtExternalInitializerInfo* info) noexcept {
  return info ? info->size : 0;
}

// ---- devices and compiled models ----

OrtStatus* slots::GetHardwareDeviceEpIncompatibilityDetails(const OrtEnv* env, const char* ep_name,
                                                            const OrtHardwareDevice* hw,
                                                            OrtDeviceEpIncompatibilityDetails** details) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(env, ep_name, hw, details);
    if (std::strcmp(ep_name, "CPUExecutionProvider") != 0) return invalid("There is no provider named ", ep_name);
    *details = new OrtDeviceEpIncompatibilityDetails();
    return {};
  });
}
OrtStatus* slots::DeviceEpIncompatibilityDetails_GetReasonsBitmask(const OrtDeviceEpIncompatibilityDetails* details,
                                                                   uint32_t* reasons_bitmask) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(details, reasons_bitmask);
    *reasons_bitmask = details->reasons;
    return {};
  });
}
OrtStatus* slots::DeviceEpIncompatibilityDetails_GetNotes(const OrtDeviceEpIncompatibilityDetails* details,
                                                          const char** notes) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(details, notes);
    *notes = details->notes.empty() ? nullptr : details->notes.c_str();
    return {};
  });
}
OrtStatus* slots::DeviceEpIncompatibilityDetails_GetErrorCode(const OrtDeviceEpIncompatibilityDetails* details,
                                                              int32_t* error_code) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(details, error_code);
    *error_code = details->code;
    return {};
  });
}
void slots::ReleaseDeviceEpIncompatibilityDetails(OrtDeviceEpIncompatibilityDetails* input) noexcept { delete input; }

OrtStatus* slots::GetModelCompatibilityForEpDevices(const OrtEpDevice* const* devices, size_t num_ep_devices,
                                                    const char* compatibility_info,
                                                    OrtCompiledModelCompatibility* out_status) noexcept {
  return guarded([&]() -> Status {
    if (num_ep_devices == 0) return invalid("Empty 'ep_devices' array.");
    TENON_REQUIRE(devices, compatibility_info, out_status);
    *out_status = OrtCompiledModelCompatibility_EP_NOT_APPLICABLE;  // the CPU provider compiles nothing ahead
    return {};
  });
}

namespace {

Status compatibility_text(const ir::Model& model, const char* ep_type, OrtAllocator* allocator, char** out) {
  *out = nullptr;
  const std::string key = cat(kOrtModelMetadata_EpCompatibilityInfoPrefix, ep_type);
  for (const auto& [name, text] : model.metadata)
    if (name == key) return allocate_text(allocator, text, out);
  return {};
}

}  // namespace

OrtStatus* slots::GetCompatibilityInfoFromModel(const char* model_path, const char* ep_type, OrtAllocator* allocator,
                                                char** compatibility_info) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(model_path, ep_type, allocator, compatibility_info);
    TENON_ASSIGN(auto model, model::read_model_file(model_path, {}));
    return compatibility_text(*model, ep_type, allocator, compatibility_info);
  });
}

OrtStatus* slots::GetCompatibilityInfoFromModelBytes(const void* model_data, size_t model_data_length,
                                                     const char* ep_type, OrtAllocator* allocator,
                                                     char** compatibility_info) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(model_data, ep_type, allocator, compatibility_info);
    model::ReadOptions options;
    options.borrow = true;
    TENON_ASSIGN(auto model,
                 model::read_model_bytes({static_cast<const uint8_t*>(model_data), model_data_length}, options));
    return compatibility_text(*model, ep_type, allocator, compatibility_info);
  });
}

OrtStatus* slots::CreateSyncStreamForEpDevice(const OrtEpDevice* ep_device, const OrtKeyValuePairs*,
                                              OrtSyncStream** stream) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ep_device, stream);
    return invalid("ep_device does not use DEFAULT memory of a non-CPU device.");
  });
}

// The CPU provider has no options that change between runs and captures no graphs: both are accepted and change
// nothing.
OrtStatus* slots::SetEpDynamicOptions(OrtSession* sess, const char* const* keys, const char* const* values,
                                      size_t kv_len) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(sess);
    if (kv_len == 0) return invalid("no keys were given");
    TENON_REQUIRE(keys, values);
    return {};
  });
}
OrtStatus* slots::SessionReleaseCapturedGraph(OrtSession* session, int) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(session);
    return {};
  });
}

}  // namespace tenon::abi
