// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "host/base/worker_pool.h"
#include "host/http/http_socket_server.h"
#include "host/task/task_hook.h"

namespace drover {

struct TaskApiHookOptions {
  // Serves a socket as long as the object lives that it returns. JOB is the job of the allocation,
  // NAMESPACE/ID. A child that another job has dispatched counts as the other one.
  using Served = HttpSocketServer::Served;
  std::function<std::unique_ptr<Served>(UniqueFd listener, const std::string& alloc_id,
                                        const std::string& job)>
      serve;
  WorkerPool* pool = nullptr;  // makes sockets; not owned; null: the calling thread does
  // Receives the errors, which do not stop the task. May be empty.
  std::function<void(const Error&)> report;
};

// Gives a task the API of the agent on a socket in its directory of secrets, from before its first
// start until its end. Each start has a new socket, which takes the place of the one before. So has
// each agent that takes over the task. A task that has no socket runs all the same.
class TaskApiHook : public TaskHook {
 public:
  explicit TaskApiHook(TaskApiHookOptions options) : options_(std::move(options)) {}

  std::string_view name() const override { return "api"; }
  bool Has(HookStage stage) const override {
    return stage == HookStage::kPrestart || stage == HookStage::kStop ||
           stage == HookStage::kShutdown;
  }
  Co<Result<PrestartResponse>> Prestart(Context context, PrestartRequest request) override;
  Co<Status> Stop(Context context, HookRequest request) override;
  Co<Status> Shutdown(Context context, HookRequest request) override;

 private:
  const TaskApiHookOptions options_;
  std::string task_dir_;  // empty before the first start
  std::unique_ptr<TaskApiHookOptions::Served> served_;
};

}  // namespace drover
