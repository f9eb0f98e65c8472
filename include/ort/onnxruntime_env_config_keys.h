// Names of the configuration entries of an environment (OrtApi::CreateEnvWithOptions).
// SPDX-License-Identifier: MIT
#pragma once

/// "1": providers may add devices that are not physical.
static const char* const kOrtEnvAllowVirtualDevices = "allow_virtual_devices";
