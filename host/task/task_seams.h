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

// The interfaces through which a task runner reaches the allocation around it. Control thread only.
namespace drover {

// The start gate: the part of the allocation's coordinator that one task sees.
class StartGate {
 public:
  virtual ~StartGate() = default;
  // Returns when the task may start. While the gate is open, every call returns at once. The only
  // error is that of the context.
  virtual Co<Status> WaitOpen(Context context) = 0;
};

struct TaskDirRequest {
  std::string task;
  FsIsolation isolation = FsIsolation::kNone;
  std::string user;  // from the job, after interpolation; empty: the driver's default
  // At the first build, if the output is collected: makes empty log files, so that clients can read
  // them from the start.
  bool makes_logs = false;
};

// Makes the task directory. May be called any number of times.
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
  // Added by the prestart hooks, in their order: later wins.
  StringMap hook_env;
  std::vector<TaskMount> mounts;
  std::vector<TaskDevice> devices;
  std::optional<DriverNetwork> network;  // of the previous run, if it had one
  // For a run that continues: text that cannot be interpolated any more stays as it was written.
  bool running = false;
};

// Makes a driver's TaskConfig from the job: environment, interpolation, resources.
class TaskPreparer {
 public:
  virtual ~TaskPreparer() = default;
  // The task's user with ${...} replaced.
  virtual std::string RenderUser(const PrepareRequest& request) = 0;
  // The whole configuration except run_id and id, which the runner sets. The driver's part is
  // interpolated, but not yet checked against its schema. An error is a mistake in the job: it ends
  // the task with "Failed Validation".
  virtual Result<TaskConfig> Prepare(const PrepareRequest& request) = 0;
};

// Hears each change of a task.
class TaskObserver {
 public:
  virtual ~TaskObserver() = default;
  // STATE is the new state. Called from inside the runner, so it must only note it and return.
  virtual void OnTaskState(const std::string& task_name, TaskSnapshot state) = 0;
};

}  // namespace drover
