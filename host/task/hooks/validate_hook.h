// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/task/task_hook.h"

namespace drover {

// Refuses what can only be checked after interpolation: users that the agent forbids for tasks of
// certain drivers.
class ValidateHook : public TaskHook {
 public:
  ValidateHook(std::vector<std::string> denied_users, std::vector<std::string> drivers)
      : denied_users_(std::move(denied_users)), drivers_(std::move(drivers)) {}

  std::string_view name() const override { return "validate"; }
  bool Has(HookStage stage) const override { return stage == HookStage::kPrestart; }
  Co<Result<PrestartResponse>> Prestart(Context context, PrestartRequest request) override;

 private:
  const std::vector<std::string> denied_users_;
  const std::vector<std::string> drivers_;
};

}  // namespace drover
