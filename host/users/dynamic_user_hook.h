// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "host/base/worker_pool.h"
#include "host/task/task_hook.h"
#include "host/users/user_pool.h"

namespace drover {

// Gives a task whose job names no user a user of its own, as which each start of the task runs. Its
// directories belong to this user. Comes before the task's directory is made. When the task has
// ended for good, its directory is closed to the user, so that the next task with this user cannot
// enter it, and only then the user is given back.
class DynamicUserHook : public TaskHook {
 public:
  static constexpr std::string_view kName = "workload_users";

  // WORKERS change the files of ended tasks. They must outlive the hook; null: it changes them.
  DynamicUserHook(std::shared_ptr<UserPool> users, WorkerPool* workers)
      : users_(std::move(users)), workers_(workers) {}

  // Gives back a user whose task was never stopped here: its directory was not made, or this agent
  // ends. See Stop.
  ~DynamicUserHook() override { users_->GiveBack(holder_); }

  std::string_view name() const override { return kName; }
  bool Has(HookStage stage) const override {
    return stage == HookStage::kPrestart || stage == HookStage::kStop;
  }
  void Attach(std::weak_ptr<TaskControl> control) override { control_ = std::move(control); }
  Co<Result<PrestartResponse>> Prestart(Context context, PrestartRequest request) override;
  Co<Status> Stop(Context context, HookRequest request) override;

  static std::string Holder(const std::string& alloc_id, const std::string& task) {
    return alloc_id + "/" + task;
  }
  // The files of a sticky disk come before the task that had them is quite over.
  static constexpr Duration kWaitForFiles = 5s;
  // Returns the user in the stored data of this hook.
  static std::optional<uid_t> StoredUid(const StringMap& data);

 private:
  Co<Result<uid_t>> Take(Context context, PrestartRequest request);

  const std::shared_ptr<UserPool> users_;
  WorkerPool* const workers_;
  std::weak_ptr<TaskControl> control_;
  // Empty while the task has no user of the pool, and from its end on.
  std::string holder_;
};

}  // namespace drover
