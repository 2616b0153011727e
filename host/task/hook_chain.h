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

// The hooks of one task, called in their order by the rules of their stages. Every call has a
// deadline. A hook that goes on for a second after its context ended is left behind. So no hook can
// hold up a task or the shutdown of the agent. Control thread only.
class HookChain {
 public:
  // Receives errors that are only worth a line in the log.
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
    Error error;  // prestart hook "NAME" failed: ...
    TaskEvent event;
  };
  using PrestartResult = std::variant<Prepared, Failed>;

  // Calls each hook that is not done yet, keeps its state in HOOKS, and calls SAVE after each
  // change. The first error ends it. Each hook's context ends with KILL, with SHUTDOWN, and when
  // the hook has returned.
  Co<PrestartResult> Prestart(Context kill, Context shutdown, PrestartRequest request,
                              std::map<std::string, HookState>* hooks,
                              std::function<Co<Status>()> save);

  // Whether any hook has this stage.
  bool Has(HookStage stage) const;

  // The environment from the prestart hooks that are done.
  StringMap StoredEnv(const std::map<std::string, HookState>& hooks) const;

  // Calls the hooks of a stage other than prestart. All are called, and errors are only reported.
  // CONTEXT interrupts them, as do their deadlines.
  Co<void> Run(HookStage stage, Context context, PoststartRequest request,
               const std::map<std::string, HookState>* hooks);

 private:
  static Co<Status> Call(TaskHook* hook, HookStage stage, Context context,
                         PoststartRequest request);

  const std::vector<std::shared_ptr<TaskHook>> hooks_;
  const Report report_;
};

}  // namespace drover
