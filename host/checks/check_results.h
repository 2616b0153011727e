// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <utility>

#include "host/alloc/health/check_states.h"
#include "host/base/keyed_listeners.h"
#include "host/base/loop.h"
#include "host/checks/check_plan.h"
#include "host/checks/check_result.h"

namespace drover {

// One check that runs, and its result. Only CheckResults may use the members after PLAN.
struct CheckSlot {
  explicit CheckSlot(std::shared_ptr<const CheckPlan> of) : plan(std::move(of)) {}

  const std::shared_ptr<const CheckPlan> plan;
  CheckResult result;
  bool live = true;  // false: the result of a run under way is dropped
};

// The results of all checks that run on this node. Keeps one result of each check, with a bounded
// output. Any thread may put and read results. All other functions are for the control thread.
class CheckResults : public CheckStates {
 public:
  // CONTROL must outlive this object, and so must the threads that put results end before it.
  explicit CheckResults(Loop* control) : control_(control) {}

  // Makes a check known, in its first state.
  std::shared_ptr<CheckSlot> Begin(CheckPlan plan);
  // Forgets the check of SLOT.
  void End(const std::shared_ptr<CheckSlot>& slot);
  // All checks of the allocation have begun, or ended. See Expect.
  void Settle(const std::string& alloc_id);

  // Sets the result of a check, unless it is forgotten. [any thread]
  void Put(const std::shared_ptr<CheckSlot>& slot, CheckResult result);

  // The part of a result that decisions need.
  struct Brief {
    CheckStatus status = CheckStatus::kPending;
    bool has_run = false;
    TimePoint ran;
  };
  Brief Look(const CheckSlot& slot) const;  // [any thread]
  // Returns the results of an allocation by their ids, as clients read them. [any thread]
  nlohmann::json Encode(const std::string& alloc_id) const;
  // Calls SEE for each check of the node, without a lock. [any thread]
  void ForEach(const std::function<void(const CheckPlan&, CheckStatus)>& see) const;

  bool Passing(const std::string& alloc_id) const override;
  void Expect(const std::string& alloc_id) override;
  // CHANGED is called after each change of a status, and after each run without success.
  Subscription OnChange(const std::string& alloc_id, std::function<void()> changed) override;

 private:
  // Makes CallListeners run soon. The caller holds the lock.
  void Note(const std::string& alloc_id);
  void CallListeners();

  Loop* const control_;
  mutable std::mutex mutex_;
  // By allocation, and then by the id of the check.
  std::map<std::string, std::map<std::string, std::shared_ptr<CheckSlot>>> slots_;
  std::set<std::string> expected_;  // allocations whose checks are about to begin
  std::set<std::string> changed_;   // allocations whose listeners will hear of it
  KeyedListeners<std::string> listeners_;
  const std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace drover
