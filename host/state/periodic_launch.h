// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/base/time.h"

namespace drover {

// The newest launch of a periodic job. It is written together with the child that was launched, and
// with the registration of the job. So no agent launches a child twice, and the next agent sees
// which launches it has missed.
struct PeriodicLaunch {
  std::string job_namespace;
  std::string job_id;
  WallTime launch = 0;  // the time for which the launch was planned, or of the registration
  std::uint64_t create_index = 0;
  std::uint64_t modify_index = 0;

  bool operator==(const PeriodicLaunch&) const = default;
};

}  // namespace drover
