// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace drover {

// How far a driver is with a long call for a task. The texts are valid UTF-8 on one line.
struct TaskProgress {
  std::string phase;        // what the driver does: "Pulling image"; may be empty
  std::uint64_t done = 0;   // in units
  std::uint64_t total = 0;  // 0: unknown
  std::string unit;         // "bytes", or a plural such as "layers"
  std::string text;         // anything that the driver adds

  bool operator==(const TaskProgress&) const = default;
};

// Receives reports on the control thread.
using HearProgress = std::function<void(const TaskProgress&)>;

}  // namespace drover
