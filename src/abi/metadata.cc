// Model metadata.
// SPDX-License-Identifier: MIT
#include <cstring>

#include "abi/entry.h"
#include "abi/session.h"

struct OrtModelMetadata {
  tenon::session::Metadata data;
};

namespace tenon::abi {

namespace {

OrtStatus* text(const OrtModelMetadata* metadata, std::string session::Metadata::* member, OrtAllocator* allocator,
                char** value) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(metadata, allocator, value);
    return allocate_text(allocator, metadata->data.*member, value);
  });
}

}  // namespace

OrtStatus* slots::SessionGetModelMetadata(const OrtSession* session, OrtModelMetadata** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(session, out);
    TENON_TRY(check_ready(*session));
    *out = new OrtModelMetadata{session->session->metadata()};
    return {};
  });
}

void slots::ReleaseModelMetadata(OrtModelMetadata* input) noexcept { delete input; }

OrtStatus* slots::ModelMetadataGetProducerName(const OrtModelMetadata* model_metadata, OrtAllocator* allocator,
                                               char** value) noexcept {
  return text(model_metadata, &session::Metadata::producer, allocator, value);
}
OrtStatus* slots::ModelMetadataGetGraphName(const OrtModelMetadata* model_metadata, OrtAllocator* allocator,
                                            char** value) noexcept {
  return text(model_metadata, &session::Metadata::graph_name, allocator, value);
}
OrtStatus* slots::ModelMetadataGetDomain(const OrtModelMetadata* model_metadata, OrtAllocator* allocator,
                                         char** value) noexcept {
  return text(model_metadata, &session::Metadata::domain, allocator, value);
}
OrtStatus* slots::ModelMetadataGetDescription(const OrtModelMetadata* model_metadata, OrtAllocator* allocator,
                                              char** value) noexcept {
  return text(model_metadata, &session::Metadata::description, allocator, value);
}
OrtStatus* slots::ModelMetadataGetGraphDescription(const OrtModelMetadata* model_metadata, OrtAllocator* allocator,
                                                   char** value) noexcept {
  return text(model_metadata, &session::Metadata::graph_description, allocator, value);
}

OrtStatus* slots::ModelMetadataGetVersion(const OrtModelMetadata* model_metadata, int64_t* value) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(model_metadata, value);
    *value = model_metadata->data.version;
    return {};
  });
}

OrtStatus* slots::ModelMetadataLookupCustomMetadataMap(const OrtModelMetadata* model_metadata, OrtAllocator* allocator,
                                                       const char* key, char** value) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(model_metadata, allocator, key, value);
    *value = nullptr;
    for (const auto& [name, text] : model_metadata->data.custom)
      if (name == key) return allocate_text(allocator, text, value);
    return {};
  });
}

OrtStatus* slots::ModelMetadataGetCustomMetadataMapKeys(const OrtModelMetadata* model_metadata, OrtAllocator* allocator,
                                                        char*** keys, int64_t* num_keys) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(model_metadata, allocator, keys, num_keys);
    const auto& custom = model_metadata->data.custom;
    *keys = nullptr;
    *num_keys = static_cast<int64_t>(custom.size());
    if (custom.empty()) return {};
    void* memory = nullptr;
    TENON_TRY(allocate_bytes(allocator, custom.size() * sizeof(char*), &memory));
    char** list = static_cast<char**>(memory);
    for (size_t i = 0; i < custom.size(); ++i) {
      Status s = allocate_text(allocator, custom[i].first, &list[i]);
      if (s.ok()) continue;
      while (i-- > 0) allocator->Free(allocator, list[i]);
      allocator->Free(allocator, list);
      return s;
    }
    *keys = list;
    return {};
  });
}

}  // namespace tenon::abi
