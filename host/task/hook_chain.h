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

// The hooks of one task. They are called one after another, by the rules of their stages. Every
// call has a deadline. If a hook still runs one second after its context has ended, the chain
// stops waiting for it and drops its answer. So no hook can hold up a task or the shutdown of the
// agent. Control thread only.
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
    std::vector<TaskMount> mounts;
    std::vector<TaskDevice> devices;
  };
  struct Failed {
    Error error;  // the message is: prestart hook "NAME" failed: CAUSE
    TaskEvent event;
  };
  using PrestartResult = std::variant<Prepared, Failed>;

  // Calls the prestart of each hook that is not done yet, and stores the states of the hooks in
  // HOOKS. Calls SAVE after each change of HOOKS. After the first error, calls no further hook.
  // The context of each hook ends with KILL, with SHUTDOWN, and when the hook has returned.
  Co<PrestartResult> Prestart(Context kill, Context shutdown, PrestartRequest request,
                              std::map<std::string, HookState>* hooks,
                              std::function<Co<Status>()> save);

  // Whether any hook has STAGE.
  bool Has(HookStage stage) const;

  // Returns the environment variables of those prestart hooks that HOOKS marks as done.
  StringMap StoredEnv(const std::map<std::string, HookState>& hooks) const;

  // Calls every hook of STAGE, which must not be prestart. If a hook fails, its error is only
  // reported, and the next hook is still called. The context of each hook ends with CONTEXT and at
  // the deadline of the hook.
  Co<void> Run(HookStage stage, Context context, PoststartRequest request,
               const std::map<std::string, HookState>* hooks);

 private:
  static Co<Status> Call(TaskHook* hook, HookStage stage, Context context,
                         PoststartRequest request);

  const std::vector<std::shared_ptr<TaskHook>> hooks_;
  const Report report_;
};

}  // namespace drover
