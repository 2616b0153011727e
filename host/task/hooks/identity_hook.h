// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/base/worker_pool.h"
#include "host/identity/keyring.h"
#include "host/identity/renewal.h"
#include "host/task/task_hook.h"

namespace drover {

// The pointers are not owned. Their objects must outlive the hook.
struct IdentityHookOptions {
  Loop* loop = nullptr;
  Keyring* keyring = nullptr;
  WorkerPool* pool = nullptr;  // writes files; null: the calling thread does
  std::string issuer;          // of the tokens; may be empty
  // Receives the errors of renewals. May be empty.
  std::function<void(const Error&)> report;
};

// Gives a task the tokens of its identities, in files and in its environment, and renews those that
// expire. A new start of the task gets new tokens. A task that an earlier agent has started keeps
// its tokens: the keyring is the same, and the data of the hook says when they were issued.
class IdentityHook : public TaskHook {
 public:
  explicit IdentityHook(IdentityHookOptions options);

  // Returns whether TASK needs the hook.
  static bool IsNeeded(const Task& task);

  std::string_view name() const override { return "identity"; }
  bool Has(HookStage stage) const override {
    return stage != HookStage::kPrekill && stage != HookStage::kUpdate;
  }
  Duration deadline(HookStage stage) const override {
    return stage == HookStage::kPrestart ? Duration(1min) : Duration(5s);
  }
  void Attach(std::weak_ptr<TaskControl> control) override { control_ = std::move(control); }
  Co<Result<PrestartResponse>> Prestart(Context context, PrestartRequest request) override;
  Co<Status> Poststart(Context context, PoststartRequest request) override;
  Co<Status> Exited(Context context, HookRequest request) override;
  Co<Status> Stop(Context context, HookRequest request) override;
  Co<Status> Shutdown(Context context, HookRequest request) override;

 private:
  struct Renewal {
    Identity identity;
    RenewalTime time;
  };
  // The tokens of one run of the task that must be renewed. The coroutine that renews them shares
  // it with the hook.
  struct Renewals {
    PrestartRequest request;
    std::vector<Renewal> list;  // not empty
  };

  Co<Result<std::string>> Issue(PrestartRequest request, Identity identity);
  static Co<void> RenewLoop(IdentityHook* self, Context context,
                            std::shared_ptr<Renewals> renewals);
  Co<void> RenewDue(Context context, std::shared_ptr<Renewals> renewals);
  void CarryOut(const std::vector<Identity>& renewed);
  RenewalTime FirstRenewal(const PrestartRequest& request, const Identity& identity) const;
  Co<void> End();

  const IdentityHookOptions options_;
  std::weak_ptr<TaskControl> control_;
  std::shared_ptr<Renewals> renewals_;  // null if no token of the present run expires
  std::optional<Context> renewing_;     // the context of the newest RenewLoop
  Event free_;                          // set while no token is renewed
  Gate running_;
};

}  // namespace drover
