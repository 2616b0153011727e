// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/alloc/hook_resources.h"
#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/result.h"
#include "host/spec/allocation.h"

namespace drover {

// When a hook of an allocation is called.
enum class AllocHookStage {
  kPrerun,          // before the tasks, if the allocation should run
  kUpdate,          // the allocation has changed and should still run
  kPreTaskRestart,  // before all running tasks, or all tasks, are restarted
  kPrekill,         // once: before tasks are killed, or when all have ended by themselves
  kPostrun,         // when all tasks have ended for good
  kDestroy,         // the allocation is removed
  kShutdown,        // the agent ends; the tasks keep running
};
std::string_view AllocHookStageName(AllocHookStage stage);

struct AllocHookRequest {
  std::shared_ptr<const Allocation> alloc;
  bool any_task_live = false;  // a task that is not poststop is pending or running
};

// The allocation, as its hooks may change it.
class AllocControl {
 public:
  virtual ~AllocControl() = default;
  // Ends the allocation as complete, whatever its tasks' states say. DESCRIPTION is the reason.
  virtual void RequestEnd(std::string description) = 0;
};

// Given to a hook when it is made. Valid for all its calls, except those that were left behind.
struct AllocHookEnv {
  Loop* loop = nullptr;
  HookResources* resources = nullptr;
  AllocControl* control = nullptr;
  // Cancelled to skip the shutdown delays.
  std::shared_ptr<const Context> no_shutdown_delay;
};

// One concern of an allocation as a whole. Stages are coroutines of the control thread, called in
// the order of the hooks' registration, one at a time. A stage that is not overridden does nothing.
// Every context ends at the stage's deadline. A kill or the agent's shutdown also ends those of
// prerun, update and pre-task-restart; the shutdown alone ends those of prekill, postrun and
// destroy. A hook that does not return soon after that is left behind and its answer is dropped.
// From then on it must touch only what it owns, which excludes its AllocHookEnv.
class AllocHook {
 public:
  virtual ~AllocHook() = default;

  virtual std::string_view name() const = 0;
  // How long a stage may take before it is interrupted. Every stage has a limit, so no hook can
  // hold up an allocation or the agent.
  virtual Duration deadline(AllocHookStage stage, const AllocHookRequest& request) const;

  // Called instead of prerun for an allocation of an earlier agent that should not run any more,
  // while one of its tasks has not ended. Finds again what its last tasks need. Must not block.
  virtual void Restore(const AllocHookRequest& request);

  // The first error ends the stage, and no task starts.
  virtual Co<Status> Prerun(Context context, AllocHookRequest request);
  // In all other stages every hook runs, whatever the errors. The errors of PreTaskRestart and
  // Destroy go to whoever requested these; all others go to LocalAllocEnv::report.
  virtual Co<Status> Update(Context context, AllocHookRequest request);
  virtual Co<Status> PreTaskRestart(Context context, AllocHookRequest request);
  virtual Co<Status> Postrun(Context context, AllocHookRequest request);
  virtual Co<Status> Destroy(Context context, AllocHookRequest request);
  virtual Co<Status> Prekill(Context context, AllocHookRequest request);
  virtual Co<Status> Shutdown(Context context, AllocHookRequest request);
};

// Makes a hook for one allocation, in addition to the hooks that every allocation has.
using AllocHookMaker = std::function<std::unique_ptr<AllocHook>(const AllocHookEnv&)>;

// The hooks of one allocation, in order.
class AllocHookChain {
 public:
  void Add(std::shared_ptr<AllocHook> hook) { hooks_.push_back(std::move(hook)); }

  void Restore(const AllocHookRequest& request);
  // Runs one stage. Each error names the stage and the hook; several errors are joined.
  Co<Status> Run(AllocHookStage stage, Context context, AllocHookRequest request);

 private:
  static Co<Status> Call(AllocHook* hook, AllocHookStage stage, Context context,
                         AllocHookRequest request);

  std::vector<std::shared_ptr<AllocHook>> hooks_;  // shared with calls that were left behind
};

// Makes one error of several: a single one stays as it is, more become their number and all texts.
Status JoinErrors(std::vector<Error> errors);

}  // namespace drover
