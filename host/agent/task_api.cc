// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/task_api.h"

#include <spdlog/spdlog.h>

#include <string>
#include <utility>

#include "host/agent/task_api_hook.h"
#include "host/api/router.h"

namespace drover {
namespace {

HttpServerOptions TaskServerOptions(const ApiAgent* agent) {
  HttpServerOptions options;
  options.max_connections = 1024;
  options.max_connections_per_client = 32;  // of an allocation
  options.max_body_bytes = 1 << 20;
  options.max_total_body_bytes = 8 << 20;
  options.max_total_small_body_bytes = 4 << 20;
  options.idle_time = 60s;
  options.wants_body = MakeBodyCheck(agent, Entrance::kTask);
  return options;
}

}  // namespace

TaskApi::TaskApi(const ApiAgent* agent)
    : server_(HttpSocketServer::Start(TaskServerOptions(agent),
                                      MakeApiHandler(agent, Entrance::kTask))) {}

std::shared_ptr<TaskHook> TaskApi::MakeHook(WorkerPool* pool) {
  TaskApiHookOptions options;
  options.serve = [server = server_.get()](UniqueFd listener, const std::string& alloc_id,
                                           const std::string& job) {
    return server->Serve(std::move(listener), "allocation " + alloc_id, job);
  };
  options.pool = pool;
  options.report = [](const Error& error) { spdlog::warn("{}", error.message()); };
  return std::make_shared<TaskApiHook>(std::move(options));
}

}  // namespace drover
