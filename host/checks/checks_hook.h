// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/alloc/alloc_hook.h"
#include "host/checks/check_restart.h"
#include "host/checks/check_results.h"
#include "host/checks/script_checks.h"

namespace drover {

// What the checks hooks of a node share. All objects must outlive the hooks, and no function may be
// empty.
struct ChecksEnv {
  CheckResults* results = nullptr;
  // Begin and end to ask the check of a slot.
  std::function<void(const std::shared_ptr<CheckSlot>& slot)> ask;
  std::function<void(const std::shared_ptr<CheckSlot>& slot)> forget;
  ScriptChecks* scripts = nullptr;
  // Returns the checks that this agent runs for an allocation.
  std::function<std::vector<CheckPlan>(const Allocation& alloc)> plans;
};

// Runs the checks of an allocation's services from its start until its tasks are killed. Then it
// drops their results. An update restarts only the checks that it changes.
class ChecksHook : public AllocHook {
 public:
  ChecksHook(AllocHookEnv env, std::shared_ptr<const ChecksEnv> checks);
  ~ChecksHook() override;

  std::string_view name() const override { return "checks"; }
  Co<Status> Prerun(Context context, AllocHookRequest request) override;
  Co<Status> Update(Context context, AllocHookRequest request) override;
  Co<Status> Prekill(Context context, AllocHookRequest request) override;
  Co<Status> Postrun(Context context, AllocHookRequest request) override;
  Co<Status> Shutdown(Context context, AllocHookRequest request) override;

 private:
  void Replace(const Allocation& alloc);
  void Drop(const std::shared_ptr<CheckSlot>& slot);
  Co<Status> Stop(std::string alloc_id);

  const AllocHookEnv env_;
  const std::shared_ptr<const ChecksEnv> checks_;
  std::map<std::string, std::shared_ptr<CheckSlot>> slots_;  // by the id of the check
  bool stopped_ = false;
  CheckRestarter restarter_;
};

}  // namespace drover
