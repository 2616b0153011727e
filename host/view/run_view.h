// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/driver/driver.h"
#include "host/spec/allocation.h"
#include "host/task/task_state.h"

namespace drover {

// Shows a job while it runs. Must be used on one thread.
class RunView {
 public:
  struct TaskLine {
    std::string alloc_name;
    std::string task;
    RunnerState state = RunnerState::kPending;
    bool has_usage = false;
    std::uint64_t rss = 0;  // resident memory in bytes
    double cpu_percent = 0;
  };

  virtual ~RunView() = default;
  virtual void Placed(const Allocation& alloc) = 0;
  virtual void Event(const Allocation& alloc, const std::string& task, const TaskEvent& event) = 0;
  virtual void State(const Allocation& alloc, const std::string& task,
                     const TaskStateRecord& state) = 0;
  virtual void Log(const Allocation& alloc, const std::string& task, const std::string& stream,
                   const std::string& line) = 0;
  virtual void Usage(const std::vector<TaskLine>& tasks) = 0;
  virtual void AllocStatus(const Allocation& alloc, ClientStatus status,
                           const std::string& description) = 0;
  // Shows a line about the run itself, such as "stopping" or "killing".
  virtual void Note(const std::string& text) = 0;
};

// Returns a view for people. It prints a line for each event, and a status line on a terminal.
std::unique_ptr<RunView> NewTextRunView();
// Returns a view for programs. It prints one JSON object per line.
std::unique_ptr<RunView> NewJsonRunView();

// Returns the events in NOW that are not in BEFORE, in their order. BEFORE may be null. Old events
// of BEFORE may be missing in NOW.
std::vector<TaskEvent> NewEvents(const TaskStateRecord* before, const TaskStateRecord& now);
// Shows the change of a task's state from BEFORE to NOW. BEFORE is null if there was no earlier
// state.
void ShowChange(RunView* view, const Allocation& alloc, const std::string& task,
                const TaskStateRecord* before, const TaskStateRecord& now);

}  // namespace drover
