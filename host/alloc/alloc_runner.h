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
  std::map<std::string, std::shared_ptr<const TaskUsage>> tasks;  // running ones with a sample
  WallTime timestamp = 0;                                         // the newest of the tasks'
};

// Hears of each change of an allocation. Called from inside its runner: note it and return.
class AllocObserver {
 public:
  virtual ~AllocObserver() = default;
  virtual void OnAllocState(const AllocSnapshot& state) = 0;
};

// Carries one allocation from its placement on this node to its end. The agent knows allocations
// only through this interface. Everything is for the control thread, snapshots are for everybody.
//
// The life of a runner: Start once; Update as often as the allocation changes; then Shutdown, which
// leaves the tasks running, or Destroy, which stops them and removes every trace. It may be deleted
// after Destroy or Shutdown has returned, or when it was never started.
class AllocRunner {
 public:
  virtual ~AllocRunner() = default;

  virtual const std::string& id() const = 0;

  virtual void Start() = 0;
  // Whether everything that Start began has ended: its tasks for good, or left behind by Shutdown.
  virtual bool ended() const = 0;
  virtual Co<void> WaitEnded() = 0;

  // The allocation as it is wanted from now on. One that is older than the last (by its
  // alloc_modify_index) is dropped, and so is one that comes after the end. Of several that are
  // waiting, the newest is taken. One that is to stop ends the tasks.
  virtual void Update(std::shared_ptr<const Allocation> alloc) = 0;
  // Ends the tasks of an allocation that was started, poststop tasks too: each of them has its kill
  // timeout once its turn has come, and is killed then. Returns at once.
  virtual void Kill() = 0;
  // Kills the tasks, if need be, and returns when nothing is left of the allocation: no process, no
  // file, no record. After an error, which names what could not be removed, it may be called again.
  virtual Co<Status> Destroy() = 0;
  // The agent ends. Returns when nothing of this runner runs any more; the tasks go on.
  virtual Co<void> Shutdown() = 0;

  virtual AllocSnapshot snapshot() const = 0;
  // An observer that was added outlives the runner or is removed before.
  virtual void AddObserver(AllocObserver* observer) = 0;
  virtual void RemoveObserver(AllocObserver* observer) = 0;

  // Restarts on request; they return when the tasks have been stopped and are on their way again,
  // and do not count against the restart policy.
  virtual Co<Status> RestartTask(std::string task) = 0;
  virtual Co<Status> RestartRunning() = 0;
  // Every task but poststop ones, also those that are done, in the order of a first start.
  virtual Co<Status> RestartAll() = 0;
  // Sends a signal, by its name, to one task; TASK empty: to every task.
  virtual Co<Status> Signal(std::string task, std::string signal) = 0;
  virtual Co<Result<std::unique_ptr<TaskExecSession>>> Exec(Context context, std::string task,
                                                            ExecRequest request) = 0;
  // Samples of all running tasks, or of one (an unknown name gives none). Waits for first samples,
  // or for such as tell of processes, at most until CONTEXT ends.
  virtual Co<AllocUsage> Usage(Context context, std::string task, UsageDetail detail) = 0;
};

// What an earlier agent left of one task.
struct RestoredTask {
  TaskStateRecord state;
  LocalState local;
  // Why it must not be started, if it must not: its last run may go on where nobody finds it.
  std::string no_start;
};

struct AllocRunnerRequest {
  std::shared_ptr<const Allocation> alloc;
  // Present for an allocation that an earlier agent ran, whether or not it knew all of its tasks.
  std::optional<std::map<std::string, RestoredTask>> restored;
};

class AllocRunnerFactory {
 public:
  virtual ~AllocRunnerFactory() = default;
  // An error when the allocation makes no sense: its job has no such group.
  virtual Result<std::unique_ptr<AllocRunner>> Make(AllocRunnerRequest request) = 0;
};

}  // namespace drover
