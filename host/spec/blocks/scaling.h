// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace drover {

// What a policy scales, in the words of clients.
namespace scaling_type {
inline constexpr std::string_view kHorizontal = "horizontal";  // the count of a group
inline constexpr std::string_view kCpu = "vertical_cpu";       // the CPU of a task
inline constexpr std::string_view kMemory = "vertical_mem";    // the memory of a task
inline constexpr std::array kOfTasks = {kCpu, kMemory};
}  // namespace scaling_type

// The block "scaling" of a group or a task. An autoscaler outside reads it, and then scales the job
// or registers it with other resources. The agent itself only holds the counts of groups to the
// bounds.
struct ScalingPolicy {
  std::string type;
  bool enabled = true;  // false: an autoscaler leaves the target alone
  int min = 0;
  int max = -1;             // negative: not given, which is a fault
  std::string policy_json;  // a JSON object for the autoscaler; empty: none

  bool operator==(const ScalingPolicy&) const = default;
};

}  // namespace drover
