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
  WallTime timestamp = 0;                                         // of the newest sample
};

// Hears each change of an allocation. Called from inside its runner, so it must only note it and
// return.
class AllocObserver {
 public:
  virtual ~AllocObserver() = default;
  virtual void OnAllocState(const AllocSnapshot& state) = 0;
};

// Carries one allocation from its placement on this node to its end. The agent knows allocations
// only through this interface. The methods are for the control thread; any thread may read
// snapshots.
//
// The life of a runner: Start once; Update as often as the allocation changes; then Shutdown, which
// leaves the tasks running, or Destroy, which stops them and removes every trace. It may be deleted
// after Destroy or Shutdown has returned, or if it was never started.
class AllocRunner {
 public:
  virtual ~AllocRunner() = default;

  virtual const std::string& id() const = 0;

  virtual void Start() = 0;
  // Whether everything that Start began has ended: the tasks for good, or left running by Shutdown.
  virtual bool ended() const = 0;
  virtual Co<void> WaitEnded() = 0;

  // Takes the allocation as it should be from now on. Drops one that is older than the last (by its
  // alloc_modify_index), and one that comes after the end. If several are waiting, only the newest
  // is applied. One that must stop ends the tasks.
  virtual void Update(std::shared_ptr<const Allocation> alloc) = 0;
  // Ends the tasks of an allocation that was started, poststop tasks too: once its turn has come, a
  // poststop task may run for its kill timeout before it is killed. Returns at once.
  virtual void Kill() = 0;
  // Kills the tasks, if necessary, and returns when nothing is left of the allocation: no process,
  // no file, no record. After an error, which names what could not be removed, it may be called
  // again.
  virtual Co<Status> Destroy() = 0;
  // The agent ends. Returns when nothing of this runner runs any more; the tasks keep running.
  virtual Co<void> Shutdown() = 0;

  virtual AllocSnapshot snapshot() const = 0;
  // An observer must outlive the runner or be removed first.
  virtual void AddObserver(AllocObserver* observer) = 0;
  virtual void RemoveObserver(AllocObserver* observer) = 0;

  // Restarts on request do not count against the restart policy. They return when the tasks have
  // stopped and are starting again.
  virtual Co<Status> RestartTask(std::string task) = 0;
  virtual Co<Status> RestartRunning() = 0;
  // Every task except poststop tasks, including those that are done, in the order of a first start.
  virtual Co<Status> RestartAll() = 0;
  // Sends a signal, by its name, to one task; TASK empty: to every task.
  virtual Co<Status> Signal(std::string task, std::string signal) = 0;
  virtual Co<Result<std::unique_ptr<TaskExecSession>>> Exec(Context context, std::string task,
                                                            ExecRequest request) = 0;
  // Samples of all running tasks, or of one (an unknown name gives none). Waits for first samples,
  // or for samples with processes, at most until CONTEXT ends.
  virtual Co<AllocUsage> Usage(Context context, std::string task, UsageDetail detail) = 0;
};

// The state that an earlier agent left of one task.
struct RestoredTask {
  TaskStateRecord state;
  LocalState local;
  // Why the task must not be started, if so: nobody could find its last run, which may still go on.
  std::string no_start;
};

struct AllocRunnerRequest {
  std::shared_ptr<const Allocation> alloc;
  // Present for an allocation that an earlier agent ran, even if some tasks have no record.
  std::optional<std::map<std::string, RestoredTask>> restored;
};

class AllocRunnerFactory {
 public:
  virtual ~AllocRunnerFactory() = default;
  // Fails when the job of the allocation has no such group.
  virtual Result<std::unique_ptr<AllocRunner>> Make(AllocRunnerRequest request) = 0;
};

}  // namespace drover
