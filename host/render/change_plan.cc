// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/render/change_plan.h"

#include <algorithm>

#include "host/spec/job_limits.h"

namespace drover {

ChangePlan PlanChanges(const std::vector<TaskTemplate>& templates,
                       const std::vector<std::string>& rendered,
                       const std::vector<std::string>& acted) {
  using Mode = TaskTemplate::ChangeMode;
  ChangePlan plan;
  for (std::size_t i = 0; i < templates.size(); ++i) {
    const TaskTemplate& of = templates[i];
    if (rendered[i].empty() || rendered[i] == acted[i] || of.change_mode == Mode::kNoop) continue;
    plan.splay = std::max(plan.splay, Bounded(of.splay));
    if (of.change_mode == Mode::kRestart) plan.restart = true;
    if (of.change_mode == Mode::kSignal) plan.signals.insert(of.change_signal);
    if (of.change_mode == Mode::kScript && of.script) plan.scripts.push_back(*of.script);
  }
  if (plan.restart) {  // the task starts with everything that is new
    plan.signals.clear();
    plan.scripts.clear();
  }
  return plan;
}

}  // namespace drover
