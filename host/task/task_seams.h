// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/driver/driver.h"
#include "host/spec/allocation.h"
#include "host/task/task_hook.h"
#include "host/task/task_state.h"

// What a task runner asks of the allocation around it. All of it is for the control thread.
namespace drover {

// Whose turn it is: the part of the allocation's coordinator that one task sees.
class StartGate {
 public:
  virtual ~StartGate() = default;
  // Returns when the task may start, as often as it is asked while the gate is open; the error is
  // that of the context.
  virtual Co<Status> WaitOpen(Context context) = 0;
};

struct TaskDirRequest {
  std::string task;
  FsIsolation isolation = FsIsolation::kNone;
  std::string user;  // by the job, after interpolation; empty: whomever the driver takes
  // It has not been built before, and what it says is kept: there is something to read of it from
  // its start.
  bool makes_logs = false;
};

// Makes the task's part of the allocation directory; as often as one likes.
class TaskDirBuilder {
 public:
  virtual ~TaskDirBuilder() = default;
  virtual Co<Status> BuildTaskDir(Context context, TaskDirRequest request) = 0;
};

struct PrepareRequest {
  std::shared_ptr<const Allocation> alloc;
  std::shared_ptr<const Task> task;
  DriverInfo driver;
  TaskLocation location;
  // What the prestart hooks added, in their order: later wins.
  StringMap hook_env;
  std::vector<TaskMount> mounts;
  std::vector<TaskDevice> devices;
  std::optional<DriverNetwork> network;  // of the run before, if it had one
  // For a run that goes on: what cannot be interpolated any more stays as it was written.
  bool running = false;
};

// Makes what a driver is told out of what the user wrote: environment, interpolation, resources.
class TaskPreparer {
 public:
  virtual ~TaskPreparer() = default;
  // The task's user with ${...} replaced.
  virtual std::string RenderUser(const PrepareRequest& request) = 0;
  // The whole configuration but run_id and id, which the runner sets, with the driver's part
  // interpolated and not yet checked against its schema. An error is the user's: it ends the task
  // with "Failed Validation".
  virtual Result<TaskConfig> Prepare(const PrepareRequest& request) = 0;
};

// Hears of each change of a task.
class TaskObserver {
 public:
  virtual ~TaskObserver() = default;
  // STATE is the task's new state. Called from inside the runner: note it and return.
  virtual void OnTaskState(const std::string& task_name, TaskSnapshot state) = 0;
};

}  // namespace drover
