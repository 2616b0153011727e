// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/base/time.h"

namespace drover {

// A restart of the allocations of a job in batches, which the agent carries out by itself.
struct JobRestart {
  std::string id;
  std::string job_namespace;
  std::string job_id;
  std::uint64_t job_create_index = 0;
  // As requested. An empty list of groups or tasks means all of them.
  int batch_size = 1;  // of allocations; a percentage is already converted
  Duration batch_wait{0};
  bool all_tasks = false;
  bool reschedule = false;
  bool no_shutdown_delay = false;
  bool ignore_errors = false;
  std::vector<std::string> groups;
  std::vector<std::string> tasks;
  // The ids of the allocations to restart, in order. Those before `done` are restarted or failed,
  // and the batch from `done` up to `begun` is under way.
  std::vector<std::string> allocs;
  std::uint64_t done = 0;
  std::uint64_t begun = 0;
  std::map<std::string, std::string> errors;  // by allocation id
  WallTime next_batch = 0;                    // 0 while a batch is under way
  std::string status = "running";             // running, complete, failed, canceled
  std::string status_description;
  std::uint64_t create_index = 0;
  std::uint64_t modify_index = 0;
  WallTime create_time = 0;
  WallTime modify_time = 0;

  bool operator==(const JobRestart&) const = default;
};

}  // namespace drover
