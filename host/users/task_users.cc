// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/users/task_users.h"

#include <utility>

#include "host/users/dynamic_user_hook.h"
#include "host/users/user_check_hook.h"

namespace drover {
namespace {

// Without a driver whose tasks get users, jobs may name all of them.
UserRules RulesOf(const TaskUsersOptions& options) {
  UserRules rules = options.rules;
  if (options.dynamic_drivers.empty()) rules.dynamic_first = rules.dynamic_last = 0;
  return rules;
}

}  // namespace

TaskUsers::TaskUsers(TaskUsersOptions options)
    : rules_(std::make_shared<const UserRules>(RulesOf(options))),
      dynamic_drivers_(std::move(options.dynamic_drivers)),
      workers_(options.workers) {
  if (dynamic_drivers_.empty()) return;
  UserPoolOptions pool;
  pool.first = rules_->dynamic_first;
  pool.last = rules_->dynamic_last;
  pool.workers = workers_;
  pool.lock_path = std::move(options.lock_path);
  pool_ = std::make_shared<UserPool>(std::move(pool));
}

std::vector<std::shared_ptr<TaskHook>> TaskUsers::HooksOf(const Task& task) const {
  std::vector<std::shared_ptr<TaskHook>> hooks;
  const bool checked = rules_->checked_drivers.count(task.driver) > 0 && !rules_->denied.empty();
  // A user in the job may become empty when its variables are replaced.
  const bool may_be_empty = task.user.empty() || task.user.find("${") != std::string::npos;
  const bool gets_one = pool_ && may_be_empty && dynamic_drivers_.count(task.driver) > 0;
  if (!task.user.empty() && (checked || pool_)) {
    hooks.push_back(std::make_shared<UserCheckHook>(rules_, workers_, gets_one));
  }
  if (gets_one) {
    hooks.push_back(std::make_shared<DynamicUserHook>(pool_, workers_));
  }
  return hooks;
}

void TaskUsers::Restored(const std::string& alloc_id, const std::string& task,
                         const LocalState& local) {
  if (!pool_) return;
  const auto hook = local.hooks.find(std::string(DynamicUserHook::kName));
  if (hook == local.hooks.end()) return;
  if (const auto uid = DynamicUserHook::StoredUid(hook->second.data)) {
    pool_->Adopt(DynamicUserHook::Holder(alloc_id, task), *uid);
  }
}

}  // namespace drover
