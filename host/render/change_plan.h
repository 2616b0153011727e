// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "host/base/time.h"
#include "host/spec/blocks/task_template.h"

namespace drover {

// What must be done to a running task because files of it have changed. All changes together give
// one restart, or else each signal once and each script.
struct ChangePlan {
  bool restart = false;
  std::set<std::string> signals;
  std::vector<TemplateScript> scripts;
  Duration splay{0};  // the longest of the changed templates

  bool empty() const { return !restart && signals.empty() && scripts.empty(); }
};

// Returns the plan for TEMPLATES. RENDERED has the hash of the present content of each, and ACTED
// that of the content with which the task was started or of which it was informed. An empty hash in
// RENDERED means that the template is not rendered yet.
ChangePlan PlanChanges(const std::vector<TaskTemplate>& templates,
                       const std::vector<std::string>& rendered,
                       const std::vector<std::string>& acted);

}  // namespace drover
