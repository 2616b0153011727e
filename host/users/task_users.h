// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "host/base/worker_pool.h"
#include "host/task/local_state.h"
#include "host/task/task_hook.h"
#include "host/users/user_pool.h"
#include "host/users/user_rules.h"

namespace drover {

struct TaskUsersOptions {
  UserRules rules;                        // with the range of users that tasks may get
  std::set<std::string> dynamic_drivers;  // whose tasks without a user get one; may be empty
  std::string lock_path;                  // see UserPoolOptions
  WorkerPool* workers = nullptr;          // for starts; must outlive the object and its hooks
};

// The users of the tasks of one node: makes the hooks that check and give them. Control thread
// only.
class TaskUsers {
 public:
  explicit TaskUsers(TaskUsersOptions options);

  // The hooks that TASK needs before its directory is made.
  std::vector<std::shared_ptr<TaskHook>> HooksOf(const Task& task) const;
  // An earlier agent has left LOCAL, the state of a task. Must be called for all of its tasks
  // before the first hook is called.
  void Restored(const std::string& alloc_id, const std::string& task, const LocalState& local);

 private:
  const std::shared_ptr<const UserRules> rules_;
  const std::set<std::string> dynamic_drivers_;
  WorkerPool* const workers_;
  std::shared_ptr<UserPool> pool_;  // null: no driver's tasks get users
};

}  // namespace drover
