// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "host/base/worker_pool.h"
#include "host/task/task_hook.h"
#include "host/users/user_rules.h"

namespace drover {

// Refuses the start of a task whose user the operator denies. Comes before all that makes files for
// the user. A task that an earlier agent started keeps running.
class UserCheckHook : public TaskHook {
 public:
  // POOL reads the user database and must outlive the hook; null: it is read at once. GETS_ONE: if
  // the user is empty after its variables are replaced, a later hook gives the task one.
  UserCheckHook(std::shared_ptr<const UserRules> rules, WorkerPool* pool, bool gets_one = false)
      : rules_(std::move(rules)), pool_(pool), gets_one_(gets_one) {}

  std::string_view name() const override { return "validate"; }
  bool Has(HookStage stage) const override { return stage == HookStage::kPrestart; }
  Co<Result<PrestartResponse>> Prestart(Context context, PrestartRequest request) override;

 private:
  const std::shared_ptr<const UserRules> rules_;
  WorkerPool* const pool_;
  const bool gets_one_;
};

}  // namespace drover
