// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/checks_hook.h"

#include <algorithm>
#include <utility>

namespace drover {

ChecksHook::ChecksHook(AllocHookEnv env, std::shared_ptr<const ChecksEnv> checks)
    : env_(std::move(env)),
      checks_(std::move(checks)),
      restarter_(env_.loop, env_.control, checks_->results) {}

ChecksHook::~ChecksHook() = default;

Co<Status> ChecksHook::Prerun(Context, AllocHookRequest request) {
  Replace(*request.alloc);
  co_return Status();
}

Co<Status> ChecksHook::Update(Context, AllocHookRequest request) {
  Replace(*request.alloc);
  co_return Status();
}

Co<Status> ChecksHook::Prekill(Context, AllocHookRequest request) {
  return Stop(request.alloc->id);
}

Co<Status> ChecksHook::Postrun(Context, AllocHookRequest request) {
  return Stop(request.alloc->id);
}

Co<Status> ChecksHook::Shutdown(Context, AllocHookRequest request) {
  return Stop(request.alloc->id);
}

void ChecksHook::Replace(const Allocation& alloc) {
  if (stopped_) return;
  std::vector<CheckPlan> plans = checks_->plans(alloc);
  const bool has_script = std::ranges::any_of(
      plans, [](const CheckPlan& plan) { return plan.check.type == CheckType::kScript; });
  if (has_script) {
    checks_->scripts->Open(
        alloc.id, [control = env_.control](Context context, std::string task, ExecRequest request) {
          return control->Exec(context, std::move(task), std::move(request));
        });
  }
  const auto before = std::exchange(slots_, {});
  std::vector<std::shared_ptr<CheckSlot>> all;
  std::vector<CheckPlan> changed;
  for (CheckPlan& plan : plans) {
    const auto same = before.find(plan.id);
    if (same != before.end() && *same->second->plan == plan) {
      slots_[plan.id] = same->second;
    } else {
      changed.push_back(std::move(plan));
    }
  }
  for (const auto& [id, slot] : before) {
    if (slots_.count(id) == 0) Drop(slot);
  }
  for (CheckPlan& plan : changed) {
    const std::string id = plan.id;
    const std::shared_ptr<CheckSlot> slot = checks_->results->Begin(std::move(plan));
    slots_[id] = slot;
    checks_->ask(slot);
  }
  for (const auto& [id, slot] : slots_) all.push_back(slot);
  restarter_.Watch(alloc.id, all);
  checks_->results->Settle(alloc.id);
}

void ChecksHook::Drop(const std::shared_ptr<CheckSlot>& slot) {
  checks_->forget(slot);
  checks_->results->End(slot);
}

Co<Status> ChecksHook::Stop(std::string alloc_id) {
  if (std::exchange(stopped_, true)) co_return Status();
  restarter_.Stop();
  for (const auto& [id, slot] : std::exchange(slots_, {})) Drop(slot);
  checks_->results->Settle(alloc_id);
  co_await checks_->scripts->Close(alloc_id);
  co_return Status();
}

}  // namespace drover
