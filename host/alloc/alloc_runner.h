// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "host/alloc/alloc_state.h"
#include "host/base/co.h"
#include "host/base/context.h"
#include "host/driver/driver.h"
#include "host/task/local_state.h"

namespace drover {

// The newest samples of an allocation's tasks.
struct AllocUsage {
  ResourceUsage total;                                            // the sum of the tasks below
  std::map<std::string, std::shared_ptr<const TaskUsage>> tasks;  // running tasks with a sample
  WallTime timestamp = 0;                                         // the time of the newest sample
};

// Receives each change of an allocation. The allocation's runner calls OnAllocState in the middle
// of its own work, so OnAllocState must only store the change and return.
class AllocObserver {
 public:
  virtual ~AllocObserver() = default;
  virtual void OnAllocState(const AllocSnapshot& state) = 0;
};

// Runs one allocation from its placement on this node to its end. The agent uses allocations only
// through this interface. The methods are for the control thread. Any thread may read snapshots.
//
// The agent calls Start once, and then Update each time the allocation changes. At the end, the
// agent calls Shutdown, which leaves the tasks running, or Destroy, which stops the tasks and
// removes everything of the allocation. A runner may be deleted after Destroy or Shutdown has
// returned, or if it was never started.
class AllocRunner {
 public:
  virtual ~AllocRunner() = default;

  virtual const std::string& id() const = 0;

  virtual void Start() = 0;
  // Whether everything that Start began has ended. The tasks have then ended for good, or Shutdown
  // has left them running.
  virtual bool ended() const = 0;
  virtual Co<void> WaitEnded() = 0;

  // Gives the runner a new version of the allocation. The runner drops a version with a lower
  // alloc_modify_index than the newest version that it has received. It also drops a version that
  // it receives after everything has ended. If several versions wait, the runner applies only the
  // newest. If the applied version says that the allocation must stop, the runner ends the tasks.
  virtual void Update(std::shared_ptr<const Allocation> alloc) = 0;
  // Begins to end all tasks, including poststop tasks, and returns at once. Does nothing before
  // Start. A poststop task may run for its kill timeout after its turn has come, and is then
  // killed.
  virtual void Kill() = 0;
  // Kills the tasks if necessary. Returns when no process, no file and no record of the allocation
  // is left. If something could not be removed, the error names it, and Destroy may be called
  // again.
  virtual Co<Status> Destroy() = 0;
  // Call it when the agent ends. Returns when the runner has no work in progress any more. The
  // tasks keep running.
  virtual Co<void> Shutdown() = 0;

  virtual AllocSnapshot snapshot() const = 0;
  // An observer must outlive the runner or be removed first.
  virtual void AddObserver(AllocObserver* observer) = 0;
  virtual void RemoveObserver(AllocObserver* observer) = 0;

  // The methods below restart tasks. The restart policy does not count these restarts. The methods
  // return when the tasks have stopped and are starting again.
  virtual Co<Status> RestartTask(std::string task) = 0;
  virtual Co<Status> RestartRunning() = 0;
  // Restarts every task except poststop tasks, including tasks that are done. The tasks start in
  // the same order as at the first start of the allocation.
  virtual Co<Status> RestartAll() = 0;
  // Sends a signal, which is given by its name, to one task. If TASK is empty, sends it to every
  // task.
  virtual Co<Status> Signal(std::string task, std::string signal) = 0;
  // Holds one task, or lets it go on. If TASK is empty, does so with every running task.
  virtual Co<Status> Pause(std::string task, bool paused) = 0;
  virtual Co<Result<std::unique_ptr<TaskExecSession>>> Exec(Context context, std::string task,
                                                            ExecRequest request) = 0;
  // Returns samples of the task TASK, or of all running tasks if TASK is empty. Returns no sample
  // for an unknown name. If a task has no sample with DETAIL yet, waits for one until CONTEXT ends.
  virtual Co<AllocUsage> Usage(Context context, std::string task, UsageDetail detail) = 0;
};

// The state that an earlier agent has left of one task.
struct RestoredTask {
  TaskStateRecord state;
  LocalState local;
  // The reason why the task must not be started. It is set if the task's last run cannot be found
  // and may still be running. Otherwise it is empty.
  std::string no_start;
};

struct AllocRunnerRequest {
  std::shared_ptr<const Allocation> alloc;
  // Has a value if an earlier agent ran the allocation, even if some tasks have no record.
  std::optional<std::map<std::string, RestoredTask>> restored;
  // The verdict on the health of the allocation, if an earlier agent has given it.
  std::optional<AllocHealth> health = {};
};

class AllocRunnerFactory {
 public:
  virtual ~AllocRunnerFactory() = default;
  // Fails if the job of the allocation does not contain the allocation's group.
  virtual Result<std::unique_ptr<AllocRunner>> Make(AllocRunnerRequest request) = 0;
};

}  // namespace drover
