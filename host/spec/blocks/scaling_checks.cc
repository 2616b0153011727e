// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/scaling_checks.h"

#include <algorithm>
#include <string>

namespace drover {
namespace {

// Returns whether the bounds of POLICY fit each other.
bool CheckScalingBounds(const ScalingPolicy& policy, const JobPlace& at) {
  if (policy.min < 0) {
    (at / "Min").Fault("must not be negative, but is " + std::to_string(policy.min));
  }
  if (policy.max < 0) {
    (at / "Max").Fault("maximum count must be specified and non-negative");
  } else if (policy.max < policy.min) {
    (at / "Max")
        .Fault("maximum count must not be less than minimum count: " + std::to_string(policy.max) +
               " < " + std::to_string(policy.min));
  }
  return policy.min >= 0 && policy.max >= policy.min;
}

void CheckGroupScaling(const TaskGroup& group, const JobPlace& at) {
  const ScalingPolicy& policy = *group.scaling;
  const JobPlace here = at / "Scaling";
  if (policy.type != scaling_type::kHorizontal) {
    (here / "Type").Fault(Quoted(policy.type) + " is not valid for a group; write horizontal");
  }
  if (!CheckScalingBounds(policy, here)) return;
  const std::string count = std::to_string(group.count);
  if (group.count > policy.max) {
    (at / "Count")
        .Fault("task group count must not be greater than maximum count in scaling policy: " +
               count + " > " + std::to_string(policy.max));
  } else if (group.count < policy.min) {
    (at / "Count")
        .Fault("task group count must not be less than minimum count in scaling policy: " + count +
               " < " + std::to_string(policy.min));
  }
}

void CheckTaskScaling(const Task& task, const JobPlace& at) {
  UniqueNames types;
  for (std::size_t i = 0; i < task.scaling.size(); ++i) {
    const ScalingPolicy& policy = task.scaling[i];
    const auto& known = scaling_type::kOfTasks;
    if (std::ranges::find(known, policy.type) == known.end()) {
      (at / i / "Type")
          .Fault(Quoted(policy.type) +
                 " is not valid for a task; write vertical_cpu or vertical_mem");
    }
    types.Add(policy.type, at / i / "Type");
    CheckScalingBounds(policy, at / i);
  }
}

}  // namespace

void CheckScaling(JobType type, const TaskGroup& group, const JobPlace& at) {
  const bool refused = type == JobType::kSystem;
  if (group.scaling && refused) {
    (at / "Scaling").Fault(kNoScalingOfSystemJobs);
  } else if (group.scaling) {
    CheckGroupScaling(group, at);
  }
  for (std::size_t i = 0; i < group.tasks.size(); ++i) {
    const JobPlace here = at / "Tasks" / i / "ScalingPolicies";
    if (!group.tasks[i].scaling.empty() && refused) {
      here.Fault(kNoScalingOfSystemJobs);
    } else {
      CheckTaskScaling(group.tasks[i], here);
    }
  }
}

}  // namespace drover
