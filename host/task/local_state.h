// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "host/base/ids.h"
#include "host/driver/driver.h"

namespace drover {

// The state of a task hook that survives a restart of the task or of the agent.
struct HookState {
  bool prestart_done = false;  // its prestart is not called again
  StringMap data;              // the hook's own
  StringMap env;               // added to the task's environment by its prestart

  bool operator==(const HookState&) const = default;
};

// The request by which a run ends. The restart policy does not judge an end that was requested,
// except for kRestartFailure.
enum class RunWish {
  kNone,
  kKill,            // it must end for good
  kRestart,         // it must start again
  kRestartFailure,  // it must start again, and this counts as a failure
};

// The data, beside the task's state, with which a task runner continues after the agent was
// restarted. Clients never see it.
struct LocalState {
  std::map<std::string, HookState> hooks;
  // The newest run that has not been destroyed. Stored before the driver is called, so that the
  // next agent can find a start that this one did not survive.
  std::optional<RunId> run_id;
  std::string task_config_id;  // TaskConfig::id of that run
  // The configuration of that run. Null after a restore from the store, which does not keep it: it
  // is made again.
  std::shared_ptr<const TaskConfig> config;
  std::optional<TaskHandle> handle;  // absent while only the intent is stored
  // The end of that run. Stored before the driver forgets the run: if the agent then dies, the next
  // one does not run a finished task again.
  std::optional<ExitResult> exit;
  // Stored before the driver is asked to stop that run.
  RunWish wish = RunWish::kNone;
  // The progress of that request. Times of the boot clock mean the same to the next agent, and no
  // run outlives the boot. First the end of the shutdown delay; once it is set, the prekill hooks
  // have run.
  std::optional<TimePoint> delay_until;
  // Then the start of the stop, and with it of the kill timeout.
  std::optional<TimePoint> stop_since;
  std::optional<DriverNetwork> network;
  bool run_complete = false;  // ended for good; only stop hooks may have to run again
};

// Stores local states. Each is an immutable copy.
class LocalStateStore {
 public:
  virtual ~LocalStateStore() = default;
  // Returns when the record would survive the death of the agent.
  virtual Co<Status> SaveLocalState(Context context, std::string task_name,
                                    std::shared_ptr<const LocalState> state) = 0;
};

}  // namespace drover
