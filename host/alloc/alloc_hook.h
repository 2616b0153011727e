// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/alloc/alloc_state.h"
#include "host/alloc/hook_resources.h"
#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/result.h"
#include "host/driver/driver.h"
#include "host/spec/allocation.h"
#include "host/task/task_event.h"

namespace drover {

// The stage at which a hook of an allocation is called.
enum class AllocHookStage {
  kPrerun,          // before the tasks start, if the allocation should run
  kUpdate,          // after a change of the allocation, if it should still run
  kPreTaskRestart,  // before all running tasks, or all tasks, are restarted
  kPrekill,         // once, before tasks are killed or when all have ended by themselves
  kPostrun,         // when all tasks have ended for good
  kDestroy,         // when the allocation is removed
  kShutdown,        // when the agent ends; the tasks keep running
};
std::string_view AllocHookStageName(AllocHookStage stage);

struct AllocHookRequest {
  std::shared_ptr<const Allocation> alloc;
  bool any_task_live = false;  // whether any task other than poststop is pending or running
};

class AllocObserver;

// The changes that a hook can make to its allocation, and what it can learn of it. The functions
// with a body are for tests of hooks that do not use them.
class AllocControl {
 public:
  virtual ~AllocControl() = default;
  // Ends the allocation with the status complete, whatever the states of its tasks are.
  // DESCRIPTION is the reason.
  virtual void RequestEnd(std::string description) = 0;
  // Restarts TASK, or all running tasks if TASK is empty. The restart policy counts this as a
  // failure. REASON is for people. Returns at once. Does nothing while an earlier request for the
  // same TASK is carried out. Errors are only reported.
  virtual void RequestRestart(std::string task, std::string reason) { (void)task, (void)reason; }
  // Sets the health of the allocation, unless it is set already. Each task that MESSAGES names gets
  // an event with its message.
  virtual void SetHealth(bool healthy, std::map<std::string, std::string> messages) {
    (void)healthy, (void)messages;
  }
  // Sets the network of the allocation's own. All later hooks, the tasks and the clients see it.
  virtual void SetNetwork(AllocationNetwork network) { (void)network; }
  // Adds EVENT to each task that runs.
  virtual void EmitToTasks(TaskEvent event) { (void)event; }
  // Kills the tasks for good, but for poststop tasks. Each of them gets EVENT, which says why.
  virtual void RequestTaskKill(TaskEvent event) { (void)event; }
  // The newest state. Null only while the hooks are made.
  virtual AllocSnapshot snapshot() const { return nullptr; }
  // See AllocObserver. The hook must remove its observer at the latest in its stage postrun or
  // shutdown.
  virtual void AddObserver(AllocObserver* observer) { (void)observer; }
  virtual void RemoveObserver(AllocObserver* observer) { (void)observer; }
  // Runs a command in the environment of a running task; see AllocRunner::Exec.
  virtual Co<Result<std::unique_ptr<TaskExecSession>>> Exec(Context context, std::string task,
                                                            ExecRequest request);
};

// The objects that a hook receives when it is made. They are valid during each call of the hook,
// but not after the chain has abandoned the call (see AllocHook).
struct AllocHookEnv {
  Loop* loop = nullptr;
  HookResources* resources = nullptr;
  AllocControl* control = nullptr;
  // A context that is cancelled to skip the shutdown delays.
  std::shared_ptr<const Context> no_shutdown_delay;
  // The allocation as it is when the hook is made. A maker whose hook has nothing to do for it
  // returns null. Null in tests of hooks that do not use it.
  std::shared_ptr<const Allocation> alloc = nullptr;
};

// A hook does one kind of work for a whole allocation. Its stages are coroutines of the control
// thread. The stages of all hooks are called one at a time, in the order in which the hooks were
// registered. A stage that is not overridden does nothing.
//
// Every context ends at the deadline of its stage. A kill or the agent's shutdown also ends the
// contexts of prerun, update and pre-task-restart. The shutdown also ends the contexts of prekill,
// postrun and destroy, but a kill does not. If a hook does not return soon after the end of its
// context, the chain abandons the call: it stops waiting and drops the answer. From then on, the
// hook must use only objects that it owns. It does not own the objects of its AllocHookEnv.
class AllocHook {
 public:
  virtual ~AllocHook() = default;

  virtual std::string_view name() const = 0;
  // How long a stage may take before its context ends. Every stage has a limit, so no hook can hold
  // up an allocation or the agent.
  virtual Duration deadline(AllocHookStage stage, const AllocHookRequest& request) const;

  // Called instead of Prerun if the allocation comes from an earlier agent, should not run any
  // more, and has a task that has not ended. Finds the resources that the tasks still use. Must not
  // block.
  virtual void Restore(const AllocHookRequest& request);

  // The first error ends the stage, and then no task starts.
  virtual Co<Status> Prerun(Context context, AllocHookRequest request);
  // In all other stages, every hook runs, whatever errors the earlier hooks return. The errors of
  // PreTaskRestart and Destroy are returned to the caller of the restart or destroy. All other
  // errors are passed to LocalAllocEnv::report.
  virtual Co<Status> Update(Context context, AllocHookRequest request);
  virtual Co<Status> PreTaskRestart(Context context, AllocHookRequest request);
  virtual Co<Status> Postrun(Context context, AllocHookRequest request);
  virtual Co<Status> Destroy(Context context, AllocHookRequest request);
  virtual Co<Status> Prekill(Context context, AllocHookRequest request);
  virtual Co<Status> Shutdown(Context context, AllocHookRequest request);
};

// Makes a hook for one allocation, in addition to the hooks that every allocation has. Null: the
// allocation needs none.
using AllocHookMaker = std::function<std::unique_ptr<AllocHook>(const AllocHookEnv&)>;

// The hooks of one allocation, in the order in which they were added.
class AllocHookChain {
 public:
  void Add(std::shared_ptr<AllocHook> hook) { hooks_.push_back(std::move(hook)); }
  // NEWEST returns the allocation that each hook gets. Without it, all hooks of a stage get the
  // allocation of its request.
  void SetNewest(std::function<std::shared_ptr<const Allocation>()> newest) {
    newest_ = std::move(newest);
  }

  void Restore(const AllocHookRequest& request);
  // Runs one stage of the hooks. Each error names the stage and the hook. Several errors are
  // joined into one error.
  Co<Status> Run(AllocHookStage stage, Context context, AllocHookRequest request);

 private:
  static Co<Status> Call(AllocHook* hook, AllocHookStage stage, Context context,
                         AllocHookRequest request);

  std::vector<std::shared_ptr<AllocHook>> hooks_;  // shared with abandoned calls
  std::function<std::shared_ptr<const Allocation>()> newest_;
};

// Joins errors. A single error stays as it is. Several errors become one error with their number
// and all their messages.
Status JoinErrors(std::vector<Error> errors);

}  // namespace drover
