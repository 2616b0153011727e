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

// What hooks are given when they are made. All of it outlives them.
struct AllocHookEnv {
  Loop* loop = nullptr;
  HookResources* resources = nullptr;
  AllocControl* control = nullptr;
  // Ended when nobody wants to wait for shutdown delays.
  std::shared_ptr<const Context> no_shutdown_delay;
};

// One concern of an allocation as a whole. Stages are coroutines of the control thread, called in
// the order of the hooks' registration, one at a time. A stage that is not overridden does nothing.
// A context ends: prerun's by a kill or the agent's shutdown, update's and pre-task-restart's by a
// kill too, the others' by the agent's shutdown; a hook returns soon after.
class AllocHook {
 public:
  virtual ~AllocHook() = default;

  virtual std::string_view name() const = 0;

  // The first error ends the stage, and the tasks are not started.
  virtual Co<Status> Prerun(Context context, AllocHookRequest request);
  // In these three and Destroy an error keeps no other hook from running.
  virtual Co<Status> Update(Context context, AllocHookRequest request);
  virtual Co<Status> PreTaskRestart(Context context, AllocHookRequest request);
  virtual Co<Status> Postrun(Context context, AllocHookRequest request);
  virtual Co<Status> Destroy(Context context, AllocHookRequest request);
  virtual Co<void> Prekill(Context context, AllocHookRequest request);
  virtual Co<void> Shutdown(Context context, AllocHookRequest request);
};

// Makes a hook for one allocation; how hooks are added to those that every allocation has.
using AllocHookMaker = std::function<std::unique_ptr<AllocHook>(const AllocHookEnv&)>;

// The hooks of one allocation, in order.
class AllocHookChain {
 public:
  void Add(std::unique_ptr<AllocHook> hook) { hooks_.push_back(std::move(hook)); }

  // Runs one stage. The errors name stage and hook; of a stage that goes on after errors, all.
  Co<Status> Run(AllocHookStage stage, Context context, AllocHookRequest request);

 private:
  static Co<Status> Call(AllocHook* hook, AllocHookStage stage, Context context,
                         AllocHookRequest request);

  std::vector<std::unique_ptr<AllocHook>> hooks_;
};

// One error out of several: the only one as it is, else their number and all texts.
Status JoinErrors(std::vector<Error> errors);

}  // namespace drover
