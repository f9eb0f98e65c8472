// For tests: runs a piece of code once for every instruction set that was compiled and that this machine has.
// SPDX-License-Identifier: MIT
#pragma once
#include <hwy/highway.h>

namespace tenon::kernels {

template <class F>
void for_each_target(const F& body) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    body(hwy::TargetName(target));
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace tenon::kernels
