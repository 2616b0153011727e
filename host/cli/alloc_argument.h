// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/client/api_client.h"

namespace CLI {
class App;
}

namespace drover {

// The arguments that name an allocation: its own id, or with --job a job.
struct AllocArgument {
  std::string id;
  bool of_job = false;  // the id is that of a job
  std::string group;    // a task group of that job; empty: any

  void Declare(CLI::App* command);
  // The id of the allocation. For a job it is the newest one, which runs if any does.
  Result<std::string> Find(ApiClient* client) const;
};

// TASK, or the name of the only task of the allocation when TASK is empty.
Result<std::string> FindTaskName(ApiClient* client, const std::string& alloc,
                                 const std::string& task);

}  // namespace drover
