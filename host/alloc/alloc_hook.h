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
  kPrerun,          // before the tasks, unless the allocation is not to run
  kUpdate,          // the allocation has changed and is still to run
  kPreTaskRestart,  // before all running tasks, or all tasks, are restarted
  kPrekill,         // once: before tasks are killed, or when all have ended by themselves
  kPostrun,         // when all tasks have ended for good
  kDestroy,         // the allocation is forgotten
  kShutdown,        // the agent ends; the tasks go on
};
std::string_view AllocHookStageName(AllocHookStage stage);

struct AllocHookRequest {
  std::shared_ptr<const Allocation> alloc;
  bool any_task_live = false;  // a task that is not poststop is pending or running
};

// What a hook may do to its allocation.
class AllocControl {
 public:
  virtual ~AllocControl() = default;
  // Ends the allocation, which is complete then, whatever its tasks say. DESCRIPTION says why.
  virtual void RequestEnd(std::string description) = 0;
};

// What hooks are given when they are made. It outlives them and every context that they are given.
struct AllocHookEnv {
  Loop* loop = nullptr;
  HookResources* resources = nullptr;
  AllocControl* control = nullptr;
  // Ended when nobody wants to wait for shutdown delays.
  std::shared_ptr<const Context> no_shutdown_delay;
};

// One concern of an allocation as a whole. Stages are coroutines of the control thread, called in
// the order of the hooks' registration, one at a time. A stage that is not overridden does nothing.
// Every context ends with the stage's deadline. Those of prerun, update and pre-task-restart are
// also ended by a kill or the agent's shutdown, those of prekill and postrun by the shutdown. A
// hook that does not return soon after is left behind: its answer is dropped, so from then on it
// must not touch anything that it does not own, what it was made with included.
class AllocHook {
 public:
  virtual ~AllocHook() = default;

  virtual std::string_view name() const = 0;
  // How long a stage may take before it is interrupted. Every hook has one: none may hold an
  // allocation or the agent.
  virtual Duration deadline(AllocHookStage stage, const AllocHookRequest& request) const;

  // Of an allocation that an earlier agent ran and that is not to run any more, for which there is
  // no prerun: finds again what its last tasks need, if one has not ended. Must not block.
  virtual void Restore(const AllocHookRequest& request);

  // The first error ends the stage, and the tasks are not started.
  virtual Co<Status> Prerun(Context context, AllocHookRequest request);
  // In all further stages an error keeps no other hook from running; that of Destroy is the error
  // of the whole, the others are told to LocalAllocEnv::report.
  virtual Co<Status> Update(Context context, AllocHookRequest request);
  virtual Co<Status> PreTaskRestart(Context context, AllocHookRequest request);
  virtual Co<Status> Postrun(Context context, AllocHookRequest request);
  virtual Co<Status> Destroy(Context context, AllocHookRequest request);
  virtual Co<Status> Prekill(Context context, AllocHookRequest request);
  virtual Co<Status> Shutdown(Context context, AllocHookRequest request);
};

// Makes a hook for one allocation; how hooks are added to those that every allocation has.
using AllocHookMaker = std::function<std::unique_ptr<AllocHook>(const AllocHookEnv&)>;

// The hooks of one allocation, in order.
class AllocHookChain {
 public:
  void Add(std::shared_ptr<AllocHook> hook) { hooks_.push_back(std::move(hook)); }

  void Restore(const AllocHookRequest& request);
  // Runs one stage. The errors name stage and hook; of a stage that goes on after errors, all.
  Co<Status> Run(AllocHookStage stage, Context context, AllocHookRequest request);

 private:
  static Co<Status> Call(AllocHook* hook, AllocHookStage stage, Context context,
                         AllocHookRequest request);

  std::vector<std::shared_ptr<AllocHook>> hooks_;  // shared with calls that were left behind
};

// One error out of several: the only one as it is, else their number and all texts.
Status JoinErrors(std::vector<Error> errors);

}  // namespace drover
