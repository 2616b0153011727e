// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
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
  // Before each start of the task. The first error ends the start. The context ends with a kill
  // and with the shutdown of the agent. It also ends when the hook returns, even with an error.
  kPrestart,
  kPoststart,  // when the task runs; a kill or a shutdown of the agent cancels it
  kPrekill,    // before each stop, also for a restart; a kill does not cancel it
  kExited,     // after each end of the task; a kill does not cancel it
  kStop,       // once, when the task has ended for good; a kill does not cancel it
  kUpdate,     // after a change of the allocation, unless the task is dead
  kShutdown,   // when the agent ends while the task keeps running
};
std::string_view HookStageName(HookStage stage);

// The paths on the host of a task's files and of its network namespace.
struct TaskLocation {
  std::string alloc_dir;  // shared by the tasks of the allocation
  std::string task_dir;
  std::string local_dir;
  std::string secrets_dir;
  std::string log_dir;
  std::string network_namespace;  // empty: the network namespace of the host
};

// The arguments of every stage. The shared pointers keep the objects alive for a hook that returns
// late.
struct HookRequest {
  std::shared_ptr<const Allocation> alloc;
  std::shared_ptr<const Task> task;
  StringMap data;                    // the data that this hook stored last
  std::optional<RunId> run;          // the run that exists, or in kExited the run that has ended
  std::optional<ExitResult> exited;  // how the run has ended; only in kExited
  // What the driver says of the network of the run, if there is a run and its driver says so.
  std::optional<DriverNetwork> network = std::nullopt;
};

struct PrestartRequest : HookRequest {
  TaskLocation location;
  DriverInfo driver;
  std::string user;  // the task's user, after interpolation, or that of a hook before this one
  StringMap env;     // the variables that the hooks before this one added
  // Whether an earlier agent has started the task, which keeps running. Its environment cannot be
  // changed any more.
  bool running = false;
};

struct PrestartResponse {
  StringMap env;  // variables to add to the task's environment
  // The same for variables of devices, which the driver gets as such, too. Like mounts and devices,
  // they are stored only as long as the run that gets them (see LocalState).
  StringMap device_env;
  std::vector<TaskMount> mounts;
  std::vector<TaskDevice> devices;
  bool done = false;  // true: prestart is not called again; ENV is stored and used for each start
  StringMap data;     // stored if it differs from the data of the request
  // As whom the task must run instead of the user in its job; stored. Empty: the hook does not say.
  std::string user;
};

struct PoststartRequest : HookRequest {
  std::shared_ptr<const TaskConfig> config;  // the configuration of the run
};

// The interface by which a hook changes its task. A hook holds a weak pointer to it, because the
// task may be destroyed before a late hook returns.
class TaskControl {
 public:
  virtual ~TaskControl() = default;
  virtual void EmitEvent(TaskEvent event) = 0;
  // The requests below return at once, and their errors are only reported. RequestRestart does
  // nothing if the task is not running.
  virtual void RequestRestart(TaskEvent event, bool failure) = 0;
  virtual void RequestKill(TaskEvent event) = 0;
  virtual void RequestSignal(TaskEvent event, std::string signal) = 0;
  // Like RequestSignal, but returns when the signal is sent, or why it could not be.
  virtual Co<Status> Signal(TaskEvent event, std::string signal);
  // Where the files of the task are.
  virtual TaskLocation Location() const { return {}; }
  // Runs a command in the environment of the running task and returns its session.
  virtual Co<Result<std::unique_ptr<TaskExecSession>>> Exec(Context context, ExecRequest request);
  // Replaces the data of the hook NAME. When it returns success, a later agent gets DATA. For
  // changes while the task runs; Prestart returns its data.
  virtual Co<Status> SaveHookData(std::string name, StringMap data);
};

// A hook does work for a task, in addition to the work of the driver. Each stage is a coroutine of
// the control thread. The context of a stage ends at its deadline, with the shutdown of the agent,
// and in the cases that HookStage describes. If the hook does not return soon after the end of the
// context, the runner stops waiting for the hook and drops its answer. From then on the hook must
// use only objects that it owns.
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

  // Returns the event for ERROR, which Prestart has just returned. The default implementation
  // returns an event "Task hook failed" with the message "NAME: ERROR".
  virtual TaskEvent FailureEvent(const Error& error) const;
};

}  // namespace drover
