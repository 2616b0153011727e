// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "host/base/loop.h"
#include "host/checks/check_results.h"
#include "host/checks/script_checks.h"

namespace drover {

// The one thread that asks all checks of this node. It exists from the first check on. Scripts run
// in their tasks; the thread only decides when. Control thread only.
class CheckThread {
 public:
  // CONTROL and RESULTS must outlive this object.
  CheckThread(Loop* control, CheckResults* results, std::shared_ptr<ScriptChecks> scripts);
  CheckThread(const CheckThread&) = delete;
  CheckThread& operator=(const CheckThread&) = delete;
  // Ends all runs and the thread. Does not wait for any check.
  ~CheckThread();

  // Begins to ask the check of SLOT, and puts its results.
  void Add(std::shared_ptr<CheckSlot> slot);
  void Remove(std::shared_ptr<CheckSlot> slot);

 private:
  struct State;
  Status Begin();

  Loop* const control_;
  CheckResults* const results_;
  const std::shared_ptr<ScriptChecks> scripts_;
  std::shared_ptr<State> state_;  // null before the first check
};

}  // namespace drover
