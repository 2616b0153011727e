// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/health/alloc_health_hook.h"

#include <utility>

#include "host/base/event.h"

namespace drover {
namespace {

// Returns the rule for the health of an allocation; null if nobody watches it.
const UpdatePolicy* HealthPolicyOf(const Allocation& alloc) {
  const TaskGroup* const group = alloc.group();
  const JobType type = alloc.job->type;
  if (group == nullptr || (type != JobType::kService && type != JobType::kSystem)) return nullptr;
  const bool replaces = alloc.deployment_id.empty() && !alloc.previous.empty();
  const UpdatePolicy& policy = replaces ? group->migrate_health : group->update;
  return policy.health_check == UpdatePolicy::HealthCheck::kManual ? nullptr : &policy;
}

}  // namespace

// The runner may be gone already, so only the timer is taken back.
AllocHealthHook::~AllocHealthHook() { env_.loop->Cancel(timer_); }

Co<Status> AllocHealthHook::Prerun(Context, AllocHookRequest request) {
  Begin(*request.alloc);
  co_return Status();
}

Co<Status> AllocHealthHook::Update(Context, AllocHookRequest request) {
  Stop();
  Begin(*request.alloc);
  co_return Status();
}

Co<Status> AllocHealthHook::Prekill(Context, AllocHookRequest) {
  ended_ = true;
  if (!tracker_) co_return Status();
  co_await NextTurn(env_.loop);  // the runner publishes the states of the tasks first
  if (tracker_) Look();
  Stop();
  co_return Status();
}

Co<Status> AllocHealthHook::Postrun(Context, AllocHookRequest) {
  ended_ = true;
  Stop();
  co_return Status();
}

Co<Status> AllocHealthHook::Shutdown(Context, AllocHookRequest) {
  ended_ = true;
  Stop();
  co_return Status();
}

void AllocHealthHook::OnAllocState(const AllocSnapshot&) { Wake(env_.loop->Now()); }

void AllocHealthHook::Begin(const Allocation& alloc) {
  const UpdatePolicy* const policy = HealthPolicyOf(alloc);
  const AllocSnapshot now = env_.control->snapshot();
  if (ended_ || policy == nullptr || now == nullptr || now->health) return;
  tracker_.emplace(*policy, env_.loop->Now());
  deployment_id_ = alloc.deployment_id;
  env_.control->AddObserver(this);
  if (checks_ != nullptr) {
    checks_->Expect(alloc.id);
    on_checks_ = checks_->OnChange(alloc.id, [this] { Wake(env_.loop->Now()); });
  }
  Wake(env_.loop->Now());
}

void AllocHealthHook::Stop() {
  env_.loop->Cancel(std::exchange(timer_, 0));
  on_checks_.Cancel();
  if (!tracker_) return;
  tracker_.reset();
  env_.control->RemoveObserver(this);
}

// Makes Look run at the time AT, unless it runs earlier anyway.
void AllocHealthHook::Wake(TimePoint at) {
  if (!tracker_ || (timer_ != 0 && timer_at_ <= at)) return;
  env_.loop->Cancel(timer_);
  timer_at_ = at;
  timer_ = env_.loop->At(at, [this] {
    timer_ = 0;
    Look();
  });
}

void AllocHealthHook::Look() {
  const AllocSnapshot state = env_.control->snapshot();
  // For another deployment, Update begins anew.
  if (state->alloc->server_terminal() || state->alloc->deployment_id != deployment_id_) {
    return Stop();
  }
  const bool pass = checks_ == nullptr || checks_->Passing(state->alloc->id);
  std::optional<HealthVerdict> verdict =
      tracker_->Judge(*state, pass, env_.loop->Now(), env_.loop->Wall());
  if (!verdict) return Wake(tracker_->due());
  Stop();
  if (deployment_id_.empty()) verdict->messages.clear();
  env_.control->SetHealth(verdict->healthy, std::move(verdict->messages));
}

}  // namespace drover
