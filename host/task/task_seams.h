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

// The interfaces through which a task runner uses its allocation. Control thread only.
namespace drover {

// The start gate of one task. The coordinator of the allocation opens and closes the gate.
class StartGate {
 public:
  virtual ~StartGate() = default;
  // Returns when the task may start. While the gate is open, every call returns at once. If CONTEXT
  // ends first, returns the error of CONTEXT. There are no other errors.
  virtual Co<Status> WaitOpen(Context context) = 0;
};

struct TaskDirRequest {
  std::string task;
  FsIsolation isolation = FsIsolation::kNone;
  std::string user;  // from the job, after interpolation; empty: the driver's default
  // True for the first build of the directory, if the task's output is collected. Then the build
  // makes empty log files, so that clients can read the files even before the task writes output.
  bool makes_logs = false;
};

// Makes task directories. BuildTaskDir may be called any number of times.
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
  // The variables that the prestart hooks added, in the order of the hooks. If two hooks set the
  // same variable, the later hook wins.
  StringMap hook_env;
  StringMap device_env;  // those of hook_env that devices added
  std::vector<TaskMount> mounts;
  std::vector<TaskDevice> devices;
  std::string user;                      // that a hook chose; empty: that of the job
  std::optional<DriverNetwork> network;  // the network of the previous run, if it had one
  // True if the run has already started. Then a text that can no longer be interpolated is no
  // error, and stays as it is in the job.
  bool running = false;
};

// What a hook needs for the texts of its task. The variables are those of the hooks before it.
inline PrepareRequest PrepareRequestOf(const PrestartRequest& request) {
  PrepareRequest prepare;
  prepare.alloc = request.alloc;
  prepare.task = request.task;
  prepare.driver = request.driver;
  prepare.location = request.location;
  prepare.hook_env = request.env;
  return prepare;
}

// Makes a driver's TaskConfig from the job. This includes the environment, the interpolation and
// the resources.
class TaskPreparer {
 public:
  virtual ~TaskPreparer() = default;
  // Returns TEXTS with each ${...} replaced by its value for the task. Unknown references stay. An
  // error means a mistake in the job, or texts that become too large.
  virtual Result<std::vector<std::string>> Interpolate(const PrepareRequest& request,
                                                       std::vector<std::string> texts) = 0;
  // Returns the whole configuration except run_id and id, which the runner sets. The part for the
  // driver is interpolated, but is not yet checked against the driver's schema. An error means a
  // mistake in the job. The error ends the task with "Failed Validation".
  virtual Result<TaskConfig> Prepare(const PrepareRequest& request) = 0;
};

// Receives each change of a task's state.
class TaskObserver {
 public:
  virtual ~TaskObserver() = default;
  // STATE is the new state. The call comes from inside the runner, so it must only store STATE and
  // return.
  virtual void OnTaskState(const std::string& task_name, TaskSnapshot state) = 0;
};

}  // namespace drover
