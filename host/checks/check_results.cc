// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/check_results.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "host/checks/check_tally.h"

namespace drover {
namespace {

using nlohmann::json;

json EncodeOne(const CheckPlan& plan, const CheckResult& result) {
  json out = {{"ID", plan.id},
              {"Mode", plan.readiness() ? "readiness" : "healthiness"},
              {"Status", CheckStatusName(result.status)},
              {"Output", result.output},
              {"Timestamp", result.timestamp / 1'000'000'000},
              {"Group", plan.alloc_name},
              {"Service", plan.service},
              {"Check", plan.check.name}};
  if (result.status_code != 0) out["StatusCode"] = result.status_code;
  if (!plan.task.empty()) out["Task"] = plan.task;
  return out;
}

// Returns whether a check in this state does not keep its allocation from being healthy.
bool Passes(const CheckPlan& plan, CheckStatus status) {
  if (plan.readiness() || status == CheckStatus::kSuccess) return true;
  return status == CheckStatus::kWarning && plan.check.on_update == OnUpdate::kIgnoreWarnings;
}

}  // namespace

std::shared_ptr<CheckSlot> CheckResults::Begin(CheckPlan plan) {
  auto slot = std::make_shared<CheckSlot>(std::make_shared<const CheckPlan>(std::move(plan)));
  slot->result.status = CheckTally(slot->plan->check).status();
  slot->result.timestamp = control_->Wall();
  const std::lock_guard lock(mutex_);
  slots_[slot->plan->alloc_id][slot->plan->id] = slot;
  Note(slot->plan->alloc_id);
  return slot;
}

void CheckResults::End(const std::shared_ptr<CheckSlot>& slot) {
  const std::lock_guard lock(mutex_);
  slot->live = false;
  const auto of_alloc = slots_.find(slot->plan->alloc_id);
  if (of_alloc == slots_.end()) return;
  const auto found = of_alloc->second.find(slot->plan->id);
  if (found == of_alloc->second.end() || found->second != slot) return;
  of_alloc->second.erase(found);
  if (of_alloc->second.empty()) slots_.erase(of_alloc);
  Note(slot->plan->alloc_id);
}

void CheckResults::Expect(const std::string& alloc_id) {
  const std::lock_guard lock(mutex_);
  expected_.insert(alloc_id);
}

void CheckResults::Settle(const std::string& alloc_id) {
  const std::lock_guard lock(mutex_);
  if (expected_.erase(alloc_id) > 0) Note(alloc_id);
}

void CheckResults::Put(const std::shared_ptr<CheckSlot>& slot, CheckResult result) {
  result.output = CheckOutput(result.output);
  const std::lock_guard lock(mutex_);
  if (!slot->live) return;
  const bool notes = result.status != slot->result.status || result.status != CheckStatus::kSuccess;
  slot->result = std::move(result);
  if (notes) Note(slot->plan->alloc_id);
}

CheckResults::Brief CheckResults::Look(const CheckSlot& slot) const {
  const std::lock_guard lock(mutex_);
  return {slot.result.status, slot.result.has_run, slot.result.ran};
}

json CheckResults::Encode(const std::string& alloc_id) const {
  // The results are copied, so that no other thread waits for the encoding.
  std::vector<std::pair<std::shared_ptr<const CheckPlan>, CheckResult>> results;
  {
    const std::lock_guard lock(mutex_);
    const auto found = slots_.find(alloc_id);
    if (found != slots_.end()) {
      for (const auto& [id, slot] : found->second) results.emplace_back(slot->plan, slot->result);
    }
  }
  json out = json::object();
  for (const auto& [plan, result] : results) out[plan->id] = EncodeOne(*plan, result);
  return out;
}

void CheckResults::ForEach(const std::function<void(const CheckPlan&, CheckStatus)>& see) const {
  std::vector<std::pair<std::shared_ptr<const CheckPlan>, CheckStatus>> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [alloc_id, of_alloc] : slots_) {
      for (const auto& [id, slot] : of_alloc) all.emplace_back(slot->plan, slot->result.status);
    }
  }
  for (const auto& [plan, status] : all) see(*plan, status);
}

bool CheckResults::Passing(const std::string& alloc_id) const {
  const std::lock_guard lock(mutex_);
  if (expected_.contains(alloc_id)) return false;
  const auto found = slots_.find(alloc_id);
  if (found == slots_.end()) return true;
  for (const auto& [id, slot] : found->second) {
    if (!Passes(*slot->plan, slot->result.status)) return false;
  }
  return true;
}

Subscription CheckResults::OnChange(const std::string& alloc_id, std::function<void()> changed) {
  return listeners_.Add(alloc_id, std::move(changed));
}

void CheckResults::Note(const std::string& alloc_id) {
  const bool first = changed_.empty();
  changed_.insert(alloc_id);
  // Results that arrive before the control thread has its turn are reported together.
  if (!first) return;
  control_->Post([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) CallListeners();
  });
}

void CheckResults::CallListeners() {
  std::set<std::string> changed;
  {
    const std::lock_guard lock(mutex_);
    changed.swap(changed_);
  }
  for (const std::string& alloc_id : changed) listeners_.Call(alloc_id);
}

}  // namespace drover
