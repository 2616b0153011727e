// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/event.h"
#include "host/base/result.h"
#include "host/task/local_state.h"
#include "host/task/task_hook.h"

namespace drover {

// The hooks of one task. The chain calls them one after another. Every call has a deadline. If a
// hook still runs one second after the end of its context, the chain stops waiting for the hook and
// drops its answer. So no hook can hold up a task or the shutdown of the agent. Control thread
// only.
class HookChain {
 public:
  // Receives the errors that are only logged.
  using Report = std::function<void(const Error&)>;

  HookChain(std::vector<std::shared_ptr<TaskHook>> hooks, Report report)
      : hooks_(std::move(hooks)), report_(std::move(report)) {}

  void Attach(const std::weak_ptr<TaskControl>& control);

  // The combined answers of all prestart hooks.
  struct Prepared {
    StringMap env;
    StringMap device_env;  // the variables in env that devices added
    std::vector<TaskMount> mounts;
    std::vector<TaskDevice> devices;
    std::string user;  // see PrestartResponse
  };
  struct Failed {
    Error error;  // the message is: prestart hook "NAME" failed: CAUSE
    TaskEvent event;
  };
  using PrestartResult = std::variant<Prepared, Failed>;

  // Calls Prestart of each hook that HOOKS does not mark as done, and updates the state of the hook
  // in HOOKS. Calls SAVE after each change of HOOKS. After the first error, calls no further hook.
  // The context of a hook ends with KILL, with SHUTDOWN, at its deadline, and when the hook has
  // returned.
  Co<PrestartResult> Prestart(Context kill, Context shutdown, PrestartRequest request,
                              std::map<std::string, HookState>* hooks,
                              std::function<Co<Status>()> save);

  // Whether any hook must be called at STAGE.
  bool Has(HookStage stage) const;

  // Returns the environment variables of those prestart hooks that HOOKS marks as done.
  StringMap StoredEnv(const std::map<std::string, HookState>& hooks) const;

  // Returns the user that a prestart hook of this or an earlier agent chose; empty if none did.
  static std::string StoredUser(const std::map<std::string, HookState>& hooks);

  // Calls all hooks that have STAGE, one after another. STAGE must not be kPrestart. If a hook
  // fails, Run reports the error and continues with the next hook. The context of each hook ends
  // with CONTEXT, and at the deadline of the hook.
  Co<void> Run(HookStage stage, Context context, PoststartRequest request,
               const std::map<std::string, HookState>* hooks);

 private:
  static Co<Status> Call(TaskHook* hook, HookStage stage, Context context,
                         PoststartRequest request);

  const std::vector<std::shared_ptr<TaskHook>> hooks_;
  const Report report_;
};

}  // namespace drover
