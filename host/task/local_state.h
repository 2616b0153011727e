// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "host/base/ids.h"
#include "host/driver/driver.h"

namespace drover {

// What a task hook wants to find again, after a restart of the task or of the agent.
struct HookState {
  bool prestart_done = false;  // its prestart is not run again
  StringMap data;              // its own
  StringMap env;               // what its prestart added to the task's environment

  bool operator==(const HookState&) const = default;
};

// What somebody has asked of a run before it ended: then its end is no matter of the restart
// policy.
enum class RunWish {
  kNone,
  kKill,            // it is to end for good
  kRestart,         // it is to start again
  kRestartFailure,  // and this counts as a failure
};

// What a task runner needs, beside the task's state, to go on after the agent was restarted. Not
// shown to clients.
struct LocalState {
  std::map<std::string, HookState> hooks;
  // The run that was begun last and has not been cleared away. Stored before the driver is called,
  // so that a start that the agent did not survive can be found again.
  std::optional<RunId> run_id;
  std::string task_config_id;  // TaskConfig::id of that run
  // The configuration of that run; null after a restore that did not keep it: it is made again.
  std::shared_ptr<const TaskConfig> config;
  std::optional<TaskHandle> handle;  // absent between intent and commit
  // How that run ended. Stored before the driver forgets the run, so that an agent that does not
  // survive what follows does not run a finished task again.
  std::optional<ExitResult> exit;
  // Stored before the driver is asked to stop that run.
  RunWish wish = RunWish::kNone;
  // How far that has come. Points of the boot clock mean the same to the next agent, and the run
  // does not outlive the boot. Until when the shutdown delay lasts; its prekill hooks have run
  // then.
  std::optional<TimePoint> delay_until;
  // Since when the driver is asked: its kill timeout began then.
  std::optional<TimePoint> stop_since;
  std::optional<DriverNetwork> network;
  bool run_complete = false;  // all is over, only stop hooks may have to run again
};

// Keeps local states. The state is a copy that does not change any more.
class LocalStateStore {
 public:
  virtual ~LocalStateStore() = default;
  // Returns when the record would survive a kill of the agent.
  virtual Co<Status> SaveLocalState(Context context, std::string task_name,
                                    std::shared_ptr<const LocalState> state) = 0;
};

}  // namespace drover
