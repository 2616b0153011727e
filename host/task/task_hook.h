// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/driver/driver.h"
#include "host/spec/allocation.h"
#include "host/task/local_state.h"
#include "host/task/task_event.h"

namespace drover {

// When a hook is called. The hooks of a task are called in the order of their registration.
enum class HookStage {
  // Before each start. The first error ends the start. The context ends with a kill, with the
  // shutdown of the agent, and when the hook has returned, with or without an error.
  kPrestart,
  kPoststart,  // the task runs; cancelled by a kill or shutdown
  kPrekill,    // before the task is stopped, for a restart too; a kill does not cancel it
  kExited,     // after each end of the task; a kill does not cancel it
  kStop,       // once, when the task has ended for good; a kill does not cancel it
  kUpdate,     // the allocation has changed; not for a dead task
  kShutdown,   // the agent ends and the task keeps running
};
std::string_view HookStageName(HookStage stage);

// The host's paths of a task's files and of its network.
struct TaskLocation {
  std::string alloc_dir;  // shared by the tasks of the allocation
  std::string task_dir;
  std::string local_dir;
  std::string secrets_dir;
  std::string log_dir;
  std::string network_namespace;  // empty: the host's
};

// The arguments of every stage. Shared pointers keep them alive for a hook that returns late.
struct HookRequest {
  std::shared_ptr<const Allocation> alloc;
  std::shared_ptr<const Task> task;
  StringMap data;  // what this hook stored last
};

struct PrestartRequest : HookRequest {
  TaskLocation location;
  DriverInfo driver;
  std::string user;  // the task's user, after interpolation
  StringMap env;     // added by the hooks before this one
};

struct PrestartResponse {
  StringMap env;  // added to the task's environment
  std::vector<TaskMount> mounts;
  std::vector<TaskDevice> devices;
  bool done = false;  // do not call again; env is stored and applied each time
  StringMap data;     // stored when it differs from the request's
};

struct PoststartRequest : HookRequest {
  std::shared_ptr<const TaskConfig> config;  // of the run
  std::optional<DriverNetwork> network;
};

// The task, as its hooks may change it. It may be gone when a hook comes late.
class TaskControl {
 public:
  virtual ~TaskControl() = default;
  virtual void EmitEvent(TaskEvent event) = 0;
  // These return at once, and their errors are only reported. A task that is not running is not
  // restarted.
  virtual void RequestRestart(TaskEvent event, bool failure) = 0;
  virtual void RequestKill(TaskEvent event) = 0;
  virtual void RequestSignal(TaskEvent event, std::string signal) = 0;
};

// One concern of a task beside its driver. A stage is a coroutine of the control thread. Its
// context ends at its deadline, with the shutdown of the agent, and as HookStage says. A hook that
// does not return soon after that is left behind, and its answer is dropped. From then on it must
// touch only what it owns.
class TaskHook {
 public:
  virtual ~TaskHook() = default;

  virtual std::string_view name() const = 0;
  virtual bool Has(HookStage stage) const = 0;
  // How long a stage may take before its context ends. Every stage has a limit.
  virtual Duration deadline(HookStage stage) const;
  // Called once, before any stage.
  virtual void Attach(std::weak_ptr<TaskControl> control) { (void)control; }

  virtual Co<Result<PrestartResponse>> Prestart(Context context, PrestartRequest request);
  virtual Co<Status> Poststart(Context context, PoststartRequest request);
  virtual Co<Status> Prekill(Context context, HookRequest request);
  virtual Co<Status> Exited(Context context, HookRequest request);
  virtual Co<Status> Stop(Context context, HookRequest request);
  virtual Co<Status> Update(Context context, HookRequest request);
  virtual Co<Status> Shutdown(Context context, HookRequest request);

  // The event for the error that Prestart has just returned; the default is "Task hook failed" with
  // "NAME: ERROR".
  virtual TaskEvent FailureEvent(const Error& error) const;
};

}  // namespace drover
