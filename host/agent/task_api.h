// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "host/base/worker_pool.h"
#include "host/http/http_socket_server.h"
#include "host/request/api_agent.h"
#include "host/task/task_hook.h"

namespace drover {

// Serves the API of the agent to its tasks, each on a socket of its own. A client always needs a
// token there. The server has a thread and limits of its own, and the connections of an allocation
// are limited together. If all connections are used, the job with the most of them makes room for
// one with fewer. So a task that asks without end harms neither the clients of the agent nor other
// jobs. Control thread only.
class TaskApi {
 public:
  // Starts the server. AGENT must outlive this object.
  explicit TaskApi(const ApiAgent* agent);

  // Makes the hook of one task. POOL makes its sockets, and must outlive the hook.
  std::shared_ptr<TaskHook> MakeHook(WorkerPool* pool);

  // Returns when nothing is served any more. Blocks, so call it on another thread than the control
  // thread, for which requests may wait.
  void Stop() { server_->Stop(); }

 private:
  const std::unique_ptr<HttpSocketServer> server_;
};

}  // namespace drover
