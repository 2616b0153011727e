// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/ids.h"
#include "host/driver/driver.h"

namespace drover {

// The part of a task hook's state that survives a restart of the task or of the agent.
struct HookState {
  bool prestart_done = false;  // true: the hook's prestart is not called again
  StringMap data;              // data that only the hook uses
  StringMap env;               // variables that the hook adds to the task's environment
  std::string user;            // as whom the task must run; empty: the hook does not say

  bool operator==(const HookState&) const = default;
};

// The request to end the current run, or kNone if there is no request. The restart policy does not
// count the end of a run as an attempt if kKill or kRestart requested it.
enum class RunWish {
  kNone,
  kKill,            // the task must end for good
  kRestart,         // the task must start again
  kRestartFailure,  // the task must start again, and the restart counts as a failure
};

// The data that a task runner needs, in addition to the task's state, to continue after a restart
// of the agent. Clients never see this data.
struct LocalState {
  std::map<std::string, HookState> hooks;
  // The id of the newest run that has not been destroyed. It is stored before the driver starts the
  // run. So if this agent dies during a start, the next agent can still find the run.
  std::optional<RunId> run_id;
  std::string task_config_id;  // the TaskConfig::id of the run
  // The configuration of the run. It is not stored, so this pointer is null after a restore until
  // the runner has made the configuration again.
  std::shared_ptr<const TaskConfig> config;
  // What the prestart hooks gave to the run. It is stored because a hook cannot be asked again what
  // it gave, and the driver's recover gets the configuration that start got.
  std::vector<TaskMount> mounts;
  std::vector<TaskDevice> devices;
  StringMap device_env;              // the variables that came with devices
  std::optional<TaskHandle> handle;  // absent until the driver has started the run
  // The end of the run. It is stored before the driver removes the run. So if the agent then dies,
  // the next agent does not start a finished task again.
  std::optional<ExitResult> exit;
  // The request to end the run. It is stored before the driver's stop is called.
  RunWish wish = RunWish::kNone;
  // DELAY_UNTIL and STOP_SINCE store how far the end of the run that `wish` requests has
  // progressed. They are times of the boot clock, which the next agent can use, because no run
  // survives a reboot. DELAY_UNTIL is the end of the shutdown delay. If DELAY_UNTIL is set, the
  // prekill hooks have already run.
  std::optional<TimePoint> delay_until;
  // The time at which the stop began. The kill timeout also began at this time.
  std::optional<TimePoint> stop_since;
  std::optional<DriverNetwork> network;
  bool run_complete = false;  // the task has ended for good; only its stop hooks may run again
};

// Stores the local states of tasks.
class LocalStateStore {
 public:
  virtual ~LocalStateStore() = default;
  // Stores STATE, an immutable copy. When it returns success, STATE survives a death of the agent.
  virtual Co<Status> SaveLocalState(Context context, std::string task_name,
                                    std::shared_ptr<const LocalState> state) = 0;
};

}  // namespace drover
