// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/client_status.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

// One letter per task: p pending, r running, d dead, f dead and failed, F running after a failure.
AllocStatus Of(const std::string& tasks) {
  TaskStates states;
  for (const char letter : tasks) {
    TaskStateRecord record;
    if (letter == 'r' || letter == 'F') record.state = RunnerState::kRunning;
    if (letter == 'd' || letter == 'f') record.state = RunnerState::kDead;
    record.failed = letter == 'f' || letter == 'F';
    states["task" + std::to_string(states.size())] =
        std::make_shared<const TaskStateRecord>(record);
  }
  return ComputeAllocStatus(states);
}

TEST(ClientStatusTest, Table) {
  const AllocStatus failed{ClientStatus::kFailed, "Failed tasks"};
  const AllocStatus running{ClientStatus::kRunning, "Tasks are running"};
  const AllocStatus pending{ClientStatus::kPending, "No tasks have started"};
  const AllocStatus complete{ClientStatus::kComplete, "All tasks have completed"};
  const std::vector<std::pair<std::string, AllocStatus>> table = {
      {"", pending},    {"p", pending},   {"r", running},   {"d", complete},
      {"f", failed},    {"pr", running},  {"dr", running},  {"rf", failed},
      {"pf", failed},   {"df", failed},   {"dp", pending},  {"dd", complete},
      {"ddr", running}, {"rpd", running}, {"rpdf", failed}, {"F", running},
  };
  for (const auto& [tasks, status] : table) EXPECT_EQ(Of(tasks), status) << "\"" << tasks << "\"";
}

}  // namespace
}  // namespace drover
