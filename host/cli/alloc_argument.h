// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/client/api_client.h"

namespace CLI {
class App;
}

namespace drover {

// The arguments that name an allocation: the id of the allocation or, with --job, the id of its
// job.
struct AllocArgument {
  std::string id;
  bool of_job = false;  // true if ID is the id of a job
  std::string group;    // a task group of the job; empty for any group

  void Declare(CLI::App* command);
  // Returns the id of the allocation. If the argument is a job, returns the id of the job's newest
  // running allocation. If none is running, returns the id of the job's newest allocation.
  Result<std::string> Find(ApiClient* client) const;
};

// Returns TASK. If TASK is empty, returns the name of the only task of the allocation.
Result<std::string> FindTaskName(ApiClient* client, const std::string& alloc,
                                 const std::string& task);

}  // namespace drover
