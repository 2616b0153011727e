// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/hooks/identity_hook.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "host/base/text.h"
#include "host/task/task_file.h"

namespace drover {
namespace {

bool IsGiven(const Identity& identity) { return identity.env || identity.file; }

// Returns the identities whose tokens TASK gets.
std::vector<Identity> GivenIdentities(const Task& task) {
  std::vector<Identity> given;
  if (IsGiven(task.identity)) given.push_back(task.identity);
  std::copy_if(task.identities.begin(), task.identities.end(), std::back_inserter(given), IsGiven);
  return given;
}

// Returns whether the user of the task is not known when its files are made. See WriteTaskFile.
bool IsUserUnknown(const PrestartRequest& request) {
  const FsIsolation isolation = request.driver.fs_isolation;
  return isolation == FsIsolation::kImage ||
         (isolation == FsIsolation::kChroot && request.user.empty());
}

}  // namespace

IdentityHook::IdentityHook(IdentityHookOptions options)
    : options_(std::move(options)), free_(options_.loop), running_(options_.loop) {
  free_.Set();
}

bool IdentityHook::IsNeeded(const Task& task) { return !GivenIdentities(task).empty(); }

Co<Result<PrestartResponse>> IdentityHook::Prestart(Context context, PrestartRequest request) {
  PrestartResponse response;
  auto renewals = std::make_shared<Renewals>();
  renewals->request = request;
  renewals_ = nullptr;
  for (const Identity& identity : GivenIdentities(*request.task)) {
    if (!request.running) {
      Result<std::string> token = co_await Issue(request, identity);
      if (!token.ok()) {
        co_return token.error().WithContext("the token of the identity \"" + identity.name + "\"");
      }
      if (identity.env) response.env[TokenVariable(identity)] = std::move(*token);
      DROVER_CO_TRY(context.status());
    }
    if (identity.ttl <= 0s) continue;
    const auto known = request.data.find(identity.name);
    if (!request.running) {
      response.data[identity.name] = std::to_string(options_.loop->Wall());
    } else if (known != request.data.end()) {
      response.data[identity.name] = known->second;
    }
    renewals->list.push_back({identity, FirstRenewal(request, identity)});
  }
  if (!renewals->list.empty()) renewals_ = std::move(renewals);
  co_return response;
}

// Makes a token of IDENTITY and writes its file, if it has one. Returns the token.
Co<Result<std::string>> IdentityHook::Issue(PrestartRequest request, Identity identity) {
  Claims claims = ClaimsOf(*request.alloc, request.task->name, identity, options_.loop->Wall(),
                           options_.issuer);
  DROVER_CO_ASSIGN(std::string token, co_await options_.keyring->Sign(std::move(claims)));
  if (!identity.file) co_return token;
  std::function<Status()> write = [task_dir = request.location.task_dir, path = TokenFile(identity),
                                   token, unknown = IsUserUnknown(request)] {
    return WriteTaskFile(task_dir, path, token, unknown);
  };
  if (options_.pool == nullptr) {
    DROVER_CO_TRY(write());
  } else {
    DROVER_CO_TRY(co_await options_.pool->Run(std::move(write)));
  }
  co_return token;
}

// Returns when the token that the task has is renewed. If nobody knows when it was issued, that is
// now.
RenewalTime IdentityHook::FirstRenewal(const PrestartRequest& request,
                                       const Identity& identity) const {
  const TimePoint now = options_.loop->Now();
  if (!request.running) return {now, identity.ttl};
  const auto known = request.data.find(identity.name);
  const std::optional<WallTime> issued =
      known == request.data.end() ? std::nullopt : ParseNumber<WallTime>(known->second);
  // The clock of the machine may have been changed.
  const WallTime age = issued ? options_.loop->Wall() - *issued : identity.ttl.count();
  return {now - std::clamp(Duration(age), Duration(0), identity.ttl), identity.ttl};
}

Co<Status> IdentityHook::Poststart(Context, PoststartRequest) {
  if (renewing_) renewing_->Cancel("the task has been started again");
  renewing_.reset();
  if (!renewals_) co_return Status();
  // The renewals need a context of their own, because Poststart's context ends when Poststart
  // returns.
  renewing_.emplace(options_.loop);
  running_.Spawn(RenewLoop(this, *renewing_, renewals_));
  co_return Status();
}

// SELF outlives this coroutine: Exited, Stop and Shutdown wait for all coroutines of RUNNING_, and
// the hook lives until they have returned.
Co<void> IdentityHook::RenewLoop(IdentityHook* self, Context context,
                                 std::shared_ptr<Renewals> renewals) {
  // A disk may be slow to write a token of the previous run.
  while (!self->free_.is_set() && !context.cancelled()) (void)co_await self->free_.Wait(context);
  if (context.cancelled()) co_return;
  self->free_.Reset();
  while (!context.cancelled()) {
    const auto next = std::min_element(
        renewals->list.begin(), renewals->list.end(),
        [](const Renewal& a, const Renewal& b) { return a.time.due() < b.time.due(); });
    const Duration pause = next->time.due() - self->options_.loop->Now();
    if (pause > 0s) {
      (void)co_await Sleep(context, pause);
    } else {
      co_await self->RenewDue(context, renewals);
    }
  }
  self->free_.Set();
}

Co<void> IdentityHook::RenewDue(Context context, std::shared_ptr<Renewals> renewals) {
  std::vector<Identity> renewed;
  for (Renewal& renewal : renewals->list) {
    if (renewal.time.due() > options_.loop->Now()) continue;
    const Result<std::string> token = co_await Issue(renewals->request, renewal.identity);
    if (context.cancelled()) co_return;
    if (token.ok()) {
      renewal.time.Renewed(options_.loop->Now());
      renewed.push_back(renewal.identity);
    } else {
      renewal.time.Failed(options_.loop->Now());
      if (options_.report) {
        options_.report(token.error().WithContext(
            "the token of the identity \"" + renewal.identity.name + "\" could not be renewed"));
      }
    }
  }
  CarryOut(renewed);
}

// Does to the task what the identities want after their tokens were renewed. A restart, which gives
// the task all tokens anew, makes signals needless.
void IdentityHook::CarryOut(const std::vector<Identity>& renewed) {
  const auto control = control_.lock();
  if (!control) return;
  std::set<std::string> signals;
  for (const Identity& identity : renewed) {
    if (identity.change_mode == Identity::ChangeMode::kRestart) {
      const std::string reason = "the token of the identity \"" + identity.name + "\" was renewed";
      control->RequestRestart(
          TaskEvent(event_type::kRestartSignaled).With(event_key::kRestartReason, reason),
          /*failure=*/false);
      return;
    }
    if (identity.change_mode == Identity::ChangeMode::kSignal) {
      signals.insert(identity.change_signal);
    }
  }
  for (const std::string& signal : signals) {
    control->RequestSignal(TaskEvent(event_type::kSignaling).With(event_key::kSignal, signal),
                           signal);
  }
}

Co<Status> IdentityHook::Exited(Context, HookRequest) {
  co_await End();
  co_return Status();
}

Co<Status> IdentityHook::Stop(Context, HookRequest) {
  co_await End();
  co_return Status();
}

Co<Status> IdentityHook::Shutdown(Context, HookRequest) {
  co_await End();
  co_return Status();
}

Co<void> IdentityHook::End() {
  if (renewing_) renewing_->Cancel("the task has ended");
  co_await running_.Join();
  renewing_.reset();
}

}  // namespace drover
