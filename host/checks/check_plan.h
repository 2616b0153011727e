// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/spec/allocation.h"
#include "host/spec/blocks/service.h"

namespace drover {

// A check of one allocation, ready to be asked: its place is known, and its variables are replaced.
// Those in the command of a script stay, because only the runner of its task knows their values.
struct CheckPlan {
  std::string id;  // in hex; the same for the same check of the same allocation
  std::string alloc_id;
  std::string alloc_name;  // job.group[index]
  std::string job_id;
  std::string job_namespace;
  std::string group;
  std::string task;     // whose service it is; empty for a service of the group
  std::string service;  // the name of the service
  int namesake = 0;     // how many checks before it in the service have the same name
  ServiceCheck check;   // its name is never empty; a script's task is in `check.task`
  std::string host;     // a name or an IP address, without brackets
  int port = 0;
  // Why the check cannot be asked. If it is not empty, each run fails with this text.
  std::string fault;

  bool readiness() const { return check.on_update == OnUpdate::kIgnore; }
  bool operator==(const CheckPlan&) const = default;
};

// Returns TEXT with its variables replaced by the values for TASK, or for the whole group if TASK
// is null.
using CheckInterpolate = std::function<std::string(const Task* task, const std::string& text)>;

// Returns the checks of ALLOC's group and of its tasks, without those of services for which OURS
// returns false. [any thread]
std::vector<CheckPlan> MakeCheckPlans(const Allocation& alloc,
                                      const std::function<bool(const Service&)>& ours,
                                      const CheckInterpolate& interpolate);

}  // namespace drover
