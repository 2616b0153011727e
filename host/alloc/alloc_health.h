// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/time.h"

namespace drover {

// The verdict on the health of an allocation. Its node gives it at most once in each deployment,
// and once outside of deployments.
struct AllocHealth {
  bool healthy = false;
  WallTime timestamp = 0;  // when the verdict was given

  bool operator==(const AllocHealth&) const = default;
};

}  // namespace drover
