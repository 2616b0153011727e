// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/consul/consul_checks.h"

#include <memory>
#include <utility>

namespace drover {

ConsulChecks::ConsulChecks(Loop* loop, ConsulApi* api, const ConsulSync* sync)
    : loop_(loop), api_(api), sync_(sync), context_(loop), gate_(loop) {}

bool ConsulChecks::Passing(const std::string& alloc_id) const {
  for (const auto& service : sync_->ServicesOf(alloc_id)) {
    for (const ConsulCheck& check : service->checks) {
      if (check.on_update == OnUpdate::kIgnore) continue;
      const auto found = states_.find(check.id);
      if (found == states_.end()) return false;
      const ConsulStatus status = found->second.status;
      const bool warns =
          status == ConsulStatus::kWarning && check.on_update == OnUpdate::kIgnoreWarnings;
      if (status != ConsulStatus::kPassing && !warns) return false;
    }
  }
  return true;
}

Subscription ConsulChecks::OnChange(const std::string& alloc_id, std::function<void()> changed) {
  // Only Passing shows a change, so the listener calls it again and remembers what it was.
  auto was = std::make_shared<bool>(Passing(alloc_id));
  Subscription subscription = waiting_.Add([this, alloc_id, was, changed = std::move(changed)] {
    const bool is = Passing(alloc_id);
    if (std::exchange(*was, is) != is) changed();
  });
  if (!running_ && !context_.cancelled()) {
    running_ = true;
    gate_.Spawn(Run());
  }
  return subscription;
}

Co<void> ConsulChecks::Stop() {
  context_.Cancel("the agent ends");
  co_await gate_.Close();
}

Co<void> ConsulChecks::Run() {
  while (!waiting_.empty() && !context_.cancelled()) {
    const TimePoint begin = loop_->Now();
    Result<ConsulCheckStateMap> read = co_await api_->ListChecks(context_);
    if (context_.cancelled()) break;
    // What cannot be asked may have changed. So no allocation becomes healthy by an old answer.
    states_ = read.ok() ? *std::move(read) : ConsulCheckStateMap();
    waiting_.Call();
    const Duration rest = kInterval - (loop_->Now() - begin);
    if (rest > Duration(0)) {
      [[maybe_unused]] const Status slept = co_await Sleep(context_, rest);
    }
  }
  states_.clear();
  running_ = false;
}

}  // namespace drover
