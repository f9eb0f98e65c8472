// Names of well-known entries in the metadata of providers and devices.
// SPDX-License-Identifier: MIT
#pragma once

/// Version of the provider.
static const char* const kOrtEpDevice_EpMetadataKey_Version = "version";
/// Version of the driver, four numbers with dots.
static const char* const kOrtEpDevice_EpMetadataKey_OSDriverVersion = "os_driver_version";
/// Prefix in the metadata of a model; the provider type follows.
static const char* const kOrtModelMetadata_EpCompatibilityInfoPrefix = "ep_compatibility_info.";
/// File that the provider was loaded from.
static const char* const kOrtEpDevice_EpMetadataKey_LibraryPath = "library_path";
/// "1": not a physical device.
static const char* const kOrtHardwareDevice_MetadataKey_IsVirtual = "is_virtual";
