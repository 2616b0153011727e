// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/time.h"

namespace drover {

// The verdict on the health of an allocation. It is given at most once and never changes.
struct AllocHealth {
  bool healthy = false;
  WallTime timestamp = 0;  // when the verdict was given

  bool operator==(const AllocHealth&) const = default;
};

}  // namespace drover
